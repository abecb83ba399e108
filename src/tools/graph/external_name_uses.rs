//! What the repository uses of a name that it doesn't define but imports from elsewhere: who calls it, extends it, or has it
//! as a type.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use retriever_graph::{
    EdgeKind, EdgeResolution, Graph, LookupTarget, NameLookup, NodeHeader, NodeId, NodeKind,
    indexing::{GraphIndex, ImportedNameUse},
    name_parts,
};
use retriever_workspace::{Cancellation, truncate};

use super::{
    GraphOperation,
    answer_graph_question::MAX_FILES,
    calls_without_edge::{is_outside, names_of_paths},
    graph_answer::{Definition, GraphAnswer},
    graph_output::GraphOutput,
    graph_question::GraphQuestion,
};
use crate::tools::ToolOutcome;

/// The name of what a module exports without one: nobody writes it behind the module's.
const DEFAULT_EXPORT: &str = "default";
/// Other modules that are named.
const MAX_MODULES: usize = 4;

/// What the files of a graph use of their imports, read when it is first asked for.
pub(super) struct ImportedNames<'a> {
    pub(super) graph: &'a Graph,
    pub(super) index: &'a GraphIndex,
    pub(super) cancellation: &'a Cancellation,
    of_files: OnceCell<Vec<(String, Vec<ImportedNameUse>)>>,
}

impl<'a> ImportedNames<'a> {
    pub(super) const fn new(
        graph: &'a Graph,
        index: &'a GraphIndex,
        cancellation: &'a Cancellation,
    ) -> Self {
        Self { graph, index, cancellation, of_files: OnceCell::new() }
    }

    fn of_files(&self) -> &[(String, Vec<ImportedNameUse>)] {
        self.of_files
            .get_or_init(|| self.index.uses_of_imported_names(self.graph, self.cancellation))
    }
}

/// Returns `unknown`, the answer to a question about a name that nothing here defines, or what uses the name if it is imported
/// from outside.
pub(super) fn answer(
    imported: &ImportedNames<'_>,
    question: &GraphQuestion<'_>,
    unknown: GraphOutput,
) -> GraphOutput {
    if imported.graph.file_count() > MAX_FILES {
        return unknown;
    }
    if is_of_other_case(&unknown, question) {
        let name = truncate(question.target, 120);
        let none = format!("no definition is named {name:?}");
        let none = GraphOutput::sentence(ToolOutcome::NoMatch, none);
        let found = answer(imported, question, none);
        return if found.outcome == ToolOutcome::NoMatch { unknown } else { found };
    }
    if leaves_open(&unknown) { uses_from_outside(imported, question, unknown) } else { unknown }
}

/// Returns what uses a name that is imported from outside, or `unknown`.
fn uses_from_outside(
    imported: &ImportedNames<'_>,
    question: &GraphQuestion<'_>,
    unknown: GraphOutput,
) -> GraphOutput {
    let graph = imported.graph;
    let (verb, is_asked): (&str, fn(EdgeKind) -> bool) = match question.operation {
        GraphOperation::Callers => ("call", |kind| kind == EdgeKind::Calls),
        GraphOperation::Inheritors | GraphOperation::Implementations => {
            ("extend", |kind| matches!(kind, EdgeKind::Inherits | EdgeKind::Implements))
        }
        GraphOperation::Usages => ("use", |_| true),
        _ => return unknown,
    };
    let uses = uses(imported, question, &unknown);
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
    imported: &ImportedNames<'_>,
    question: &GraphQuestion<'_>,
    unknown: &GraphOutput,
) -> Option<String> {
    let graph = imported.graph;
    // The target of these is no definition, or a way from it is asked for.
    let is_of_other = matches!(
        question.operation,
        GraphOperation::Trace | GraphOperation::Search | GraphOperation::Symbols
    );
    let is_unknown = unknown.outcome == ToolOutcome::NoMatch && unknown.target.is_none();
    if is_of_other || !is_unknown || graph.file_count() > MAX_FILES {
        return None;
    }
    let sites = imported.of_files().iter().flat_map(|(_, uses)| uses);
    let mut renamed = sites
        .filter(|site| site.word == question.target && !site.is_of_value)
        .filter(|site| site.names.last().is_some_and(|own| *own != site.word))
        .peekable();
    renamed.peek()?;
    let names_here = names_of_paths(graph);
    let paths: BTreeSet<Vec<&str>> = renamed
        .filter(|site| !is_outside(&names_here, site))
        .map(|site| site.module.iter().chain(&site.names).map(String::as_str).collect())
        .collect();
    let mut known = BTreeSet::new();
    for parts in paths {
        known.extend((0..parts.len()).find_map(|first| {
            let name = parts[first..].join(".");
            let target = LookupTarget { name: &name, ..LookupTarget::default() };
            let NameLookup::One(id) = graph.lookup(target) else { return None };
            let is_it = |node: &NodeHeader<'_>| Some(&node.name) == parts.last();
            graph.heading(id).filter(is_it).map(|node| node.qname.to_owned())
        }));
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
    imported: &ImportedNames<'_>,
    question: &GraphQuestion<'_>,
    unknown: &GraphOutput,
) -> Vec<(String, ImportedNameUse)> {
    let wanted = name_parts(question.target.trim());
    let is_meant = |site: &&ImportedNameUse| {
        let is_foreign = site.module.first().is_some_and(|module| !module.starts_with('.'));
        let parts = site.module.iter().chain(&site.names).map(String::as_str);
        let parts: Vec<&str> = parts.filter(|part| *part != DEFAULT_EXPORT).collect();
        let is_named = name_parts(&parts.join(".")).ends_with(&wanted);
        is_foreign && (is_named || wanted == [site.word.as_str()])
    };
    let of_files = imported
        .of_files()
        .iter()
        .filter(|(path, _)| question.file.is_none_or(|file| path.contains(file)))
        .filter(|(path, _)| unknown.target.as_ref().is_none_or(|target| target.path == *path));
    let mut found: Vec<(String, ImportedNameUse)> = of_files
        .flat_map(|(path, uses)| {
            uses.iter().filter(is_meant).map(move |site| (path.clone(), site.clone()))
        })
        .collect();
    found.sort();
    found
}

/// Returns the definition that a use stands in.
fn user(graph: &Graph, path: &str, site: &ImportedNameUse) -> Option<(NodeId, Definition)> {
    let id = NodeId(graph.nodes_of(path).start.checked_add(site.from)?);
    Some((id, Definition::of(graph.node(id)?)))
}
