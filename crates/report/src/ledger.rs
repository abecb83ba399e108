//! The ledger: the only record of evidence. A line is evidence when it was delivered, that is, printed in a message to
//! the model after every cut. The ledger also hands out the IDs (`c7`) by which a model names places. It never
//! reads a file and never renders one: the tools' renderer cuts and prints, then registers here what is left.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

pub use retriever_search::Declaration;
pub use retriever_workspace::{FileStamp, LineRange, LineSet};
use serde::{Serialize, Serializer};

use retriever_workspace::{RepoPath, vocabulary};

/// The name of a place, as printed to the model: `c7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceId(u32);

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

impl FromStr for EvidenceId {
    type Err = ();

    /// Reads `c7`; brackets, case and surrounding space don't matter, since models add them.
    fn from_str(text: &str) -> Result<Self, ()> {
        let text = text.trim().trim_start_matches('[').trim_end_matches(']');
        let digits = text.strip_prefix(['c', 'C']).ok_or(())?;
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(());
        }
        digits.parse().map(Self).map_err(|_| ())
    }
}

impl Serialize for EvidenceId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

vocabulary! {
    /// How lines came to be delivered.
    Source {
        /// A line of the candidate packet that opens the conversation.
        Packet = "packet",
        /// A path in a listing; it carries no lines.
        Listing = "listing",
        /// A line that matched, or stood around a match.
        Grep = "grep",
        /// Lines that were read.
        Read = "read",
        /// A signature or call-site line of a graph answer.
        Graph = "graph",
    }
}

/// A named place. That it has a name says nothing about whether its lines were delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The name.
    pub id: EvidenceId,
    /// The file.
    pub path: RepoPath,
    /// The lines; `None` for a file that was only listed.
    pub range: Option<LineRange>,
}

/// Everything delivered of one file.
#[derive(Clone, Debug)]
pub struct FileEvidence {
    /// The file as it was when its lines were delivered.
    pub stamp: FileStamp,
    /// Lines delivered by any source.
    pub delivered: LineSet,
    /// Lines delivered by a read.
    pub read: LineSet,
    /// Lines that were delivered from an older content of the file and are evidence no longer.
    pub superseded: LineSet,
    /// Declarations known in the file.
    pub declarations: BTreeSet<Declaration>,
    /// Tokens spent on the file.
    pub tokens: u64,
    text: BTreeMap<u32, String>,
}

impl FileEvidence {
    /// The delivered lines inside `range`, with their numbers.
    pub fn text_of(&self, range: LineRange) -> impl Iterator<Item = (u32, &str)> {
        self.text.range(range.start()..=range.end()).map(|(number, line)| (*number, line.as_str()))
    }

    /// Whether `range` is exactly a known declaration.
    pub fn is_declaration(&self, range: LineRange) -> bool {
        self.declarations.iter().any(|declaration| declaration.range == range)
    }
}

/// The record of one run.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    files: BTreeMap<RepoPath, FileEvidence>,
    places: Vec<Place>,
    known: BTreeMap<(RepoPath, Option<LineRange>), EvidenceId>,
    tokens: u64,
}

impl Ledger {
    /// Returns an empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// Names a place, or returns the name it already has. Nothing becomes evidence by being named.
    pub fn name(&mut self, path: &RepoPath, range: Option<LineRange>) -> EvidenceId {
        let key = (path.clone(), range);
        if let Some(id) = self.known.get(&key) {
            return *id;
        }
        let id = EvidenceId(u32::try_from(self.places.len() + 1).unwrap_or(u32::MAX));
        self.places.push(Place { id, path: path.clone(), range });
        self.known.insert(key, id);
        id
    }

    /// Returns the place that `id` names.
    pub fn place(&self, id: EvidenceId) -> Option<&Place> {
        let index = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.places.get(index)
    }

    /// All named places, in the order of their naming.
    pub fn places(&self) -> &[Place] {
        &self.places
    }

    /// Registers lines that are in a message to the model, text as printed, and returns how many are new.
    ///
    /// When the file's content is another than at its last delivery, what was delivered before is superseded.
    pub fn deliver(&mut self, stamp: &FileStamp, source: Source, lines: &[(u32, String)]) -> u32 {
        let file = self.file_mut(stamp);
        let mut new = 0;
        for (number, text) in lines {
            let Some(range) = LineRange::line(*number) else { continue };
            new += file.delivered.insert(range);
            if source == Source::Read {
                file.read.insert(range);
            }
            file.text.insert(*number, text.clone());
        }
        new
    }

    /// Records the extent of a declaration, so that a range wider than the limit can be recognised as one.
    pub fn declare(&mut self, stamp: &FileStamp, declaration: Declaration) {
        self.file_mut(stamp).declarations.insert(declaration);
    }

    /// Adds to the tokens observed in all, and for `path` when the tokens are a file's.
    pub fn spend(&mut self, path: Option<&RepoPath>, tokens: u64) {
        self.tokens += tokens;
        if let Some(file) = path.and_then(|path| self.files.get_mut(path)) {
            file.tokens += tokens;
        }
    }

    /// Tokens of all observations so far.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// What was delivered of `path`, if anything was.
    pub fn file(&self, path: &RepoPath) -> Option<&FileEvidence> {
        self.files.get(path)
    }

    /// Every file of which something is known, by path.
    pub fn files(&self) -> impl Iterator<Item = &FileEvidence> {
        self.files.values()
    }

    fn file_mut(&mut self, stamp: &FileStamp) -> &mut FileEvidence {
        let file = self.files.entry(stamp.path.clone()).or_insert_with(|| FileEvidence {
            stamp: stamp.clone(),
            delivered: LineSet::new(),
            read: LineSet::new(),
            superseded: LineSet::new(),
            declarations: BTreeSet::new(),
            tokens: 0,
            text: BTreeMap::new(),
        });
        if file.stamp.hash != stamp.hash {
            for run in std::mem::take(&mut file.delivered).runs() {
                file.superseded.insert(*run);
            }
            file.read = LineSet::new();
            file.declarations.clear();
            file.text.clear();
            file.stamp = stamp.clone();
        }
        file
    }
}
