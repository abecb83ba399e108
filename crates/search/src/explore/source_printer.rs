//! Prints the source of an answer: clusters in their order while there is room. Free room is no reason to print more.
//!
//! Design notes. An answer aims at less than half of its ceiling; the flow may use more. Alternatives of the flow
//! reserve their full room even when they are printed as signatures, so that what a skeleton saves is not spent on
//! something else. What is off the flow has a small share of the room.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::NodeId;
use retriever_workspace::{LineRange, LineSet};

use super::{
    answer_size_limits::AnswerSizeLimits,
    exploration::{FileRenderMode, PrintedDeclaration, RenderedFile, SourceExcerpt},
    file_symbols::SymbolPlace,
    snippet::Snippet,
    snippet_clusters::{ClusterPriority, SnippetCluster, clusters, is_gap},
    symbol_table::SymbolTable,
};

/// Characters of a file's heading, and of the mark between two parts of a file.
const HEADING: usize = 160;
const GAP_MARK: usize = 4;
/// Share of a file's lines, in percent, from which on the rest of it is printed, too.
const NEARLY_WHOLE: u32 = 80;
/// Share of the ceiling that source may take; the rest is for everything else.
const SOURCE_TENTHS: usize = 7;
/// Shares of the aim, in percent: what alternatives of the flow take from the rest at most, and what the rest has in any
/// case.
const ALTERNATIVES_PERCENT: usize = 40;
const REST_PERCENT: usize = 12;

/// The source of an answer.
pub(super) struct SourcePrinter {
    pub(super) files: Vec<RenderedFile>,
    /// What is printed whole.
    pub(super) whole: BTreeSet<NodeId>,
    /// Whether something relevant did not fit.
    pub(super) left_out: bool,
}

/// Puts together the source of `snippets`. A cancelled exploration has less of it.
pub(super) fn assemble(
    symbols: &SymbolTable<'_>,
    snippets: &[Snippet],
    sizing: &AnswerSizeLimits,
) -> SourcePrinter {
    let mut page = Page {
        symbols,
        sizing,
        shares: relevance_shares(snippets),
        files: Vec::new(),
        printed: BTreeMap::new(),
        chars: 0,
        alternatives: 0,
        rest: 0,
        left_out: false,
    };
    for cluster in clusters(symbols, snippets, sizing) {
        if symbols.cancellation.is_cancelled() {
            page.left_out = true;
            break;
        }
        page.print_cluster(&cluster);
    }
    if page.files.is_empty() {
        page.print_start_of_best(snippets);
    }
    page.close_gaps();
    page.finish()
}

/// Returns the share of the answer's relevance that lies in each file.
fn relevance_shares(snippets: &[Snippet]) -> BTreeMap<&str, f64> {
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for snippet in snippets {
        *shares.entry(&snippet.place.path).or_default() += snippet.relevance;
    }
    let all: f64 = shares.values().sum::<f64>().max(f64::MIN_POSITIVE);
    shares.values_mut().for_each(|share| *share /= all);
    shares
}

/// What is printed of a file.
#[derive(Default)]
struct PrintedFile {
    lines: LineSet,
    /// Lines that take room; more than the printed ones where there are skeletons.
    counted: LineSet,
    /// Characters that count towards the file's cap: neither the flow's nor its alternatives'.
    chars: usize,
    places: Vec<SymbolPlace>,
    /// Whether anything but skeletons is printed.
    has_code: bool,
}

/// Source as it is put together.
struct Page<'a> {
    symbols: &'a SymbolTable<'a>,
    sizing: &'a AnswerSizeLimits,
    shares: BTreeMap<&'a str, f64>,
    /// Paths in the order in which they are printed.
    files: Vec<String>,
    printed: BTreeMap<String, PrintedFile>,
    chars: usize,
    /// Characters of alternatives of the flow.
    alternatives: usize,
    /// Characters of what is neither on the flow nor an alternative.
    rest: usize,
    left_out: bool,
}

impl Page<'_> {
    fn print_cluster(&mut self, cluster: &SnippetCluster<'_>) {
        let SnippetCluster { path, snippets, room, .. } = cluster;
        let parts: Vec<LineRange> = snippets.iter().flat_map(|snippet| snippet.lines()).collect();
        if self.fits(path, &parts, *room) {
            for snippet in snippets {
                self.print(snippet, &snippet.lines());
            }
            return;
        }
        for snippet in snippets {
            let whole = snippet.lines();
            if self.fits(path, &whole, *room) {
                self.print(snippet, &whole);
                continue;
            }
            self.left_out = true;
            if let Some(part) = snippet.fewer_lines()
                && self.fits(path, &part, *room)
            {
                self.print(snippet, &part);
            }
        }
    }

    /// Prints the first lines of the most relevant snippet, as many as fit an answer that is smaller than any snippet.
    fn print_start_of_best(&mut self, snippets: &[Snippet]) {
        let best = snippets.iter().max_by(|a, b| a.relevance.total_cmp(&b.relevance));
        let Some((snippet, whole)) = best.and_then(|it| Some((it, *it.lines().first()?))) else {
            return;
        };
        let parts = (whole.start()..=whole.end()).map_while(|end| {
            let part = LineRange::new(whole.start(), end)?;
            self.fits(&snippet.place.path, &[part], ClusterPriority::Flow).then_some(part)
        });
        if let Some(part) = parts.last() {
            self.print(snippet, &[part]);
        }
    }

    /// Whether more lines of a file fit its cap and the answer's.
    fn fits(&self, path: &str, parts: &[LineRange], room: ClusterPriority) -> bool {
        let known = self.printed.get(path);
        if known.is_none() && self.files.len() >= self.sizing.files {
            return false;
        }
        let chars = self.cost(path, parts);
        let of_file = known.map_or(0, |printed| printed.chars);
        let with_heading = chars + if known.is_none() { HEADING } else { 0 };
        self.chars + with_heading <= self.sizing.chars * SOURCE_TENTHS / 10
            && (room != ClusterPriority::Rest
                || (of_file + chars <= self.file_cap(path)
                    && self.rest + with_heading <= self.room_of_rest()))
    }

    /// Returns the cap of a file. One in which most of the answer lies has as much of the room.
    fn file_cap(&self, path: &str) -> usize {
        let share = self.shares.get(path).copied().unwrap_or_default();
        self.sizing.chars_per_file.max((share * self.sizing.aim as f64) as usize)
    }

    /// Returns the size that is aimed at, less what the flow and its alternatives take.
    fn room_of_rest(&self) -> usize {
        let aim = self.sizing.aim;
        let flow = self.chars - self.alternatives - self.rest;
        let alternatives = self.alternatives.min(aim * ALTERNATIVES_PERCENT / 100);
        aim.saturating_sub(flow + alternatives).max(aim * REST_PERCENT / 100)
    }

    /// Returns the characters of lines that are not printed yet.
    fn cost(&self, path: &str, parts: &[LineRange]) -> usize {
        let mut all = self.printed.get(path).map(|file| file.counted.clone()).unwrap_or_default();
        let before = self.cost_of(path, &all);
        for part in parts {
            all.insert(*part);
        }
        // To close a gap can cost less than its mark.
        self.cost_of(path, &all).saturating_sub(before)
    }

    fn cost_of(&self, path: &str, lines: &LineSet) -> usize {
        lines.runs().iter().map(|run| self.symbols.cost(path, *run) + GAP_MARK).sum()
    }

    fn print(&mut self, snippet: &Snippet, parts: &[LineRange]) {
        let path = &snippet.place.path;
        let chars = self.cost(path, parts);
        let mut with_heading = chars;
        if !self.printed.contains_key(path) {
            self.files.push(path.clone());
            with_heading += HEADING;
        }
        let file = self.printed.entry(path.clone()).or_default();
        for part in parts {
            file.counted.insert(*part);
        }
        for part in snippet.skeleton.as_deref().unwrap_or(parts) {
            file.lines.insert(*part);
        }
        self.chars += with_heading;
        match ClusterPriority::of(snippet) {
            ClusterPriority::AskedFor | ClusterPriority::First | ClusterPriority::Flow => {}
            ClusterPriority::Alternative => self.alternatives += with_heading,
            ClusterPriority::Rest => {
                file.chars += chars;
                self.rest += with_heading;
            }
        }
        file.has_code |= snippet.skeleton.is_none();
        if file.places.iter().all(|place| place.id != snippet.place.id) {
            file.places.push(snippet.place.clone());
        }
    }

    /// Prints the lines between parts of a file when they are few, and the rest of a file of which nearly all is printed.
    fn close_gaps(&mut self) {
        for path in self.files.clone() {
            for part in self.gaps(&path) {
                if self.fits(&path, &[part], ClusterPriority::Rest) {
                    let chars = self.cost(&path, &[part]);
                    self.chars += chars;
                    self.rest += chars;
                    if let Some(file) = self.printed.get_mut(&path) {
                        file.lines.insert(part);
                        file.counted.insert(part);
                        file.chars += chars;
                    }
                }
            }
        }
    }

    /// Returns the lines of a file that are printed with others if there is room.
    fn gaps(&self, path: &str) -> Vec<LineRange> {
        let Some(file) = self.printed.get(path).filter(|file| file.has_code) else {
            return Vec::new();
        };
        let between = file.lines.runs().windows(2).filter_map(|pair| {
            let (end, start) = (pair[0].end(), pair[1].start());
            let is_gap = is_gap(self.symbols, path, end, start, self.sizing.gap);
            LineRange::new(end + 1, start - 1).filter(|_| is_gap)
        });
        let mut gaps: Vec<LineRange> = between.collect();
        let lines = self.symbols.text(path).map_or(0, |file| file.line_count());
        if file.lines.len() * 100 >= lines * NEARLY_WHOLE {
            gaps.extend(LineRange::new(1, lines));
        }
        gaps
    }

    fn finish(mut self) -> SourcePrinter {
        let mut source =
            SourcePrinter { files: Vec::new(), whole: BTreeSet::new(), left_out: self.left_out };
        for path in std::mem::take(&mut self.files) {
            let Some(file) = self.printed.remove(&path) else { continue };
            let runs = file.lines.runs().iter();
            let sections: Vec<SourceExcerpt> =
                runs.filter_map(|run| self.symbols.section(&path, *run)).collect();
            if sections.is_empty() {
                continue;
            }
            let lines = self.symbols.text(&path).map_or(0, |file| file.line_count());
            let is_whole = LineRange::new(1, lines).is_some_and(|all| file.lines.contains(all));
            let mode = match (file.has_code, is_whole) {
                (false, _) => FileRenderMode::Skeleton,
                (true, true) => FileRenderMode::Full,
                (true, false) => FileRenderMode::Clusters,
            };
            let mut places = Vec::new();
            for place in file.places {
                let cut = !file.lines.contains(place.range);
                source.whole.extend(place.node.filter(|_| !cut));
                places.push(PrintedDeclaration {
                    id: place.id,
                    kind: place.kind,
                    name: place.name,
                    start: place.range.start(),
                    end: place.range.end(),
                    cut,
                });
            }
            source.files.push(RenderedFile { path, mode, sections, places });
        }
        source
    }
}
