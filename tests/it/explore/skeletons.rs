//! What becomes a skeleton: interchangeable definitions off the flow, and nothing else.

use pretty_assertions::assert_eq;
use retriever::explore::{Exploration, FileRenderMode};

use super::{explore, file, in_full, mode, names, skeletons, source};
use crate::support::fixture::Fixture;

/// Four filters; with `chain` also what passes a letter through them, of which the flow takes one.
fn filters(chain: Option<&str>) -> Fixture {
    let last = if chain.is_some() { "chain.pass(letter)" } else { "letter" };
    let filter = |path: &str| {
        let body: String = (0..12)
            .map(|step| format!("        letter = letter.stamp(\"{path} {step}\");\n"))
            .collect();
        format!(
            "//- /src/mail/{path}.java\npackage mail;\n\nclass {path} implements Filter {{\n    @Override\n    \
             public Letter sift(Letter letter, Chain chain) {{\n{body}        return {last};\n    }}\n}}\n"
        )
    };
    let filters = FILTERS.map(filter).concat();
    let contract = "//- /src/mail/Post.java\npackage mail;\n\ninterface Filter {\n    Letter sift(Letter letter, Chain chain);\n}\n";
    Fixture::new(&format!("{contract}{}{filters}", chain.unwrap_or_default()))
}

/// What passes a letter through the filters.
const CHAIN: &str = "
class Chain {
    private final java.util.List<Filter> filters;
    private int at;

    Letter pass(Letter letter) {
        Filter filter = filters.get(at++);
        return filter.sift(letter, this);
    }
}

class PostOffice {
    private Chain chain;

    Letter deliver(Letter letter) {
        return chain.pass(letter);
    }
}
";

const FILTERS: [&str; 4] = ["SpamFilter", "VirusFilter", "SizeFilter", "QuotaFilter"];

const NAMED: &str =
    "PostOffice.deliver Chain.pass SpamFilter.sift VirusFilter SizeFilter QuotaFilter";

#[test]
fn siblings_off_the_flow_are_signatures_and_the_mechanism_is_whole() {
    let fixture = filters(Some(CHAIN));
    let found = explore(&fixture, NAMED);
    assert!(names(&found).starts_with(&["PostOffice.deliver", "Chain.pass"]), "{:?}", found.flow);
    let on_flow = on_flow(&found);
    for class in FILTERS.iter().filter(|class| **class != on_flow) {
        let path = format!("src/mail/{class}.java");
        assert_eq!(mode(&found, &path), FileRenderMode::Skeleton, "{path}");
        let lines: Vec<String> =
            source(&found, &path).lines().map(|line| line.trim().to_owned()).collect();
        // The line that names the method, not its annotation.
        assert_eq!(
            lines,
            [
                format!("class {class} implements Filter {{"),
                "public Letter sift(Letter letter, Chain chain) {".to_owned()
            ]
        );
    }
    assert!(source(&found, "src/mail/Post.java").contains("filters.get(at++)"));
    assert!(source(&found, &format!("src/mail/{on_flow}.java")).contains(&format!("{on_flow} 11")));
}

#[test]
fn a_skeleton_has_what_the_supertype_asks_for_and_not_what_serves_it() {
    let fixture = filters(Some(CHAIN));
    let passed = on_flow(&explore(&fixture, NAMED));
    let class = FILTERS.into_iter().find(|class| *class != passed).unwrap();
    let path = format!("src/mail/{class}.java");
    let helper = "    private Letter weigh(Letter letter) {\n        return letter;\n    }\n}\n";
    let source = std::fs::read_to_string(fixture.root().join(&path)).unwrap();
    fixture.write(&path, source.trim_end().strip_suffix('}').unwrap().to_owned() + helper);
    let found = explore(&fixture, NAMED);
    assert_eq!((on_flow(&found), mode(&found, &path)), (passed, FileRenderMode::Skeleton));
    let lines = super::source(&found, &path);
    assert!(lines.contains("sift(") && !lines.contains("weigh("), "{lines}");
}

/// The one filter that the flow passes.
fn on_flow(found: &Exploration) -> &'static str {
    let passes = |class: &str| found.flow.iter().any(|step| step.name == format!("{class}.sift"));
    let passed: Vec<&str> = FILTERS.into_iter().filter(|class| passes(class)).collect();
    assert_eq!(passed.len(), 1, "{:?}", found.flow);
    passed[0]
}

#[test]
fn without_adaptive_every_sibling_is_whole_and_the_answer_is_longer() {
    let fixture = filters(Some(CHAIN));
    let (sized, whole) = (explore(&fixture, NAMED), in_full(&fixture, NAMED));
    assert_eq!(skeletons(&whole), [""; 0]);
    for class in FILTERS {
        assert!(source(&whole, &format!("src/mail/{class}.java")).contains(&format!("{class} 11")));
    }
    assert_eq!(sized.flow, whole.flow);
    let chars = |found| super::forms(found)[1].len();
    assert!(chars(&sized) * 10 < chars(&whole) * 8, "{} {}", chars(&sized), chars(&whole));
}

#[test]
fn what_a_skeleton_saves_is_not_spent_on_something_else() {
    let drawer = |name: &str| {
        let body: String =
            (0..40).map(|at| format!("        letter.tie(\"{name} {at}\");\n")).collect();
        format!("    void {name}(Letter letter) {{\n{body}    }}\n\n")
    };
    let drawers = ["sortLetter", "weighLetter", "foldLetter", "bindLetter", "storeLetter"];
    let desk = format!(
        "{CHAIN}//- /src/mail/Desk.java\npackage mail;\n\nclass Desk {{\n{}}}\n",
        drawers.map(drawer).concat()
    );
    let fixture = filters(Some(&desk));
    let query = format!("{NAMED} {}", drawers.join(" "));
    let (sized, whole) = (explore(&fixture, &query), in_full(&fixture, &query));
    assert!(!skeletons(&sized).is_empty());
    assert!(whole.truncated, "there is more than fits, so that room is worth having");
    for file in whole.files.iter().filter(|file| !file.path.ends_with("Filter.java")) {
        let same = sized.files.iter().find(|other| other.path == file.path);
        assert_eq!(same, Some(file));
    }
    assert_eq!(sized.files.len(), whole.files.len());
}

#[test]
fn without_a_flow_nothing_is_a_skeleton() {
    let fixture = filters(None);
    let query = "spam virus size quota stamp";
    let found = explore(&fixture, query);
    assert_eq!(found.flow, []);
    assert_eq!(skeletons(&found), [""; 0]);
    assert_eq!(found, in_full(&fixture, query));
}

#[test]
fn when_no_sibling_is_on_the_flow_one_is_kept_as_the_example() {
    let fixture = filters(Some(CHAIN));
    let found =
        explore(&fixture, "PostOffice.deliver Chain.pass VirusFilter SizeFilter QuotaFilter");
    if names(&found).iter().any(|name| name.ends_with("Filter.sift") && *name != "Filter.sift") {
        panic!("the flow passes a sibling: {:?}", found.flow);
    }
    let siblings = ["VirusFilter", "SizeFilter", "QuotaFilter"];
    let whole = siblings.iter().filter(|name| {
        let path = format!("src/mail/{name}.java");
        found.files.iter().any(|file| file.path == path && file.mode != FileRenderMode::Skeleton)
    });
    assert_eq!(whole.count(), 1, "{:?}", skeletons(&found));
    assert!(!skeletons(&found).is_empty());
}

#[test]
fn steps_that_share_no_supertype_are_whole() {
    let fixture = Fixture::new(
        "\
//- /src/steps.py
from src import shelf

def take_order(order):
    checked = check_stock(order)
    return pack_order(checked)

def check_stock(order):
    order.stock = shelf.count(order)
    return order

def pack_order(order):
    order.box = shelf.box_for(order)
    return ship_order(order)

def ship_order(order):
    return order.send()
//- /src/shelf.py
def count(order):
    return len(order.items)

def box_for(order):
    return 'small' if count(order) < 3 else 'large'
",
    );
    let query = "take_order check_stock pack_order ship_order box_for";
    let found = explore(&fixture, query);
    assert!(found.flow.len() >= 3, "{:?}", found.flow);
    assert_eq!(found, in_full(&fixture, query));
    assert!(source(&found, "src/steps.py").contains("return order.send()"));
}

#[test]
fn an_interface_and_its_only_implementation_are_whole() {
    let fixture = Fixture::new(
        "\
//- /src/Ledger.java
interface Ledger {
    void post(Entry entry);
}
//- /src/BookLedger.java
class BookLedger implements Ledger {
    @Override
    public void post(Entry entry) {
        entry.number();
        entry.sum();
    }
}
//- /src/Till.java
class Till {
    private Drawer drawer;

    void close(Entry entry) {
        drawer.count(entry);
    }
}
//- /src/Drawer.java
class Drawer {
    void count(Entry entry) {
        entry.sum();
    }
}
",
    );
    let query = "Till.close Drawer.count BookLedger.post Ledger";
    let found = explore(&fixture, query);
    assert_eq!(names(&found), ["Till.close", "Drawer.count"]);
    assert!(source(&found, "src/BookLedger.java").contains("entry.number()"));
    assert_eq!(found, in_full(&fixture, query));
}

#[test]
fn functions_registered_in_one_table_are_a_family() {
    let handler = |name: &str| {
        let body: String = (0..12).map(|step| format!("\tw.note(\"{name} {step}\")\n")).collect();
        format!(
            "//- /web/{name}.go\npackage web\n\nfunc {name}(w *Writer, r *Request) {{\n{body}}}\n\n"
        )
    };
    let router = "\
//- /go.mod
module example.test/web

//- /web/router.go
package web

type Handler func(w *Writer, r *Request)

func Serve(w *Writer, r *Request) {
	dispatch(w, r, pick(r))
}

func dispatch(w *Writer, r *Request, handler Handler) {
	handler(w, r)
}

func pick(r *Request) Handler {
	return table()[r.name]
}

func table() []Handler {
	return []Handler{
		showCart,
		showOrder,
		showStock,
		showPrice,
	}
}

";
    let all = ["showCart", "showOrder", "showStock", "showPrice"].map(handler).concat();
    let fixture = Fixture::new(&format!("{router}{all}"));
    let query = "Serve dispatch showCart showOrder showStock showPrice";
    let found = explore(&fixture, query);
    assert!(names(&found).starts_with(&["Serve"]), "{:?}", found.flow);
    let kept: Vec<&str> = found
        .files
        .iter()
        .filter(|file| file.path.starts_with("web/show") && file.mode != FileRenderMode::Skeleton)
        .map(|file| file.path.as_str())
        .collect();
    assert_eq!(kept.len(), 1, "{kept:?}");
    let drawn = skeletons(&found);
    assert_eq!(drawn.len(), 3, "{drawn:?}");
    let lines = &file(&found, drawn[0]).sections;
    assert_eq!(lines.len(), 1);
    assert!(lines[0].source.starts_with("func show"), "{lines:?}");
    assert_eq!(skeletons(&in_full(&fixture, query)), [""; 0]);
}
