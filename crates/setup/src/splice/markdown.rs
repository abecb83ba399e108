//! Markdown: a block between two marker comments at the end of a file, or in place of an older block with these
//! markers.

use std::iter::once;

use super::{SpliceRefusal, TextInsertion, cut, line_break, line_of};

const START: &str = "<!-- retriever:start -->";
const END: &str = "<!-- retriever:end -->";

/// Adds the block at the end. Returns `None` if the text already has it.
///
/// # Errors
///
/// [`SpliceRefusal`] if a marker is unpaired or in a code fence, or the block has another content.
pub(crate) fn add(text: &str, block: &str) -> Result<Option<Vec<TextInsertion>>, SpliceRefusal> {
    let line_break = line_break(text);
    let block = block.trim().replace('\n', line_break);
    let wanted = format!("{START}{line_break}{block}{line_break}{END}");
    if let Some(own) = find(text)? {
        let there = &text[own.clone()];
        return if there.trim() == wanted {
            Ok(None)
        } else {
            Err(SpliceRefusal::Taken { line: line_of(text, own.start), name: START.to_owned() })
        };
    }
    let before = match text {
        "" => "",
        text if text.ends_with('\n') => line_break,
        _ => &format!("{line_break}{line_break}"),
    };
    Ok(Some(vec![TextInsertion { at: text.len(), text: format!("{before}{wanted}{line_break}") }]))
}

/// Cuts the block and one blank line before it. Returns `None` if there is none.
///
/// # Errors
///
/// [`SpliceRefusal`] if a marker is unpaired or in a code fence.
pub(crate) fn remove(text: &str) -> Result<Option<String>, SpliceRefusal> {
    let Some(own) = find(text)? else { return Ok(None) };
    let head = &text[..own.start];
    let blank = ["\r\n", "\n"].into_iter().find_map(|line_break| {
        let shorter = head.strip_suffix(line_break)?;
        (shorter.is_empty() || shorter.ends_with('\n')).then_some(shorter.len())
    });
    let tail = text[own.end..].strip_prefix("\r\n").or_else(|| text[own.end..].strip_prefix('\n'));
    let end = tail.map_or(own.end, |tail| text.len() - tail.len());
    Ok(Some(cut(text, once(blank.unwrap_or(own.start)..end))))
}

/// Returns the range from the first marker to the end of the second.
fn find(text: &str) -> Result<Option<std::ops::Range<usize>>, SpliceRefusal> {
    let (mut start, mut end, mut fence, mut at) = (None, None, None::<&str>, 0);
    for line in text.split_inclusive('\n') {
        let content = line.trim();
        let here = at;
        at += line.len();
        let refuse = |reason| Err(SpliceRefusal::Form { line: line_of(text, here), reason });
        if let Some(open) = ["```", "~~~"].into_iter().find(|open| content.starts_with(open)) {
            match fence {
                None => fence = Some(open),
                Some(opened) if opened == open => fence = None,
                Some(_) => {}
            }
            continue;
        }
        match (content, fence) {
            (START | END, Some(_)) => return refuse("a marker of ours stands in a code fence"),
            (START, None) if start.is_some() => return refuse("the block's start stands twice"),
            (START, None) => start = Some(here),
            (END, None) if start.is_none() || end.is_some() => {
                return refuse("the block's end stands alone");
            }
            (END, None) => end = Some(here + line.trim_end().len()),
            _ => {}
        }
    }
    match (start, end) {
        (None, None) => Ok(None),
        (Some(start), Some(end)) => Ok(Some(start..end)),
        (start, end) => {
            let at = start.or(end).unwrap_or(0);
            Err(SpliceRefusal::Form {
                line: line_of(text, at),
                reason: "the block's start stands alone",
            })
        }
    }
}
