//! Reports that are written without a model, from candidates and delivered lines.

use std::{cmp::Reverse, fmt::Write as _};

use crate::agent::offline_driver::OfflineState;
use retriever_report::{
    Draft, DraftMissing, DraftPrimary, DraftReadTarget, DraftSecondary, GapSearch,
    RecommendedAction, evidence_ledger::FileEvidence,
};
use retriever_search::{
    CallBetweenCandidates, Candidate, Intent, NoAnswer, ParsedQuery, PlaceRole, TermForm,
};
use retriever_workspace::{LineRange, RepoPath};

const MAX_PRIMARY: usize = 5;
const MAX_SECONDARY: usize = 2;
/// Read targets that are primary places.
const MAX_REQUIRED_TARGETS: usize = 1;
/// Read targets beyond the primary and secondary places.
const MAX_FURTHER_TARGETS: usize = 4;
const MAX_TERMS: usize = 3;
const MAX_SCOPES: usize = 3;
/// Places in a flow.
const MAX_FLOW_PLACES: usize = 6;
/// Lines of a delivered range that is not tied to a candidate.
const MAX_LEDGER_LINES: u32 = 120;

/// A candidate, and the longest run of its lines that was delivered.
pub(super) struct DeliveredCandidate<'a> {
    candidate: &'a Candidate,
    range: LineRange,
}

/// Returns the candidates that were read, best first.
pub(super) fn read_candidates<'a>(state: &OfflineState<'a>) -> Vec<DeliveredCandidate<'a>> {
    let read = |candidate: &'a Candidate| {
        let file = state.ledger.file(&candidate.file.path)?;
        let range = file.read.longest_within(candidate.range?)?;
        Some(DeliveredCandidate { candidate, range })
    };
    state.candidates.iter().filter_map(read).collect()
}

/// Returns the report on `places`: the first of them are primary; tests and the like are secondary unless they are asked for.
pub(super) fn candidate_report(
    state: &OfflineState<'_>,
    places: &[DeliveredCandidate<'_>],
) -> Draft {
    let scope = ParsedQuery::of(state.question).scope;
    let (supporting, main): (Vec<_>, Vec<_>) =
        places.iter().partition(|place| place.candidate.is_excluded(&scope));
    let primary = &main[..main.len().min(MAX_PRIMARY)];
    let secondary: Vec<&DeliveredCandidate<'_>> =
        main.iter().skip(MAX_PRIMARY).chain(&supporting).take(MAX_SECONDARY).copied().collect();
    let further = main.iter().skip(MAX_PRIMARY + MAX_SECONDARY).take(MAX_FURTHER_TARGETS).copied();
    let found_nothing = primary.is_empty() && secondary.is_empty();
    let missing = match state.candidates {
        _ if !found_nothing => state.no_answer.map(no_answer_sentence),
        [] => Some("nothing in the repository matches the question's words".to_owned()),
        [..] => Some("places match, but what the run may show has no room for one".to_owned()),
    };
    let is_plausible = missing.is_none();
    let intent = state.question.intent;
    let target = |place: &DeliveredCandidate<'_>| place.read_target(intent);
    let required = primary
        .iter()
        .take(MAX_REQUIRED_TARGETS)
        .map(|place| DraftReadTarget { required: state.no_answer.is_none(), ..target(place) });
    Draft {
        summary: summary(primary),
        flow: flow(primary),
        primary: primary.iter().map(|place| place.primary(state)).collect(),
        secondary: secondary.iter().map(|place| place.secondary(state)).collect(),
        findings: Vec::new(),
        read_targets: required.chain(further.map(target)).collect(),
        missing: missing
            .map(|what| DraftMissing { what, role: None, critical: true })
            .into_iter()
            .collect(),
        gap_search: GapSearch { terms: gap_terms(state), scopes: candidate_folders(state) },
        requested_roles: Vec::new(),
        recommended_primary_action: Some(if is_plausible {
            RecommendedAction::ReadTargets
        } else {
            RecommendedAction::TargetedGapSearch
        }),
        confidence: None,
    }
}

impl DeliveredCandidate<'_> {
    fn reference(&self) -> String {
        format!("{}:{}-{}", self.candidate.file.path, self.range.start(), self.range.end())
    }

    fn primary(&self, state: &OfflineState<'_>) -> DraftPrimary {
        DraftPrimary {
            reference: self.reference(),
            symbols: self.symbols(),
            role: Some(self.candidate.leading_role.unwrap_or(PlaceRole::Handler)),
            why: self.why(state),
        }
    }

    fn secondary(&self, state: &OfflineState<'_>) -> DraftSecondary {
        let role = self.candidate.leading_role;
        DraftSecondary { reference: self.reference(), role, why: self.why(state) }
    }

    fn read_target(&self, intent: Intent) -> DraftReadTarget {
        let name = self.name().and_then(code_span);
        let name = name.unwrap_or_else(|| self.candidate.file.path.file_name().to_owned());
        let purpose = match intent {
            Intent::Answer => format!("see what {name} does"),
            Intent::Edit => format!("check whether {name} is what has to change"),
            Intent::Debug => format!("check whether {name} causes the fault"),
        };
        DraftReadTarget { reference: self.reference(), purpose, required: false }
    }

    /// Returns the symbols that the delivered lines declare. Part of a wide declaration may be without its name.
    fn symbols(&self) -> Vec<String> {
        const MAX_SYMBOLS: usize = 3;
        let symbols = self.candidate.symbols.iter();
        let declared = symbols.filter(|symbol| self.range.contains(symbol.line));
        declared.map(|symbol| symbol.name.clone()).take(MAX_SYMBOLS).collect()
    }

    /// Returns the name of what is declared there.
    fn name(&self) -> Option<&str> {
        self.candidate.symbols.first().map(|symbol| symbol.name.as_str())
    }

    /// Returns why the place is cited; once the validator has refused that, without what led there beside the words.
    fn why(&self, state: &OfflineState<'_>) -> String {
        const MAX_CHANNELS: usize = 3;
        let Candidate { provenance, matches, .. } = self.candidate;
        let is_refused = state.refused.contains(&self.reference());
        let known = if is_refused { &[][..] } else { provenance.as_slice() };
        let known = &known[..known.len().min(MAX_CHANNELS)];
        let matches = &matches[..matches.len().min(MAX_CHANNELS - known.len())];
        let (related, matched) = (known.join(", "), matches.join(", "));
        match (related.is_empty(), matched.is_empty()) {
            (true, true) => "is close to places that match".to_owned(),
            (false, true) => related,
            (true, false) => format!("matches by {matched}"),
            (false, false) => format!("{related}; matches by {matched}"),
        }
    }
}

fn summary(primary: &[&DeliveredCandidate<'_>]) -> String {
    let names = primary.iter().filter_map(|place| name_among(place, primary));
    let names = distinct(names, primary.len());
    if names.is_empty() {
        return String::new();
    }
    format!("Closest by name and words, not judged by a model: {}.", names.join(", "))
}

/// Returns a name as a code span, in which it is no word of the sentence around it; none for a text that is no name, such as
/// the title of a test.
fn code_span(name: &str) -> Option<String> {
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || c == '`');
    is_name.then(|| format!("`{name}`"))
}

/// Returns the name of a place, with its file if a place of another file has the same name; none if nothing with a name is
/// declared there.
fn name_among(
    place: &DeliveredCandidate<'_>,
    places: &[&DeliveredCandidate<'_>],
) -> Option<String> {
    let (own, path) = (place.name()?, &place.candidate.file.path);
    let named = code_span(own)?;
    let others = places.iter().filter(|other| other.name() == Some(own));
    let same: Vec<&RepoPath> =
        others.map(|other| &other.candidate.file.path).filter(|other| *other != path).collect();
    if same.is_empty() {
        return Some(named);
    }
    let is_own_file = same.iter().all(|other| other.file_name() != path.file_name());
    let file = if is_own_file { path.file_name() } else { path.as_str() };
    Some(format!("{named} ({file})"))
}

/// Returns the longest chain of calls among the places, in words.
fn flow(primary: &[&DeliveredCandidate<'_>]) -> String {
    let chain = longest_call_chain(primary);
    let names: Option<Vec<String>> =
        chain.iter().map(|(index, _)| name_among(primary[*index], primary)).collect();
    let Some(names) = names.filter(|names| names.len() > 1) else { return String::new() };
    let mut flow = String::new();
    for (name, (_, via)) in names.iter().zip(&chain) {
        let _ = match via.and_then(|via| code_span(via)) {
            _ if flow.is_empty() => write!(flow, "{name}"),
            None => write!(flow, " calls {name}, which"),
            // The first of the two names only the one between them.
            Some(via) => write!(flow, " reaches {name} through {via}, which"),
        };
    }
    format!("{}.", flow.trim_end_matches(", which"))
}

/// Returns the indices of the places on the longest chain of calls, each with the function that the call goes through.
fn longest_call_chain<'a>(primary: &[&DeliveredCandidate<'a>]) -> Vec<(usize, Option<&'a String>)> {
    let callee = |call: &CallBetweenCandidates| {
        primary.iter().position(|place| {
            let declares = |line| place.candidate.symbols.first().is_some_and(|s| s.line == line);
            place.candidate.file.path == call.path && declares(call.line)
        })
    };
    let mut longest: Vec<(usize, Option<&String>)> = Vec::new();
    let mut open: Vec<Vec<(usize, Option<&String>)>> =
        (0..primary.len()).map(|start| vec![(start, None)]).collect();
    while let Some(chain) = open.pop() {
        let last = chain.last().map_or(0, |(index, _)| *index);
        let calls = primary[last].candidate.graph.iter().flat_map(|graph| &graph.calls);
        for call in calls.filter(|_| chain.len() < MAX_FLOW_PLACES) {
            if let Some(next) = callee(call)
                && !chain.iter().any(|(index, _)| *index == next)
            {
                let mut longer = chain.clone();
                longer.push((next, call.via.as_ref()));
                open.push(longer);
            }
        }
        if chain.len() > longest.len() {
            longest = chain;
        }
    }
    longest
}

/// Returns why the repository may not contain what is asked for.
fn no_answer_sentence(no_answer: &NoAnswer) -> String {
    if no_answer.words.is_empty() {
        return "no place holds more than a few of the question's words; it may not be there"
            .to_owned();
    }
    let words: Vec<String> = no_answer.words.iter().map(|word| format!("\"{word}\"")).collect();
    format!("nothing here is named after {}; it may not be there", words.join(", "))
}

/// Returns what to search for: the names of the best candidates; if the repository may not contain what is asked for, the
/// words that nothing is named after, then the heaviest words of the question.
fn gap_terms(state: &OfflineState<'_>) -> Vec<String> {
    match state.no_answer {
        Some(no_answer) => {
            let words = no_answer.words.iter().cloned();
            distinct(words.chain(question_words(state)), MAX_TERMS)
        }
        None => {
            let symbols = state.candidates.iter().filter_map(|candidate| candidate.symbols.first());
            distinct(symbols.map(|symbol| symbol.name.clone()), MAX_TERMS)
        }
    }
}

fn question_words(state: &OfflineState<'_>) -> impl Iterator<Item = String> + use<> {
    let terms = ParsedQuery::of(state.question).terms.into_iter();
    let words = terms.filter(|term| term.form == TermForm::Word && term.weight > 0.0);
    words.map(|term| term.text)
}

fn candidate_folders(state: &OfflineState<'_>) -> Vec<String> {
    let paths = state.candidates.iter().map(|candidate| &candidate.file.path);
    distinct(paths.map(folder_or_file), MAX_SCOPES)
}

/// Returns the folder of a file. A file at the root stands for itself: its folder would be the whole repository.
fn folder_or_file(path: &RepoPath) -> String {
    let folder = path.parent().filter(|folder| !folder.as_str().is_empty());
    folder.unwrap_or_else(|| path.clone()).as_str().to_owned()
}

fn distinct(items: impl Iterator<Item = String>, limit: usize) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for item in items {
        if kept.len() < limit && !kept.contains(&item) {
            kept.push(item);
        }
    }
    kept
}

/// Returns the report after an exploration without a usable one: on the candidates that were read, else on whatever was
/// delivered. Files that are not `is_current` are left out.
pub(super) fn fallback_report(
    state: &OfflineState<'_>,
    is_current: &dyn Fn(&FileEvidence) -> bool,
) -> Draft {
    let mut places = read_candidates(state);
    places.retain(|place| state.ledger.file(&place.candidate.file.path).is_some_and(is_current));
    if places.is_empty() {
        ledger_report(state, is_current)
    } else {
        candidate_report(state, &places)
    }
}

/// Returns a report on the ranges that were delivered: those of candidates first, then the longest.
fn ledger_report(state: &OfflineState<'_>, is_current: &dyn Fn(&FileEvidence) -> bool) -> Draft {
    let mut ranges: Vec<(&FileEvidence, LineRange)> = Vec::new();
    let candidates = state.candidates.iter().filter_map(|candidate| {
        let file = state.ledger.file(&candidate.file.path)?;
        Some((file, file.delivered.longest_within(candidate.range?)?))
    });
    let mut others: Vec<(&FileEvidence, LineRange)> =
        state.ledger.files().filter_map(|file| Some((file, longest_run(file)?))).collect();
    others.sort_by_key(|(file, run)| (Reverse(file.read.len()), Reverse(run.width())));
    // What was read says more than the lines that the packet shows of a candidate.
    let (read, shown): (Vec<_>, Vec<_>) =
        others.into_iter().partition(|(file, _)| !file.read.is_empty());
    for (file, range) in read.into_iter().chain(candidates).chain(shown) {
        let is_new = !ranges.iter().any(|(known, _)| known.stamp.path == file.stamp.path);
        if is_new && is_current(file) {
            ranges.push((file, first_lines(range)));
        }
    }
    let primary: Vec<DraftPrimary> = ranges
        .iter()
        .filter(|(file, _)| !file.stamp.traits.test && !file.stamp.traits.support)
        .take(MAX_PRIMARY)
        .map(|(file, range)| DraftPrimary {
            reference: format!("{}:{range}", file.stamp.path),
            symbols: Vec::new(),
            role: None,
            why: "was delivered during the exploration".to_owned(),
        })
        .collect();
    let read_targets = primary.iter().take(MAX_REQUIRED_TARGETS).map(|item| DraftReadTarget {
        reference: item.reference.clone(),
        purpose: "see whether it answers the question".to_owned(),
        required: false,
    });
    let listed = state.ledger.places().iter().map(|place| folder_or_file(&place.path));
    Draft {
        read_targets: read_targets.collect(),
        recommended_primary_action: Some(if primary.is_empty() {
            RecommendedAction::TargetedGapSearch
        } else {
            RecommendedAction::ReadTargets
        }),
        gap_search: GapSearch {
            terms: distinct(question_words(state), MAX_TERMS),
            scopes: distinct(listed, MAX_SCOPES),
        },
        primary,
        ..Draft::default()
    }
}

/// Returns the longest run of lines that was read of a file, else the longest that was delivered.
fn longest_run(file: &FileEvidence) -> Option<LineRange> {
    let runs = if file.read.is_empty() { &file.delivered } else { &file.read };
    runs.runs().iter().copied().max_by_key(|run| run.width())
}

fn first_lines(range: LineRange) -> LineRange {
    let end = range.start().saturating_add(MAX_LEDGER_LINES - 1).min(range.end());
    LineRange::new(range.start(), end).unwrap_or(range)
}
