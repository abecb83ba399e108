//! A scripted main agent, so that maps can be compared without a second model. It follows the recommendation of a map
//! without checking: it answers, reads the required targets (all targets when none is required), or greps the terms of
//! the search and reads around the hits. With `explore` it asks that the question and answers. With neither, or with a
//! map that says `skip`, it greps the question's words with the highest weights, one per call, and reads around the
//! densest hits. It cites the places of its map, the lines that `explore` printed, and the lines that it read.

use retriever::{
    OfflineState,
    evidence_ledger::LineRange,
    model::{ChatResponse, ToolCall, ToolChoice},
    report::{CodeMap, RecommendedAction, SUBMIT},
};
use retriever_eval::ScorableAnswer;
use serde_json::{Value, json};

use super::{
    super::grep_only_driver::{densest, read, search, words},
    explore_tool::EXPLORE,
};

/// What the agent has besides the question and the tools of every agent.
#[derive(Clone, Copy)]
pub(super) struct MapOrExploreOutput<'a> {
    pub(super) map: Option<&'a CodeMap>,
    /// The lines that `explore` printed, if the agent has it.
    pub(super) explored: Option<&'a [String]>,
}

/// Returns the next turn, which answers when `choice` names the answer tool. Rounds are counted from 1.
pub(super) fn next(
    state: &OfflineState<'_>,
    help: MapOrExploreOutput<'_>,
    choice: ToolChoice<'_>,
) -> ChatResponse {
    let map = help.map;
    let words = match map {
        Some(map) if !map.gap_search.terms.is_empty() => map.gap_search.terms.clone(),
        _ => words(state.question),
    };
    let action = map.map_or(RecommendedAction::Skip, |map| map.recommended_primary_action);
    let wanted: Vec<(&str, Value)> = match (action, state.round) {
        _ if matches!(choice, ToolChoice::Named(_)) => Vec::new(),
        (_, 1) if help.explored.is_some() => {
            vec![(EXPLORE, json!({ "query": state.question.text }))]
        }
        _ if help.explored.is_some() => Vec::new(),
        (RecommendedAction::ReadTargets, 1) => {
            targets(map).iter().map(|target| ("read", read(target))).collect()
        }
        (RecommendedAction::AnswerFromReport | RecommendedAction::ReadTargets, _) => Vec::new(),
        (RecommendedAction::TargetedGapSearch | RecommendedAction::Skip, 1) => {
            words.iter().map(|word| ("grep", search(word))).collect()
        }
        (RecommendedAction::TargetedGapSearch | RecommendedAction::Skip, 2) => {
            densest(state.ledger, &words).iter().map(|place| ("read", read(place))).collect()
        }
        (RecommendedAction::TargetedGapSearch | RecommendedAction::Skip, _) => Vec::new(),
    };
    let wanted = if wanted.is_empty() { vec![(SUBMIT, answer(state, help))] } else { wanted };
    let calls = wanted.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
        id: format!("scripted_{}_{index}", state.round),
        name: name.to_owned(),
        arguments: arguments.to_string(),
    });
    ChatResponse { calls: calls.collect(), ..ChatResponse::default() }
}

fn targets(map: Option<&CodeMap>) -> Vec<(String, LineRange)> {
    let all: Vec<_> = map.iter().flat_map(|map| &map.read_targets).collect();
    let some_required = all.iter().any(|target| target.required);
    all.into_iter()
        .filter(|target| target.required || !some_required)
        .filter_map(|target| Some((target.place.path.clone(), target.place.range()?)))
        .collect()
}

fn answer(
    state: &OfflineState<'_>,
    MapOrExploreOutput { map, explored }: MapOrExploreOutput<'_>,
) -> Value {
    let explored = explored.unwrap_or_default().iter().cloned();
    let of_map = map.map(ScorableAnswer::places_of).unwrap_or_default().into_iter();
    let of_map = of_map.filter_map(|cited| Some(format!("{}:{}", cited.path, cited.range?)));
    let read = state.ledger.files().flat_map(|file| {
        file.read
            .runs()
            .iter()
            .map(|run| format!("{}:{run}", file.version.path))
            .collect::<Vec<_>>()
    });
    let places: Vec<String> = of_map.chain(explored).chain(read).collect();
    let summary = map.map_or("", |map| map.summary.as_str());
    json!({ "summary": summary, "found": !places.is_empty(), "places": places })
}
