//! Collects the terms and file mentions of a question's text, line by line, with their weights.

use std::{
    collections::{BTreeMap, btree_map::Entry},
    sync::LazyLock,
};

use regex::{Captures, Regex};

use super::term::{FileMention, Term, TermForm};
use crate::words::{self, WordSpecificity};
use retriever_workspace::base_name;

/// Most terms of each form.
const MAX_IDENTIFIERS: usize = 40;
const MAX_WORDS: usize = 56;
const MAX_PAIRS: usize = 56;
const MAX_MENTIONS: usize = 40;

/// Weights by how a term was written, times those of its line. They were set together with the weights of ranking.
const PASTED: f64 = 0.35;
const FLAG: f64 = 1.2;
const QUALIFIER: f64 = 0.7;
const QUOTED_NAME: f64 = 0.6;
const IDENTIFIER: f64 = 1.5;
const IDENTIFIER_WORD: f64 = 0.7;
const IDENTIFIER_PAIR: f64 = 0.8;
const PAIR: f64 = 0.5;
const URL_PATH: f64 = 0.8;
const PATH_WORD: f64 = 0.4;
const FILE_NAME: f64 = 0.5;
const GENERIC_WORD: f64 = 0.25;
const GENERIC_IN_PAIR: f64 = 0.5;
/// Weight that both words of a pair must have together.
const MIN_PAIR: f64 = 0.3;
/// Weight of a stop word when the question has nothing else.
const STOP_WORD_ALONE: f64 = 0.2;
/// Repetitions of a term that count, and the exponent of their number.
const MAX_REPEATS: u32 = 4;
const REPEATS_EXPONENT: f64 = 0.8;

/// Terms and mentions as they are collected.
#[derive(Default)]
pub(super) struct TermCollector {
    /// By form and stem.
    terms: BTreeMap<(TermForm, String), Collected>,
    /// Number of additions so far.
    additions: usize,
    pub(super) mentions: Vec<FileMention>,
}

/// One term as it is collected.
struct Collected {
    text: String,
    /// That of the heaviest occurrence.
    count: TermCount,
    occurrences: u32,
    /// Number of the addition that brought it.
    order: usize,
}

/// How the words of a line count.
#[derive(Clone, Copy)]
struct LineStyle {
    scale: f64,
    /// Whether it is pasted code or output, in which nothing is written as a name.
    is_pasted: bool,
}

impl LineStyle {
    fn scaled(self, factor: f64) -> Self {
        Self { scale: self.scale * factor, ..self }
    }

    fn named(self) -> TermCount {
        TermCount { weight: self.scale, is_named: !self.is_pasted }
    }

    fn unnamed(self) -> TermCount {
        TermCount { weight: self.scale, is_named: false }
    }
}

/// How an occurrence of a term counts; see [`Term::is_named`].
#[derive(Clone, Copy)]
struct TermCount {
    weight: f64,
    is_named: bool,
}

impl TermCount {
    fn scaled(self, factor: f64) -> Self {
        Self { weight: self.weight * factor, ..self }
    }
}

/// How a name stands in its line.
#[derive(Clone, Copy, Default)]
struct NameContext {
    is_called: bool,
    is_quoted: bool,
}

/// The word before a token, and where it ends in its line.
type PreviousWord = (String, usize);

impl TermCollector {
    /// Adds a line of prose whose words count `scale`.
    pub(super) fn add_prose(&mut self, line: &str, scale: f64) {
        self.add_line(line, LineStyle { scale, is_pasted: false });
    }

    /// Adds the name that the question consists of.
    pub(super) fn add_named(&mut self, name: &str) {
        self.add_identifier(name, TermCount { weight: 1.0, is_named: true });
    }

    /// Adds a line of pasted code or output.
    pub(super) fn add_pasted(&mut self, line: &str) {
        self.add_line(line, LineStyle { scale: PASTED, is_pasted: true });
    }

    /// Returns the terms, heaviest first.
    pub(super) fn into_terms(self) -> Vec<Term> {
        let has_stop_words_only = self.terms.values().all(|found| found.count.weight <= 0.0);
        let mut ranked: Vec<(Term, usize)> = self
            .terms
            .into_iter()
            .filter(|(_, found)| found.count.weight > 0.0 || has_stop_words_only)
            .map(|((form, stem), found)| {
                let repeats = f64::from(found.occurrences.min(MAX_REPEATS)).sqrt();
                let least = if has_stop_words_only { STOP_WORD_ALONE } else { 0.0 };
                let weight = found.count.weight.max(least) * repeats.powf(REPEATS_EXPONENT);
                let is_named = found.count.is_named;
                (Term { text: found.text, stem, weight, is_named, form }, found.order)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.weight.total_cmp(&a.0.weight).then(a.1.cmp(&b.1)));
        let mut left = BTreeMap::from([
            (TermForm::Whole, MAX_IDENTIFIERS),
            (TermForm::Word, MAX_WORDS),
            (TermForm::Pair, MAX_PAIRS),
        ]);
        ranked.retain(|(term, _)| match left.get_mut(&term.form) {
            Some(count) if *count > 0 => {
                *count -= 1;
                true
            }
            _ => false,
        });
        ranked.into_iter().map(|(term, _)| term).collect()
    }

    fn add_line(&mut self, line: &str, style: LineStyle) {
        static TOKENS: LazyLock<Option<Regex>> = LazyLock::new(|| {
            Regex::new(concat!(
                r"(?P<url>https?://[^\s)>\]}'`]+)",
                r"|(?P<path>(?:[0-9A-Za-z_.@+~-]*/)+[0-9A-Za-z_.@+-]*[0-9A-Za-z_]|[0-9A-Za-z_-]+(?:\.[0-9A-Za-z_-]+)*\.(?i:rs|go|py|pyi|js|jsx|ts|tsx|mjs|cjs|java|kt|kts|swift|c|h|cc|cpp|hpp|cs|rb|php|scala|ex|exs|lua|sh|sql|vue|svelte|html|css|scss|json|ya?ml|toml|md|rst|proto|graphql|xml|gradle|dart|m|mm)(?-u:\b))",
                r#"(?:"?,? line |[:#(]L?)?(?P<line>\d+)?"#,
                r"|(?P<flag>--?[A-Za-z][0-9A-Za-z_]*(?:-[0-9A-Za-z_]+)*)",
                r"|(?P<name>[A-Za-z_$][0-9A-Za-z_$]*(?:(?:\.|::|#|->)[A-Za-z_$][0-9A-Za-z_$]*)*)(?P<call>\()?",
                r"|(?P<other>[\p{L}\p{N}_]+)",
            ))
            .ok()
        });
        let Some(tokens) = TOKENS.as_ref() else { return };
        let mut previous: Option<PreviousWord> = None;
        for token in tokens.captures_iter(line) {
            previous = self.add_token(line, &token, style, previous);
        }
    }

    /// Adds one token; returns the word that may make a pair with the next one.
    fn add_token(
        &mut self,
        line: &str,
        token: &Captures<'_>,
        style: LineStyle,
        previous: Option<PreviousWord>,
    ) -> Option<PreviousWord> {
        if let Some(url) = token.name("url") {
            self.add_url(url.as_str());
        } else if let Some(path) = token.name("path") {
            let line = token.name("line").and_then(|line| line.as_str().parse().ok());
            self.add_mention(path.as_str(), line, style);
        } else if let Some(flag) = token.name("flag") {
            let name = flag.as_str().trim_start_matches('-');
            if line[..flag.start()].ends_with(|c: char| c.is_alphanumeric() || c == ')') {
                let last = self.add_hyphenated(name, previous.map(|(word, _)| word), style);
                return last.map(|word| (word, flag.end()));
            }
            // A flag is a name: `--min-depth` is `min_depth` in code.
            if name.len() > 2 {
                self.add_identifier(name, style.named().scaled(FLAG));
            }
        } else if let Some(name) = token.name("name") {
            if words::only_repeats(name.as_str(), &line[name.end()..]) {
                return None;
            }
            let end = token.get(0).map_or(name.end(), |all| all.end());
            let context = NameContext {
                is_called: token.name("call").is_some(),
                is_quoted: is_quoted(line, name.start(), end),
            };
            let (first, last) = self.add_name(name.as_str(), context, style)?;
            let adjacent = previous
                .filter(|(_, end)| line[*end..name.start()].chars().all(|c| c == ' ' || c == '-'));
            if let Some((before, _)) = adjacent {
                self.add_pair(&before, &first, style.unnamed());
            }
            return Some((last, name.end()));
        } else if let Some(other) = token.name("other") {
            self.add_word(&other.as_str().to_lowercase(), style.unnamed());
        }
        None
    }

    /// Adds the rest of a hyphenated word, of which `before` is the part in front; returns its last word.
    fn add_hyphenated(
        &mut self,
        rest: &str,
        mut before: Option<String>,
        style: LineStyle,
    ) -> Option<String> {
        for part in rest.split('-') {
            let ends = self.add_name(part, NameContext::default(), style);
            if let (Some(before), Some((first, _))) = (&before, &ends) {
                self.add_pair(before, first, style.unnamed());
            }
            before = ends.map(|(_, last)| last);
        }
        before
    }

    /// Adds a plain or qualified name; returns its first and its last word.
    fn add_name(
        &mut self,
        name: &str,
        context: NameContext,
        style: LineStyle,
    ) -> Option<(String, String)> {
        let parts: Vec<&str> = name
            .split(['.', ':', '#', '>'])
            .map(|part| part.trim_matches('-'))
            .filter(|part| !part.is_empty())
            .collect();
        let NameContext { is_called, is_quoted } = context;
        let is_qualified = parts.len() > 1;
        let mut ends: Option<(String, String)> = None;
        for (index, part) in parts.iter().enumerate() {
            // Of `Type.member` the member is meant; the type says where it is.
            let is_last = index + 1 == parts.len();
            let style = if is_last { style } else { style.scaled(QUALIFIER) };
            let is_written_as_code = is_code_like(part) || is_called;
            let is_name = is_written_as_code
                || (is_quoted && !is_qualified)
                || (is_qualified && part.len() > 2);
            let lower = part.to_lowercase();
            if is_name && part.len() > 1 && words::word_class(&lower) != WordSpecificity::Stop {
                let factor = if is_written_as_code { 1.0 } else { QUOTED_NAME };
                self.add_identifier(part, style.named().scaled(factor));
            } else {
                self.add_word(&lower, if is_quoted { style.named() } else { style.unnamed() });
            }
            let words = words::subwords(part);
            if let (Some(first), Some(last)) = (words.first(), words.last()) {
                ends = Some((ends.map_or_else(|| first.clone(), |(first, _)| first), last.clone()));
            }
        }
        ends
    }

    fn add_identifier(&mut self, name: &str, count: TermCount) {
        let normalized = words::normalized(name);
        if normalized.len() < 2 {
            return;
        }
        let parts = words::subwords(name);
        self.add(TermForm::Whole, normalized, name, count.scaled(IDENTIFIER));
        for part in &parts {
            self.add_word(part, count.scaled(IDENTIFIER_WORD));
        }
        for pair in parts.windows(2) {
            self.add_pair(&pair[0], &pair[1], count.scaled(IDENTIFIER_PAIR));
        }
    }

    fn add_word(&mut self, word: &str, count: TermCount) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        let factor = match words::word_class(word) {
            _ if word.len() < 2 || is_number => return,
            WordSpecificity::Stop => 0.0,
            WordSpecificity::Generic => GENERIC_WORD,
            WordSpecificity::Content => 1.0,
        };
        self.add(TermForm::Word, words::stem(word), word, count.scaled(factor));
    }

    fn add_pair(&mut self, one: &str, other: &str, count: TermCount) {
        let factor = |word: &str| match words::word_class(word) {
            WordSpecificity::Stop => 0.0,
            WordSpecificity::Generic => GENERIC_IN_PAIR,
            WordSpecificity::Content => 1.0,
        };
        let both = factor(one) * factor(other);
        if both > MIN_PAIR && one.len() > 1 && other.len() > 1 {
            let stems = format!("{} {}", words::stem(one), words::stem(other));
            let text = format!("{one} {other}");
            self.add(TermForm::Pair, stems, &text, count.scaled(both * PAIR));
        }
    }

    /// Adds the file that a URL names. Other URLs are ignored.
    fn add_url(&mut self, url: &str) {
        let Some((_, path)) = url.split_once("/blob/") else { return };
        let Some((_, path)) = path.split_once('/') else { return };
        let (path, line) = path.split_once('#').unwrap_or((path, ""));
        let line =
            line.trim_start_matches('L').split('-').next().and_then(|line| line.parse().ok());
        self.add_mention(path, line, LineStyle { scale: URL_PATH, is_pasted: false });
    }

    fn add_mention(&mut self, path: &str, line: Option<u32>, style: LineStyle) {
        let path = path.trim_start_matches("./").trim_matches('/').to_owned();
        let file_name = path.rsplit('/').next().unwrap_or_default();
        let base_name = base_name(file_name).to_owned();
        if !style.is_pasted {
            for part in path.split(['/', '.']) {
                self.add_word(&part.to_lowercase(), style.unnamed().scaled(PATH_WORD));
            }
        }
        if base_name.len() > 2 {
            self.add_identifier(&base_name, style.unnamed().scaled(FILE_NAME));
        }
        let mut known = self.mentions.iter();
        let is_new = !known.any(|known| (known.path.as_str(), known.line) == (&path, line));
        if self.mentions.len() < MAX_MENTIONS && is_new {
            self.mentions.push(FileMention { path, line, frame: None });
        }
    }

    fn add(&mut self, form: TermForm, stem: String, text: &str, count: TermCount) {
        self.additions += 1;
        match self.terms.entry((form, stem)) {
            Entry::Vacant(entry) => {
                let (text, order) = (text.to_owned(), self.additions);
                entry.insert(Collected { text, count, occurrences: 1, order });
            }
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                known.occurrences += 1;
                if count.weight > known.count.weight {
                    known.count = count;
                }
            }
        }
    }
}

/// Whether a word is written like a name in code: with `_` or `$`, an inner capital, or digits among letters.
fn is_code_like(word: &str) -> bool {
    let letters = word.trim_matches('_');
    let has_inner_capital = letters.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && letters.bytes().any(|byte| byte.is_ascii_lowercase());
    has_inner_capital
        || letters.contains(['_', '$'])
        || word.starts_with('_')
        || (letters.bytes().any(|byte| byte.is_ascii_digit())
            && letters.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Whether quotes or backticks stand directly around the text from `start` to `end`.
fn is_quoted(line: &str, start: usize, end: usize) -> bool {
    let before = line[..start].chars().next_back();
    let after = line[end..].chars().next();
    let opens = |c: char| matches!(c, '`' | '"' | '\'' | '“' | '‘');
    let closes = |c: char| matches!(c, '`' | '"' | '\'' | '”' | '’' | '(' | ')');
    before.is_some_and(opens) && after.is_some_and(closes)
}
