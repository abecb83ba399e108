//! What was written into which file, so that it can be taken back to the byte. Kept in a file of the program's own.

use std::{
    io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{HostAgent, SetupPart, TextInsertion, host_agent_files};

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WrittenFile {
    /// Who reads it.
    pub agents: Vec<HostAgent>,
    /// What of retriever stands in it.
    pub part: SetupPart,
    /// The file.
    pub path: PathBuf,
    /// The root of the project that it belongs to; `None` for a file of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project: Option<PathBuf>,
    /// BLAKE3 of its text after it was written.
    pub after: String,
    /// Whether there was no file before.
    pub made_file: bool,
    /// What was inserted, by offsets in the text before.
    pub insertions: Vec<TextInsertion>,
    /// Enclosing objects that had to be made for the entry.
    pub made: usize,
}

/// All files that were written.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SetupJournal {
    written: Vec<WrittenFile>,
    /// Folders that had to be made, outer ones before inner ones.
    folders: Vec<PathBuf>,
}

impl SetupJournal {
    /// Reads the journal; a file that is not there is an empty one.
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

    /// Writes the journal, or removes its file when nothing is left in it.
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

    /// Returns the files that were written, in the order in which they were.
    pub fn written(&self) -> &[WrittenFile] {
        &self.written
    }

    /// Returns the file under any of its names.
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

    /// Notes that an agent reads the file, too.
    pub(crate) fn join(&mut self, path: &Path, agent: HostAgent) {
        for written in self.written.iter_mut().filter(|written| written.path == path) {
            if !written.agents.contains(&agent) {
                written.agents.push(agent);
            }
        }
    }

    /// Notes that an agent reads the file no more.
    pub(crate) fn leave(&mut self, path: &Path, agent: HostAgent) {
        for written in self.written.iter_mut().filter(|written| written.path == path) {
            written.agents.retain(|reader| *reader != agent);
        }
    }

    /// Removes the folders that were made and are empty now.
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

/// Returns the hash by which the journal knows a text.
pub(crate) fn hash(text: &str) -> String {
    blake3::hash(text.as_bytes()).to_hex().to_string()
}
