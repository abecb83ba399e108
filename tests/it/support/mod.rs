//! What several tests share.

pub mod fixture;
pub mod model_server;
pub mod run;
