//! Search without a model: [`recon`] reads a question and ranks the places that may answer it, [`explore`] turns ranked
//! places into source that is sized to the query.

pub mod explore;
pub mod question;
pub mod recon;

pub use question::{Asked, BadSessionId, Intent, Question, Role, SessionId};
