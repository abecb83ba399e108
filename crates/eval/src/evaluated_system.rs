//! The systems that an eval measures, and the trait that runs them. A system receives a question and a checkout, never
//! a label.

use std::{collections::BTreeSet, path::Path};

use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::{
    answer_score::ScorableAnswer,
    suite::{EvalCase, SuiteProblemKind},
};
use retriever_search::Question;
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
    /// Files by BM25 over their words. Its map has the first five, as whole files.
    Bm25,
    /// The loop without candidates. Without a model, a driver that greps the question's words.
    GrepOnly,
    /// The places of the model's first report, before validation.
    NoValidator,
}

/// One system's answer to one question.
pub struct EvaluatedSystemAnswer {
    /// The system.
    pub system: EvaluatedSystem,
    /// Its answer.
    pub answer: ScorableAnswer,
    /// The model's failure, if the answer was made without it.
    pub model_error: Option<String>,
}

/// One question for some systems: of its case, only what a system may know.
#[derive(Clone, Debug)]
pub struct EvalRequest<'a> {
    /// Name of the suite.
    pub suite: &'a str,
    /// ID of the case.
    pub case: &'a str,
    /// The question.
    pub question: Question,
    /// Whether a ranking of files is asked for, and no map.
    pub is_search: bool,
    /// The folder of its checkout.
    pub checkout: &'a Path,
    /// Number of the repeat, from 0.
    pub repeat: u32,
    /// The systems that must answer.
    pub systems: &'a BTreeSet<EvaluatedSystem>,
}

impl<'a> EvalRequest<'a> {
    /// Returns the request for `case` in the folder `checkout`.
    pub fn new(
        suite: &'a str,
        case: &'a EvalCase,
        checkout: &'a Path,
        repeat: u32,
        systems: &'a BTreeSet<EvaluatedSystem>,
    ) -> Self {
        let question = Question { intent: case.intent, ..Question::new(case.question.as_str()) };
        Self {
            suite,
            case: &case.id,
            question,
            is_search: case.is_search(),
            checkout,
            repeat,
            systems,
        }
    }
}

/// The result of an [`EvalRequest`].
#[derive(Default)]
pub struct EvalResponse {
    /// One answer per system.
    pub answers: Vec<EvaluatedSystemAnswer>,
    /// Problems despite the answers.
    pub problems: Vec<AnswerFailure>,
}

/// Why a question has no answer, or a problem of its answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnswerFailure {
    /// What kind of problem.
    pub kind: SuiteProblemKind,
    /// A part of a sentence.
    pub message: String,
}

/// Runs systems for [`run`](crate::run()).
pub trait EvaluatedSystemRunner {
    /// Identifies everything besides the case that determines an answer: configuration, prompts, model, program.
    /// Results with another key are not reused.
    fn key(&self) -> &str;

    /// Asks the systems of `request` the question.
    ///
    /// # Errors
    ///
    /// [`AnswerFailure`] when there are no answers.
    fn answer<'a>(
        &'a self,
        request: EvalRequest<'a>,
    ) -> BoxFuture<'a, Result<EvalResponse, AnswerFailure>>;
}
