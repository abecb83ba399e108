//! Puts source together: relevant declarations of a file that lie close to each other become clusters, clusters are taken
//! by what they are worth for their size, and nothing is taken only because there is room.

use std::collections::{BTreeMap, BTreeSet};

use crate::explore::{
    exploration::{FileView, Mode, Printed, Section},
    sizing::Sizing,
    snippet::Snippet,
    symbol_table::{Place, SymbolTable},
};
use retriever_graph::NodeId;
use retriever_workspace::{LineRange, LineSet};

/// Characters of a file's heading.
const HEADING: usize = 160;
/// Share of a file's lines, in percent, from which on the rest of it is printed, too.
const NEARLY_WHOLE: u32 = 80;
/// Characters at which a cluster's worth is halved (tune).
const HALVED: f64 = 8_000.0;
/// What a cluster gains that is among the first places.
const CENTRAL: f64 = 0.15;
/// What is left of the worth of a declaration that is printed in part.
const IN_PART: f64 = 0.7;

/// What alternatives of the flow take of the room of everything else, in percent of what is aimed at.
const BESIDE_PERCENT: usize = 40;
/// What everything else has in any case, in percent of what is aimed at.
const REST_PERCENT: usize = 12;

/// The source of an answer.
pub(super) struct Source {
    pub(super) files: Vec<FileView>,
    /// What is printed whole.
    pub(super) whole: BTreeSet<NodeId>,
    /// Whether something relevant didn't fit.
    pub(super) left_out: bool,
}

/// Units of one file that are printed together.
struct Cluster<'a> {
    path: &'a str,
    units: Vec<&'a Snippet>,
    /// Clusters with more come first.
    order: f64,
    room: Room,
}

/// Which room a cluster may use; also the order in which clusters are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Room {
    /// On the flow, when that is no guess.
    Flow,
    /// Could stand in the flow: counted apart, so that it takes little from the rest.
    Beside,
    /// Everything else.
    Rest,
}

impl Room {
    fn of(unit: &Snippet) -> Self {
        match (unit.leads, unit.beside_spine) {
            (true, _) => Self::Flow,
            (_, true) => Self::Beside,
            _ => Self::Rest,
        }
    }
}

/// What is taken of a file.
#[derive(Default)]
struct Taken {
    lines: LineSet,
    /// Lines that count; more than the printed ones where there are skeletons.
    counted: LineSet,
    /// Characters that count towards the file's cap: neither the flow's nor its alternatives'.
    chars: usize,
    places: Vec<Place>,
    full: bool,
}

/// Puts together the source of `units`, which are in the order of the flow first, then best first.
pub(super) fn assemble<'a>(
    atlas: &'a SymbolTable<'a>,
    units: &'a [Snippet],
    sizing: &'a Sizing,
) -> Source {
    let mut page = Page {
        atlas,
        sizing,
        shares: shares(units),
        files: Vec::new(),
        taken: BTreeMap::new(),
        chars: 0,
        beside: 0,
        rest: 0,
        left_out: false,
    };
    for cluster in clusters(atlas, units, sizing) {
        page.take(&cluster);
    }
    page.close_gaps();
    page.finish()
}

/// Groups the units of each file that no other declaration separates, in the order in which they are to be taken.
fn clusters<'a>(
    atlas: &SymbolTable<'_>,
    units: &'a [Snippet],
    sizing: &Sizing,
) -> Vec<Cluster<'a>> {
    let mut by_path: BTreeMap<&str, Vec<&Snippet>> = BTreeMap::new();
    for unit in units {
        by_path.entry(&unit.place.path).or_default().push(unit);
    }
    let mut clusters: Vec<Cluster<'a>> = Vec::new();
    for (path, mut units) in by_path {
        units.sort_by_key(|unit| (unit.place.range, unit.place.line));
        let mut open: Vec<&Snippet> = Vec::new();
        for unit in units {
            let apart = open.last().is_some_and(|last| {
                Room::of(last) != Room::of(unit)
                    || !is_gap(
                        atlas,
                        path,
                        last.place.range.end(),
                        unit.place.range.start(),
                        sizing,
                    )
            });
            if apart {
                clusters.push(cluster(atlas, path, &open));
                open.clear();
            }
            open.push(unit);
        }
        if !open.is_empty() {
            clusters.push(cluster(atlas, path, &open));
        }
    }
    clusters.sort_by(|a, b| {
        a.room
            .cmp(&b.room)
            .then_with(|| b.order.total_cmp(&a.order))
            .then_with(|| a.path.cmp(b.path))
    });
    clusters
}

fn cluster<'a>(atlas: &SymbolTable<'_>, path: &'a str, units: &[&'a Snippet]) -> Cluster<'a> {
    let chars: usize =
        units.iter().flat_map(|unit| unit.lines()).map(|range| atlas.cost(path, range)).sum();
    let worth = |unit: &&Snippet| if unit.is_whole() { unit.worth } else { IN_PART * unit.worth };
    let best = units.iter().map(worth).fold(0.0, f64::max);
    let all: f64 = units.iter().map(worth).sum();
    let size = f64::from(u32::try_from(chars).unwrap_or(u32::MAX));
    let room = units.first().map_or(Room::Rest, |unit| Room::of(unit));
    // The flow is wanted whatever its size; the rest by what it is worth for its size.
    let central = if units.iter().any(|unit| unit.central) { CENTRAL } else { 0.0 };
    let order = if room == Room::Flow {
        best
    } else {
        let lift = units.iter().map(|unit| unit.lift).fold(0.0, f64::max);
        central + lift + (best + 0.1 * (all - best)) / (1.0 + size / HALVED)
    };
    let mut units: Vec<&Snippet> = units.to_vec();
    units.sort_by(|a, b| b.worth.total_cmp(&a.worth));
    Cluster { path, units, order, room }
}

/// Whether the lines between two relevant parts may be printed with them: few, and no other declaration among them.
fn is_gap(atlas: &SymbolTable<'_>, path: &str, end: u32, start: u32, sizing: &Sizing) -> bool {
    if start <= end.saturating_add(1) {
        return true;
    }
    let Some(between) = LineRange::new(end + 1, start - 1) else { return true };
    between.width() <= sizing.gap && !atlas.declares(path, between)
}

/// The share of the answer's worth that lies in each file.
fn shares(units: &[Snippet]) -> BTreeMap<&str, f64> {
    let mut shares: BTreeMap<&str, f64> = BTreeMap::new();
    for unit in units {
        *shares.entry(&unit.place.path).or_default() += unit.worth;
    }
    let all: f64 = shares.values().sum::<f64>().max(f64::MIN_POSITIVE);
    shares.values_mut().for_each(|share| *share /= all);
    shares
}

/// An answer's source in the making.
struct Page<'a> {
    atlas: &'a SymbolTable<'a>,
    sizing: &'a Sizing,
    shares: BTreeMap<&'a str, f64>,
    files: Vec<String>,
    taken: BTreeMap<String, Taken>,
    chars: usize,
    /// Characters of those that could stand in the flow.
    beside: usize,
    /// Characters of what has nothing to do with it.
    rest: usize,
    left_out: bool,
}

impl Page<'_> {
    fn take(&mut self, cluster: &Cluster<'_>) {
        let parts: Vec<LineRange> = cluster.units.iter().flat_map(|unit| unit.lines()).collect();
        if self.fits(cluster.path, &parts, cluster.room) {
            for unit in &cluster.units {
                self.print(unit, &unit.lines());
            }
            return;
        }
        for unit in &cluster.units {
            let whole = unit.lines();
            if self.fits(cluster.path, &whole, cluster.room) {
                self.print(unit, &whole);
                continue;
            }
            self.left_out = true;
            if let Some(part) = unit.fewer_lines()
                && self.fits(cluster.path, &part, cluster.room)
            {
                self.print(unit, &part);
            }
        }
    }

    /// Whether more lines of a file fit its cap and the answer's. What the flow passes, or might, may use more than what is
    /// aimed at.
    fn fits(&self, path: &str, parts: &[LineRange], room: Room) -> bool {
        let known = self.taken.get(path);
        if known.is_none() && self.files.len() >= self.sizing.files {
            return false;
        }
        let more = self.cost(path, parts);
        let used = known.map_or(0, |taken| taken.chars);
        let more_in_all = more + if known.is_none() { HEADING } else { 0 };
        self.chars + more_in_all <= self.sizing.chars * 7 / 10
            && (room != Room::Rest
                || (used + more <= self.most_of(path)
                    && self.rest + more_in_all <= self.room_of_rest()))
    }

    /// The cap of a file: one in which most of the answer lies has as much of the room.
    fn most_of(&self, path: &str) -> usize {
        let share = self.shares.get(path).copied().unwrap_or_default();
        self.sizing.chars_per_file.max((share * self.sizing.aim as f64) as usize)
    }

    /// What is aimed at, less the flow and what could stand in it. Alternatives take the same as signatures as they do in
    /// full, so that nothing else is printed for what a skeleton saves.
    fn room_of_rest(&self) -> usize {
        let aim = self.sizing.aim;
        let flow = self.chars - self.beside - self.rest;
        let beside = self.beside.min(aim * BESIDE_PERCENT / 100);
        aim.saturating_sub(flow + beside).max(aim * REST_PERCENT / 100)
    }

    /// Characters of the lines that aren't taken yet.
    fn cost(&self, path: &str, parts: &[LineRange]) -> usize {
        let mut all = self.taken.get(path).map(|taken| taken.counted.clone()).unwrap_or_default();
        let before = self.cost_of(path, &all);
        for part in parts {
            all.insert(*part);
        }
        // Closing a gap can cost less than the mark that it had.
        self.cost_of(path, &all).saturating_sub(before)
    }

    fn cost_of(&self, path: &str, lines: &LineSet) -> usize {
        lines.runs().iter().map(|run| self.atlas.cost(path, *run) + 4).sum()
    }

    fn print(&mut self, unit: &Snippet, parts: &[LineRange]) {
        let path = &unit.place.path;
        let more = self.cost(path, parts);
        let mut more_in_all = more;
        if !self.taken.contains_key(path) {
            self.files.push(path.clone());
            more_in_all += HEADING;
        }
        let taken = self.taken.entry(path.clone()).or_default();
        for part in parts {
            taken.counted.insert(*part);
        }
        for part in unit.skeleton.as_deref().unwrap_or(parts) {
            taken.lines.insert(*part);
        }
        self.chars += more_in_all;
        match Room::of(unit) {
            Room::Flow => {}
            Room::Beside => self.beside += more_in_all,
            Room::Rest => {
                taken.chars += more;
                self.rest += more_in_all;
            }
        }
        taken.full |= unit.skeleton.is_none();
        if taken.places.iter().all(|place| place.id != unit.place.id) {
            taken.places.push(unit.place.clone());
        }
    }

    /// Prints what lies between parts of a file when it is little, and the rest of a file of which nearly all is printed.
    fn close_gaps(&mut self) {
        for path in self.files.clone() {
            let Some(taken) = self.taken.get(&path) else { continue };
            if !taken.full {
                continue;
            }
            let runs = taken.lines.runs().to_vec();
            let between = runs.windows(2).filter_map(|pair| {
                let (end, start) = (pair[0].end(), pair[1].start());
                let gap = is_gap(self.atlas, &path, end, start, self.sizing);
                LineRange::new(end + 1, start - 1).filter(|_| gap)
            });
            let mut more: Vec<LineRange> = between.collect();
            let lines = self.atlas.text(&path).map_or(0, |file| file.line_count());
            if taken.lines.len() * 100 >= lines * NEARLY_WHOLE {
                more.extend(LineRange::new(1, lines));
            }
            for part in more {
                if self.fits(&path, &[part], Room::Rest) {
                    let cost = self.cost(&path, &[part]);
                    self.chars += cost;
                    self.rest += cost;
                    if let Some(taken) = self.taken.get_mut(&path) {
                        taken.lines.insert(part);
                        taken.counted.insert(part);
                        taken.chars += cost;
                    }
                }
            }
        }
    }

    fn finish(mut self) -> Source {
        let mut source =
            Source { files: Vec::new(), whole: BTreeSet::new(), left_out: self.left_out };
        for path in &self.files {
            let Some(taken) = self.taken.remove(path) else { continue };
            let sections: Vec<Section> = taken
                .lines
                .runs()
                .iter()
                .filter_map(|run| self.atlas.section(path, *run))
                .collect();
            if sections.is_empty() {
                continue;
            }
            let lines = self.atlas.text(path).map_or(0, |file| file.line_count());
            let whole = LineRange::new(1, lines).is_some_and(|all| taken.lines.contains(all));
            let mode = match (taken.full, whole) {
                (false, _) => Mode::Skeleton,
                (true, true) => Mode::Full,
                (true, false) => Mode::Clusters,
            };
            let mut places = Vec::new();
            for place in taken.places {
                let cut = !taken.lines.contains(place.range);
                source.whole.extend(place.node.filter(|_| !cut));
                places.push(Printed {
                    id: place.id,
                    kind: place.kind,
                    name: place.name,
                    start: place.range.start(),
                    end: place.range.end(),
                    cut,
                });
            }
            source.files.push(FileView { path: path.clone(), mode, sections, places });
        }
        source
    }
}
