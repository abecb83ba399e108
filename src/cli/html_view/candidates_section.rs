//! The candidates in the run's opening message, and the parts of their scores.

use maud::{Markup, html};
use retriever::RankedCandidate;

use super::{cited_code::CitedFiles, value_formatting::bar};

/// Parts of a score that are listed, the largest first.
const PARTS: usize = 6;

/// Returns the candidates as a table, best first.
pub(super) fn table(candidates: &[RankedCandidate], places: &CitedFiles<'_>) -> Markup {
    let best = candidates.iter().map(|candidate| candidate.score).fold(f64::MIN_POSITIVE, f64::max);
    html! {
        h2 { "Candidates" }
        div.wide.stack tabindex="0" role="region" aria-label="Candidates" { table {
            caption { "What the search found before the model was asked, in the order in which it was shown. A score is the sum of its parts." }
            thead { tr { th.number scope="col" { "#" } th scope="col" { "Place" } th.number scope="col" { "Score" } th scope="col" { "Parts" } } }
            tbody { @for (at, candidate) in candidates.iter().enumerate() {
                tr { td.number { (at + 1) } td { (place(candidate, places)) @for name in candidate.symbols.iter().take(3) { " " span.mono.soft { (name) } } }
                    td.number { (bar(candidate.score / best, &format!("{:.1}", candidate.score))) }
                    td.soft.full { (parts(candidate)) } }
            } }
        } }
    }
}

fn place(candidate: &RankedCandidate, places: &CitedFiles<'_>) -> Markup {
    let shown = match candidate.lines {
        Some((start, end)) => format!("{}:{start}-{end}", candidate.path),
        None => candidate.path.clone(),
    };
    let link = candidate.lines.and_then(|(start, _)| places.link(&candidate.path, start));
    html! { @match link { Some(link) => a.mono href=(link) { (shown) }, None => span.mono { (shown) } } }
}

fn parts(candidate: &RankedCandidate) -> Markup {
    let mut parts = candidate.parts.clone();
    parts.sort_by(|one, other| other.1.abs().total_cmp(&one.1.abs()));
    html! {
        @for (name, points) in parts.iter().take(PARTS) {
            span.part { (name.replace('_', " ")) " " (format!("{points:+.1}").replace('-', "\u{2212}")) } " "
        }
        @if parts.len() > PARTS { "and " (parts.len() - PARTS) " smaller" }
    }
}
