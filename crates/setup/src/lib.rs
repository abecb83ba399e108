//! Makes retriever known to the agents of a machine: finds which are installed, works out what their files would have to say,
//! and writes it without changing another byte. Nothing is written before [`Plan::apply`], and what was written can be taken
//! back with [`removal`]. What the agents then do is theirs.

mod agent;
mod detect;
mod entry;
mod files;
mod journal;
mod plan;
mod spec;
mod specs;
mod splice;
mod surroundings;
mod target;

pub use agent::Agent;
pub use detect::{Detected, Evidence, detect};
pub use journal::{Journal, Written};
pub use plan::{Change, Kept, Options, Plan, SetupError, plan, removal};
pub use splice::{Insertion, Refusal};
pub use surroundings::{Platform, Surroundings};
pub use target::{Part, Scope};
