//! How long a report may be so that its map has room for all of it: what a model is told of it.

/// What fits into a map, in words that a model can act on.
pub(super) struct ReportRoom {
    /// Characters of the whole report as a model submits it.
    pub(super) chars: u64,
    /// Primary places.
    pub(super) places: u64,
    /// Findings.
    pub(super) facts: u64,
    /// Characters of the flow.
    pub(super) flow_chars: u64,
}

impl ReportRoom {
    /// Returns the room in a map of `tokens`. Reports of 2.8 characters for each of these, as submitted, filled their maps:
    /// the reports of twelve runs. A place takes about 160 characters, a fact with its references 260, and 1,100 are for
    /// the summary and the other lists.
    pub(super) fn of(tokens: u64) -> Self {
        let chars = tokens.saturating_mul(28) / 1_000 * 100;
        let places = (tokens / 300).clamp(2, 5);
        let flow_chars = (tokens.saturating_mul(3) / 800 * 100).clamp(300, 800);
        let left = chars.saturating_sub(1_100 + places * 160 + flow_chars);
        Self { chars, places, facts: (left / 260).clamp(2, 8), flow_chars }
    }
}
