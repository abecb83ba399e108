//! Records what was written into which file, so that it can be removed to the byte. The journal is the program's own
//! file.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{HostAgent, SetupPart, TextInsertion, host_agent_files};

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// The agents that read it.
    pub agents: Vec<HostAgent>,
    /// The part that it holds.
    pub part: SetupPart,
    /// The file.
    pub path: PathBuf,
    /// The root of its project; `None` for a file of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// BLAKE3 hash of its text after it was written.
    pub after: String,
    /// Whether there was no file before.
    pub made_file: bool,
    /// The insertions, by offsets in the text before.
    pub insertions: Vec<TextInsertion>,
    /// Number of enclosing objects that were created for the entry.
    pub made: usize,
}

/// All files that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupJournal {
    written: Vec<WrittenFile>,
    /// Folders that were created, outer ones before inner ones.
    folders: Vec<PathBuf>,
}

impl SetupJournal {
    /// Reads the journal; a missing file is an empty journal.
    ///
    /// # Errors
    ///
    /// Errors if the file can't be read or does not hold a journal.
    pub fn load(path: &Path) -> io::Result<Self> {
        match host_agent_files::read(path)? {
            None => Ok(Self::default()),
            Some(text) => serde_json::from_str(&text).map_err(io::Error::from),
        }
    }

    /// Writes the journal, or removes its file when the journal is empty.
    ///
    /// # Errors
    ///
    /// Errors if the file can't be written.
    pub fn save(&self, path: &Path) -> io::Result<()> {
        let before = host_agent_files::read(path)?;
        if self.written.is_empty() && self.folders.is_empty() {
            return before.map_or(Ok(()), |before| host_agent_files::remove(path, &before));
        }
        let text = serde_json::to_string_pretty(self)? + "\n";
        host_agent_files::replace(path, before.as_deref(), &text).map(drop)
    }

    /// Returns the written files, in the order of writing.
    pub fn written(&self) -> &[WrittenFile] {
        &self.written
    }

    /// Returns the record of a file under any of its names.
    pub(crate) fn find(&self, path: &Path) -> Option<&WrittenFile> {
        let resolved = host_agent_files::resolved(path);
        let mut same = self.written.iter();
        same.find(|written| {
            written.path == path || host_agent_files::resolved(&written.path) == resolved
        })
    }

    pub(crate) fn add(&mut self, mut written: WrittenFile, folders: Vec<PathBuf>) {
        let before = self.written.iter().find(|before| before.path == written.path);
        for agent in before.into_iter().flat_map(|before| &before.agents) {
            if !written.agents.contains(agent) {
                written.agents.push(*agent);
            }
        }
        self.forget(&written.path);
        self.written.push(written);
        self.folders.extend(folders);
    }

    /// Records that an agent reads the file, too.
    pub(crate) fn join(&mut self, path: &Path, agent: HostAgent) {
        for written in self.written.iter_mut().filter(|written| written.path == path) {
            if !written.agents.contains(&agent) {
                written.agents.push(agent);
            }
        }
    }

    /// Records that an agent no longer reads the file.
    pub(crate) fn leave(&mut self, path: &Path, agent: HostAgent) {
        for written in self.written.iter_mut().filter(|written| written.path == path) {
            written.agents.retain(|reader| *reader != agent);
        }
    }

    /// Removes folders that were created and are now empty.
    pub(crate) fn remove_empty_folders(&mut self) {
        let mut stay = Vec::new();
        while let Some(folder) = self.folders.pop() {
            if !host_agent_files::remove_empty(&folder) {
                stay.insert(0, folder);
            }
        }
        self.folders = stay;
    }

    pub(crate) fn forget(&mut self, path: &Path) {
        self.written.retain(|written| written.path != path);
    }
}

/// Returns the hash of a text in the journal.
pub(crate) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
