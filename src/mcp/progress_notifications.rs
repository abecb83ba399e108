//! Sends a waiting client one line for each step of a run.

use serde::Serialize;
use tokio::sync::mpsc;

use crate::agent::{Observer, RunEvent};

/// A line that a client shows.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ProgressLine {
    pub(crate) message: String,
    /// Steps that the run may take, once it takes them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) of: Option<u32>,
}

/// Sends a line for each step.
pub(crate) struct ProgressLines(pub(crate) mpsc::UnboundedSender<ProgressLine>);

impl Observer for ProgressLines {
    fn on_event(&self, event: &RunEvent) {
        let line = match event {
            RunEvent::ReconFinished { files, candidates, .. } => ProgressLine {
                message: format!("{candidates} candidates in {files} files"),
                of: None,
            },
            RunEvent::StepStarted { step, of, forced } => {
                let doing = if *forced { ", the report" } else { "" };
                ProgressLine { message: format!("step {step} of {of}{doing}"), of: Some(*of) }
            }
            _ => return,
        };
        // Nobody listens any more when the client is gone.
        let _ = self.0.send(line);
    }
}
