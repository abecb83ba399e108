//! Recon through its public boundary: what a question says, which places answer it, and what the packet delivers.

mod declarations;
mod packet;
mod question_reading;

use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock},
};

use retriever::{
    config::Config,
    evidence_ledger::EvidenceLedger,
    indexing::GraphIndex,
    render_candidate_packet,
    search::{
        Candidate, CandidateSet, CandidateSource, Question, RepositorySizeTier, RoleCues,
        scan_candidates,
    },
    workspace::{Cancellation, Workspace},
};

use crate::support::fixture::Fixture;

const SHOP: &str = r#"
//- /src/billing/invoice.ts
import { Cart } from "../cart";

export class InvoiceService {
  constructor(private readonly cart: Cart) {}

  /** Builds the invoice of a cart and hands it to the printer. */
  createInvoice(customer: string): Invoice {
    const lines = this.cart.lines.map((line) => line.total);
    return { customer, lines };
  }

  voidInvoice(id: string) {
    return this.store.remove(id);
  }
}
//- /src/cart.ts
export interface Cart { lines: Line[] }

export function addToCart(cart: Cart, line: Line): Cart {
  return { ...cart, lines: [...cart.lines, line] };
}
//- /src/session.py
class SessionStore:
    """Keeps who is signed in."""

    def refresh_token(self, user):
        token = self.issue(user)
        return token

    def revoke(self, user):
        self.tokens.pop(user)
//- /server/routes.go
package server

// Register binds every route.
func Register(mux *Mux) {
	mux.Handle("/invoice", invoiceHandler)
}

func (s *Server) invoiceHandler(w Writer, r *Request) {
	s.billing.CreateInvoice(r.Customer)
}
//- /tests/invoice.test.ts
describe("createInvoice", () => {
  it("creates an invoice", () => {
    expect(createInvoice("a")).toEqual({});
  });
});
//- /docs/invoice.md
# Invoice
An invoice is created with createInvoice, createInvoice and createInvoice.
//- /config/limits.yaml
rate:
  burst: 20
  sustained_throughput: 7
"#;

pub(crate) fn open(fixture: &Fixture) -> Workspace {
    let config = Config::default();
    Workspace::open(fixture.root(), &config.workspace, &config.traits).unwrap()
}

pub(crate) fn ask(fixture: &Fixture, question: &Question) -> CandidateSet {
    static CUES: LazyLock<RoleCues> = LazyLock::new(RoleCues::default);
    let index = GraphIndex::new(Arc::new(open(fixture)), None);
    let never = Cancellation::new();
    index.ask_on_walk_if_quick(&never, |_, graph| {
        scan_candidates(index.workspace(), question, &CUES, graph, &never)
    })
}

pub(crate) fn described(candidate: &Candidate) -> String {
    let name = candidate.symbols.first().map_or("", |symbol| symbol.name.as_str());
    format!("{} {name}", candidate.file.path).trim_end().to_owned()
}

pub(crate) fn first(source: &str, question: &str) -> String {
    let found = ask(&Fixture::new(source), &Question::new(question));
    found.candidates.first().map(described).unwrap_or_default()
}

#[test]
fn the_place_that_a_question_is_about_comes_first_however_it_is_named() {
    let cases = [
        ("How does an invoice get created?", "src/billing/invoice.ts createInvoice"),
        ("where is create_invoice", "src/billing/invoice.ts createInvoice"),
        ("InvoiceService.createInvoice", "src/billing/invoice.ts createInvoice"),
        ("What happens in `create-invoice`?", "src/billing/invoice.ts createInvoice"),
        ("refreshing the session token", "src/session.py refresh_token"),
        ("which handler serves the /invoice route", "server/routes.go invoiceHandler"),
        ("adding a line to the cart", "src/cart.ts addToCart"),
        ("sustained throughput limit", "config/limits.yaml"),
        ("wie funktioniert refresh_token?", "src/session.py refresh_token"),
        ("refresh_token是怎么实现的?", "src/session.py refresh_token"),
        (
            "does tests/invoice.test.ts test createInvoice",
            "tests/invoice.test.ts creates an invoice",
        ),
    ];
    for (question, place) in cases {
        assert_eq!(first(SHOP, question), place, "{question}");
    }
}

#[test]
fn tests_and_documentation_rank_low_unless_they_are_asked_for() {
    let path_of = |question: &str| first(SHOP, question).split(' ').next().unwrap().to_owned();
    assert_eq!(path_of("createInvoice"), "src/billing/invoice.ts");
    assert_eq!(path_of("the tests of createInvoice"), "tests/invoice.test.ts");
    let found = ask(&Fixture::new(SHOP), &Question::new("documentation of the invoice"));
    assert!(found.candidates.iter().take(3).any(|c| c.file.path.as_str() == "docs/invoice.md"));
    let found = ask(&Fixture::new(SHOP), &Question::new("createInvoice"));
    let test = found.candidates.iter().find(|c| c.file.traits.test).unwrap();
    assert!(test.score.iter().any(|(part, points)| part.as_ref() == "kind" && points < 0.0));
}

const SETTLING: &str = r#"
//- /src/settle.rs
pub fn settle_invoice(entries: &[u32]) -> u32 {
    zip(entries) + 1
}

pub fn paint(entries: &[u32]) -> u32 {
    fold(entries)
}

pub fn zip(entries: &[u32]) -> u32 {
    entries.iter().sum()
}

pub fn fold(entries: &[u32]) -> u32 {
    entries.iter().max()
}
//- /src/guard.rs
pub fn recover_from(fault: Fault) -> u32 {
    if fault.is_fatal() { abort(fault) } else { 0 }
}
"#;

#[test]
fn what_no_word_matches_is_reached_through_the_graph_and_says_how() {
    let found = ask(&Fixture::new(SETTLING), &Question::new("how is an invoice settled"));
    let reached = found.candidates.iter().find(|c| described(c) == "src/settle.rs zip");
    let reached = reached.expect("zip is called by the best place");
    assert_eq!(reached.source, CandidateSource::Graph);
    assert_eq!(reached.provenance, ["called by settle_invoice"]);
    let graph = reached.graph.as_ref().expect("the graph led there");
    assert_eq!(graph.inbound, 1);
    let first = &found.candidates[0];
    assert_eq!(described(first), "src/settle.rs settle_invoice");
    assert!(first.graph.as_ref().is_some_and(|graph| graph.outbound == 1));
}

#[test]
fn a_question_in_everyday_words_finds_what_code_calls_otherwise() {
    let cases = [
        ("What happens when everything blows up?", "src/guard.rs recover_from"),
        ("Who cleans up after a crash?", "src/guard.rs recover_from"),
    ];
    for (question, place) in cases {
        assert_eq!(first(SETTLING, question), place, "{question}");
    }
    // Grammar, too, can say what code has a name for, and a word is related to the one that it is made of.
    let cases = [
        ("What if it is asked too often?", "src/gate.rs throttle_calls"),
        ("What happens on a reconnect?", "src/gate.rs connect"),
    ];
    for (question, place) in cases {
        assert_eq!(first(GATE, question), place, "{question}");
    }
    let doubt =
        ask(&Fixture::new(GATE), &Question::new("How do you avoid reconnecting?")).no_answer;
    assert_eq!(doubt, None, "what is avoided is asked for, to avoid is not");
    // The question's own words come before words that stand for them.
    assert_eq!(first(SETTLING, "settle what crashed"), "src/settle.rs settle_invoice");
}

#[test]
fn forms_of_one_word_are_one_word() {
    let source = r#"
//- /src/store.rs
fn rebuild_index(store: &mut Store) {
    store.open();
    store.fill(store.rows());
}
fn subscribe(store: &mut Store) {
    store.listeners.push(store.row());
    store.greet();
}
fn normalize_rows(store: &mut Store) {
    store.rows.sort();
    store.rows.dedup();
}
fn on_written(store: &mut Store) {
    store.rows.clear();
    store.greet();
}
"#;

    let cases = [
        ("What is rebuilt?", "rebuild_index"),
        ("What becomes of a subscription?", "subscribe"),
        ("Is anything normalised?", "normalize_rows"),
        ("Who writes?", "on_written"),
    ];
    for (question, name) in cases {
        assert_eq!(first(source, question), format!("src/store.rs {name}"), "{question}");
    }
}

const GATE: &str = r#"
//- /src/gate.rs
fn throttle_calls(gate: &mut Gate) -> bool {
    gate.count += 1;
    gate.count < gate.most
}

fn connect(gate: &mut Gate) {
    gate.open(gate.address());
    gate.greet();
}

fn forward(gate: &mut Gate) {
    gate.push(gate.pull());
    gate.greet();
}
"#;

const ACCOUNTS: &str = r#"
//- /src/accounts.py
def sweep_accounts(accounts):
    """Evicts expired entries from the cache and frees their memory."""
    for account in accounts:
        account.purge()

def format_accounts(accounts):
    """Pads columns so that a table prints nicely."""
    for account in accounts:
        account.print()
"#;

const CRATES: &str = r#"
//- /src/east.py
def lift(crate):
    crate.up()

def encrypt(message, secret):
    return cipher(message, secret)

def verify_signature(certificate):
    return trusted(certificate)
//- /src/west.py
def lift(crate):
    crate.up()

def paint_border(canvas, colour):
    canvas.stroke(colour)

def render_shape(canvas, rectangle):
    canvas.fill(rectangle)
"#;

/// Points that the first place described like this has for one part of its score.
fn points(source: &str, question: &str, part: &str, place: &str) -> f64 {
    let found = ask(&Fixture::new(source), &Question::new(question));
    let place = found.candidates.iter().find(|found| described(found).ends_with(place)).unwrap();
    place.score.iter().filter(|(known, _)| known.as_ref() == part).map(|(_, points)| points).sum()
}

fn meaning(question: &str, name: &str) -> f64 {
    points(ACCOUNTS, question, "meaning", name)
}

#[test]
fn of_places_with_the_same_words_the_one_that_means_what_is_asked_comes_first() {
    let cases = [
        ("Which accounts have gone stale?", "sweep_accounts", "format_accounts"),
        ("How wide is the text of accounts drawn?", "format_accounts", "sweep_accounts"),
    ];
    for (question, apt, other) in cases {
        assert_eq!(first(ACCOUNTS, question), format!("src/accounts.py {apt}"), "{question}");
        assert!(meaning(question, apt) > meaning(question, other), "{question}");
    }
}

#[test]
fn of_files_with_the_same_words_the_one_that_is_about_the_question_comes_first() {
    let cases = [
        ("How is a crate protected against attackers?", "src/east.py lift", "src/west.py lift"),
        ("How is a crate drawn on the screen?", "src/west.py lift", "src/east.py lift"),
    ];
    for (question, apt, other) in cases {
        let found = ask(&Fixture::new(CRATES), &Question::new(question)).candidates;
        let at = |place| found.iter().position(|found| described(found) == place).unwrap();
        assert!(at(apt) < at(other), "{question}");
        let topic = |place| points(CRATES, question, "topic", place);
        assert!(topic(apt) > topic(other), "{question}");
    }
}

/// Two files whose best places are alike; in the second one two more fit, and in the last one every place is named alike.
const HARBOUR: &str = r#"
//- /src/quay.rs
pub fn moor_vessel(vessel: &Vessel) -> Berth {
    let berth = pick(vessel);
    tie(vessel, berth)
}
//- /src/zone.rs
pub fn moor_vessel_again(vessel: &Vessel) -> Berth {
    let berth = pick(vessel);
    tie(vessel, berth)
}

pub fn free_vessel(vessel: &Vessel) -> Berth {
    let berth = last(vessel);
    untie(vessel, berth)
}

pub fn watch_vessel(vessel: &Vessel) -> Berth {
    let berth = here(vessel);
    look(vessel, berth)
}
//- /src/lamps.rs
pub fn dim_lantern(lantern: &Lantern) { glow(lantern, 1) }
//- /src/a.rs
pub fn light_lantern(lantern: &Lantern) { glow(lantern, 1) }
//- /src/b.rs
pub fn light_lantern(lantern: &Lantern) { glow(lantern, 2) }
//- /src/c.rs
pub fn light_lantern(lantern: &Lantern) { glow(lantern, 3) }
//- /src/d.rs
pub fn light_lantern(lantern: &Lantern) { glow(lantern, 4) }
"#;

#[test]
fn several_places_that_fit_speak_for_their_file() {
    let of = |question: &str, part: &str, place: &str| points(HARBOUR, question, part, place);
    let question = "how does a vessel get its berth";
    assert_eq!(first(HARBOUR, question), "src/zone.rs free_vessel");
    assert!(of(question, "corroboration", "src/zone.rs free_vessel") > 0.0);
    assert_eq!(of(question, "corroboration", "src/quay.rs moor_vessel"), 0.0);
    // A trace says by itself which file is meant.
    let traced = "vessel gets no berth\n\n    at moor_vessel (src/quay.rs:3)\n";
    assert_eq!(first(HARBOUR, traced), "src/quay.rs moor_vessel");
    assert_eq!(of(traced, "corroboration", "src/zone.rs free_vessel"), 0.0);
}

#[test]
fn a_name_that_many_places_bear_tells_less() {
    let of = |place: &str| points(HARBOUR, "who makes a lantern glow", "common name", place);
    assert!(of("src/a.rs light_lantern") < 0.0);
    assert_eq!(of("src/lamps.rs dim_lantern"), 0.0);
}

#[test]
fn words_that_nobody_knows_mean_nothing() {
    let known = meaning("stale accounts", "sweep_accounts");
    assert!(known > 0.0);
    for question in ["stale accounts xyzzyqux", "stale accounts, устаревшие 過期"] {
        assert_eq!(meaning(question, "sweep_accounts"), known, "{question}");
    }
}

#[test]
fn the_table_of_senses_is_the_one_whose_making_is_told() {
    let table = include_bytes!("../../../crates/search/src/words/vectors.bin");
    let told = include_str!("../../../evals/word_vectors/README.md");
    let hash = blake3::hash(table).to_hex();
    assert!(told.contains(hash.as_str()), "learn.py made another table: {hash}");
}

#[test]
fn a_score_is_the_sum_of_parts_whose_names_are_stable() {
    const KNOWN: [&str; 24] = [
        "quoted",
        "quoted line",
        "path",
        "no declaration",
        "file",
        "mentioned",
        "hint",
        "kind",
        "kind of place",
        "name",
        "whole name",
        "body",
        "together",
        "owner",
        "line",
        "work",
        "meaning",
        "topic",
        "graph",
        "learned",
        "common name",
        "corroboration",
        "file order",
        "declares",
    ];
    let found = ask(&Fixture::new(SHOP), &Question::new("createInvoice in src/billing/invoice.ts"));
    assert!(!found.candidates.is_empty());
    for candidate in &found.candidates {
        let sum: f64 = candidate.score.iter().map(|(_, points)| points).sum();
        assert!((sum - candidate.score.total()).abs() < 1e-9);
        for (part, _) in candidate.score.iter() {
            assert!(KNOWN.contains(&part.as_ref()), "{part:?}");
        }
    }
    let totals: Vec<f64> = found.candidates.iter().map(|c| c.score.total()).collect();
    assert!(totals.is_sorted_by(|a, b| a >= b), "{totals:?}");
}

#[test]
fn fifty_surveys_and_packets_are_the_same() {
    let fixture = Fixture::new(SHOP);
    let question = Question::new("How is an invoice created and the session token refreshed?");
    let once = || {
        let found = ask(&fixture, &question);
        let text = render_candidate_packet(&found, &mut EvidenceLedger::new(), 3_000);
        (found.candidates, text)
    };
    let expected = once();
    assert!((0..50).all(|_| once() == expected));
}

#[test]
fn one_file_and_one_name_do_not_fill_the_first_places() {
    let functions: String =
        (0..10).map(|n| format!("def render_widget_{n}(x):\n    return x\n\n")).collect();
    let source: String = (0..8)
        .map(|file| {
            format!("//- /src/part{file}.py\n{functions}def render_widget(x):\n    return x\n")
        })
        .collect();
    let found = ask(&Fixture::new(&source), &Question::new("render widget"));
    assert!(found.candidates.len() <= 60);
    let first = &found.candidates[..8];
    let files: BTreeSet<_> = first.iter().map(|c| &c.file.path).collect();
    assert!(files.iter().all(|file| first.iter().filter(|c| c.file.path == **file).count() <= 3));
    let same = first.iter().filter(|c| c.symbols.iter().any(|s| s.name == "render_widget")).count();
    assert!(same <= 3, "{same}");
}

#[test]
fn hints_are_looked_at_first_and_a_hint_that_names_nothing_is_said() {
    let fixture = Fixture::new(SHOP);
    let hints = |hints: &[&str]| Question {
        hints: hints.iter().map(|hint| (*hint).to_owned()).collect(),
        ..Question::new("how are things kept")
    };
    let found = ask(&fixture, &hints(&["./src/cart.ts", "src/nowhere.ts", "../outside"]));
    assert_eq!(found.candidates[0].file.path.as_str(), "src/cart.ts");
    assert!(found.candidates[0].provenance.iter().any(|why| why.contains("hint")));
    let note = "hints \"src/nowhere.ts\", \"../outside\" name no file here and were ignored";
    assert_eq!(found.notes, [note]);
    let many: Vec<String> = (0..40).map(|at| format!("none{at}\u{202e}")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    let found = ask(&fixture, &hints(&many));
    assert_eq!(found.notes.len(), 1);
    assert!(
        found.notes[0].contains("\"none4\\u{202e}\" and 35 more name no file here"),
        "{:?}",
        found.notes
    );
    assert_eq!(ask(&fixture, &hints(&[".", "./"])).notes, Vec::<String>::new());
    let found = ask(&fixture, &hints(&["server"]));
    assert_eq!(found.candidates[0].file.path.as_str(), "server/routes.go");
}

#[test]
fn a_stack_trace_leads_to_its_frames_in_the_repository() {
    let mut trace = String::from("It crashes\n\nTraceback (most recent call last):\n");
    trace.push_str("  File \"/home/x/app/src/session.py\", line 8, in revoke\n    self.tokens.pop(user)\nKeyError: 'a'\n");
    assert_eq!(first(SHOP, &trace), "src/session.py revoke");
    trace.push_str(
        &"  File \"/usr/lib/python3/site-packages/other/thing.py\", line 3, in loop\n".repeat(400),
    );
    assert!(trace.len() > 20_000);
    assert_eq!(first(SHOP, &trace), "src/session.py revoke");
    let go =
        "panic: boom\n\ngoroutine 1 [running]:\nmain.main()\n\t/w/app/server/routes.go:9 +0x1d\n";
    assert_eq!(first(SHOP, go), "server/routes.go invoiceHandler");
}

#[test]
fn the_order_of_one_trace_is_not_that_of_another_beside_it() {
    let project = "//- /job.py\ndef outer():\n    inner()\n//- /page.py\ndef inner():\n    draw()\n//- /draw.js\nfunction draw() {\n  fail()\n}\n//- /main.js\nfunction main() {\n  draw()\n}\n";
    let python = "Traceback (most recent call last):\n  File \"job.py\", line 2, in outer\n  File \"page.py\", line 2, in inner\n";
    let script = "Error: x\n    at draw (draw.js:2:3)\n    at main (main.js:2:3)\n";
    for (question, expected) in [
        (python.to_owned(), "page.py inner"),
        (script.to_owned(), "draw.js draw"),
        (format!("{python}{script}"), "page.py inner"),
        (format!("{script}{python}"), "draw.js draw"),
    ] {
        assert_eq!(first(project, &format!("It crashes\n\n{question}")), expected, "{question}");
    }
}

#[test]
fn no_question_and_no_text_makes_a_survey_fail() {
    let fixture = Fixture::new(SHOP);
    for question in [
        "",
        "   ",
        "???",
        "how does it work",
        "\u{0}\u{7}",
        "�\u{200b}",
        "[c1] (",
        "🦀",
        "a/b/../../..",
        "``` ```",
    ] {
        let found = ask(&fixture, &Question::new(question));
        render_candidate_packet(&found, &mut EvidenceLedger::new(), 100);
    }
    let empty = ask(&Fixture::new(""), &Question::new("anything"));
    assert_eq!(
        (empty.files_seen, empty.candidates.len(), empty.tier),
        (0, 0, RepositorySizeTier::Small)
    );
}

#[test]
fn a_cancelled_survey_returns_what_it_has() {
    let fixture = Fixture::new(SHOP);
    let cancelled = Cancellation::new();
    cancelled.cancel();
    let found = scan_candidates(
        &open(&fixture),
        &Question::new("invoice"),
        &RoleCues::default(),
        None,
        &cancelled,
    );
    assert!(found.candidates.is_empty());
    assert_eq!(found.files_seen, 7);
}
