//! The texts of a file that get vectors: one for each declaration that says something, and one for the file as a whole. A text
//! begins with where it stands, since a path says what a file is about. It depends on nothing but the file, and secret values
//! are masked in it, as in every [`TextFile`].

use retriever_workspace::{LineRange, TextFile};

use crate::declarations::FileOutline;

/// Changes when other texts are made of the same file: then all vectors are made anew.
pub(super) const VERSION: u32 = 1;
/// Bytes of a text. Small models read 256 to 512 tokens, and the first lines say most.
const MAX_BYTES: usize = 1_000;
/// Bytes of a file's first lines that speak for it.
const HEAD_BYTES: usize = 400;
/// Texts of one file.
const MAX_TEXTS: usize = 400;

/// A text with the lines that it stands for.
pub(super) struct EmbeddedText {
    /// The declaration without its comment; for the file, its first line.
    pub(super) range: LineRange,
    pub(super) text: String,
}

/// Returns the texts of a file, that of the file first.
pub(super) fn texts_of(file: &TextFile, outline: &FileOutline) -> Vec<EmbeddedText> {
    let declared = (0..outline.declared.len()).filter(|at| says_something(outline, *at));
    let declared = declared.map(|at| EmbeddedText {
        range: outline.declared[at].declaration.range,
        text: text_of_declaration(file, outline, at),
    });
    head_of(file, outline).into_iter().chain(declared).take(MAX_TEXTS).collect()
}

/// Whether a declaration has more than one line, or a comment: a bare field or constant says no more than its owner does.
fn says_something(outline: &FileOutline, at: usize) -> bool {
    let range = outline.declared[at].declaration.range;
    range.width() > 1 || outline.facts[at].leading_line < range.start()
}

fn text_of_declaration(file: &TextFile, outline: &FileOutline, at: usize) -> String {
    let found = &outline.declared[at];
    let owner = found.parent.map(|parent| outline.declared[parent].declaration.name.as_str());
    let mut text = Clipped::new(MAX_BYTES);
    text.line(file.path.as_str());
    let name = &found.declaration.name;
    text.line(&owner.map_or_else(|| name.clone(), |owner| format!("{owner} {name}")));
    let range = found.declaration.range;
    let first = outline.facts[at].leading_line.min(range.start());
    add_lines(file, LineRange::new(first, range.end()), &mut text);
    text.text
}

/// Returns the text of the file as a whole: its first lines and the names that it declares.
fn head_of(file: &TextFile, outline: &FileOutline) -> Option<EmbeddedText> {
    let range = LineRange::new(1, 1)?;
    let mut text = Clipped::new(HEAD_BYTES);
    text.line(file.path.as_str());
    let first = outline.facts.first().map_or(file.line_count(), |facts| facts.leading_line);
    add_lines(file, LineRange::new(1, first.saturating_sub(1).max(1)), &mut text);
    let mut text = Clipped { text: text.text, max_bytes: MAX_BYTES };
    for found in outline.declared.iter().filter(|found| found.parent.is_none()) {
        if !text.line(&found.declaration.name) {
            break;
        }
    }
    Some(EmbeddedText { range, text: text.text })
}

/// Adds lines without their indentation, and without empty ones.
fn add_lines(file: &TextFile, range: Option<LineRange>, text: &mut Clipped) {
    let lines = range.into_iter().flat_map(|range| file.lines(range));
    for (_, line) in lines {
        let line = line.trim();
        if !line.is_empty() && !text.line(line) {
            break;
        }
    }
}

/// A text with a bound.
struct Clipped {
    text: String,
    max_bytes: usize,
}

impl Clipped {
    fn new(max_bytes: usize) -> Self {
        Self { text: String::new(), max_bytes }
    }

    /// Adds as much of a line as has room. Returns whether there is room for more.
    fn line(&mut self, line: &str) -> bool {
        let room = self.max_bytes.saturating_sub(self.text.len() + 1);
        let end = line.floor_char_boundary(room);
        self.text.push_str(&line[..end]);
        self.text.push('\n');
        end == line.len() && room > line.len()
    }
}
