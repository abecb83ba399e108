//! The words of what was delivered, line by line, and how much each of them tells.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{RunEvidence, has_amount, units_around};
use crate::{
    quantity::Quantity,
    validate::grounding::word_forms::{stem, stems},
};
use retriever_workspace::RepoPath;

/// A delivered line of a file that is as it was.
pub(in crate::validate::grounding) struct DeliveredLine<'a> {
    pub(in crate::validate::grounding) path: &'a RepoPath,
    pub(in crate::validate::grounding) number: u32,
    pub(in crate::validate::grounding) text: &'a str,
    pub(in crate::validate::grounding) stems: BTreeSet<String>,
}

impl DeliveredLine<'_> {
    /// Whether the line has the amount, in its own unit or one that is named around it.
    pub(in crate::validate::grounding) fn has_amount(
        &self,
        quantity: &Quantity,
        evidence: &RunEvidence<'_>,
    ) -> bool {
        if !self.text.contains(|c: char| c.is_ascii_digit()) {
            return false;
        }
        let units = evidence.file(self.path).map(|file| units_around(file, self.number));
        has_amount(quantity, self.text, &units.unwrap_or_default()).is_some()
            || has_amount(quantity, self.text, &[]).is_some()
    }
}

impl<'a> RunEvidence<'a> {
    /// Returns the delivered lines of files that are as they were.
    pub(in crate::validate::grounding) fn lines(&self) -> &[DeliveredLine<'a>] {
        self.lines.get_or_init(|| {
            let lines = self.current_lines();
            lines
                .map(|(path, number, text)| DeliveredLine {
                    path,
                    number,
                    text,
                    stems: stems(text),
                })
                .collect()
        })
    }

    /// Whether a delivered line, a path or the question has a form of `word`.
    pub(in crate::validate::grounding) fn is_said(&self, word: &str) -> bool {
        let stem = stem(&word.to_lowercase());
        let has = |text: &str| stems(text).contains(&stem);
        self.lines().iter().any(|line| line.stems.contains(&stem))
            || self.paths.iter().any(|path| has(path))
            || has(&self.context.question.text)
    }
}

/// Returns the weight of each of `words` that one of `texts` has, up to 1: the fewer have it, the more it tells.
pub(in crate::validate::grounding) fn rarity<'t>(
    words: &[String],
    texts: impl Iterator<Item = &'t BTreeSet<String>>,
) -> FxHashMap<String, f64> {
    let mut counts: FxHashMap<&String, u32> = FxHashMap::default();
    let mut total = 1_u32;
    for text in texts {
        total += 1;
        for word in words.iter().filter(|word| text.contains(*word)) {
            *counts.entry(word).or_default() += 1;
        }
    }
    let total = f64::from(total.max(2));
    let weight = |count: u32| (total / f64::from(count)).ln() / total.ln();
    counts.into_iter().map(|(word, count)| (word.clone(), weight(count))).collect()
}
