//! The vectors of a declaration (of its name and its owner's, of the comment above it, and of its first lines), and its
//! other data that depends on no query.

use super::file_words::FileWords;
use crate::{
    declarations::{FileOutline, NestedDeclaration},
    words::{self, TextVector},
};
use retriever_workspace::LineRange;

/// Lines of the comment, and of the beginning, that are read.
const MAX_COMMENT_LINES: u32 = 12;
const MAX_FIRST_LINES: u32 = 40;
/// Weights of the parts.
const NAME: f32 = 1.0;
const OWNER: f32 = 0.4;
const COMMENT: f32 = 0.7;
const FIRST_LINES: f32 = 0.5;

/// What a declaration is about.
#[derive(Debug, Default)]
pub(crate) struct DeclarationVectors {
    pub(crate) name: TextVector,
    pub(crate) comment: TextVector,
    pub(crate) first_lines: TextVector,
    /// All parts together.
    pub(crate) whole: TextVector,
    /// Words of its name that are no stop words.
    pub(crate) name_words: usize,
}

impl DeclarationVectors {
    /// Returns those of a declaration, which has a number in the outline of the file.
    pub(super) fn of(file_words: &FileWords<'_>, outline: &FileOutline, number: usize) -> Self {
        let Some(declared) = outline.declared.get(number) else { return Self::default() };
        let name_words = words::content_words(&declared.declaration.name);
        let mut vectors = Self { name_words, ..Self::default() };
        let name_of = |found: &NestedDeclaration| {
            let line = found.declaration.range.start();
            file_words.vectors_of_name(line, &found.declaration.name).into_iter()
        };
        vectors.name.add_words(name_of(declared), NAME);
        if let Some(owner) = declared.parent.and_then(|owner| outline.declared.get(owner)) {
            vectors.name.add_words(name_of(owner), OWNER);
        }
        let (start, end) = (declared.declaration.range.start(), declared.declaration.range.end());
        let leading = outline.facts.get(number).map_or(start, |facts| facts.leading_line);
        let first = leading.max(start.saturating_sub(MAX_COMMENT_LINES));
        if let Some(lines) = LineRange::new(first, start.saturating_sub(1)) {
            vectors.comment.add_words(file_words.vectors(lines), COMMENT);
        }
        if let Some(lines) = LineRange::new(start, end.min(start + MAX_FIRST_LINES)) {
            vectors.first_lines.add_words(file_words.vectors(lines), FIRST_LINES);
        }
        vectors.whole = vectors.name.clone();
        vectors.whole.add_vector(&vectors.comment, 1.0);
        vectors.whole.add_vector(&vectors.first_lines, 1.0);
        vectors
    }
}
