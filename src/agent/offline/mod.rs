//! Answering without a model. An [`OfflineDriver`](super::offline_driver::OfflineDriver) is a deterministic program that
//! explores with the same tools, ledger, limits and validator as a model. The built-in [`DefaultOfflineDriver`] answers when no
//! model is configured, and when a model fails.

mod call_flow;
mod default_offline_driver;
mod delivered_candidate;
mod doc_sentence;
mod ledger_report;
mod neighbouring_candidates;
mod next_places_to_read;
mod offline_draft;
mod offline_loop;
mod place_reason;
mod search_advice;

pub use default_offline_driver::DefaultOfflineDriver;
pub(super) use offline_loop::{CandidateReadPolicy, OfflineOutcome, explore, fall_back};
