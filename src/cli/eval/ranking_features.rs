//! `eval features`: writes the ranking features of the places of labelled questions, as training data.

use std::{
    fs::File,
    io::{self, Write},
    path::{Path, PathBuf},
};

use retriever::{
    OpeningContext, Question, Retriever,
    search::{self, RoleCues, SearchCorpus, TrainingPool},
    workspace::Cancellation,
};
use retriever_eval::{self as eval, AnswerFailure, EvalCase};

use super::super::{
    args::RankingFeaturesArgs,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
};
use super::{
    answerer,
    cassettes::CassetteFolder,
    exit,
    in_process_answerer::{InProcessAnswerer, failed},
    plan, progress, settings, suite_and_result_files, warn,
};

/// Returns the candidates of ranking. Keeps one checkout in memory at a time.
struct Pools<'a> {
    answerer: &'a InProcessAnswerer,
    open: Option<(PathBuf, Retriever)>,
}

impl Pools<'_> {
    fn pool(&mut self, case: &EvalCase, checkout: &Path) -> Result<TrainingPool, AnswerFailure> {
        let retriever = match self.open.take().filter(|(folder, _)| folder == checkout) {
            Some((_, retriever)) => retriever,
            None => self.answerer.open(checkout, None, OpeningContext::Bare)?,
        };
        let cues = RoleCues::with(&self.answerer.config().roles).map_err(failed)?;
        let question = Question { intent: case.intent, ..Question::new(&case.question) };
        let (index, full_text) = (retriever.index(), retriever.full_text());
        let never = Cancellation::new();
        let pool = index.ask_on_walk_if_quick(&never, |walk, graph| {
            let workspace = index.workspace();
            let snapshot = full_text.snapshot(workspace, walk, &never);
            let corpus = SearchCorpus {
                workspace,
                walk,
                index: &snapshot,
                graph,
                role_cues: &cues,
                similar: None,
            };
            search::candidate_pool(&corpus, &question, &never)
        });
        self.open = Some((checkout.to_owned(), retriever));
        Ok(pool)
    }
}

/// `eval features SUITE…`.
#[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
pub(super) fn features(
    context: &CommandContext<'_>,
    args: &RankingFeaturesArgs,
) -> Result<Exit, CommandError> {
    let suites = suite_and_result_files::suites(&args.cases)?;
    let loaded = settings(context, &args.cases, None)?;
    let answerer = answerer(&loaded, None, CassetteFolder::Off)?;
    let plan = plan(&args.cases, &suites, &answerer);
    let path = args.out.as_deref().unwrap_or(Path::new(""));
    let write_failed = |error: io::Error| {
        CommandError::new(
            CommandErrorKind::Setup,
            format!("{} can't be written: {error}", path.display()),
        )
    };
    let mut out = io::BufWriter::new(File::create(path).map_err(write_failed)?);
    let line = progress(context.output.verbosity);
    line.set_length(suites.iter().map(|suite| suite.cases.len() as u64).sum());
    let mut written = Ok(());
    let on_case = |case: eval::TrainingCase| {
        line.inc(1);
        if written.is_ok() {
            written = serde_json::to_writer(&mut out, &case)
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n"));
        }
    };
    let mut pools = Pools { answerer: &answerer, open: None };
    let problems = eval::features(&plan, |case, checkout| pools.pool(case, checkout), on_case)
        .map_err(|failure| CommandError::new(CommandErrorKind::Internal, failure.message))?;
    line.finish_and_clear();
    written.and_then(|()| out.flush()).map_err(write_failed)?;
    warn(context, &problems);
    Ok(exit(&problems))
}
