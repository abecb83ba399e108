//! Passages of a file: the window of lines that fits best, and the text of a range.

use std::{borrow::Cow, collections::BTreeMap};

use crate::index::term_matcher::Hit;
use retriever_workspace::{LineRange, TextFile};

/// Lines of a window.
pub(crate) const WINDOW: u32 = 40;
/// Characters of a signature line.
const SIGNATURE_CHARS: usize = 160;

/// Returns the window of lines whose hits are worth most, by the worth of each term, from its first hit to its last with a little
/// around them; of a file with so many `lines`, or of the part that it has to lie within.
pub(crate) fn densest(
    hits: &[Hit],
    worth: &[f64],
    lines: u32,
    within: Option<LineRange>,
) -> Option<LineRange> {
    let (low, high) = within.map_or((1, lines), |range| (range.start(), range.end()));
    let mut best: Option<(f64, u32, u32)> = None;
    let mut counts: BTreeMap<u8, u32> = BTreeMap::new();
    let mut first = 0;
    let gain = |hit: &Hit, before: u32| {
        let points = worth.get(usize::from(hit.term)).copied().unwrap_or_default();
        points * f64::from(hit.strength) * if before == 0 { 1.0 } else { 0.0 }
    };
    let mut value = 0.0;
    for hit in hits {
        while hits[first].line + WINDOW <= hit.line + 4 {
            let gone = &hits[first];
            let count = counts.entry(gone.term).or_default();
            *count = count.saturating_sub(1);
            value -= gain(gone, *count);
            first += 1;
        }
        let count = counts.entry(hit.term).or_default();
        value += gain(hit, *count);
        *count += 1;
        if best.is_none_or(|(most, ..)| value > most + 1e-9) {
            best = Some((value, hits[first].line, hit.line));
        }
    }
    let (_, start, end) = best?;
    LineRange::new(start.saturating_sub(2).max(low).max(1), (end + 3).min(high).max(start))
}

/// The lines of a range with `\n` between them.
pub(crate) fn text_of(file: &TextFile, range: LineRange) -> Cow<'_, str> {
    let end = range.end().min(file.line_count());
    let text = file.text();
    let offset = |line: &str| line.as_ptr() as usize - text.as_ptr() as usize;
    if let (Some(first), Some(last)) = (file.line(range.start()), file.line(end))
        && let Some(whole) = text.get(offset(first)..offset(last) + last.len())
        && !whole.contains('\r')
    {
        return Cow::Borrowed(whole);
    }
    Cow::Owned(file.lines(range).map(|(_, line)| line).collect::<Vec<_>>().join("\n"))
}

/// A line as a signature.
pub(crate) fn clip(line: &str) -> String {
    match line.char_indices().nth(SIGNATURE_CHARS) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line.to_owned(),
    }
}
