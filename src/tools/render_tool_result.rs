//! The only way from a tool's result to text: truncate, print, and then register the printed lines in the ledger.
//! Repository text always follows a line number, and can neither look like an ID nor contain control characters.

use std::{collections::BTreeMap, fmt::Write as _, ops::Range};

use super::{LineAnnotation, ListedPath, ObservationExcerpt, ToolObservation};
use retriever_report::evidence_ledger::EvidenceLedger;
use retriever_workspace::{FileVersion, LineRange, estimate_tokens};
pub use retriever_workspace::{escape_for_model, truncate};

/// Most characters of a headline or of a line of the footer.
const MAX_SENTENCE_CHARS: usize = 1_000;
/// Most files whose cuts the footer names.
const NAMED_CUTS: usize = 3;
/// Bytes of a sentence about a cut besides its path.
const CUT_BYTES: usize = 120;

/// What an observation may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ObservationBudget {
    /// Tokens of this observation. Headline and footer are printed even when they need more.
    pub tokens: u64,
    /// Tokens that one file may use over the whole run.
    pub per_file_total: u64,
}

/// An observation as printed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedObservation {
    /// The text.
    pub text: String,
    /// Its estimated tokens, already spent in the ledger.
    pub tokens: u64,
    /// Lines that had not been delivered before.
    pub new_lines: u32,
    /// Whether lines or paths of the observation are missing in the text.
    pub truncated: bool,
}

/// Prints `observation` within `allowance` and registers in `ledger` exactly what was printed.
pub fn render(
    observation: &ToolObservation,
    ledger: &mut EvidenceLedger,
    allowance: &ObservationBudget,
) -> RenderedObservation {
    // A result whose lines say everything needs no headline.
    let headline = match observation.headline.as_str() {
        "" => String::new(),
        headline => format!("{}\n", sentence(headline)),
    };
    let notes = observation.footer.iter().map(String::as_str).chain(observation.explanation);
    let footer: Vec<String> = notes.map(sentence).collect();
    let fixed = headline.len() + footer.iter().map(|line| line.len() + 1).sum::<usize>();
    let allowed = usize::try_from(allowance.tokens.saturating_mul(3)).unwrap_or(usize::MAX);

    let (wanted, free) = (cost_of(observation), allowed.saturating_sub(fixed));
    let uncut = wanted <= free
        && observation.excerpts.iter().all(|excerpt| share(excerpt, ledger, allowance) >= wanted);
    let mut page = Page {
        text: headline,
        free: if uncut { free } else { free.saturating_sub(cut_cost(observation)) },
        cuts: Vec::new(),
        file_tokens: 0,
        new_lines: 0,
    };
    let mut from = 0;
    while let Some(first) = observation.excerpts.get(from) {
        let rest = &observation.excerpts[from..];
        let same = rest.iter().take_while(|excerpt| excerpt.file == first.file).count();
        page.file(&rest[..same], observation, ledger, allowance);
        from += same;
    }
    let listed = page.listing(observation, ledger);
    page.say_cuts(observation.listing.len() - listed);
    for line in &footer {
        page.text.push_str(line);
        page.text.push('\n');
    }
    page.text.truncate(page.text.trim_end_matches('\n').len());
    let tokens = estimate_tokens(&page.text);
    ledger.record_tokens(None, tokens.saturating_sub(page.file_tokens));
    RenderedObservation {
        tokens,
        new_lines: page.new_lines,
        truncated: !page.cuts.is_empty() || listed < observation.listing.len(),
        text: page.text,
    }
}

fn sentence(text: &str) -> String {
    escape_for_model(&truncate(text, MAX_SENTENCE_CHARS))
}

/// A text under construction, and the bytes that are left for it.
struct Page {
    text: String,
    free: usize,
    cuts: Vec<Cut>,
    file_tokens: u64,
    new_lines: u32,
}

/// Where a file was cut.
struct Cut {
    path: String,
    line: u32,
    lines: usize,
    by_share: bool,
}

impl Page {
    /// Prints as much of one file as fits, and registers it.
    fn file(
        &mut self,
        excerpts: &[ObservationExcerpt],
        observation: &ToolObservation,
        ledger: &mut EvidenceLedger,
        allowance: &ObservationBudget,
    ) {
        let Some(first) = excerpts.first() else { return };
        let version = &first.file;
        let mut lines: Vec<(u32, String)> =
            excerpts.iter().flat_map(|excerpt| excerpt.lines.iter().cloned()).collect();
        lines.sort_by_key(|(number, _)| *number);
        lines.dedup_by_key(|(number, _)| *number);
        lines.retain(|(number, _)| *number > 0);
        if lines.is_empty() {
            return;
        }
        let share = share(first, ledger, allowance);
        let heading = heading(version);
        let labels = labels_of(excerpts);
        let fitting = fitting(&lines, &labels, self.free.min(share).saturating_sub(heading.len()));
        if fitting < lines.len() {
            self.cuts.push(Cut {
                path: escape_for_model(version.path.as_str()),
                line: lines[fitting].0,
                lines: lines.len() - fitting,
                by_share: share < self.free,
            });
        }
        let lines = &lines[..fitting];
        if lines.is_empty() {
            return;
        }
        let mut block = heading;
        for run in runs(lines, &labels) {
            block.push_str(&format_run(&lines[run], version, &labels, ledger));
        }
        self.new_lines += ledger.record_delivery(version, observation.source, lines);
        for label in lines.iter().filter_map(|(number, _)| labels.get(number)) {
            let declarations = label.definition.iter().chain(&label.around);
            declarations.for_each(|it| ledger.record_declaration(version, it.clone()));
            ledger.record_annotation(&label.context);
        }
        let tokens = estimate_tokens(&block);
        ledger.record_tokens(Some(&version.path), tokens);
        self.file_tokens += tokens;
        self.free = self.free.saturating_sub(block.len());
        self.text.push_str(&block);
    }

    /// Prints the paths that fit and returns their number.
    fn listing(&mut self, observation: &ToolObservation, ledger: &mut EvidenceLedger) -> usize {
        let mut shown = 0;
        for group in
            observation.listing.chunk_by(|one, next| one.path.parent() == next.path.parent())
        {
            let folder = group.first().and_then(|first| first.path.parent());
            let folder = folder.filter(|_| group.len() > 1).map(|path| path.to_string());
            let folder = folder.filter(|path| !path.is_empty());
            let heading = folder.map(|folder| format!("{}/\n", escape_for_model(&folder)));
            let mut heading = heading.unwrap_or_default();
            let above = heading.trim_end().to_owned();
            let indent = if above.is_empty() { "" } else { "  " };
            for listed in group {
                if listing_cost(listed) + heading.len() > self.free {
                    return shown;
                }
                let id = ledger.assign_id(&listed.path, None);
                let path = escape_for_model(listed.path.as_str());
                let (name, lines) = (path.strip_prefix(&above), lines_of_listed(listed));
                let name = name.unwrap_or(&path);
                let line = format!("{heading}{indent}[{id}] {name}{lines}\n");
                heading.clear();
                self.free = self.free.saturating_sub(line.len());
                self.text.push_str(&line);
                shown += 1;
            }
        }
        shown
    }

    fn say_cuts(&mut self, paths: usize) {
        for cut in self.cuts.iter().take(NAMED_CUTS) {
            // A further call would show no more of a file whose share is used.
            let next = if cut.by_share {
                "the file's share of the budget is used); unread:"
            } else {
                "no room); next: read"
            };
            let _ = writeln!(
                self.text,
                "{} more lines not shown ({next} file=\"{}\" start_line={}",
                cut.lines, cut.path, cut.line
            );
        }
        if self.cuts.len() > NAMED_CUTS {
            let rest = &self.cuts[NAMED_CUTS..];
            let lines: usize = rest.iter().map(|cut| cut.lines).sum();
            let _ =
                writeln!(self.text, "{lines} more lines of {} more files not shown", rest.len());
        }
        if paths > 0 {
            let _ =
                writeln!(self.text, "{paths} more paths not shown (no room); narrow the pattern");
        }
    }
}

pub(crate) fn heading(version: &FileVersion) -> String {
    let traits = &version.traits;
    let words: String = [
        (traits.test, ", test"),
        (traits.support, ", test support"),
        (traits.generated, ", generated"),
        (traits.docs_example, ", docs or example"),
        (traits.vendored, ", vendored"),
    ]
    .iter()
    .filter(|(holds, _)| *holds)
    .map(|(_, word)| *word)
    .collect();
    let lines = if version.total_lines == 1 { "line" } else { "lines" };
    format!(
        "{} ({} {lines}{words})\n",
        escape_for_model(version.path.as_str()),
        version.total_lines
    )
}

/// The labels of all excerpts of a file, by line.
type Labels<'a> = BTreeMap<u32, &'a LineAnnotation>;

fn labels_of(excerpts: &[ObservationExcerpt]) -> Labels<'_> {
    let labels = excerpts.iter().flat_map(|excerpt| &excerpt.labels);
    labels.map(|(line, label)| (*line, label)).collect()
}

/// Prints the lines of a block under an ID. If the block starts with a definition and has all its lines, the ID is that
/// of the definition; if its lines were shown as part of a place before, the ID is that of the place.
fn format_run(
    run: &[(u32, String)],
    version: &FileVersion,
    labels: &Labels<'_>,
    ledger: &mut EvidenceLedger,
) -> String {
    let (Some((start, text)), Some((end, _))) = (run.first(), run.last()) else {
        return String::new();
    };
    let Some(range) = LineRange::new(*start, *end) else { return String::new() };
    let label = labels.get(start);
    let definition = label.and_then(|label| label.definition.as_ref());
    let definition = definition.map(|definition| definition.range);
    let context = escape_for_model(label.map_or("", |label| label.context.as_str()));
    let whole = definition.filter(|whole| whole.covers(range));
    let known = ledger.delivered_as(version, range).filter(|_| whole.is_none());
    let part_of = known.filter(|place| place.range != Some(range)).map(|place| place.id);
    let named = whole.unwrap_or(range);
    let heading = match part_of {
        Some(id) => format!("[{id}:{range}]"),
        None => {
            let id = ledger.assign_id(&version.path, Some(named));
            let is_line = run.len() == 1 && named.width() == 1;
            if let Some(declares) = label.and_then(|label| label.declares).filter(|_| is_line) {
                ledger.record_first_line(id, declares);
            }
            if is_line { format!("[{id}]") } else { format!("[{id}] {named}") }
        }
    };
    let space = if context.is_empty() { "" } else { " " };
    if run.len() > 1 {
        let lines = run.iter().map(|(number, text)| format_line(*number, text));
        return std::iter::once(format!("{heading}{space}{context}\n")).chain(lines).collect();
    }
    // Either `[c1] 3| fn main() {`, or with a definition `[c1] 3-9 in Store: 3| fn save() {`.
    let colon = if context.is_empty() && named.width() == 1 { "" } else { ":" };
    format!("{heading}{space}{context}{colon} {start}| {}\n", escape_for_model(text))
}

fn format_line(number: u32, text: &str) -> String {
    format!("{number:>5}| {}\n", escape_for_model(text))
}

/// An ID at least as long as any later one, so that a cost is never too low.
const LONGEST_ID: &str = "c4294967295";

/// Returns the bytes that a line adds to a run that it starts, and to one that it continues. Both are upper bounds.
fn line_costs(number: u32, text: &str, labels: &Labels<'_>) -> (usize, usize) {
    let plain = format_line(number, text).len();
    let context = labels.get(&number).map_or("", |label| label.context.as_str());
    let range = LineRange::new(number, u32::MAX).map_or_else(String::new, |to| to.to_string());
    let heading = format!("[{LONGEST_ID}] {range} {}\n: ", escape_for_model(context));
    (plain + heading.len(), plain)
}

/// Whether a line belongs to the block of the line before it: it is the next line, or is in the definition of the
/// block.
fn continues(before: Option<u32>, number: u32, labels: &Labels<'_>) -> bool {
    let Some(before) = before.filter(|_| !labels.contains_key(&number)) else { return false };
    let label = labels.range(..=before).next_back();
    let definition = label.and_then(|(_, label)| label.definition.as_ref());
    match definition.filter(|definition| definition.range.contains(before)) {
        Some(definition) => definition.range.contains(number),
        None => before.checked_add(1) == Some(number),
    }
}

/// Returns how many lines, from the first, fit into `bytes`.
fn fitting(lines: &[(u32, String)], labels: &Labels<'_>, bytes: usize) -> usize {
    let mut used = 0_usize;
    let mut before = None;
    for (index, (number, text)) in lines.iter().enumerate() {
        let (opening, continuing) = line_costs(*number, text, labels);
        let cost = if continues(before, *number, labels) { continuing } else { opening };
        used = used.saturating_add(cost);
        if used > bytes {
            return index;
        }
        before = Some(*number);
    }
    lines.len()
}

/// Returns an upper bound of the bytes of a listed path, below its folder or alone.
fn listing_cost(listed: &ListedPath) -> usize {
    let path = escape_for_model(listed.path.as_str());
    LONGEST_ID.len() + path.len() + lines_of_listed(listed).len() + 6
}

fn lines_of_listed(listed: &ListedPath) -> String {
    let lines = listed.lines.map(|lines| match lines {
        1 => " (1 line)".to_owned(),
        lines => format!(" ({lines} lines)"),
    });
    lines.unwrap_or_default()
}

/// Returns an upper bound of the bytes of the body.
fn cost_of(observation: &ToolObservation) -> usize {
    let mut cost = 0_usize;
    let mut last: Option<(&FileVersion, u32)> = None;
    for excerpt in &observation.excerpts {
        if last.is_none_or(|(file, _)| *file != excerpt.file) {
            cost = cost.saturating_add(heading(&excerpt.file).len());
            last = None;
        }
        let labels = labels_of(std::slice::from_ref(excerpt));
        for (number, text) in &excerpt.lines {
            let (opening, continuing) = line_costs(*number, text, &labels);
            let before = last.map(|(_, before)| before);
            let added = if continues(before, *number, &labels) { continuing } else { opening };
            cost = cost.saturating_add(added);
            last = Some((&excerpt.file, *number));
        }
    }
    let listing = observation.listing.iter().map(listing_cost);
    cost.saturating_add(listing.sum())
}

/// Returns the bytes that the file of `excerpt` may still use.
fn share(
    excerpt: &ObservationExcerpt,
    ledger: &EvidenceLedger,
    allowance: &ObservationBudget,
) -> usize {
    let used = ledger.file(&excerpt.file.path).map_or(0, |file| file.tokens);
    let left = allowance.per_file_total.saturating_sub(used).saturating_mul(3);
    usize::try_from(left).unwrap_or(usize::MAX)
}

/// Returns an upper bound of the bytes of the sentences about cuts.
fn cut_cost(observation: &ToolObservation) -> usize {
    let mut paths: Vec<usize> = observation
        .excerpts
        .iter()
        .map(|excerpt| escape_for_model(excerpt.file.path.as_str()).len() + CUT_BYTES)
        .collect();
    paths.sort_unstable_by(|a, b| b.cmp(a));
    2 * CUT_BYTES + paths.iter().take(NAMED_CUTS).sum::<usize>()
}

/// Returns the index ranges of lines that form a block.
fn runs(lines: &[(u32, String)], labels: &Labels<'_>) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (index, (number, _)) in lines.iter().enumerate() {
        let before = index.checked_sub(1).map(|index| lines[index].0);
        match runs.last_mut() {
            Some(run) if continues(before, *number, labels) => run.end = index + 1,
            _ => runs.push(index..index + 1),
        }
    }
    runs
}
