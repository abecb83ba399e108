//! Parsing, limited by the file's budget; a text that differs a little from one that was parsed is parsed again only where
//! it differs.

use std::{
    cell::RefCell,
    ops::ControlFlow,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering},
    },
};

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};
use tree_sitter::{
    InputEdit, Language as Grammar, LogType, ParseOptions, ParseState, Parser, Point, Tree,
};

/// Steps of the parser between two calls of its progress callback.
const STEPS: u64 = 100;
/// Steps between two samples, each of [`STEPS`], in which errors are counted.
const SAMPLE_INTERVAL: u64 = 10_000;
/// Steps between two samples while errors are dense.
const DENSE_INTERVAL: u64 = 500;
/// Cost of one sample from which on errors are dense.
const DENSE_COST: u64 = 3;
/// What one sample counts for at most before errors are known to be dense: it stands for much that was not looked at.
const MAX_SPARSE_COST: u64 = 12;
/// Steps before the first sample: small files go without.
const FIRST_SAMPLE: u64 = 4_000;
/// Cost of one text, estimated from the samples, after which it is given up, whatever its size. An error costs one: the way
/// around it leads over every token of the grammar in every version of the stack, which the parser does not count as steps.
const MAX_COST: u64 = 2_000;
/// Bytes before a choice between two equal readings that cost as much as an error: the parser compares them from their
/// beginning, which may be that of the text. It decides between readings that differ in kind or precedence at once.
const CHOICE_BYTES: u64 = 200_000;
/// How many more entries the parser's stack has after a sample, from which on it is taken to grow all the time.
const GROWTH: i64 = 20;
/// Entries by which the stack may grow, as estimated, without being reduced: at an error the parser copies all of them for
/// each reading that is possible there.
const MAX_GROWTH: u64 = 10_000;
/// Bytes of a node of the tree, and of an entry of the stack.
const NODE_BYTES: i64 = 100;
const ENTRY_BYTES: i64 = 250;
/// Bytes that the parser may hold, as estimated. 954 KB of minified code take half of them.
const MAX_HELD_BYTES: i64 = 220 << 20;
/// Edits times bytes of a text from which on one with errors is parsed from its beginning: an edit goes over all nodes of a
/// level, which are all of the text where nothing fits the grammar.
const MAX_EDIT_COST: usize = 50_000_000;
/// Bytes that the lexer gets at once. Each time that it asks for some counts as an operation, also when it reads the same
/// text again and again.
const CHUNK: usize = 1 << 14;
/// Times that the lexer may ask for some, whatever the size of the text. Ordinary code needs few more than it has chunks;
/// what opens a comment at every word and never closes one is read to its end from each.
const MAX_READS: u32 = 8_000;

type Logger = Box<dyn FnMut(LogType, &str) + Send>;

/// Parses `text`, of which the tree of an `old` text of the same length is known: only what differs is read.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(crate) fn parse_again(
    grammar: &Grammar,
    text: &str,
    old: &str,
    tree: &mut Tree,
    budget: &WorkBudget,
) -> Result<Tree, WorkBudgetExhausted> {
    if old.len() != text.len() {
        return parse(grammar, text, None, budget);
    }
    let has_error = tree.root_node().has_error();
    let (mut row, mut line) = (0, 0);
    let (mut at, mut edits) = (0, 0usize);
    let (old, new) = (old.as_bytes(), text.as_bytes());
    while at < new.len() {
        let same = length(&old[at..], &new[at..], |old, new| old == new);
        (row, line) = behind(&new[at..at + same], at, row, line);
        at += same;
        let end = at + length(&old[at..], &new[at..], |old, new| old != new);
        if end > at {
            budget.spend(STEPS)?;
            edits += 1;
            if has_error && edits.saturating_mul(new.len()) > MAX_EDIT_COST {
                return parse(grammar, text, None, budget);
            }
            // Nothing but spaces is put in, so that lines stay what they are.
            let start = Point::new(row, at - line);
            (row, line) = behind(&new[at..end], at, row, line);
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
    parse(grammar, text, Some(tree), budget)
}

/// Returns the length of the longest prefix whose pairs of bytes satisfy `holds`.
fn length(old: &[u8], new: &[u8], holds: impl Fn(u8, u8) -> bool) -> usize {
    old.iter().zip(new).position(|(old, new)| !holds(*old, *new)).unwrap_or(new.len())
}

/// The row behind `text`, which starts at byte `at` in a row that starts at byte `line`, and where that row starts.
fn behind(text: &[u8], at: usize, row: usize, line: usize) -> (usize, usize) {
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

/// Parses a text; `old` is the tree of one that differs from it where it was edited.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(crate) fn parse(
    grammar: &Grammar,
    text: &str,
    old: Option<&Tree>,
    budget: &WorkBudget,
) -> Result<Tree, WorkBudgetExhausted> {
    thread_local! {
        static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    }
    let bytes = text.as_bytes();
    let mut reads = 0;
    let mut read = |at: usize, _| {
        reads += 1;
        let rest = bytes.get(at..).unwrap_or_default();
        let chunk = &rest[..rest.len().min(CHUNK)];
        let is_allowed = reads <= MAX_READS && budget.spend(1 + chunk.len() as u64 / 256).is_ok();
        if is_allowed { chunk } else { &[] }
    };
    let tree = PARSER.with_borrow_mut(|parser| {
        parser.set_language(grammar).ok()?;
        let mut meter = CostMeter::default();
        let tree = loop {
            parser.set_logger(meter.logger());
            let mut progress = |state: &ParseState| {
                meter.step(state.current_byte_offset());
                match budget.spend(STEPS) {
                    Ok(()) if !meter.is_due() => ControlFlow::Continue(()),
                    _ => ControlFlow::Break(()),
                }
            };
            let options = ParseOptions::new().progress_callback(&mut progress);
            let tree = parser.parse_with_options(&mut read, old, Some(options));
            // Without a tree the parser has stopped, and goes on from there.
            if tree.is_some()
                || !meter.is_due()
                || budget.exhausted().is_some()
                || meter.turn().is_err()
            {
                break tree;
            }
        };
        parser.set_logger(None);
        parser.reset();
        tree
    });
    match (budget.exhausted(), tree) {
        (None, Some(tree)) if reads <= MAX_READS => Ok(tree),
        (reason, _) => Err(reason.unwrap_or(WorkBudgetExhausted::Operations)),
    }
}

/// Estimates what errors and choices between readings cost. The parser reports them only in its log, which is slow: it is
/// sampled.
struct CostMeter {
    steps: u64,
    /// The byte that the parser has come to.
    position: u64,
    is_counting: bool,
    /// Steps at which the current sample ends or the next one begins.
    next_turn: u64,
    /// Steps that the current sample stands for.
    interval: u64,
    /// Cost of the whole text, as estimated.
    estimate: u64,
    /// Entries by which the stack has grown since it was last reduced, as estimated.
    growth: u64,
    /// Nodes of the tree and entries of the stack, as estimated.
    nodes: i64,
    entries: i64,
    sample: Arc<Sample>,
}

/// Counters of the current sample.
#[derive(Default)]
struct Sample {
    errors: AtomicU64,
    /// Choices between two readings of one kind, which are compared to their leaves.
    choices: AtomicU64,
    /// Nodes that were made of others, and tokens of a scanner that the grammar brings: those are kept like nodes.
    nodes: AtomicI64,
    /// Whether the grammar's own scanner was asked last.
    is_external: AtomicBool,
    /// Entries that were put on the stack, less those that were taken off.
    growth: AtomicI64,
    /// Comments and other tokens that may stand anywhere: entries of the stack that wait for no reduction.
    comments: AtomicI64,
}

impl Sample {
    fn add(&self, message: &str) {
        let (word, rest) = message.split_once(' ').unwrap_or((message, ""));
        match word {
            // A version of the stack that met an error is taken up again.
            "resume" => drop(self.errors.fetch_add(1, Ordering::Relaxed)),
            "select_earlier" | "select_existing" if is_of_one_kind(rest) => {
                self.choices.fetch_add(1, Ordering::Relaxed);
            }
            "shift" => drop(self.growth.fetch_add(1, Ordering::Relaxed)),
            "shift_extra" => drop(self.comments.fetch_add(1, Ordering::Relaxed)),
            "lex_external" => self.is_external.store(true, Ordering::Relaxed),
            "lex_internal" => self.is_external.store(false, Ordering::Relaxed),
            "lexed_lookahead" if self.is_external.load(Ordering::Relaxed) => {
                self.nodes.fetch_add(1, Ordering::Relaxed);
            }
            "reduce" => {
                self.nodes.fetch_add(1, Ordering::Relaxed);
                let count = rest.rsplit_once(':').and_then(|(_, count)| count.parse::<i64>().ok());
                self.growth.fetch_add(1 - count.unwrap_or(1), Ordering::Relaxed);
            }
            _ => {}
        }
    }
}

/// Whether the parser's message about a choice, `symbol:A, over_symbol:B`, names the same symbol twice.
fn is_of_one_kind(message: &str) -> bool {
    let symbols =
        message.strip_prefix("symbol:").and_then(|rest| rest.split_once(", over_symbol:"));
    symbols.is_some_and(|(chosen, other)| chosen == other)
}

impl Default for CostMeter {
    fn default() -> Self {
        Self {
            steps: 0,
            position: 0,
            is_counting: false,
            next_turn: FIRST_SAMPLE,
            interval: SAMPLE_INTERVAL,
            estimate: 0,
            growth: 0,
            nodes: 0,
            entries: 0,
            sample: Arc::default(),
        }
    }
}

impl CostMeter {
    /// Counts [`STEPS`] steps, after which the parser is at the byte `position`.
    const fn step(&mut self, position: usize) {
        self.steps += STEPS;
        self.position = position as u64;
    }

    /// Whether a sample should begin or end.
    const fn is_due(&self) -> bool {
        self.steps >= self.next_turn
    }

    /// Begins or ends a sample.
    ///
    /// # Errors
    ///
    /// [`WorkBudgetExhausted`] when the text costs more than it may.
    fn turn(&mut self) -> Result<(), WorkBudgetExhausted> {
        self.is_counting = !self.is_counting;
        if self.is_counting {
            self.next_turn = self.steps + STEPS;
            return Ok(());
        }
        let errors = self.sample.errors.swap(0, Ordering::Relaxed);
        let choices = self.sample.choices.swap(0, Ordering::Relaxed);
        let cost = errors + choices * self.position / CHOICE_BYTES;
        let counted = if self.interval > DENSE_INTERVAL { cost.min(MAX_SPARSE_COST) } else { cost };
        self.estimate += counted * self.interval / STEPS;
        let growth = self.sample.growth.swap(0, Ordering::Relaxed);
        let grows = growth >= GROWTH;
        let grown = growth.unsigned_abs() * self.interval.min(DENSE_INTERVAL) / STEPS;
        self.growth = if grows { self.growth + grown } else { 0 };
        let nodes = self.sample.nodes.swap(0, Ordering::Relaxed);
        let comments = self.sample.comments.swap(0, Ordering::Relaxed);
        let samples = (self.interval / STEPS).cast_signed();
        self.nodes += nodes * samples;
        self.entries = (self.entries + (growth + comments) * samples).max(0);
        let held = self.nodes * NODE_BYTES + self.entries * ENTRY_BYTES;
        let is_dense = cost >= DENSE_COST || grows;
        self.interval = if is_dense { DENSE_INTERVAL } else { SAMPLE_INTERVAL };
        self.next_turn = self.steps + self.interval - STEPS;
        let is_within =
            self.estimate <= MAX_COST && self.growth <= MAX_GROWTH && held <= MAX_HELD_BYTES;
        if is_within { Ok(()) } else { Err(WorkBudgetExhausted::Operations) }
    }

    fn logger(&self) -> Option<Logger> {
        if !self.is_counting {
            return None;
        }
        let sample = Arc::clone(&self.sample);
        Some(Box::new(move |kind, message: &str| {
            if matches!(kind, LogType::Parse) {
                sample.add(message);
            }
        }))
    }
}
