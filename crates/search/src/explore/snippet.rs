//! Snippets: the parts that source is put together from. A snippet is a relevant declaration with the lines to print:
//! all lines of a short one, the start of a long one, or the call site in a long one that the flow passes.

use super::{file_symbols::SymbolPlace, symbol_table::SymbolTable};
use retriever_workspace::LineRange;

/// Lines up to which a declaration is printed whole, and the lines of its start otherwise.
const MAX_WHOLE: u32 = 80;
const START_LINES: u32 = 20;
/// Lines up to which what the flow passes, or could, is printed whole.
const MAX_WHOLE_ON_FLOW: u32 = 160;
/// Lines up to which the declaration is printed whole whose name is all that is asked for.
const MAX_WHOLE_ASKED_FOR: u32 = 240;
/// Lines of the start and on each side of the call site of a longer one: they say where it goes on, and no more of them
/// would make it whole.
const HEAD_LINES: u32 = 2;
const SITE_LINES: u32 = 4;

/// A relevant declaration.
#[derive(Clone, Debug)]
pub(super) struct Snippet {
    pub(super) place: SymbolPlace,
    /// Relevance relative to the best, 0 to 1.
    pub(super) relevance: f64,
    pub(super) on_spine: bool,
    /// Whether the query is nothing but its name.
    pub(super) is_asked_for: bool,
    /// Whether space is reserved for it, since it is on a relevant spine.
    pub(super) is_reserved: bool,
    /// Whether it is the first result, which is printed whatever the flow takes.
    pub(super) is_first: bool,
    /// Whether it is printed in part when it is long: it is among the first results, or the query names it.
    pub(super) is_central: bool,
    /// Whether it could stand in the spine in the place of what does.
    pub(super) is_alternative: bool,
    /// What it gains in order by being near the spine.
    pub(super) lift: f64,
    /// The line of it from which the spine goes on.
    pub(super) call_site: Option<u32>,
    /// The lines of it that were ranked, if they are a part.
    pub(super) ranked_part: Option<LineRange>,
    /// The line that names the type it belongs to.
    pub(super) type_line: Option<LineRange>,
    /// Its signatures, if these are all that is printed.
    pub(super) skeleton: Option<Vec<LineRange>>,
}

impl Snippet {
    /// Returns a snippet off the spine.
    pub(super) fn new(symbols: &SymbolTable<'_>, place: SymbolPlace, relevance: f64) -> Self {
        let owner = place.node.and_then(|node| symbols.owner(node));
        let owner = owner.and_then(|owner| symbols.graph.node(owner));
        let owner = owner.filter(|owner| owner.path == place.path);
        let type_line = owner.and_then(|owner| LineRange::line(owner.name_line));
        Self {
            place,
            relevance,
            on_spine: false,
            is_asked_for: false,
            is_reserved: false,
            is_first: false,
            is_central: false,
            is_alternative: false,
            lift: 0.0,
            call_site: None,
            ranked_part: None,
            type_line,
            skeleton: None,
        }
    }

    /// Whether it is short enough to be printed whole.
    pub(super) fn is_whole(&self) -> bool {
        let limit = match self {
            Self { is_asked_for: true, .. } => MAX_WHOLE_ASKED_FOR,
            Self { on_spine: true, .. } | Self { is_alternative: true, .. } => MAX_WHOLE_ON_FLOW,
            _ => MAX_WHOLE,
        };
        self.place.range.width() <= limit
    }

    /// Returns the lines that are printed if there is room. They are the same for a skeleton: what that saves is not spent
    /// on something else.
    pub(super) fn lines(&self) -> Vec<LineRange> {
        let mut lines = if self.is_whole() {
            vec![self.place.range]
        } else {
            self.fewer_lines().unwrap_or_default()
        };
        lines.extend(self.type_line);
        lines
    }

    /// Returns the lines that are printed if there is less room; `None` if it is too short for that.
    pub(super) fn fewer_lines(&self) -> Option<Vec<LineRange>> {
        let range = self.place.range;
        let start_lines = if self.is_asked_for { MAX_WHOLE } else { START_LINES };
        if range.width() <= start_lines {
            return None;
        }
        let name_line = self.place.line.max(range.start());
        let site = self.call_site.filter(|_| self.on_spine);
        let call_site = site.and_then(|site| {
            LineRange::new(site.saturating_sub(SITE_LINES).max(1), site + SITE_LINES)
        });
        let may_be_printed = |part: &LineRange| match site {
            Some(site) => self.is_first && !part.contains(site),
            None => true,
        };
        let ranked_part = self.ranked_part.filter(may_be_printed);
        if self.is_asked_for || call_site.or(ranked_part).is_none() {
            let end = (name_line + start_lines).min(range.end());
            return Some(LineRange::new(range.start(), end).into_iter().collect());
        }
        let head = LineRange::new(range.start(), name_line + HEAD_LINES - 1);
        let parts = [head, call_site, ranked_part].into_iter().flatten();
        Some(parts.filter_map(|part| part.intersect(range)).collect())
    }
}

/// Returns the number of printed lines for a function on the flow with the given number of lines.
pub(super) fn lines_on_flow(lines: u32) -> u32 {
    if lines <= MAX_WHOLE_ON_FLOW { lines } else { HEAD_LINES + 2 * SITE_LINES }
}
