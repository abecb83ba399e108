//! Sends a waiting client one line for each step of a run.

use serde::Serialize;
use tokio::sync::mpsc;

use crate::agent::{Observer, RunEvent};

/// One line of progress.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ProgressLine {
    pub(crate) message: String,
    /// Steps of the run, once they are known.
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
        // An error means that the client is gone.
        let _ = self.0.send(line);
    }
}
