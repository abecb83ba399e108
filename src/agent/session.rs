//! A question's way through its session: what its answer depends on beside the files, and what of a run may be kept. Keeping
//! and finding is [`crate::session`]'s.

use std::{collections::BTreeSet, sync::Arc};

use serde_json::Value;
use strum::VariantArray;

use super::{Opening, Shared, prompt::Prompt, run::Run};
use crate::{
    answer_cache::{Found, Graph, Seen, Visit},
    config::BudgetConfig,
};
use retriever_report::{
    self, CodeMap,
    ledger::{EvidenceSource, Ledger},
};
use retriever_search::{Question, SessionId};
use retriever_workspace::{FileVersion, LineRange, truncate_line};

/// Tokens of a map that are left free for IDs and the session's figures.
pub(super) const RESERVED_TOKENS: u64 = 90;

/// What is named in the calls of a run.
#[derive(Debug, Default)]
pub(super) struct Named {
    texts: BTreeSet<String>,
    tools: BTreeSet<String>,
}

impl Named {
    /// Takes down a call.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) {
        self.tools.insert(tool.trim().to_ascii_lowercase());
        self.texts(arguments);
    }

    fn texts(&mut self, value: &Value) {
        match value {
            Value::String(text) => drop(self.texts.insert(text.clone())),
            Value::Array(items) => items.iter().for_each(|item| self.texts(item)),
            Value::Object(fields) => fields.values().for_each(|field| self.texts(field)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Asks the question's session; `None` without one.
pub(super) async fn find(
    shared: &Arc<Shared>,
    question: &Question,
    budget: &BudgetConfig,
) -> Option<Found> {
    let id = question.session.clone()?;
    let key = key(shared, question, budget);
    let shared = Arc::clone(shared);
    let find = move || {
        let graph = if shared.index.is_known() { Graph::Used } else { Graph::Missing };
        shared.sessions.find(&shared.workspace, id, key, graph)
    };
    // A panic while looking costs the session, not the answer.
    tokio::task::spawn_blocking(find).await.ok()
}

/// The kept map as the answer to the question as it is asked now.
pub(super) fn again(mut map: CodeMap, question: &Question, limit: u64) -> CodeMap {
    // This time nothing was billed.
    (map.meta.usage, map.meta.cost) = (None, None);
    let kept = std::mem::replace(&mut map.question, question.text.clone());
    map.set_report_tokens();
    if map.meta.report_tokens > limit {
        map.question = kept;
    }
    map
}

/// The lines of a kept map as they are now; what it depends on has just been found unchanged.
pub(super) async fn delivered(shared: &Arc<Shared>, map: &CodeMap) -> Ledger {
    let workspace = Arc::clone(&shared.workspace);
    let places: Vec<(String, Option<LineRange>)> =
        map.places().map(|place| (place.path.clone(), place.range())).collect();
    let deliver = move || {
        let mut ledger = Ledger::new();
        for (path, range) in places {
            let file = workspace.normalize(&path).ok().and_then(|path| workspace.read(&path).ok());
            let (Some(file), Some(range)) = (file, range) else { continue };
            let lines: Vec<(u32, String)> =
                file.lines(range).map(|(number, line)| (number, truncate_line(line))).collect();
            ledger.record_delivery(&FileVersion::of(&file), EvidenceSource::Read, &lines);
        }
        ledger
    };
    tokio::task::spawn_blocking(deliver).await.unwrap_or_default()
}

/// Tells the session the answer.
pub(super) async fn finish(
    shared: &Arc<Shared>,
    visit: Visit,
    run: &Run<'_>,
    mut map: CodeMap,
    lasts: Lasting,
    graph: Graph,
) -> CodeMap {
    let named = &run.memory.named;
    let own = !named.tools.iter().any(|tool| shared.added_tools.contains(tool));
    let mut texts = named.texts.clone();
    texts.extend(run.ledger.places().iter().map(|place| place.path.as_str().to_owned()));
    let seen = Seen {
        files: run.ledger.files().map(|file| (file.stamp.path.clone(), file.stamp.hash)).collect(),
        named: texts,
        // Nobody knows what a caller's own tool looks at.
        lasts: own && matches!(lasts, Lasting::Yes),
        graph,
    };
    let limit = shared.config.report.max_tokens;
    let shared = Arc::clone(shared);
    let whole = map.clone();
    let told = tokio::task::spawn_blocking(move || {
        shared.sessions.finish(&shared.workspace, visit, &mut map, &seen, limit);
        map
    });
    told.await.unwrap_or(whole)
}

/// Whether an answer may be given again.
pub(super) enum Lasting {
    Yes,
    /// The run was cut short, or its model failed: the next one may do better.
    No,
}

/// Everything that an answer depends on beside the files, hashed: the configuration holds secrets.
fn key(shared: &Shared, question: &Question, budget: &BudgetConfig) -> String {
    let prompts: Vec<&str> =
        Prompt::VARIANTS.iter().map(|prompt| shared.prompts.text(*prompt)).collect();
    let tools = shared.registry.specs();
    let mut roles = question.roles.clone();
    roles.sort_unstable();
    roles.dedup();
    let everything = serde_json::json!({
        "program": env!("RETRIEVER_MAP_VERSION"),
        "root": shared.workspace.root(),
        "author": shared.model.author(),
        "model": shared.model.name(),
        "config": shared.config,
        "budget": budget,
        "prompts": prompts,
        "tools": tools,
        "packet": shared.opening == Opening::Candidates,
        "question": normal(&question.text),
        "intent": question.intent,
        "roles": roles,
        "hints": question.hints,
    });
    blake3::hash(everything.to_string().as_bytes()).to_hex().to_string()
}

/// The question without what changes nothing: space, and marks at its end. Upper and lower case stay, since names differ by
/// it.
fn normal(question: &str) -> String {
    let words: Vec<&str> = question.split_whitespace().collect();
    words.join(" ").trim_end_matches(['?', '.', '!', ' ']).to_owned()
}

/// The session that a question belongs to costs its map a few tokens.
pub(super) fn map_tokens(most: u64, session: Option<&SessionId>) -> u64 {
    match session {
        Some(_) => most.saturating_sub(RESERVED_TOKENS).max(most / 2),
        None => most,
    }
}
