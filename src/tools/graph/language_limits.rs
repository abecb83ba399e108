//! What the graph lacks for a file because of its language or its size.

use retriever_graph::{
    Graph,
    indexing::{FileOmission, Language},
    name_parts,
};
use retriever_workspace::RepoPath;

use crate::tools::ToolContext;

/// Files that are searched for a name at most: where there are more, any may have it.
const MAX_SEARCHED: usize = 16;

/// Returns a note that calls are not resolved in the language of a file.
pub(super) fn outlined_only(path: &str) -> Option<String> {
    let language = Language::of_path(path).filter(|language| language.is_outlined())?;
    let name = language.name();
    Some(format!(
        "{name} is outlined only: what calls or names a definition is not known; grep for it"
    ))
}

/// Returns a note that this build has no grammar for the language of a file.
pub(super) fn left_out(path: &str) -> Option<String> {
    let name = Language::left_out(path)?;
    Some(format!("this build has no grammar for {name}: one with the feature `more-languages` has"))
}

/// Returns a note that a file was only outlined, since it takes too much work or memory.
pub(super) fn outlined_file(graph: &Graph, path: &str) -> Option<String> {
    let omissions = graph.omissions();
    let what =
        omissions.iter().filter(|(file, _)| *file == path).find_map(|(_, what)| match what {
            FileOmission::Bodies => Some("reading it takes too much"),
            FileOmission::Syntax => Some("it could not be parsed"),
            _ => None,
        })?;
    Some(format!(
        "{path} is outlined only, since {what}: some definitions, and what calls what there, are not known; grep for it"
    ))
}

/// Returns a note on files that could not be read or resolved completely, so that `what` may be missing: those that have `name`
/// in their text, if one is given.
pub(super) fn unread(
    graph: &Graph,
    context: &ToolContext,
    name: Option<&str>,
    what: &str,
) -> Option<String> {
    let name = name.and_then(|name| name_parts(name).last().copied()).unwrap_or_default();
    let is_unread = |(file, omission): &(&str, FileOmission)| {
        matches!(omission, FileOmission::Bodies | FileOmission::Syntax | FileOmission::Edges)
            .then(|| (*file).to_owned())
    };
    let omissions = graph.omissions();
    let mut files: Vec<String> = omissions.iter().filter_map(is_unread).collect();
    files.sort();
    files.dedup();
    if files.len() <= MAX_SEARCHED {
        files.retain(|file| may_have(context, file, name));
    }
    let (first, others) = files.split_first()?;
    let others = match others.len() {
        0 => String::new(),
        1 => " and one more file".to_owned(),
        others => format!(" and {others} more files"),
    };
    Some(format!("{first}{others} could not be read or resolved in full: {what} may be missing"))
}

/// Whether the text of a file may have a name: it cannot be read, or has it.
fn may_have(context: &ToolContext, file: &str, name: &str) -> bool {
    let path = RepoPath::parse(file, "").ok();
    let text = path.and_then(|path| context.workspace.read(&path).ok());
    text.is_none_or(|file| file.text().contains(name))
}
