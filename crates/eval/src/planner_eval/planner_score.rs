//! Computes the figures of a main agent's transcript. [`PlannerMetric`] defines each.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;

use super::{MainAgentCall, MainAgentTranscript, PlannerMetric};
use crate::{
    answer_score::{gold_files, hits},
    suite::{EvalCase, ExpectedPlace},
};
use retriever_report::{CodeMap, Confidence, RecommendedAction};
use retriever_search::Intent;
use retriever_workspace::{LineRange, PathGlobs, RepoPath};

/// Returns the figures of a transcript that started with `map`, or without one.
pub(super) fn score(
    case: &EvalCase,
    transcript: &MainAgentTranscript,
    map: Option<&CodeMap>,
) -> BTreeMap<PlannerMetric, f64> {
    use PlannerMetric as M;
    let mut values = BTreeMap::new();
    let mut put = |metric, value| {
        values.insert(metric, value);
    };
    let flag = |is: bool| f64::from(u8::from(is));
    let text = transcript.answer.as_ref().map(ToString::to_string).unwrap_or_default();
    put(M::Answered, flag(transcript.answer.is_some()));
    if case.negative {
        let found = transcript.answer.as_ref().and_then(|answer| answer.found);
        put(M::NegativeOk, flag(found == Some(false)));
        put(M::Passed, flag(found == Some(false)));
    }
    let rows: Vec<_> = case.evidence.iter().filter(|row| row.required).collect();
    if !rows.is_empty() {
        let cited = rows.iter().filter(|row| row.any_of.iter().any(|label| cites(&text, label)));
        let cited = cited.count();
        put(M::Cited, cited as f64 / rows.len() as f64);
        put(M::Passed, flag(cited == rows.len()));
    }
    let gold = gold_files(case);
    if !gold.is_empty() {
        let named = gold.iter().filter(|any| any.iter().any(|path| names(&text, path).count() > 0));
        put(M::Files, named.count() as f64 / gold.len() as f64);
    }
    let of = |tool: &str| transcript.calls.iter().filter(|call| call.tool == tool).count() as f64;
    let searches = of("grep") + of("glob");
    put(M::Calls, transcript.calls.len() as f64);
    put(M::Explores, of("explore"));
    put(M::Searches, searches);
    put(M::Reads, of("read"));
    if let Some(map) = map {
        if map.confidence > Confidence::Low {
            put(M::SearchesAfterMap, searches);
        }
        let outside = transcript.calls.iter().filter_map(|call| call.read.as_ref());
        let outside = outside.filter(|(path, lines)| !is_recommended(map, path, *lines)).count();
        put(M::ReadsOutside, outside as f64);
        if transcript.answer.is_some() || !transcript.calls.is_empty() {
            put(M::Followed, flag(follows(map, transcript.calls.first())));
        }
        if case.intent == Intent::Answer {
            put(M::FromMap, flag(transcript.answer.is_some() && transcript.calls.is_empty()));
        }
    }
    values.extend(cost(transcript, map));
    values
}

/// Returns the cost of the answer and of its map.
fn cost(transcript: &MainAgentTranscript, map: Option<&CodeMap>) -> BTreeMap<PlannerMetric, f64> {
    use PlannerMetric as M;
    let usage = &transcript.usage;
    let of_ask = map.and_then(|map| map.meta.usage).unwrap_or_default();
    let total = [usage, &of_ask].map(|usage| usage.prompt_tokens + usage.completion_tokens);
    let elapsed_ms = transcript.elapsed_ms + map.map_or(0, |map| map.meta.elapsed_ms);
    let mut values = BTreeMap::from([
        (M::Steps, f64::from(transcript.steps)),
        (M::ShownTokens, transcript.shown_tokens as f64),
        (M::TotalTokens, total.iter().sum::<u64>() as f64),
        (M::ResidentTokens, transcript.resident_tokens as f64),
        (M::Seconds, elapsed_ms as f64 / 1_000.0),
        (M::Uncached, usage.prompt_tokens.saturating_sub(usage.cached_tokens) as f64),
        (M::Cached, usage.cached_tokens as f64),
    ]);
    if transcript.by_model {
        values.insert(M::Written, usage.completion_tokens as f64);
    }
    if let Some(cost) = transcript.cost {
        values.insert(M::Cost, cost);
        let with_ask = cost + map.and_then(|map| map.meta.cost).unwrap_or_default();
        values.insert(M::CostWithAsk, with_ask);
    }
    values
}

/// Whether the first call, or the answer without a call, follows the recommendation of the map.
fn follows(map: &CodeMap, first: Option<&MainAgentCall>) -> bool {
    let Some(call) = first else {
        return map.recommended_primary_action == RecommendedAction::AnswerFromReport;
    };
    let searches = call.tool == "grep" || call.tool == "glob";
    let argument = |key: &str| call.arguments[key].as_str().unwrap_or_default().to_lowercase();
    match map.recommended_primary_action {
        RecommendedAction::AnswerFromReport => false,
        RecommendedAction::ReadTargets => {
            call.read.as_ref().is_some_and(|(path, lines)| is_target(map, path, *lines))
        }
        RecommendedAction::TargetedGapSearch => {
            let pattern = argument("pattern");
            let of_term = |term: &String| {
                let term = term.to_lowercase();
                !pattern.is_empty() && (pattern.contains(&term) || term.contains(&pattern))
            };
            let in_scope =
                || ["path", "include"].iter().any(|key| is_in_scope(map, &argument(key)));
            searches && (map.gap_search.terms.iter().any(of_term) || in_scope())
        }
        RecommendedAction::Skip => searches,
    }
}

fn is_recommended(map: &CodeMap, path: &str, lines: LineRange) -> bool {
    let searches = map.recommended_primary_action == RecommendedAction::TargetedGapSearch;
    is_target(map, path, lines) || (searches && is_in_scope(map, path))
}

fn is_target(map: &CodeMap, path: &str, lines: LineRange) -> bool {
    map.read_targets.iter().any(|target| {
        let range = target.place.range();
        target.place.path == path && range.is_some_and(|range| hits(lines, range))
    })
}

fn is_in_scope(map: &CodeMap, path: &str) -> bool {
    let Ok(parsed) = RepoPath::parse(path, "") else { return false };
    if path.is_empty() {
        return false;
    }
    let holds = |scope: &String| {
        let folder = scope.trim_end_matches('/');
        path == folder
            || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
            || PathGlobs::new(&[scope]).is_ok_and(|glob| glob.matches(&parsed))
    };
    map.gap_search.scopes.iter().any(holds)
}

/// Whether `text` names the file of a label, followed by lines that overlap it, or the label's symbol anywhere.
fn cites(text: &str, label: &ExpectedPlace) -> bool {
    let mut named = names(text, &label.path).peekable();
    if named.peek().is_none() {
        return false;
    }
    let symbol = label.symbol.as_deref().unwrap_or_default();
    let symbol = symbol.rsplit(['.', ':', '#']).next().unwrap_or_default();
    let words = || text.split(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
    if !symbol.is_empty() && words().any(|word| word == symbol) {
        return true;
    }
    let range = LineRange::new(label.start, label.end);
    named.any(|behind| lines(behind).zip(range).is_some_and(|(cited, label)| hits(cited, label)))
}

/// Returns the text after each mention of the file at `path`, by its path or an end of it.
fn names<'a>(text: &'a str, path: &'a str) -> impl Iterator<Item = &'a str> {
    let file = path.rsplit('/').next().unwrap_or(path);
    text.match_indices(file).filter_map(move |(at, _)| {
        let in_path = |c: char| c.is_alphanumeric() || "/._-@+".contains(c);
        let behind = &text[at + file.len()..];
        let goes_on = behind.starts_with(|c: char| c.is_alphanumeric() || "/_-".contains(c));
        let before = text[..at].trim_end_matches(in_path).len();
        let spelled = text[before..at + file.len()].trim_start_matches("./");
        let is_end = path
            .strip_suffix(spelled)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('/') || spelled.starts_with('/'));
        (is_end && !goes_on).then_some(behind)
    })
}

/// Returns the lines at the start of the text after a path: `:3-9`, `#L3-L9`, ` lines 3 to 9`, ` (line 3)`.
fn lines(behind: &str) -> Option<LineRange> {
    static LINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r"^[`'\x22*]*(?::|#L|[\s,(]+(?:at )?lines?\s+)(\d{1,7})(?:\s*(?:-|–|to|:)\s*L?(\d{1,7}))?")
            .ok()
    });
    let found = LINES.as_ref()?.captures(behind)?;
    let start = found[1].parse().ok()?;
    let end = found.get(2).map_or(Ok(start), |end| end.as_str().parse()).ok()?;
    LineRange::new(start, end)
}
