//! Everything that is found before a model thinks: channels produce typed candidates, ranking orders them by generic
//! features, and the best become the packet that opens the conversation. Channels here need only text and paths; a
//! code graph adds its own candidates and features to the same set.

mod candidate;
mod closeness;
mod concepts;
mod declarations;
mod files;
mod matcher;
mod packet;
mod places;
mod query;
mod reach;
mod reading;
mod roles;
mod substance;
mod survey;
mod words;

pub use candidate::{Call, Candidate, CandidateSource, GraphFeatures, ScoreParts, Symbol};
pub(crate) use concepts::Concepts;
pub use declarations::{Declared, declarations};
pub use packet::{PACKET_TOKENS, packet};
pub use reading::{Mention, Reading, Term, TermForm, TermKind};
pub use roles::RoleCues;
pub(crate) use roles::words_in;
pub use survey::{Folder, Survey, Tier, survey};
