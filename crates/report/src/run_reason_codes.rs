//! Codes in `meta.reasons` that are about the run and not about the report, and the meaning of every code. A released
//! code never changes its meaning.

use strum::{AsRefStr, Display, EnumMessage, EnumString, IntoStaticStr, VariantArray};

use crate::validation_reason_codes::ReasonCode;
use retriever_workspace::UnknownVariant;

/// What failed in a run that still returned a map.
#[derive(AsRefStr, Display, EnumMessage, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<RunReason>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RunReason {
    /// The model could not be reached.
    ModelNetwork,
    /// The model did not answer in time.
    ModelTimeout,
    /// The endpoint of the model refused the key.
    ModelAuthentication,
    /// There were too many requests to the model, also after waiting.
    ModelRateLimited,
    /// The conversation was too long for the model.
    ModelContextLength,
    /// The endpoint of the model refused a request.
    ModelRefused,
    /// The endpoint of the model failed.
    ModelServer,
    /// The answer of the model could not be read.
    ModelMalformed,
    /// The model submitted no report, or none that held.
    ModelNoReport,
    /// The recording that stood for the model did not fit.
    ModelCassette,
    /// The embedding model gave no vectors in time; candidates were found without it.
    EmbeddingFailed,
    /// A tool failed in a way that the run could not go on from.
    ToolFailed,
}

/// Returns what a word of `meta.reasons` means, in a sentence; `None` for an unknown one.
pub fn meaning_of_reason(word: &str) -> Option<&'static str> {
    let of_report = word.parse::<ReasonCode>().ok().map(ReasonCode::meaning);
    of_report.or_else(|| word.parse::<RunReason>().ok()?.get_documentation())
}
