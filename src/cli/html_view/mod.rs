//! `view`, and `ask --html`: a run or a map as one self-contained page.

mod candidates_section;
mod cited_code;
mod map_section;
mod page_input;
mod places_diagram;
mod timeline_section;
mod value_formatting;

use std::{
    fs::File,
    io::Write,
    path::Path,
    sync::{Mutex, PoisonError},
};

use maud::html;
use retriever::{CodeMap, Observer, Retriever, RunEvent, workspace::LineRange};
use retriever_page::page;

use self::{cited_code::CitedFiles, page_input::RunPageInput};
use super::{
    args::ViewArgs,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
    output_file,
};

pub(super) fn run(context: &CommandContext<'_>, args: &ViewArgs) -> Result<Exit, CommandError> {
    let record = RunPageInput::read(&args.file)?;
    let loaded = context.load(&[])?;
    let cache = context.cache(&loaded);
    let retriever =
        Retriever::builder(".").roots(loaded.roots).config(loaded.config).cache(cache).build()?;
    let text = run_page(&record, &retriever);
    match &args.out {
        Some(path) => HtmlPageFile::create(path)?.write(context, &text)?,
        None => context.output.print(&text)?,
    }
    Ok(Exit::Done)
}

/// Returns the page of a run that has just ended.
pub(super) fn page_of_run(
    collected: &CollectedRunEvents,
    map: &CodeMap,
    retriever: &Retriever,
) -> String {
    let events = std::mem::take(&mut *collected.0.lock().unwrap_or_else(PoisonError::into_inner));
    run_page(&RunPageInput { map: map.clone(), events }, retriever)
}

/// The file of a page. It is opened before the run, so that an unwritable path does not waste a paid answer.
pub(super) struct HtmlPageFile<'a> {
    path: &'a Path,
    file: File,
}

impl<'a> HtmlPageFile<'a> {
    /// Creates or empties the file.
    pub(super) fn create(path: &'a Path) -> Result<Self, CommandError> {
        Ok(Self { path, file: output_file::create(path)? })
    }

    /// Writes the page and prints its path.
    pub(super) fn write(
        mut self,
        context: &CommandContext<'_>,
        page: &str,
    ) -> Result<(), CommandError> {
        let path = self.path.display();
        self.file.write_all(page.as_bytes()).map_err(|error| {
            CommandError::new(
                CommandErrorKind::Usage,
                format!("the page in {path} is incomplete: {error}"),
            )
        })?;
        context.output.note(&format!("the page is in {path}"));
        Ok(())
    }
}

/// Keeps the events of a run for its page.
#[derive(Default)]
pub(super) struct CollectedRunEvents(Mutex<Vec<RunEvent>>);

impl Observer for CollectedRunEvents {
    fn on_event(&self, event: &RunEvent) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(event.clone());
    }
}

fn run_page(record: &RunPageInput, retriever: &Retriever) -> String {
    let map = &record.map;
    let places = CitedFiles::of(map);
    let read = |path: &str, range: LineRange| retriever.code(path, range);
    let body = html! {
        (map_section::head(map))
        nav.contents aria-label="Contents" {
            a href="#answer" { "Answer" } a href="#code" { "Code" }
            @if !record.events.is_empty() { a href="#run" { "Run" } }
            @if record.candidates().is_some() { a href="#candidates" { "Candidates" } }
        }
        section #answer { (map_section::answer(map, &places, retriever)) }
        section #code { (places.code(&read)) }
        @if !record.events.is_empty() { section #run { (timeline_section::timeline(&record.events)) } }
        @if let Some(found) = record.candidates() {
            section #candidates { (candidates_section::table(found, &places)) }
        }
    };
    page(map_section::title(map), &body)
}
