//! The model for when there is no model: a deterministic driver of the same loop, tools, ledger and validator. It reads
//! the best candidates, looks for the question's rarest name, and reports what it read. It judges nothing, so its maps
//! are never above low; ranking the candidates is recon's work.

use std::fmt::Write as _;

use futures::future::{BoxFuture, FutureExt};
use serde_json::{Value, json};

use crate::model::{
    ChatModel, ChatRequest, ChatResponse, ModelError, Situation, ToolCall, ToolChoice,
};
use retriever_report::{
    Action, Author, Draft, DraftMissing, DraftPrimary, DraftReadTarget, DraftSecondary, GapSearch,
    SUBMIT,
};
use retriever_search::{Call, Candidate, Intent, NoAnswer, ParsedQuery, Role, TermForm};
use retriever_workspace::LineRange;

/// Candidates that are read before the report.
const READS: usize = 12;
/// Lines that are read of one candidate.
const READ_LINES: u32 = 120;
const PRIMARY: usize = 5;
const SECONDARY: usize = 2;
const TARGETS: usize = 1;
/// Further places that may be worth a look.
const MORE_TARGETS: usize = 4;
/// Terms of a search.
const TERMS: usize = 3;
/// Steps of a flow.
const FLOW: usize = 6;

/// The built-in driver.
#[derive(Clone, Copy, Debug, Default)]
pub struct OfflineModel;

impl OfflineModel {
    /// Returns the driver.
    pub fn new() -> Self {
        Self
    }
}

impl ChatModel for OfflineModel {
    fn name(&self) -> &str {
        "offline"
    }

    fn author(&self) -> Author {
        Author::Offline
    }

    fn complete<'a>(
        &'a self,
        request: &'a ChatRequest<'a>,
    ) -> BoxFuture<'a, Result<ChatResponse, ModelError>> {
        let situation = &request.situation;
        let may_explore = situation.step == 1 && request.tool_choice == ToolChoice::Auto;
        let calls = if may_explore { explore(situation) } else { Vec::new() };
        let calls = if calls.is_empty() { vec![(SUBMIT, submit(situation))] } else { calls };
        let calls = calls.into_iter().enumerate().map(|(index, (name, arguments))| ToolCall {
            id: format!("offline_{}_{index}", situation.step),
            name: name.to_owned(),
            arguments: arguments.to_string(),
        });
        let response = ChatResponse { calls: calls.collect(), ..ChatResponse::default() };
        async move { Ok(response) }.boxed()
    }
}

/// The verification reads: the best candidates, and one look at what is there when nothing was found.
fn explore(situation: &Situation<'_>) -> Vec<(&'static str, Value)> {
    let reads = situation.candidates.iter().take(READS).filter_map(|candidate| {
        let range = candidate.range?;
        let lines = range.width().min(READ_LINES);
        let file = candidate.file.path.as_str();
        Some(("read", json!({ "file": file, "start_line": range.start(), "num_lines": lines })))
    });
    let mut calls: Vec<_> = reads.collect();
    if calls.is_empty() {
        calls.push(("glob", json!({ "pattern": "*", "limit": 40 })));
    }
    calls
}

fn submit(situation: &Situation<'_>) -> Value {
    let draft = draft(situation);
    serde_json::to_value(&draft).unwrap_or_else(|_| json!({ "missing": [{ "what": "a report" }] }))
}

fn draft(situation: &Situation<'_>) -> Draft {
    let read: Vec<(&Candidate, LineRange)> = situation
        .candidates
        .iter()
        .filter_map(|candidate| Some((candidate, delivered(situation, candidate)?)))
        .collect();
    let (secondary_kind, main): (Vec<_>, Vec<_>) =
        read.into_iter().partition(|(candidate, _)| candidate.is_secondary());
    let primary: Vec<_> = main.iter().take(PRIMARY).collect();
    let secondary: Vec<_> =
        main.iter().skip(PRIMARY).chain(&secondary_kind).take(SECONDARY).collect();
    let more = main.iter().skip(PRIMARY + SECONDARY).take(MORE_TARGETS);
    let is_plausible = situation.absence.is_none();
    let terms = gap_terms(situation);
    let mut scopes: Vec<String> = Vec::new();
    for candidate in situation.candidates {
        let path = &candidate.file.path;
        // A file at the root stands for itself: its folder would be everything.
        let folder = path.parent().filter(|folder| !folder.as_str().is_empty());
        let scope = folder.unwrap_or_else(|| path.clone()).as_str().to_owned();
        if !scopes.contains(&scope) {
            scopes.push(scope);
        }
    }
    scopes.truncate(3);
    let nothing = primary.is_empty() && secondary.is_empty();
    Draft {
        summary: summary(&primary),
        flow: flow(&primary),
        primary: primary
            .iter()
            .map(|(candidate, range)| DraftPrimary {
                reference: reference(candidate, *range),
                symbols: named_in(candidate, *range),
                role: Some(candidate.leading_role.unwrap_or(Role::Handler)),
                why: why(candidate),
            })
            .collect(),
        secondary: secondary
            .iter()
            .map(|(candidate, range)| DraftSecondary {
                reference: reference(candidate, *range),
                role: candidate.leading_role,
                why: why(candidate),
            })
            .collect(),
        findings: Vec::new(),
        read_targets: primary
            .iter()
            .take(TARGETS)
            .map(|(candidate, range)| DraftReadTarget {
                reference: reference(candidate, *range),
                purpose: purpose(situation.question.intent, candidate),
                required: is_plausible,
            })
            .chain(more.map(|(candidate, range)| DraftReadTarget {
                reference: reference(candidate, *range),
                purpose: purpose(situation.question.intent, candidate),
                required: false,
            }))
            .collect(),
        missing: if nothing || !is_plausible {
            vec![DraftMissing {
                what: if nothing {
                    "nothing in the repository matches the question's words".to_owned()
                } else {
                    doubt(situation.absence)
                },
                role: None,
                critical: true,
            }]
        } else {
            Vec::new()
        },
        gap_search: GapSearch { terms, scopes: if nothing { Vec::new() } else { scopes } },
        requested_roles: Vec::new(),
        recommended_primary_action: Some(if nothing || !is_plausible {
            Action::TargetedGapSearch
        } else {
            Action::ReadTargets
        }),
        confidence: None,
    }
}

/// The part of a candidate that was read, when it is a part worth citing.
fn delivered(situation: &Situation<'_>, candidate: &Candidate) -> Option<LineRange> {
    let range = candidate.range?;
    situation.ledger.file(&candidate.file.path)?.read.longest_within(range)
}

fn reference(candidate: &Candidate, range: LineRange) -> String {
    format!("{}:{}-{}", candidate.file.path, range.start(), range.end())
}

/// What is declared in lines that were read; of a wide declaration they may be a part without its name.
fn named_in(candidate: &Candidate, range: LineRange) -> Vec<String> {
    let named = candidate.symbols.iter().filter(|symbol| range.contains(symbol.line));
    named.map(|symbol| symbol.name.clone()).take(3).collect()
}

/// The longest chain of calls among the places, in words.
fn flow(primary: &[&(&Candidate, LineRange)]) -> String {
    let at = |call: &Call| {
        primary.iter().position(|(candidate, _)| {
            candidate.file.path == call.path
                && candidate.symbols.first().is_some_and(|symbol| symbol.line == call.line)
        })
    };
    let name = |index: usize| {
        primary[index].0.symbols.first().map_or("", |symbol| symbol.name.as_str()).to_owned()
    };
    let mut best: Vec<(usize, Option<String>)> = Vec::new();
    let mut open: Vec<Vec<(usize, Option<String>)>> =
        (0..primary.len()).map(|start| vec![(start, None)]).collect();
    while let Some(chain) = open.pop() {
        let last = chain.last().map_or(0, |(index, _)| *index);
        let calls = primary[last].0.graph.iter().flat_map(|graph| &graph.calls);
        for call in calls.filter(|_| chain.len() < FLOW) {
            if let Some(next) = at(call)
                && !chain.iter().any(|(index, _)| *index == next)
            {
                let mut longer = chain.clone();
                longer.push((next, call.via.clone()));
                open.push(longer);
            }
        }
        if chain.len() > best.len() {
            best = chain;
        }
    }
    if best.len() < 2 {
        return String::new();
    }
    let mut flow = name(best[0].0);
    for (index, via) in &best[1..] {
        let via = via.as_ref().map_or_else(String::new, |via| format!(" through {via}"));
        let _ = write!(flow, " calls {}{via}, which", name(*index));
    }
    format!("{}.", flow.trim_end_matches(", which"))
}

fn why(candidate: &Candidate) -> String {
    format!(
        "matches by {}",
        candidate.provenance.iter().take(3).cloned().collect::<Vec<_>>().join(", ")
    )
}

fn purpose(intent: Intent, candidate: &Candidate) -> String {
    let name = candidate
        .symbols
        .first()
        .map_or_else(|| candidate.file.path.file_name(), |symbol| symbol.name.as_str());
    match intent {
        Intent::Answer => format!("see what {name} does"),
        Intent::Edit => format!("check whether {name} is what has to change"),
        Intent::Debug => format!("check whether {name} causes the fault"),
    }
}

fn summary(primary: &[&(&Candidate, LineRange)]) -> String {
    let names: Vec<&str> = primary
        .iter()
        .filter_map(|(candidate, _)| Some(candidate.symbols.first()?.name.as_str()))
        .collect();
    if names.is_empty() {
        return String::new();
    }
    format!("Closest by name and words, not judged by a model: {}.", names.join(", "))
}

/// Why what is asked for may not be there, in words.
fn doubt(absence: Option<&NoAnswer>) -> String {
    let words: Vec<&str> = absence.iter().flat_map(|why| &why.words).map(String::as_str).collect();
    if words.is_empty() {
        return "no place holds more than a few of the question's words; it may not be there"
            .to_owned();
    }
    format!("nothing here is named after {}; it may not be there", words.join(", "))
}

/// What a search would start from: when it may not be there, the words that nothing is named after and the question's heaviest; else
/// the names of the best candidates.
fn gap_terms(situation: &Situation<'_>) -> Vec<String> {
    let words = ParsedQuery::of(situation.question).terms.into_iter();
    let words = words.filter(|term| term.form == TermForm::Word && term.weight > 0.0);
    let names = situation.candidates.iter().filter_map(|candidate| candidate.symbols.first());
    let wanted: Vec<String> = match situation.absence {
        Some(absence) => absence.words.iter().cloned().chain(words.map(|term| term.text)).collect(),
        None => names.map(|symbol| symbol.name.clone()).collect(),
    };
    let mut terms: Vec<String> = Vec::new();
    for term in wanted {
        if terms.len() < TERMS && !terms.contains(&term) {
            terms.push(term);
        }
    }
    terms
}
