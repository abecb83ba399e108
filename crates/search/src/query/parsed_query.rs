//! Parses a question without a model: the terms to look for and their weights, the files it mentions, and what it asks
//! for. Takes any phrasing, from three words to an issue with a pasted stack trace.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    Question, RequestedPlaceKinds,
    issue_form::IssueSection,
    name_query::NameQuery,
    stack_trace::{StackTrace, is_trace_line},
    term::{FileMention, Term, TermForm},
    term_collector::TermCollector,
};

/// Bytes of a question that are read; what is pasted behind them hardly ever adds anything.
const MAX_BYTES: usize = 24 * 1024;
/// Words up to which the whole text of a question says what is wanted, and not only its first line.
const SHORT_WORDS: usize = 60;
/// What words count: in the only line, in a title above a text, in the text of a short question and of a long one.
const ONLY_LINE: f64 = 1.0;
const TITLE: f64 = 1.6;
const SHORT_TEXT: f64 = 0.8;
const LONG_TEXT: f64 = 0.5;
/// What is left of that in a section that tells on what machine it was.
const OF_MACHINE: f64 = 0.2;

/// A question as a search reads it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedQuery {
    /// What to look for, heaviest first.
    pub terms: Vec<Term>,
    /// Paths and file names in the text, in order.
    pub mentions: Vec<FileMention>,
    /// The kinds of place that are asked for.
    pub scope: RequestedPlaceKinds,
    /// The words that say what is wanted, in order and in lower case: all of a short question, the first line of a long
    /// one.
    pub(crate) lead_words: Vec<String>,
    /// The same words as they are written.
    pub(crate) written_words: Vec<String>,
    /// The name that the question consists of, if it is nothing else and no file's name.
    pub(crate) name: Option<NameQuery>,
}

impl ParsedQuery {
    /// Parses `question`.
    pub fn of(question: &Question) -> Self {
        let text = cleaned(&question.text);
        let (title, body) = text.split_once('\n').unwrap_or((&text, ""));
        let is_long = body.split_whitespace().count() > SHORT_WORDS;
        let name = NameQuery::of(&text);
        let mut collected = TermCollector::default();
        if let Some(name) = &name {
            collected.add_named(&name.own);
        }
        let in_body = if is_long { LONG_TEXT } else { SHORT_TEXT };
        let (terms, mentions) = terms_and_mentions(title, body, in_body, collected);
        let is_file = |mention: &FileMention| {
            mention.path.rsplit('/').next().is_some_and(|file| file.contains('.'))
        };
        let name = name.filter(|_| !mentions.iter().any(is_file));
        let written: String = if is_long {
            title.to_owned()
        } else {
            text.split_whitespace().take(SHORT_WORDS).collect::<Vec<_>>().join(" ")
        };
        let lead = written.to_lowercase();
        let words = words_of(&lead);
        let scope = RequestedPlaceKinds::of(question, &lead, &words);
        let scope = RequestedPlaceKinds { name: name.clone(), ..scope };
        let lead_words = words.into_iter().map(str::to_owned).collect();
        let written_words = words_of(&written).into_iter().map(str::to_owned).collect();
        Self { terms, mentions, scope, lead_words, written_words, name }
    }

    /// Whether it names a file or an identifier: its author knows the words of the code.
    pub fn names_code(&self) -> bool {
        !self.mentions.is_empty() || self.terms.iter().any(|term| term.form == TermForm::Whole)
    }
}

fn words_of(text: &str) -> Vec<&str> {
    text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect()
}

/// Reads `title`, and `body`, whose words count `in_body`, behind what is `collected`.
fn terms_and_mentions(
    title: &str,
    body: &str,
    in_body: f64,
    mut collected: TermCollector,
) -> (Vec<Term>, Vec<FileMention>) {
    collected.add_prose(title, if body.trim().is_empty() { ONLY_LINE } else { TITLE });
    let mut is_fenced = false;
    let mut section = IssueSection::default();
    let mut trace = StackTrace::default();
    for line in body.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            is_fenced = !is_fenced;
        } else if !is_fenced && section.is_form(line) {
            // No word of it is about the code.
        } else if section.tells_of_machine && !is_trace_line(line) {
            collected.add_prose(line, in_body * OF_MACHINE);
        } else if is_fenced || line.starts_with("    ") || is_trace_line(line) {
            let first = collected.mentions.len();
            collected.add_pasted(line);
            trace.add_line(line, &collected.mentions, first);
        } else {
            collected.add_prose(line, in_body);
        }
    }
    let mut mentions = std::mem::take(&mut collected.mentions);
    trace.number_frames(&mut mentions);
    (collected.into_terms(), mentions)
}

/// Returns the text without HTML comments and carriage returns, cut to what is read.
fn cleaned(text: &str) -> String {
    static COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->").ok());
    let text = text[..text.floor_char_boundary(MAX_BYTES)].replace('\r', "");
    let text = match text.contains("<!--").then(|| COMMENT.as_ref()).flatten() {
        Some(comment) => comment.replace_all(&text, " ").into_owned(),
        None => text,
    };
    text.trim().to_owned()
}
