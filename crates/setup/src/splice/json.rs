//! JSON, with comments and trailing commas if a file has them. An entry becomes the last member of the object at a path
//! of keys; missing objects of the path are created.

use std::{iter::once, ops::Range};

use jsonc_parser::{
    CollectOptions, CommentCollectionStrategy, ParseOptions,
    ast::{Object, Value},
    common::{Range as Extent, Ranged},
    parse_to_ast,
    tokens::{Token, TokenAndRange},
};

use super::{
    AddedText, SpliceRefusal, TextInsertion, cut, indentation, line_break, line_end, line_of,
    line_start, position,
};
use crate::host_agent_config_entry::{FilledEntryMembers, json_line, json_lines};

/// Adds `name: members` to the object at `path`. Returns `None` if the text already has it.
///
/// # Errors
///
/// [`SpliceRefusal`] if the text does not parse, holds a key twice on the path, or has another entry of the name.
pub(crate) fn add(
    text: &str,
    path: &[&str],
    name: &str,
    entry: FilledEntryMembers<'_>,
) -> Result<Option<AddedText>, SpliceRefusal> {
    let (start, body) = without_mark(text);
    if body.trim().is_empty() {
        let layout = Layout { indent: "  ", unit: "  ", line_break: "\n" };
        let document = format!("{{\n  {}\n}}\n", nested(path, name, entry, &layout));
        let insertions = vec![TextInsertion { at: text.len(), text: document }];
        return Ok(Some(AddedText { insertions, made: path.len() }));
    }
    let parsed = Parsed::of(body)?;
    let mut object = parsed.root()?;
    for (depth, key) in path.iter().enumerate() {
        match parsed.member(object, key)? {
            Some(Value::Object(inner)) => object = inner,
            Some(other) => {
                let line = line_of(body, other.range().start);
                return Err(SpliceRefusal::Form { line, reason: "the value is no object" });
            }
            None => {
                let insertions = parsed.append(object, &path[depth..], name, entry);
                return Ok(Some(AddedText {
                    insertions: shifted(insertions, start),
                    made: path.len() - depth,
                }));
            }
        }
    }
    if let Some(there) = parsed.member(object, name)? {
        let range = there.range();
        return if same(there, entry) {
            Ok(None)
        } else {
            Err(SpliceRefusal::Taken { line: line_of(body, range.start), name: name.to_owned() })
        };
    }
    let insertions = parsed.append(object, &[], name, entry);
    Ok(Some(AddedText { insertions: shifted(insertions, start), made: 0 }))
}

/// Cuts the member at the end of `path`, and then at most `made` enclosing objects that became empty. Returns `None` if
/// the member is missing.
///
/// # Errors
///
/// [`SpliceRefusal`] if the text does not parse.
pub(crate) fn remove(
    text: &str,
    path: &[&str],
    name: &str,
    made: usize,
) -> Result<Option<String>, SpliceRefusal> {
    let mut keys: Vec<_> = path.iter().copied().chain([name]).collect();
    let Some(mut kept) = remove_member(text, &keys)? else { return Ok(None) };
    for _ in 0..made {
        keys.pop();
        let (_, body) = without_mark(&kept);
        let parsed = Parsed::of(body)?;
        let empty = parsed.find(&keys)?.is_some_and(
            |member| matches!(&member.value, Value::Object(object) if object.properties.is_empty()),
        );
        drop(parsed);
        if !empty {
            break;
        }
        match remove_member(&kept, &keys)? {
            Some(fewer) => kept = fewer,
            None => break,
        }
    }
    Ok(Some(kept))
}

fn remove_member(text: &str, keys: &[&str]) -> Result<Option<String>, SpliceRefusal> {
    let (start, body) = without_mark(text);
    if body.trim().is_empty() {
        return Ok(None);
    }
    let parsed = Parsed::of(body)?;
    let Some(member) = parsed.find(keys)? else { return Ok(None) };
    let cuts = parsed.cuts_of(&member.range());
    let cuts: Vec<_> =
        cuts.into_iter().map(|range| range.start + start..range.end + start).collect();
    Ok(Some(cut(text, cuts)))
}

struct Parsed<'a> {
    text: &'a str,
    root: Value<'a>,
    /// All tokens except blanks and comments.
    tokens: Vec<TokenAndRange<'a>>,
}

impl<'a> Parsed<'a> {
    fn of(text: &'a str) -> Result<Self, SpliceRefusal> {
        let collect = CollectOptions { comments: CommentCollectionStrategy::Off, tokens: true };
        let options = ParseOptions {
            allow_comments: true,
            allow_trailing_commas: true,
            allow_loose_object_property_names: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &collect, &options).map_err(|error| {
            let (line, column) = position(text, error.range().start);
            SpliceRefusal::Syntax { line, column, reason: error.kind().to_string() }
        })?;
        let root = parsed
            .value
            .ok_or(SpliceRefusal::Form { line: 1, reason: "the file holds only comments" })?;
        Ok(Self { text, root, tokens: parsed.tokens.unwrap_or_default() })
    }

    fn root(&self) -> Result<&Object<'a>, SpliceRefusal> {
        match &self.root {
            Value::Object(object) => Ok(object),
            other => {
                let line = line_of(self.text, other.range().start);
                Err(SpliceRefusal::Form { line, reason: "the file is no JSON object" })
            }
        }
    }

    /// Returns the value of a key.
    fn member<'b>(
        &self,
        object: &'b Object<'a>,
        key: &str,
    ) -> Result<Option<&'b Value<'a>>, SpliceRefusal> {
        let mut all = object.properties.iter().filter(|property| property.name.as_str() == key);
        let first = all.next();
        match all.next() {
            Some(second) => {
                let line = line_of(self.text, second.range.start);
                Err(SpliceRefusal::Form { line, reason: "the key stands twice in one object" })
            }
            None => Ok(first.map(|property| &property.value)),
        }
    }

    /// Returns the member at the end of a path of keys.
    fn find(
        &self,
        keys: &[&str],
    ) -> Result<Option<&jsonc_parser::ast::ObjectProp<'a>>, SpliceRefusal> {
        let Some((name, path)) = keys.split_last() else { return Ok(None) };
        let mut object = self.root()?;
        for key in path {
            match self.member(object, key)? {
                Some(Value::Object(inner)) => object = inner,
                _ => return Ok(None),
            }
        }
        self.member(object, name)?;
        Ok(object.properties.iter().find(|property| property.name.as_str() == *name))
    }

    /// Returns the insertions that append a member, within new objects for `missing`.
    fn append(
        &self,
        object: &Object<'a>,
        missing: &[&str],
        name: &str,
        entry: FilledEntryMembers<'_>,
    ) -> Vec<TextInsertion> {
        if !self.text.trim().contains('\n') {
            return self.append_in_line(object, missing, name, entry);
        }
        let line_break = line_break(self.text);
        let (indent, unit) = self.indents(object);
        let member =
            nested(missing, name, entry, &Layout { indent: &indent, unit: &unit, line_break });
        let Some(last) = object.properties.last() else {
            let open = object.range.start + 1;
            let inside = &self.text[open..object.range.end - 1];
            let closing = &indent[..indent.len() - unit.len()];
            let tail = if inside.contains('\n') {
                String::new()
            } else {
                format!("{line_break}{closing}")
            };
            return vec![TextInsertion {
                at: open,
                text: format!("{line_break}{indent}{member}{tail}"),
            }];
        };
        let end = last.range.end;
        match self.comma_after(end) {
            Some(comma) => {
                let at = self.after_comment(comma);
                vec![TextInsertion { at, text: format!("{line_break}{indent}{member},") }]
            }
            None => {
                let at = self.after_comment(end);
                let entry = format!("{line_break}{indent}{member}");
                if at == end {
                    vec![TextInsertion { at, text: format!(",{entry}") }]
                } else {
                    vec![
                        TextInsertion { at: end, text: ",".to_owned() },
                        TextInsertion { at, text: entry },
                    ]
                }
            }
        }
    }

    fn append_in_line(
        &self,
        object: &Object<'a>,
        missing: &[&str],
        name: &str,
        entry: FilledEntryMembers<'_>,
    ) -> Vec<TextInsertion> {
        let open: String = missing.iter().map(|key| format!("\"{key}\":{{")).collect();
        let member = format!("{open}\"{name}\":{}{}", json_line(entry), "}".repeat(missing.len()));
        match object.properties.last() {
            None => vec![TextInsertion { at: object.range.start + 1, text: member }],
            Some(last) => match self.comma_after(last.range.end) {
                Some(comma) => vec![TextInsertion { at: comma, text: format!("{member},") }],
                None => vec![TextInsertion { at: last.range.end, text: format!(",{member}") }],
            },
        }
    }

    /// Returns the indentation of the object's members, and that of one more level.
    fn indents(&self, object: &Object<'a>) -> (String, String) {
        let outer = indentation(self.text, object.range.start);
        let own = object
            .properties
            .iter()
            .map(|property| property.range.start)
            .find(|&start| self.text[line_start(self.text, start)..start].trim().is_empty());
        let inner = own.map(|start| indentation(self.text, start));
        match inner.and_then(|inner| Some((inner, inner.strip_prefix(outer)?))) {
            Some((inner, unit)) if !unit.is_empty() => (inner.to_owned(), unit.to_owned()),
            _ => {
                let unit = self.unit();
                (format!("{outer}{unit}"), unit)
            }
        }
    }

    /// Returns the first indentation of the text.
    fn unit(&self) -> String {
        let first =
            self.text.lines().find(|line| line.starts_with([' ', '\t']) && !line.trim().is_empty());
        first.map_or("  ", |line| indentation(line, 0)).to_owned()
    }

    /// Returns the end of the comma that follows a byte offset as the next token.
    fn comma_after(&self, at: usize) -> Option<usize> {
        let next = self.tokens.iter().find(|token| token.range.start >= at)?;
        matches!(next.token, Token::Comma).then_some(next.range.end)
    }

    /// Returns the end of a comment on the rest of the line, or `at` if there is none or more follows.
    fn after_comment(&self, at: usize) -> usize {
        let end = line_end(self.text, at);
        let rest = self.text[at..end].trim();
        let whole = rest.starts_with("//")
            || (rest.starts_with("/*")
                && rest.find("*/").is_some_and(|close| close + 2 == rest.len()));
        if whole { at + self.text[at..end].trim_end().len() } else { at }
    }

    /// Returns the ranges to cut with a member: blanks before it and one adjacent comma.
    fn cuts_of(&self, member: &Extent) -> Vec<Range<usize>> {
        let first =
            self.tokens.iter().position(|token| token.range.start >= member.start).unwrap_or(0);
        let before = first.checked_sub(1).map(|index| &self.tokens[index]);
        let after = self.tokens.iter().find(|token| token.range.start >= member.end);
        let blanks = self.text[..member.start].trim_end().len();
        if let Some(comma) = after.filter(|token| matches!(token.token, Token::Comma)) {
            return once(blanks..comma.range.end).collect();
        }
        match before {
            Some(comma) if matches!(comma.token, Token::Comma) => {
                let own = blanks.max(comma.range.end)..member.end;
                vec![comma.range.start..comma.range.end, own]
            }
            _ => {
                let inside =
                    self.text[member.end..].len() - self.text[member.end..].trim_start().len();
                once(blanks..member.end + inside).collect()
            }
        }
    }
}

/// The layout of a file.
struct Layout<'a> {
    /// Indentation of the members of the extended object.
    indent: &'a str,
    /// Indentation of one more level.
    unit: &'a str,
    line_break: &'a str,
}

/// Returns a member within new objects for `missing`, outermost first.
fn nested(
    missing: &[&str],
    name: &str,
    entry: FilledEntryMembers<'_>,
    layout: &Layout<'_>,
) -> String {
    let Layout { indent, unit, line_break } = *layout;
    let indent_at = |depth: usize| format!("{indent}{}", unit.repeat(depth));
    let object = json_lines(entry, &indent_at(missing.len()), unit, line_break);
    let member = format!("\"{name}\": {object}");
    missing.iter().enumerate().rev().fold(member, |inner, (depth, key)| {
        let (own, deeper) = (indent_at(depth), indent_at(depth + 1));
        format!("\"{key}\": {{{line_break}{deeper}{inner}{line_break}{own}}}")
    })
}

fn same(there: &Value<'_>, entry: FilledEntryMembers<'_>) -> bool {
    serde_json::from_str(&json_line(entry))
        .is_ok_and(|wanted: serde_json::Value| serde_json::Value::from(there.clone()) == wanted)
}

/// Returns the text after a byte order mark, and its offset.
fn without_mark(text: &str) -> (usize, &str) {
    match text.strip_prefix('\u{feff}') {
        Some(body) => (text.len() - body.len(), body),
        None => (0, text),
    }
}

fn shifted(mut insertions: Vec<TextInsertion>, by: usize) -> Vec<TextInsertion> {
    for insertion in &mut insertions {
        insertion.at += by;
    }
    insertions
}
