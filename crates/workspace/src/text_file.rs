//! The text of one file: decoding, lines, and whether the file is binary or minified. A line ends at `\n`; a `\r`
//! before it is not part of the line; a final line ending does not start another line.

use std::{borrow::Cow, iter};

use crate::{ContentHash, FileTraits, LineRange, RepoPath, secret_values};

/// Bytes at the start of a file that decide whether it is text.
pub(super) const HEAD_BYTES: usize = 8 * 1024;
/// A file with a longer average line is minified.
const MAX_AVERAGE_LINE: usize = 500;
/// A file with a longer line is minified.
const MAX_LINE: usize = 20 * 1024;
/// Size below which the average line is not considered.
const SMALL_FILE: usize = 4 * 1024;

/// How a file was decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextEncoding {
    /// UTF-8, with or without a byte order mark.
    Utf8,
    /// UTF-16, little-endian by its byte order mark.
    Utf16Le,
    /// UTF-16, big-endian by its byte order mark.
    Utf16Be,
    /// Another encoding; bytes that are not UTF-8 were replaced by U+FFFD.
    Lossy,
}

/// A file that was read, decoded.
#[derive(Clone, Debug)]
pub struct TextFile {
    /// The file.
    pub path: RepoPath,
    /// Hash of its bytes.
    pub hash: ContentHash,
    /// The kind of file.
    pub traits: FileTraits,
    /// The encoding.
    pub encoding: TextEncoding,
    text: String,
    /// Byte offset in `text` at which each line starts.
    starts: Vec<usize>,
    minified: bool,
    masked: u32,
}

impl TextFile {
    pub(super) fn new(
        path: RepoPath,
        bytes: Vec<u8>,
        traits: impl FnOnce(&RepoPath, &ContentHash, &str) -> FileTraits,
    ) -> Self {
        let hash = ContentHash::of(&bytes);
        let DecodedText { text, encoding, masked } = decode(bytes);
        let starts = line_starts(&text);
        let longest = starts
            .iter()
            .zip(starts.iter().skip(1).chain([&text.len()]))
            .map(|(start, end)| end - start)
            .max()
            .unwrap_or_default();
        let minified = longest > MAX_LINE
            || (text.len() > SMALL_FILE && text.len() / starts.len().max(1) > MAX_AVERAGE_LINE);
        let traits = traits(&path, &hash, head_of(&text));
        Self { path, hash, traits, encoding, text, starts, minified, masked }
    }

    /// The whole text, with its line endings.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the extension of the path. For a script without one, the first line tells: `sh` for `#!/usr/bin/env bash`.
    pub fn extension(&self) -> &str {
        let extension = self.path.extension();
        if extension.is_empty() {
            return self.line(1).and_then(extension_of_interpreter).unwrap_or_default();
        }
        extension
    }

    /// Whether it is a script whose path has no extension.
    pub fn is_script(&self) -> bool {
        self.path.extension().is_empty() && !self.extension().is_empty()
    }

    /// Number of lines; 0 for an empty file.
    pub fn line_count(&self) -> u32 {
        u32::try_from(self.starts.len()).unwrap_or(u32::MAX)
    }

    /// Returns line `number`, counted from 1, without its line ending.
    pub fn line(&self, number: u32) -> Option<&str> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        let start = *self.starts.get(index)?;
        let end = self.starts.get(index + 1).copied().unwrap_or(self.text.len());
        Some(self.between(start, end))
    }

    /// Returns the number of the line that has the byte at an offset.
    pub fn line_of(&self, byte: usize) -> u32 {
        let before = self.starts.partition_point(|start| *start <= byte);
        u32::try_from(before).unwrap_or(u32::MAX)
    }

    /// Returns the text of the line from `start` to the start of the next line.
    fn between(&self, start: usize, end: usize) -> &str {
        let line = self.text.as_bytes().get(start..end).unwrap_or_default();
        let ending = match line {
            [.., b'\r', b'\n'] => 2,
            [.., b'\r' | b'\n'] => 1,
            _ => 0,
        };
        self.text.get(start..end - ending).unwrap_or_default()
    }

    /// Returns every line, with its number.
    pub fn all_lines(&self) -> impl Iterator<Item = (u32, &str)> {
        let ends = self.starts.iter().skip(1).copied().chain(iter::once(self.text.len()));
        let lines = self.starts.iter().zip(ends);
        (1..).zip(lines.map(|(start, end)| self.between(*start, end)))
    }

    /// Returns the lines of `range` that exist, with their numbers.
    pub fn lines(&self, range: LineRange) -> impl Iterator<Item = (u32, &str)> {
        let end = range.end().min(self.line_count());
        (range.start()..=end).filter_map(|number| Some((number, self.line(number)?)))
    }

    /// Number of secret values (keys, tokens, passwords) that are replaced by `*` in the text.
    pub fn masked_values(&self) -> u32 {
        self.masked
    }

    /// Whether the text is minified. Such text is searched, but not used by lexical scans.
    pub fn is_minified(&self) -> bool {
        self.minified
    }
}

/// Returns the usual extension of what the interpreter of a first line runs.
fn extension_of_interpreter(line: &str) -> Option<&'static str> {
    let mut words = line.strip_prefix("#!")?.split_whitespace();
    let program = words.next()?.rsplit('/').next()?;
    // `env` has options and variables before the program.
    let is_program = |word: &&str| !word.starts_with('-') && !word.contains('=');
    let program = if program == "env" { words.find(is_program)? } else { program };
    Some(match program.trim_end_matches(|c: char| c.is_ascii_digit() || "-.".contains(c)) {
        "sh" | "ash" | "bash" | "dash" | "ksh" | "zsh" => "sh",
        "python" | "pypy" => "py",
        "node" | "nodejs" | "bun" => "js",
        "deno" => "ts",
        "ruby" | "jruby" => "rb",
        "perl" => "pl",
        "lua" | "luajit" => "lua",
        "php" => "php",
        "Rscript" => "r",
        "elixir" => "exs",
        "runghc" | "runhaskell" => "hs",
        _ => return None,
    })
}

/// Returns the byte offsets at which lines start.
fn line_starts(text: &str) -> Vec<usize> {
    let mut starts = vec![0];
    starts.extend(memchr::memchr_iter(b'\n', text.as_bytes()).map(|at| at + 1));
    // A final line ending does not start another line.
    starts.pop_if(|start| *start == text.len());
    starts
}

/// Whether a file that starts with `head` is binary: it has a NUL byte, or many other control bytes.
pub(super) fn is_binary(head: &[u8]) -> bool {
    let head = &head[..head.len().min(HEAD_BYTES)];
    if utf16_encoding(head).is_some() {
        return false;
    }
    let control = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r' | 0x0c | 0x1b);
    // Most text has none, which is cheaper to test than their number.
    let any = head.iter().fold(false, |any, byte| any | control(*byte));
    any && (head.contains(&0)
        || head.iter().filter(|byte| control(**byte)).count() * 10 > head.len())
}

/// The text of a file's bytes.
pub(super) struct DecodedText {
    pub(super) text: String,
    pub(super) encoding: TextEncoding,
    /// Number of secret values that are masked.
    pub(super) masked: u32,
}

/// Decodes `bytes` by their byte order mark, else as UTF-8, and masks secret values.
pub(super) fn decode(bytes: Vec<u8>) -> DecodedText {
    let (mut text, encoding) = characters(bytes);
    let masked = secret_values::mask(&mut text);
    DecodedText { text, encoding, masked }
}

fn characters(bytes: Vec<u8>) -> (String, TextEncoding) {
    match utf16_encoding(&bytes) {
        Some(TextEncoding::Utf16Be) => {
            (utf16(&bytes, encoding_rs::UTF_16BE), TextEncoding::Utf16Be)
        }
        Some(_) => (utf16(&bytes, encoding_rs::UTF_16LE), TextEncoding::Utf16Le),
        None => match String::from_utf8(bytes) {
            Ok(text) => match text.strip_prefix('\u{feff}') {
                Some(rest) => (rest.to_owned(), TextEncoding::Utf8),
                None => (text, TextEncoding::Utf8),
            },
            Err(error) => {
                (String::from_utf8_lossy(error.as_bytes()).into_owned(), TextEncoding::Lossy)
            }
        },
    }
}

/// Returns `bytes` in a form that can be searched as UTF-8: unchanged unless a byte order mark shows UTF-16.
pub(super) fn searchable(bytes: &[u8]) -> Cow<'_, [u8]> {
    match utf16_encoding(bytes) {
        Some(_) => Cow::Owned(characters(bytes.to_vec()).0.into_bytes()),
        None => Cow::Borrowed(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)),
    }
}

/// Returns the first lines of `text`, which may show the kind of file.
pub(super) fn head_of(text: &str) -> &str {
    &text[..text.floor_char_boundary(HEAD_BYTES)]
}

fn utf16_encoding(bytes: &[u8]) -> Option<TextEncoding> {
    match bytes {
        [0xff, 0xfe, ..] => Some(TextEncoding::Utf16Le),
        [0xfe, 0xff, ..] => Some(TextEncoding::Utf16Be),
        _ => None,
    }
}

/// Decodes `bytes` after their byte order mark; invalid characters become U+FFFD.
fn utf16(bytes: &[u8], encoding: &'static encoding_rs::Encoding) -> String {
    encoding.decode_without_bom_handling(&bytes[2..]).0.into_owned()
}
