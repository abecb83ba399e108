//! Everything that is found before a model thinks: channels produce typed candidates, ranking orders them by generic
//! features, and the best become the packet that opens the conversation.

mod candidate;

pub use candidate::{Candidate, CandidateSource, GraphFeatures, ScoreParts, Symbol};
