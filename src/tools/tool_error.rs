//! Why a call of a tool has no observation.

/// Why a call has no observation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ToolError {
    /// The model's doing: goes back to it as text, and the run goes on.
    #[error("{0}")]
    Model(String),
    /// The run can't go on.
    #[error("{0}")]
    Fatal(String),
}
