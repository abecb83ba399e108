//! The search of `grep`: one parallel walk that searches the files and records line numbers only. Text is read later,
//! for the few matches that are shown.

use std::{
    cmp::Reverse,
    collections::BTreeMap,
    hash::{DefaultHasher, Hash, Hasher},
    ops::ControlFlow,
    sync::{Mutex, PoisonError},
};

use grep_matcher::{LineTerminator, Matcher};
use grep_regex::{RegexMatcher, RegexMatcherBuilder};
use grep_searcher::{Searcher, SearcherBuilder, Sink, SinkMatch};
use retriever_search::is_code_comment;
use retriever_workspace::{
    PathEntryKind, PathGlobs, ReadError, RepoPath, SkippedFiles, WalkedFile, is_secondary,
    mask_secret_values, shared_folders, truncate,
};
use serde_json::json;

use super::{
    grep_arguments::GrepToolArguments,
    grep_output::{GrepOutput, nothing},
};
use crate::tools::{ToolContext, ToolOutcome, place_argument};

/// Size limit of a compiled pattern, in bytes.
const PATTERN_BYTES: usize = 10 * 1024 * 1024;

/// How a pattern is interpreted.
#[derive(Clone, Copy)]
pub(super) struct PatternSyntax {
    pub(super) literal: bool,
    pub(super) ignore_case: bool,
}

/// Compiles `pattern`; the error is the reason in a few words.
fn compile(pattern: &str, reading: PatternSyntax) -> Result<RegexMatcher, String> {
    RegexMatcherBuilder::new()
        .fixed_strings(reading.literal)
        .case_insensitive(reading.ignore_case)
        // `^` and `$` match at lines, with either line ending.
        .multi_line(true)
        .crlf(true)
        .size_limit(PATTERN_BYTES)
        .dfa_size_limit(PATTERN_BYTES)
        .build(pattern)
        .map_err(|error| {
            let text = error.to_string();
            let reason = text.rsplit("error: ").next().unwrap_or(&text);
            reason.lines().next().unwrap_or_default().trim().to_owned()
        })
}

/// Returns the byte offset of the first match in `line`.
pub(super) fn first_match(matcher: &RegexMatcher, line: &str) -> Option<usize> {
    matcher.find(line.as_bytes()).ok().flatten().map(|found| found.start())
}

/// Matching lines of one file.
#[derive(Default)]
pub(super) struct FileMatches {
    /// Number of matching lines.
    pub(super) total: u64,
    /// The first matching lines, in order.
    pub(super) lines: Vec<MatchingLine>,
}

/// A line that matches.
#[derive(Clone, Copy)]
pub(super) struct MatchingLine {
    pub(super) number: u32,
    /// Equal for lines with the same text, or with the match in the same key of data, unless they are comments.
    pub(super) key: u64,
    pub(super) is_comment: bool,
}

impl MatchingLine {
    fn new(number: u32, extension: &str, text: &[u8], matcher: &RegexMatcher) -> Self {
        let text = String::from_utf8_lossy(text);
        let text = text.trim();
        let mut hasher = DefaultHasher::new();
        // Elements and items of lists have no key: `<data name="a">`, `- uses: a`.
        let key = text.split([':', '=']).next().filter(|_| !text.starts_with(['<', '-']));
        let is_in_key = |key: &&str| {
            let found = matcher.find(text.as_bytes()).ok().flatten();
            found.is_some_and(|found| found.start() < key.len())
        };
        let is_comment = is_code_comment(extension, text);
        key.filter(|key| !is_comment && is_in_key(key)).unwrap_or(text).hash(&mut hasher);
        Self { number, key: hasher.finish(), is_comment }
    }
}

/// The result of a search.
#[derive(Default)]
pub(super) struct GrepHits {
    pub(super) files: BTreeMap<RepoPath, FileMatches>,
    pub(super) skipped: SkippedFiles,
    /// Number of walked files.
    pub(super) visited: u64,
    /// Number of these that the globs include.
    pub(super) included: u64,
    /// Number of these that could be read.
    pub(super) searched: u64,
    /// Numbers of binary files by extension.
    pub(super) binary: BTreeMap<String, u64>,
}

/// Returns the first lines that hold a word in each file, code that people work on first, of that what is near to the path
/// `near`.
pub(in crate::tools) fn lines_with_word(
    context: &ToolContext,
    word: &str,
    near: &str,
    per_file: usize,
) -> Vec<(RepoPath, u32)> {
    let mut files = word_hits(context, word, per_file);
    files.sort_by_cached_key(|(path, _)| {
        (is_secondary(path), Reverse(shared_folders(path.as_str(), near)))
    });
    let lines = files.into_iter().flat_map(|(path, found)| {
        found.lines.into_iter().map(move |line| (path.clone(), line.number))
    });
    lines.collect()
}

/// Returns how many files hold a word, with the first place of it in the best of them: code that people work on comes first.
pub(in crate::tools) fn files_with_word(
    context: &ToolContext,
    word: &str,
) -> Option<(usize, RepoPath, u32)> {
    let files = word_hits(context, word, 1);
    let count = files.len();
    let (path, found) = files.into_iter().min_by_key(|(path, _)| is_secondary(path))?;
    Some((count, path, found.lines.first()?.number))
}

/// Returns the files that hold a word, sorted.
pub(in crate::tools) fn paths_with_word(context: &ToolContext, word: &str) -> Vec<RepoPath> {
    word_hits(context, word, 1).into_iter().map(|(path, _)| path).collect()
}

/// Returns the files that hold a word, by path, with `per_file` lines of each.
fn word_hits(context: &ToolContext, word: &str, per_file: usize) -> Vec<(RepoPath, FileMatches)> {
    let mut pattern = RegexMatcherBuilder::new();
    let Ok(matcher) = pattern.fixed_strings(true).word(true).build(word) else { return Vec::new() };
    let hits = search(context, &matcher, &RepoPath::root(), None, per_file);
    hits.files.into_iter().collect()
}

/// Searches every file below `scope` that `include` accepts, and records `per_file` line numbers of each. A
/// cancellation ends it early.
pub(super) fn search(
    context: &ToolContext,
    matcher: &RegexMatcher,
    scope: &RepoPath,
    include: Option<&PathGlobs>,
    per_file: usize,
) -> GrepHits {
    let all = Mutex::new(GrepHits::default());
    let is_included = |path: &RepoPath| include.is_none_or(|include| include.matches(path));
    let skipped = context.workspace.walk_matching(scope, &is_included, || {
        let mut worker = Worker {
            matcher: matcher.clone(),
            searcher: SearcherBuilder::new().line_terminator(LineTerminator::crlf()).build(),
            buffer: Vec::new(),
            hits: GrepHits::default(),
            all: &all,
        };
        move |file: &WalkedFile<'_>| {
            worker.hits.visited += 1;
            if is_included(&file.path) {
                worker.hits.included += 1;
                worker.search(file, per_file);
            }
            if context.is_cancelled() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    });
    let mut hits = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    hits.skipped.add(&skipped);
    hits
}

/// The worker of one thread; it adds its results to the search when the walk ends.
struct Worker<'a> {
    matcher: RegexMatcher,
    searcher: Searcher,
    buffer: Vec<u8>,
    hits: GrepHits,
    all: &'a Mutex<GrepHits>,
}

impl Worker<'_> {
    fn search(&mut self, file: &WalkedFile<'_>, per_file: usize) {
        let bytes = match file.bytes(&mut self.buffer) {
            Ok(bytes) => bytes,
            Err(error) => {
                if let ReadError::Binary(path) = &error {
                    *self.hits.binary.entry(path.extension().to_owned()).or_default() += 1;
                }
                self.hits.skipped.count(&error);
                return;
            }
        };
        self.hits.searched += 1;
        // A result that depends on a secret value would reveal it, one query at a time: a miss as much as a match.
        let masked = mask_secret_values(&bytes);
        let mut lines = Lines {
            most: per_file,
            extension: file.path.extension(),
            matcher: &self.matcher,
            found: FileMatches::default(),
        };
        let text = masked.as_deref().unwrap_or(&bytes);
        // The sink never fails, and neither does searching a slice.
        let _ = self.searcher.search_slice(&self.matcher, text, &mut lines);
        let found = lines.found;
        if found.total > 0 {
            self.hits.files.insert(file.path.clone(), found);
        }
    }
}

impl Drop for Worker<'_> {
    fn drop(&mut self) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.files.append(&mut self.hits.files);
        all.skipped.add(&self.hits.skipped);
        all.visited += self.hits.visited;
        all.included += self.hits.included;
        all.searched += self.hits.searched;
        for (extension, files) in &self.hits.binary {
            *all.binary.entry(extension.clone()).or_default() += files;
        }
    }
}

struct Lines<'a> {
    most: usize,
    extension: &'a str,
    matcher: &'a RegexMatcher,
    found: FileMatches,
}

impl Sink for &mut Lines<'_> {
    type Error = std::io::Error;

    fn matched(&mut self, _: &Searcher, found: &SinkMatch<'_>) -> Result<bool, Self::Error> {
        self.found.total += 1;
        if self.found.lines.len() < self.most {
            let number = found.line_number().and_then(|number| u32::try_from(number).ok());
            let line =
                |number| MatchingLine::new(number, self.extension, found.bytes(), self.matcher);
            self.found.lines.extend(number.map(line));
        }
        Ok(true)
    }
}

/// A call's arguments, checked and compiled.
pub(super) struct PreparedGrepSearch {
    pub(super) scope: RepoPath,
    pub(super) kind: PathEntryKind,
    pub(super) include: Option<PathGlobs>,
    pub(super) matcher: RegexMatcher,
    /// Why the pattern is searched as plain text although it was given as a regular expression.
    pub(super) retried: Option<String>,
}

impl PreparedGrepSearch {
    pub(super) fn prepare(
        context: &ToolContext,
        arguments: &GrepToolArguments,
    ) -> Result<Self, Box<GrepOutput>> {
        let refused = |outcome, headline: String, advice: &str| {
            Box::new(nothing(outcome, headline, vec![advice.to_owned()]))
        };
        if arguments.pattern.is_empty() {
            return Err(refused(
                ToolOutcome::BadPattern,
                "the pattern is empty".to_owned(),
                "give the text or regular expression to look for; to list files use glob",
            ));
        }
        let include = given(arguments.include.as_deref())
            .map(|include| PathGlobs::new(&globs_of(include)))
            .transpose()
            .map_err(|error| {
                refused(
                    ToolOutcome::BadPattern,
                    format!("include can't be used: {error}"),
                    "write include as a glob such as \"*.rs\" or \"src/**/*.{ts,tsx}\"",
                )
            })?;
        let (scope, kind) = match given(arguments.path.as_deref()) {
            None => (RepoPath::root(), PathEntryKind::Folder),
            Some(raw) => place_argument::find(context, raw)
                .map(|target| (target.path, target.kind))
                .map_err(|miss| {
                    refused(miss.outcome, miss.sentence.clone(), &miss.advice(context))
                })?,
        };
        let (matcher, retried) = compiled(context, arguments)?;
        Ok(Self { scope, kind, include, matcher, retried })
    }
}

/// Models write `""` for "not given".
fn given(argument: Option<&str>) -> Option<&str> {
    argument.map(str::trim).filter(|argument| !argument.is_empty())
}

/// Splits `*.ts,*.tsx` at commas outside braces, since models write lists that way.
fn globs_of(include: &str) -> Vec<String> {
    let mut depth = 0_u32;
    include
        .split(|letter| {
            match letter {
                '{' => depth += 1,
                '}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            letter == ',' && depth == 0
        })
        .map(|glob| glob.trim().to_owned())
        .filter(|glob| !glob.is_empty())
        .collect()
}

/// Compiles the pattern. A model's invalid regular expression is searched as plain text, and the reason is returned.
fn compiled(
    context: &ToolContext,
    arguments: &GrepToolArguments,
) -> Result<(RegexMatcher, Option<String>), Box<GrepOutput>> {
    let syntax = &context.call_syntax;
    let ignore_case = arguments.ignore_case.unwrap_or(false);
    let literal = arguments.literal.unwrap_or(false);
    let reason = match compile(&arguments.pattern, PatternSyntax { literal, ignore_case }) {
        Ok(matcher) => return Ok((matcher, None)),
        Err(reason) => reason,
    };
    if !literal
        && syntax.is_of_model()
        && let Ok(matcher) =
            compile(&arguments.pattern, PatternSyntax { literal: true, ignore_case })
    {
        return Ok((matcher, Some(reason)));
    }
    let advice = if arguments.pattern.contains('\n') || reason.contains("\\n") {
        "a match lies within one line: search for a part of it".to_owned()
    } else {
        let plain = syntax.argument("literal", &json!(true));
        format!("simplify the pattern, or use {plain} to search for it as plain text")
    };
    Err(Box::new(nothing(
        ToolOutcome::BadPattern,
        format!("the pattern can't be used: {}", truncate(&reason, 200)),
        vec![advice],
    )))
}
