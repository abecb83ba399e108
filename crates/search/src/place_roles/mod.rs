//! Which words and forms of code show that a place plays a role. One table for the validator, which checks claimed roles,
//! and for the search, which suggests them. A project adds its own words through `[roles]` in the configuration.

mod role_cues;
mod role_matcher;

pub use self::role_matcher::RoleCues;
pub(crate) use self::role_matcher::{RoleMatcher, WordSplitText};
