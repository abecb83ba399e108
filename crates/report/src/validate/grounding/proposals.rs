//! Finds what a text proposes for a change: a new name and its value are in no line yet.

use std::sync::LazyLock;

use regex::Regex;

use super::{code_names::NAME, imperative_clauses::asks_for_edit};
use crate::{
    prose_normalization::{has_word, is_listed, literal_regex, sentences},
    sentence_clauses::steps,
};

/// Verbs whose object does not exist yet.
const ADD: &str = "add declare define insert introduce";

/// The parts of a text that say what is to be.
#[derive(Default)]
pub(super) struct Proposals<'s> {
    /// All of "add `a` with 5", and "to 5" of "change it from 3 to 5".
    values: Vec<&'s str>,
    /// The name of what is added, or the new one of what is renamed.
    names: Vec<&'s str>,
    /// The steps that are no proposals: what they say is of the code as it is.
    claimed: Vec<&'s str>,
}

impl<'s> Proposals<'s> {
    pub(super) fn of(text: &'s str) -> Self {
        let mut all = Self::default();
        for step in sentences(text).into_iter().flat_map(steps) {
            let text = step.text;
            let verb = text.split_whitespace().next().unwrap_or_default().to_lowercase();
            let new_part = text.find(" to ").or_else(|| text.find(" with ")).map(|at| &text[at..]);
            if is_listed(ADD, &verb) {
                all.values.push(text);
                all.names.extend(added_name(text));
            } else if asks_for_edit(text) {
                all.values.extend(new_part);
                all.names.extend(new_part.filter(|_| verb == "rename").and_then(renamed));
            } else {
                all.claimed.push(text);
            }
        }
        all
    }

    /// Whether a value is told as one that is to be, and nowhere else.
    pub(super) fn has_value(&self, value: &str) -> bool {
        self.values.iter().any(|part| has_word(part, value)) && !self.claims(value)
    }

    /// Whether a name is that of what is to be, and is told nowhere else.
    pub(super) fn has_name(&self, name: &str) -> bool {
        self.names.contains(&name) && !self.claims(name)
    }

    fn claims(&self, word: &str) -> bool {
        self.claimed.iter().any(|part| has_word(part, word))
    }
}

/// Returns the name that stands right behind the verb, but for words such as "a new variant". In "add a call of `a`" it is
/// something that exists.
fn added_name(step: &str) -> Option<&str> {
    static OBJECT: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(&format!(
            r"^\s*\w+\s+(?:(?:an?|the|another)\s+)?(?:new\s+)?(?:(?:case|class|code|constant|entry|enum|error|field|function|key|method|option|parameter|property|struct|type|value|variable|variant)\s+)?{NAME}"
        ))
    });
    Some(OBJECT.as_ref()?.captures(step)?.get(1)?.as_str())
}

/// Returns the name behind "to".
fn renamed(part: &str) -> Option<&str> {
    static NEW: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(&format!(r"^ to\s+{NAME}")));
    Some(NEW.as_ref()?.captures(part)?.get(1)?.as_str())
}
