//! The vectors of a declaration (of its name and its owner's, of the comment above it, and of its first lines), and its
//! other data that depends on no query.

use super::file_words::FileWords;
use crate::{
    declarations::{FileOutline, NestedDeclaration, is_private},
    words::{self, MeasuredVector, TextVector},
};
use retriever_workspace::{LineRange, TextFile};

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
    pub(crate) name: MeasuredVector,
    pub(crate) comment: MeasuredVector,
    pub(crate) first_lines: MeasuredVector,
    /// All parts together.
    pub(crate) whole: MeasuredVector,
    /// Words of its name that are no stop words.
    pub(crate) name_words: usize,
    pub(crate) is_private: bool,
}

impl DeclarationVectors {
    /// Returns those of a declaration, which has a number in the outline of the file.
    pub(super) fn of(
        file: &TextFile,
        file_words: &FileWords<'_>,
        outline: &FileOutline,
        number: usize,
    ) -> Self {
        let Some(declared) = outline.declared.get(number) else { return Self::default() };
        let (mut name, mut comment, mut first_lines) =
            (TextVector::default(), TextVector::default(), TextVector::default());
        let name_of = |found: &NestedDeclaration| {
            let line = found.declaration.range.start();
            file_words.vectors_of_name(line, &found.declaration.name).into_iter()
        };
        name.add_words(name_of(declared), NAME);
        if let Some(owner) = declared.parent.and_then(|owner| outline.declared.get(owner)) {
            name.add_words(name_of(owner), OWNER);
        }
        let (start, end) = (declared.declaration.range.start(), declared.declaration.range.end());
        let leading = outline.facts.get(number).map_or(start, |facts| facts.leading_line);
        let first = leading.max(start.saturating_sub(MAX_COMMENT_LINES));
        if let Some(lines) = LineRange::new(first, start.saturating_sub(1)) {
            comment.add_words(file_words.vectors(lines), COMMENT);
        }
        if let Some(lines) = LineRange::new(start, end.min(start + MAX_FIRST_LINES)) {
            first_lines.add_words(file_words.vectors(lines), FIRST_LINES);
        }
        let mut whole = name.clone();
        whole.add_vector(&comment, 1.0);
        whole.add_vector(&first_lines, 1.0);
        let own_name = &declared.declaration.name;
        let line = file.line(start).unwrap_or_default();
        let modifiers = line.get(..declared.name_column.into()).unwrap_or_default();
        Self {
            name: name.measured(),
            comment: comment.measured(),
            first_lines: first_lines.measured(),
            whole: whole.measured(),
            name_words: words::content_words(own_name),
            is_private: is_private(modifiers, own_name, file.extension()),
        }
    }
}
