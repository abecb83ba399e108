//! Concept coverage: which of a query's concepts each definition covers, by its name, its owner's, its comment and
//! signature, and its path. A concept counts by its document frequency among the candidates: one that nearly all of them
//! cover tells nothing.

use std::sync::Arc;

use super::symbol_table::SymbolTable;
use crate::{query::QueryConcepts, shared_memo::SharedMemo};
use retriever_graph::NodeId;

/// Certainty of a concept in the owner's name, in a comment or signature, and in a path; in the own name it has 1.
const OWNER: f64 = 0.8;
const TEXT: f64 = 0.7;
const PATH: f64 = 0.6;
/// Certainty from which on a definition counts as expressing a concept.
const EXPRESSED: f64 = 0.5;
/// Factor of a concept that no candidate expresses: it is how the question is put, not what it is about.
const UNEXPRESSED: f64 = 0.1;

/// Certainty of each concept, 0 to 1.
pub(super) type ConceptCertainties = Arc<[f64]>;

/// Measures coverage for one query.
pub(super) struct ConceptCoverage<'a> {
    symbols: &'a SymbolTable<'a>,
    concepts: &'a QueryConcepts,
    /// Weight of each concept; together 1.
    weights: Vec<f64>,
    /// Of each concept the root of its weight relative to the heaviest.
    relative: Vec<f64>,
    by_node: SharedMemo<NodeId, ConceptCertainties>,
    by_path: SharedMemo<String, ConceptCertainties>,
}

impl<'a> ConceptCoverage<'a> {
    /// Weighs the concepts by how few of `candidates` cover them.
    pub(super) fn new(
        symbols: &'a SymbolTable<'a>,
        concepts: &'a QueryConcepts,
        candidates: &[NodeId],
    ) -> Self {
        let mut coverage = Self {
            symbols,
            concepts,
            weights: concepts.weights().to_vec(),
            relative: Vec::new(),
            by_node: SharedMemo::default(),
            by_path: SharedMemo::default(),
        };
        let mut frequencies = vec![0.0; coverage.weights.len()];
        for node in candidates {
            for (concept, certainty) in coverage.of(*node).iter().enumerate() {
                frequencies[concept] += f64::from(u8::from(*certainty >= EXPRESSED));
            }
        }
        let all = candidates.len() as f64;
        for (weight, frequency) in coverage.weights.iter_mut().zip(frequencies) {
            let inverse = (1.0 + all / (1.0 + frequency)).ln();
            *weight *= if frequency > 0.0 { inverse } else { UNEXPRESSED };
        }
        let sum: f64 = coverage.weights.iter().sum::<f64>().max(1e-9);
        coverage.weights.iter_mut().for_each(|weight| *weight /= sum);
        let heaviest = coverage.weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let relative = coverage.weights.iter().map(|weight| (weight / heaviest).sqrt());
        coverage.relative = relative.collect();
        coverage
    }

    /// Returns the number of concepts.
    pub(super) fn concepts(&self) -> usize {
        self.weights.len()
    }

    /// Returns what a definition expresses.
    pub(super) fn of(&self, node: NodeId) -> ConceptCertainties {
        self.by_node.get(&node, || {
            let mut coverage = vec![0.0; self.weights.len()];
            if let Some(known) = self.symbols.graph.node(node) {
                coverage.copy_from_slice(&self.of_path(&known.path));
                self.concepts.cover(&known.signature, TEXT, &mut coverage);
                self.concepts.cover(&known.doc, TEXT, &mut coverage);
                let owner = self.symbols.owner(node);
                if let Some(owner) = owner.and_then(|owner| self.symbols.graph.node(owner)) {
                    self.concepts.cover(&owner.name, OWNER, &mut coverage);
                }
                self.concepts.cover(&known.name, 1.0, &mut coverage);
            }
            coverage.into()
        })
    }

    fn of_path(&self, path: &str) -> ConceptCertainties {
        self.by_path.get(path, || {
            let mut coverage = vec![0.0; self.weights.len()];
            self.concepts.cover(path, PATH, &mut coverage);
            coverage.into()
        })
    }

    /// Returns how certainly a definition expresses any one concept, 0 to 1; a light concept counts less.
    pub(super) fn strongest(&self, node: NodeId) -> f64 {
        let coverage = self.of(node);
        let weighted = coverage.iter().zip(&self.relative);
        weighted.map(|(certainty, relative)| certainty * relative).fold(0.0, f64::max)
    }

    /// Returns the share of the query that is expressed, 0 to 1.
    pub(super) fn share(&self, coverage: &[f64]) -> f64 {
        self.weights.iter().zip(coverage).map(|(weight, certainty)| weight * certainty).sum()
    }

    /// Returns where what is expressed stands in a question about a flow: 0 at its start, 1 at its end, 0.5 if nothing is
    /// expressed.
    pub(super) fn position(&self, coverage: &[f64]) -> f64 {
        let counts = |at: usize| self.weights[at] * coverage[at].powi(2);
        let all: f64 = (0..coverage.len()).map(counts).sum();
        if all < 1e-9 {
            return 0.5;
        }
        let positions = self.concepts.positions();
        (0..coverage.len()).map(|at| counts(at) * positions[at]).sum::<f64>() / all
    }
}
