//! What a [`ValidationReason`](crate::ValidationReason) is about and what is wrong. The model is told all of it. The
//! planner is not told the words of the report, since refused text may be false or an order.

use std::fmt;

use crate::prose_normalization::is_word_char;

/// What a reason is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReasonSubject {
    /// The summary.
    Summary,
    /// The flow.
    Flow,
    /// The finding of this number in the report.
    Finding(usize),
    /// The gap of this number in the report.
    Gap(usize),
    /// The reason or the purpose of a place.
    TextOfPlace {
        /// Its field: "why".
        field: &'static str,
        /// The reference of the place, as the model wrote it.
        reference: String,
    },
    /// A reference, as the model wrote it.
    Reference(String),
    /// A value of the report, as the model wrote it, or where in the JSON it stands.
    Value(String),
    /// Another part of the report or of the run, by its name: "primary".
    Part(&'static str),
}

impl fmt::Display for ReasonSubject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Summary => f.write_str("summary"),
            Self::Flow => f.write_str("flow"),
            Self::Finding(number) => write!(f, "finding {number}"),
            Self::Gap(number) => write!(f, "missing {number}"),
            Self::TextOfPlace { field, reference } => write!(f, "{field} of {reference}"),
            Self::Reference(text) | Self::Value(text) => f.write_str(text),
            Self::Part(name) => f.write_str(name),
        }
    }
}

/// What is wrong, as a sentence fragment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReasonDetail {
    for_model: String,
    for_planner: String,
}

impl ReasonDetail {
    /// Returns what the model is told, which may quote its report.
    pub fn as_str(&self) -> &str {
        &self.for_model
    }

    /// Returns what the planner is told: nothing of the report but single names.
    pub(crate) fn for_planner(&self) -> &str {
        &self.for_planner
    }

    /// Returns words of the validator. They must not contain text of the report.
    pub(crate) fn said(words: impl Into<String>) -> Self {
        let for_model = words.into();
        Self { for_planner: for_model.clone(), for_model }
    }

    /// Returns a text of the report between quotation marks.
    pub(crate) fn quoted(text: &str) -> Self {
        Self::default().quote(text)
    }

    /// Returns the detail with further words of the validator. They must not contain text of the report.
    pub(crate) fn say(self, words: &'static str) -> Self {
        self.say_to_model(words).say_to_planner(words)
    }

    /// Returns the detail with words that the planner is not told; they may contain text of the report.
    pub(crate) fn say_to_model(mut self, words: &str) -> Self {
        self.for_model.push_str(words);
        self
    }

    /// Returns the detail with words of the validator that only the planner is told.
    pub(crate) fn say_to_planner(mut self, words: &'static str) -> Self {
        self.for_planner.push_str(words);
        self
    }

    /// Returns the detail with a text of the report between quotation marks. The planner is told it only if it is a name.
    pub(crate) fn quote(mut self, text: &str) -> Self {
        let is_name = text.chars().all(|c| is_word_char(c) || ".:-".contains(c));
        for (detail, text) in
            [(&mut self.for_model, text), (&mut self.for_planner, if is_name { text } else { "…" })]
        {
            detail.push('"');
            detail.push_str(text);
            detail.push('"');
        }
        self
    }

    /// Returns the detail followed by another one.
    pub(crate) fn followed_by(mut self, other: &Self) -> Self {
        self.for_model.push_str(&other.for_model);
        self.for_planner.push_str(&other.for_planner);
        self
    }
}

impl fmt::Display for ReasonDetail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.for_model)
    }
}

impl From<&'static str> for ReasonDetail {
    /// Returns words of the validator.
    fn from(words: &'static str) -> Self {
        Self::said(words)
    }
}

impl From<String> for ReasonDetail {
    /// Returns a text that may be the report's: only the model is told it.
    fn from(text: String) -> Self {
        Self { for_model: text, for_planner: String::new() }
    }
}
