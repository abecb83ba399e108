//! The files that an eval reads and writes: suites, earlier results, new results. The user names all of them on the
//! command line.

use std::{
    collections::BTreeSet,
    io,
    path::{Path, PathBuf},
};

use retriever_eval::{CaseResult, EvalReport, Suite};
use serde::Serialize;

use super::{CasesArgs, CommandError, CommandErrorKind};

/// Reads the suites of `args`, cut to the cases that it names.
pub(super) fn suites(args: &CasesArgs) -> Result<Vec<Suite>, CommandError> {
    let mut suites = args.suites.iter().map(|path| suite(path)).collect::<Result<Vec<_>, _>>()?;
    let names: BTreeSet<&str> = suites.iter().map(|suite| suite.name.as_str()).collect();
    if names.len() < suites.len() {
        return Err(CommandError::new(
            CommandErrorKind::Usage,
            "two suites have the same file name",
        )
        .hint("results tell suites apart by name: rename one file"));
    }
    if !corpora(args).is_dir() {
        let message = format!("there is no folder {}", corpora(args).display());
        return Err(CommandError::new(CommandErrorKind::Usage, message)
            .hint("--corpora takes the folder that holds the checkouts"));
    }
    retain_named(&mut suites, &args.case)?;
    Ok(suites)
}

/// Returns the folder of checkouts, which is a required argument.
pub(super) fn corpora(args: &CasesArgs) -> &Path {
    args.corpora.as_deref().unwrap_or(Path::new(""))
}

fn suite(path: &Path) -> Result<Suite, CommandError> {
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    let text = read(path, "SUITE takes a file of cases, one JSON object per line")?;
    Ok(Suite::parse(&name, &path.display().to_string(), &text))
}

/// Keeps the cases with the IDs `named`, or all cases when it is empty.
fn retain_named(suites: &mut [Suite], named: &[String]) -> Result<(), CommandError> {
    if named.is_empty() {
        return Ok(());
    }
    let known = |id: &String| suites.iter().any(|suite| suite.cases.iter().any(|c| c.id == *id));
    if let Some(id) = named.iter().find(|id| !known(id)) {
        return Err(CommandError::new(
            CommandErrorKind::Usage,
            format!("no suite has a case {id}"),
        )
        .hint("--case takes the \"id\" of a case"));
    }
    suites.iter_mut().for_each(|suite| suite.cases.retain(|case| named.contains(&case.id)));
    Ok(())
}

/// Reads the results of an earlier run.
pub(super) fn earlier_results(path: &Path) -> Result<Vec<CaseResult>, CommandError> {
    let hint = "--baseline takes a file that --out has written";
    let report: EvalReport = serde_json::from_str(&read(path, hint)?).map_err(|error| {
        let message = format!("{} is not a result of eval: {error}", path.display());
        CommandError::new(CommandErrorKind::Usage, message).hint(hint)
    })?;
    Ok(report.results)
}

#[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
pub(super) fn read(path: &Path, hint: &str) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot read {}: {error}", path.display()),
        )
        .hint(hint)
    })
}

/// Writes `report` as indented JSON.
pub(super) fn write_json(path: &Path, report: &impl Serialize) -> Result<(), CommandError> {
    let text = serde_json::to_string_pretty(report)
        .map_err(|error| CommandError::new(CommandErrorKind::Internal, error.to_string()))?;
    write(path, &(text + "\n"))
}

/// Writes a file atomically, through a temporary file in the same folder.
pub(super) fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(".new");
    let temporary = PathBuf::from(temporary);
    #[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
    let written = std::fs::write(&temporary, text);
    written
        .and_then(|()| std::fs::rename(&temporary, path))
        .map_err(|error| write_error(path, &error))
}

pub(super) fn write_error(path: &Path, error: &io::Error) -> CommandError {
    CommandError::new(CommandErrorKind::Usage, format!("cannot write {}: {error}", path.display()))
        .hint("--out and --html take the path of a file that can be written")
}
