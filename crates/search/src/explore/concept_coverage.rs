//! What definitions say of a question: their names first, then those of the types they belong to, comments, headings and
//! paths. What nearly every candidate says tells nothing.

use std::sync::Arc;

use crate::explore::symbol_table::SymbolTable;
use crate::{memo::Memo, query::concepts::Concepts};
use retriever_graph::NodeId;

/// What it counts to be said in the name of a type, a comment or a heading, a path; beside 1 for a definition's own name.
const BY_OWNER: f64 = 0.8;
const BY_TEXT: f64 = 0.7;
const BY_PATH: f64 = 0.6;
/// From which share on a concept counts as said.
const SAID: f64 = 0.5;

/// What is left of a word that no candidate says: it is how the question is put, not what it is about.
const UNSAID: f64 = 0.1;

/// What is said, one number from 0 to 1 a concept.
pub(super) type Said = Arc<[f64]>;

/// Definitions as a question hears them.
pub(super) struct ConceptCoverage<'a> {
    atlas: &'a SymbolTable<'a>,
    concepts: &'a Concepts,
    /// What each concept counts; together 1.
    weights: Vec<f64>,
    known: Memo<NodeId, Said>,
    /// What paths say.
    by_path: Memo<String, Said>,
}

impl<'a> ConceptCoverage<'a> {
    /// `among` are the definitions that fit; a concept counts by how few of them say it.
    pub(super) fn new(
        atlas: &'a SymbolTable<'a>,
        concepts: &'a Concepts,
        among: &[NodeId],
    ) -> Self {
        let mut speech = Self {
            atlas,
            concepts,
            weights: concepts.weights().to_vec(),
            known: Memo::default(),
            by_path: Memo::default(),
        };
        let mut sayers = vec![0.0; speech.weights.len()];
        for node in among {
            for (concept, said) in speech.said(*node).iter().enumerate() {
                sayers[concept] += f64::from(u8::from(*said >= SAID));
            }
        }
        let all = among.len() as f64;
        for (weight, sayers) in speech.weights.iter_mut().zip(sayers) {
            *weight *= if sayers > 0.0 { (1.0 + all / (1.0 + sayers)).ln() } else { UNSAID };
        }
        let sum: f64 = speech.weights.iter().sum::<f64>().max(1e-9);
        speech.weights.iter_mut().for_each(|weight| *weight /= sum);
        speech
    }

    /// How many concepts there are.
    pub(super) fn concepts(&self) -> usize {
        self.weights.len()
    }

    /// What a definition says.
    pub(super) fn said(&self, node: NodeId) -> Said {
        self.known.get(&node, || {
            let mut said = vec![0.0; self.weights.len()];
            if let Some(known) = self.atlas.graph.node(node) {
                said.copy_from_slice(&self.said_by_path(&known.path));
                self.concepts.hear(&known.signature, BY_TEXT, &mut said);
                self.concepts.hear(&known.doc, BY_TEXT, &mut said);
                let owner = self.atlas.owner(node).and_then(|owner| self.atlas.graph.node(owner));
                if let Some(owner) = owner {
                    self.concepts.hear(&owner.name, BY_OWNER, &mut said);
                }
                self.concepts.hear(&known.name, 1.0, &mut said);
            }
            said.into()
        })
    }

    fn said_by_path(&self, path: &str) -> Said {
        self.by_path.get(path, || {
            let mut said = vec![0.0; self.weights.len()];
            self.concepts.hear(path, BY_PATH, &mut said);
            said.into()
        })
    }

    /// How surely a definition says any one of the concepts, 0 to 1; one that nearly every candidate says counts less.
    pub(super) fn loudest(&self, node: NodeId) -> f64 {
        let most = self.weights.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        let said = self.said(node);
        let told =
            said.iter().zip(&self.weights).map(|(said, weight)| said * (weight / most).sqrt());
        told.fold(0.0, f64::max)
    }

    /// How much of the question is said, 0 to 1.
    pub(super) fn worth(&self, said: &[f64]) -> f64 {
        self.weights.iter().zip(said).map(|(weight, said)| weight * said).sum()
    }

    /// On which side of the question's turn stands what is said, 0 to 1; the middle when nothing is.
    pub(super) fn position(&self, said: &[f64]) -> f64 {
        let counts = |at: usize| self.weights[at] * said[at].powi(2);
        let all: f64 = (0..said.len()).map(counts).sum();
        if all < 1e-9 {
            return 0.5;
        }
        let positions = self.concepts.positions();
        (0..said.len()).map(|at| counts(at) * positions[at]).sum::<f64>() / all
    }
}
