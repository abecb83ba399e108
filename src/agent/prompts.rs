//! The prompts: compiled in from `prompts/`, replaceable, with `{names}` that the program fills, so that no prompt
//! states a tool, role or number that the program does not have. The caller reads replacements from files.

use std::{borrow::Cow, collections::BTreeMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use retriever_workspace::UnknownVariant;

/// A prompt.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<Prompt>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prompt {
    /// The rules of the conversation.
    System,
    /// The question and the candidate packet.
    Question,
    /// Sent when the budget runs low.
    Nudge,
    /// Sent when only a report is accepted.
    Finish,
    /// Sent when a report must be corrected.
    Repair,
}

impl Prompt {
    /// The names that this prompt may use; the program fills each of them.
    pub const fn names(self) -> &'static [&'static str] {
        match self {
            Self::System => &[
                "tools",
                "roles",
                "max_width",
                "steps",
                "calls",
                "tokens",
                "result_tokens",
                "file_tokens",
                "submit",
                "report_chars",
                "places",
                "facts",
                "flow_chars",
                "fact_chars",
                "reason_chars",
            ],
            Self::Question => &["question", "intent", "intent_hint", "asked", "packet"],
            Self::Nudge => &["left", "submit"],
            Self::Finish => &["why", "submit"],
            Self::Repair => &["problems", "submit"],
        }
    }

    const fn built_in(self) -> &'static str {
        match self {
            Self::System => include_str!("../../prompts/system.md"),
            Self::Question => include_str!("../../prompts/question.md"),
            Self::Nudge => include_str!("../../prompts/nudge.md"),
            Self::Finish => include_str!("../../prompts/finish.md"),
            Self::Repair => include_str!("../../prompts/repair.md"),
        }
    }
}

/// A prompt that can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {prompt} prompt uses {{{name}}}, which is not one of {}", known(*.prompt))]
pub struct PromptTemplateError {
    prompt: Prompt,
    name: String,
}

fn known(prompt: Prompt) -> String {
    prompt.names().iter().map(|name| format!("{{{name}}}")).collect::<Vec<_>>().join(", ")
}

/// The prompts of a run.
#[derive(Clone, Debug, Default)]
pub struct Prompts {
    replaced: BTreeMap<Prompt, String>,
}

impl Prompts {
    /// Replaces a prompt.
    ///
    /// # Errors
    ///
    /// [`PromptTemplateError`] when `text` uses a name that the program doesn't fill.
    pub fn replace(
        &mut self,
        prompt: Prompt,
        text: impl Into<String>,
    ) -> Result<(), PromptTemplateError> {
        let text = text.into();
        for part in parts(&text) {
            if let Part::Name(name) = part
                && !prompt.names().contains(&name)
            {
                return Err(PromptTemplateError { prompt, name: name.to_owned() });
            }
        }
        self.replaced.insert(prompt, text);
        Ok(())
    }

    /// Returns the text of a prompt, unfilled.
    pub fn text(&self, prompt: Prompt) -> &str {
        self.replaced.get(&prompt).map_or_else(|| prompt.built_in(), String::as_str)
    }

    /// Returns a prompt with its names filled. Filled text is not parsed again, so a question may contain braces.
    pub fn fill(&self, prompt: Prompt, values: &[(&str, Cow<'_, str>)]) -> String {
        let filled = parts(self.text(prompt)).map(|part| match part {
            Part::Text(text) => text,
            Part::Name(name) => values
                .iter()
                .find(|(known, _)| *known == name)
                .map_or("", |(_, value)| value.as_ref()),
        });
        filled.collect::<String>().trim().to_owned()
    }
}

enum Part<'a> {
    Text(&'a str),
    Name(&'a str),
}

/// Splits a prompt at `{name}`; braces around anything but lower-case letters and `_` are text.
fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((name, behind)) = leading_name(rest) {
            rest = behind;
            return Some(Part::Name(name));
        }
        let end = rest
            .char_indices()
            .skip(1)
            .find(|(at, c)| *c == '{' && leading_name(&rest[*at..]).is_some())
            .map_or(rest.len(), |(at, _)| at);
        let (text, behind) = rest.split_at(end);
        rest = behind;
        Some(Part::Text(text))
    })
}

fn leading_name(text: &str) -> Option<(&str, &str)> {
    let (name, behind) = text.strip_prefix('{')?.split_once('}')?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    is_name.then_some((name, behind))
}
