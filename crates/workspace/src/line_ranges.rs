//! Line ranges and sets of lines, for every computation about lines. Pure; independent of files.

use std::fmt;

/// A non-empty range of lines, 1-based and inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct LineRange {
    start: u32,
    end: u32,
}

impl LineRange {
    /// Returns the range `start..=end`, or `None` when `start` is 0 or after `end`.
    pub const fn new(start: u32, end: u32) -> Option<Self> {
        if start >= 1 && start <= end { Some(Self { start, end }) } else { None }
    }

    /// Returns the range of one line, or `None` for line 0.
    pub const fn line(number: u32) -> Option<Self> {
        Self::new(number, number)
    }

    /// First line.
    pub const fn start(self) -> u32 {
        self.start
    }

    /// Last line.
    pub const fn end(self) -> u32 {
        self.end
    }

    /// Number of lines, at least 1.
    pub const fn width(self) -> u32 {
        (self.end - self.start).saturating_add(1)
    }

    /// Whether `line` is in the range.
    pub const fn contains(self, line: u32) -> bool {
        self.start <= line && line <= self.end
    }

    /// Whether every line of `other` is in the range.
    pub const fn covers(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// Returns the lines that both ranges have.
    pub fn intersect(self, other: Self) -> Option<Self> {
        Self::new(self.start.max(other.start), self.end.min(other.end))
    }

    /// Whether the two ranges share a line.
    pub const fn overlaps(self, other: Self) -> bool {
        self.start <= other.end && other.start <= self.end
    }

    /// Returns the smallest range that has both.
    pub fn span(self, other: Self) -> Self {
        Self { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl fmt::Display for LineRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.start == self.end {
            write!(f, "{}", self.start)
        } else {
            write!(f, "{}-{}", self.start, self.end)
        }
    }
}

/// A set of lines, stored as sorted runs that are neither overlapping nor adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineSet {
    runs: Vec<LineRange>,
}

impl LineSet {
    /// Returns the empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds every line of `range` and returns how many of them are new.
    pub fn insert(&mut self, range: LineRange) -> u32 {
        let before = self.covered(range);
        let first = self.runs.partition_point(|run| run.end.saturating_add(1) < range.start);
        let last = self.runs.partition_point(|run| run.start <= range.end.saturating_add(1));
        let merged = self.runs[first..last].iter().fold(range, |all, run| all.span(*run));
        self.runs.splice(first..last, [merged]);
        range.width() - before
    }

    /// The runs, in order.
    pub fn runs(&self) -> &[LineRange] {
        &self.runs
    }

    /// Whether no line is in the set.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Number of lines in the set.
    pub fn len(&self) -> u32 {
        self.runs.iter().map(|run| run.width()).sum()
    }

    /// Whether every line of `range` is in the set.
    pub fn contains(&self, range: LineRange) -> bool {
        self.runs.iter().any(|run| run.covers(range))
    }

    /// Number of lines of `range` that are in the set.
    pub fn covered(&self, range: LineRange) -> u32 {
        self.within(range).map(LineRange::width).sum()
    }

    /// The parts of `range` that are in the set, in order.
    pub fn within(&self, range: LineRange) -> impl Iterator<Item = LineRange> + '_ {
        self.runs.iter().filter_map(move |run| run.intersect(range))
    }

    /// The longest unbroken part of `range` that is in the set; the earlier of two equals.
    pub fn longest_within(&self, range: LineRange) -> Option<LineRange> {
        self.within(range).max_by_key(|part| (part.width(), std::cmp::Reverse(part.start)))
    }
}

impl FromIterator<LineRange> for LineSet {
    fn from_iter<I: IntoIterator<Item = LineRange>>(ranges: I) -> Self {
        let mut set = Self::new();
        for range in ranges {
            set.insert(range);
        }
        set
    }
}
