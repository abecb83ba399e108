//! What the repository uses of a name that it doesn't define but imports from elsewhere: who calls it, extends it, or has it
//! as a type.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{
    EdgeKind, EdgeResolution, Graph, LookupTarget, NameLookup, NodeHeader, NodeId, NodeKind,
    indexing::{GraphIndex, ImportedNameUse},
    name_parts,
};
use retriever_workspace::truncate;

use super::{
    GraphOperation,
    graph_answer::{Definition, GraphAnswer},
    graph_output::GraphOutput,
    graph_question::GraphQuestion,
};
use crate::tools::ToolOutcome;

/// Files of a tree from which on the uses are not looked for: the facts of each would be read.
const MAX_FILES: usize = 5_000;
/// The name of what a module exports without one: nobody writes it behind the module's.
const DEFAULT_EXPORT: &str = "default";
/// Other modules that are named.
const MAX_MODULES: usize = 4;

/// Returns `unknown`, the answer to a question about a name that nothing here defines, or what uses the name if it is imported
/// from outside.
pub(super) fn answer(
    graph: &Graph,
    index: &GraphIndex,
    question: &GraphQuestion<'_>,
    unknown: GraphOutput,
) -> GraphOutput {
    if graph.file_count() > MAX_FILES {
        return unknown;
    }
    if is_of_other_case(&unknown, question) {
        let name = truncate(question.target, 120);
        let none = format!("no definition is named {name:?}");
        let none = GraphOutput::sentence(ToolOutcome::NoMatch, none);
        let found = answer(graph, index, question, none);
        return if found.outcome == ToolOutcome::NoMatch { unknown } else { found };
    }
    if leaves_open(&unknown) { uses_from_outside(graph, index, question, unknown) } else { unknown }
}

/// Returns what uses a name that is imported from outside, or `unknown`.
fn uses_from_outside(
    graph: &Graph,
    index: &GraphIndex,
    question: &GraphQuestion<'_>,
    unknown: GraphOutput,
) -> GraphOutput {
    let (verb, is_asked): (&str, fn(EdgeKind) -> bool) = match question.operation {
        GraphOperation::Callers => ("call", |kind| kind == EdgeKind::Calls),
        GraphOperation::Inheritors | GraphOperation::Implementations => {
            ("extend", |kind| matches!(kind, EdgeKind::Inherits | EdgeKind::Implements))
        }
        GraphOperation::Usages => ("use", |_| true),
        _ => return unknown,
    };
    let uses = uses(graph, index, question, &unknown);
    let Some(module) = uses.first().map(|(_, site)| site.module.join(".")) else { return unknown };
    let (uses, others): (Vec<_>, Vec<_>) =
        uses.into_iter().partition(|(_, site)| site.module.join(".") == module);
    let from = format!("imported from {}, outside of the repository", truncate(&module, 80));
    let mut answers: BTreeMap<(NodeId, EdgeKind), GraphAnswer> = BTreeMap::new();
    for (path, site) in uses.iter().filter(|(_, site)| is_asked(site.kind)) {
        let Some((id, definition)) = user(graph, path, site) else { continue };
        let answer = answers.entry((id, site.kind)).or_insert_with(|| GraphAnswer {
            relation: Some(site.kind),
            resolution: Some(EdgeResolution::Exact),
            depth: Some(1),
            site: Some(path.clone()),
            is_test: graph.is_in_test(id),
            ..GraphAnswer::of(definition)
        });
        if !answer.lines.contains(&site.line) {
            answer.lines.push(site.line);
        }
    }
    let total = answers.len();
    let answers: Vec<GraphAnswer> =
        answers.into_values().skip(question.offset).take(question.limit).collect();
    let name = truncate(question.target, 80);
    if answers.is_empty() {
        let (path, site) = &uses[0];
        return unknown.note(format!("{name} is {from}: see {path}:{}", site.line));
    }
    let more = total.saturating_sub(question.offset + answers.len());
    let outcome = if more > 0 { ToolOutcome::Truncated } else { ToolOutcome::Found };
    let who = if total == 1 { format!("1 {verb}s") } else { format!("{total} {verb}") };
    let headline = format!("{who} {name}, which is {from}");
    let shown = answers.len();
    let found = GraphOutput { answers, total, ..GraphOutput::sentence(outcome, headline) };
    let mut output = if unknown.target.is_some() { beside(unknown, found) } else { found };
    output.notes.extend(other_modules(question, &others));
    if more > 0 {
        let next = question.call_from(question.offset + shown);
        output = output.note(format!("{more} more: {next}"));
    }
    output
}

/// Returns `own`, the answer about a variable, with what uses the name that its file imports: who is in both is known for that.
fn beside(own: GraphOutput, found: GraphOutput) -> GraphOutput {
    let known: BTreeSet<(&str, u32)> =
        found.answers.iter().map(|it| (it.definition.path.as_str(), it.definition.start)).collect();
    let is_own =
        |it: &&GraphAnswer| !known.contains(&(it.definition.path.as_str(), it.definition.start));
    let kept: Vec<GraphAnswer> = own.answers.iter().filter(is_own).cloned().collect();
    let total = found.total + own.total - (own.answers.len() - kept.len());
    let headline = if kept.is_empty() {
        found.headline
    } else {
        own.headline.clone() + "; " + &found.headline
    };
    let answers = kept.into_iter().chain(found.answers).collect();
    GraphOutput { outcome: found.outcome, headline, answers, total, ..own }
}

/// Names the other modules that the name is imported from.
fn other_modules(
    question: &GraphQuestion<'_>,
    others: &[(String, ImportedNameUse)],
) -> Option<String> {
    let modules: BTreeSet<String> =
        others.iter().map(|(_, site)| truncate(&site.module.join("."), 80)).collect();
    let modules: Vec<String> = modules.into_iter().take(MAX_MODULES).collect();
    let first = modules.first()?;
    let name = truncate(question.target, 80);
    let last = name_parts(question.target).last().copied().unwrap_or_default().to_owned();
    let from = modules.join(", ");
    Some(format!("{name} is also imported from {from}: ask for {first}.{last}"))
}

/// Returns the full name of what files import as `question.target`, if the repository defines that under another name.
pub(super) fn imported_as(
    graph: &Graph,
    index: &GraphIndex,
    question: &GraphQuestion<'_>,
    unknown: &GraphOutput,
) -> Option<String> {
    let is_unknown = unknown.outcome == ToolOutcome::NoMatch && unknown.target.is_none();
    if !is_unknown || graph.file_count() > MAX_FILES {
        return None;
    }
    let of_files = index.uses_of_imported_names(graph, &question.context.cancellation);
    let mut known = BTreeSet::new();
    for (_, uses) in of_files {
        let renamed = uses.into_iter().filter(|site| {
            let own = site.names.last();
            site.word == question.target && own.is_some_and(|own| *own != site.word)
        });
        for site in renamed.filter(|site| !site.is_of_value) {
            let parts: Vec<String> = site.module.into_iter().chain(site.names).collect();
            known.extend((0..parts.len()).find_map(|first| {
                let name = parts[first..].join(".");
                let target = LookupTarget { name: &name, ..LookupTarget::default() };
                let NameLookup::One(id) = graph.lookup(target) else { return None };
                let is_it =
                    |node: &NodeHeader<'_>| Some(node.name) == parts.last().map(String::as_str);
                graph.heading(id).filter(is_it).map(|node| node.qname.to_owned())
            }));
        }
    }
    let first = known.pop_first()?;
    known.is_empty().then_some(first)
}

/// Returns whether all that was found has the name in other letters.
fn is_of_other_case(answer: &GraphOutput, question: &GraphQuestion<'_>) -> bool {
    let wanted = name_parts(question.target);
    let Some(wanted) = wanted.last() else { return false };
    let mut found = answer.target.iter().chain(&answer.candidates).peekable();
    found.peek().is_some()
        && found.all(|it| it.own_name() != *wanted && it.own_name().eq_ignore_ascii_case(wanted))
}

/// Returns whether nothing here answers: no definition has the name, or only variables do, which may hold what is imported.
fn leaves_open(answer: &GraphOutput) -> bool {
    let is_variable = |definition: &Definition| definition.kind == NodeKind::Variable;
    let mut definitions = answer.target.iter().chain(&answer.candidates);
    let is_indirect = |found: &GraphAnswer| found.relation == Some(EdgeKind::Triggers);
    let has_definition = answer.target.is_some() || !answer.candidates.is_empty();
    (has_definition || answer.outcome == ToolOutcome::NoMatch)
        && answer.answers.iter().all(is_indirect)
        && definitions.all(is_variable)
}

/// Returns the uses of imported names that the target may mean, by path. A variable holds what its own file imports.
fn uses(
    graph: &Graph,
    index: &GraphIndex,
    question: &GraphQuestion<'_>,
    unknown: &GraphOutput,
) -> Vec<(String, ImportedNameUse)> {
    let wanted = name_parts(question.target.trim());
    let is_meant = |site: &ImportedNameUse| {
        let is_foreign = site.module.first().is_some_and(|module| !module.starts_with('.'));
        let parts = site.module.iter().chain(&site.names).map(String::as_str);
        let parts: Vec<&str> = parts.filter(|part| *part != DEFAULT_EXPORT).collect();
        let is_named = name_parts(&parts.join(".")).ends_with(&wanted);
        is_foreign && (is_named || wanted == [site.word.as_str()])
    };
    let of_files = index.uses_of_imported_names(graph, &question.context.cancellation);
    let of_files = of_files
        .into_iter()
        .filter(|(path, _)| question.file.is_none_or(|file| path.contains(file)))
        .filter(|(path, _)| unknown.target.as_ref().is_none_or(|target| target.path == *path));
    let mut found: Vec<(String, ImportedNameUse)> = of_files
        .flat_map(|(path, uses)| uses.into_iter().map(move |site| (path.clone(), site)))
        .filter(|(_, site)| is_meant(site))
        .collect();
    found.sort();
    found
}

/// Returns the definition that a use stands in.
fn user(graph: &Graph, path: &str, site: &ImportedNameUse) -> Option<(NodeId, Definition)> {
    let id = NodeId(graph.nodes_of(path).start.checked_add(site.from)?);
    Some((id, Definition::of(graph.node(id)?)))
}
