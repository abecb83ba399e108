//! The lines of files that an answer of the graph shows, and their definitions.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::NodeKind;
use retriever_workspace::{FileVersion, RepoPath, truncate_line};

use super::graph_answer::Definition;
use crate::tools::{LineAnnotation, ObservationExcerpt, ToolContext};

/// Lines of files, in the order of the requests.
#[derive(Default)]
pub(super) struct WantedLines {
    paths: Vec<String>,
    files: BTreeMap<String, LinesOfFile>,
}

#[derive(Default)]
struct LinesOfFile {
    lines: BTreeSet<u32>,
    labels: BTreeMap<u32, LineAnnotation>,
}

impl WantedLines {
    /// Requests a line.
    pub(super) fn add(&mut self, path: &str, line: u32) {
        self.file(path).lines.insert(line);
    }

    /// Labels the line of a definition.
    pub(super) fn label(&mut self, definition: &Definition) {
        let label = definition.label().filter(|_| definition.kind != NodeKind::File);
        self.file(&definition.path).labels.extend(label.map(|label| (definition.line, label)));
    }

    /// Labels the first line inside a definition, unless it has a label; all lines are shown as part of it.
    pub(super) fn label_first_within(&mut self, definition: &Definition) {
        let file = self.files.get_mut(&definition.path);
        let Some(file) = file.filter(|_| definition.kind != NodeKind::File) else { return };
        let Some(label) = definition.label_inside() else { return };
        if let Some(line) = file.lines.range(definition.start..=definition.end).next() {
            file.labels.entry(*line).or_insert(label);
        }
    }

    /// Reads the requested lines. Files that no longer exist are left out.
    pub(super) fn read(mut self, context: &ToolContext) -> Vec<ObservationExcerpt> {
        let mut excerpts = Vec::new();
        for path in std::mem::take(&mut self.paths) {
            let read =
                RepoPath::parse(&path, "").ok().and_then(|it| context.workspace.read(&it).ok());
            let Some((file, wanted)) = read.zip(self.files.remove(&path)) else { continue };
            let text = |line| Some((line, truncate_line(file.line(line)?)));
            let lines = wanted.lines.into_iter().filter_map(text).collect();
            excerpts.push(ObservationExcerpt {
                labels: wanted.labels,
                ..ObservationExcerpt::new(FileVersion::of(&file), lines)
            });
        }
        excerpts
    }

    fn file(&mut self, path: &str) -> &mut LinesOfFile {
        if !self.files.contains_key(path) {
            self.paths.push(path.to_owned());
        }
        self.files.entry(path.to_owned()).or_default()
    }
}
