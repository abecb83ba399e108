//! What several tests share.

pub(crate) mod evidence;
pub mod fixture;
