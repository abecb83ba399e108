//! The library as an orchestrator builds it: tools of its own beside the program's.

use std::sync::Arc;

use pretty_assertions::assert_eq;
use retriever::{
    BuildError, Question, Retriever, RunOptions,
    ledger::{FileStamp, LineRange, Source},
    tools::{Excerpt, Observation, Outcome, Tool, ToolContext, ToolError, ToolOutput},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::support::{
    fixture::Fixture,
    model_server::{ModelServer, Turn},
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
    found: Vec<Excerpt>,
}

impl ToolOutput for Owners {
    fn observation(&self) -> Observation {
        let mut observation = Observation::sentence(Outcome::Found, "owners");
        observation.source = Source::Read;
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
            found: vec![Excerpt { file: FileStamp::of(&file), lines }],
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

named!(ReadOwners, "read");
named!(SubmitOwners, "submit_report");

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
    let cited: Vec<_> = map.primary.iter().map(|p| (p.path.as_str(), p.start, p.end)).collect();
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
    assert_eq!(names(&replaced), names(&standard));
    let read = replaced.tools().specs().into_iter().find(|spec| spec.name == "read").unwrap();
    assert_eq!(read.description, "The lines that say who owns a file.");
    let refused = Retriever::builder(fixture.root()).tool(SubmitOwners).build();
    assert!(matches!(refused, Err(BuildError::ReservedTool)));
}
