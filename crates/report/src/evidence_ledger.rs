//! The evidence ledger of a run: which lines were delivered to the model, and which ID (`c7`) stands for which place. A
//! line is delivered when it is part of a message to the model, after all truncation. The ledger also keeps the words
//! that no line matches, the words of queries and annotations, the folders that were listed, and the tokens of all
//! observations. It reads no files and renders nothing: the tools' renderer prints a result, then records here what it
//! printed.

use std::{
    collections::{BTreeMap, BTreeSet},
    fmt,
    str::FromStr,
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize, Serializer};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::{code_map::MAX_PLACE_LINES, prose_normalization::is_word_char};
use retriever_workspace::{RepoPath, UnknownVariant};

pub use retriever_search::Declaration;
pub use retriever_workspace::{FileVersion, LineRange, LineSet};

/// The ID of a place as the model sees it: `c7`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EvidenceId(u32);

impl fmt::Display for EvidenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "c{}", self.0)
    }
}

impl FromStr for EvidenceId {
    type Err = ();

    /// Parses `c7`. Ignores brackets, case and surrounding space, because models add them.
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

/// How lines were delivered.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<EvidenceSource>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvidenceSource {
    /// The candidate packet that opens the conversation.
    Packet,
    /// A listing of paths; it delivers no lines.
    Listing,
    /// Matching lines of a search, and the lines around them.
    Grep,
    /// A read of a file.
    Read,
    /// Signatures and call sites of a graph query.
    Graph,
}

/// A place that has an ID. Having an ID does not mean that its lines were delivered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdentifiedPlace {
    /// The ID.
    pub id: EvidenceId,
    /// The file.
    pub path: RepoPath,
    /// The lines; `None` for a file that was only listed.
    pub range: Option<LineRange>,
    /// The declaration that the place is the first line of, where the ID was shown with its extent.
    pub declares: Option<LineRange>,
}

/// The delivered lines of one file.
#[derive(Clone, Debug)]
pub struct FileEvidence {
    /// The file at the time of the last delivery.
    pub version: FileVersion,
    /// Lines delivered by any source.
    pub delivered: LineSet,
    /// Lines delivered by a read.
    pub read: LineSet,
    /// Lines that were delivered from an older content of the file; they are no longer evidence.
    pub superseded: LineSet,
    /// Known declarations of the file.
    pub declarations: BTreeSet<Declaration>,
    /// Tokens spent on the file.
    pub tokens: u64,
    text: BTreeMap<u32, String>,
}

impl FileEvidence {
    /// Returns the delivered lines inside `range` with their numbers.
    pub fn lines_in(&self, range: LineRange) -> impl Iterator<Item = (u32, &str)> {
        self.text.range(range.start()..=range.end()).map(|(number, line)| (*number, line.as_str()))
    }

    /// Returns all delivered lines with their numbers.
    pub fn delivered_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        self.text.iter().map(|(number, line)| (*number, line.as_str()))
    }

    /// Whether `range` is exactly the extent of a known declaration.
    pub fn is_declaration(&self, range: LineRange) -> bool {
        self.declarations.iter().any(|declaration| declaration.range == range)
    }
}

/// The evidence of one run.
#[derive(Clone, Debug, Default)]
pub struct EvidenceLedger {
    files: BTreeMap<RepoPath, FileEvidence>,
    places: Vec<IdentifiedPlace>,
    ids: BTreeMap<(RepoPath, Option<LineRange>), EvidenceId>,
    unmatched: BTreeSet<String>,
    asked: BTreeSet<String>,
    annotation_words: BTreeSet<String>,
    folders: BTreeSet<RepoPath>,
    tokens: u64,
}

impl EvidenceLedger {
    /// Returns an empty ledger.
    pub fn new() -> Self {
        Self::default()
    }

    /// Returns the ID of a place; assigns one if it has none. This does not make the place evidence.
    pub fn assign_id(&mut self, path: &RepoPath, range: Option<LineRange>) -> EvidenceId {
        let key = (path.clone(), range);
        if let Some(id) = self.ids.get(&key).copied() {
            // The ID of the first line of a declaration is from now on that of all of it.
            if let Some(place) = self.place_mut(id).filter(|place| place.declares == range) {
                place.range = range;
            }
            return id;
        }
        let id = EvidenceId(u32::try_from(self.places.len() + 1).unwrap_or(u32::MAX));
        self.places.push(IdentifiedPlace { id, path: path.clone(), range, declares: None });
        self.ids.insert(key, id);
        id
    }

    /// Returns the place of `id`.
    pub fn place(&self, id: EvidenceId) -> Option<&IdentifiedPlace> {
        let index = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.places.get(index)
    }

    /// Records that the place of `id` is the first line of a declaration with the extent `declares`, whose ID it becomes if
    /// that has none.
    pub fn record_first_line(&mut self, id: EvidenceId, declares: LineRange) {
        let Some(place) = self.place_mut(id) else { return };
        place.declares = Some(declares);
        let whole = (place.path.clone(), Some(declares));
        self.ids.entry(whole).or_insert(id);
    }

    fn place_mut(&mut self, id: EvidenceId) -> Option<&mut IdentifiedPlace> {
        let index = usize::try_from(id.0).ok()?.checked_sub(1)?;
        self.places.get_mut(index)
    }

    /// Returns the lines that `place` stands for in a citation: those of the declaration that it is the first line of, if all
    /// of them were delivered and they are not too many, else its own.
    pub(crate) fn cited_lines(&self, place: &IdentifiedPlace) -> Option<LineRange> {
        let file = self.files.get(&place.path);
        let is_delivered = |range: &LineRange| {
            range.width() <= MAX_PLACE_LINES
                && file.is_some_and(|file| file.delivered.contains(*range))
        };
        place.declares.filter(is_delivered).or(place.range)
    }

    /// Returns all places that have an ID, in the order in which the IDs were assigned.
    pub fn places(&self) -> &[IdentifiedPlace] {
        &self.places
    }

    /// Returns the narrowest place with an ID around `range`, if all lines of `range` were delivered from this content.
    pub fn delivered_as(
        &self,
        version: &FileVersion,
        range: LineRange,
    ) -> Option<&IdentifiedPlace> {
        let file = self.files.get(&version.path)?;
        if file.version.hash != version.hash || !file.delivered.contains(range) {
            return None;
        }
        let around = |place: &&IdentifiedPlace| {
            place.path == version.path && place.range.is_some_and(|place| place.covers(range))
        };
        let width = |place: &&IdentifiedPlace| place.range.map_or(u32::MAX, LineRange::width);
        self.places.iter().filter(around).min_by_key(width)
    }

    /// Records lines that a message to the model contains, as printed. Returns how many of them are new.
    ///
    /// If the file's content has changed since its last delivery, its earlier lines become superseded.
    pub fn record_delivery(
        &mut self,
        version: &FileVersion,
        source: EvidenceSource,
        lines: &[(u32, String)],
    ) -> u32 {
        let file = self.file_mut(version);
        let mut new = 0;
        for (number, text) in lines {
            let Some(range) = LineRange::line(*number) else { continue };
            new += file.delivered.insert(range);
            if source == EvidenceSource::Read {
                file.read.insert(range);
            }
            file.text.insert(*number, text.clone());
        }
        new
    }

    /// Records a declaration, so that a range wider than the limit can be recognised as exactly one declaration.
    pub fn record_declaration(&mut self, version: &FileVersion, declaration: Declaration) {
        self.file_mut(version).declarations.insert(declaration);
    }

    /// Records that no line of the repository matches a pattern in any case of its letters, as the model was told. Only
    /// alternatives that are single words are recorded: of `graphql|create table` the word `graphql`.
    pub fn record_unmatched(&mut self, pattern: &str) {
        let is_word = |part: &&str| part.len() > 2 && part.chars().all(is_word_char);
        self.unmatched.extend(pattern.split('|').filter(is_word).map(str::to_lowercase));
    }

    /// Records the words of a pattern or name that a tool was asked for and that its result repeats.
    pub fn record_asked(&mut self, pattern: &str) {
        let words = pattern.split(|c: char| !is_word_char(c));
        self.asked.extend(words.filter(|word| word.len() > 2).map(str::to_lowercase));
    }

    /// Records the words of a note beside a line: the declaration around it, and its callers.
    pub fn record_annotation(&mut self, annotation: &str) {
        let words = annotation.split(|c: char| !is_word_char(c));
        self.annotation_words.extend(words.filter(|word| word.len() > 2).map(str::to_owned));
    }

    /// Returns the words that were said of lines.
    pub fn annotation_words(&self) -> &BTreeSet<String> {
        &self.annotation_words
    }

    /// Returns the words, in lower case, that tools were asked for.
    pub fn asked(&self) -> &BTreeSet<String> {
        &self.asked
    }

    /// Returns the words, in lower case, that no line of the repository has.
    pub fn unmatched(&self) -> &BTreeSet<String> {
        &self.unmatched
    }

    /// Records a folder that was listed.
    pub fn record_folder(&mut self, folder: RepoPath) {
        self.folders.insert(folder);
    }

    /// Returns the folders that were listed.
    pub fn folders(&self) -> &BTreeSet<RepoPath> {
        &self.folders
    }

    /// Adds observed tokens to the run, and to `path` if they belong to a file.
    pub fn record_tokens(&mut self, path: Option<&RepoPath>, tokens: u64) {
        self.tokens += tokens;
        if let Some(file) = path.and_then(|path| self.files.get_mut(path)) {
            file.tokens += tokens;
        }
    }

    /// Returns the tokens of all observations so far.
    pub fn tokens(&self) -> u64 {
        self.tokens
    }

    /// Returns what is recorded of `path`.
    pub fn file(&self, path: &RepoPath) -> Option<&FileEvidence> {
        self.files.get(path)
    }

    /// Returns every recorded file, ordered by path.
    pub fn files(&self) -> impl Iterator<Item = &FileEvidence> {
        self.files.values()
    }

    fn file_mut(&mut self, version: &FileVersion) -> &mut FileEvidence {
        let file = self.files.entry(version.path.clone()).or_insert_with(|| FileEvidence {
            version: version.clone(),
            delivered: LineSet::new(),
            read: LineSet::new(),
            superseded: LineSet::new(),
            declarations: BTreeSet::new(),
            tokens: 0,
            text: BTreeMap::new(),
        });
        if file.version.hash != version.hash {
            for run in std::mem::take(&mut file.delivered).runs() {
                file.superseded.insert(*run);
            }
            file.read = LineSet::new();
            file.declarations.clear();
            file.text.clear();
            let of_file = self.places.iter_mut().filter(|place| place.path == version.path);
            of_file.for_each(|place| place.declares = None);
            let places = &self.places;
            self.ids.retain(|(path, range), id| {
                let place =
                    usize::try_from(id.0).ok().and_then(|id| places.get(id.checked_sub(1)?));
                *path != version.path || place.is_some_and(|place| place.range == *range)
            });
            file.version = version.clone();
        }
        file
    }
}
