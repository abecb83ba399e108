//! What a change resolves again: all that it affects, and little else.

use std::{collections::BTreeMap, fs};

use pretty_assertions::assert_eq;

use super::{Machine, assert_current, exported};

#[test]
fn an_edit_resolves_again_only_what_it_affects() {
    let machine = Machine::new();
    assert_eq!(machine.refresh().resolved, 4);
    let mut texts = BTreeMap::new();
    // What is replaced in a file, and how many files that concerns.
    let edits = [
        ("src/util.ts", "{ return text; }", "{ console.log(text); return text; }", 1),
        ("src/util.ts", "return text; }", "return text; }\n// A word.", 1),
        // Names that nobody has looked for, before others that move on for it.
        ("src/util.ts", "export class Box", "export class Crate {}\nexport class Box", 1),
        ("src/util.ts", "export class Crate {}", "class Crate { weigh() {} }\nlet at = 1;", 1),
        ("src/util.ts", "function trim(text", "function trim(text, how", 2),
        ("src/main.ts", "trim(\"b\")", "trim(\"c\")", 1),
        // What a caller of the method that calls it does not ask for.
        ("app/models.py", "def check(model)", "def check(model, how=1)", 1),
        ("app/models.py", "def save", "def keep", 2),
        ("app/views.py", "super().save()", "super().keep()", 1),
        // A name that nobody has looked for.
        ("app/views.py", "class Page", "class Leaf", 1),
        ("package.json", "shop", "store", 0),
        ("package.json", "}", ", \"private\": true}", 0),
    ];
    for (path, old, new, resolved) in edits {
        let text: &mut String = texts
            .entry(path)
            .or_insert_with(|| fs::read_to_string(machine.root().join(path)).unwrap());
        assert!(text.contains(old), "{path}: {old}");
        *text = text.replace(old, new);
        machine.write(path, &text);
        assert_eq!(machine.refresh().resolved, resolved, "{path}: {new}");
        assert_current(&machine, &machine.stored());
    }
}

#[test]
fn a_declaration_is_no_other_because_of_what_shares_its_names_or_its_file() {
    let machine = Machine::new();
    let barrel = "export { trim } from \"./util\";\n";
    let kinds = "export const kept = { kind: weigh() };\nfunction weigh() { return 1; }\n\
        export function kindOf(it: string) { return it.kind; }\n";
    machine.write("src/index.ts", barrel);
    machine.write("src/kinds.ts", kinds);
    let user = "import { trim } from \"./index\";\nimport { kindOf } from \"./kinds\";\n\
        export function use() { return kindOf(trim(\"c\")); }\n";
    machine.write("src/use.ts", user);
    machine.refresh();
    // The new text of which file, and how many files that concerns.
    let edits = [
        ("src/index.ts", format!("export {{ Box }} from \"./util\";\n{barrel}"), 1),
        ("src/index.ts", "export { Box, trim } from \"./util\";\n".to_owned(), 1),
        ("src/kinds.ts", kinds.replace("kind: weigh()", "kind: \"a\""), 1),
        ("src/kinds.ts", kinds.replace("return it.kind", "return it"), 2),
        ("src/index.ts", "export { trim } from \"./other\";\n".to_owned(), 2),
    ];
    for (path, text, resolved) in edits {
        machine.write(path, text.as_str());
        assert_eq!(machine.refresh().resolved, resolved, "{path}: {text}");
        assert_current(&machine, &machine.stored());
    }
}

#[test]
fn exports_and_labels_that_change_places_concern_those_who_use_them() {
    let machine = Machine::new();
    let one = "export { start as x, stop as y } from \"./first\";\n";
    let two = "export { start as x } from \"./first\";\nexport { start as y } from \"./second\";\n";
    let code = "export function start() {}\nexport function stop() {}\n";
    let kept = "class Box:\n    def put(self, first=None, second=None):\n        self.first = first\n        \
        self.second = second\nbox = Box()\n";
    machine.write("src/first.ts", code);
    machine.write("src/second.ts", code);
    machine.write("src/barrel.ts", one);
    machine
        .write("src/use.ts", "import { x } from \"./barrel\";\nexport function use() { x(); }\n");
    machine.write(
        "app/keep.py",
        format!("{kept}def register(cb):\n    box.put(first=cb, second=None)\n"),
    );
    machine.write(
        "app/reg.py",
        "from app.keep import register\ndef handle(): ...\nregister(handle)\n",
    );
    machine.refresh();
    let edits = [
        ("src/barrel.ts", one.replace("start as x, stop as y", "stop as x, start as y")),
        ("src/barrel.ts", two.to_owned()),
        ("src/barrel.ts", two.replace(" x ", " z ").replace(" y ", " x ").replace(" z ", " y ")),
        ("app/keep.py", format!("{kept}def register(cb):\n    box.put(second=cb, first=None)\n")),
    ];
    for (path, text) in edits {
        machine.write(path, text.as_str());
        machine.refresh();
        assert_current(&machine, &machine.stored());
    }
}

#[test]
fn files_that_a_manifest_moves_to_another_module_are_no_longer_found_in_the_old_one() {
    let machine = Machine::new();
    let target = |name: &str, path: &str| format!(".target(name: \"{name}\", path: \"{path}\")");
    let manifest = |targets: &str| {
        machine.write(
            "Package.swift",
            format!("// swift-tools-version:5.9\nlet package = Package(name: \"P\", targets: [{targets}])\n"),
        );
    };
    manifest(&target("One", "one"));
    machine.write("one/a.swift", "func start() { helper() }\n");
    machine.write("one/b.swift", "func other() {}\n");
    machine.write("one/mid/c.swift", "func helper() {}\n");
    machine.write("one/mid/d.swift", "func more() {}\n");
    machine.refresh();
    assert!(exported(&machine.stored()).contains(r#""kind":"calls","from":{"qname":"One.start""#));
    manifest(&format!("{}, {}", target("One", "one"), target("Mid", "one/mid")));
    assert_current(&machine, &machine.stored());
    manifest(&target("One", "one"));
    assert_current(&machine, &machine.stored());
}

#[test]
fn a_dependency_that_a_manifest_leads_to_another_package_of_its_name_is_found_there() {
    let machine = Machine::new();
    machine.write("one/Cargo.toml", "[package]\nname = \"store\"\nversion = \"1.0.0\"\n");
    machine.write("two/Cargo.toml", "[package]\nname = \"store\"\nversion = \"2.0.0\"\n");
    machine.write("one/src/lib.rs", "pub fn fetch() {}\n");
    machine.write("two/src/lib.rs", "pub fn fetch() {}\n");
    machine.write("user/src/lib.rs", "pub fn run() { old::fetch(); }\n");
    for folder in ["one", "two", "one"] {
        let dependency = format!("old = {{ path = \"../{folder}\", package = \"store\" }}");
        let manifest = format!("[package]\nname = \"user\"\n[dependencies]\n{dependency}\n");
        machine.write("user/Cargo.toml", manifest);
        machine.refresh();
        let index = machine.stored();
        assert_current(&machine, &index);
        let calls = exported(&index);
        let mut calls = calls.lines().filter(|line| line.contains("\"kind\":\"calls\""));
        assert!(calls.any(|line| line.contains(&format!("\"path\":\"{folder}/src/lib.rs\""))));
    }
}

#[test]
fn a_file_that_turns_into_a_manifest_and_back_is_in_the_graph_while_it_is_source() {
    let machine = Machine::new();
    machine.write("Sources/P/a.swift", "func start() { helper() }\n");
    let source = "func helper() {}\n";
    let manifest = "// swift-tools-version:5.9\nlet package = Package(name: \"P\")\n";
    for text in [source, manifest, source, manifest] {
        machine.write("Package.swift", text);
        machine.refresh();
        assert_current(&machine, &machine.stored());
    }
    fs::remove_file(machine.root().join("Package.swift")).unwrap();
    machine.refresh();
    assert_current(&machine, &machine.stored());
}

#[test]
fn a_file_that_comes_or_goes_resolves_only_files_that_it_concerns() {
    let machine = Machine::new();
    let size = machine.refresh().resolved;
    machine.write("app/extra.py", "from app.models import check\n\ndef more():\n    check(1)\n");
    // What happens to which file, and how many files that concerns.
    let changes = [
        ("app/alone.py", Some("def alone():\n    return 1\n"), 1),
        ("app/extra.py", None, 0),
        // A module that two files import.
        ("src/util.ts", None, 1),
        ("src/util.ts", Some("export function trim(text: string) { return text; }\n"), 2),
        ("app/models.py", None, 1),
    ];
    assert_eq!(machine.refresh().resolved, 1);
    for (path, text, resolved) in changes {
        match text {
            Some(text) => machine.write(path, text),
            None => fs::remove_file(machine.root().join(path)).unwrap(),
        }
        let summary = machine.refresh();
        assert_eq!(summary.resolved, resolved, "{path}");
        assert!(summary.resolved < size, "{path}");
        assert_current(&machine, &machine.stored());
    }
}

#[test]
fn what_is_put_into_a_table_in_one_file_changes_the_calls_through_it_in_others() {
    let machine = Machine::new();
    machine.write("ops.h", "struct ops { int (*open)(int); };\n");
    let user = "#include \"ops.h\"\nint use(struct ops *ops) { return ops->open(1); }\n";
    machine.write("use.c", user);
    let table = |function: &str| {
        format!(
            "#include \"ops.h\"\nint one(int a) {{ return a; }}\nint two(int a) {{ return a; }}\n\
             struct ops disk = {{ .open = {function} }};\n"
        )
    };
    for function in ["one", "two", "missing", "one"] {
        machine.write("disk.c", table(function));
        let index = machine.stored();
        assert_current(&machine, &index);
        let runs = |name: &str| {
            exported(&index).lines().any(|line| {
                line.contains("\"kind\":\"calls\"")
                    && line.contains("\"name\":\"use\"")
                    && line.contains(&format!("\"name\":\"{name}\""))
            })
        };
        assert_eq!((runs("one"), runs("two")), (function == "one", function == "two"));
    }
}

#[test]
fn a_trait_for_all_types_that_takes_the_place_of_another_concerns_calls_of_its_methods() {
    let machine = Machine::new();
    machine.write("lib/Cargo.toml", "[package]\nname = \"lib\"\n");
    machine.write("lib/src/lib.rs", "pub mod ext;\npub mod one;\npub mod two;\npub mod user;\n");
    machine.write("lib/src/one.rs", "pub trait One {}\n");
    machine.write("lib/src/two.rs", "pub trait Two { fn second(&self) {} }\n");
    machine.write(
        "lib/src/user.rs",
        "use crate::{one::One, two::Two};\npub struct Item;\npub fn use_two(item: Item) { item.second(); }\n",
    );
    let traits = "use crate::{one::One, two::Two};\n";
    for (given, resolved) in [("One", None), ("Two", Some(2)), ("One", Some(2))] {
        machine.write("lib/src/ext.rs", format!("{traits}impl<T> {given} for T {{}}\n"));
        let found = machine.refresh().resolved;
        let index = machine.stored();
        assert_current(&machine, &index);
        assert!(resolved.is_none_or(|resolved| resolved == found), "{given}: {found}");
        let calls = exported(&index);
        let mut calls = calls.lines().filter(|line| line.contains("\"kind\":\"calls\""));
        assert_eq!(calls.any(|line| line.contains("\"name\":\"second\"")), given == "Two");
    }
}

#[test]
fn a_mixin_is_resolved_again_when_other_types_build_on_it() {
    let machine = Machine::new();
    let lists = "class Lists:\n    def all(self): return self.rows()\n";
    let shelf = "from app.lists import Lists\nclass Shelf(Lists):\n    def rows(self): return []\n";
    machine.write("app/lists.py", lists);
    machine.write("app/shelf.py", shelf);
    machine.refresh();
    // The new text of which file, and how many files that concerns.
    let edits = [
        ("app/shelf.py", format!("{shelf}# A word.\n"), 1),
        ("app/shelf.py", shelf.replace("(Lists)", ""), 2),
        ("app/shelf.py", shelf.to_owned(), 2),
        ("app/shelf.py", shelf.replace("def rows", "def kept"), 2),
        ("app/other.py", shelf.replace("Shelf", "Other"), 2),
    ];
    for (path, text, resolved) in edits {
        machine.write(path, text.as_str());
        assert_eq!(machine.refresh().resolved, resolved, "{path}: {text}");
        assert_current(&machine, &machine.stored());
    }
}
