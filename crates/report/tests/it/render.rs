//! Renderers print the whole map, every path once, and code only from the caller's reader.

use retriever_report::{
    CodeGraphUse, CodeMap, ReportAuthor, TokenUsage, Verdict,
    evidence_ledger::LineRange,
    render::{MapTextLayout, Snippets, TextStyle, calls_between, markdown, text},
};

fn map() -> CodeMap {
    serde_json::from_value(serde_json::json!({
        "version": 1, "question": "How does login work?", "intent": "edit", "status": "complete",
        "confidence": "medium", "recommended_primary_action": "read_targets",
        "summary": "The route checks the password.", "flow": "route, then store.",
        "primary": [
            {"path": "src/login.rs", "start": 3, "end": 8, "symbols": ["login"], "role": "handler", "why": "checks"},
            {"path": "src/odd`name.rs", "start": 1, "end": 2, "why": ""},
        ],
        "secondary": [{"path": "tests/login.rs", "start": 1, "end": 1, "role": "test", "why": "covers it"}],
        "findings": [{"fact": "Sessions expire.", "role": "state",
            "refs": [{"path": "src/login.rs", "start": 5, "end": 6}, {"path": "src/store.rs", "start": 9, "end": 9}]}],
        "read_targets": [{"path": "src/login.rs", "start": 6, "end": 12, "purpose": "change it", "required": true}],
        "missing": [{"what": "the logout", "critical": true}],
        "gap_search": {"terms": ["logout"], "scopes": ["src"]},
        "requested_roles": ["handler"],
        "meta": {"author": "model", "model": "m", "reasons": ["gap_critical"], "stop_reason": "submitted", "steps": 2,
            "tool_calls": 3, "observed_tokens": 4, "report_tokens": 5, "elapsed_ms": 6},
    }))
    .unwrap()
}

fn code(_: &str, range: LineRange) -> Option<Vec<String>> {
    Some((range.start()..=range.end()).map(|line| format!("line {line} ````")).collect())
}

const PATHS: [&str; 4] = ["src/login.rs", "src/odd`name.rs", "tests/login.rs", "src/store.rs"];

#[test]
fn json_comes_back_as_the_same_map() {
    let printed = serde_json::to_string(&map()).unwrap();
    assert!(!printed.contains("\"graph\""), "that a graph was there goes without saying");
    let mut without_graph = map();
    without_graph.meta.graph = CodeGraphUse::NotBuilt;
    assert!(serde_json::to_string(&without_graph).unwrap().contains("\"graph\":\"none\""));
    assert_eq!(serde_json::from_str::<CodeMap>(&printed).unwrap(), map());
}

#[test]
fn every_path_is_printed_once_and_everything_is_said() {
    for printed in [markdown(&map(), None), text(&map(), &MapTextLayout::default(), None)] {
        for path in PATHS {
            assert_eq!(printed.matches(path).count(), 1, "{path}\n{printed}");
        }
        for said in [
            "How does login work?",
            "medium",
            "read_targets",
            "The route checks",
            "route, then store",
            "3-8",
            "login",
            "handler",
            "checks",
            "covers it",
            "Sessions expire.",
            "1:5-6",
            "4:9",
            "6-12",
            "change it",
            "required",
            "the logout",
            "critical",
            "logout in src",
            "gap_critical",
        ] {
            assert!(printed.contains(said), "{said}\n{printed}");
        }
    }
}

#[test]
fn colour_is_only_in_colour() {
    assert!(!text(&map(), &MapTextLayout::default(), None).contains('\u{1b}'));
    let colored =
        text(&map(), &MapTextLayout { style: TextStyle::Color, ..MapTextLayout::default() }, None);
    assert!(colored.contains('\u{1b}'));
    let parts: Vec<&str> = colored.split('\u{1b}').collect();
    let stripped: String = std::iter::once(parts[0])
        .chain(parts[1..].iter().map(|part| part.split_once('m').unwrap().1))
        .collect();
    assert_eq!(stripped, text(&map(), &MapTextLayout::default(), None));
}

#[test]
fn overlapping_ranges_are_printed_once_in_a_fence_they_cannot_close() {
    let snippets = Snippets { read: &code, max_tokens: 4_000 };
    let printed = markdown(&map(), Some(&snippets));
    for line in 3..=12 {
        assert_eq!(
            printed.matches(&format!("line {line} ````")).count(),
            if line == 9 { 2 } else { 1 }
        );
    }
    assert!(printed.contains("`````rust\n"), "{printed}");
    let fences = printed.lines().filter(|line| line.starts_with("`````")).count();
    assert_eq!(fences % 2, 0);
    assert!(text(&map(), &MapTextLayout::default(), Some(&snippets)).contains(" 3  line 3"));
}

#[test]
fn code_beyond_the_budget_is_named_and_not_printed() {
    let snippets = Snippets { read: &code, max_tokens: 30 };
    let printed = markdown(&map(), Some(&snippets));
    assert!(printed.contains("line 3 "), "{printed}");
    assert!(!printed.contains("line 12 "), "{printed}");
    assert!(printed.contains("not shown: lines "), "{printed}");
}

#[test]
fn a_file_that_is_gone_is_named_and_not_invented() {
    let gone = |_: &str, _: LineRange| None;
    let printed = markdown(&map(), Some(&Snippets { read: &gone, max_tokens: 4_000 }));
    assert!(printed.contains("not shown: lines 3-12"), "{printed}");
    assert!(!printed.contains("```"), "{printed}");
}

#[test]
fn escape_sequences_of_the_code_do_not_reach_the_terminal() {
    let line = "if admin \u{202e}}\u{2066} \u{1b}[2J\u{0}";
    let hostile = |_: &str, range: LineRange| Some(vec![line.to_owned(); range.width() as usize]);
    let code = Snippets { read: &hostile, max_tokens: 4_000 };
    let mut map = map();
    map.primary[1].place.path = "src/a\u{202e}b.rs".to_owned();
    map.primary[0].symbols = vec!["log\u{2066}in".to_owned()];
    map.left_out = vec!["src/c\u{202e}d.rs:1-2".to_owned()];
    map.gap_search.scopes = vec!["src/e\u{202e}f".to_owned()];
    for printed in [text(&map, &MapTextLayout::default(), Some(&code)), markdown(&map, Some(&code))]
    {
        let is_hidden =
            |c: char| c != '\n' && (c.is_control() || ('\u{2028}'..='\u{2069}').contains(&c));
        assert!(!printed.contains(is_hidden), "{printed:?}");
        for shown in [
            "if admin \\u{202e}}\\u{2066} \\u{1b}[2J\\u{0}",
            "a\\u{202e}b",
            "log\\u{2066}in",
            "c\\u{202e}d",
            "e\\u{202e}f",
        ] {
            assert!(printed.contains(shown), "{shown}: {printed}");
        }
    }
}

#[test]
fn sentences_are_broken_at_the_width_and_places_lead_to_their_files() {
    let mut map = map();
    map.primary[0].why = "checks the password against the stored hash before a session ".repeat(3);
    map.summary = "漢字 ".repeat(40);
    map.flow = "It goes through src/session-store/re-keyed-map.rs now. ".repeat(3);
    let address = |path: &str, line: u32| Some(format!("file:///r/{path}#{line}"));
    for width in [24, 40, 59, 60, 100, 200] {
        let layout = MapTextLayout { width: Some(width), ..MapTextLayout::default() };
        let printed = text(&map, &layout, None);
        for line in printed.lines().filter(|line| line.contains("password") || line.contains('漢'))
        {
            let columns: usize = line.chars().map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
            assert!(columns <= width, "{columns} columns of {width}: {line}");
        }
        let words = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let whole = text(&map, &MapTextLayout::default(), None);
        assert_eq!(words(&printed), words(&whole), "nothing is lost at {width}");
    }
    let layout =
        MapTextLayout { address: Some(&address), width: Some(80), ..MapTextLayout::default() };
    let linked = text(&map, &layout, None);
    for (place, shown) in [("src/login.rs#3", "src/login.rs"), ("src/login.rs#3", "3-8")] {
        let link = format!("\u{1b}]8;;file:///r/{place}\u{1b}\\{shown}\u{1b}]8;;\u{1b}\\");
        assert!(linked.contains(&link), "{linked}");
    }
}

#[test]
fn the_prose_form_has_its_sections_in_order_and_leaves_out_empty_ones() {
    let mut map = map();
    map.primary[0].symbols = vec!["login".to_owned()];
    map.secondary[0].place.path = "src/store.rs".to_owned();
    map.primary[1].symbols = vec!["Store.find_user".to_owned()];
    let read = |path: &str, range: LineRange| {
        let line = |number| match (path, number) {
            ("src/login.rs", 4) => "// find_user(name) in a comment is no call".to_owned(),
            ("src/login.rs", 5) => "    let user = store.find_user(name)?;".to_owned(),
            ("src/login.rs", 6) => "    relogin(user);".to_owned(),
            _ => format!("line {number}"),
        };
        Some((range.start()..=range.end()).map(line).collect())
    };
    let printed = markdown(&map, Some(&Snippets { read: &read, max_tokens: 4_000 }));
    let heads: Vec<&str> = printed.lines().filter(|line| line.starts_with('#')).collect();
    let expected = [
        "# How does login work?",
        "## Flow",
        "## Findings",
        "## Places",
        "## Call chain",
        "## Observations",
        "## Not explored",
    ];
    assert_eq!(heads, expected, "{printed}");
    for said in [
        "`src/login.rs:3-12`\n\n```rust\n",
        "- `login` → `Store.find_user` [1:5]\n",
        "- 4 tokens of the repository were seen, in 2 steps with 3 tool calls; it ended with submitted",
        "- held against it:\n  - gap_critical: The report names a critical gap.",
        "- the logout (critical)",
        "- search: logout in src",
    ] {
        assert!(printed.contains(said), "{said}\n{printed}");
    }
    assert_eq!(printed.matches(" → ").count(), 1, "{printed}");

    map.requested_roles.push(retriever_search::PlaceRole::Ui);
    map.meta.stop_reason = retriever_report::StopReason::Deadline;
    let printed = markdown(&map, None);
    assert!(
        !printed.contains("no place was found"),
        "what labels say is not the verdict: {printed}"
    );
    map.meta.reasons = vec!["role_missing_critical".to_owned()];
    let printed = markdown(&map, None);
    assert!(printed.contains("- no place was found for one of handler, ui\n"), "{printed}");
    assert!(printed.contains("- the budget ended the exploration\n"), "{printed}");
    assert!(!printed.contains("Call chain"), "{printed}");

    (map.flow, map.findings, map.missing) = Default::default();
    (map.primary, map.secondary, map.read_targets) = Default::default();
    (map.gap_search, map.requested_roles) = Default::default();
    map.meta.stop_reason = retriever_report::StopReason::Submitted;
    let printed = markdown(&map, None);
    let heads: Vec<&str> = printed.lines().filter(|line| line.starts_with("##")).collect();
    assert_eq!(heads, ["## Observations"], "{printed}");
}

#[test]
fn places_that_are_only_listed_and_texts_that_are_not_confirmed_say_so() {
    let mut map = map();
    map.left_out = vec!["src/odd`name.rs:1-2".to_owned()];
    map.also_read = vec!["docs/*all*.md".to_owned()];
    map.findings[0].verdict = Verdict::Unconfirmed;
    map.flow_verdict = Verdict::Unconfirmed;
    map.primary[0].verdict = Verdict::Unconfirmed;
    map.primary[0].why = "is the entry".to_owned();
    let printed = markdown(&map, None);
    assert!(printed.contains("left out for room: ``src/odd`name.rs:1-2``"), "{printed}");
    assert!(printed.contains("also read: `docs/*all*.md`"), "{printed}");
    for printed in [printed, text(&map, &MapTextLayout::default(), None)] {
        assert!(printed.contains("Sessions expire. (not confirmed)"), "{printed}");
        assert!(printed.contains("route, then store. (not confirmed)"), "{printed}");
        assert!(printed.contains("is the entry (not confirmed)"), "{printed}");
        assert!(printed.contains("The route checks the password.\n"), "{printed}");
    }
}

#[test]
fn a_fence_says_the_language_of_its_file() {
    for (path, language) in [
        ("a.rs", "rust"),
        ("a.py", "python"),
        ("a.pyi", "python"),
        ("a.mts", "typescript"),
        ("a.cjs", "javascript"),
        ("a.kts", "kotlin"),
        ("a.rb", "ruby"),
        ("a.cs", "csharp"),
        ("a.h", "c"),
        ("a.hpp", "cpp"),
        ("a.yml", "yaml"),
        ("a.md", "markdown"),
        ("a.sc", "scala"),
        ("a.go", "go"),
        ("dir.d/Makefile", ""),
        ("a.b c", ""),
    ] {
        let mut map = map();
        map.primary[0].place.path = path.to_owned();
        let printed = markdown(&map, Some(&Snippets { read: &code, max_tokens: 4_000 }));
        assert!(printed.contains(&format!("\n`````{language}\n3  line 3")), "{path}: {printed}");
    }
}

#[test]
fn a_place_of_several_lists_is_printed_once_with_all_that_is_said_of_it() {
    let mut map = map();
    map.read_targets[0].place = map.primary[0].place.clone();
    let printed = markdown(&map, None);
    assert!(printed.contains("handler; read, required"), "{printed}");
    assert!(printed.contains("checks; change it"), "{printed}");
    for author in [ReportAuthor::Offline, ReportAuthor::Fallback] {
        map.meta.author = author;
        assert!(!markdown(&map, None).contains("change it"), "{author:?}");
    }
    map.meta.author = ReportAuthor::Model;
    map.read_targets[0].purpose = map.primary[0].why.clone();
    assert_eq!(markdown(&map, None).matches("checks").count(), 2, "once with the summary's");
    map.primary[0].why.clear();
    map.read_targets[0].purpose = "change it".to_owned();
    assert!(!markdown(&map, None).contains("; change it"));
    map.read_targets[0].place.start += 1;
    map.meta.author = ReportAuthor::Offline;
    assert!(markdown(&map, None).contains("change it"));
}

#[test]
fn a_place_of_an_earlier_map_is_named_and_its_code_is_not_printed_again() {
    let mut map = map();
    map.known = serde_json::from_value(serde_json::json!([{
        "path": "src/store.rs", "start": 7, "end": 9, "id": "s3", "list": "read_targets",
        "required": true, "why": "keeps them",
    }]))
    .unwrap();
    let snippets = Snippets { read: &code, max_tokens: 4_000 };
    let printed = markdown(&map, Some(&snippets));
    assert!(printed.contains("s3 src/store.rs:7-9"), "{printed}");
    assert!(printed.contains(", required): keeps them"), "{printed}");
    assert_eq!(printed.matches("line 9 ").count(), 1, "of login.rs alone\n{printed}");
    map.known[0].place.end = 8;
    let printed = markdown(&map, Some(&snippets));
    assert_eq!(printed.matches("line 9 ").count(), 2, "{printed}");
}

#[test]
fn calls_between_places_are_found_in_code_alone() {
    let mut map = map();
    map.primary[0].symbols = vec!["login".to_owned()];
    map.primary[1].symbols = vec!["Store::find".to_owned()];
    for (line, is_call) in [
        ("store.find(user)", true),
        ("find  (user)", true),
        ("find::<User>()", true),
        ("find!(user)", true),
        ("find", false),
        ("find, user", false),
        ("refind(user)", false),
        ("find_all(user)", false),
        ("$find(user)", false),
        ("// find(user)", false),
        ("# find(user)", false),
        ("* find(user)", false),
        ("-- find(user)", false),
    ] {
        let read = |path: &str, range: LineRange| {
            let text = if path == "src/login.rs" { line } else { "line" };
            Some(vec![text.to_owned(); range.width() as usize])
        };
        let calls = calls_between(&map, &Snippets { read: &read, max_tokens: 4_000 });
        let calls: Vec<_> =
            calls.iter().map(|call| (call.caller, call.callee, call.line)).collect();
        let wanted = if is_call { vec![("login", "Store::find", 3)] } else { vec![] };
        assert_eq!(calls, wanted, "{line}");
    }
}

#[test]
fn tokens_of_calls_add_up() {
    let one = TokenUsage {
        prompt_tokens: 5,
        cached_tokens: 3,
        completion_tokens: 7,
        reasoning_tokens: 2,
    };
    let mut sum = one;
    sum += TokenUsage {
        prompt_tokens: 10,
        cached_tokens: 20,
        completion_tokens: 30,
        reasoning_tokens: 40,
    };
    let figures =
        [sum.prompt_tokens, sum.cached_tokens, sum.completion_tokens, sum.reasoning_tokens];
    assert_eq!(figures, [15, 23, 37, 42]);
}
