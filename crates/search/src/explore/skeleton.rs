//! Skeletons: interchangeable definitions off the spine are printed as signatures only. Without a spine nothing becomes
//! a skeleton, since it is unknown what the answer depends on. If no sibling is on the spine, one is printed in full.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    main_call_path::MainCallPath,
    sibling_definitions::{SiblingDefinitions, SiblingDefinitionsKey},
    snippet::Snippet,
    symbol_table::SymbolTable,
};
use retriever_graph::{EdgeKind, NodeId};
use retriever_workspace::LineRange;

/// Members of a skeleton.
const MAX_MEMBERS: usize = 24;
/// Lines of a definition that is no longer than its skeleton.
const MAX_BRIEF: u32 = 5;

/// Gives skeletons to the snippets that are interchangeable. Snippets come best first.
pub(super) fn add_skeletons(
    snippets: &mut [Snippet],
    symbols: &SymbolTable<'_>,
    groups: &SiblingDefinitions<'_>,
    spine: &MainCallPath,
) {
    if spine.is_empty() {
        return;
    }
    let passed = spine.nodes().into_iter();
    let passed: BTreeSet<NodeId> =
        passed.flat_map(|node| [Some(node), symbols.owner(node)]).flatten().collect();
    let mut siblings: BTreeMap<usize, (NodeId, SiblingDefinitionsKey)> = BTreeMap::new();
    let mut exemplars: BTreeMap<SiblingDefinitionsKey, NodeId> = BTreeMap::new();
    for (at, snippet) in snippets.iter().enumerate() {
        let may_shrink = !snippet.on_spine && snippet.place.range.width() > MAX_BRIEF;
        let Some(node) = snippet.place.node.filter(|_| may_shrink) else { continue };
        let Some((member, group)) = groups.of(node) else { continue };
        if passed.contains(&member) || !stands_for_type(symbols, node, member, group.key) {
            continue;
        }
        siblings.insert(at, (member, group.key));
        if group.members.is_disjoint(&passed) {
            exemplars.entry(group.key).or_insert(member);
        }
    }
    let mut lines_of: BTreeMap<NodeId, u32> = BTreeMap::new();
    for (at, (member, _)) in &siblings {
        *lines_of.entry(*member).or_default() += snippets[*at].place.range.width();
    }
    let mut drawn: BTreeSet<NodeId> = BTreeSet::new();
    for (at, (member, key)) in siblings {
        // Little of a large type may be relevant, and shorter than its signatures.
        let signatures = signatures(symbols, member, key);
        let is_shorter = signatures.len() < lines_of[&member] as usize;
        if is_shorter && exemplars.get(&key) != Some(&member) {
            // A type has one skeleton, however many of its members are relevant.
            let lines = if drawn.insert(member) { signatures } else { Vec::new() };
            snippets[at].skeleton = Some(lines);
        }
    }
}

/// Whether a node is part of what makes its type, `member`, interchangeable: the type itself, what its supertype asks for,
/// and private members that serve these.
fn stands_for_type(
    symbols: &SymbolTable<'_>,
    node: NodeId,
    member: NodeId,
    key: SiblingDefinitionsKey,
) -> bool {
    let SiblingDefinitionsKey::Supertype(above) = key else { return true };
    if node == member {
        return true;
    }
    let Some(known) = symbols.graph.node(node) else { return false };
    known.is_private || functions(symbols, above).any(|(name, _)| name == known.name)
}

/// Returns the signature line of a function; of a type, its own and those of the functions that its supertype requires, or of
/// all its functions if that isn't known.
fn signatures(
    symbols: &SymbolTable<'_>,
    node: NodeId,
    key: SiblingDefinitionsKey,
) -> Vec<LineRange> {
    let required: BTreeSet<&str> = match key {
        SiblingDefinitionsKey::Supertype(above) => {
            functions(symbols, above).map(|(name, _)| name).collect()
        }
        SiblingDefinitionsKey::Registry(_) => BTreeSet::new(),
    };
    let has_required = functions(symbols, node).any(|(name, _)| required.contains(name));
    let members = functions(symbols, node);
    let members = members.filter(|(name, _)| !has_required || required.contains(name));
    let mut lines: BTreeSet<u32> = members.map(|(_, line)| line).take(MAX_MEMBERS).collect();
    lines.extend(symbols.graph.heading(node).map(|node| node.name_line));
    lines.into_iter().filter_map(LineRange::line).collect()
}

/// Returns the functions of a type, each with the line that names it.
fn functions<'a>(symbols: &'a SymbolTable<'_>, of: NodeId) -> impl Iterator<Item = (&'a str, u32)> {
    let members = symbols.graph.incoming(of).iter().filter(|edge| edge.kind == EdgeKind::Parent);
    members
        .filter(|edge| symbols.is_function(edge.from))
        .filter_map(|edge| symbols.graph.heading(edge.from))
        .map(|member| (member.name, member.name_line))
}
