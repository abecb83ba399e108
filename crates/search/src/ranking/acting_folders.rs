//! Folders named after what acts: `readers/` has what reads. Of two files of one name, one that reads a format and one that
//! writes it, the verb of the question says which.

use crate::words;
use retriever_workspace::RepoPath;

/// Shortest word that names what acts.
const SHORTEST_ACTOR: usize = 5;

/// Whether the folders of a file are named after something that does what the question says, by its words' stems; none if they
/// are named after nothing that acts.
pub(super) fn does_what_is_asked(path: &RepoPath, asked: &[String]) -> Option<bool> {
    let (folders, _) = path.as_str().rsplit_once('/')?;
    let names: Vec<String> = words::subwords(folders);
    let verbs = names.iter().filter_map(|name| verbs_of(name));
    verbs
        .map(|verbs| verbs.iter().any(|verb| asked.contains(verb)))
        .reduce(|one, other| one || other)
}

/// Returns the stems of the verbs that a name of what acts may come from: `writ` and `write` for `writers`.
fn verbs_of(name: &str) -> Option<[String; 2]> {
    let name = name.strip_suffix('s').unwrap_or(name);
    let verb = name.strip_suffix("er").or_else(|| name.strip_suffix("or"))?;
    (name.len() >= SHORTEST_ACTOR).then(|| [words::stem(verb), words::stem(&format!("{verb}e"))])
}
