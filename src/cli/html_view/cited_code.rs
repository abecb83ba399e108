//! The code that a map cites: each line once, with an anchor for the links of statements, diagrams and candidates.

use maud::{Markup, html};
use retriever::{
    CodeMap,
    report::Place,
    workspace::{LineRange, LineSet},
};
use retriever_page::SyntaxHighlighter;

/// The files that a map cites, in the order of its places, and the lines of each.
pub(super) struct CitedFiles<'a> {
    files: Vec<(&'a str, LineSet)>,
}

impl<'a> CitedFiles<'a> {
    /// Collects the places of `map`.
    pub(super) fn of(map: &'a CodeMap) -> Self {
        let mut files: Vec<(&'a str, LineSet)> = Vec::new();
        let known = map.known.iter().map(|known| &known.place);
        for place in map.places().chain(known) {
            let Some(range) = place.range() else { continue };
            let at = files.iter().position(|(path, _)| *path == place.path).unwrap_or_else(|| {
                files.push((&place.path, LineSet::new()));
                files.len() - 1
            });
            files[at].1.insert(range);
        }
        Self { files }
    }

    /// Returns the anchor of a line, if the page contains it.
    pub(super) fn link(&self, path: &str, line: u32) -> Option<String> {
        let at = self.files.iter().position(|(known, _)| *known == path)?;
        let is_shown = LineRange::line(line).is_some_and(|line| self.files[at].1.contains(line));
        is_shown.then(|| format!("#f{}-{line}", at + 1))
    }

    /// Returns a place as a link to its code.
    pub(super) fn reference(&self, place: &Place) -> Markup {
        let text = format!("{}:{}-{}", place.path, place.start, place.end);
        html! {
            @match self.link(&place.path, place.start) {
                Some(link) => a.mono href=(link) { (text) },
                None => span.mono { (text) },
            }
        }
    }

    /// Returns the code of all files.
    pub(super) fn code(&self, read: &dyn Fn(&str, LineRange) -> Option<Vec<String>>) -> Markup {
        let highlighter = SyntaxHighlighter::new();
        html! {
            h2 { "Code" }
            @if self.files.is_empty() { p.soft { "The map cites no lines." } }
            @else { p.soft { "The lines that the map cites, read from disk when this page was made." } }
            @for (at, (path, lines)) in self.files.iter().enumerate() {
                h3.mono { (path) }
                pre.code tabindex="0" role="region" aria-label={ "Code of " (path) } {
                    @for (number, range) in lines.runs().iter().enumerate() {
                        @if number > 0 { div.gap { "⋮" } }
                        @match read(path, *range) {
                            Some(text) => @for (line, shown) in (range.start()..).zip(highlighter.lines(path, &text)) {
                                span.l id={ "f" (at + 1) "-" (line) } data-n=(line) { (shown) "\n" }
                            },
                            None => div.gap { "lines " (range) " cannot be read any more" },
                        }
                    }
                }
            }
        }
    }
}
