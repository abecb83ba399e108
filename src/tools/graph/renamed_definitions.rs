//! Definitions by a name that only an import or an export of the repository gives: `export { start as begin }`.

use std::collections::BTreeSet;

use retriever_graph::{Graph, LookupTarget, NameLookup, NodeHeader, indexing::RenamedName};

use super::{
    GraphOperation,
    external_name_uses::ImportedNames,
    graph_question::{GraphQuestion, MAX_FILES},
};

/// Names behind each other that lead to one definition.
const MAX_HOPS: usize = 4;

/// Another name, with the file that gives it.
struct Given<'a> {
    path: &'a str,
    renamed: &'a RenamedName,
}

/// The full names of what a question names otherwise.
pub(super) struct OwnNames {
    pub(super) target: Option<String>,
    pub(super) to: Option<String>,
}

/// Returns the full names of the definitions that `question` names by an alias of an import or an export of the repository;
/// `None` if it has no such name.
pub(super) fn own_names(
    imported: &ImportedNames<'_>,
    question: &GraphQuestion<'_>,
) -> Option<OwnNames> {
    let graph = imported.graph;
    // The target of these is no definition.
    let is_of_other =
        matches!(question.operation, GraphOperation::Search | GraphOperation::Symbols);
    if is_of_other || graph.file_count() > MAX_FILES {
        return None;
    }
    let is_unknown = |name: &&str| {
        let target = LookupTarget { name, ..LookupTarget::default() };
        // A member or a place is no name that an import gives.
        !name.contains(['.', ':', '/', '#'])
            && matches!(graph.lookup_all(target), NameLookup::Nothing { .. })
    };
    let target = Some(question.target).filter(is_unknown);
    let to = question.to.filter(is_unknown);
    if target.is_none() && to.is_none() {
        return None;
    }
    let own = |name: &str| own_name(imported, name);
    let names = OwnNames { target: target.and_then(own), to: to.and_then(own) };
    (names.target.is_some() || names.to.is_some()).then_some(names)
}

/// Returns the full name of the only definition that files give another name.
fn own_name(imported: &ImportedNames<'_>, name: &str) -> Option<String> {
    let given = imported
        .of_files()
        .iter()
        .flat_map(|(path, names)| names.renamed.iter().map(move |renamed| Given { path, renamed }));
    let all: Vec<Given<'_>> = given.collect();
    let mut names = BTreeSet::from([name.to_owned()]);
    let mut known = BTreeSet::new();
    for _ in 0..MAX_HOPS {
        let mut further = BTreeSet::new();
        let is_meant = |it: &&Given<'_>| {
            names.contains(&it.renamed.name)
                && (it.renamed.is_relative
                    || !imported.is_module_outside(it.path, &it.renamed.module))
        };
        for it in all.iter().filter(is_meant) {
            match defined(imported.graph, it) {
                Some(qname) => drop(known.insert(qname)),
                None => drop(further.insert(it.renamed.own.clone())),
            }
        }
        if !known.is_empty() || further.is_empty() {
            break;
        }
        names = further;
    }
    let first = known.pop_first()?;
    known.is_empty().then_some(first)
}

/// Returns the full name of the definition that is renamed: the only one of its name in the module, or at all.
fn defined(graph: &Graph, given: &Given<'_>) -> Option<String> {
    let RenamedName { own, module, .. } = given.renamed;
    let parts: Vec<&str> = module.iter().map(String::as_str).chain([own.as_str()]).collect();
    let file = module.is_empty().then_some(given.path);
    (0..parts.len()).find_map(|first| {
        let name = parts[first..].join(".");
        let target = LookupTarget { name: &name, file, ..LookupTarget::default() };
        let NameLookup::One(id) = graph.lookup(target) else { return None };
        let is_it = |node: &NodeHeader<'_>| node.name == own;
        graph.heading(id).filter(is_it).map(|node| node.qname.to_owned())
    })
}
