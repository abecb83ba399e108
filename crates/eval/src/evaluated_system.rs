//! The systems that a run measures, and the trait that runs them. A system gets a question and a checkout, never a label.

use std::{collections::BTreeSet, path::Path};

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::{
    answer_score::ScorableAnswer,
    suite::{EvalCase, SuiteProblemKind},
};
use retriever_workspace::UnknownVariant;

/// A way to answer a question.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<EvaluatedSystem>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EvaluatedSystem {
    /// The whole retriever: candidates, loop, validator.
    Retriever,
    /// Files by BM25 over their words. Its map is the first five of them, whole.
    Bm25,
    /// The loop without candidates. Without a model, a driver that greps the question's words.
    GrepOnly,
    /// What the model's first report cited, as the model wrote it, before validation.
    NoValidator,
}

/// One system's answer to one question.
pub struct EvaluatedSystemAnswer {
    /// The system.
    pub system: EvaluatedSystem,
    /// Its answer.
    pub answer: ScorableAnswer,
    /// The model's failure, when the answer was made in spite of it.
    pub model_error: Option<String>,
}

/// One question for some systems.
#[derive(Clone, Copy)]
pub struct EvalRequest<'a> {
    /// Name of the suite.
    pub suite: &'a str,
    /// The case. Only its question and intent may reach a system.
    pub case: &'a EvalCase,
    /// The folder of its checkout.
    pub checkout: &'a Path,
    /// 0 for the first time that the question is put.
    pub repeat: u32,
    /// The systems that have to answer.
    pub systems: &'a BTreeSet<EvaluatedSystem>,
}

/// The result of an [`EvalRequest`].
#[derive(Default)]
pub struct EvalResponse {
    /// An answer of every system.
    pub answers: Vec<EvaluatedSystemAnswer>,
    /// What is wrong although there are answers.
    pub problems: Vec<AnswerFailure>,
}

/// Why a question has no answer, or what is wrong with an answer that it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFailure {
    /// What kind of problem.
    pub kind: SuiteProblemKind,
    /// A fragment of a sentence.
    pub message: String,
}

/// Runs systems for [`run`](crate::run()).
pub trait EvaluatedSystemRunner {
    /// Identifies everything besides the case that decides an answer: configuration, prompts, model, program. Results with
    /// another key are not reused.
    fn key(&self) -> &str;

    /// Puts the question to the systems of `request`.
    ///
    /// # Errors
    ///
    /// [`AnswerFailure`] when there are no answers.
    fn answer<'a>(
        &'a self,
        request: EvalRequest<'a>,
    ) -> BoxFuture<'a, Result<EvalResponse, AnswerFailure>>;
}
