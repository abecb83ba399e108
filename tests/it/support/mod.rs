//! What several tests share.

pub(crate) mod chat;
pub mod fixture;
pub(crate) mod model_server;
