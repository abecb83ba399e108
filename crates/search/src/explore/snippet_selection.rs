//! Selects what source is printed: the spine, relevant results, functions that the query names, what belongs to the flow by
//! calls, and which of them can take the place of one another.
//!
//! Design notes. A relevance cut-off decides, not the room. What both a word and a call lead to is more often part of an
//! answer than what only one of them leads to, and what is only called and expresses nothing of the question hardly ever is;
//! so of what is not on the spine, members of the types that it passes and ranked functions that it calls come first.

use std::collections::{BTreeMap, BTreeSet};

use super::{
    call_flow_neighbours::CallFlowNeighbours,
    concept_coverage::ConceptCoverage,
    file_symbols::SymbolPlace,
    main_call_path::{CallFlowAnchor, MainCallPath},
    sibling_definitions::{SiblingDefinitions, SiblingDefinitionsKey},
    snippet::Snippet,
    symbol_table::SymbolTable,
};
use crate::{candidate::Candidate, query::ParsedQuery};
use retriever_graph::{EdgeKind, NodeId};
use retriever_workspace::LineRange;

/// Relevance that a place needs for its source to be printed.
const MIN_RELEVANCE: f64 = 0.5;
/// The first results, which matter whether or not the spine passes them, and the relevance that they need for that.
const CENTRAL: usize = 10;
const MIN_CENTRAL_RELEVANCE: f64 = 0.75;
/// Least relevance of a function that the query names, and of one on the spine.
const NAMED_RELEVANCE: f64 = 0.9;
const SPINE_RELEVANCE: f64 = 0.8;
/// Functions of one name that are printed because the query names them.
const MAX_OF_NAME: usize = 3;
/// What is left of the relevance of a place off the spine for its neighbours.
const OFF_SPINE: f64 = 0.8;
/// Lines of a function that says no more than its call.
const TRIVIAL_LINES: u32 = 3;
/// What a snippet gains that belongs to a type which the spine passes, and a result that is called from it.
const SAME_TYPE: f64 = 0.2;
const CALLED_FROM_SPINE: f64 = 0.1;

/// What a selection is made from.
pub(super) struct SnippetSelector<'a> {
    pub(super) symbols: &'a SymbolTable<'a>,
    pub(super) groups: &'a SiblingDefinitions<'a>,
    pub(super) query: &'a ParsedQuery,
    pub(super) spine: &'a MainCallPath,
    pub(super) anchors: &'a [CallFlowAnchor],
    /// Nodes of the results.
    pub(super) ranked: &'a [NodeId],
}

impl SnippetSelector<'_> {
    /// Returns the snippets: the spine in its order, then what is relevant, best first, then what belongs to it.
    /// `results` are those whose source may be printed, each with its score relative to the best; neighbours are added
    /// when there is a `coverage` to judge them by.
    pub(super) fn snippets(
        &self,
        results: &[(&Candidate, &SymbolPlace, f64)],
        coverage: Option<&ConceptCoverage<'_>>,
    ) -> Vec<Snippet> {
        let mut snippets = self.on_spine(results);
        self.add_results(&mut snippets, results);
        self.add_named(&mut snippets);
        self.mark_alternatives(&mut snippets);
        if let Some(coverage) = coverage {
            self.add_neighbours(&mut snippets, coverage);
        }
        self.mark_alternatives(&mut snippets);
        self.lift_near_spine(&mut snippets);
        // The first lines of a long one are printed only where it matters most.
        snippets.retain(|snippet| snippet.on_spine || snippet.is_central || snippet.is_whole());
        snippets
    }

    fn on_spine(&self, results: &[(&Candidate, &SymbolPlace, f64)]) -> Vec<Snippet> {
        let relevance: BTreeMap<&str, f64> =
            results.iter().map(|(_, place, relevance)| (place.id.as_str(), *relevance)).collect();
        let spine = self.spine;
        let mut snippets = Vec::new();
        for hop in &spine.hops {
            let Some(place) = self.symbols.place(hop.node) else { continue };
            let own = relevance.get(place.id.as_str()).copied().unwrap_or_default();
            let relevance = SPINE_RELEVANCE + (1.0 - SPINE_RELEVANCE) * own;
            snippets.push(Snippet {
                on_spine: true,
                is_reserved: spine.is_relevant,
                is_central: !spine.is_relevant,
                call_site: spine.call_site(hop.node),
                ..Snippet::new(self.symbols, place, relevance)
            });
        }
        snippets
    }

    fn add_results(
        &self,
        snippets: &mut Vec<Snippet>,
        results: &[(&Candidate, &SymbolPlace, f64)],
    ) {
        for (rank, (candidate, place, relevance)) in results.iter().enumerate() {
            let is_central = rank < CENTRAL && *relevance >= MIN_CENTRAL_RELEVANCE;
            let is_asked_for = candidate.is_asked_for();
            let traits = &candidate.file.traits;
            let is_inner_test = || place.node.is_some_and(|node| self.symbols.is_inner_test(node));
            let is_test = traits.test || traits.support || is_inner_test();
            let is_unwanted = is_test && !self.query.scope.wants_tests && !is_asked_for;
            let is_first = rank == 0 && !is_unwanted;
            let is_part = |part: &LineRange| place.line < part.start() && place.range.covers(*part);
            let ranked_part = candidate.range.filter(is_part);
            let known = snippets.iter_mut().find(|snippet| snippet.place.id == place.id);
            if let Some(known) = known {
                known.is_asked_for |= is_asked_for;
                known.is_first |= is_first;
                known.ranked_part = known.ranked_part.or(ranked_part);
            } else if *relevance >= MIN_RELEVANCE && !is_unwanted {
                let snippet = Snippet::new(self.symbols, (*place).clone(), *relevance);
                snippets.push(Snippet {
                    is_central,
                    is_asked_for,
                    is_first,
                    ranked_part,
                    ..snippet
                });
            }
        }
    }

    /// Adds what the query names, even if it is not relevant; of several functions of one name, those on the spine.
    fn add_named(&self, snippets: &mut Vec<Snippet>) {
        let passed = self.spine.nodes();
        let on_spine = self.anchors.iter().filter(|anchor| passed.contains(&anchor.node));
        let passed_names: BTreeSet<u32> = on_spine.filter_map(|anchor| anchor.name).collect();
        let mut of_names: BTreeMap<u32, usize> = BTreeMap::new();
        for anchor in self.anchors {
            let Some(name) = anchor.name else { continue };
            let of_name = of_names.entry(name).or_default();
            let is_other = passed_names.contains(&name) && !passed.contains(&anchor.node);
            let Some(place) = self.symbols.place(anchor.node) else { continue };
            if is_other || *of_name >= MAX_OF_NAME {
                continue;
            }
            *of_name += 1;
            let known = snippets.iter().position(|snippet| snippet.place.id == place.id);
            let at = known.unwrap_or_else(|| {
                snippets.push(Snippet::new(self.symbols, place, NAMED_RELEVANCE));
                snippets.len() - 1
            });
            snippets[at].is_central = true;
            snippets[at].relevance = snippets[at].relevance.max(NAMED_RELEVANCE);
        }
    }

    /// Marks the other implementations of what the spine goes through by dispatch.
    fn mark_alternatives(&self, snippets: &mut [Snippet]) {
        if !self.spine.is_relevant {
            return;
        }
        let symbols = self.symbols;
        let name = |node: NodeId| symbols.graph.node(node).map(|node| node.name.as_str());
        let nodes = self.spine.nodes();
        let passed: BTreeSet<NodeId> =
            nodes.iter().filter_map(|node| symbols.owner(*node)).collect();
        let names: BTreeSet<&str> = nodes.into_iter().filter_map(name).collect();
        for snippet in snippets.iter_mut().filter(|snippet| !snippet.on_spine) {
            // A method can take the place of one of its name.
            let node = snippet.place.node.filter(|node| {
                let is_member = symbols.owner(*node).is_some() && !symbols.is_type(*node);
                !is_member || name(*node).is_some_and(|name| names.contains(name))
            });
            let group = node.and_then(|node| self.groups.of(node));
            snippet.is_alternative = group.is_some_and(|(member, group)| {
                let passes_supertype =
                    matches!(group.key, SiblingDefinitionsKey::Supertype(above) if passed.contains(&above));
                !passed.contains(&member)
                    && (passes_supertype || !group.members.is_disjoint(&passed))
            });
        }
    }

    /// Adds what the spine and the best places call and hardly anybody else does, and what calls them.
    fn add_neighbours(&self, snippets: &mut Vec<Snippet>, coverage: &ConceptCoverage<'_>) {
        let neighbours = CallFlowNeighbours::new(self.symbols, self.groups, coverage);
        let seeds = |wanted: &dyn Fn(&Snippet) -> bool, factor: f64| -> Vec<(NodeId, f64)> {
            let seeds = snippets.iter().filter(|snippet| wanted(snippet));
            seeds.filter_map(|seed| Some((seed.place.node?, factor * seed.relevance))).collect()
        };
        let on_spine = seeds(&|snippet| snippet.on_spine, 1.0);
        let off_spine = seeds(&|snippet| snippet.is_central && !snippet.on_spine, OFF_SPINE);
        let mut near = neighbours.of(&on_spine);
        for (node, relevance) in neighbours.of(&off_spine) {
            let known = near.entry(node).or_default();
            *known = known.max(relevance);
        }
        for snippet in snippets.iter_mut().filter(|snippet| !snippet.on_spine) {
            let own = snippet.place.node.and_then(|node| near.get(&node)).copied();
            snippet.relevance = snippet.relevance.max(own.unwrap_or_default());
        }
        let mut added = Vec::new();
        for (node, relevance) in near.into_iter().filter(|(_, found)| *found >= MIN_RELEVANCE) {
            let Some(place) = self.symbols.place(node) else { continue };
            let is_telling = self.ranked.contains(&node) || place.range.width() > TRIVIAL_LINES;
            if is_telling && snippets.iter().all(|snippet| snippet.place.id != place.id) {
                added.push(Snippet::new(self.symbols, place, relevance));
            }
        }
        snippets.append(&mut added);
    }

    /// Lets what is near the spine come first of what isn't on it.
    fn lift_near_spine(&self, snippets: &mut [Snippet]) {
        let symbols = self.symbols;
        let passed = self.spine.nodes();
        let owners: BTreeSet<NodeId> =
            passed.iter().filter_map(|node| symbols.owner(*node)).collect();
        for snippet in snippets {
            let Some(node) = snippet.place.node else { continue };
            if symbols.owner(node).is_some_and(|owner| owners.contains(&owner)) {
                snippet.lift += SAME_TYPE;
            }
            let mut calls =
                symbols.graph.incoming(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
            if self.ranked.contains(&node) && calls.any(|edge| passed.contains(&edge.from)) {
                snippet.lift += CALLED_FROM_SPINE;
            }
        }
    }
}
