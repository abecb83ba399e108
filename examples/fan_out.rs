//! An orchestrator in miniature: three questions about one repository at once, and their maps merged into one reading list.
//!
//!     cargo run --example fan_out -- ~/src/project "how does a request arrive?" "where is it stored?" "what is sent back?"
//!
//! The offline driver answers; give the builder a `retriever::model::OpenAiModel` for a real one.

use std::{collections::BTreeMap, error::Error, fmt::Write, path::PathBuf};

use futures::future::try_join_all;
use retriever::{Question, Retriever, RunOptions, report::CodeMap};

/// What is asked when the command line doesn't say.
const QUESTIONS: [&str; 3] = [
    "how is a pattern searched in files?",
    "how are globs matched?",
    "how are the lines of a file read?",
];

#[tokio::main]
#[expect(clippy::print_stdout, reason = "an example shows what it found")]
pub(crate) async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let root = arguments.next().unwrap_or_else(|| ".".to_owned());
    let mut questions: Vec<String> = arguments.collect();
    if questions.is_empty() {
        questions.extend(QUESTIONS.map(str::to_owned));
    }
    // One retriever: the questions share its files, index and model.
    let retriever = Retriever::builder(PathBuf::from(root)).build()?;
    print!("{}", reading_list(&retriever, &questions).await?);
    Ok(())
}

/// Asks all questions at once and returns what they found: a line a question, and a line a file with its ranges.
pub(crate) async fn reading_list(
    retriever: &Retriever,
    questions: &[String],
) -> Result<String, Box<dyn Error>> {
    let asked =
        questions.iter().map(|text| retriever.ask(Question::new(text), RunOptions::default()));
    let answers = try_join_all(asked).await?;
    let maps: Vec<CodeMap> = answers.into_iter().map(|answer| answer.map).collect();
    let mut list = String::new();
    for map in &maps {
        writeln!(list, "{} ({}): {}", map.question, map.confidence, map.summary)?;
    }
    for (path, ranges) in merged(&maps) {
        let ranges: Vec<String> =
            ranges.iter().map(|(start, end)| format!("{start}-{end}")).collect();
        writeln!(list, "{path}: {}", ranges.join(", "))?;
    }
    Ok(list)
}

/// The places of all maps, each line once: ranges of a file in order, joined where they touch.
fn merged(maps: &[CodeMap]) -> BTreeMap<&str, Vec<(u32, u32)>> {
    let mut places: BTreeMap<&str, Vec<(u32, u32)>> = BTreeMap::new();
    for place in maps.iter().flat_map(|map| &map.primary).map(|item| &item.place) {
        places.entry(&place.path).or_default().push((place.start, place.end));
    }
    for ranges in places.values_mut() {
        ranges.sort_unstable();
        ranges.dedup_by(|later, kept| {
            let touches = later.0 <= kept.1.saturating_add(1);
            if touches {
                kept.1 = kept.1.max(later.1);
            }
            touches
        });
    }
    places
}
