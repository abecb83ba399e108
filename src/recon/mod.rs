//! Everything that is found before a model thinks: channels produce typed candidates, ranking orders them by generic
//! features, and the best become the packet that opens the conversation.

mod candidate;
mod declarations;
mod reading;
mod roles;
mod words;

pub use candidate::{Candidate, CandidateSource, GraphFeatures, ScoreParts, Symbol};
pub use declarations::{Declared, declarations};
pub use reading::{Mention, Reading, Term, TermForm, TermKind};
pub use roles::RoleCues;
