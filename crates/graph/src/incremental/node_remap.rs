//! Nodes that an edit gives other numbers: a declaration that is put in before others moves them. Edges that arrive at them
//! from files that are not resolved again follow; an edge that can't is found again by resolving its file.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    facts::FileFacts,
    incremental::declaration_diff::successors,
    resolve::order,
    store::{
        Key, StoreError,
        records::{OutgoingEdge, OutgoingEdges},
    },
};

/// By file, the new number of each old node; `None` for one that is gone.
pub(super) type NodeRemap = BTreeMap<Key, Vec<Option<u32>>>;

/// Where the nodes of a file have gone; `None` when each has the number it had.
pub(super) fn moved(old: &FileFacts, new: &FileFacts) -> Option<Vec<Option<u32>>> {
    let mut numbers = vec![None; new.defs.len()];
    for (place, def) in (1..).zip(order(new)) {
        numbers[def.index()] = Some(place);
    }
    let heirs = successors(old, new);
    let own = std::iter::once(Some(0));
    let place = |def: crate::facts::DefId| numbers[heirs[def.index()]?.index()];
    let places: Vec<Option<u32>> = own.chain(order(old).into_iter().map(place)).collect();
    let stays = (0..).zip(&places).all(|(old, new)| *new == Some(old));
    (!stays).then_some(places)
}

/// The edge with the numbers that its ends have now; `home` is the file that it starts in. `None` if an end is gone.
pub(super) fn follow(
    moves: &NodeRemap,
    home: Option<Key>,
    mut edge: OutgoingEdge,
) -> Option<OutgoingEdge> {
    if let Some(places) = moves.get(&edge.target) {
        edge.to = places.get(edge.to as usize).copied().flatten()?;
    }
    if let Some(places) = home.and_then(|home| moves.get(&home)) {
        edge.from = places.get(edge.from as usize).copied().flatten()?;
    }
    Some(edge)
}

/// The files in which edges were found that start in `home` and can't follow.
pub(super) fn lost(
    moves: &NodeRemap,
    home: Key,
    departures: &OutgoingEdges,
) -> Result<BTreeSet<Key>, StoreError> {
    let edges = departures.edges()?;
    let loses =
        |edges: &[OutgoingEdge]| edges.iter().any(|e| follow(moves, Some(home), *e).is_none());
    let found = edges.foreign.iter().filter(|(_, edges)| loses(edges)).map(|(key, _)| *key);
    let mut found: BTreeSet<Key> = found.collect();
    if loses(&edges.own) {
        found.insert(home);
    }
    Ok(found)
}
