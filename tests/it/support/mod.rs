//! What several tests share.

pub(crate) mod chat;
pub(crate) mod fixture {
    //! Small projects written as one string.
    pub(crate) use retriever_test_support::Fixture;
}
#[cfg(feature = "cli")]
pub(crate) mod machine;
pub(crate) mod model_server;
pub(crate) mod run;
