//! Everything that is found before a model thinks: channels produce typed candidates, ranking orders them by generic
//! features, and the best become the packet that opens the conversation. Channels here need only text and paths; a
//! code graph adds its own candidates and features to the same set.

mod absence;
mod candidate;
mod closeness;
mod company;
mod concepts;
mod declaration;
mod declarations;
mod facts;
mod files;
mod fit;
mod forest;
mod frames;
mod grep;
mod lexicon;
mod matcher;
mod memo;
mod outline;
mod passages;
mod patterns;
mod places;
mod query;
mod reach;
mod reading;
mod relations;
mod roles;
mod senses;
mod substance;
mod surface;
mod survey;
mod texts;
mod topics;
mod words;

pub use absence::Absence;
pub use candidate::{Call, Candidate, CandidateSource, GraphFeatures, ScoreParts, Symbol};
pub use concepts::Concepts;
pub use declaration::Declaration;
pub use declarations::{Declared, declarations};
pub use facts::{Fact, Facts, Found};
pub use lexicon::{Lexicon, Words};
pub use memo::Memo;
pub use outline::Outline;
pub use reading::{Mention, Reading, Term, TermForm, TermKind};
pub use roles::RoleCues;
pub use roles::words_in;
pub use survey::{Folder, Ground, Survey, Tier, pool_of, survey, survey_of};
pub use survey::{prepare, roles_of, survey_in};
pub use texts::Texts;
