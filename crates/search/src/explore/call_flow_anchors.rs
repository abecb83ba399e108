//! Anchors: the functions between which a flow is searched. These are the functions that the query names, and those that
//! fit it best.

use std::collections::{BTreeMap, BTreeSet};

use super::{main_call_path::CallFlowAnchor, symbol_table::SymbolTable};
use crate::query::{ParsedQuery, TermForm};
use retriever_graph::NodeId;

/// Functions of one name that are anchors: when their type is named, too, and when not.
const MAX_OF_QUALIFIED_NAME: usize = 8;
const MAX_OF_NAME: usize = 3;
/// Names that are looked up.
const MAX_NAMES: usize = 16;
/// Relative score that an anchor needs that is not named.
const MIN_RELEVANCE: f64 = 0.4;

/// Returns the anchors, named ones first. `ranked` are the nodes of the results with their scores relative to the best,
/// best first.
pub(super) fn anchors(
    symbols: &SymbolTable<'_>,
    query: &ParsedQuery,
    ranked: &[(NodeId, f64)],
) -> Vec<CallFlowAnchor> {
    let relevance: BTreeMap<NodeId, f64> = ranked.iter().copied().collect();
    let names: Vec<&str> = query
        .terms
        .iter()
        .filter(|term| term.form == TermForm::Whole && term.is_named)
        .map(|term| term.text.as_str())
        .take(MAX_NAMES)
        .collect();
    let mut taken: BTreeSet<NodeId> = BTreeSet::new();
    let mut anchors = Vec::new();
    for (name, number) in names.iter().zip(0..) {
        for node in functions_named(symbols, name, &names, &relevance) {
            if taken.insert(node) {
                let relevance = relevance.get(&node).copied().unwrap_or_default();
                anchors.push(CallFlowAnchor { node, name: Some(number), relevance });
            }
        }
    }
    let fitting = ranked.iter().filter(|(node, relevance)| {
        *relevance >= MIN_RELEVANCE && symbols.is_function(*node) && !symbols.is_aside(*node)
    });
    for (node, relevance) in fitting {
        if taken.insert(*node) {
            anchors.push(CallFlowAnchor { node: *node, name: None, relevance: *relevance });
        }
    }
    anchors
}

/// Returns the functions that a name refers to: those whose type is named beside it, else those that are ranked, else the
/// first few. A name with capitals that is found only in another case refers to few functions or none.
fn functions_named(
    symbols: &SymbolTable<'_>,
    name: &str,
    names: &[&str],
    relevance: &BTreeMap<NodeId, f64>,
) -> Vec<NodeId> {
    let mut nodes = symbols.graph.named(&name.to_lowercase());
    nodes.retain(|node| symbols.is_function(*node) && !symbols.is_aside(*node));
    let same_case = |node: &NodeId| symbols.graph.node(*node).is_some_and(|node| node.name == name);
    if nodes.iter().any(same_case) {
        nodes.retain(same_case);
    } else if nodes.len() > MAX_OF_NAME && name.contains(char::is_uppercase) {
        return Vec::new();
    }
    let is_qualified = |node: &NodeId| {
        let owner = symbols.owner(*node).and_then(|owner| symbols.graph.node(owner));
        owner.is_some_and(|owner| names.contains(&owner.name.as_str()))
    };
    let is_ranked = |node: &NodeId| relevance.contains_key(node);
    let mut limit = MAX_OF_NAME;
    if nodes.iter().any(is_qualified) {
        nodes.retain(is_qualified);
        limit = MAX_OF_QUALIFIED_NAME;
    } else if nodes.len() > MAX_OF_NAME && nodes.iter().any(is_ranked) {
        nodes.retain(is_ranked);
    }
    let relevance_of = |node: &NodeId| relevance.get(node).copied().unwrap_or_default();
    nodes.sort_by(|a, b| relevance_of(b).total_cmp(&relevance_of(a)).then_with(|| a.cmp(b)));
    nodes.truncate(limit);
    nodes
}
