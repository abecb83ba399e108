//! Brings the graph into the candidates: what the walk came close to moves up, places that no word matched join them, and
//! ranges become those of the definitions.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use crate::{
    candidate::{Call, Candidate, GraphFeatures},
    candidates::sort,
    channels::graph_expansion::{Near, Paths},
    ranking::{
        features::{FeatureVector, Found, Pool},
        files::RankedFile,
        graph_roles,
        passages::PassageScorer,
    },
};
use retriever_graph::{EdgeKind, Graph, NodeId, NodeKind};
use retriever_workspace::{LineRange, Workspace};

/// Candidates from which the walk starts.
const ROOTS: usize = 24;
/// Candidates that are looked up in the graph.
const KNOWN: usize = 150;
/// Places that the graph adds at most.
const ADDED: usize = 24;
/// First candidates that are looked at for calls of one another.
const LINKED: usize = 12;
/// Share of the best score that the closest place gets: one that words led to, and one that only the graph leads to.
const CLOSER: f64 = 0.22;
const REACHED: f64 = 0.4;
/// What is left of it when the question names code.
const NAMED: f64 = 0.4;
/// What is left of it for what is no function.
const OF_TYPES: f64 = 0.4;
/// Least closeness of a place that is added.
const CLOSE: f64 = 0.08;

/// Joins what the graph says of `found` to it. `ranked` are the files that were ranked.
pub(crate) fn relate(
    paths: &Paths<'_>,
    workspace: &Workspace,
    judge: &PassageScorer<'_>,
    ranked: &[RankedFile],
    found: &mut Pool,
) {
    sort(found);
    let top = found.first().map(|first| first.candidate.score.total());
    let Some(top) = top.filter(|top| *top > 0.0) else {
        return;
    };
    // A question that names code leads there by itself.
    let trust = if judge.sought.reading.names_code() { NAMED } else { 1.0 };
    let known_share = trust * CLOSER;
    let view = paths.view;
    let wants_tests = judge.sought.reading.asked.wants_tests;
    let mut known: BTreeMap<NodeId, usize> = BTreeMap::new();
    let mut roots: BTreeMap<NodeId, f64> = BTreeMap::new();
    let first = &found[..found.len().min(KNOWN)];
    let nodes = first.par_iter().with_max_len(1).map(|found| paths.node_of(&found.candidate));
    let nodes: Vec<Option<NodeId>> = nodes.collect();
    for (index, (found, node)) in first.iter().zip(nodes).enumerate() {
        let (candidate, Some(node)) = (&found.candidate, node) else { continue };
        known.entry(node).or_insert(index);
        let may_lead = wants_tests || !candidate.is_secondary();
        if may_lead && roots.len() < ROOTS {
            let weight = (candidate.score.total() / top).powi(2);
            roots.entry(node).or_insert(weight);
        }
    }
    let near = paths.near(&roots, |path| {
        workspace.normalize(path).is_ok_and(|path| {
            let by_path = || workspace.traits(&path, "").is_secondary();
            let known = judge.sought.lookup.words.is_secondary(&path);
            wants_tests || !known.unwrap_or_else(by_path)
        })
    });
    for (node, index) in &known {
        let features = GraphFeatures {
            root_match_score: roots.get(node).copied().unwrap_or_default(),
            ..paths.features(*node)
        };
        let definition = view.node(*node);
        let candidate = &mut found[*index].candidate;
        candidate.graph = Some(features);
        // Where the text only guesses the extent, the graph knows it.
        if let (Some(range), Some(node)) = (candidate.range, definition)
            && !candidate.symbols.is_empty()
            && let Some(exact) = LineRange::new(node.start, node.end)
            && exact.covers(range) != range.covers(exact)
            && exact.width() <= crate::ranking::passages::MAX_WIDTH
        {
            candidate.range = Some(exact);
        }
    }
    let best: f64 = roots.values().fold(0.0, |most, weight| most.max(*weight));
    let mut added: BTreeSet<NodeId> = BTreeSet::new();
    for place in &near {
        // A type is close to all its members, and none of their work is its own.
        let is_function = view.node(place.node).is_some_and(|node| node.kind == NodeKind::Function);
        let top = if is_function { top } else { top * OF_TYPES };
        if let Some(index) = known.get(&place.node) {
            let candidate = &mut found[*index].candidate;
            candidate.score.add("graph", known_share * top * place.closeness);
            if place.closeness >= CLOSE {
                candidate.provenance.push(place.how.clone());
            }
            if let Some(features) = &mut candidate.graph
                && !roots.contains_key(&place.node)
            {
                features.distance_from_root = place.distance;
                features.root_match_score = best;
            }
        } else if place.closeness >= CLOSE && added.len() < ADDED && added.insert(place.node) {
            let features = GraphFeatures {
                root_match_score: best,
                distance_from_root: place.distance,
                ..paths.features(place.node)
            };
            let points = trust * REACHED * top * place.closeness;
            let candidate = reached(view, workspace, judge, ranked, place, features, points);
            let found_there = |candidate| {
                let (facts, hits) = (FeatureVector::default(), Vec::new());
                Box::new(Found { candidate, facts, hits })
            };
            found.extend(candidate.map(found_there));
        }
    }
}

/// Adds the roles that only the graph shows, and notes which of the first of `candidates` call one another, directly or through
/// one function.
pub(crate) fn link(paths: &Paths<'_>, candidates: &mut [Candidate]) {
    let view = paths.view;
    for candidate in candidates.iter_mut() {
        if let Some(node) = paths.node_of(candidate) {
            graph_roles::add_roles(view, node, candidate);
        }
    }
    let first = candidates.len().min(LINKED);
    let nodes: Vec<Option<NodeId>> =
        candidates[..first].iter().map(|candidate| paths.node_of(candidate)).collect();
    let callees = |id: NodeId| {
        let edges = view.outgoing(id).iter().filter(|edge| edge.kind == EdgeKind::Calls);
        edges.map(|edge| edge.to).collect::<BTreeSet<NodeId>>()
    };
    for (index, from) in nodes.iter().enumerate() {
        let Some(from) = *from else { continue };
        let direct = callees(from);
        let mut calls: Vec<Call> = Vec::new();
        for (other, to) in nodes.iter().enumerate().filter(|(other, _)| *other != index) {
            let Some(to) = *to else { continue };
            let between = || direct.iter().find(|middle| callees(**middle).contains(&to));
            let via = if direct.contains(&to) {
                None
            } else if let Some(name) = between().and_then(|middle| view.node(*middle)) {
                Some(name.name.clone())
            } else {
                continue;
            };
            let line = candidates[other].symbols.first().map(|symbol| symbol.line);
            let path = candidates[other].file.path.clone();
            calls.extend(line.map(|line| Call { path, line, via }));
        }
        if let Some(features) = &mut candidates[index].graph {
            features.calls = calls;
        }
    }
}

/// A place that only the graph leads to.
fn reached(
    view: &Graph,
    workspace: &Workspace,
    judge: &PassageScorer<'_>,
    ranked: &[RankedFile],
    place: &Near,
    features: GraphFeatures,
    points: f64,
) -> Option<Candidate> {
    let node = view.node(place.node)?;
    let is_worth_it = matches!(node.kind, NodeKind::Function | NodeKind::Macro)
        || (node.end - node.start < crate::ranking::passages::MAX_WIDTH
            && !matches!(node.kind, NodeKind::Field | NodeKind::Variant | NodeKind::Variable));
    if !is_worth_it || node.is_declaration {
        return None;
    }
    let file = judge.texts.read(&workspace.normalize(&node.path).ok()?)?;
    let mut candidate = judge.defined(&file, node)?;
    if let Some(ranked) = ranked.iter().find(|ranked| ranked.path.as_str() == node.path) {
        for (feature, points) in &ranked.score.0 {
            candidate.score.add(feature, *points);
        }
    }
    candidate.score.add("graph", points);
    candidate.provenance.push(place.how.clone());
    candidate.graph = Some(features);
    Some(candidate)
}
