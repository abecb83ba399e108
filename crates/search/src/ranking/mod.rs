//! How well files and the places in them fit a question.

pub(crate) mod chunk_similarity;
pub(crate) mod corroboration;
pub(crate) mod features;
pub(crate) mod files;
pub(crate) mod graph_candidates;
mod graph_roles;
pub(crate) mod learned_trees;
pub(crate) mod no_answer;
mod passage_score;
pub(crate) mod passages;
