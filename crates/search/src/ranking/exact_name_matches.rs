//! Answers a query that is nothing but a name: the declarations of that name come first, before all uses of it; a file
//! of that name comes before fields. Of several declarations, a type comes before its members, a function before a
//! value, one in a file of that name before others, and a public original before what is private, internal, a copy, a
//! test or generated.

use std::collections::BTreeSet;

use super::{
    candidate_pool::{ScoredCandidate, ScoredPool, sort},
    passage_scorer::PassageScorer,
};
use crate::{
    candidate::Candidate,
    declarations,
    query::{NameQuery, own_part},
    retrieval_channels::GraphForSearch,
    score_parts::ScorePart,
    words,
};
use retriever_graph::{Node, NodeKind};
use retriever_workspace::{RepoPath, Workspace, base_name};

/// Declarations that lead.
const MAX_LEADING: usize = 5;
/// Declarations that the graph adds.
const MAX_ADDED: usize = 40;
/// Points between two places that lead.
const STEP: f64 = 0.01;

/// The evidence for a declaration, by weight. Each outweighs the sum of those below it.
const SAME_NAME: u32 = 1 << 12;
const QUALIFIED: u32 = 1 << 11;
const PRIMARY: u32 = 1 << 10;
const TYPE: u32 = 1 << 9;
const NO_VALUE: u32 = 1 << 8;
const NO_FIELD: u32 = 1 << 7;
const SAME_FILE_NAME: u32 = 1 << 6;
const NOT_INTERNAL: u32 = 1 << 5;
const DEFINED: u32 = 1 << 4;
const OUTERMOST: u32 = 1 << 3;
const PUBLIC: u32 = 1 << 2;
/// Whether it declares the name in any case style; weighs nothing by itself.
const DECLARES: u32 = 1;

/// Puts the declarations of `name` first; the graph adds those in files that no word led to. Candidates that only contain
/// `name` as a word of grammar are removed.
pub(crate) fn lead_with_named(
    name: &NameQuery,
    graph: Option<&GraphForSearch<'_>>,
    workspace: &Workspace,
    scorer: &PassageScorer<'_>,
    pool: &mut ScoredPool,
) {
    if let Some(graph) = graph {
        add_from_graph(name, graph, workspace, scorer, pool);
    }
    if name.is_grammar {
        pool.retain(|scored| evidence(name, &scored.candidate, graph) & DECLARES != 0);
    }
    let best = pool.iter().map(|scored| scored.total()).fold(0.0, f64::max);
    let mut files: BTreeSet<&RepoPath> = BTreeSet::new();
    let mut leading: Vec<(u32, u32, usize)> = pool
        .iter()
        .enumerate()
        .filter_map(|(at, scored)| {
            let candidate = &scored.candidate;
            let is_first_of_file = files.insert(&candidate.file.path);
            let evidence = evidence(name, candidate, graph);
            let is_telling =
                evidence & DECLARES != 0 || is_first_of_file && evidence & SAME_FILE_NAME != 0;
            is_telling.then(|| (evidence, width(candidate), at))
        })
        .collect();
    // The wider one is the definition rather than its announcement.
    leading.sort_by(|a, b| (b.0, b.1).cmp(&(a.0, a.1)).then(a.2.cmp(&b.2)));
    leading.truncate(MAX_LEADING);
    for (rank, (evidence, _, at)) in leading.iter().rev().enumerate() {
        let score = &mut pool[*at].candidate.score;
        let lead = best + STEP * (rank + 1) as f64;
        let is_first = rank + 1 == leading.len() && evidence & DECLARES != 0;
        score.add(
            if is_first { ScorePart::AskedFor } else { ScorePart::Declares },
            lead - score.total(),
        );
    }
    sort(pool);
}

/// Adds the definitions of `name` that are not in the pool.
fn add_from_graph(
    name: &NameQuery,
    graph: &GraphForSearch<'_>,
    workspace: &Workspace,
    scorer: &PassageScorer<'_>,
    pool: &mut ScoredPool,
) {
    // A part of a wide declaration may stand at the line of another one.
    let place = |candidate: &Candidate| {
        let symbol = candidate.symbols.first()?;
        name.is_of(&symbol.name).then(|| (candidate.file.path.clone(), symbol.line))
    };
    let mut known: BTreeSet<(RepoPath, u32)> =
        pool.iter().filter_map(|scored| place(&scored.candidate)).collect();
    // A common name may have more definitions than are added: those that the qualifiers fit come first.
    let nodes = graph.code_graph.named(&name.own.to_lowercase()).into_iter();
    let mut nodes: Vec<&Node> = nodes.filter_map(|id| graph.code_graph.node(id)).collect();
    if !name.qualifiers.is_empty() {
        nodes.sort_by_cached_key(|node| !is_qualified(name, &node.qname, &node.path));
    }
    let unknown = nodes.into_iter().filter_map(|node| {
        let path = workspace.normalize(&node.path).ok()?;
        known.insert((path.clone(), node.name_line)).then_some((path, node))
    });
    for (path, node) in unknown.take(MAX_ADDED) {
        let file = scorer.texts.read(&path).filter(|file| !file.is_minified());
        let Some(file) = file else { continue };
        let Some(mut candidate) = scorer.of_definition(&file, node) else { continue };
        candidate.provenance.push(format!("name \"{}\"", name.own));
        pool.push(ScoredCandidate::bare(candidate));
    }
}

/// Returns the evidence that `name` means a candidate.
fn evidence(name: &NameQuery, candidate: &Candidate, graph: Option<&GraphForSearch<'_>>) -> u32 {
    let (full, kind) = candidate.symbols.first().map_or(("", ""), |it| (&it.name, &it.kind));
    let own = own_part(full);
    let wanted = words::normalized(&name.own);
    let declares = name.is_of(full);
    let node = graph
        .filter(|_| declares)
        .and_then(|graph| graph.code_graph.node(graph.node_of(candidate)?));
    let path = candidate.file.path.as_str();
    let (folders, file_name) = path.rsplit_once('/').unwrap_or(("", path));
    let of_file = words::normalized(base_name(file_name));
    let qname = node.map_or(full, |node| &node.qname);
    let is_type = declarations::is_type(kind) || declarations::is_plain_type(kind);
    let is_type = is_type && !matches!(kind, "impl" | "instance" | "extension" | "macro");
    let is_field = node.map_or(matches!(kind, "field" | "property" | "variant"), |node| {
        matches!(node.kind, NodeKind::Field | NodeKind::Variant)
    });
    let is_variable = node.map_or(matches!(kind, "variable" | "var" | "val" | "let"), |node| {
        node.kind == NodeKind::Variable
    });
    let is_member = is_field || node.is_some_and(|node| node.is_method) || kind == "method";
    // `mod parser;`: the module is a file of its own.
    let is_other_file = kind == "mod" && width(candidate) == 1;
    let is_announced = node.map_or(is_other_file, |node| node.is_declaration);
    let is_internal = folders.split('/').any(is_internal_folder);
    let marks = [
        (declares, DECLARES),
        (if declares { own == name.own } else { of_file == wanted }, SAME_NAME),
        (is_qualified(name, qname, path), QUALIFIED),
        (!candidate.is_secondary() && !candidate.file.traits.generated, PRIMARY),
        (declares && is_type && !is_announced, TYPE),
        // Others are asked for before a variable of their name, such as an import of them.
        (declares && !is_field && !is_variable, NO_VALUE),
        (declares && !is_field, NO_FIELD),
        (of_file == wanted, SAME_FILE_NAME),
        (!is_internal, NOT_INTERNAL),
        (!is_announced, DEFINED),
        (!is_member, OUTERMOST),
        (!node.is_some_and(|node| node.is_private), PUBLIC),
    ];
    marks.iter().filter(|(holds, _)| *holds).map(|(_, weight)| weight).sum()
}

/// Whether a full name and a path have every qualifier of `name`.
fn is_qualified(name: &NameQuery, qname: &str, path: &str) -> bool {
    let parts = qname.split(|c: char| !is_name_char(c)).chain(path.split(['/', '.']));
    let around: BTreeSet<String> = parts.map(words::normalized).collect();
    name.qualifiers.iter().all(|part| around.contains(&words::normalized(part)))
}

fn width(candidate: &Candidate) -> u32 {
    candidate.range.map_or(0, |range| range.width())
}

fn is_name_char(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Whether a folder says that its content is not for others, or is an earlier version.
pub(super) fn is_internal_folder(folder: &str) -> bool {
    let is_version = folder
        .strip_prefix('v')
        .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()));
    is_version
        || folder.starts_with('_')
        || matches!(
            folder.to_ascii_lowercase().as_str(),
            "internal"
                | "internals"
                | "private"
                | "impl"
                | "detail"
                | "details"
                | "legacy"
                | "deprecated"
                | "compat"
        )
}
