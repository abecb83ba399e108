//! The page of a search's matches: which of them it shows, with lines and declarations around them, and the calls that
//! show more.

use std::collections::BTreeMap;

use grep_regex::RegexMatcher;
use retriever_search::is_comment_line;
use retriever_workspace::{
    FileVersion, PathEntryKind, RepoPath, SkippedFiles, TextFile, truncate, truncate_line,
    truncate_line_around,
};
use serde_json::json;

use super::{
    DEFAULT_LIMIT, GrepMatch, GrepOutput, GrepToolArguments, MAX_CONTEXT, MAX_LIMIT,
    callers_of_matches::{CallersOfMatches, DeclarationStart},
    count,
    folded_matches::{FoldedMatches, MatchesOfFile, is_about_tests},
    grep_search::{self, GrepHits, PreparedGrepSearch},
    match_selection::{FoundLines, MatchedFileKind, RepeatedLines, is_data, share_of_a_file},
    not_searched, nothing, shown,
};
use crate::tools::{
    ObservationExcerpt, ToolContext, ToolOutcome, enclosing_declarations::EnclosingDeclarations,
};

/// Said where callers would be named.
const NO_CALLERS: &str = "callers are not named: the code graph is not up to date";
/// Most files that the footer names because not all of their matches are shown.
const NAMED_REST: usize = 3;

/// The input of a page.
pub(super) struct MatchPageInput<'a> {
    pub(super) context: &'a ToolContext,
    pub(super) callers: Option<&'a CallersOfMatches>,
    pub(super) arguments: &'a GrepToolArguments,
    pub(super) search: &'a PreparedGrepSearch,
    /// At least one.
    pub(super) hits: &'a GrepHits,
}

/// The matches of a page.
struct Selection<'a> {
    /// The lines of each file.
    files: Vec<(&'a RepoPath, Vec<u32>)>,
    /// Number of matches of a file beyond those that can be paged through.
    rest: Vec<(&'a RepoPath, u64)>,
    /// Number of matches that can be paged through.
    listed: usize,
    /// Notes on lines that are left out.
    notes: Vec<String>,
}

impl MatchPageInput<'_> {
    /// Returns the page.
    pub(super) fn output(&self) -> GrepOutput {
        let selection = self.select();
        let around = SurroundingLines::of(self.arguments);
        let has_code = selection.files.iter().any(|(path, _)| !is_data(path));
        // A file that was removed since the search is left out.
        let files = selection.files.iter().filter_map(|(path, lines)| {
            let text = self.context.workspace.read(path).ok()?;
            let outline = EnclosingDeclarations::of(&text, self.context);
            let around =
                if has_code && is_data(path) { SurroundingLines::default() } else { around };
            Some(MatchedFile { text, lines, outline, matcher: &self.search.matcher, around })
        });
        let files: Vec<MatchedFile<'_>> = files.collect();
        let functions: Vec<DeclarationStart> =
            files.iter().flat_map(MatchedFile::declared_around).collect();
        let callers = self.callers.map(|callers| callers.called_by(self.context, &functions));
        let is_stale = callers.as_ref().is_some_and(Option::is_none);
        let callers = callers.flatten().unwrap_or_default();

        let mut output = nothing(ToolOutcome::Found, String::new(), Vec::new());
        for file in &files {
            output.matches.extend(file.matches());
            output.excerpts.push(file.excerpt(&callers));
        }
        output.total_matches = self.hits.files.values().map(|file| file.total).sum();
        output.total_files = self.hits.files.len() as u64;
        output.skipped = self.skipped();
        output.next_offset = self.next_offset(&selection);
        self.describe(&mut output, selection.listed);
        if is_stale {
            output.notes.push(NO_CALLERS.to_owned());
        }
        self.say_rest(&mut output, &selection.rest);
        output.notes.extend(selection.notes);
        output.notes.extend(not_searched(&output.skipped, &self.hits.binary));
        output
    }

    /// Chooses the matches that are shown: those in code before those in data, then those in tests; those in support
    /// and generated files last.
    fn select(&self) -> Selection<'_> {
        let (mut to_skip, mut to_take) = (self.offset(), self.limit());
        let workspace = &self.context.workspace;
        let wants_tests = self.wants_tests();
        let kind_of = |path: &RepoPath| {
            let traits = workspace.traits(path, "");
            let is_support = traits.support && !traits.generated && !traits.vendored;
            // Test support is requested with tests.
            if wants_tests && is_support {
                MatchedFileKind::Test
            } else {
                MatchedFileKind::of(path, &traits)
            }
        };
        let files = self.hits.files.iter().map(|(path, file)| (kind_of(path), path, file));
        let mut files: Vec<_> = files.collect();
        files.sort_by_key(|(kind, ..)| *kind);
        let repeated = RepeatedLines::of(self.context, &self.search.scope, &files);
        let found = files.into_iter().map(|(kind, path, file)| {
            let lines = repeated.without(path, &file.lines);
            let left_out = (file.lines.len() - lines.len()) as u64;
            let found = FoundLines { path, total: file.total - left_out, lines };
            MatchesOfFile { kind, found }
        });
        let mut found: Vec<MatchesOfFile<'_>> = found.collect();
        let folded = self.fold(&mut found);
        let found: Vec<FoundLines<'_>> = found.into_iter().map(|file| file.found).collect();
        let shown: Vec<&RepoPath> = found.iter().map(|file| file.path).collect();
        let mut notes = folded.notes(&shown, |place| self.call(Some(place), None));
        notes.extend(repeated.notes(|folder| self.call(Some(folder), None)));
        // A single file may use the space of all.
        let per_file = match self.arguments.limit {
            None if found.len() > 1 && self.search.kind == PathEntryKind::Folder => {
                share_of_a_file(&found, self.limit())
            }
            _ => usize::MAX,
        };
        let listed = found.iter().map(|file| file.lines.len().min(per_file)).sum();
        let mut selection = Selection { files: Vec::new(), rest: Vec::new(), listed, notes };
        for file in found {
            let (path, total) = (file.path, file.total);
            let known = file.best(per_file);
            let skipped = to_skip.min(known.len());
            to_skip -= skipped;
            let lines: Vec<u32> = known.iter().copied().skip(skipped).take(to_take).collect();
            to_take -= lines.len();
            let beyond = total.saturating_sub(known.len() as u64);
            // Of a file whose known lines are all left out, too; an earlier page has said it of one that was shown there.
            let is_end = skipped + lines.len() == known.len() && skipped < known.len().max(1);
            if is_end && beyond > 0 {
                selection.rest.push((path, beyond));
            }
            if !lines.is_empty() {
                selection.files.push((path, lines));
            }
        }
        selection
    }

    /// Returns the skipped files, for a search without matches including hidden and ignored ones, unless globs select
    /// the files. Only the first page counts those, since that takes another walk.
    fn skipped(&self) -> SkippedFiles {
        let mut skipped = self.hits.skipped;
        if self.search.include.is_none() && self.offset() == 0 {
            let scope = &self.search.scope;
            let left_out = self.context.workspace.count_skipped(scope, self.hits.visited);
            skipped.add(&SkippedFiles { uncounted: false, ..left_out });
        }
        skipped
    }

    /// Removes the matches that are summarised from those of a model's search.
    fn fold<'a>(&self, found: &mut Vec<MatchesOfFile<'a>>) -> FoldedMatches<'a> {
        if !self.context.call_syntax.is_of_model() {
            return FoldedMatches::default();
        }
        let foldable = [MatchedFileKind::Aside, MatchedFileKind::Test];
        FoldedMatches::take(found, if self.wants_tests() { &foldable[..1] } else { &foldable })
    }

    /// Whether the question or this call asks for tests.
    fn wants_tests(&self) -> bool {
        let GrepToolArguments { pattern, include, path, .. } = self.arguments;
        let asked = [Some(pattern), include.as_ref(), path.as_ref()];
        self.context.wants_tests || asked.into_iter().flatten().any(|it| is_about_tests(it))
    }

    fn limit(&self) -> usize {
        self.arguments.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT) as usize
    }

    fn offset(&self) -> usize {
        self.arguments.offset.unwrap_or(0) as usize
    }

    fn next_offset(&self, selection: &Selection<'_>) -> Option<u32> {
        let end = self.offset().saturating_add(self.limit());
        (end < selection.listed).then(|| u32::try_from(end).ok())?
    }

    /// Sets the headline of a page of matches, and the notes on the page itself. `listed` matches can be paged through.
    fn describe(&self, output: &mut GrepOutput, listed: usize) {
        let (shown_now, total_matches) = (output.matches.len(), output.total_matches);
        let all = if shown_now as u64 == total_matches {
            count(total_matches, "match", "matches")
        } else {
            output.outcome = ToolOutcome::Truncated;
            format!("{shown_now} of {}", count(total_matches, "match", "matches"))
        };
        output.headline = format!(
            "{all} in {} for {}",
            count(output.total_files, "file", "files"),
            shown(&self.arguments.pattern)
        );
        if let Some(reason) = &self.search.retried {
            output.notes.push(format!(
                "searched as plain text, since the pattern is no usable regular expression: {}",
                truncate(reason, 120)
            ));
        }
        let GrepToolArguments { context, before, after, limit, .. } = self.arguments;
        for (name, asked, most) in [
            ("context", context, MAX_CONTEXT),
            ("before", before, MAX_CONTEXT),
            ("after", after, MAX_CONTEXT),
            ("limit", limit, MAX_LIMIT),
        ] {
            if asked.is_some_and(|asked| asked > most) {
                output.notes.push(format!("{name} is at most {most}"));
            }
        }
        let offset = self.offset();
        if shown_now == 0 && offset >= listed {
            output
                .notes
                .push(format!("offset {offset} is behind the last of {listed} listed matches"));
        }
    }

    /// Names the calls that show more.
    fn say_rest(&self, output: &mut GrepOutput, rest: &[(&RepoPath, u64)]) {
        for (path, more) in rest.iter().take(NAMED_REST) {
            let call = self.call(Some(path), None);
            output.notes.push(format!("+{more} more in this file: {call}"));
        }
        if rest.len() > NAMED_REST {
            output.notes.push(format!("+ more in {} other files", rest.len() - NAMED_REST));
        }
        if let Some(next) = output.next_offset {
            output.notes.push(format!("refine, or see more: {}", self.call(None, Some(next))));
        }
    }

    /// Writes the same call for another file or page.
    fn call(&self, path: Option<&RepoPath>, offset: Option<u32>) -> String {
        let asked = self.arguments;
        let path = path.map(ToString::to_string).or_else(|| asked.path.clone());
        self.context.suggest(
            "grep",
            &[
                ("pattern", json!(asked.pattern)),
                ("literal", json!(asked.literal)),
                ("include", json!(asked.include)),
                ("path", json!(path)),
                ("ignore_case", json!(asked.ignore_case)),
                ("context", json!(asked.context)),
                ("before", json!(asked.before)),
                ("after", json!(asked.after)),
                ("limit", json!(asked.limit)),
                ("offset", json!(offset)),
            ],
        )
    }
}

/// A file and the lines of it that match.
struct MatchedFile<'a> {
    text: TextFile,
    lines: &'a [u32],
    outline: EnclosingDeclarations,
    matcher: &'a RegexMatcher,
    around: SurroundingLines,
}

/// Number of lines shown around a match.
#[derive(Clone, Copy, Default)]
struct SurroundingLines {
    before: u32,
    after: u32,
}

impl SurroundingLines {
    fn of(arguments: &GrepToolArguments) -> Self {
        let lines = |side: Option<u32>| side.or(arguments.context).unwrap_or(0).min(MAX_CONTEXT);
        Self { before: lines(arguments.before), after: lines(arguments.after) }
    }
}

impl MatchedFile<'_> {
    fn text_of(&self, line: u32) -> Option<String> {
        let text = self.text.line(line)?;
        Some(if self.lines.binary_search(&line).is_ok() {
            let at = grep_search::first_match(self.matcher, text).unwrap_or_default();
            truncate_line_around(text, at)
        } else {
            truncate_line(text)
        })
    }

    /// Returns the lines to show for a match. They start and end with its declaration; above its first line they
    /// include the lines after the declaration before it.
    fn near(&self, line: u32) -> std::ops::RangeInclusive<u32> {
        let first = line.saturating_sub(self.around.before).max(1);
        let last = line.saturating_add(self.around.after);
        let Some(index) = self.outline.around(line) else { return first..=last };
        let range = self.outline.range(index);
        let begin = if range.start() < line || self.around.before == 0 {
            range.start()
        } else {
            self.outline.first_above(index)
        };
        first.max(begin)..=last.min(range.end())
    }

    /// Returns the declarations around the matches.
    fn declared_around(&self) -> Vec<DeclarationStart> {
        let around = self.lines.iter().filter_map(|line| self.outline.around(*line));
        let mut starts: Vec<u32> = around.map(|index| self.outline.range(index).start()).collect();
        starts.dedup();
        starts.into_iter().map(|start| (self.text.path.clone(), start)).collect()
    }

    fn matches(&self) -> impl Iterator<Item = GrepMatch> {
        self.lines.iter().filter_map(|line| {
            let others = self.near(*line).filter(|other| other != line);
            Some(GrepMatch {
                path: self.text.path.clone(),
                line: *line,
                text: self.text_of(*line)?,
                context: others.filter_map(|other| Some((other, self.text_of(other)?))).collect(),
            })
        })
    }

    fn excerpt(&self, callers: &BTreeMap<DeclarationStart, String>) -> ObservationExcerpt {
        let matched = self.lines.iter().map(|line| (*line, self.outline.around(*line)));
        let mut shown: BTreeMap<u32, Option<usize>> = matched.collect();
        for line in self.lines {
            let around = self.outline.around(*line);
            for other in self.near(*line) {
                let around = around.filter(|index| self.outline.range(*index).contains(other));
                let known = shown.entry(other).or_default();
                let width = |index: &usize| self.outline.range(*index).width();
                *known = known.iter().copied().chain(around).min_by_key(width);
            }
        }
        self.join_fringes(&mut shown);
        self.outline.join_complete(&mut shown);
        let path = &self.text.path;
        let labels = self.outline.labels(&shown, |start| callers.get(&(path.clone(), start)));
        let is_context = |line: &u32| self.lines.binary_search(line).is_err();
        let context = shown.keys().copied().filter(is_context).collect();
        let lines = shown.into_keys().filter_map(|line| Some((line, self.text_of(line)?)));
        let excerpt = ObservationExcerpt::new(FileVersion::of(&self.text), lines.collect());
        ObservationExcerpt { labels, context, ..excerpt }
    }
}

impl MatchedFile<'_> {
    /// Assigns the comments, blank lines and closing brackets between declarations to the declaration next to them, so
    /// that they do not form separate blocks.
    fn join_fringes(&self, shown: &mut BTreeMap<u32, Option<usize>>) {
        let lines: Vec<u32> = shown.keys().copied().collect();
        let is_fringe = |line: &u32| {
            let text = self.text.line(*line).unwrap_or_default().trim();
            !text.contains(char::is_alphanumeric)
                || is_comment_line(self.text.path.extension(), text)
        };
        let mut join = |line: u32, next: u32| {
            let known = shown.get(&next).copied().flatten();
            if let Some(around) = shown.get_mut(&line)
                && around.is_none()
            {
                *around = known;
            }
        };
        for line in lines.iter().rev().filter(|line| is_fringe(line)) {
            join(*line, line.saturating_add(1));
        }
        for line in lines.iter().filter(|line| is_fringe(line)) {
            join(*line, line.saturating_sub(1));
        }
    }
}
