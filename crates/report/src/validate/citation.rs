//! A citation: lines that passed the reference checks, and what the ledger holds of them.

use super::validation_input::ValidationContext;
use crate::{
    code_map::Place,
    evidence_ledger::FileEvidence,
    prose_normalization::{single_line, truncate},
    validation_reason_parts::ReasonSubject,
};
use retriever_search::{Declaration, code_lines};
use retriever_workspace::{LineRange, RepoPath};

/// Lines of a file that were delivered from its current content.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Citation {
    pub(super) path: RepoPath,
    pub(super) range: LineRange,
}

impl Citation {
    /// Returns the place as a map has it.
    pub(super) fn place(&self) -> Place {
        Place::new(self.path.as_str(), self.range)
    }

    /// Returns what was delivered of the file.
    pub(super) fn file<'a>(&self, context: &ValidationContext<'a>) -> Option<&'a FileEvidence> {
        context.ledger.file(&self.path)
    }

    /// Returns the delivered text of the cited lines.
    pub(super) fn text(&self, context: &ValidationContext<'_>) -> String {
        let mut text = String::new();
        if let Some(file) = self.file(context) {
            for (_, line) in file.lines_in(self.range) {
                text.push_str(line);
                text.push('\n');
            }
        }
        text
    }

    /// Returns the delivered text of the cited lines without those that are comments.
    pub(super) fn code(&self, context: &ValidationContext<'_>) -> String {
        code_lines(self.path.extension(), &self.text(context))
    }

    /// Returns the names that the cited lines declare, and that of the innermost declaration around them.
    pub(super) fn own_names<'a>(&self, context: &ValidationContext<'a>) -> Vec<&'a str> {
        let declared = || self.declarations(context);
        let inner = declared().filter(|it| self.range.contains(it.range.start()));
        let around = declared().filter(|it| it.range.covers(self.range));
        let around = around.min_by_key(|it| it.range.width());
        inner.chain(around).map(|declaration| declaration.name.as_str()).collect()
    }

    /// Returns the innermost function around the cited lines.
    pub(super) fn function_around(&self, context: &ValidationContext<'_>) -> Option<Self> {
        let functions = self.declarations(context).filter(|it| it.is_function());
        let around = functions.filter(|it| it.range.covers(self.range) && it.range != self.range);
        let innermost = around.min_by_key(|it| it.range.width())?;
        Some(Self { path: self.path.clone(), range: innermost.range })
    }

    /// Returns the names of the declarations around the cited lines.
    pub(super) fn names_around<'a>(
        &self,
        context: &ValidationContext<'a>,
    ) -> impl Iterator<Item = &'a str> {
        let around = self.declarations(context).filter(move |it| it.range.covers(self.range));
        around.map(|declaration| declaration.name.as_str())
    }

    /// Returns the declarations of the file, as the syntax and what was delivered show them.
    fn declarations<'a>(
        &self,
        context: &ValidationContext<'a>,
    ) -> impl Iterator<Item = &'a Declaration> {
        let of_syntax = context.structures.get(&self.path).into_iter();
        let of_syntax = of_syntax.flat_map(|structure| &structure.declarations);
        of_syntax.chain(self.file(context).into_iter().flat_map(|file| &file.declarations))
    }

    /// Whether the two share a line.
    pub(super) fn overlaps(&self, other: &Self) -> bool {
        self.path == other.path && self.range.overlaps(other.range)
    }

    /// Whether all lines of `other` are cited here.
    pub(super) fn covers(&self, other: &Self) -> bool {
        self.path == other.path && self.range.covers(other.range)
    }

    /// Whether the file is a test, support, generated, vendored or documentation file and the question does not ask for
    /// that kind of file, nor for a name that it declares here.
    pub(super) fn is_secondary(&self, context: &ValidationContext<'_>) -> bool {
        let Some(file) = self.file(context) else { return false };
        context.scope.excludes(&file.version.traits)
            && !self.is_hinted(context)
            && !self.declared_names(context).iter().any(|name| context.scope.is_name(name))
    }

    /// Whether the question's hints name the file or a folder above it.
    fn is_hinted(&self, context: &ValidationContext<'_>) -> bool {
        context.question.hints.iter().any(|hint| {
            RepoPath::parse(hint, context.root)
                .is_ok_and(|hint| hint != RepoPath::root() && self.path.is_within(&hint))
        })
    }

    /// Returns the names of the declarations that overlap the cited lines and whose first line was delivered, outer ones
    /// first.
    pub(super) fn declared_names<'a>(&self, context: &ValidationContext<'a>) -> Vec<&'a str> {
        let Some(file) = self.file(context) else { return Vec::new() };
        file.declarations
            .iter()
            .filter(|declaration| declaration.range.overlaps(self.range))
            .filter(|declaration| {
                LineRange::line(declaration.range.start())
                    .is_some_and(|line| file.delivered.contains(line))
            })
            .map(|declaration| declaration.name.as_str())
            .collect()
    }
}

/// Whether one of `refs` has this line.
pub(super) fn cites_line(refs: &[Citation], path: &RepoPath, line: u32) -> bool {
    refs.iter().any(|own| own.path == *path && own.range.contains(line))
}

/// Whether one of `refs` shares a line with `range`.
pub(super) fn cites_part(refs: &[Citation], path: &RepoPath, range: LineRange) -> bool {
    refs.iter().any(|own| own.path == *path && own.range.overlaps(range))
}

/// Returns a text of a model for use in a message: one short line.
pub(super) fn shown(text: &str) -> String {
    truncate(&single_line(text), 80)
}

/// Returns the place of a reference as what a reason is about.
pub(super) fn place_cited(reference: &str) -> ReasonSubject {
    ReasonSubject::Reference(shown(reference))
}

/// Returns the reason or the purpose of a place as what a reason is about.
pub(super) fn text_of_place(field: &'static str, reference: &str) -> ReasonSubject {
    ReasonSubject::TextOfPlace { field, reference: shown(reference) }
}
