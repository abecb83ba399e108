//! The score of a place as a sum of named parts, so that every place says why it ranks where it does.

use strum::{AsRefStr, VariantArray};

/// A part of a score.
#[derive(AsRefStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ScorePart {
    /// Words in the file.
    File,
    /// Words in its path.
    Path,
    /// The question names the file.
    Mentioned,
    /// The question quotes a text of the file.
    Quoted,
    /// Similarity by the user's model.
    Embedding,
    /// The caller points at the file.
    Hint,
    /// What the file loses or gains by its kind.
    Kind,
    /// Similarity of the file's chunks.
    Topic,
    /// Words in the name.
    Name,
    /// The name as a whole.
    #[strum(serialize = "whole name")]
    WholeName,
    /// Words in the lines.
    Body,
    /// Different words of the question in one place.
    Together,
    /// Words in the owner's name.
    Owner,
    /// What lines lose that declare nothing.
    #[strum(serialize = "no declaration")]
    NoDeclaration,
    /// Similarity of the place.
    Meaning,
    /// The question names the line.
    Line,
    /// The question quotes a text of the place.
    #[strum(serialize = "quoted line")]
    QuotedLine,
    /// Call density.
    Work,
    /// What the place loses by its kind and its file's.
    #[strum(serialize = "kind of place")]
    KindOfPlace,
    /// Closeness in the graph.
    Graph,
    /// The learned order of passages.
    Learned,
    /// What a name loses that many have.
    #[strum(serialize = "common name")]
    CommonName,
    /// Other places of the file that fit.
    Corroboration,
    /// The learned order of files.
    #[strum(serialize = "file order")]
    FileOrder,
    /// The query is nothing but the name that it declares.
    Declares,
    /// The same, of the declaration that is meant.
    #[strum(serialize = "asked for")]
    AskedFor,
    /// The order of constructors and methods.
    Makes,
}

impl ScorePart {
    /// Whether a passage has it from its file.
    pub(crate) fn is_of_file(self) -> bool {
        use ScorePart::{File, Hint, Kind, Mentioned, Path, Quoted, Topic};
        matches!(self, File | Path | Mentioned | Quoted | Hint | Kind | Topic)
    }

    /// Whether it is evidence for what is asked for: something is always most similar, and what other places say is counted there.
    pub(crate) fn is_evidence(self) -> bool {
        use ScorePart::{CommonName, Corroboration, FileOrder, Meaning, Topic};
        !matches!(self, Meaning | Topic | Corroboration | CommonName | FileOrder)
    }
}

/// The parts of a score, each in points; the score is their sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreParts([f64; ScorePart::VARIANTS.len()]);

impl Default for ScoreParts {
    fn default() -> Self {
        Self([0.0; ScorePart::VARIANTS.len()])
    }
}

impl ScoreParts {
    /// Returns the sum.
    pub fn total(&self) -> f64 {
        self.0.iter().sum()
    }

    /// Returns the points of a part.
    pub fn get(&self, part: ScorePart) -> f64 {
        self.0[part as usize]
    }

    /// Returns the parts that have points.
    pub fn iter(&self) -> impl Iterator<Item = (ScorePart, f64)> {
        let parts = ScorePart::VARIANTS.iter().copied().zip(self.0);
        parts.filter(|(_, points)| *points != 0.0)
    }

    pub(crate) fn add(&mut self, part: ScorePart, points: f64) {
        self.0[part as usize] += points;
    }

    /// Whether any of these parts has points.
    pub(crate) fn has_any(&self, parts: &[ScorePart]) -> bool {
        parts.iter().any(|part| self.get(*part) != 0.0)
    }

    /// Returns the sum of the parts for which `is_counted` holds.
    pub(crate) fn sum_of(&self, is_counted: impl Fn(ScorePart) -> bool) -> f64 {
        self.iter().filter(|(part, _)| is_counted(*part)).map(|(_, points)| points).sum()
    }

    /// Whether the question, or its caller, points at the place.
    pub(crate) fn is_pointed_at(&self) -> bool {
        self.has_any(&[ScorePart::Mentioned, ScorePart::Hint, ScorePart::QuotedLine])
    }
}
