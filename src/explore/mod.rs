//! Source sized to a query, without a model: ranked places become code, no more than the answer needs and never more than a
//! ceiling. Ranking is recon's work; here it is decided what of the ranked places is printed, how much of each, and what
//! stands beside it.

mod anchors;
mod assemble;
mod atlas;
mod context;
mod exploration;
mod family;
mod fit;
mod id;
mod neighbours;
mod relations;
mod render;
mod sizing;
mod spine;
mod unit;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::atomic::AtomicBool,
};

pub(crate) use self::context::context;
use self::{
    anchors::anchors,
    assemble::assemble,
    atlas::{Atlas, Place, one_line},
    family::Families,
    neighbours::neighbours,
    relations::Around,
    spine::{Anchor, Spine, spine},
    unit::{Unit, skeletonize},
};
pub use self::{
    context::ContextError,
    exploration::{
        Context, Detail, Exploration, FileView, FlowStep, Hints, Mode, Neighbour, Printed, Ranked,
        Related, Section, VERSION,
    },
    render::{Form, context_text, text},
    sizing::Sizing,
};
use crate::{
    config::ExploreConfig,
    graph::{NodeId, View},
    question::Question,
    recon::{self, Candidate, Reading, RoleCues, Survey, TermForm, Words},
    workspace::{Walk, Workspace},
};

/// Related items of each kind, unless the caller wants another number.
pub const DEPTH: u32 = 5;
/// Smallest budget: below it there is no room for an answer.
pub const SMALLEST_BUDGET: usize = 1_000;
/// Longest query, in bytes: a pasted log fits, a pasted repository doesn't.
const QUERY_BYTES: usize = 64 * 1024;
/// Characters of a query that are repeated.
const QUERY_CHARS: usize = 300;
/// What a place must be worth beside the best for its source to be printed (tune).
const RELEVANT: f64 = 0.5;
/// What a place must be worth beside the best for what it calls to be looked at.
const CENTRAL: f64 = 0.85;
/// What a function that the query names is worth at least.
const NAMED_WORTH: f64 = 0.9;
/// What is left of a place's worth when it has nothing to do with the flow.
const UNTIED: f64 = 0.7;
/// What a function of the flow is worth at least.
const FLOW_WORTH: f64 = 0.8;
/// How many words a question must have to be judged by how many of them a place has, which of them count, and the places
/// that are looked at.
const JUDGED_WORDS: std::ops::RangeInclusive<usize> = 3..=12;
const FULL_WEIGHT: f64 = 0.5;
const JUDGED_PLACES: usize = 8;
/// Results whose callers and callees are listed.
const EXPANDED: usize = 3;

/// How an exploration is wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExploreOptions {
    /// Related items of each kind.
    pub depth: u32,
    /// Most results; none takes the tier's.
    pub limit: Option<usize>,
    /// Most characters of the answer; none takes the tier's.
    pub budget: Option<usize>,
    /// Whether interchangeable definitions off the flow are printed as signatures.
    pub adaptive: bool,
}

impl Default for ExploreOptions {
    fn default() -> Self {
        Self { depth: DEPTH, limit: None, budget: None, adaptive: true }
    }
}

impl From<&ExploreConfig> for ExploreOptions {
    fn from(config: &ExploreConfig) -> Self {
        let budget = usize::try_from(config.budget_chars).unwrap_or(usize::MAX);
        let budget = Some(budget).filter(|chars| *chars > 0);
        Self { depth: config.depth, limit: None, budget, adaptive: config.adaptive }
    }
}

/// Why there is no exploration. That nothing was found is an answer, not an error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ExploreError {
    /// There is nothing to look for.
    #[error("the query is empty")]
    EmptyQuery,
    /// The query is too long to be one.
    #[error("the query has {0} bytes; at most {QUERY_BYTES} are taken")]
    LongQuery(usize),
    /// The budget leaves no room for an answer.
    #[error("a budget of {0} characters leaves no room; give {SMALLEST_BUDGET} or more")]
    SmallBudget(usize),
}

/// Checks what can be checked before any file is read.
pub(crate) fn check(query: &str, options: &ExploreOptions) -> Result<(), ExploreError> {
    if query.trim().is_empty() {
        return Err(ExploreError::EmptyQuery);
    }
    if query.len() > QUERY_BYTES {
        return Err(ExploreError::LongQuery(query.len()));
    }
    match options.budget {
        Some(budget) if budget < SMALLEST_BUDGET => Err(ExploreError::SmallBudget(budget)),
        _ => Ok(()),
    }
}

/// What is explored, and with which words for roles.
#[derive(Clone, Copy)]
pub(crate) struct Ground<'a> {
    pub(crate) workspace: &'a Workspace,
    pub(crate) walk: &'a Walk,
    pub(crate) words: &'a Words,
    pub(crate) graph: &'a dyn View,
    pub(crate) cues: &'a RoleCues,
}

/// Explores `query`; the same tree and query always give the same answer.
pub(crate) fn explore(
    ground: Ground<'_>,
    query: &str,
    options: &ExploreOptions,
    cancelled: &AtomicBool,
) -> Exploration {
    let question = Question::new(query);
    let Ground { workspace, walk, words, graph, cues } = ground;
    let surveyed = recon::Ground { workspace, walk, words, graph: Some(graph), cues };
    let survey = recon::survey_of(&surveyed, &question, cancelled);
    let sizing = Sizing::of(survey.tier, options.budget);
    let atlas = Atlas::new(ground.workspace, ground.graph);
    let families = Families::new(&atlas);
    let around = Around { atlas: &atlas, families: &families };
    let limit = options.limit.unwrap_or(sizing.results);
    let places: Vec<(&Candidate, Place)> = survey
        .candidates
        .iter()
        .filter_map(|candidate| Some((candidate, atlas.place_of(candidate)?)))
        .collect();
    let top = places.first().map_or(1.0, |(candidate, _)| candidate.score.total()).max(1e-9);
    let ranked: Vec<(NodeId, f64)> = places
        .iter()
        .filter_map(|(candidate, place)| Some((place.node?, candidate.score.total() / top)))
        .collect();
    let plausible = is_plausible(&atlas, &survey.reading, &places);
    let anchors = if plausible { anchors(&atlas, &survey.reading, &ranked) } else { Vec::new() };
    let spine = spine(&atlas, &anchors);
    let shown = if plausible { places.len().min(limit) } else { 0 };
    let mut units = units(&atlas, &survey.reading, &places[..shown], &spine, top);
    add_named(&mut units, &atlas, &anchors);
    add_neighbours(&mut units, &atlas, &families, &survey.reading);
    mark_siblings(&mut units, &atlas, &families, &spine);
    if options.adaptive {
        skeletonize(&mut units, &atlas, &families, &spine);
    }
    let source = assemble(&atlas, &units, &sizing);
    let depth = usize::try_from(options.depth).unwrap_or(usize::MAX);
    let mut results: Vec<Ranked> = Vec::new();
    for (candidate, place) in places.iter().take(limit) {
        let mut ranked = ranked_place(candidate, place, &around);
        if results.len() < EXPANDED {
            ranked.related = around.related(place, depth, &source.whole);
        }
        results.push(ranked);
    }
    let exploration = Exploration {
        version: VERSION,
        query: clipped(query),
        tier: survey.tier,
        results,
        files: source.files,
        flow: spine.steps(&atlas),
        truncated: source.left_out,
        notes: notes(&survey, plausible),
    };
    fit::fit(exploration, sizing.chars)
}

/// The parts that source is made of: the flow in its order, then what is relevant, best first.
fn units(
    atlas: &Atlas<'_>,
    reading: &Reading,
    places: &[(&Candidate, Place)],
    spine: &Spine,
    top: f64,
) -> Vec<Unit> {
    let worth: BTreeMap<&str, f64> = places
        .iter()
        .map(|(candidate, place)| (place.id.as_str(), candidate.score.total() / top))
        .collect();
    let mut units: Vec<Unit> = Vec::new();
    for hop in &spine.hops {
        let Some(place) = atlas.place(hop.node) else { continue };
        let own = worth.get(place.id.as_str()).copied().unwrap_or_default();
        let worth = FLOW_WORTH + (1.0 - FLOW_WORTH) * own;
        let site = spine.call_site(hop.node);
        units.push(Unit { on_spine: true, site, ..Unit::new(atlas, place, worth) });
    }
    for (candidate, place) in places {
        let worth = candidate.score.total() / top;
        let traits = &candidate.file.traits;
        let aside = (traits.test || traits.support) && !reading.asked.wants_tests;
        let known = units.iter().any(|unit| unit.place.id == place.id);
        if worth >= RELEVANT && !aside && !known {
            units.push(Unit::new(atlas, place.clone(), worth));
        }
    }
    units
}

/// What a query names is shown, whatever its words are worth.
fn add_named(units: &mut Vec<Unit>, atlas: &Atlas<'_>, anchors: &[Anchor]) {
    for anchor in anchors.iter().filter(|anchor| anchor.named) {
        let Some(place) = atlas.place(anchor.node) else { continue };
        let known = units.iter().position(|unit| unit.place.id == place.id);
        let at = known.unwrap_or_else(|| {
            units.push(Unit::new(atlas, place, NAMED_WORTH));
            units.len() - 1
        });
        units[at].named = true;
        units[at].worth = units[at].worth.max(NAMED_WORTH);
    }
}

/// Marks the other implementations of what the flow goes through by dispatch: they are as much a part of it.
fn mark_siblings(units: &mut [Unit], atlas: &Atlas<'_>, families: &Families<'_>, spine: &Spine) {
    let passed: BTreeSet<NodeId> =
        spine.nodes().into_iter().filter_map(|node| atlas.owner(node)).collect();
    for unit in units.iter_mut().filter(|unit| !unit.on_spine) {
        let family = unit.place.node.and_then(|node| families.of(node));
        unit.beside_spine = family.is_some_and(|(member, family)| {
            !passed.contains(&member) && !family.members.is_disjoint(&passed)
        });
    }
}

/// Adds what the flow and the best places call and nearly nobody else does.
fn add_neighbours(
    units: &mut Vec<Unit>,
    atlas: &Atlas<'_>,
    families: &Families<'_>,
    reading: &Reading,
) {
    let seeds: Vec<(NodeId, f64)> = units
        .iter()
        .filter(|unit| unit.on_spine || unit.worth >= CENTRAL)
        .filter_map(|unit| Some((unit.place.node?, unit.worth)))
        .collect();
    let first = units.first().filter(|unit| unit.on_spine).and_then(|unit| unit.place.node);
    let near = neighbours(atlas, families, reading, &seeds, first);
    let off_flow = |unit: &&mut Unit| first.is_some() && !unit.on_spine && !unit.named;
    for unit in units.iter_mut().filter(off_flow) {
        let tie = unit.place.node.and_then(|node| near.get(&node)).copied();
        // An answer hangs together: what has nothing to do with its flow is worth less than the words promise.
        unit.worth = tie.map_or(unit.worth * UNTIED, |tie| unit.worth.max(tie));
    }
    units.retain(|unit| unit.on_spine || unit.worth >= RELEVANT);
    let mut more = Vec::new();
    for (node, worth) in near.into_iter().filter(|(_, worth)| *worth >= RELEVANT) {
        let Some(place) = atlas.place(node) else { continue };
        if units.iter().all(|unit| unit.place.id != place.id) {
            more.push(Unit::new(atlas, place, worth));
        }
    }
    units.append(&mut more);
}

fn ranked_place(candidate: &Candidate, place: &Place, around: &Around<'_>) -> Ranked {
    let range = candidate.range.unwrap_or(place.range);
    let mut score_parts: BTreeMap<String, f64> = BTreeMap::new();
    for (part, points) in &candidate.score.0 {
        *score_parts.entry((*part).to_owned()).or_default() += points;
    }
    score_parts.values_mut().for_each(|points| *points = rounded(*points));
    Ranked {
        id: place.id.clone(),
        path: place.path.clone(),
        start: range.start(),
        end: range.end(),
        kind: place.kind.clone(),
        name: place.name.clone(),
        signature: place.signature.clone(),
        doc: place.doc.clone(),
        score: rounded(candidate.score.total()),
        score_parts,
        roles: candidate.evidence_roles.iter().copied().collect(),
        hints: around.hints(place),
        related: Related::default(),
    }
}

/// Whether some place has more than a small part of the words of a question. What is said in many words, or names things, is
/// not judged so.
fn is_plausible(atlas: &Atlas<'_>, reading: &Reading, places: &[(&Candidate, Place)]) -> bool {
    let names = reading.terms.iter().any(|term| term.form == TermForm::Whole);
    let words = reading.terms.iter().filter(|term| term.form == TermForm::Word);
    let words: Vec<&str> =
        words.filter(|term| term.weight >= FULL_WEIGHT).map(|term| term.stem.as_str()).collect();
    if names || !reading.mentions.is_empty() || !JUDGED_WORDS.contains(&words.len()) {
        return true;
    }
    places.iter().take(JUDGED_PLACES).any(|(_, place)| {
        let Some(file) = atlas.text(&place.path) else { return false };
        let mut text = format!("{} {}", place.path, place.doc).to_lowercase();
        text.extend(file.lines(place.range).map(|(_, line)| line.to_lowercase()));
        words.iter().filter(|word| text.contains(**word)).count() * 3 > words.len()
    })
}

fn notes(survey: &Survey, plausible: bool) -> Vec<String> {
    let mut notes: Vec<String> = survey.notes.iter().map(|note| one_line(note)).collect();
    if survey.candidates.is_empty() {
        notes.push("nothing here matches the query's words; try other words, or grep".to_owned());
    } else if !plausible {
        notes.push(
            "no place has more than a small part of what is asked for, so that no source is shown; it may not be here"
                .to_owned(),
        );
    }
    notes
}

fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}

fn clipped(query: &str) -> String {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
    let query = crate::tools::render::visible(&query);
    match query.char_indices().nth(QUERY_CHARS) {
        Some((at, _)) => format!("{}…", &query[..at]),
        None => query,
    }
}
