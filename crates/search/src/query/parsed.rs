//! What a question says, read without a model: the terms to look for and their weight, the places it mentions, and the
//! roles and kinds of file it asks for. Works on any phrasing, from three words to a pasted stack trace. Pure.

use std::{collections::BTreeMap, sync::LazyLock};

use regex::Regex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::query::question::{Intent, Question, QuestionScope, Role};
use crate::{
    query::stack_trace::{StackTrace, is_frame},
    words::{self, Weight},
};
use retriever_workspace::UnknownVariant;

/// Most bytes of a question that are read; what is pasted behind them adds nothing that the start doesn't say.
const MAX_TEXT: usize = 24 * 1024;
/// Most terms of each kind.
const MAX_IDENTIFIERS: usize = 40;
const MAX_WORDS: usize = 56;
const MAX_PAIRS: usize = 56;
const MAX_MENTIONS: usize = 40;
/// IndexSnapshot of a question that is short enough to mean every one of them.
const SHORT: usize = 60;

/// IndexSnapshot by which a question asks for tests.
const TEST_WORDS: [&str; 8] =
    ["test", "tests", "tested", "testing", "testcase", "unittest", "spec", "specs"];

/// IndexSnapshot by which a question asks for a role; only those that mean little else.
const ROLE_WORDS: &[(Role, &str)] = &[
    (Role::Entry, "entrypoint entry route routes command commands cli startup"),
    (Role::Ui, "button buttons dialog modal page screen menu toolbar sidebar ui widget tooltip"),
    (Role::Handler, "handler handlers callback callbacks"),
    (Role::State, "state store reducer cache cached caching"),
    (Role::Data, "parse parsed parses parsing parser query queries"),
    (Role::Api, "api http endpoint endpoints rpc grpc graphql"),
    (
        Role::Persistence,
        "database persist persisted persists persistence saved saves disk storage transaction",
    ),
    (Role::Render, "render rendered rendering renders draw drawing drawn draws paint canvas"),
    (Role::Output, "export exported exports download serialize serialized serialization"),
    (Role::Type, "interface interfaces schema types struct"),
    (Role::Test, "test tests tested testing"),
];

/// How a term was written.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<TermKind>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermKind {
    /// In the form of a name in code; it matches a whole identifier in any case style.
    Identifier,
    /// Between quotes.
    Quoted,
    /// As a path or file name.
    Path,
    /// As a word or a pair of words.
    Word,
    /// In pasted code, output or a stack trace.
    ErrorMessage,
}

/// What a term is compared with.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<TermForm>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TermForm {
    /// A whole identifier.
    Whole,
    /// A word of an identifier or of text.
    Word,
    /// Two words in a row.
    Pair,
}

/// Something to look for.
#[derive(Clone, Debug, PartialEq)]
pub struct Term {
    /// As the question wrote it, lower case for words.
    pub text: String,
    /// The form that is compared: an identifier without separators and case, a word's stem, or two stems with a space.
    pub stem: String,
    /// Worth of a match before rarity is counted, about 0.1 to 3.
    pub weight: f64,
    /// How it was written.
    pub kind: TermKind,
    /// What it is compared with.
    pub form: TermForm,
}

/// A path or file name in the question, with the line when one stands beside it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileMention {
    /// As written, with `/` between parts.
    pub path: String,
    /// The line.
    pub line: Option<u32>,
    /// StackTrace of a stack trace between this one and the innermost, when it is a frame.
    pub frame: Option<u32>,
}

/// The deterministic reading of a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ParsedQuery {
    /// What to look for, heaviest first.
    pub terms: Vec<Term>,
    /// Paths and file names in the text, in order.
    pub mentions: Vec<FileMention>,
    /// What is asked for.
    pub asked: QuestionScope,
    /// What the words suggest the caller wants to do, when they do.
    pub intent_hint: Option<Intent>,
    /// The words that say what is wanted, in order and in small letters: a short question whole, of a long one its first line.
    pub(crate) lead: Vec<String>,
}

impl ParsedQuery {
    /// Whether a name in code holds a word that is looked for.
    pub fn names(&self, name: &str) -> bool {
        words::subwords(name).iter().any(|word| {
            let stem = words::stem(word);
            let mut looked_for = self.terms.iter().filter(|term| term.form == TermForm::Word);
            words::weight_of(word) == Weight::Full && looked_for.any(|term| term.stem == stem)
        })
    }

    /// Reads `question`.
    pub fn of(question: &Question) -> Self {
        let text = clean(&question.text);
        let mut collected = Collector::default();
        let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
        let long = rest.split_whitespace().count() > SHORT;
        collected.prose(title, if rest.trim().is_empty() { 1.0 } else { 1.6 });
        let mut fenced = false;
        let mut frames = StackTrace::default();
        for line in rest.lines() {
            if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
                fenced = !fenced;
            } else if fenced || line.starts_with("    ") || is_frame(line) {
                let before = collected.mentions.len();
                collected.pasted(line);
                frames.note(line, &collected.mentions, before);
            } else {
                collected.prose(line, if long { 0.5 } else { 0.8 });
            }
        }
        frames.number(&mut collected.mentions);
        let lead: String = if long {
            title.to_lowercase()
        } else {
            text.split_whitespace().take(SHORT).collect::<Vec<_>>().join(" ").to_lowercase()
        };
        let words: Vec<&str> =
            lead.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
        let any = |wanted: &[&str]| words.iter().any(|word| wanted.contains(word));
        // Tests that fail are how the fault shows, not where it is.
        let tests_show_it = any(&[
            "fail", "fails", "failed", "failing", "failure", "failures", "pass", "passes",
            "passing", "broken", "break", "breaks",
        ]);
        // What stands between backticks is a name, not a wish.
        let spoken: String = lead.split('`').step_by(2).collect();
        let mut spoken = spoken.split(|c: char| !c.is_alphanumeric());
        let speaks_of_tests = spoken.any(|word| TEST_WORDS.contains(&word));
        let roles = ROLE_WORDS
            .iter()
            .filter(|(role, _)| *role != Role::Test || !tests_show_it)
            .filter(|(_, asking)| asking.split(' ').any(|word| words.contains(&word)))
            .map(|(role, _)| *role)
            .chain(question.roles.iter().copied())
            .collect();
        let asked = QuestionScope {
            roles,
            wants_tests: !tests_show_it && speaks_of_tests,
            wants_docs: any(&[
                "documentation",
                "docs",
                "docstring",
                "readme",
                "example",
                "examples",
                "tutorial",
            ]),
            wants_generated: any(&["generated", "vendored", "vendor", "codegen", "autogenerated"]),
        };
        let intent_hint = if any(&[
            "bug", "fails", "failing", "crash", "crashes", "panic", "panics", "broken", "wrong",
        ]) {
            Some(Intent::Debug)
        } else if matches!(
            words.first(),
            Some(&("add" | "implement" | "change" | "rename" | "remove" | "refactor" | "support"))
        ) {
            Some(Intent::Edit)
        } else {
            None
        };
        let lead = words.into_iter().map(str::to_owned).collect();
        Self { terms: collected.terms(), mentions: collected.mentions, asked, intent_hint, lead }
    }
}

impl ParsedQuery {
    /// Whether it names a file or something in code: its author knows the code's words, and there is less to guess.
    pub fn names_code(&self) -> bool {
        !self.mentions.is_empty() || self.terms.iter().any(|term| term.form == TermForm::Whole)
    }
}

/// Drops what only frames an issue (HTML comments, carriage returns), joined lines kept.
fn clean(text: &str) -> String {
    static COMMENT: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?s)<!--.*?-->").ok());
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = text[..end].replace('\r', "");
    let text = match text.contains("<!--").then(|| COMMENT.as_ref()).flatten() {
        Some(comment) => comment.replace_all(&text, " ").into_owned(),
        None => text,
    };
    text.trim().to_owned()
}

#[derive(Default)]
struct Collector {
    found: BTreeMap<(TermForm, String), Found>,
    order: usize,
    mentions: Vec<FileMention>,
}

struct Found {
    text: String,
    kind: TermKind,
    best: f64,
    count: u32,
    order: usize,
}

impl Collector {
    /// Reads a line of prose; `scale` is what its words are worth.
    fn prose(&mut self, line: &str, scale: f64) {
        self.line(line, scale, None);
    }

    /// Reads a line of pasted code or output.
    fn pasted(&mut self, line: &str) {
        self.line(line, 0.35, Some(TermKind::ErrorMessage));
    }

    fn line(&mut self, line: &str, scale: f64, kind: Option<TermKind>) {
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
        let mut previous: Option<(String, usize)> = None;
        for found in tokens.captures_iter(line) {
            let Some(all) = found.get(0) else { continue };
            let quoted = quoted(line, all.start(), all.end());
            if let Some(url) = found.name("url") {
                self.url(url.as_str());
                previous = None;
            } else if let Some(path) = found.name("path") {
                let line = found.name("line").and_then(|line| line.as_str().parse().ok());
                self.mention(path.as_str(), line, scale, kind);
                previous = None;
            } else if let Some(flag) = found.name("flag") {
                let name = flag.as_str().trim_start_matches('-');
                if line[..all.start()].ends_with(|c: char| c.is_alphanumeric() || c == ')') {
                    // The rest of a hyphenated word.
                    let mut before = previous.take().map(|(word, _)| word);
                    for part in name.split('-') {
                        let last = self.name(part, false, false, scale, kind);
                        if let (Some(before), Some((first, _))) = (&before, &last) {
                            self.pair(before, first, scale, kind);
                        }
                        before = last.map(|(_, last)| last);
                    }
                    previous = before.map(|word| (word, all.end()));
                    continue;
                }
                // A flag is a name: `--min-depth` is `min_depth` in the code.
                if name.len() > 2 {
                    self.identifier(name, scale * 1.2, kind.unwrap_or(TermKind::Identifier));
                }
                previous = None;
            } else if let Some(name) = found.name("name") {
                if words::only_repeats(name.as_str(), &line[name.end()..]) {
                    previous = None;
                    continue;
                }
                let adjacent = previous.take().filter(|(_, end)| {
                    line[*end..name.start()].chars().all(|c| c == ' ' || c == '-')
                });
                let last =
                    self.name(name.as_str(), found.name("call").is_some(), quoted, scale, kind);
                if let (Some((before, _)), Some((first, _))) = (adjacent, last.as_ref()) {
                    self.pair(&before, first, scale, kind);
                }
                previous = last.map(|(_, last)| (last, name.end()));
            } else if let Some(other) = found.name("other") {
                self.word(&other.as_str().to_lowercase(), scale, kind.unwrap_or(TermKind::Word));
                previous = None;
            }
        }
    }

    /// Adds a dotted or plain name and returns its first and last words when they may pair with their neighbours.
    fn name(
        &mut self,
        name: &str,
        called: bool,
        quoted: bool,
        scale: f64,
        kind: Option<TermKind>,
    ) -> Option<(String, String)> {
        let parts: Vec<&str> = name
            .split(['.', ':', '#', '>'])
            .map(|part| part.trim_matches('-'))
            .filter(|part| !part.is_empty())
            .collect();
        let mut ends: Option<(String, String)> = None;
        let dotted = parts.len() > 1;
        for (index, part) in parts.iter().enumerate() {
            // Of `Type.member` the member is meant; the type says where.
            let scale = if index + 1 == parts.len() { scale } else { scale * 0.7 };
            let code_like =
                is_code_like(part) || called || (quoted && !dotted) || (dotted && part.len() > 2);
            let plain = part.to_lowercase();
            if code_like && part.len() > 1 && words::weight_of(&plain) != Weight::Stop {
                let worth = if is_code_like(part) || called { 1.0 } else { 0.6 };
                let written =
                    kind.unwrap_or(if quoted { TermKind::Quoted } else { TermKind::Identifier });
                self.identifier(part, scale * worth, written);
            } else {
                self.word(
                    &plain,
                    scale,
                    kind.unwrap_or(if quoted { TermKind::Quoted } else { TermKind::Word }),
                );
            }
            let words = words::subwords(part);
            if let (Some(first), Some(last)) = (words.first(), words.last()) {
                ends = Some((ends.map_or_else(|| first.clone(), |(first, _)| first), last.clone()));
            }
        }
        ends
    }

    fn identifier(&mut self, name: &str, scale: f64, kind: TermKind) {
        let key = words::joined(name);
        if key.len() < 2 {
            return;
        }
        let parts = words::subwords(name);
        self.add(TermForm::Whole, key, name, kind, scale * 1.5);
        for part in &parts {
            self.word(part, scale * 0.7, kind);
        }
        for pair in parts.windows(2) {
            self.pair(&pair[0], &pair[1], scale * 0.8, Some(kind));
        }
    }

    fn word(&mut self, word: &str, scale: f64, kind: TermKind) {
        let long_enough = word.len() > 1 && !word.bytes().all(|byte| byte.is_ascii_digit());
        let worth = match words::weight_of(word) {
            _ if !long_enough => return,
            Weight::Stop => 0.0,
            Weight::Generic => 0.25,
            Weight::Full => 1.0,
        };
        self.add(TermForm::Word, words::stem(word), word, kind, scale * worth);
    }

    fn pair(&mut self, one: &str, other: &str, scale: f64, kind: Option<TermKind>) {
        let worth = |word: &str| match words::weight_of(word) {
            Weight::Stop => 0.0,
            Weight::Generic => 0.5,
            Weight::Full => 1.0,
        };
        let both = worth(one) * worth(other);
        if both > 0.3 && one.len() > 1 && other.len() > 1 {
            let key = format!("{} {}", words::stem(one), words::stem(other));
            let text = format!("{one} {other}");
            self.add(
                TermForm::Pair,
                key,
                &text,
                kind.unwrap_or(TermKind::Word),
                scale * both * 0.5,
            );
        }
    }

    fn url(&mut self, url: &str) {
        // Only an address of a file in a repository says where to look.
        let Some((_, path)) = url.split_once("/blob/") else { return };
        let Some((_, path)) = path.split_once('/') else { return };
        let (path, line) = path.split_once('#').unwrap_or((path, ""));
        let line =
            line.trim_start_matches('L').split('-').next().and_then(|line| line.parse().ok());
        self.mention(path, line, 0.8, None);
    }

    fn mention(&mut self, path: &str, line: Option<u32>, scale: f64, kind: Option<TermKind>) {
        let path = path.trim_start_matches("./").trim_matches('/').to_owned();
        let name = path.rsplit('/').next().unwrap_or_default();
        let bare = name.split('.').next().unwrap_or_default().to_owned();
        if kind.is_none() {
            for part in path.split(['/', '.']) {
                self.word(&part.to_lowercase(), scale * 0.4, TermKind::Path);
            }
        }
        if bare.len() > 2 {
            self.identifier(&bare, scale * 0.5, kind.unwrap_or(TermKind::Path));
        }
        let mut known = self.mentions.iter();
        let is_new = !known.any(|known| (known.path.as_str(), known.line) == (&path, line));
        if self.mentions.len() < MAX_MENTIONS && is_new {
            self.mentions.push(FileMention { path, line, frame: None });
        }
    }

    fn add(&mut self, form: TermForm, key: String, text: &str, kind: TermKind, worth: f64) {
        self.order += 1;
        let order = self.order;
        let found = self.found.entry((form, key)).or_insert_with(|| Found {
            text: text.to_owned(),
            kind,
            best: worth,
            count: 0,
            order,
        });
        found.count += 1;
        if worth > found.best {
            found.best = worth;
            found.kind = kind;
        }
    }

    fn terms(&mut self) -> Vec<Term> {
        // Grammar counts only when nothing else was said.
        let bare = self.found.values().all(|found| found.best <= 0.0);
        let mut ranked: Vec<(Term, usize)> = std::mem::take(&mut self.found)
            .into_iter()
            .filter(|(_, found)| found.best > 0.0 || bare)
            .map(|((form, stem), found)| {
                let repeats = f64::from(found.count.min(4)).sqrt();
                let weight = found.best.max(if bare { 0.2 } else { 0.0 }) * repeats.powf(0.8);
                (Term { text: found.text, stem, weight, kind: found.kind, form }, found.order)
            })
            .collect();
        ranked.sort_by(|a, b| b.0.weight.total_cmp(&a.0.weight).then(a.1.cmp(&b.1)));
        let mut left = BTreeMap::from([
            (TermForm::Whole, MAX_IDENTIFIERS),
            (TermForm::Word, MAX_WORDS),
            (TermForm::Pair, MAX_PAIRS),
        ]);
        ranked.retain(|(term, _)| match left.get_mut(&term.form) {
            Some(room) if *room > 0 => {
                *room -= 1;
                true
            }
            _ => false,
        });
        ranked.into_iter().map(|(term, _)| term).collect()
    }
}

/// Whether a word is written as names in code are: with `_`, `$`, inner capitals, or digits among letters.
fn is_code_like(word: &str) -> bool {
    let letters = word.trim_matches('_');
    let inner_capital = letters.bytes().skip(1).any(|byte| byte.is_ascii_uppercase())
        && letters.bytes().any(|byte| byte.is_ascii_lowercase());
    inner_capital
        || letters.contains(['_', '$'])
        || word.starts_with('_')
        || (letters.bytes().any(|byte| byte.is_ascii_digit())
            && letters.bytes().any(|byte| byte.is_ascii_alphabetic()))
}

/// Whether the text from `start` to `end` stands directly between quotes or backticks.
fn quoted(line: &str, start: usize, end: usize) -> bool {
    let before = line[..start].chars().next_back();
    let after = line[end..].chars().next();
    let opens = |c: char| matches!(c, '`' | '"' | '\'' | '“' | '‘');
    let closes = |c: char| matches!(c, '`' | '"' | '\'' | '”' | '’' | '(' | ')');
    before.is_some_and(opens) && after.is_some_and(closes)
}
