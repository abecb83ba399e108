//! What a flow is looked for between: the functions that the query names, and those that fit it best.

use std::collections::{BTreeMap, BTreeSet};

use crate::explore::{spine::Anchor, symbol_table::SymbolTable};
use crate::query::parsed::{ParsedQuery, TermForm, TermKind};
use retriever_graph::NodeId;

/// Functions of one name that are ends: when their type is named, too, and when not.
const PER_FULL_NAME: usize = 8;
const PER_NAME: usize = 3;
/// Names that are looked up.
const NAMES: usize = 16;
/// What ends that only fit the query must be worth at least beside the best.
const LEAST_WORTH: f64 = 0.4;

/// Returns the anchors, named ones first. `ranked` are the nodes of the results with their worth, 0 to 1, best first.
pub(super) fn anchors(
    atlas: &SymbolTable<'_>,
    reading: &ParsedQuery,
    ranked: &[(NodeId, f64)],
) -> Vec<Anchor> {
    let worth: BTreeMap<NodeId, f64> = ranked.iter().copied().collect();
    let names: Vec<&str> = reading
        .terms
        .iter()
        .filter(|term| term.form == TermForm::Whole)
        .filter(|term| matches!(term.kind, TermKind::Identifier | TermKind::Quoted))
        .map(|term| term.text.as_str())
        .take(NAMES)
        .collect();
    let mut taken: BTreeSet<NodeId> = BTreeSet::new();
    let mut anchors = Vec::new();
    for (name, number) in names.iter().zip(0..) {
        for node in named(atlas, name, &names, &worth) {
            if taken.insert(node) {
                let worth = worth.get(&node).copied().unwrap_or_default();
                anchors.push(Anchor { node, name: Some(number), worth });
            }
        }
    }
    let fitting = ranked.iter().filter(|(node, worth)| {
        *worth >= LEAST_WORTH && atlas.is_function(*node) && !atlas.is_aside(*node)
    });
    for (node, worth) in fitting {
        if taken.insert(*node) {
            anchors.push(Anchor { node: *node, name: None, worth: *worth });
        }
    }
    anchors
}

/// The functions that a name means: those whose type is named beside it, else those that fit, else the first few. One that is
/// written in capitals means few in other letters, or none.
fn named(
    atlas: &SymbolTable<'_>,
    name: &str,
    names: &[&str],
    worth: &BTreeMap<NodeId, f64>,
) -> Vec<NodeId> {
    let mut nodes = atlas.graph.named(&name.to_lowercase());
    nodes.retain(|node| atlas.is_function(*node) && !atlas.is_aside(*node));
    let spelled = |node: &NodeId| atlas.graph.node(*node).is_some_and(|node| node.name == name);
    if nodes.iter().any(spelled) {
        nodes.retain(spelled);
    } else if nodes.len() > PER_NAME && name.contains(char::is_uppercase) {
        return Vec::new();
    }
    let owned = |node: &NodeId| {
        let owner = atlas.owner(*node).and_then(|owner| atlas.graph.node(owner));
        owner.is_some_and(|owner| names.contains(&owner.name.as_str()))
    };
    let fits = |node: &NodeId| worth.contains_key(node);
    let mut most = PER_NAME;
    if nodes.iter().any(owned) {
        nodes.retain(owned);
        most = PER_FULL_NAME;
    } else if nodes.len() > PER_NAME && nodes.iter().any(fits) {
        nodes.retain(fits);
    }
    let value = |node: &NodeId| worth.get(node).copied().unwrap_or_default();
    nodes.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| a.cmp(b)));
    nodes.truncate(most);
    nodes
}
