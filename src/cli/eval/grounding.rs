//! `eval grounding`: runs labelled statements and reports through the validator.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

use retriever::{
    indexing::GraphIndex,
    report::FileStructure,
    search::RoleCues,
    workspace::{Cancellation, RepoPath, Workspace},
};
use retriever_eval::grounding::{GroundingReport, GroundingSuite, LabelledStatementCheckout};

use super::{
    CommandContext, CommandError, CommandErrorKind, Exit, GroundingArgs, suite_and_result_files,
};

pub(super) fn run(
    context: &CommandContext<'_>,
    args: &GroundingArgs,
) -> Result<Exit, CommandError> {
    let mut suite = read_suite(&args.suite)?;
    if let Some(half) = args.half {
        suite.retain_half(half);
    }
    let corpora = args.corpora.as_deref().unwrap_or(Path::new(""));
    let (mut statements, mut reports) = (Vec::new(), Vec::new());
    for (name, part) in suite.by_checkout() {
        let usage = |message: String| {
            CommandError::new(CommandErrorKind::Usage, format!("{name}: {message}"))
                .hint("evals/checkout.py DIR --suite grounding makes the checkouts")
        };
        let root = corpora.join(&name);
        let workspace = Workspace::open(&root, &Default::default(), &Default::default())
            .map_err(|error| usage(error.to_string()))?;
        let workspace = Arc::new(workspace);
        let structures = structures(&workspace, &part);
        let cues = RoleCues::default();
        let checkout = LabelledStatementCheckout {
            workspace: &workspace,
            cues: &cues,
            structures: &structures,
        };
        let judged = checkout.judge(&part).map_err(usage)?;
        statements.extend(judged.0);
        reports.extend(judged.1);
    }
    let report = GroundingReport::new(statements, reports);
    super::print(context, &report, args.out.as_deref(), |style| report.table(style))?;
    Ok(Exit::Done)
}

/// Returns what the code graph of a checkout has of the files of `suite`.
fn structures(
    workspace: &Arc<Workspace>,
    suite: &GroundingSuite,
) -> BTreeMap<RepoPath, FileStructure> {
    let paths = suite.delivered_paths();
    let paths: Vec<RepoPath> =
        paths.into_iter().filter_map(|path| workspace.normalize(path).ok()).collect();
    let index = GraphIndex::new(Arc::clone(workspace), None);
    let found = index.ask(&Cancellation::new(), |graph| {
        let structure = |path: &RepoPath| FileStructure::from_graph(graph, path.as_str());
        paths.iter().map(|path| (path.clone(), structure(path))).collect()
    });
    found.unwrap_or_default()
}

/// Reads the statements of `folder` and the reports below it.
fn read_suite(folder: &Path) -> Result<GroundingSuite, CommandError> {
    let mut suite = GroundingSuite::default();
    let hint = "SUITE takes the folder of the statements, evals/grounding";
    let broken = |path: &Path, problem: String| {
        CommandError::new(CommandErrorKind::Usage, format!("{}: {problem}", path.display()))
            .hint(hint)
    };
    for path in files_of(folder, "jsonl") {
        let text = suite_and_result_files::read(&path, hint)?;
        suite.add_statements(&text).map_err(|problem| broken(&path, problem))?;
    }
    for path in files_of(&folder.join("reports"), "json") {
        let text = suite_and_result_files::read(&path, hint)?;
        suite.add_report(&text).map_err(|problem| broken(&path, problem))?;
    }
    if suite.statements.is_empty() {
        return Err(broken(folder, "there are no statements".to_owned()));
    }
    Ok(suite)
}

/// Returns the files of `folder` with this extension, sorted; none when the folder can't be read.
#[expect(clippy::disallowed_methods, reason = "the user names the folder on the command line")]
fn files_of(folder: &Path, extension: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .collect();
    files.sort();
    files
}
