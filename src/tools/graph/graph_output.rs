//! The result of a `graph` call, typed and as an observation.

use retriever_graph::{NodeKind, name_parts};
use retriever_report::evidence_ledger::EvidenceSource;
use retriever_workspace::{LineRange, RepoPath, truncate};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    graph_answer::{Definition, GraphAnswer},
    relations_in_words::{calls_by_line, further_lines, relation_in_words, relations_by_kind},
    source_lines_of_answers::WantedLines,
};
use crate::tools::{
    ObservationExcerpt, ToolContext, ToolObservation, ToolOutcome, ToolOutput,
    grep::{files_with_word, lines_with_word},
};

/// Most answers in tests that are shown like others.
const FEW_TESTS: usize = 2;
/// Fewest characters of a name that the text is searched for.
const SHORTEST_NAME: usize = 3;
/// Most lines that are named where a value is.
const NAMED_LINES: usize = 12;
/// Most answers in tests that are named.
const NAMED_TESTS: usize = 3;

/// What the graph says.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct GraphOutput {
    /// How the call ended.
    pub outcome: ToolOutcome,
    /// What was found, in one sentence.
    pub headline: String,
    /// What was asked about, when it was clear.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<Definition>,
    /// Answers of this page.
    pub answers: Vec<GraphAnswer>,
    /// Definitions that the target may mean, best first, when it was not clear.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<Definition>,
    /// All there are.
    pub total: usize,
    /// What to know and what to do next.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// The name that was asked for, if no definition has it.
    #[serde(skip)]
    pub(super) unknown_name: Option<String>,
    /// The name of the value that was asked about, if nothing is known of its uses.
    #[serde(skip)]
    pub(super) named_value: Option<String>,
    #[serde(skip)]
    pub(super) excerpts: Vec<ObservationExcerpt>,
    /// The call that shows the answers in tests, if these may be summarised in one line.
    #[serde(skip)]
    pub(super) tests_call: Option<String>,
    /// Whether answers in tests are summarised in one line.
    #[serde(skip)]
    pub(super) folds_tests: bool,
}

impl GraphOutput {
    pub(super) fn sentence(outcome: ToolOutcome, headline: impl Into<String>) -> Self {
        Self {
            outcome,
            headline: headline.into(),
            target: None,
            answers: Vec::new(),
            candidates: Vec::new(),
            total: 0,
            notes: Vec::new(),
            unknown_name: None,
            named_value: None,
            excerpts: Vec::new(),
            tests_call: None,
            folds_tests: false,
        }
    }

    pub(super) fn note(mut self, note: impl Into<String>) -> Self {
        self.notes.push(note.into());
        self
    }

    /// Adds where the text has the name that no definition has: a macro may make it, or a language without a grammar.
    pub(super) fn saying_where_the_text_has_it(mut self, context: &ToolContext) -> Self {
        if self.named_value.is_some() {
            return self.naming_lines(context);
        }
        let name = self.unknown_name.take().filter(|_| self.outcome == ToolOutcome::NoMatch);
        // The last part of a longer name says little alone.
        let name = name.as_deref().filter(|name| name_parts(name).len() == 1);
        let Some(name) = name.filter(|name| name.chars().count() >= SHORTEST_NAME) else {
            return self;
        };
        let Some((files, path, line)) = files_with_word(context, name) else { return self };
        let name = truncate(name, 80);
        let files = if files == 1 { "1 file".to_owned() } else { format!("{files} files") };
        self.note(format!("the text has {name} in {files}, for example {path}:{line}"))
    }

    /// Names lines that have the name of the value that was asked about, since its uses have no edges.
    fn naming_lines(mut self, context: &ToolContext) -> Self {
        let name = self.named_value.take().filter(|name| name.chars().count() >= SHORTEST_NAME);
        let (Some(name), Some(target)) = (name, self.target.as_ref()) else { return self };
        let own = LineRange::new(target.start, target.end);
        let is_own = |path: &RepoPath, line: u32| {
            path.as_str() == target.path && own.is_some_and(|own| own.contains(line))
        };
        let mut lines = lines_with_word(context, &name, &target.path, NAMED_LINES);
        lines.retain(|(path, line)| !is_own(path, *line));
        if lines.is_empty() {
            return self;
        }
        let places: Vec<String> =
            lines.iter().take(NAMED_LINES).map(|(path, line)| format!("{path}:{line}")).collect();
        let more = if lines.len() > places.len() { " …" } else { "" };
        let name = truncate(&name, 80);
        self.note(format!("the text has {name} at {}{more}", places.join(", ")))
    }

    /// Reads the lines of the answer; files are in the order of the answers.
    pub(super) fn with_lines(mut self, context: &ToolContext) -> Self {
        self.folds_tests = context.call_syntax.is_of_model()
            && !context.wants_tests
            && self.tests_call.is_some()
            // The call asked for a page that begins with tests.
            && self.answers.first().is_some_and(|answer| !answer.is_test)
            && self.answers.iter().filter(|answer| answer.is_test).count() > FEW_TESTS;
        let mut wanted = WantedLines::default();
        let is_here = |definition: &Definition| definition.repository.is_none();
        for candidate in self.candidates.iter().filter(|candidate| is_here(candidate)) {
            wanted.add(&candidate.path, candidate.line);
            wanted.label(candidate);
        }
        for answer in self.shown_answers().filter(|answer| is_here(&answer.definition)) {
            let definition = &answer.definition;
            for line in answer.shown_lines() {
                wanted.add(answer.site.as_deref().unwrap_or(&definition.path), line);
            }
            if definition.kind != NodeKind::File {
                answer.heading_lines().for_each(|line| wanted.add(&definition.path, line));
            }
            wanted.label(definition);
        }
        if let Some(target) = self.target.as_ref().filter(|target| is_here(target)) {
            wanted.label_first_within(target);
        }
        self.excerpts = wanted.read(context);
        self
    }

    /// Returns the answers that are shown with their lines.
    fn shown_answers(&self) -> impl Iterator<Item = &GraphAnswer> {
        self.answers.iter().filter(|answer| !(self.folds_tests && answer.is_test))
    }

    /// Names the answers in tests that are not shown.
    fn tests_in_words(&self) -> Option<String> {
        let tests: Vec<&GraphAnswer> =
            self.answers.iter().filter(|answer| self.folds_tests && answer.is_test).collect();
        let say = |answer: &&GraphAnswer| {
            let Definition { path, line, .. } = &answer.definition;
            let line = answer.lines.first().unwrap_or(line);
            format!("{} {path}:{line}", truncate(answer.definition.own_name(), 60))
        };
        let named: Vec<String> = tests.iter().take(NAMED_TESTS).map(say).collect();
        let more = match tests.len().saturating_sub(named.len()) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let call = self.tests_call.as_ref().filter(|_| !tests.is_empty())?;
        Some(format!(
            "{} of them in tests: {}{more}; see them: {call}",
            tests.len(),
            named.join(", ")
        ))
    }
}

impl ToolOutput for GraphOutput {
    fn observation(&self) -> ToolObservation {
        let mut footer: Vec<String> = self.candidates.iter().map(Definition::describe).collect();
        let shown: Vec<&GraphAnswer> = self.shown_answers().collect();
        let target = self.target.as_ref();
        footer.extend(calls_by_line(target, &shown));
        footer.extend(relations_by_kind(target, &shown));
        footer.extend(shown.iter().filter_map(|answer| further_lines(answer, &shown)));
        let others = shown.iter().filter(|answer| !answer.is_called_in(target));
        footer.extend(others.filter_map(|answer| relation_in_words(answer)));
        footer.extend(self.tests_in_words());
        footer.extend(self.notes.iter().cloned());
        ToolObservation {
            outcome: self.outcome,
            source: EvidenceSource::Graph,
            headline: self.headline.clone(),
            excerpts: self.excerpts.clone(),
            listing: Vec::new(),
            footer,
            explanation: None,
        }
    }
}
