//! What several tests share.

pub mod fixture;
