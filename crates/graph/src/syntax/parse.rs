//! Parsing, limited in time; a text that differs a little from one that was parsed is parsed again only where it differs.

use std::{
    cell::RefCell,
    ops::ControlFlow,
    time::{Duration, Instant},
};

use tree_sitter::{InputEdit, ParseOptions, Parser, Point, Tree};

use crate::languages::{Language, entry};

/// Time that one file's parse may take.
const PARSE_TIME: Duration = Duration::from_secs(2);
/// Parses `text`, of which the tree of an `old` text of the same length is known: only what differs is read.
pub(crate) fn parse_again(
    language: Language,
    text: &str,
    old: &str,
    tree: &mut Tree,
) -> Option<Tree> {
    if old.len() != text.len() {
        return parse(language, text, None);
    }
    let (mut row, mut line) = (0, 0);
    let mut at = 0;
    let (old, new) = (old.as_bytes(), text.as_bytes());
    while at < new.len() {
        let same = length(&old[at..], &new[at..], |old, new| old == new);
        (row, line) = behind(&new[at..at + same], at, (row, line));
        at += same;
        let end = at + length(&old[at..], &new[at..], |old, new| old != new);
        if end > at {
            // Nothing but spaces is put in, so that lines stay what they are.
            let start = Point::new(row, at - line);
            (row, line) = behind(&new[at..end], at, (row, line));
            let stop = Point::new(row, end - line);
            tree.edit(&InputEdit {
                start_byte: at,
                old_end_byte: end,
                new_end_byte: end,
                start_position: start,
                old_end_position: stop,
                new_end_position: stop,
            });
        }
        at = end;
    }
    parse(language, text, Some(tree))
}

/// How many pairs of bytes there are from the beginning of which `holds` is true.
fn length(old: &[u8], new: &[u8], holds: impl Fn(u8, u8) -> bool) -> usize {
    old.iter().zip(new).position(|(old, new)| !holds(*old, *new)).unwrap_or(new.len())
}

/// The row behind `text`, which starts at byte `at` in a row that starts at byte `line`, and where that row starts.
fn behind(text: &[u8], at: usize, (row, line): (usize, usize)) -> (usize, usize) {
    match text.iter().rposition(|byte| *byte == b'\n') {
        Some(last) => (row + newlines(text), at + last + 1),
        None => (row, line),
    }
}

fn newlines(text: &[u8]) -> usize {
    text.iter().filter(|byte| **byte == b'\n').count()
}

/// The number of lines of a text; a final line ending opens no further one.
pub(crate) fn lines(text: &str) -> usize {
    newlines(text.as_bytes()) + usize::from(!text.is_empty() && !text.ends_with('\n'))
}

pub(crate) fn parse(language: Language, text: &str, old: Option<&Tree>) -> Option<Tree> {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    PARSER.with_borrow_mut(|parser| {
        parser.set_language(&entry(language).grammar).ok()?;
        let started = Instant::now();
        let mut watch = |_: &tree_sitter::ParseState| {
            if started.elapsed() > PARSE_TIME {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        };
        let bytes = text.as_bytes();
        let tree = parser.parse_with_options(
            &mut |at, _| bytes.get(at..).unwrap_or_default(),
            old,
            Some(ParseOptions::new().progress_callback(&mut watch)),
        );
        if tree.is_none() {
            parser.reset();
        }
        tree
    })
}
