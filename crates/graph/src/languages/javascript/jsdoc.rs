//! JSDoc: the types that comments of JavaScript tell, as a text of TypeScript in which each stands where the comment has it.

use std::ops::Range;

use crate::{
    languages::line_numbers::LineNumbers,
    lowering::{CommentModule, CommentNotation, CommentTag, CommentTagKind, CommentTypes},
};

/// Written before a type so that it is a statement, in the place of its tag and brace.
const BEFORE_TYPE: &str = "a as ";
/// Types that say less than any value.
const VAGUE: &[&str] = &[
    "any",
    "array",
    "function",
    "mixed",
    "null",
    "object",
    "promise",
    "undefined",
    "unknown",
    "void",
];
/// Between a comment and a name stand `const`, `this.`, `static #`, `export function*`, `a:` and quotes.
const NOTATION: CommentNotation =
    CommentNotation { alias_tag: "@typedef", head_signs: "_$.=:#'\"*" };
/// Modules that the types of one file may name in their places.
const MAX_MODULES: usize = 1_000;

/// Returns what the comments of a text tell; `None` when they tell nothing.
pub(super) fn comment_types(source: &str) -> Option<CommentTypes> {
    let (text, tags, modules) = (Vec::new(), Vec::new(), Vec::new());
    let lines = LineNumbers::new(source);
    let mut reader = Reader { source, text, tags, modules, lines };
    let mut from = 0;
    while let Some(start) = source[from..].find("/**").map(|at| from + at) {
        let Some(length) = source[start + 3..].find("*/") else { break };
        let end = start + 3 + length + 2;
        if source[start..].starts_with("/**/") {
            from = start + 4;
            continue;
        }
        reader.comment(&(start..end));
        from = end;
    }
    if reader.tags.is_empty() {
        return None;
    }
    let text = String::from_utf8(reader.text).ok()?;
    let (tags, modules) = (reader.tags, reader.modules);
    Some(CommentTypes { text, tags, modules, notation: &NOTATION })
}

struct Reader<'s> {
    source: &'s str,
    /// The text of the types; empty before the first tag.
    text: Vec<u8>,
    tags: Vec<CommentTag>,
    modules: Vec<CommentModule>,
    lines: LineNumbers<'s>,
}

impl Reader<'_> {
    /// Reads the tags of a comment: each starts a line, and what it says ends before the next one.
    fn comment(&mut self, comment: &Range<usize>) {
        let source = self.source;
        let body = comment.end - 2;
        let mut tag = None;
        let mut line_start = comment.start;
        for line in source[comment.start..body].split_inclusive('\n') {
            let text =
                line.trim_start_matches(|c: char| c.is_whitespace() || matches!(c, '*' | '/'));
            let next_line = line_start + line.len();
            if text.starts_with('@')
                && let Some(start) = tag.replace(next_line - text.len() + 1)
            {
                self.tag(comment, start..line_start);
            }
            line_start = next_line;
        }
        if let Some(start) = tag {
            self.tag(comment, start..body);
        }
    }

    /// Reads a tag from its word on.
    fn tag(&mut self, comment: &Range<usize>, Range { start, end }: Range<usize>) {
        let rest = &self.source[start..end];
        let word = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
        let kind = match &rest[..word] {
            "param" | "arg" | "argument" => CommentTagKind::Param,
            "returns" | "return" => CommentTagKind::Result,
            "type" | "satisfies" => CommentTagKind::Value,
            "typedef" => CommentTagKind::Alias,
            "callback" => CommentTagKind::Callback,
            "property" | "prop" => CommentTagKind::Property,
            "implements" => CommentTagKind::Implements,
            "template" => CommentTagKind::TypeParam,
            "import" => CommentTagKind::Import,
            _ => return,
        };
        self.start();
        if kind == CommentTagKind::Import {
            self.copy(start..end);
            if end + 2 == comment.end {
                self.text[end] = b';';
            }
            let (name, statement, comment) = (String::new(), Some(start), comment.clone());
            self.tags.push(CommentTag { kind, comment, statement, name, is_each: false });
            return;
        }
        let mut at = start + word;
        at += rest[word..].len() - rest[word..].trim_start_matches([' ', '\t']).len();
        let ty = self.braces(at..end);
        let mut statement = None;
        let is_each = ty.as_ref().is_some_and(|ty| self.source[ty.clone()].starts_with("..."));
        if let Some(ty) = ty {
            at = ty.end + 1;
            let before = ty.start - BEFORE_TYPE.len();
            if before >= start && self.put_type(ty) {
                statement = Some(before);
            }
        }
        let name = name(kind, &self.source[at..end]);
        let needs_name = !matches!(
            kind,
            CommentTagKind::Result | CommentTagKind::Value | CommentTagKind::Implements
        );
        if !(needs_name && name.is_empty()) {
            let comment = comment.clone();
            self.tags.push(CommentTag { kind, comment, statement, name, is_each });
        }
    }

    /// Makes the text of the types blank, as long as the source and with its lines.
    fn start(&mut self) {
        if self.text.is_empty() {
            let blank = |byte: u8| if byte == b'\n' { b'\n' } else { b' ' };
            self.text = self.source.bytes().map(blank).collect();
        }
    }

    /// The bytes between the braces that a part of a comment starts with.
    fn braces(&self, part: Range<usize>) -> Option<Range<usize>> {
        let open = part.start;
        let inner = self.source[part].strip_prefix('{')?;
        let mut depth = 1;
        for (at, c) in inner.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                return Some(open + 1..open + 1 + at);
            }
        }
        None
    }

    /// Makes a type a statement at its place; `false` for what is no type of TypeScript.
    fn put_type(&mut self, mut ty: Range<usize>) -> bool {
        let (first, last) = (ty.start, ty.end);
        let text = &self.source[ty.clone()];
        ty.start += text.len() - text.trim_start_matches([' ', '.', '?', '!']).len();
        ty.end -= text.len() - text.trim_end_matches([' ', '=']).len();
        if ty.start >= ty.end || self.source[ty.clone()].starts_with(['*', '=']) {
            return false;
        }
        // `function(A): B` is of an older notation.
        let text = &self.source[ty.clone()];
        if text.starts_with("function(") || VAGUE.iter().any(|it| it.eq_ignore_ascii_case(text)) {
            return false;
        }
        self.copy(ty.clone());
        for (at, _) in self.source[ty.clone()].match_indices(".<") {
            self.text[ty.start + at] = b' ';
        }
        self.name_modules(ty);
        self.text[first - BEFORE_TYPE.len()..first].copy_from_slice(BEFORE_TYPE.as_bytes());
        self.text[last] = b';';
        true
    }

    /// Copies a part of a comment without the stars at the beginnings of its lines.
    fn copy(&mut self, part: Range<usize>) {
        let mut is_margin = false;
        for at in part {
            let byte = self.source.as_bytes()[at];
            match byte {
                b'\n' => is_margin = true,
                b'*' if is_margin => is_margin = false,
                b' ' | b'\t' | b'\r' if is_margin => {}
                _ => {
                    is_margin = false;
                    self.text[at] = byte;
                }
            }
        }
    }

    /// Writes a name as long as itself over each `import('…')` of a type.
    fn name_modules(&mut self, ty: Range<usize>) {
        let mut from = ty.start;
        while let Some(at) = self.source[from..ty.end].find("import(").map(|at| from + at) {
            let quoted = &self.source[at + "import(".len()..ty.end];
            let Some(length) = quoted.find(')') else { return };
            let end = at + "import(".len() + length + 1;
            from = end;
            let quoted = quoted[..length].trim();
            let module = quoted.trim_matches(['\'', '"']);
            let width = end - at;
            let mut local = format!("_m{}", self.modules.len());
            if module.len() + 2 != quoted.len()
                || local.len() > width
                || self.modules.len() >= MAX_MODULES
            {
                continue;
            }
            local.push_str(&"_".repeat(width - local.len()));
            self.text[at..end].copy_from_slice(local.as_bytes());
            let (module, line) = (module.to_owned(), self.lines.line_of(at));
            self.modules.push(CommentModule { local, module, line });
        }
    }
}

/// Returns what a tag is about, from the text behind its type.
fn name(kind: CommentTagKind, text: &str) -> String {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-');
    let text = text.trim_start();
    match kind {
        CommentTagKind::TypeParam => {
            let line = text.lines().next().unwrap_or_default().replace(',', ", ");
            let mut names = Vec::new();
            for word in line.split_whitespace() {
                let name = word.trim_end_matches(',').trim_start_matches('[');
                let name = name.split('=').next().unwrap_or_default();
                if name.is_empty() || !name.chars().all(is_name) {
                    break;
                }
                names.push(name);
                if !word.ends_with(',') {
                    break;
                }
            }
            names.join(",")
        }
        CommentTagKind::Param
        | CommentTagKind::Property
        | CommentTagKind::Alias
        | CommentTagKind::Callback => {
            let text = text.trim_start_matches(['[', ' ']);
            text.split(|c: char| !is_name(c)).next().unwrap_or_default().to_owned()
        }
        _ => String::new(),
    }
}
