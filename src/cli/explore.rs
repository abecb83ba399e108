//! `explore` and `context`: print source sized to a query. When the root has no graph yet, it is built first, with a progress
//! bar or a note.

use retriever::{
    Retriever,
    config::{LoadedConfig, Setting},
    explore::{
        ExplorationTextFormat, ExploreError, ExploreOptions, LimitedForm, PlaceContextError,
        context_text, text,
    },
    workspace::PlaceLinkBuilder,
};
use serde::Serialize;

use super::{
    args::{ContextArgs, ExploreArgs},
    build_retriever,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
    selected_model::ModelArgs,
    terminal_prompt::piped,
    tool_result_for_terminal,
};

pub(super) fn run(context: &CommandContext<'_>, args: &ExploreArgs) -> Result<Exit, CommandError> {
    let query = match args.query.as_slice() {
        [only] if only == "-" => piped("query")?,
        words => words.join(" "),
    };
    let mut settings = settings(args.depth, args.budget);
    if args.no_adaptive {
        settings.push(Setting::flag("--no-adaptive", "explore.adaptive", false));
    }
    let loaded = context.load(&settings)?;
    let retriever = open(context, &loaded)?;
    let limit = args.limit.and_then(|limit| usize::try_from(limit).ok());
    let options = ExploreOptions { limit, ..options(context, &loaded) };
    let found = retriever.explore(&query, &options)?;
    let exit = print(context, &retriever, &found, |form| text(&found, form))?;
    if args.open {
        let first =
            found.results.first().map(|first| (first.place.path.as_str(), first.place.start));
        super::open_place(context, retriever.workspace(), first)?;
    }
    Ok(exit)
}

pub(super) fn context(
    context: &CommandContext<'_>,
    args: &ContextArgs,
) -> Result<Exit, CommandError> {
    let loaded = context.load(&settings(args.depth, args.budget))?;
    let retriever = open(context, &loaded)?;
    let ids = match &args.session {
        Some(session) => retriever.without_session_ids(session, &args.ids),
        None => args.ids.clone(),
    };
    let found = retriever.context(&ids, &options(context, &loaded))?;
    print(context, &retriever, &found, |form| context_text(&found, form))
}

/// Returns the configured options. The budget is that of the form that is printed.
fn options(context: &CommandContext<'_>, loaded: &LoadedConfig) -> ExploreOptions {
    let limited_form = match context.output.format {
        OutputFormat::Json => LimitedForm::Json,
        OutputFormat::Markdown | OutputFormat::Text => LimitedForm::Text,
    };
    ExploreOptions { limited_form, ..ExploreOptions::from(&loaded.config.explore) }
}

fn settings(depth: Option<u32>, budget: Option<u32>) -> Vec<Setting> {
    let depth = depth.map(|depth| Setting::flag("--depth", "explore.depth", i64::from(depth)));
    let budget =
        budget.map(|chars| Setting::flag("--budget", "explore.budget_chars", i64::from(chars)));
    depth.into_iter().chain(budget).collect()
}

/// Opens the retriever of the context's root without a model.
fn open(context: &CommandContext<'_>, loaded: &LoadedConfig) -> Result<Retriever, CommandError> {
    let model_args = ModelArgs { offline: true, ..ModelArgs::default() };
    let (retriever, _) = build_retriever::build(context, loaded, &model_args)?;
    if !retriever.index().has_graph() {
        let make = || super::index::refresh(context, retriever.index(), retriever.full_text());
        super::index::saying_what_takes_long(context, make)?;
    }
    Ok(retriever)
}

fn print(
    context: &CommandContext<'_>,
    retriever: &Retriever,
    found: &impl Serialize,
    text: impl Fn(ExplorationTextFormat<'_>) -> String,
) -> Result<Exit, CommandError> {
    retriever.warnings().iter().for_each(|warning| context.output.warn(warning));
    let program = tool_result_for_terminal::program(context);
    let program = program.as_deref().unwrap_or("retriever --root … --config …");
    match context.output.format {
        OutputFormat::Json => context.output.print_json(found)?,
        OutputFormat::Markdown => context.output.print(&text(ExplorationTextFormat::Markdown))?,
        OutputFormat::Text if context.output.color => {
            let address = |path: &str, line| context.address(retriever.workspace(), path, line);
            let address = Some(&address as &PlaceLinkBuilder<'_>);
            context.output.print(&text(ExplorationTextFormat::Color { program, address }))?;
        }
        OutputFormat::Text => {
            context.output.print(&text(ExplorationTextFormat::Plain { program }))?;
        }
    }
    Ok(Exit::Done)
}

impl From<ExploreError> for CommandError {
    fn from(error: ExploreError) -> Self {
        if let ExploreError::Index(error) = &error {
            return super::index::no_graph(error);
        }
        let hint = match error {
            ExploreError::EmptyQuery => "give a question, words, or names of symbols",
            ExploreError::LongQuery(_) => "give the part that says what you look for",
            _ => "leave out --budget to take the repository's own ceiling",
        };
        Self::new(CommandErrorKind::Usage, error.to_string()).hint(hint)
    }
}

impl From<PlaceContextError> for CommandError {
    fn from(error: PlaceContextError) -> Self {
        Self::new(CommandErrorKind::Usage, error.to_string())
            .hint("\"retriever explore QUERY\" prints places with their IDs")
    }
}
