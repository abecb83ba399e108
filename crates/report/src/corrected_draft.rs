//! Merges a draft with its correction, item by item. If both have a version of an item, the one of which validation
//! kept more is used, or the later one if it kept equal parts. So a correction keeps what was valid before,
//! and adds its better items.

use std::collections::BTreeSet;

use crate::{
    code_map::{Place, Verdict},
    prose_normalization::is_word_char,
    report_limits::{MAX_FINDINGS, MAX_MISSING, MAX_PRIMARY, MAX_READ_TARGETS, MAX_SECONDARY},
    submitted_draft::{ReportDraft, unnumbered},
    validate::{KeptItem, KeptItems},
};

/// A draft and what validation kept of it.
#[derive(Clone, Copy, Debug)]
pub struct JudgedDraft<'a> {
    /// The draft.
    pub draft: &'a ReportDraft,
    /// What stands of it.
    pub kept: &'a KeptItems,
}

/// Returns the `correction` of the `first` draft with all that only the first one has, or has better. A finding of the
/// correction replaces the one whose number it gives, else one that validation changed and that says nearly the same of the same
/// lines. Summary and flow are the correction's: what they name may be cited by items of either, so [`with_better_prose`]
/// chooses when the merged draft was validated.
pub fn corrected(first: JudgedDraft<'_>, correction: JudgedDraft<'_>) -> ReportDraft {
    let (old, new) = (first.draft, correction.draft);
    let (kept, now) = (first.kept, correction.kept);
    let findings = ListPair {
        first: JudgedList { items: &old.findings, kept: &kept.findings },
        corrected: JudgedList { items: &new.findings, kept: &now.findings },
    };
    let missing = ListPair {
        first: JudgedList { items: &old.missing, kept: &kept.missing },
        corrected: JudgedList { items: &new.missing, kept: &now.missing },
    };
    let primary = ListPair {
        first: JudgedList { items: &old.primary, kept: &kept.primary },
        corrected: JudgedList { items: &new.primary, kept: &now.primary },
    };
    let secondary = ListPair {
        first: JudgedList { items: &old.secondary, kept: &kept.secondary },
        corrected: JudgedList { items: &new.secondary, kept: &now.secondary },
    };
    let targets = ListPair {
        first: JudgedList { items: &old.read_targets, kept: &kept.read_targets },
        corrected: JudgedList { items: &new.read_targets, kept: &now.read_targets },
    };
    let merged = ReportDraft {
        findings: findings.merge(MAX_FINDINGS, |first_index, corrected_index| {
            let (before, after) = (&old.findings[first_index], &new.findings[corrected_index]);
            match after.number {
                Some(number) => {
                    (number == before.number_in_report(first_index)).then_some(Likeness::Same)
                }
                None if before.fact == after.fact => Some(Likeness::Same),
                None => (findings.is_changed(first_index)
                    && findings.share_lines(first_index, corrected_index)
                    && says_nearly_same(&before.fact, &after.fact))
                .then_some(Likeness::Alike),
            }
        }),
        missing: missing.merge(MAX_MISSING, |first_index, corrected_index| {
            let before = &old.missing[first_index].what;
            let after = &new.missing[corrected_index].what;
            if before == after {
                return Some(Likeness::Same);
            }
            let is_alike = (missing.is_changed(first_index) || names_same(before, after))
                && says_nearly_same(before, after);
            is_alike.then_some(Likeness::Alike)
        }),
        primary: primary.merge_places(MAX_PRIMARY, |item| &item.reference),
        secondary: secondary.merge_places(MAX_SECONDARY, |item| &item.reference),
        read_targets: targets.merge_places(MAX_READ_TARGETS, |item| &item.reference),
        ..new.clone()
    };
    ReportDraft { findings: merged.findings.iter().map(unnumbered).collect(), ..merged }
}

/// Returns the `merged` draft with the summary and the flow of the `first` one where validation left more of these.
pub fn with_better_prose(first: JudgedDraft<'_>, merged: JudgedDraft<'_>) -> ReportDraft {
    let (old, new) = (first.draft, merged.draft);
    let (kept, now) = (first.kept, merged.kept);
    ReportDraft {
        summary: better_text((&old.summary, kept.summary), (&new.summary, now.summary)),
        flow: better_text((&old.flow, kept.flow), (&new.flow, now.flow)),
        ..new.clone()
    }
}

/// How an item of a correction is the one of the first draft that it may stand for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Likeness {
    /// It says that it is.
    Same,
    /// It says much the same.
    Alike,
}

/// Returns the text of which more is left, the corrected one of equals.
fn better_text(first: (&str, Option<Verdict>), corrected: (&str, Option<Verdict>)) -> String {
    let rank = |verdict: Option<Verdict>| verdict.map_or((1, Verdict::AsSubmitted), |it| (0, it));
    let is_first_better = rank(first.1) < rank(corrected.1);
    if is_first_better { first.0.to_owned() } else { corrected.0.to_owned() }
}

/// A list of a draft and what validation kept of it.
struct JudgedList<'a, T> {
    items: &'a [T],
    kept: &'a [KeptItem],
}

/// A list of the first draft and that of its correction. Items are named by their indices in these.
struct ListPair<'a, T> {
    first: JudgedList<'a, T>,
    corrected: JudgedList<'a, T>,
}

impl<T: Clone> ListPair<'_, T> {
    /// Returns the corrected list, each item in its better version. If the first list has more that stands, that is added, and
    /// its order holds. If the first list's own need their room, items that the correction adds in vain go,
    /// then the last that it adds.
    fn merge(&self, room: usize, likeness: impl Fn(usize, usize) -> Option<Likeness>) -> Vec<T> {
        let partners = self.partners(likeness);
        let is_replaced = |first_index: usize| partners.contains(&Some(first_index));
        let only_first: Vec<(usize, &T)> = self
            .first
            .kept
            .iter()
            .flat_map(|item| &item.indices)
            .filter(|index| !is_replaced(**index))
            .filter_map(|index| Some((*index, self.first.items.get(*index)?)))
            .collect();
        let mut merged: Vec<(Option<usize>, usize, T)> = Vec::new();
        for (index, (own, partner)) in self.corrected.items.iter().zip(&partners).enumerate() {
            let before = partner
                .and_then(|first| self.first.verdict(first).zip(self.first.items.get(first)));
            let now = self.corrected.verdict(index);
            let better = before.filter(|(verdict, _)| now.is_none_or(|now| *verdict < now));
            merged.push((*partner, index, better.map_or(own, |(_, item)| item).clone()));
        }
        while merged.len() + only_first.len() > room {
            // What stands for an item that is gone is as new.
            let is_new = |partner: Option<usize>| {
                partner.is_none_or(|index| self.first.verdict(index).is_none())
            };
            let useless = merged.iter().rposition(|(partner, index, _)| {
                is_new(*partner) && self.corrected.adds_nothing(*index)
            });
            let last_new = || merged.iter().rposition(|(partner, ..)| is_new(*partner));
            let Some(at) = useless.or_else(last_new) else { break };
            merged.remove(at);
        }
        let mut merged: Vec<_> =
            merged.into_iter().map(|(partner, _, item)| (partner, item)).collect();
        if !only_first.is_empty() {
            merged.extend(only_first.into_iter().map(|(index, item)| (Some(index), item.clone())));
            merged.sort_by_key(|(partner, _)| partner.unwrap_or(usize::MAX));
        }
        merged.into_iter().map(|(_, item)| item).collect()
    }

    /// Merges two lists of places, which are alike by what they are written as or by their lines.
    fn merge_places(&self, room: usize, reference: fn(&T) -> &str) -> Vec<T> {
        self.merge(room, |first_index, corrected_index| {
            let before = reference(&self.first.items[first_index]);
            if before == reference(&self.corrected.items[corrected_index]) {
                return Some(Likeness::Same);
            }
            self.takes_its_lines(first_index, corrected_index).then_some(Likeness::Alike)
        })
    }

    /// Pairs each corrected item with the first-draft item that it replaces. An item is paired once; exact matches are paired
    /// before similar ones.
    fn partners(&self, likeness: impl Fn(usize, usize) -> Option<Likeness>) -> Vec<Option<usize>> {
        let mut partners: Vec<Option<usize>> = vec![None; self.corrected.items.len()];
        for wanted in [Likeness::Same, Likeness::Alike] {
            for corrected_index in 0..partners.len() {
                if partners[corrected_index].is_none() {
                    let is_free = |first_index: &usize| !partners.contains(&Some(*first_index));
                    partners[corrected_index] =
                        (0..self.first.items.len()).filter(is_free).find(|first_index| {
                            likeness(*first_index, corrected_index) == Some(wanted)
                        });
                }
            }
        }
        partners
    }

    /// Whether validation changed or refused an item of the first list.
    fn is_changed(&self, first_index: usize) -> bool {
        self.first.verdict(first_index) != Some(Verdict::AsSubmitted)
    }

    fn share_lines(&self, first_index: usize, corrected_index: usize) -> bool {
        let corrected = self.corrected.places(corrected_index);
        let mut first = self.first.places(first_index).iter();
        first.any(|place| corrected.iter().any(|own| own.overlaps(place)))
    }

    /// Whether a corrected item cites all that the first one cites.
    fn takes_its_lines(&self, first_index: usize, corrected_index: usize) -> bool {
        let first = self.first.places(first_index);
        let corrected = self.corrected.places(corrected_index);
        !first.is_empty() && first.iter().all(|place| corrected.iter().any(|own| own.covers(place)))
    }
}

impl<T> JudgedList<'_, T> {
    /// Returns what is kept of an item.
    fn kept(&self, index: usize) -> Option<&KeptItem> {
        self.kept.iter().find(|item| item.indices.contains(&index))
    }

    /// Whether validation has refused an item or joined it to an earlier one.
    fn adds_nothing(&self, index: usize) -> bool {
        self.kept(index).is_none_or(|item| item.indices.iter().any(|other| *other < index))
    }

    fn places(&self, index: usize) -> &[Place] {
        self.kept(index).map_or(&[], |item| &item.places)
    }

    fn verdict(&self, index: usize) -> Option<Verdict> {
        self.kept(index).map(|item| item.verdict)
    }
}

/// Whether two texts share most words of the shorter one.
fn says_nearly_same(first: &str, second: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !is_word_char(c));
        parts.filter(|word| word.len() > 3).map(str::to_lowercase).collect()
    };
    let (first, second) = (words(first), words(second));
    let shared = first.intersection(&second).count();
    shared * 2 > first.len().min(second.len())
}

/// Whether two texts have the same names in backticks, and any.
fn names_same(first: &str, second: &str) -> bool {
    let names = |text: &str| -> BTreeSet<String> {
        text.split('`').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let names_of_first = names(first);
    !names_of_first.is_empty() && names_of_first == names(second)
}
