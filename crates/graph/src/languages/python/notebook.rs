//! Jupyter notebooks: the code cells of a kernel that runs Python. Each line of a cell is a string of the JSON, mostly on a
//! line of its own, and keeps the line of the file that it starts on. A cell is a definition, so that what it runs has a
//! place with a name.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    facts::DefKind,
    languages::{
        Language,
        embedded_code::{EmbeddedCode, EmbeddedCodeDefinition, EmbeddedCodeFormat},
        line_numbers::LineNumbers,
    },
};

/// Commands of a whole cell or line behind which Python stands.
const RUNS_PYTHON: &[&str] = &["%capture", "%prun", "%time", "%timeit"];

pub(crate) struct Notebook;

/// What is read of a notebook's JSON. What is nested too deeply, or not closed, is no notebook.
#[derive(Deserialize)]
struct NotebookJson<'t> {
    #[serde(borrow, default)]
    cells: Vec<CellJson<'t>>,
    #[serde(default)]
    metadata: MetadataJson,
}

#[derive(Deserialize)]
struct CellJson<'t> {
    #[serde(borrow, default)]
    cell_type: Cow<'t, str>,
    /// A string, or a list of strings that are lines.
    #[serde(borrow)]
    source: Option<&'t RawValue>,
}

#[derive(Default, Deserialize)]
struct MetadataJson {
    kernelspec: Option<LanguageJson>,
    language_info: Option<LanguageJson>,
}

#[derive(Deserialize)]
struct LanguageJson {
    language: Option<String>,
    name: Option<String>,
}

impl EmbeddedCodeFormat for Notebook {
    fn code(&self, text: &str) -> EmbeddedCode {
        let mut cells = CellReader {
            text,
            numbers: LineNumbers::new(text),
            code: String::new(),
            lines: Vec::new(),
        };
        let mut parts = Vec::new();
        let notebook: Option<NotebookJson<'_>> = serde_json::from_str(text).ok();
        let read = notebook.filter(runs_python).map(|notebook| notebook.cells).unwrap_or_default();
        for (number, cell) in read.into_iter().enumerate() {
            let Some(source) = cell.source.filter(|_| cell.cell_type == "code") else { continue };
            let first = cells.lines.len();
            cells.read(source);
            if let (Some(start), Some(end)) = (cells.lines.get(first), cells.lines.last()) {
                parts.push(EmbeddedCodeDefinition {
                    kind: DefKind::Namespace,
                    name: format!("cell {}", number + 1),
                    start: *start,
                    end: *end,
                    signature: String::new(),
                });
            }
        }
        EmbeddedCode {
            language: Language::Python,
            text: cells.code,
            lines: Some(cells.lines),
            parts,
        }
    }
}

/// Whether the kernel of a notebook runs Python, as far as it is named.
fn runs_python(notebook: &NotebookJson<'_>) -> bool {
    let MetadataJson { kernelspec, language_info } = &notebook.metadata;
    let named = |it: &Option<LanguageJson>| {
        let it = it.as_ref()?;
        let name = it.language.as_ref().or(it.name.as_ref())?;
        Some(name.to_lowercase().contains("python"))
    };
    named(language_info).or_else(|| named(kernelspec)).unwrap_or(true)
}

/// Collects the code of cells, and the line of the file that each of its lines starts on.
struct CellReader<'t> {
    text: &'t str,
    numbers: LineNumbers<'t>,
    code: String,
    lines: Vec<u32>,
}

impl CellReader<'_> {
    fn read(&mut self, source: &RawValue) {
        let is_list = source.get().starts_with('[');
        let list = is_list.then(|| serde_json::from_str(source.get()).unwrap_or_default());
        let pieces: Vec<&RawValue> = list.unwrap_or_else(|| vec![source]);
        let mut cell = String::new();
        let mut lines = Vec::new();
        for piece in pieces {
            let code: String = serde_json::from_str(piece.get()).unwrap_or_default();
            if code.is_empty() {
                continue;
            }
            let line = self.line_of(piece);
            if cell.is_empty() || cell.ends_with('\n') {
                lines.push(line);
            }
            let starts = code.bytes().rev().skip(1).filter(|byte| *byte == b'\n').count();
            lines.extend(std::iter::repeat_n(line, starts));
            cell += &code;
        }
        if !cell.is_empty() && !cell.ends_with('\n') {
            cell.push('\n');
        }
        self.code += &without_commands(&cell);
        self.lines.append(&mut lines);
    }

    /// Returns the line of a part of the text, which stands behind those asked for before.
    fn line_of(&mut self, part: &RawValue) -> u32 {
        let at = part.get().as_ptr() as usize - self.text.as_ptr() as usize;
        self.numbers.line_of(at)
    }
}

/// Returns the code of a cell with nothing on the lines that are commands of the kernel or of the shell; nothing on all
/// lines when the cell is written in another language.
fn without_commands(cell: &str) -> String {
    let is_foreign = cell.trim_start().starts_with("%%")
        && command(cell.trim_start()).is_some_and(|word| !RUNS_PYTHON.contains(&&word[1..]));
    let line = |line: &str| {
        let code = line.trim_start();
        let indent = &line[..line.len() - code.len()];
        match command(code) {
            _ if is_foreign => String::new(),
            Some(word) if RUNS_PYTHON.contains(&word) => {
                format!("{indent}{}", code[word.len()..].trim_start())
            }
            Some(_) => String::new(),
            None => line.to_owned(),
        }
    };
    cell.lines().flat_map(|it| [line(it), "\n".to_owned()]).collect()
}

/// Returns the command that a line starts with: `%word`, `%%word`, or what is for the shell or asks for help.
fn command(code: &str) -> Option<&str> {
    let word = &code[..code.find(char::is_whitespace).unwrap_or(code.len())];
    let name = word.trim_start_matches('%');
    let is_word = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
    let is_command = match word.len() - name.len() {
        0 => word.starts_with('?') || word.starts_with('!') && !word.starts_with("!="),
        signs => signs <= 2 && is_word,
    };
    is_command.then_some(word)
}
