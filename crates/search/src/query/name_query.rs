//! A query that is nothing but a name in code: `Semaphore`, `Rack::Response`, `sync/Semaphore`, `merge_cookies()`. A
//! lone word of grammar such as `get` counts as a name, too: the query can mean nothing else.

use crate::words::{self, WordSpecificity};

/// Longest name, in bytes.
const MAX_BYTES: usize = 200;

/// The name that a query consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NameQuery {
    /// The last part.
    pub(crate) own: String,
    /// The parts in front of it, outermost first.
    pub(crate) qualifiers: Vec<String>,
    /// Whether it is one word of grammar, which nearly every text has.
    pub(crate) is_grammar: bool,
}

impl NameQuery {
    /// Returns the name that `text` is; none if it is anything else.
    pub(super) fn of(text: &str) -> Option<Self> {
        let text = text.trim().trim_matches('`');
        let text = text.strip_suffix("()").unwrap_or(text);
        if text.len() > MAX_BYTES {
            return None;
        }
        let text = text.replace("::", ".").replace("->", ".");
        let mut parts: Vec<String> = text.split(['.', '#', '/', '\\']).map(str::to_owned).collect();
        let all_are_names = parts.iter().all(|part| is_name(part));
        let own = parts.pop().filter(|_| all_are_names)?;
        let is_stop_word = words::word_class(&own.to_lowercase()) == WordSpecificity::Stop;
        Some(Self { is_grammar: is_stop_word && parts.is_empty(), own, qualifiers: parts })
    }

    /// Whether the last part of a full name is this name, in any case style.
    pub(crate) fn is_of(&self, full: &str) -> bool {
        words::normalized(own_part(full)) == words::normalized(&self.own)
    }
}

/// Returns the last part of a full name.
pub(crate) fn own_part(full: &str) -> &str {
    full.rsplit(['.', ':', '\\']).next().unwrap_or_default()
}

fn is_name(part: &str) -> bool {
    let part = part.trim_start_matches(['$', '@']).trim_end_matches(['?', '!']);
    let is_inner = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    part.starts_with(|c: char| c.is_alphabetic() || c == '_') && part.chars().all(is_inner)
}
