//! What a question looks for: its terms, and the files that it mentions.

/// What a term is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermForm {
    /// A whole identifier.
    Whole,
    /// A word of an identifier or of text.
    Word,
    /// Two adjacent words.
    Pair,
}

/// Something to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As the question wrote it; words in lower case.
    pub text: String,
    /// The form that is compared: an identifier without separators and case, a stem, or two stems with a space.
    pub stem: String,
    /// Weight of a match before rarity is counted, about 0.1 to 3.
    pub weight: f64,
    /// Whether it was written as a name in code, or between quotes, and not in pasted text.
    pub is_named: bool,
    /// What it is compared with.
    pub form: TermForm,
}

/// A path or file name in the question, with the line beside it if there is one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMention {
    /// As written, with `/` between components.
    pub path: String,
    /// The line.
    pub line: Option<u32>,
    /// Number of frames between this one and the innermost; none for what is no frame of a stack trace.
    pub frame: Option<u32>,
}
