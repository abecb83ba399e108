//! `explore` and `context`: source for a planner that wants code itself. A graph that isn't there yet is made first, with
//! its progress; everything else is the library's.

use std::io::Read;

use retriever::{
    Retriever,
    config::{Loaded, Setting},
    explore::{ContextError, ExploreError, ExploreOptions, Form, context_text, text},
};
use serde::Serialize;

use super::{
    Session,
    args::{ContextArgs, ExploreArgs},
    engine::{self, Wanted},
    error::{CommandError, Kind},
    exit::Exit,
    output::Shape,
};

/// Largest query read from stdin, in bytes; the library has its own, lower limit.
const STDIN_BYTES: u64 = 1024 * 1024;

pub(super) fn run(session: &Session<'_>, args: &ExploreArgs) -> Result<Exit, CommandError> {
    let query = if args.query == "-" { from_stdin()? } else { args.query.clone() };
    let mut settings = settings(args.depth, args.budget);
    if args.no_adaptive {
        settings.push(Setting::flag("--no-adaptive", "explore.adaptive", false));
    }
    let loaded = session.load(&settings)?;
    let retriever = open(session, &loaded)?;
    let limit = args.limit.and_then(|limit| usize::try_from(limit).ok());
    let options = ExploreOptions { limit, ..ExploreOptions::from(&loaded.config.explore) };
    let found = retriever.explore(&query, &options)?;
    print(session, &retriever, &found, |form| text(&found, form))
}

pub(super) fn context(session: &Session<'_>, args: &ContextArgs) -> Result<Exit, CommandError> {
    let loaded = session.load(&settings(args.depth, args.budget))?;
    let retriever = open(session, &loaded)?;
    let found = retriever.context(&args.ids, &ExploreOptions::from(&loaded.config.explore))?;
    print(session, &retriever, &found, |form| context_text(&found, form))
}

fn settings(depth: Option<u32>, budget: Option<u32>) -> Vec<Setting> {
    let depth = depth.map(|depth| Setting::flag("--depth", "explore.depth", i64::from(depth)));
    let budget =
        budget.map(|chars| Setting::flag("--budget", "explore.budget_chars", i64::from(chars)));
    depth.into_iter().chain(budget).collect()
}

/// The retriever of the session's root; no model is needed.
fn open(session: &Session<'_>, loaded: &Loaded) -> Result<Retriever, CommandError> {
    let wanted = Wanted { offline: true, ..Wanted::default() };
    let (retriever, _) = engine::build(session, loaded, &wanted)?;
    if !retriever.index().is_known() {
        super::index::refresh(session, retriever.index(), retriever.token_index());
    }
    Ok(retriever)
}

fn print(
    session: &Session<'_>,
    retriever: &Retriever,
    found: &impl Serialize,
    text: impl Fn(Form) -> String,
) -> Result<Exit, CommandError> {
    super::index::say_warnings(session, retriever.index());
    match session.output.shape {
        Shape::Json => session.output.print_json(found)?,
        Shape::Markdown => session.output.print(&text(Form::Markdown))?,
        Shape::Text if session.output.color => session.output.print(&text(Form::Color))?,
        Shape::Text => session.output.print(&text(Form::Plain))?,
    }
    Ok(Exit::Done)
}

fn from_stdin() -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    let read = std::io::stdin().take(STDIN_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| {
        CommandError::new(Kind::Usage, format!("the query cannot be read from stdin: {error}"))
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

impl From<ExploreError> for CommandError {
    fn from(error: ExploreError) -> Self {
        let hint = match error {
            ExploreError::EmptyQuery => "give a question, words, or names of symbols",
            ExploreError::LongQuery(_) => "give the part that says what you look for",
            _ => "leave out --budget to take the repository's own ceiling",
        };
        Self::new(Kind::Usage, error.to_string()).hint(hint)
    }
}

impl From<ContextError> for CommandError {
    fn from(error: ContextError) -> Self {
        Self::new(Kind::Usage, error.to_string())
            .hint("\"retriever explore QUERY\" prints places with their IDs")
    }
}
