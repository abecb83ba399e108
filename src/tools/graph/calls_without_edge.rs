//! Names the calls without an edge, for the notes beside a function's callees: calls that lead out of the repository,
//! with their import, and calls that were not resolved.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{
    Graph, NodeId,
    indexing::{GraphIndex, ImportedNameUse},
};
use retriever_workspace::truncate;

use super::{graph_question::GraphQuestion, repository_modules::RepositoryModules};

/// Most names in a note.
const MAX_NAMES: usize = 12;

/// Most files whose imports are read to tell what the calls in them mean.
const MAX_FILES_READ: usize = 200;

/// Names the calls of `set` without an edge.
pub(super) fn notes(
    graph: &Graph,
    index: &GraphIndex,
    set: &[NodeId],
    question: &GraphQuestion<'_>,
) -> Vec<String> {
    let (mut outside, mut unknown) = (BTreeSet::new(), BTreeSet::new());
    let calls = set.iter().flat_map(|id| graph.open_calls(*id));
    let calls = calls.filter_map(|call| Some((graph.path_of(call.from)?, call)));
    let origins = Origins::of(graph, index, calls.clone().map(|(path, _)| path), question);
    let modules = RepositoryModules::new(graph);
    for (path, call) in calls {
        let origin = origins.get(path, call.line, &call.name);
        let is_outside =
            call.outside || origin.is_some_and(|site| modules.is_from_outside(path, site));
        let names = if is_outside { &mut outside } else { &mut unknown };
        // What brings all of a module of the repository says nothing of a name that is not in it.
        let origin =
            origin.filter(|site| !site.is_of_all || modules.is_outside(path, &site.module));
        names.insert(in_words(&call.name, origin));
    }
    // A name that some calls find outside needs no second mention.
    unknown.retain(|name| !outside.contains(name));
    let outside =
        say(&outside, "name from outside the repository", "names from outside the repository");
    let unknown = say(&unknown, "name that was not resolved", "names that were not resolved");
    outside.into_iter().chain(unknown).collect()
}

/// Leaves out the calls by a name that an import brings from outside the repository. Calls in very many files are not looked at.
pub(super) fn drop_imported(
    graph: &Graph,
    index: &GraphIndex,
    calls: &mut Vec<(&str, u32)>,
    name: &str,
    question: &GraphQuestion<'_>,
) {
    let files: BTreeSet<&str> = calls.iter().map(|(path, _)| *path).collect();
    if files.len() > MAX_FILES_READ {
        return;
    }
    let modules = RepositoryModules::new(graph);
    let origins = Origins::of(graph, index, files.into_iter(), question);
    calls.retain(|(path, line)| {
        !origins.get(path, *line, name).is_some_and(|site| modules.is_from_outside(path, site))
    });
}

/// The import of each name in some files, by line and word; `None` where several imports of whole modules may bring it.
struct Origins {
    by_path: BTreeMap<String, BTreeMap<(u32, String), Option<ImportedNameUse>>>,
}

impl Origins {
    fn of<'p>(
        graph: &Graph,
        index: &GraphIndex,
        paths: impl Iterator<Item = &'p str>,
        question: &GraphQuestion<'_>,
    ) -> Self {
        let (paths, cancellation) = (paths.collect(), &question.context.cancellation);
        let mut by_path: BTreeMap<String, BTreeMap<_, _>> = BTreeMap::new();
        for (path, uses) in index.uses_of_imported_names_in(graph, &paths, cancellation) {
            let of_file = by_path.entry(path).or_default();
            for site in uses.into_iter().filter(|site| !site.module.is_empty()) {
                let place = (site.line, site.word.clone());
                let known = of_file.entry(place).or_insert_with(|| Some(site.clone()));
                if known.as_ref().is_some_and(|known| known.module != site.module) {
                    *known = None;
                }
            }
        }
        Self { by_path }
    }

    fn get(&self, path: &str, line: u32, word: &str) -> Option<&ImportedNameUse> {
        self.by_path.get(path)?.get(&(line, word.to_owned()))?.as_ref()
    }
}

/// Returns a name with its import: `Thread from threading`, `get of requests.Session`.
fn in_words(name: &str, origin: Option<&ImportedNameUse>) -> String {
    let name = truncate(name, 40);
    let Some(site) = origin else { return name };
    let owners = site.names.len().saturating_sub(1);
    if site.is_of_value && owners > 0 {
        let path = site.module.iter().chain(&site.names[..owners]).map(String::as_str);
        return format!("{name} of {}", truncate(&path.collect::<Vec<_>>().join("."), 80));
    }
    format!("{name} from {}", truncate(&site.module.join("."), 80))
}

fn say(names: &BTreeSet<String>, one: &str, many: &str) -> Option<String> {
    let shown: Vec<&str> = names.iter().take(MAX_NAMES).map(String::as_str).collect();
    let more = if names.len() > shown.len() { " …" } else { "" };
    let what = if names.len() == 1 { one } else { many };
    let count = names.len();
    (count > 0).then(|| format!("also calls {count} {what}: {}{more}", shown.join(", ")))
}
