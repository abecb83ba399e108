//! What a flow is looked for between: the functions that the query names, and those that fit it best.

use std::collections::{BTreeMap, BTreeSet};

use super::{atlas::Atlas, spine::Anchor};
use crate::{
    graph::NodeId,
    recon::{Reading, TermForm, TermKind},
};

/// Functions of one name that are ends.
const PER_NAME: usize = 3;
/// Names that are looked up.
const NAMES: usize = 16;
/// Ends that only fit the query, and what they must be worth at least beside the best.
const RANKED: usize = 18;
const LEAST_WORTH: f64 = 0.4;
/// What a named end is worth beside the best ranked one.
const NAMED_WORTH: f64 = 2.0;

/// Returns the anchors, named ones first. `ranked` are the nodes of the results with their worth, 0 to 1, best first.
pub(super) fn anchors(
    atlas: &Atlas<'_>,
    reading: &Reading,
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
    for name in &names {
        for node in named(atlas, name, &names, &worth) {
            if taken.insert(node) {
                let worth = NAMED_WORTH + worth.get(&node).copied().unwrap_or_default();
                anchors.push(Anchor { node, named: true, worth });
            }
        }
    }
    let fitting = ranked.iter().filter(|(node, worth)| {
        *worth >= LEAST_WORTH && atlas.is_function(*node) && !atlas.is_aside(*node)
    });
    for (node, worth) in fitting.take(RANKED) {
        if taken.insert(*node) {
            // A chain through the best wins over a longer one of the middling.
            anchors.push(Anchor { node: *node, named: false, worth: worth.powi(4) });
        }
    }
    anchors
}

/// The functions that a name means: those whose type is named beside it, else those that fit, else the first few.
fn named(
    atlas: &Atlas<'_>,
    name: &str,
    names: &[&str],
    worth: &BTreeMap<NodeId, f64>,
) -> Vec<NodeId> {
    let mut nodes = atlas.graph.named(&name.to_lowercase());
    nodes.retain(|node| atlas.is_function(*node) && !atlas.is_aside(*node));
    let spelled = |node: &NodeId| atlas.graph.node(*node).is_some_and(|node| node.name == name);
    if nodes.iter().any(spelled) {
        nodes.retain(spelled);
    }
    let owned = |node: &NodeId| {
        let owner = atlas.owner(*node).and_then(|owner| atlas.graph.node(owner));
        owner.is_some_and(|owner| names.contains(&owner.name.as_str()))
    };
    let fits = |node: &NodeId| worth.contains_key(node);
    if nodes.iter().any(owned) {
        nodes.retain(owned);
    } else if nodes.len() > PER_NAME && nodes.iter().any(fits) {
        nodes.retain(fits);
    }
    let value = |node: &NodeId| worth.get(node).copied().unwrap_or_default();
    nodes.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| a.cmp(b)));
    nodes.truncate(PER_NAME);
    nodes
}
