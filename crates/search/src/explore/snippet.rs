//! The parts that source is put together from: a relevant declaration and the lines of it that are to be printed. Whole ones,
//! the start of long ones, the call sites of long ones that the flow passes, and signatures of interchangeable ones.

use std::collections::{BTreeMap, BTreeSet};

use crate::explore::{
    sibling_groups::{GroupKey, SiblingGroups},
    spine::Spine,
    symbol_table::{Place, SymbolTable},
};
use retriever_graph::{EdgeKind, NodeId};
use retriever_workspace::LineRange;

/// Lines from which on a declaration is printed in part, and the lines of its start that are printed then.
const LONG: u32 = 80;
const PREVIEW: u32 = 20;
/// The same for what the flow passes, or might.
const LONG_ON_FLOW: u32 = 160;
/// Lines of the start and around a call site, of a long declaration that the flow passes: they say where it goes on, and no more
/// of them would make it whole.
const HEAD: u32 = 2;
const SITE: u32 = 4;
/// Members of a skeleton, and the lines up to which a definition is no longer than its own.
const MEMBERS: usize = 24;
const BRIEF: u32 = 5;

/// A relevant declaration.
#[derive(Clone, Debug)]
pub(super) struct Snippet {
    pub(super) place: Place,
    /// How well it fits beside the best, 0 to 1.
    pub(super) worth: f64,
    pub(super) on_spine: bool,
    /// Whether it has room of its own: the flow that passes it says enough of the question not to be a guess.
    pub(super) leads: bool,
    /// Whether it matters whether or not the flow passes it: it is among the first, or the query names it.
    pub(super) central: bool,
    /// Whether it could stand in the flow in the place of what does.
    pub(super) beside_spine: bool,
    /// What it gains over others off the flow by being near it.
    pub(super) lift: f64,
    /// The line of it from which the flow goes on.
    pub(super) site: Option<u32>,
    /// The line that names the type it belongs to.
    pub(super) heading: Option<LineRange>,
    /// Its signatures, when these are all that is printed.
    pub(super) skeleton: Option<Vec<LineRange>>,
}

impl Snippet {
    /// Returns a unit off the flow.
    pub(super) fn new(atlas: &SymbolTable<'_>, place: Place, worth: f64) -> Self {
        let owner = place.node.and_then(|node| atlas.owner(node));
        let owner = owner.and_then(|owner| atlas.graph.node(owner));
        let owner = owner.filter(|owner| owner.path == place.path);
        let heading = owner.and_then(|owner| LineRange::line(owner.name_line));
        Self {
            place,
            worth,
            on_spine: false,
            leads: false,
            central: false,
            beside_spine: false,
            lift: 0.0,
            site: None,
            heading,
            skeleton: None,
        }
    }

    /// Whether all of its lines are worth their room.
    pub(super) fn is_whole(&self) -> bool {
        let long = if self.on_spine || self.beside_spine { LONG_ON_FLOW } else { LONG };
        self.place.range.width() <= long
    }

    /// The lines that are worth their room. What a skeleton saves is saved and not spent on something else, so that they
    /// are the same for one.
    pub(super) fn lines(&self) -> Vec<LineRange> {
        let mut lines = if self.is_whole() {
            vec![self.place.range]
        } else {
            self.fewer_lines().unwrap_or_default()
        };
        lines.extend(self.heading);
        lines
    }

    /// Those when there is less room; `None` when nothing less makes sense.
    pub(super) fn fewer_lines(&self) -> Option<Vec<LineRange>> {
        let range = self.place.range;
        if range.width() <= PREVIEW {
            return None;
        }
        match self.site {
            Some(site) if self.on_spine => {
                let head = LineRange::new(range.start(), range.start() + HEAD - 1);
                let around = LineRange::new(site.saturating_sub(SITE).max(1), site + SITE);
                let parts = [head, around].into_iter().flatten();
                Some(parts.filter_map(|part| part.intersect(range)).collect())
            }
            _ => Some(self.preview()),
        }
    }

    /// The signature and what follows it.
    fn preview(&self) -> Vec<LineRange> {
        let range = self.place.range;
        let end = (self.place.line.max(range.start()) + PREVIEW).min(range.end());
        LineRange::new(range.start(), end).into_iter().collect()
    }
}

/// About how many lines are printed of a function of so many that the flow passes.
pub(super) fn lines_on_flow(lines: u32) -> u32 {
    if lines <= LONG_ON_FLOW { lines } else { HEAD + 2 * SITE }
}

/// Turns what is off the flow and interchangeable into signatures. Without a flow nothing is: there is no telling what the
/// answer hangs on.
pub(super) fn skeletonize(
    units: &mut [Snippet],
    atlas: &SymbolTable<'_>,
    families: &SiblingGroups<'_>,
    spine: &Spine,
) {
    if spine.is_empty() {
        return;
    }
    let on_spine: BTreeSet<NodeId> = spine
        .nodes()
        .into_iter()
        .flat_map(|node| [Some(node), atlas.owner(node)])
        .flatten()
        .collect();
    let mut siblings: BTreeMap<usize, (NodeId, GroupKey)> = BTreeMap::new();
    let mut exemplars: BTreeMap<GroupKey, NodeId> = BTreeMap::new();
    for (at, unit) in units.iter().enumerate() {
        let is_off = !unit.on_spine && unit.place.range.width() > BRIEF;
        let Some(node) = unit.place.node.filter(|_| is_off) else { continue };
        let Some((member, family)) = families.of(node) else { continue };
        if on_spine.contains(&member) || !stands_for_its_type(atlas, node, member, family.tie) {
            continue;
        }
        siblings.insert(at, (member, family.tie));
        // Units come best first: the first sibling is the example when none is on the flow.
        if !family.members.iter().any(|other| on_spine.contains(other)) {
            exemplars.entry(family.tie).or_insert(member);
        }
    }
    let mut lines_of: BTreeMap<NodeId, u32> = BTreeMap::new();
    for (at, (member, _)) in &siblings {
        *lines_of.entry(*member).or_default() += units[*at].place.range.width();
    }
    let mut drawn: BTreeSet<NodeId> = BTreeSet::new();
    for (at, (member, tie)) in siblings {
        // Of a large type of which little is relevant, that is shorter than its signatures.
        let signatures = signatures(atlas, member, tie);
        let is_shorter = signatures.len() < lines_of[&member] as usize;
        if is_shorter && exemplars.get(&tie) != Some(&member) {
            // A type is drawn once, however many of its members are relevant.
            let lines = if drawn.insert(member) { signatures } else { Vec::new() };
            units[at].skeleton = Some(lines);
        }
    }
}

/// Whether a member is part of what makes its type interchangeable: the type itself, what its supertype asks for, and what
/// only serves these.
fn stands_for_its_type(
    atlas: &SymbolTable<'_>,
    node: NodeId,
    member: NodeId,
    tie: GroupKey,
) -> bool {
    let GroupKey::Supertype(above) = tie else { return true };
    if node == member {
        return true;
    }
    let Some(known) = atlas.graph.node(node) else { return false };
    known.is_private || functions(atlas, above).any(|(name, _)| name == known.name)
}

/// The lines that name a type and what its supertype asks it for, or all of its functions where that isn't known; of a
/// function the line that names it. What only serves these says nothing about why the type can stand for another.
fn signatures(atlas: &SymbolTable<'_>, node: NodeId, tie: GroupKey) -> Vec<LineRange> {
    let asked: BTreeSet<&str> = match tie {
        GroupKey::Supertype(above) => functions(atlas, above).map(|(name, _)| name).collect(),
        GroupKey::Registry(_) => BTreeSet::new(),
    };
    let is_asked = |name: &str| asked.contains(name);
    let any_asked = functions(atlas, node).any(|(name, _)| is_asked(name));
    let members = functions(atlas, node).filter(|(name, _)| !any_asked || is_asked(name));
    let mut lines: BTreeSet<u32> = members.map(|(_, line)| line).take(MEMBERS).collect();
    lines.extend(atlas.graph.heading(node).map(|node| node.name_line));
    lines.into_iter().filter_map(LineRange::line).collect()
}

/// The functions of a type, by name and the line that has it.
fn functions<'a>(atlas: &'a SymbolTable<'_>, of: NodeId) -> impl Iterator<Item = (&'a str, u32)> {
    let members = atlas.graph.incoming(of).iter().filter(|edge| edge.kind == EdgeKind::Parent);
    members
        .filter(|edge| atlas.is_function(edge.from))
        .filter_map(|edge| atlas.graph.heading(edge.from))
        .map(|member| (member.name, member.name_line))
}
