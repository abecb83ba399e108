//! Merges a draft with its correction, item by item: of the two versions of an item the one stays that validation left more
//! of, the later one of equals. So a correction costs nothing that held, and none of its better items is lost.

use std::collections::BTreeSet;

use crate::{
    code_map::{Place, Verdict},
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
    let findings = ListPair::new((&old.findings, &kept.findings), (&new.findings, &now.findings));
    let missing = ListPair::new((&old.missing, &kept.missing), (&new.missing, &now.missing));
    let primary = ListPair::new((&old.primary, &kept.primary), (&new.primary, &now.primary));
    let secondary =
        ListPair::new((&old.secondary, &kept.secondary), (&new.secondary, &now.secondary));
    let targets = ListPair::new(
        (&old.read_targets, &kept.read_targets),
        (&new.read_targets, &now.read_targets),
    );
    let merged = ReportDraft {
        findings: findings.merge(MAX_FINDINGS, |at, by| {
            let (before, after) = (&old.findings[at], &new.findings[by]);
            match after.number {
                Some(number) => (number == before.number_in_report(at)).then_some(Likeness::Same),
                None if before.fact == after.fact => Some(Likeness::Same),
                None => (findings.is_changed(at)
                    && findings.share_lines(at, by)
                    && says_nearly_same(&before.fact, &after.fact))
                .then_some(Likeness::Alike),
            }
        }),
        missing: missing.merge(MAX_MISSING, |at, by| {
            let (before, after) = (&old.missing[at].what, &new.missing[by].what);
            if before == after {
                return Some(Likeness::Same);
            }
            let is_alike = (missing.is_changed(at) || names_same(before, after))
                && says_nearly_same(before, after);
            is_alike.then_some(Likeness::Alike)
        }),
        primary: primary
            .merge(MAX_PRIMARY, |at, by| primary.likeness(at, by, |item| &item.reference)),
        secondary: secondary
            .merge(MAX_SECONDARY, |at, by| secondary.likeness(at, by, |item| &item.reference)),
        read_targets: targets
            .merge(MAX_READ_TARGETS, |at, by| targets.likeness(at, by, |item| &item.reference)),
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

/// A list of a draft and of its correction, with what validation kept of each.
struct ListPair<'a, T> {
    first: &'a [T],
    kept: &'a [KeptItem],
    corrected: &'a [T],
    corrected_kept: &'a [KeptItem],
}

impl<'a, T: Clone> ListPair<'a, T> {
    fn new(first: (&'a [T], &'a [KeptItem]), correction: (&'a [T], &'a [KeptItem])) -> Self {
        Self {
            first: first.0,
            kept: first.1,
            corrected: correction.0,
            corrected_kept: correction.1,
        }
    }

    /// Returns the corrected list, each item in its better version. If the first list has more that stands, that is added, and
    /// its order holds. Of what the correction adds the last items go if the first list's own need their room.
    fn merge(&self, room: usize, likeness: impl Fn(usize, usize) -> Option<Likeness>) -> Vec<T> {
        let partners = self.partners(likeness);
        let is_replaced = |at: usize| partners.contains(&Some(at));
        let only_first: Vec<(usize, &T)> = self
            .kept
            .iter()
            .flat_map(|item| &item.indices)
            .filter(|at| !is_replaced(**at))
            .filter_map(|at| Some((*at, self.first.get(*at)?)))
            .collect();
        let mut merged: Vec<(Option<usize>, T)> = Vec::new();
        for (by, (own, partner)) in self.corrected.iter().zip(&partners).enumerate() {
            let before = partner.and_then(|at| verdict_of(self.kept, at).zip(self.first.get(at)));
            let now = verdict_of(self.corrected_kept, by);
            let better = before.filter(|(verdict, _)| now.is_none_or(|now| *verdict < now));
            merged.push((*partner, better.map_or(own, |(_, item)| item).clone()));
        }
        while merged.len() + only_first.len() > room {
            // What stands for an item that is gone is as new.
            let is_new = |partner: Option<usize>| {
                partner.is_none_or(|at| verdict_of(self.kept, at).is_none())
            };
            let Some(at) = merged.iter().rposition(|(partner, _)| is_new(*partner)) else { break };
            merged.remove(at);
        }
        if !only_first.is_empty() {
            merged.extend(only_first.into_iter().map(|(at, item)| (Some(at), item.clone())));
            merged.sort_by_key(|(partner, _)| partner.unwrap_or(usize::MAX));
        }
        merged.into_iter().map(|(_, item)| item).collect()
    }

    /// Returns for each corrected item the first one that it stands for: none stands for two, and the same go before the alike.
    fn partners(&self, likeness: impl Fn(usize, usize) -> Option<Likeness>) -> Vec<Option<usize>> {
        let mut partners: Vec<Option<usize>> = vec![None; self.corrected.len()];
        for wanted in [Likeness::Same, Likeness::Alike] {
            for by in 0..partners.len() {
                if partners[by].is_none() {
                    let is_free = |at: &usize| !partners.contains(&Some(*at));
                    partners[by] = (0..self.first.len())
                        .filter(is_free)
                        .find(|at| likeness(*at, by) == Some(wanted));
                }
            }
        }
        partners
    }

    /// Whether validation changed or refused an item of the first list.
    fn is_changed(&self, at: usize) -> bool {
        verdict_of(self.kept, at) != Some(Verdict::AsSubmitted)
    }

    /// Returns how two places are alike: by what they are written as, or by their lines.
    fn likeness(&self, at: usize, by: usize, reference: fn(&T) -> &str) -> Option<Likeness> {
        if reference(&self.first[at]) == reference(&self.corrected[by]) {
            return Some(Likeness::Same);
        }
        self.takes_its_lines(at, by).then_some(Likeness::Alike)
    }

    fn share_lines(&self, at: usize, by: usize) -> bool {
        let first = places_of(self.kept, at);
        let corrected = places_of(self.corrected_kept, by);
        first.iter().any(|place| corrected.iter().any(|own| own.overlaps(place)))
    }

    /// Whether a corrected item cites all that the first one cites.
    fn takes_its_lines(&self, at: usize, by: usize) -> bool {
        let first = places_of(self.kept, at);
        let corrected = places_of(self.corrected_kept, by);
        !first.is_empty() && first.iter().all(|place| corrected.iter().any(|own| own.covers(place)))
    }
}

fn places_of(kept: &[KeptItem], index: usize) -> &[Place] {
    kept.iter().find(|item| item.indices.contains(&index)).map_or(&[], |item| &item.places)
}

fn verdict_of(kept: &[KeptItem], index: usize) -> Option<Verdict> {
    kept.iter().find(|item| item.indices.contains(&index)).map(|item| item.verdict)
}

/// Whether two texts share most words of the shorter one.
fn says_nearly_same(first: &str, second: &str) -> bool {
    let words = |text: &str| -> BTreeSet<String> {
        let parts = text.split(|c: char| !(c.is_alphanumeric() || c == '_'));
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
