//! What the repository uses of a name that it imports from elsewhere: who calls it, extends it, or has it as a type.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet},
};

use retriever_graph::{
    EdgeKind, EdgeResolution, Graph, LookupTarget, NameLookup, NodeId, NodeKind,
    indexing::{GraphIndex, ImportedNameUse, ImportedNamesOfFile},
    name_parts,
};
use retriever_workspace::{Cancellation, truncate};

use super::{
    GraphOperation,
    graph_answer::{Definition, GraphAnswer},
    graph_output::GraphOutput,
    graph_question::{GraphQuestion, MAX_FILES},
    repository_modules::RepositoryModules,
};
use crate::tools::ToolOutcome;

/// The name of an export without one, which nobody writes behind the module's name.
const DEFAULT_EXPORT: &str = "default";
/// Other modules that are named.
const MAX_MODULES: usize = 4;

/// What the files of a graph use of their imports, read when it is first asked for.
pub(super) struct ImportedNames<'a> {
    pub(super) graph: &'a Graph,
    pub(super) index: &'a GraphIndex,
    pub(super) cancellation: &'a Cancellation,
    modules: RepositoryModules<'a>,
    of_files: OnceCell<Vec<(String, ImportedNamesOfFile)>>,
}

impl<'a> ImportedNames<'a> {
    pub(super) fn new(
        graph: &'a Graph,
        index: &'a GraphIndex,
        cancellation: &'a Cancellation,
    ) -> Self {
        let modules = RepositoryModules::new(graph);
        Self { graph, index, cancellation, modules, of_files: OnceCell::new() }
    }

    /// Returns the uses of imports, and the other names that imports and exports give, by path.
    pub(super) fn of_files(&self) -> &[(String, ImportedNamesOfFile)] {
        self.of_files.get_or_init(|| self.index.imported_names(self.graph, self.cancellation))
    }

    /// Whether a module, as an import of the file at `path` writes it, is surely none of the repository.
    pub(super) fn is_module_outside(&self, path: &str, module: &[String]) -> bool {
        self.modules.is_outside(path, module)
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
    if leaves_open(&unknown, question) {
        uses_from_outside(imported, question, unknown)
    } else {
        unknown
    }
}

/// Returns the uses of a name that nothing here defines, or `unknown` if there are none. If all uses import the name from
/// outside modules, the answer is about the first of them. Otherwise the answer has all uses and names no origin.
fn uses_from_outside(
    imported: &ImportedNames<'_>,
    question: &GraphQuestion<'_>,
    unknown: GraphOutput,
) -> GraphOutput {
    let (relation, is_asked): (&str, fn(EdgeKind) -> bool) = match question.operation {
        GraphOperation::Callers => ("caller", |kind| kind == EdgeKind::Calls),
        GraphOperation::Inheritors | GraphOperation::Implementations => {
            ("inheritor", EdgeKind::is_inheritance)
        }
        GraphOperation::Usages => ("usage", |_| true),
        _ => return unknown,
    };
    let uses = uses(imported, question, &unknown);
    let proven = uses.iter().filter(|(path, site)| imported.modules.is_from_outside(path, site));
    let modules: BTreeSet<String> =
        proven.clone().map(|(_, site)| truncate(&site.module.join("."), 80)).collect();
    let is_open = proven.count() < uses.len();
    let Some((path, first)) = uses.first().map(|(path, site)| (path, site.line)) else {
        return unknown;
    };
    let name = truncate(question.target, 80);
    let from = match modules.first().filter(|_| !is_open) {
        Some(module) => format!("is imported from {module}, outside of the repository"),
        None => "has no known definition here".to_owned(),
    };
    let is_meant = |site: &ImportedNameUse| {
        is_open || modules.first() == Some(&truncate(&site.module.join("."), 80))
    };
    let asked =
        uses.iter().filter(|(_, site)| is_asked(site.kind)).filter(|(_, site)| is_meant(site));
    let answers = answers_of(imported.graph, asked);
    let total = answers.len();
    let answers: Vec<GraphAnswer> =
        answers.into_iter().skip(question.offset).take(question.limit).collect();
    if answers.is_empty() {
        return unknown.note(format!("{name} {from}: see {path}:{first}"));
    }
    let more = total.saturating_sub(question.offset + answers.len());
    let outcome = if more > 0 { ToolOutcome::Truncated } else { ToolOutcome::Found };
    let plural = if total == 1 { "" } else { "s" };
    let headline = format!("{total} {relation}{plural} of {name}, which {from}");
    let shown = answers.len();
    let found = GraphOutput { answers, total, ..GraphOutput::sentence(outcome, headline) };
    let mut output = if unknown.target.is_some() { beside(unknown, found) } else { found };
    let note =
        if is_open { some_modules(question, &modules) } else { other_modules(question, &modules) };
    output.notes.extend(note);
    if more > 0 {
        let next = question.call_from(question.offset + shown);
        output = output.note(format!("{more} more: {next}"));
    }
    output
}

/// Returns an answer for each definition and relation that uses make.
fn answers_of<'u>(
    graph: &Graph,
    uses: impl Iterator<Item = &'u (String, ImportedNameUse)>,
) -> Vec<GraphAnswer> {
    let mut answers: BTreeMap<(bool, NodeId, EdgeKind), GraphAnswer> = BTreeMap::new();
    for (path, site) in uses {
        let Some((id, definition)) = user(graph, path, site) else { continue };
        let place = (graph.is_secondary(id), id, site.kind);
        let answer = answers.entry(place).or_insert_with(|| GraphAnswer {
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
    answers.into_values().collect()
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

/// Names the modules that some uses import the name from.
fn some_modules(question: &GraphQuestion<'_>, modules: &BTreeSet<String>) -> Option<String> {
    let from = first_modules(modules.iter())?;
    Some(format!("some of them import {} from {from}", truncate(question.target, 80)))
}

/// Lists the other modules that the name is imported from.
fn other_modules(question: &GraphQuestion<'_>, modules: &BTreeSet<String>) -> Option<String> {
    let first = modules.iter().nth(1)?;
    let from = first_modules(modules.iter().skip(1))?;
    let name = truncate(question.target, 80);
    let last = name_parts(question.target).last().copied().unwrap_or_default().to_owned();
    Some(format!("{name} is also imported from {from}: ask for {first}.{last}"))
}

fn first_modules<'a>(modules: impl Iterator<Item = &'a String>) -> Option<String> {
    let names: Vec<&str> = modules.take(MAX_MODULES).map(String::as_str).collect();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns whether all that was found has the name in other letters.
fn is_of_other_case(answer: &GraphOutput, question: &GraphQuestion<'_>) -> bool {
    let wanted = name_parts(question.target);
    let Some(wanted) = wanted.last() else { return false };
    let mut found = answer.target.iter().chain(&answer.candidates).peekable();
    found.peek().is_some()
        && found.all(|it| it.own_name() != *wanted && it.own_name().eq_ignore_ascii_case(wanted))
}

/// Returns whether nothing here answers: no definition has the name, or only variables do, which may hold what is imported, or
/// other names for types, on which nothing builds.
fn leaves_open(answer: &GraphOutput, question: &GraphQuestion<'_>) -> bool {
    let is_variable = |definition: &Definition| {
        definition.kind == NodeKind::Variable
            || question.operation.asks_for_inheritors() && definition.kind == NodeKind::Alias
    };
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
    let may_be_open = may_be_undefined(imported.graph, question, unknown);
    let is_meant = |path: &str, site: &ImportedNameUse| {
        let parts = site.module.iter().chain(&site.names).map(String::as_str);
        let parts: Vec<&str> = parts.filter(|part| *part != DEFAULT_EXPORT).collect();
        let is_named = name_parts(&parts.join(".")).ends_with(&wanted);
        // What an import of everything may bring is there by itself, too.
        !site.is_of_all
            && (is_named || wanted == [site.word.as_str()])
            && (may_be_open || imported.modules.is_from_outside(path, site))
    };
    let of_files = imported
        .of_files()
        .iter()
        .filter(|(path, _)| question.file.is_none_or(|file| path.contains(file)))
        .filter(|(path, _)| unknown.target.as_ref().is_none_or(|target| target.path == *path));
    let mut found: Vec<(String, ImportedNameUse)> = of_files
        .flat_map(|(path, names)| {
            let meant = names.uses.iter().filter(|site| is_meant(path, site));
            meant.map(|site| (path.clone(), site.clone())).collect::<Vec<_>>()
        })
        .collect();
    found.sort();
    found
}

/// Whether nothing in the repository has the name, in any file and of any kind: then also a use without a known origin is one
/// of the undefined name.
fn may_be_undefined(graph: &Graph, question: &GraphQuestion<'_>, unknown: &GraphOutput) -> bool {
    let wanted = name_parts(question.target.trim());
    let target = LookupTarget { name: question.target, ..LookupTarget::default() };
    let is_spelled = |id: &NodeId| {
        graph.heading(*id).is_some_and(|node| wanted.last().is_some_and(|last| *last == node.name))
    };
    let is_defined = match graph.lookup_all(target) {
        NameLookup::One(id) => is_spelled(&id),
        NameLookup::Several { candidates, .. } => candidates.iter().any(is_spelled),
        NameLookup::Nothing { .. } => false,
    };
    !is_defined && unknown.target.is_none() && unknown.candidates.is_empty()
}

/// Returns the definition that a use stands in.
fn user(graph: &Graph, path: &str, site: &ImportedNameUse) -> Option<(NodeId, Definition)> {
    let id = NodeId(graph.nodes_of(path).start.checked_add(site.from)?);
    Some((id, Definition::of(graph.node(id)?)))
}
