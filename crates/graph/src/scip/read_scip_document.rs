//! Reads what a SCIP index says of one document, and refuses when the file isn't the one that was indexed. SCIP has no
//! hash of the content: unless it has the text itself, every occurrence has to lie on a word that can be its symbol's.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    facts::{
        ImportSelection, ModuleExport, Sym,
        scip_file_data::{ScipFileData, ScipOccurrence, ScipSupertype, ScipTarget},
    },
    indexing::FileFacts,
    scip::{
        scip_messages::{
            DEFINITION, FORWARD_DEFINITION, ScipDocumentMessage, ScipOccurrenceMessage,
        },
        scip_symbol,
    },
};

/// Words that stand for a symbol by another name in every language.
const STAND_INS: &[&str] =
    &["self", "Self", "cls", "this", "super", "constructor", "default", "crate", "base"];

/// Where symbols are defined, over all documents.
pub(super) struct ScipDefinitions<'i> {
    /// The first place of each: path, line from 1, word.
    places: BTreeMap<&'i str, (String, u32, String)>,
    /// Whose symbols are defined.
    packages: BTreeSet<&'i str>,
}

/// A line of a file, cut by columns.
struct Lines<'t> {
    lines: Vec<&'t str>,
    encoding: i32,
}

/// A word where an occurrence says that it is.
struct WordRange<'t> {
    line: u32,
    text: &'t str,
    before: &'t str,
    after: &'t str,
}

impl<'i> ScipDefinitions<'i> {
    /// Finds them in documents that belong to files, given with their paths and texts; `all` are there beside them.
    pub(super) fn of(
        documents: &[(&'i ScipDocumentMessage, &str, &str)],
        all: impl Iterator<Item = &'i ScipDocumentMessage>,
    ) -> Self {
        let mut found = Self { places: BTreeMap::new(), packages: BTreeSet::new() };
        let occurrences = all.flat_map(|document| &document.occurrences);
        let defined = occurrences.filter(|occurrence| is_definition(occurrence));
        found.packages.extend(defined.map(|occurrence| scip_symbol::package(&occurrence.symbol)));
        for (document, path, text) in documents {
            let lines = Lines::of(text, document);
            for occurrence in
                document.occurrences.iter().filter(|occurrence| is_definition(occurrence))
            {
                if scip_symbol::is_local(&occurrence.symbol) {
                    continue;
                }
                let Some(range) = lines.range(occurrence) else { continue };
                let place = || ((*path).to_owned(), range.line, range.text.to_owned());
                found.places.entry(&occurrence.symbol).or_insert_with(place);
            }
        }
        found
    }

    /// Returns where a symbol is defined; `None` when the index doesn't know but should.
    fn place(&self, of: &str) -> Option<ScipTarget<'_>> {
        match self.places.get(of) {
            Some((path, line, word)) => Some(ScipTarget::Here { path, line: *line, word }),
            None if self.packages.contains(scip_symbol::package(of)) => None,
            None => Some(ScipTarget::Outside),
        }
    }
}

/// Whether `document` was made from `text`.
pub(super) fn belongs(document: &ScipDocumentMessage, text: &str, facts: &FileFacts) -> bool {
    if !document.text.is_empty() {
        return document.text == text;
    }
    let lines = Lines::of(text, document);
    let renamed: BTreeSet<&str> = renamed(facts).map(|name| facts.text(name)).collect();
    document.occurrences.iter().all(|occurrence| {
        let Some(range) = lines.range(occurrence) else { return false };
        if scip_symbol::is_local(&occurrence.symbol) {
            return range.is_whole();
        }
        // A file or module is defined by nothing that is written.
        (range.text.is_empty() && is_definition(occurrence))
            || range.is_whole()
                && (scip_symbol::is_written(&occurrence.symbol, range.text)
                    || !is_definition(occurrence)
                        && (!range.is_word()
                            || renamed.contains(range.text)
                            || STAND_INS.contains(&range.text)))
    })
}

/// Words that a file may use for what has another name elsewhere.
fn renamed(facts: &FileFacts) -> impl Iterator<Item = Sym> {
    let imported = facts.imports.iter().flat_map(|import| {
        let taken = match import.taken {
            ImportSelection::Name(name) => Some(name),
            ImportSelection::Module | ImportSelection::All => None,
        };
        import.local.into_iter().chain(taken)
    });
    let exported = facts.exports.iter().filter_map(|export| match export {
        ModuleExport::Local { name, .. }
        | ModuleExport::Value { name, .. }
        | ModuleExport::Import { name, .. } => Some(*name),
        ModuleExport::All(_) => None,
    });
    imported.chain(exported)
}

/// The data of `document`, for the file that it was made from.
pub(super) fn file_data(
    document: &ScipDocumentMessage,
    hash: [u8; 32],
    text: &str,
    definitions: &ScipDefinitions<'_>,
) -> ScipFileData {
    let lines = Lines::of(text, document);
    let mut words = Vec::new();
    for occurrence in &document.occurrences {
        if scip_symbol::is_local(&occurrence.symbol) || is_definition(occurrence) {
            continue;
        }
        let (Some(range), Some(place)) =
            (lines.range(occurrence), definitions.place(&occurrence.symbol))
        else {
            continue;
        };
        if range.is_word() {
            let called = range.after.trim_start().starts_with('(');
            words.push(ScipOccurrence { line: range.line, word: range.text, place, called });
        }
    }
    let mut supers: Vec<ScipSupertype<'_>> = Vec::new();
    for information in &document.symbols {
        let related: Vec<&str> = information
            .relationships
            .iter()
            .filter(|relationship| relationship.is_implementation)
            .map(|relationship| relationship.symbol.as_str())
            .collect();
        if let Some((_, line, word)) = definitions.places.get(information.symbol.as_str())
            && let Some(places) =
                related.iter().map(|to| definitions.place(to)).collect::<Option<Vec<_>>>()
            && !places.is_empty()
        {
            supers.push(((*line, word), places));
        }
    }
    ScipFileData::new(hash, &words, &supers)
}

fn is_definition(occurrence: &ScipOccurrenceMessage) -> bool {
    occurrence.roles & (DEFINITION | FORWARD_DEFINITION) != 0
}

impl<'t> Lines<'t> {
    fn of(text: &'t str, document: &ScipDocumentMessage) -> Self {
        let lines = text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).collect();
        Self { lines, encoding: document.position_encoding }
    }

    /// The text of an occurrence on one line; of one on several lines nothing. `None` outside the text.
    fn range(&self, occurrence: &ScipOccurrenceMessage) -> Option<WordRange<'t>> {
        let (row, from, to) = match *occurrence.range.as_slice() {
            [row, from, to] => (row, from, to),
            [row, from, last, to] if row == last => (row, from, to),
            [row, from, ..] => (row, from, from),
            _ => return None,
        };
        let line = *self.lines.get(usize::try_from(row).ok()?)?;
        let (from, to) = (self.byte(line, from)?, self.byte(line, to)?);
        Some(WordRange {
            line: u32::try_from(row).ok()? + 1,
            text: line.get(from..to)?,
            before: &line[..from],
            after: &line[to..],
        })
    }

    fn byte(&self, line: &str, column: i32) -> Option<usize> {
        let column = usize::try_from(column).ok()?;
        match self.encoding {
            1 => (column <= line.len()).then_some(column),
            _ if line.is_ascii() => (column <= line.len()).then_some(column),
            encoding => {
                let mut units = 0;
                for (at, c) in line.char_indices() {
                    if units >= column {
                        return (units == column).then_some(at);
                    }
                    units += if encoding == 3 { 1 } else { c.len_utf16() };
                }
                (units == column).then_some(line.len())
            }
        }
    }
}

impl WordRange<'_> {
    /// Whether it is one identifier.
    fn is_word(&self) -> bool {
        !self.text.is_empty() && self.text.chars().all(is_part)
    }

    /// Whether it begins and ends where words do.
    fn is_whole(&self) -> bool {
        let joined = |left: Option<char>, right: Option<char>| {
            left.is_some_and(is_part) && right.is_some_and(is_part)
        };
        !self.text.is_empty()
            && !joined(self.before.chars().next_back(), self.text.chars().next())
            && !joined(self.text.chars().next_back(), self.after.chars().next())
    }
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '$')
}
