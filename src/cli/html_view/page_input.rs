//! The input of a page: the events of a run that `--events` wrote, or a map alone.

use std::path::Path;

use retriever::{CodeMap, RankedCandidate, RunEvent};

use super::super::command_error::{CommandError, CommandErrorKind};

/// A run; its events may be unknown.
pub(super) struct RunPageInput {
    pub(super) map: CodeMap,
    /// None for a map alone.
    pub(super) events: Vec<RunEvent>,
}

impl RunPageInput {
    /// Reads a file of events or a map.
    pub(super) fn read(path: &Path) -> Result<Self, CommandError> {
        let unusable = |reason: String| {
            CommandError::new(
                CommandErrorKind::Usage,
                format!("{} cannot be shown: {reason}", path.display()),
            )
            .hint(
                "give a map that ask has printed as JSON, or a file that ask --events has written",
            )
        };
        #[expect(clippy::disallowed_methods, reason = "the user names it on the command line")]
        let text = std::fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
        if let Ok(map) = serde_json::from_str::<CodeMap>(&text) {
            return Ok(Self { map, events: Vec::new() });
        }
        let mut events: Vec<RunEvent> = Vec::new();
        for (at, line) in text.lines().enumerate() {
            let event = serde_json::from_str(line)
                .map_err(|_| unusable(format!("line {} is not an event of a run", at + 1)))?;
            events.push(event);
        }
        let returned = events.iter().find_map(|event| match event {
            RunEvent::MapReturned { map } => Some(map.as_ref().clone()),
            _ => None,
        });
        match returned {
            Some(map) => Ok(Self { map, events }),
            None => Err(unusable("it has no map; the run has not ended".to_owned())),
        }
    }

    /// Returns the ranked candidates, when they were recorded.
    pub(super) fn candidates(&self) -> Option<&[RankedCandidate]> {
        self.events.iter().find_map(|event| match event {
            RunEvent::CandidatesRanked { candidates } => Some(candidates.as_slice()),
            _ => None,
        })
    }
}
