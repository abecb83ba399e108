//! Checks the order of two things: "a before b", "first a and then b", "a → b". Both are looked for in the lines of one
//! function. The claim is doubtful if the lines fit the opposite order far better.

use std::{collections::BTreeSet, ops::RangeInclusive, sync::LazyLock};

use regex::Regex;
use rustc_hash::FxHashMap;

use super::{
    code_names::{NAME, is_code, own_name},
    evidence::{RunEvidence, rarity},
    word_forms::stems,
};
use crate::{
    prose_normalization::{is_listed, literal_regex},
    sentence_clauses::steps,
    validate::citation::Citation,
};
use retriever_workspace::{LineRange, RepoPath};

// The unit is one rare word (`rarity`). The values were set by hand. A change of them is
// judged by `retriever eval grounding --half build`; no figures for other values are recorded.

/// What a word counts in the line next to it.
const REACH: f64 = 0.3;
/// Functions that fit nearly as well as the best one may show the order, too.
const NEARLY: f64 = 0.8;

/// What it takes to doubt an order.
#[derive(Clone, Copy)]
struct Bounds {
    /// Share by which the opposite order has to fit better.
    margin: f64,
    /// What either part has to have in one line.
    least: f64,
}

/// For an order that is said in words.
const SAID: Bounds = Bounds { margin: 0.2, least: 0.5 };
/// For steps of a flow, which goes from function to function and comes back.
const STEPS: Bounds = Bounds { margin: 0.3, least: 1.0 };

/// Returns what `text` puts earlier and what later where the cited lines have the opposite order.
pub(super) fn reversed_order<'s>(
    text: &'s str,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<[&'s str; 2]> {
    let steps = steps(text);
    // "Only after" tells the condition.
    let said = steps.iter().filter(|step| !step.text.contains(" only after "));
    let said = said.filter_map(|step| Some((claimed(step.text)?, place_of(step.text))));
    let said = said
        .filter(|((earlier, _), _)| !is_value(earlier, evidence))
        .map(|(parts, place)| (parts, SAID, place));
    let successive = steps.windows(2).filter(|pair| {
        let separator = pair[0].separator;
        separator.contains("then") || separator.contains(['→', '>'])
    });
    let successive = successive.map(|pair| ((pair[0].text, pair[1].text), STEPS, None));
    said.chain(successive).find_map(|((earlier, later), bounds, place)| {
        let spans = spans(refs, place, evidence);
        let is_reversed = !is_conditional(earlier)
            && !is_conditional(later)
            && fits_reversed([earlier, later], bounds, spans, evidence);
        is_reversed.then_some([earlier, later])
    })
}

/// Returns the function in which a text says that something happens: "is emptied in `stop` before …".
fn place_of(text: &str) -> Option<&str> {
    static IN: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"\b(?:[Ii]n|[Ww]ithin|[Ii]nside)\s+{NAME}")));
    let names = IN.as_ref()?.captures_iter(text).filter_map(|found| found.get(1));
    let mut names = names.map(|name| own_name(name.as_str())).filter(|name| is_code(name, text));
    names.next().filter(|_| names.next().is_none())
}

/// Whether a part is no more than the name of a value, such as the time that passes before something: "after `grace_period`".
fn is_value(part: &str, evidence: &RunEvidence<'_>) -> bool {
    let part = part.trim().trim_end_matches('.');
    let name = part.trim_matches('`');
    let is_name =
        !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "_.$@".contains(c));
    let own = own_name(name);
    let is_called = || {
        evidence.current_lines().any(|(_, _, line)| {
            let mut found = line.match_indices(own);
            found.any(|(at, _)| line[at + own.len()..].trim_start().starts_with('('))
        })
    };
    is_name
        && part.starts_with('`')
        && evidence.declared(own).iter().all(|(_, declaration)| !declaration.is_function())
        && !is_called()
}

/// Whether two parts fit the lines of a cited function far better in the opposite order.
fn fits_reversed(
    [earlier, later]: [&str; 2],
    bounds: Bounds,
    spans: Vec<(&RepoPath, RangeInclusive<u32>)>,
    evidence: &RunEvidence<'_>,
) -> bool {
    let (first, second) = (stems(earlier), stems(later));
    let earlier: Vec<String> = first.difference(&second).cloned().collect();
    let later: Vec<String> = second.difference(&first).cloned().collect();
    let lines = evidence.lines().iter().map(|line| &line.stems);
    let parts = [rarity(&earlier, lines.clone()), rarity(&later, lines)];
    let fits: Vec<OrderFit> = spans
        .into_iter()
        .filter_map(|(path, lines)| order_fit(&parts, bounds.least, (path, lines), evidence))
        .collect();
    let best = fits.iter().map(OrderFit::best).fold(0.0, f64::max);
    let near = fits.iter().filter(|fit| fit.best() >= NEARLY * best);
    let least = near.map(|fit| (fit.opposite - fit.claimed) / fit.best()).reduce(f64::min);
    least.is_some_and(|least| least >= bounds.margin)
}

/// Whether a part holds in some cases only, or more than once.
pub(super) fn is_conditional(part: &str) -> bool {
    const CONDITIONS: &str = "if when unless else otherwise or again until while loop defer";
    part.split(' ').any(|word| is_listed(CONDITIONS, word))
}

/// How well two parts fit the lines of a function in the claimed order and in the opposite one.
struct OrderFit {
    claimed: f64,
    opposite: f64,
}

impl OrderFit {
    fn best(&self) -> f64 {
        self.claimed.max(self.opposite)
    }
}

/// Returns how well two parts fit some lines, if both stand in them.
fn order_fit(
    [earlier, later]: &[FxHashMap<String, f64>; 2],
    least: f64,
    (path, span): (&RepoPath, RangeInclusive<u32>),
    evidence: &RunEvidence<'_>,
) -> Option<OrderFit> {
    let lines = evidence.lines().iter().filter(|line| line.path == path);
    let lines = lines.filter(|line| span.contains(&line.number));
    let lines: Vec<_> = lines.filter(|line| !evidence.is_comment(path, line.number)).collect();
    let around = LineRange::new(*span.start(), *span.end())
        .map(|range| Citation { path: path.clone(), range });
    let names: BTreeSet<String> = around
        .iter()
        .flat_map(|around| evidence.overlapping(around))
        .flat_map(|declaration| stems(&declaration.name))
        .collect();
    let fits = |part: &FxHashMap<String, f64>| -> Vec<f64> {
        let words = part.iter().filter(|(word, _)| !names.contains(*word));
        let alone: Vec<f64> = lines
            .iter()
            .map(|line| {
                let held = words.clone().filter(|(word, _)| line.stems.contains(*word));
                held.map(|(_, weight)| weight).sum()
            })
            .collect();
        let at = |index: Option<usize>| index.and_then(|index| alone.get(index)).copied();
        let next = |index: usize| {
            let (above, below) = (at(index.checked_sub(1)), at(index.checked_add(1)));
            above.unwrap_or_default().max(below.unwrap_or_default())
        };
        alone.iter().enumerate().map(|(index, own)| own + REACH * next(index)).collect()
    };
    let (earlier, later) = (fits(earlier), fits(later));
    let is_found = |fits: &[f64]| fits.iter().any(|fit| *fit >= least);
    (is_found(&earlier) && is_found(&later)).then(|| OrderFit {
        claimed: best_in_order(&earlier, &later),
        opposite: best_in_order(&later, &earlier),
    })
}

/// Returns the best sum of a line of `first` and the same or a later one of `second`.
fn best_in_order(first: &[f64], second: &[f64]) -> f64 {
    let mut most = 0.0_f64;
    first.iter().zip(second).fold(0.0, |best, (first, second)| {
        most = most.max(*first);
        best.max(most + second)
    })
}

/// Returns the cited lines, function by function, those of `place` alone if they have it. The line that a function is declared
/// in is none of its steps.
fn spans<'a>(
    refs: &[Citation],
    place: Option<&str>,
    evidence: &RunEvidence<'a>,
) -> Vec<(&'a RepoPath, RangeInclusive<u32>)> {
    let (mut all, mut of_place) = (Vec::new(), Vec::new());
    for citation in refs {
        let Some(file) = evidence.file(&citation.path) else { continue };
        let path = &file.version.path;
        let (start, end) = (citation.range.start(), citation.range.end());
        let functions = evidence.overlapping(citation).filter(|found| found.is_function());
        let before = all.len();
        for found in functions {
            let span = (path, start.max(found.range.start() + 1)..=end.min(found.range.end()));
            if place == Some(found.name.as_str()) {
                of_place.push(span.clone());
            }
            all.push(span);
        }
        if all.len() == before {
            all.push((path, start..=end));
        }
    }
    if of_place.is_empty() { all } else { of_place }
}

/// Returns what a clause puts earlier, and what later. "After 5 s" is a delay.
pub(super) fn claimed(clause: &str) -> Option<(&str, &str)> {
    static BEFORE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?P<a>.+?),?\s(?:comes\s+)?(?:right\s+|long\s+|just\s+)?before\s+(?:that\s+of\s+)?(?P<b>[^,;]+)",
        )
    });
    static AFTER: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?P<b>.+?),?\s(?:only\s+|right\s+|just\s+)?after\s+(?P<a>[^,;\d]+?)(?:\s+and\s.*)?$",
        )
    });
    static LEADING: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^\s*(?:After|Once)\s+(?P<a>[^,\d]+),\s+(?P<b>.+)$"));
    static THEN: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^(?P<a>.+?),?\s+and\s+only\s+then\s+(?P<b>.+)$"));
    static AFTERWARDS: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^(?P<a>.+?)\s+and\s+(?P<b>.+?)\s+(?:afterwards|later)\b"));
    static FIRST: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?:^|[`,]\s*)(?P<a>[^,;`]{3,40}?)\s+first\s+and\s+(?P<b>\S+(?:\s+\S+){0,3})",
        )
    });
    [&AFTERWARDS, &LEADING, &THEN, &FIRST, &BEFORE, &AFTER].into_iter().find_map(|form| {
        let found = form.as_ref()?.captures(clause)?;
        Some((found.name("a")?.as_str(), found.name("b")?.as_str()))
    })
}
