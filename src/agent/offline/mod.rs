//! Answering without a model. An [`OfflineDriver`](super::offline_driver_trait::OfflineDriver) is a deterministic program that
//! explores with the same tools, ledger, limits and validator as a model. The built-in [`DefaultOfflineDriver`] answers when no
//! model is configured, and when a model fails.

mod call_flow_sentences;
mod candidate_groups;
mod default_offline_driver;
mod doc_sentence;
mod next_places_to_read;
mod offline_draft;
mod place_reason;
mod read_candidates;
mod report_from_ledger;
mod run_offline_driver;
mod search_advice;

pub use default_offline_driver::DefaultOfflineDriver;
pub(super) use run_offline_driver::{CandidateReadPolicy, OfflineOutcome, explore, fall_back};
