//! What several tests share.

pub mod evidence;
pub mod fixture;
