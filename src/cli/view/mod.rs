//! `view`, and `ask --html`: a run or a map as one self-contained page.

mod candidates;
mod code;
mod map;
mod record;
mod timeline;

use std::{
    path::Path,
    sync::{Mutex, PoisonError},
};

use maud::html;
use retriever::{
    CodeMap, Event, Observer,
    report::render::Snippets,
    workspace::{LineRange, Workspace},
};
use retriever_page::page;

use self::{code::CodePlaces, record::RunRecord};
use super::{
    CommandContext,
    args::ViewArgs,
    error::{CommandError, Kind},
    exit::Exit,
};

/// Tokens of code on a page: more than any map cites.
const MAX_CODE_TOKENS: u64 = 200_000;

pub(super) fn run(context: &CommandContext<'_>, args: &ViewArgs) -> Result<Exit, CommandError> {
    let record = RunRecord::read(&args.file)?;
    let loaded = context.load(&[])?;
    let workspace = context.open(&loaded)?;
    let read = |path: &str, range: LineRange| code_of(&workspace, path, range);
    let text = run_page(&record, &read);
    match &args.out {
        Some(path) => write(context, path, &text)?,
        None => context.output.print(&text)?,
    }
    Ok(Exit::Done)
}

/// Writes the page of a run that has just ended.
pub(super) fn write_run(
    context: &CommandContext<'_>,
    path: &Path,
    collected: &CollectedEvents,
    map: &CodeMap,
    read: &dyn Fn(&str, LineRange) -> Option<Vec<String>>,
) -> Result<(), CommandError> {
    let events = std::mem::take(&mut *collected.0.lock().unwrap_or_else(PoisonError::into_inner));
    let record = RunRecord { map: map.clone(), events };
    write(context, path, &run_page(&record, read))
}

/// Keeps the events of a run for its page.
#[derive(Default)]
pub(super) struct CollectedEvents(Mutex<Vec<Event>>);

impl Observer for CollectedEvents {
    fn on_event(&self, event: &Event) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
    }
}

fn code_of(workspace: &Workspace, path: &str, range: LineRange) -> Option<Vec<String>> {
    let file = workspace.read(&workspace.normalize(path).ok()?).ok()?;
    Some(file.lines(range).map(|(_, line)| line.to_owned()).collect())
}

fn run_page(record: &RunRecord, read: &dyn Fn(&str, LineRange) -> Option<Vec<String>>) -> String {
    let map = &record.map;
    let places = CodePlaces::of(map);
    let snippets = Snippets { read, max_tokens: MAX_CODE_TOKENS };
    let body = html! {
        (map::head(map))
        nav.contents aria-label="Contents" {
            a href="#answer" { "Answer" } a href="#code" { "Code" }
            @if !record.events.is_empty() { a href="#run" { "Run" } }
            @if record.candidates().is_some() { a href="#candidates" { "Candidates" } }
        }
        section #answer { (map::answer(map, &places, &snippets)) }
        section #code { (places.code(read)) }
        @if !record.events.is_empty() { section #run { (timeline::timeline(&record.events)) } }
        @if let Some(found) = record.candidates() {
            section #candidates { (candidates::table(found, &places)) }
        }
    };
    page(&map.question, &body)
}

#[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
fn write(context: &CommandContext<'_>, path: &Path, text: &str) -> Result<(), CommandError> {
    std::fs::write(path, text).map_err(|error| {
        CommandError::new(Kind::Usage, format!("cannot write {}: {error}", path.display()))
            .hint("give the path of a file that can be written")
    })?;
    context.output.note(&format!("the page is in {}", path.display()));
    Ok(())
}
