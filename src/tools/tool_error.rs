//! Why a tool call has no observation.

/// Why a call has no observation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// An error for the model: it is returned as text, and the run goes on.
    #[error("{0}")]
    Model(String),
    /// Not the call's fault: it can't be answered now, and may be answered later. The run goes on.
    #[error("{0}")]
    Unavailable(String),
    /// The run can't go on.
    #[error("{0}")]
    Fatal(String),
}
