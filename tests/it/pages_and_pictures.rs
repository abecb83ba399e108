//! Pages and pictures as the program writes them.

use assert_cmd::Command;
use retriever_test_support::accessibility_faults;
use serde_json::Value;

use crate::support::fixture::Fixture;

/// A repository whose names, comments and files attack whoever shows them.
const TREE: &str = "\
//- /.git/HEAD
//- /src/greet.py
# </script><img src=x onerror=alert(1)> \u{202e}txet
def greet_visitor(name):
    return \"</style></pre><script>alert(2)</script>\" + decorate(name)


def decorate(name):
    return name.strip()
//- /src/</title><script>x.py
def greet_nobody():
    return greet_visitor('')
";

struct Run {
    files: Fixture,
}

impl Run {
    fn new() -> Self {
        Self { files: Fixture::new(TREE) }
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::cargo_bin("retriever").unwrap();
        command
            .env_clear()
            .env("HOME", self.files.root().join("home"))
            .current_dir(self.files.root())
            .args(arguments);
        command
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.files.root().join(name)).unwrap()
    }

    fn ask(&self) {
        let question = "how does greet_visitor decorate a name </script><script>alert(3)</script>";
        let arguments = ["ask", "--offline", "--html", "run.html", "--events", "run.jsonl"];
        let output =
            self.command(&arguments).args(["--format", "json", question]).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        std::fs::write(self.files.root().join("map.json"), output.stdout).unwrap();
    }
}

fn assert_harmless(page: &str) {
    assert_eq!(accessibility_faults(page), Vec::<String>::new());
    assert!(!page.contains("<script") && !page.contains("<img"), "{page}");
    assert!(page.chars().all(|c| c == '\n' || c == '\t' || !c.is_control()));
    assert!(!page.contains('\u{202e}'));
    assert_eq!(page.matches("</style>").count(), 1);
}

#[test]
fn a_run_and_its_record_give_the_same_page() {
    let run = Run::new();
    run.ask();
    let page = run.read("run.html");
    assert_harmless(&page);
    for part in ["id=\"answer\"", "id=\"code\"", "id=\"run\"", "id=\"candidates\"", "greet_visitor"]
    {
        assert!(page.contains(part), "{part}");
    }
    run.command(&["view", "run.jsonl", "-o", "again.html"]).assert().success();
    assert_eq!(run.read("again.html"), page);
}

#[test]
fn a_map_alone_has_its_code_and_no_timeline() {
    let run = Run::new();
    run.ask();
    let output = run.command(&["view", "map.json"]).output().unwrap();
    assert!(output.status.success());
    let page = String::from_utf8(output.stdout).unwrap();
    assert_harmless(&page);
    assert!(page.contains("id=\"code\"") && !page.contains("id=\"run\""));
    assert!(
        page.contains("<title>Code map</title>") && page.contains("<h1>Code map</h1>"),
        "{page}"
    );
}

#[test]
fn links_of_a_page_lead_somewhere() {
    let run = Run::new();
    run.ask();
    let page = run.read("run.html");
    let links: Vec<&str> =
        page.split("href=\"#").skip(1).filter_map(|part| part.split('"').next()).collect();
    assert!(links.len() > 4);
    for link in links {
        assert!(page.contains(&format!("id=\"{link}\"")), "{link}");
    }
}

#[test]
fn what_is_no_run_is_refused_with_its_line() {
    let run = Run::new();
    std::fs::write(
        run.files.root().join("x.jsonl"),
        "{\"event\":\"nudged\",\"step\":1}\nnonsense\n",
    )
    .unwrap();
    let output = run.command(&["view", "x.jsonl"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("line 2") && message.contains("hint: "), "{message}");
}

#[test]
fn the_graph_draws_neighbourhoods_and_traces() {
    let run = Run::new();
    let draw = |arguments: &[&str]| {
        let output = run.command(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let dot = draw(&["graph", "callers", "decorate", "--format", "dot"]);
    assert!(dot.starts_with("digraph {") && dot.contains("n1 -> n0"), "{dot}");
    let dot = draw(&["graph", "callees", "greet_visitor", "--format", "dot"]);
    assert!(dot.contains("n0 -> n1"), "{dot}");
    let chart =
        draw(&["graph", "trace", "greet_visitor", "--to", "decorate", "--format", "mermaid"]);
    assert!(chart.contains("n0 -->"), "{chart}");
    let svg = draw(&["graph", "callers", "decorate", "--format", "svg"]);
    assert!(svg.starts_with("<svg ") && !svg.contains("<script"), "{svg}");
    let spelled = draw(&["graph", " Callees ", "greet_visitor", "--format", "dot"]);
    assert!(spelled.contains("n0 -> n1"), "{spelled}");
    let chart =
        draw(&["graph", "TRACE", "greet_visitor", "--to", "decorate", "--format", "mermaid"]);
    assert!(chart.contains("n0 -->"), "{chart}");
    let output = run.command(&["grep", "x", "--format", "svg"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn a_picture_of_a_part_says_so() {
    let run = Run::new();
    let arguments = ["graph", "symbols", "src/greet.py", "--limit", "1", "--format", "dot"];
    let output = run.command(&arguments).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let notes = String::from_utf8(output.stderr).unwrap();
    assert!(notes.contains("note: ") && notes.contains("--offset 1"), "{notes}");
}

#[test]
fn a_page_that_cannot_be_written_is_refused_before_the_run() {
    let run = Run::new();
    let arguments = ["ask", "--offline", "--html", "no/such/folder.html", "--events", "run.jsonl"];
    let output = run.command(&arguments).arg("what is decorate").output().unwrap();
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("cannot write no/such/folder.html"), "{message}");
    assert!(!run.files.root().join("run.jsonl").exists() || run.read("run.jsonl").is_empty());
}

/// `/dev/full` opens and refuses every byte: the disk fills up during the run.
#[cfg(target_os = "linux")]
#[test]
fn a_page_that_is_lost_does_not_cost_the_answer() {
    let run = Run::new();
    let arguments = ["ask", "--offline", "--html", "/dev/full", "--format", "json"];
    let output = run.command(&arguments).arg("what is decorate").output().unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(serde_json::from_slice::<Value>(&output.stdout).unwrap()["meta"].is_object());
    assert!(
        String::from_utf8(output.stderr).unwrap().contains("the page in /dev/full is incomplete")
    );
}

#[cfg(unix)]
#[test]
fn what_a_run_writes_is_for_its_owner_only() {
    use std::os::unix::fs::PermissionsExt;
    let run = Run::new();
    let file = |name: &str| run.files.root().join(name);
    for name in ["run.html", "run.jsonl"] {
        std::fs::write(file(name), "").unwrap();
        std::fs::set_permissions(file(name), std::fs::Permissions::from_mode(0o644)).unwrap();
    }
    run.ask();
    run.command(&["view", "run.jsonl", "-o", "again.html"]).assert().success();
    for name in ["run.html", "run.jsonl", "again.html"] {
        let mode = file(name).metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_page_lists_what_the_map_had_no_room_for() {
    let run = Run::new();
    run.ask();
    let mut map: Value = serde_json::from_str(&run.read("map.json")).unwrap();
    map["left_out"] = serde_json::json!(["src/greet.py:4-5"]);
    map["also_read"] = serde_json::json!(["docs/<b>.md"]);
    std::fs::write(run.files.root().join("map.json"), map.to_string()).unwrap();
    let output = run.command(&["view", "map.json"]).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    for part in ["Left out for room", "src/greet.py:4-5", "Also read", "docs/&lt;b&gt;.md"] {
        assert!(page.contains(part), "{part}: {page}");
    }
}

#[test]
fn a_call_that_failed_is_not_counted_as_refused() {
    let run = Run::new();
    run.ask();
    let mut lines: Vec<String> = run.read("run.jsonl").lines().map(str::to_owned).collect();
    let failed = r#"{"event":"tool_finished","step":1,"call":99,"tool":"grep","outcome":"failed","tokens":1,"new_lines":0,"elapsed_ms":1}"#;
    lines.insert(1, failed.to_owned());
    std::fs::write(run.files.root().join("failed.jsonl"), lines.join("\n")).unwrap();
    let output = run.command(&["view", "failed.jsonl"]).output().unwrap();
    let page = String::from_utf8(output.stdout).unwrap();
    assert!(page.contains("0 refused, 1 failed"), "{page}");
}

#[test]
fn the_event_log_ends_with_the_map_and_the_end_of_the_run() {
    let run = Run::new();
    run.ask();
    let events: Vec<Value> =
        run.read("run.jsonl").lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let [.., returned, finished] = events.as_slice() else { unreachable!("two events at least") };
    assert_eq!(finished["event"], "run_finished");
    let printed: Value = serde_json::from_str(&run.read("map.json")).unwrap();
    // Who asked knows the question; who reads the log later does not.
    let mut logged = returned["map"].clone();
    assert!(logged.as_object_mut().unwrap().remove("question").is_some());
    assert_eq!(logged, printed);
}
