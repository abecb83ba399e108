//! What several tests share.

pub mod chat;
pub mod fixture;
pub mod model_server;
pub mod run;
