//! What is measured: the retriever itand the baselines that it is measured against. Each turns a question about a
//! checkout into an [`Answered`]; none sees a label.

mod bm25;
pub(super) mod grep_only;
mod witness;

use std::{collections::BTreeSet, path::Path, sync::Arc, time::Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use self::{grep_only::GrepModel, witness::Witness};
use super::score::{Answered, Cited};
use crate::{
    agent::{Answer, AskError, OfflineModel, Opening, Prompts, RunOptions},
    config::Config,
    model::{ChatModel, ModelError},
    retriever::{BuildError, Retriever},
};
use retriever_search::{Corpus, Question, RoleCues};
use retriever_workspace::{Cancellation, UnknownVariant};

/// A way to answer a question.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<System>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum System {
    /// Everything: recon, loop, validator.
    Retriever,
    /// Files by BM25 over their words; its map is the first five of them, whole.
    Bm25,
    /// The loop without recon's candidates. Without a model, a driver that greps the question's words.
    GrepOnly,
    /// What the model's first report cited, as it was written, before the validator saw it.
    NoValidator,
}

/// What the answering systems have in common.
#[derive(Clone)]
pub struct Setup {
    /// The configuration.
    pub config: Config,
    /// The prompts.
    pub prompts: Prompts,
    /// The model; `None` is the offline driver.
    pub model: Option<Arc<dyn ChatModel>>,
}

/// Why a system gave no answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SystemError {
    /// The checkout or the configuration can't be used.
    #[error(transparent)]
    Build(#[from] BuildError),
    /// The question can't be put.
    #[error(transparent)]
    Ask(#[from] AskError),
    /// A configured role is not one.
    #[error("in [roles]: {0}")]
    Role(#[from] UnknownVariant),
    /// The program is at fault.
    #[error("internal error: {0}")]
    Internal(String),
}

/// One system's answer.
pub struct Output {
    /// The system.
    pub system: System,
    /// Its answer.
    pub answered: Answered,
    /// The model's failure, when the answer was made in spite of it.
    pub model_error: Option<ModelError>,
}

/// Puts `question` to `systems`, in their order. One run serves the retriever and what its model wrote before validation.
///
/// # Errors
///
/// [`SystemError`] when a system can't answer at all.
pub async fn answer(
    setup: &Setup,
    checkout: &Path,
    question: &Question,
    systems: &BTreeSet<System>,
) -> Result<Vec<Output>, SystemError> {
    let mut outputs = Vec::new();
    let wants = |system| systems.contains(&system);
    if wants(System::Retriever) || wants(System::NoValidator) {
        let model = setup.model.clone().unwrap_or_else(|| Arc::new(OfflineModel::new()));
        let witness = Arc::new(Witness::new(model));
        let retriever = build(setup, checkout, witness.clone(), Opening::Candidates)?;
        witness.watch(retriever.workspace().root());
        let answer = retriever.ask(question.clone(), options(setup)).await?;
        let ranked = ranked_places(&retriever, question, setup).await?;
        let elapsed_ms = answer.map.meta.elapsed_ms;
        if wants(System::NoValidator) {
            let places = witness.places();
            let delivered = Some(Answered::delivered_in(&answer.ledger));
            let answered = Answered { places, delivered, elapsed_ms, ..Answered::default() };
            outputs.push(Output { system: System::NoValidator, answered, model_error: None });
        }
        if wants(System::Retriever) {
            outputs.push(output(System::Retriever, answer, Some(ranked)));
        }
    }
    if wants(System::Bm25) {
        let retriever = build(setup, checkout, Arc::new(OfflineModel::new()), Opening::Candidates)?;
        let (workspace, text) = (Arc::clone(retriever.workspace()), question.text.clone());
        let started = Instant::now();
        let ranked = blocking(move || bm25::rank(&workspace, &text)).await?;
        let ranked: Vec<Cited> =
            ranked.into_iter().map(|path| Cited { path: path.to_string(), range: None }).collect();
        let answered = Answered {
            places: ranked.iter().take(bm25::CITED).cloned().collect(),
            ranked: Some(ranked),
            map: None,
            delivered: None,
            elapsed_ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX),
        };
        outputs.push(Output { system: System::Bm25, answered, model_error: None });
    }
    if wants(System::GrepOnly) {
        let model = setup.model.clone().unwrap_or_else(|| Arc::new(GrepModel));
        let retriever = build(setup, checkout, model, Opening::Bare)?;
        let answer = retriever.ask(question.clone(), options(setup)).await?;
        // It ranks nothing by itself; what it cites stands in the order of its worth.
        let ranked = Answered::places_of(&answer.map);
        outputs.push(output(System::GrepOnly, answer, Some(ranked)));
    }
    outputs.sort_by_key(|output| output.system);
    Ok(outputs)
}

/// The ranked places of a question, best first: recon's candidates.
async fn ranked_places(
    retriever: &Retriever,
    question: &Question,
    setup: &Setup,
) -> Result<Vec<Cited>, SystemError> {
    let cues = RoleCues::with(&setup.config.roles)?;
    let (index, token_index) = (Arc::clone(retriever.index()), Arc::clone(retriever.token_index()));
    let question = question.clone();
    blocking(move || {
        let survey = index.ask_on_walk_if_quick(|walk, graph| {
            let never = Cancellation::new();
            let workspace = index.workspace();
            let snapshot = token_index.snapshot(workspace, walk, &never);
            let corpus = Corpus { workspace, walk, index: &snapshot, graph, role_cues: &cues };
            retriever_search::find_candidates(&corpus, &question, &never)
        });
        let candidates = survey.candidates.into_iter();
        candidates
            .map(|candidate| Cited {
                path: candidate.file.path.to_string(),
                range: candidate.range,
            })
            .collect()
    })
    .await
}

fn output(system: System, answer: Answer, ranked: Option<Vec<Cited>>) -> Output {
    let answered = Answered {
        ranked,
        places: Answered::places_of(&answer.map),
        delivered: Some(Answered::delivered_in(&answer.ledger)),
        elapsed_ms: answer.map.meta.elapsed_ms,
        map: Some(answer.map),
    };
    Output { system, answered, model_error: answer.model_error }
}

pub(super) fn build(
    setup: &Setup,
    checkout: &Path,
    model: Arc<dyn ChatModel>,
    opening: Opening,
) -> Result<Retriever, SystemError> {
    let builder = Retriever::builder(checkout).config(setup.config.clone());
    Ok(builder.prompts(setup.prompts.clone()).model(model).opening(opening).build()?)
}

fn options(setup: &Setup) -> RunOptions {
    RunOptions { budget: setup.config.budget.clone(), ..RunOptions::default() }
}

async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, SystemError> {
    let joined = tokio::task::spawn_blocking(work).await;
    joined.map_err(|error| SystemError::Internal(error.to_string()))
}
