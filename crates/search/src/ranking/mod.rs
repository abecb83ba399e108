//! Ranking: how well files, and the passages in them, fit a query.
//!
//! Design notes.
//!
//! *Stages.* [`file_ranking`] ranks all files by BM25F over their fields, with points for paths, mentions and hints. The passages
//! of the best of them are scored one by one ([`passage_scorer`]), joined by what the code graph reaches
//! ([`join_graph_to_pool`]), reordered within their files by learned trees ([`learned_passage_order`]), corroborated by one
//! another ([`corroborating_passages`]), and their files put into a learned order ([`learned_file_order`]); constructors go behind
//! the methods that do the work ([`constructors_behind_methods`]). Then the best are chosen so that no file and no name fills the
//! first places ([`diversity`]). [`no_answer_detection`] says when the evidence for all of them is thin.
//!
//! *Scores are sums of named parts* ([`crate::ScoreParts`]), so that every place says why it ranks where it does. The
//! weights of the parts were set by hand on two labelled suites together, with two repositories kept out to check them.
//! Halving or doubling any of them made nothing better throughout on repositories that nobody had looked at.
//!
//! *Meaning.* Among passages that share a word with the query, those gain whose word vectors are similar to the query's
//! ([`declaration_similarity`]), and those in files of which some chunk is ([`chunk_similarity`]). A query that names code
//! knows where it wants to go and gets little of that.
//!
//! *Learned order.* Which declarations of a file come first is learned ([`learned_passage_order`]), since the right declaration of a
//! found file was missed more often than the file; which files come first is learned for short questions
//! ([`learned_file_order`]), after all points are counted. Points are handed on in the new order, so that a total means
//! the same as before.
//!
//! *Corroboration.* Two further passages of a file that fit speak for all of its passages, unless the question points at
//! lines; a name that more than three of the first passages have costs each a tenth. Both were found and weighed on 124
//! issues of 46 repositories, as `evals/measurements.md` tells.
//!
//! *Names.* A query that is nothing but a name is answered by its declaration ([`exact_name_matches`]).
//!
//! *Features.* What the trees judge by is computed in [`ranking_features`], [`file_features`] and their neighbours, each number with
//! a name; nothing there depends on how they are weighed.

mod boosted_trees;
mod candidate_pool;
mod chunk_similarity;
mod constructors_behind_methods;
mod corroborating_passages;
mod declaration_similarity;
mod describe_candidates;
mod diversity;
mod exact_name_matches;
mod features;
mod file_features;
mod file_kind_penalty;
mod file_ranking;
mod join_graph_to_pool;
mod learned_file_order;
mod learned_passage_order;
mod lexical_passage_score;
mod named_platforms;
mod neighbours_of_first_candidates;
mod no_answer_detection;
mod passage_kind_features;
mod passage_scorer;
mod pool_comparison_features;
mod ranking_features;
mod roles_from_graph;
mod term_coverage;
mod term_weights;

pub use self::{
    candidate_pool::ScoredCandidate,
    file_features::{FileFeature, FileFeatures, ScoredFile},
    no_answer_detection::{AnswerEvidence, NoAnswerReason},
    ranking_features::{FeatureVector, RankingFeature},
};
pub(crate) use self::{
    candidate_pool::{ScoredPool, sort},
    constructors_behind_methods::put_methods_first,
    corroborating_passages::corroborate,
    describe_candidates::describe,
    diversity::diversify,
    exact_name_matches::lead_with_named,
    file_features::scored_files,
    file_ranking::{RankedFile, rank_files},
    join_graph_to_pool::{add_graph_candidates, add_roles_of_graph},
    learned_file_order::{order_files, trust},
    learned_passage_order::order_passages,
    neighbours_of_first_candidates::add_call_neighbours,
    no_answer_detection::{best_comment, no_answer},
    passage_scorer::PassageScorer,
    pool_comparison_features::add_pool_features,
    term_coverage::TermCoverage,
};
