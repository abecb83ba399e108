//! Statements that hold and were once refused or doubted, each beside one that does not hold.

use retriever_report::ReasonSubject;
use serde_json::json;

use crate::{
    cases::{assert_verdicts, check},
    evidence::Evidence,
};

/// A type with a field of a type that its user does not name, a method that reads like a file, and a word in a docstring.
const SOURCE: &str = "\
//- /src/signals.rs read=1-18 syntax=Slot:3-5:struct syntax=enable:7-12 syntax=hold:14-17
use std::sync::OnceLock;

struct Slot {
    init: OnceLock<bool>,
}

fn enable(slot: &Slot) {
    slot.init.get_or_init(|| register(5));
    if is_dirty(slot) {
        hold(slot);
    }
}

fn hold(slot: &Slot) {
    slot.busy = true;
    slot.wait();
}

//- /src/models.py read=1-13 syntax=Response:1-9:class syntax=json:2-4 syntax=text:6-9 head=Response:2-4 head=Response:6-9
class Response:
    def json(self):
        raw = self.read()
        return loads(raw)

    def text(self):
        if self.decoder is None:
            self.decoder = Decoder(self.encoding)
        return self.decoder.decode(self.raw)

def decoded():
    \"\"\"
    Decoded content, depending on what the header says.
//- /src/big.c grep=2-2 decl=drainQueue:1-4 told=drainQueue/fillQueue
static void *drainQueue(int n) {
    unlink_first(n);
    return 0;
}
//- /src/dump.py read=1-2 syntax=dumped:1-2
def dumped(json):
    return json.strip()
//- /src/link.cs read=1-6 read=11-14 syntax=Close:1-3 syntax=CloseAsync:4-6 syntax=Close:7-10 syntax=CloseAsync:11-14
void Close() {
    Close(false).Wait();
}
Task CloseAsync() {
    return Close(true);
}
Task Close(bool later) {
    if (shut) return done;
    return CloseAsync(later);
}
async Task CloseAsync(bool later) {
    pool.Reset();
    Give(later);
}
//- /src/base.rb read=1-9 syntax=headers:1-1 syntax=initialize:3-5 syntax=refuse:7-9
attr_reader :headers

def initialize(app)
  @headers = app.cascade ? PASS : {}
end

def refuse
  throw :error, PASS
end
//- /src/merge.rs read=1-18 syntax=merge:1-5 syntax=end_merge:7-12 syntax=rest:14-18
fn merge(all: &[Segment]) -> Segment {
    let fresh = index.fresh_segment();
    apply_deletes(all);
    write(fresh, all)
}

fn end_merge(done: Merge) {
    if done.cursor.is_behind() {
        apply_deletes(done);
    }
    segments.replace(done.old, done.fresh);
}

fn rest(window: Duration) {
    if self.has_active_gate { return }
    wait(window);
    self.set(true);
}
//- /src/Routes.cs read=1-20 syntax=Send:2-4 syntax=Resume:6-9 syntax=Write:11-15 syntax=Sleep:17-20
[HttpPost(\"parcels\")]
void Send(Parcel parcel) {
    Resume(parcel);
}

void Resume(Parcel parcel) {
    if (Expired(parcel)) throw new LateParcelException();
    redraw = 1;
}

void Write(Parcel parcel) {
    parcel.Hooks.ForEach(onGone);
    parcel.Code = H3_EXCESS_LOAD;
    Resume(parcel);
}

void Sleep(Parcel parcel) {
    timer.tv_usec = 1000;
    timer.Start(parcel);
}
";

/// (the cited lines of [`SOURCE`], where the text stands, the text, its verdict; "" where nothing of it stays)
const TEXTS: &[(&str, &str, &str, &str)] = &[
    // The object of the step before is no subject.
    (
        "7-12",
        "fact",
        "`enable` calls `register` and then `hold` only if `is_dirty` says so.",
        "as_submitted",
    ),
    ("7-12", "fact", "`hold` only calls `register` once.", ""),
    // The type of a field of the cited lines.
    (
        "7-12",
        "fact",
        "`enable` looks at `is_dirty`, and a `OnceLock` makes sure that `register` is called once.",
        "recited",
    ),
    // A member that reads like the name of a file.
    ("models.py:2-4", "fact", "Response.json loads what it reads.", "as_submitted"),
    ("models.py:6-9", "fact", "`Response.json` loads what it reads.", ""),
    ("models.py:2-4", "fact", "Response.toml loads what it reads.", ""),
    ("dump.py:1-2", "fact", "`dumped` strips what Response.json loads.", "recited"),
    // A word of a docstring is no name of code.
    ("models.py:6-9", "fact", "`text` decodes the `content`.", "as_submitted"),
    ("7-12", "fact", "`enable` registers the `content`.", "unconfirmed"),
    // What was said beside a line: the declaration around it, and what calls that.
    ("big.c:2-2", "fact", "`drainQueue` calls `unlink_first`.", "as_submitted"),
    ("big.c:2-2", "fact", "`unlink_first` runs in `drainQueue`, for `fillQueue`.", "unconfirmed"),
    ("big.c:2-2", "fact", "`unlink_first` runs in `emptyQueue`.", ""),
    // A purpose may say what is to be.
    (
        "7-12",
        "purpose",
        "Change `register` here if the number must be another, for example 422.",
        "as_submitted",
    ),
    ("7-12", "purpose", "Change the 422 of `register` here.", ""),
    ("7-12", "purpose", "`register` takes a number such as 422.", ""),
    ("7-12", "purpose", "`register` takes a number, which must be 422.", "cut"),
    ("7-12", "purpose", "`enable`, if the planner must explain signals as well.", "as_submitted"),
    ("7-12", "purpose", "The planner must explain `enable`.", ""),
    // One of two overloads makes the call, and its lines were not read.
    ("link.cs:11-14", "flow", "`Close` → `CloseAsync` → `Reset`", "as_submitted"),
    // A member that is set in the lines and read by a function of its name.
    ("base.rb:3-5", "fact", "`headers` are `PASS` unless `cascade` is off.", "as_submitted"),
    ("base.rb:7-9", "fact", "`headers` are `PASS` unless `cascade` is off.", ""),
    // The order of the function that is told.
    (
        "merge.rs:1-5 merge.rs:7-12",
        "fact",
        "Deletes are applied in `end_merge` before the fresh segment replaces the old ones.",
        "as_submitted",
    ),
    (
        "merge.rs:1-5 merge.rs:7-12",
        "fact",
        "The old ones are replaced by the fresh ones in `end_merge` before deletes are applied.",
        "cut",
    ),
    // The method of HTTP that an attribute declares, and a part of a constant's name.
    ("Routes.cs:1-4", "fact", "POST of parcels is what `Send` is for.", "as_submitted"),
    ("Routes.cs:1-4", "fact", "DELETE of parcels is what `Send` is for.", ""),
    ("Routes.cs:11-15", "fact", "`Write` sets EXCESS_LOAD for the parcel.", "as_submitted"),
    ("Routes.cs:11-15", "fact", "`Write` sets PROXY_LOAD for the parcel.", ""),
    // A name before a noun, and one that just runs, are not what a clause is about.
    (
        "Routes.cs:11-15",
        "fact",
        "`Write` goes through all hooks, so the onGone hooks run before `Resume`.",
        "as_submitted",
    ),
    // What a function of the flow does was shown, though no finding cites it.
    (
        "Routes.cs:11-15",
        "flow",
        "`Write` sets the code; later `Send` (of a POST) calls `Resume`, which throws LateParcelException.",
        "as_submitted",
    ),
    // A word before a comma calls nothing, and the place of an argument is no number.
    (
        "Routes.cs:11-15",
        "fact",
        "`Write` makes the parcel late, then calls `Resume` with it as the third argument.",
        "as_submitted",
    ),
    // An amount with its unit stands in the function, and no foreign 1 is taken for it.
    ("Routes.cs:19-19", "fact", "`Sleep` starts `timer` for 1 ms.", "recited"),
    ("Routes.cs:3-3", "fact", "`Send` resumes after 1 ms, with `redraw`.", "cut"),
    // What is left to go on is told of, and asked of nobody.
    (
        "Routes.cs:17-20",
        "summary",
        "`Sleep` starts `timer`; if another one runs, it is left to run down.",
        "as_submitted",
    ),
    ("Routes.cs:17-20", "summary", "`Sleep` starts `timer`; it is best to run it first.", "cut"),
    // A time is no step.
    ("merge.rs:14-18", "fact", "`rest` sets the active gate after `window`.", "as_submitted"),
];

#[test]
fn what_holds_stays_as_it_is() {
    assert_verdicts(SOURCE, "src/signals.rs", TEXTS);
}

/// (what is said to be missing, what is left of it)
const GAPS: &[(&str, &str)] = &[
    (
        "Any check of queries; a search for gql in all 785 files found nothing.",
        "Any check of queries; a search for gql in all 785 files found nothing.",
    ),
    ("A table: no sqlite or createTable; the one file is docSet.dsidx.", "="),
    ("A table: no sqlite; the `GhostTable` is one.", "A table: no sqlite."),
    ("How cookies match; that is in `CookieJar`, outside this repository.", "="),
    ("How cookies match; that is in `CookieJar`.", "How cookies match."),
    ("The `GhostTable` is kept.", ""),
    ("`GhostCache` in `src/ghost.rs` keeps what the third-party library returns.", ""),
    ("How cookies match; `CookieJar` comes from the standard library.", "="),
    ("`createTableRow` never expires its tokens.", ""),
    ("`createTable` never expires its tokens.", ""),
];

#[test]
fn what_is_missing_may_name_what_was_asked_for_and_what_is_outside() {
    for (text, wanted) in GAPS {
        let mut evidence = Evidence::new(&format!("{SOURCE}//- /docs/docSet.dsidx list\n"));
        evidence.ledger.record_asked("sqlite|createTable|\\.db");
        let submitted =
            json!({"primary": [{"ref": "src/signals.rs:7-12"}], "missing": [{"what": text}]});
        let validation = check(&mut evidence, &submitted);
        let left = validation.map.missing.first().map_or("", |gap| gap.what.as_str());
        let wanted = if *wanted == "=" { text } else { wanted };
        assert_eq!(left, *wanted, "{:#?}", validation.reasons);
        let is_told = validation.reasons.iter().any(|it| it.subject == ReasonSubject::Gap(1));
        assert_eq!(is_told, left != *text, "{text}");
    }
}

#[test]
fn a_reason_of_lines_inside_of_another_place_is_not_lost() {
    let submitted = json!({
        "primary": [{"ref": "src/signals.rs:7-12", "why": "`enable` registers."}],
        "secondary": [{"ref": "src/signals.rs:9-11", "why": "`hold` is called here"}],
    });
    let map = check(&mut Evidence::new(SOURCE), &submitted).map;
    assert_eq!(map.primary[0].why, "`enable` registers; `hold` is called here");
    assert!(map.secondary.is_empty());
}

#[test]
fn a_long_fact_is_cut_at_the_end_of_a_clause() {
    let again = |times: usize| "and then once more ".repeat(times);
    // (a fact of more than 300 characters, the end of what is left of it)
    let facts = [
        (
            format!("`enable` calls `register`, {}; `hold` waits, {}", again(11), again(9)),
            "once more",
        ),
        (format!("`enable` calls `register` {} (as {}) for it.", again(9), again(9)), "for it."),
        (format!("`enable` calls `register` {}", "once more ".repeat(40)), "…"),
    ];
    for (fact, end) in facts {
        let single = fact.split_whitespace().collect::<Vec<_>>().join(" ");
        let submitted = json!({"findings": [{"fact": fact, "refs": ["src/signals.rs:7-12"]}]});
        let validation = check(&mut Evidence::new(SOURCE), &submitted);
        let left = &validation.map.findings[0].fact;
        assert!(left.ends_with(end) && left.chars().count() <= 300, "{left}");
        let told =
            validation.reasons.iter().find(|reason| reason.subject == ReasonSubject::Finding(1));
        let length = format!("has {} characters, 240 at most", single.chars().count());
        assert!(told.unwrap().detail.as_str().contains(&length), "{told:?}");
    }
}
