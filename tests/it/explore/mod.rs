//! Source without a model: how it is sized, which flow it follows, what becomes a skeleton, and how places are named.

mod answer_sizes;
mod bad_input;
mod edits;
mod flow;
mod ids;
mod names;
#[cfg(feature = "cli")]
mod program;
mod skeletons;

use retriever::{
    Retriever,
    explore::{
        Exploration, ExplorationTextFormat, ExploreOptions, FileRenderMode, RenderedFile, text,
    },
};

use crate::support::fixture::Fixture;

/// Explores a fixture with the usual options.
fn explore(fixture: &Fixture, query: &str) -> Exploration {
    explore_with(fixture, query, &ExploreOptions::default())
}

fn explore_with(fixture: &Fixture, query: &str, options: &ExploreOptions) -> Exploration {
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    retriever.explore(query, options).unwrap()
}

/// The same without skeletons.
fn in_full(fixture: &Fixture, query: &str) -> Exploration {
    explore_with(fixture, query, &ExploreOptions { adaptive: false, ..ExploreOptions::default() })
}

fn file<'a>(found: &'a Exploration, path: &str) -> &'a RenderedFile {
    let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
    let at = paths.iter().position(|other| *other == path);
    assert!(at.is_some(), "{path} is not among {paths:?}");
    &found.files[at.unwrap()]
}

fn mode(found: &Exploration, path: &str) -> FileRenderMode {
    file(found, path).mode
}

/// Every printed line of a file.
fn source(found: &Exploration, path: &str) -> String {
    let sections = &file(found, path).sections;
    sections.iter().map(|section| section.source.as_str()).collect::<Vec<_>>().join("\n")
}

fn names(found: &Exploration) -> Vec<&str> {
    found.flow.iter().map(|step| step.name.as_str()).collect()
}

fn skeletons(found: &Exploration) -> Vec<&str> {
    let files = found.files.iter().filter(|file| file.mode == FileRenderMode::Skeleton);
    files.map(|file| file.path.as_str()).collect()
}

/// All forms of an answer.
fn forms(found: &Exploration) -> [String; 3] {
    let json = serde_json::to_string(found).unwrap();
    [
        json,
        text(found, ExplorationTextFormat::Markdown),
        text(found, ExplorationTextFormat::Plain { program: "retriever" }),
    ]
}
