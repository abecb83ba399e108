//! The library as an orchestrator builds it: tools of its own beside the program's.

use std::{collections::BTreeSet, sync::Arc};

use pretty_assertions::assert_eq;
use retriever::{
    Question, Retriever, RetrieverBuildError, RunOptions,
    evidence_ledger::{EvidenceSource, FileVersion, LineRange},
    tools::{
        ObservationExcerpt, Tool, ToolContext, ToolError, ToolObservation, ToolOutcome, ToolOutput,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
    run::places,
};

/// The lines that say who owns a file.
#[derive(Deserialize, JsonSchema)]
struct OwnersOf {
    /// The file
    file: String,
}

#[derive(Serialize, JsonSchema)]
struct Owners {
    count: usize,
    #[serde(skip)]
    found: Vec<ObservationExcerpt>,
}

impl ToolOutput for Owners {
    fn observation(&self) -> ToolObservation {
        let mut observation = ToolObservation::sentence(ToolOutcome::Found, "owners");
        observation.source = EvidenceSource::Read;
        observation.excerpts.clone_from(&self.found);
        observation
    }
}

struct OwnersTool;

impl Tool for OwnersTool {
    const NAME: &'static str = "owners";
    type Arguments = OwnersOf;
    type Output = Owners;

    fn run(&self, context: &ToolContext, asked: OwnersOf) -> Result<Owners, ToolError> {
        let path = context.workspace.normalize(&asked.file).unwrap();
        let file = context.workspace.read(&path).unwrap();
        let all = LineRange::new(1, file.line_count()).unwrap();
        let lines: Vec<(u32, String)> = file
            .lines(all)
            .filter(|(_, line)| line.starts_with("// owner"))
            .map(|(number, line)| (number, line.to_owned()))
            .collect();
        Ok(Owners {
            count: lines.len(),
            found: vec![ObservationExcerpt::new(FileVersion::of(&file), lines)],
        })
    }
}

/// `NAME` is the only difference.
macro_rules! named {
    ($tool:ident, $name:expr) => {
        struct $tool;

        impl Tool for $tool {
            const NAME: &'static str = $name;
            type Arguments = OwnersOf;
            type Output = Owners;

            fn run(&self, context: &ToolContext, asked: OwnersOf) -> Result<Owners, ToolError> {
                OwnersTool.run(context, asked)
            }
        }
    };
}

named!(ReadOwners, "Read");
named!(SubmitOwners, "Submit_Report");

#[tokio::test]
async fn lines_that_a_custom_tool_shows_are_evidence_and_others_are_not() {
    let fixture = Fixture::new(
        "//- /src/queue.rs\n// owner: storage\npub fn enqueue() {}\npub fn dequeue() {}\n",
    );
    let server = ModelServer::start(vec![
        Turn::responds(|request| {
            let names: Vec<_> = request["tools"]
                .as_array()
                .unwrap()
                .iter()
                .map(|t| &t["function"]["name"])
                .collect();
            assert!(names.contains(&&json!("owners")), "{names:?}");
            Turn::calls([("owners", json!({"file": "src/queue.rs"}))])
        }),
        Turn::submits(json!({
            "summary": "The storage team owns the queue.",
            "primary": [{"ref": "src/queue.rs:1-1", "why": "names the owner"}],
            "secondary": [{"ref": "src/queue.rs:3-3", "why": "never shown"}],
        })),
        Turn::submits(json!({
            "summary": "The storage team owns the queue.",
            "primary": [{"ref": "src/queue.rs:1-1", "why": "names the owner"}],
        })),
    ]);
    let retriever = Retriever::builder(fixture.root())
        .model(Arc::new(server.model()))
        .tool(OwnersTool)
        .build()
        .unwrap();
    let options = RunOptions::default();
    let map = retriever.ask(Question::new("who is on call?"), options).await.unwrap().map;
    let cited: Vec<_> =
        map.primary.iter().map(|p| (p.place.path.as_str(), p.place.start, p.place.end)).collect();
    assert_eq!(cited, [("src/queue.rs", 1, 1)]);
    assert!(map.secondary.is_empty());
}

#[test]
fn a_tool_replaces_its_namesake_and_cannot_pose_as_the_report() {
    let fixture = Fixture::new("//- /a.rs\n// owner: x\n");
    let names = |retriever: &Retriever| -> Vec<&str> {
        retriever.tools().specs().iter().map(|spec| spec.name).collect()
    };
    let standard = Retriever::builder(fixture.root()).build().unwrap();
    let replaced = Retriever::builder(fixture.root()).tool(ReadOwners).build().unwrap();
    let names_replaced: Vec<String> =
        names(&replaced).iter().map(|name| name.to_ascii_lowercase()).collect();
    assert_eq!(names_replaced, names(&standard));
    let read = replaced.tools().specs().into_iter().find(|spec| spec.name == "Read").unwrap();
    assert_eq!(read.description, "The lines that say who owns a file.");
    let refused = Retriever::builder(fixture.root()).tool(SubmitOwners).build();
    assert!(matches!(refused, Err(RetrieverBuildError::ReservedTool)));
}

#[tokio::test]
async fn the_fan_out_example_merges_the_maps_of_three_questions() {
    let fixture = Fixture::new(
        "//- /src/queue.rs\n/// Puts a job into the queue.\npub fn enqueue_job(job: Job) {\n    QUEUE.push(job);\n}\n\
         //- /src/mail.rs\n/// Sends a mail.\npub fn send_mail(mail: &Mail) {\n    smtp().send(mail);\n}\n\
         //- /src/clock.rs\n/// Sets the clock.\npub fn set_clock(time: Time) {\n    CLOCK.set(time);\n}\n",
    );
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    let questions =
        ["how is a job queued?", "how is a mail sent?", "how is the clock set?"].map(str::to_owned);
    let list = crate::fan_out::reading_list(&retriever, &questions).await.unwrap();
    let lines: Vec<&str> = list.lines().collect();
    for (line, question) in lines.iter().zip(&questions) {
        assert!(line.starts_with(question.as_str()), "{list}");
    }
    let files: Vec<&str> = lines[3..].iter().map(|line| line.split(':').next().unwrap()).collect();
    for path in ["src/clock.rs", "src/mail.rs", "src/queue.rs"] {
        assert_eq!(files.iter().filter(|file| **file == path).count(), 1, "{list}");
    }
}

/// Sixteen questions on one retriever. Each reads a file of its own and then cites that and its neighbour's, whose lines
/// only the neighbour was shown.
#[tokio::test(flavor = "multi_thread")]
async fn questions_at_once_share_the_index_and_never_their_evidence() {
    const QUESTIONS: usize = 16;
    let project: String = (0..QUESTIONS)
        .map(|n| {
            format!(
                "//- /src/part{n}.rs\n// Part {n}.\n\npub fn run_part{n}() {{\n    let first = {n};\n    \
                 let second = first;\n    finish_part{n}(second);\n}}\n\nfn finish_part{n}(_: usize) {{}}\n"
            )
        })
        .collect();
    let fixture = Fixture::new(&project);
    let server = ModelServer::start(Vec::new()).otherwise(|| {
        Turn::responds(|request| {
            let messages = request["messages"].as_array().unwrap();
            let asked = messages[1]["content"].as_str().unwrap();
            let number = asked.split("number ").nth(1).unwrap().split(' ').next().unwrap();
            let own: usize = number.parse().unwrap();
            let other = (own + 1) % QUESTIONS;
            match messages.len() {
                2 => Turn::calls([
                    ("read", json!({"file": format!("src/part{own}.rs")})),
                    (
                        "graph",
                        json!({"operation": "callers", "target": format!("finish_part{own}")}),
                    ),
                ]),
                _ => Turn::submits(json!({
                    "summary": format!("Part {own} it is."),
                    "primary": [
                        {"ref": format!("src/part{own}.rs:4-6"), "why": "shown here"},
                        {"ref": format!("src/part{other}.rs:4-5"), "why": "shown elsewhere"},
                    ],
                })),
            }
        })
    });
    let cache = Fixture::new("");
    let retriever = Retriever::builder(fixture.root())
        .model(Arc::new(server.model()))
        .cache(Some(cache.root().to_owned()))
        .build()
        .unwrap();
    let runs: Vec<_> = (0..QUESTIONS)
        .map(|n| {
            let retriever = retriever.clone();
            let question = Question::new(format!("what is done by number {n} of them?"));
            tokio::spawn(async move { retriever.ask(question, RunOptions::default()).await })
        })
        .collect();
    for (n, run) in runs.into_iter().enumerate() {
        let map = run.await.unwrap().unwrap().map;
        assert_eq!(map.summary, format!("Part {n} it is."));
        let cited: BTreeSet<_> =
            places(&map).into_iter().map(|place| (place.path, place.start, place.end)).collect();
        assert_eq!(cited, BTreeSet::from([(format!("src/part{n}.rs"), 4, 6)]));
        assert!(map.meta.reasons.iter().any(|code| code == "range_unobserved"), "{:?}", map.meta);
    }
    assert_eq!(retriever.warnings(), Vec::<String>::new());
}
