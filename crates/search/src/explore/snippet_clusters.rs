//! Clusters: snippets of a file that no other declaration separates, in the order in which they are printed.

use std::collections::BTreeMap;

use super::{answer_size_limits::AnswerSizeLimits, snippet::Snippet, symbol_table::SymbolTable};
use retriever_workspace::LineRange;

/// Characters at which the density of a cluster is halved.
const HALVED: f64 = 8_000.0;
/// What a cluster gains that is among the first results, and the share that further snippets add to the best.
const CENTRAL: f64 = 0.15;
const FURTHER: f64 = 0.1;
/// What is left of the relevance of a declaration that is printed in part.
const IN_PART: f64 = 0.7;

/// Snippets of one file that are printed together.
pub(super) struct SnippetCluster<'a> {
    pub(super) path: &'a str,
    /// Most relevant first.
    pub(super) snippets: Vec<&'a Snippet>,
    pub(super) room: ClusterPriority,
    /// Clusters with more come first.
    order: f64,
}

/// The room that a cluster may use; also the order in which clusters are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum ClusterPriority {
    /// The declaration whose name is all that is asked for.
    AskedFor,
    /// The first result.
    First,
    /// On a relevant spine.
    Flow,
    /// An alternative to what is on the spine; counted apart, so that it takes little from the rest.
    Alternative,
    /// Everything else.
    Rest,
}

impl ClusterPriority {
    pub(super) fn of(snippet: &Snippet) -> Self {
        match snippet {
            Snippet { is_asked_for: true, .. } => Self::AskedFor,
            Snippet { is_reserved: true, .. } => Self::Flow,
            Snippet { is_first: true, .. } => Self::First,
            Snippet { is_alternative: true, .. } => Self::Alternative,
            _ => Self::Rest,
        }
    }
}

/// Returns the clusters of `snippets`, in the order in which they are printed.
pub(super) fn clusters<'a>(
    symbols: &SymbolTable<'_>,
    snippets: &'a [Snippet],
    sizing: &AnswerSizeLimits,
) -> Vec<SnippetCluster<'a>> {
    let mut by_path: BTreeMap<&str, Vec<&Snippet>> = BTreeMap::new();
    for snippet in snippets {
        by_path.entry(&snippet.place.path).or_default().push(snippet);
    }
    let mut clusters: Vec<SnippetCluster<'a>> = Vec::new();
    for (path, mut snippets) in by_path {
        snippets.sort_by_key(|snippet| (snippet.place.range, snippet.place.line));
        let belong_together = |one: &&Snippet, other: &&Snippet| {
            let (end, start) = (one.place.range.end(), other.place.range.start());
            ClusterPriority::of(one) == ClusterPriority::of(other)
                && is_gap(symbols, path, end, start, sizing.gap)
        };
        let groups = snippets.chunk_by(belong_together);
        clusters.extend(groups.map(|group| cluster(symbols, path, group)));
    }
    clusters.sort_by(|a, b| {
        a.room
            .cmp(&b.room)
            .then_with(|| b.order.total_cmp(&a.order))
            .then_with(|| a.path.cmp(b.path))
    });
    clusters
}

fn cluster<'a>(
    symbols: &SymbolTable<'_>,
    path: &'a str,
    snippets: &[&'a Snippet],
) -> SnippetCluster<'a> {
    let lines = snippets.iter().flat_map(|snippet| snippet.lines());
    let chars: usize = lines.map(|range| symbols.cost(path, range)).sum();
    let relevance = |snippet: &&Snippet| {
        if snippet.is_whole() { snippet.relevance } else { IN_PART * snippet.relevance }
    };
    let best = snippets.iter().map(relevance).fold(0.0, f64::max);
    let all: f64 = snippets.iter().map(relevance).sum();
    let size = f64::from(u32::try_from(chars).unwrap_or(u32::MAX));
    let room =
        snippets.first().map_or(ClusterPriority::Rest, |snippet| ClusterPriority::of(snippet));
    // The flow is printed whatever its size; the rest by its relevance for its size.
    let order = if room == ClusterPriority::Flow {
        best
    } else {
        let is_central = snippets.iter().any(|snippet| snippet.is_central);
        let central = if is_central { CENTRAL } else { 0.0 };
        let lift = snippets.iter().map(|snippet| snippet.lift).fold(0.0, f64::max);
        central + lift + (best + FURTHER * (all - best)) / (1.0 + size / HALVED)
    };
    let mut snippets: Vec<&Snippet> = snippets.to_vec();
    snippets.sort_by(|a, b| b.relevance.total_cmp(&a.relevance));
    SnippetCluster { path, snippets, room, order }
}

/// Whether the lines between two printed parts of a file may be printed, too: they are few, and declare nothing.
pub(super) fn is_gap(
    symbols: &SymbolTable<'_>,
    path: &str,
    end: u32,
    start: u32,
    max_lines: u32,
) -> bool {
    if start <= end.saturating_add(1) {
        return true;
    }
    let Some(between) = LineRange::new(end + 1, start - 1) else { return true };
    between.width() <= max_lines && !symbols.declares(path, between)
}
