//! What several tests share.

pub(crate) mod chat;
pub(crate) mod fixture;
pub(crate) mod model_server;
pub(crate) mod run;
