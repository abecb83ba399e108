//! Source sized to a query, without a model: ranked places become code, no more than the answer needs and never more than a
//! ceiling. Ranking is recon's work; here it is decided what of the ranked places is printed, how much of each, and what
//! stands beside it.

mod anchors;
mod call_neighbours;
mod clusters;
mod concept_coverage;
mod config;
mod context;
mod exploration;
mod id;
mod path_search;
mod relations;
mod render;
mod sibling_groups;
mod sizing;
mod snippet;
mod spine;
mod symbol_table;
mod truncate;

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

pub use self::context::context;
use self::{
    anchors::anchors,
    call_neighbours::neighbours,
    clusters::assemble,
    concept_coverage::ConceptCoverage,
    relations::Relations,
    sibling_groups::{GroupKey, SiblingGroups},
    snippet::{Snippet, skeletonize},
    spine::{Anchor, Spine, spine},
    symbol_table::{Place, SymbolTable, one_line},
};
pub use self::{
    context::ContextError,
    exploration::{
        Card, Context, Detail, Exploration, FileView, FlowStep, Hints, Mode, Neighbour, Printed,
        Ranked, Related, Section, VERSION,
    },
    render::{Form, context_text, text},
    sizing::Sizing,
};
use crate::{
    candidate::Candidate,
    candidates::{self, CandidateSet, Corpus},
    query::{
        concepts::Concepts,
        parsed::{ParsedQuery, TermForm},
        question::{Question, Role},
    },
    text_cache::TextCache,
};
pub use config::ExploreConfig;
use retriever_graph::{EdgeKind, Graph, NodeId, index::IndexError};
use retriever_workspace::Cancellation;

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
/// The first places, which matter whether or not the flow passes them, and what they must be worth for it.
const CENTRAL: usize = 10;
const CENTRAL_WORTH: f64 = 0.75;
/// What a function that the query names is worth at least.
const NAMED_WORTH: f64 = 0.9;
/// Functions of one name that are shown because the query names them.
const SHOWN_OF_NAME: usize = 3;
/// What is left of the worth of a place off the flow when it is asked what belongs to it.
const OFF_FLOW: f64 = 0.8;
/// Lines up to which a function that no word leads to is trivial.
const TRIVIAL: u32 = 3;
/// What a function of the flow is worth at least.
const FLOW_WORTH: f64 = 0.8;
/// How many words a question must have to be judged by how many of them a place has, which of them count, the places that are
/// looked at, and those whose source is printed when none has more than a few: the words may be others than the code's.
const JUDGED_WORDS: std::ops::RangeInclusive<usize> = 3..=12;
const FULL_WEIGHT: f64 = 0.5;
const JUDGED_PLACES: usize = 8;
const DOUBTFUL_PLACES: usize = 4;
/// What a unit gains that belongs to a type that the flow passes, and what one gains that fits the query and is called from it.
const OF_ITS_TYPE: f64 = 0.2;
const FROM_FLOW: f64 = 0.1;
/// Results whose callers and callees are listed: those of the second hardly ever are what was missing.
const EXPANDED: usize = 1;

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
    /// There is no graph to explore.
    #[error(transparent)]
    Index(#[from] IndexError),
}

/// Checks what can be checked before any file is read.
pub fn check(query: &str, options: &ExploreOptions) -> Result<(), ExploreError> {
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

/// Explores `query`; the same tree and query always give the same answer.
pub fn explore(
    corpus: &Corpus<'_>,
    graph: &Graph,
    query: &str,
    options: &ExploreOptions,
    cancellation: &Cancellation,
) -> Exploration {
    let question = Question::new(query);
    let Corpus { workspace, index, role_cues, .. } = *corpus;
    let corpus = Corpus { graph: Some(graph), ..*corpus };
    let texts = TextCache::new(workspace, Some(index));
    let survey = candidates::find_candidates_in(&corpus, &texts, &question, cancellation);
    let atlas = SymbolTable::new(workspace, &texts, Some(index), graph);
    let tier = atlas.tier().unwrap_or(survey.tier);
    let sizing = Sizing::of(tier, options.budget);
    let families = SiblingGroups::new(&atlas);
    let around = Relations { atlas: &atlas, families: &families };
    let limit = options.limit.unwrap_or(sizing.results);
    let places: Vec<(&Candidate, Place)> = survey
        .candidates
        .par_iter()
        .with_max_len(1)
        .filter_map(|candidate| Some((candidate, atlas.place_of(candidate)?)))
        .collect();
    let top = places.first().map_or(1.0, |(candidate, _)| candidate.score.total()).max(1e-9);
    let ranked: Vec<(NodeId, f64)> = places
        .iter()
        .filter_map(|(candidate, place)| Some((place.node?, candidate.score.total() / top)))
        .collect();
    let trust = Trust::of(&atlas, &survey.query, &places);
    let plausible = trust == Trust::Plausible;
    let anchors = if plausible { anchors(&atlas, &survey.query, &ranked) } else { Vec::new() };
    let concepts = Concepts::of(&survey.query);
    let among: Vec<NodeId> = ranked.iter().map(|(node, _)| *node).collect();
    let speech = ConceptCoverage::new(&atlas, &concepts, &among);
    let spine = spine(&atlas, &speech, &anchors);
    let shown = match trust {
        Trust::Plausible => places.len().min(limit),
        Trust::Doubtful => places.len().min(DOUBTFUL_PLACES),
        Trust::Idle => 0,
    };
    let mut units = units(&atlas, &survey.query, &places[..shown], &spine, top);
    add_named(&mut units, &atlas, &anchors, &spine);
    mark_siblings(&mut units, &atlas, &families, &spine);
    if plausible {
        add_neighbours(&mut units, &atlas, &families, &speech, &among);
    }
    mark_siblings(&mut units, &atlas, &families, &spine);
    lift_near(&mut units, &atlas, &spine, &among);
    // The first lines of a long one are worth their room only where it matters most.
    units.retain(|unit| unit.on_spine || unit.central || unit.is_whole());
    if options.adaptive {
        skeletonize(&mut units, &atlas, &families, &spine);
    }
    let source = assemble(&atlas, &units, &sizing);
    let depth = usize::try_from(options.depth).unwrap_or(usize::MAX);
    let printed: BTreeSet<&str> =
        source.files.iter().flat_map(|file| &file.places).map(|place| place.id.as_str()).collect();
    let mut results: Vec<Ranked> = Vec::new();
    let mut expanded = 0;
    let listed = &places[..places.len().min(limit)];
    let roles =
        |(candidate, _): &(&Candidate, Place)| candidates::roles_of(role_cues, &texts, candidate);
    let roles: Vec<BTreeSet<Role>> = listed.par_iter().with_max_len(1).map(roles).collect();
    for ((candidate, place), roles) in listed.iter().zip(roles) {
        let is_shown = printed.is_empty() || printed.contains(place.id.as_str());
        let related = if expanded < EXPANDED && is_shown {
            expanded += 1;
            around.related(place, depth, &source.whole)
        } else {
            Related::default()
        };
        results.push(ranked_place(candidate, &roles, around.card(place, related)));
    }
    let exploration = Exploration {
        version: VERSION,
        query: clipped(query),
        tier,
        results,
        files: source.files,
        flow: spine.steps(&atlas),
        truncated: source.left_out,
        notes: notes(&survey, trust),
    };
    truncate::fit(exploration, sizing.chars)
}

/// The parts that source is made of: the flow in its order, then what is relevant, best first.
fn units(
    atlas: &SymbolTable<'_>,
    reading: &ParsedQuery,
    places: &[(&Candidate, Place)],
    spine: &Spine,
    top: f64,
) -> Vec<Snippet> {
    let worth: BTreeMap<&str, f64> = places
        .iter()
        .map(|(candidate, place)| (place.id.as_str(), candidate.score.total() / top))
        .collect();
    let mut units: Vec<Snippet> = Vec::new();
    for hop in &spine.hops {
        let Some(place) = atlas.place(hop.node) else { continue };
        let own = worth.get(place.id.as_str()).copied().unwrap_or_default();
        let worth = FLOW_WORTH + (1.0 - FLOW_WORTH) * own;
        let site = spine.call_site(hop.node);
        let (leads, central) = (spine.telling, !spine.telling);
        let unit = Snippet::new(atlas, place, worth);
        units.push(Snippet { on_spine: true, leads, central, site, ..unit });
    }
    for (rank, (candidate, place)) in places.iter().enumerate() {
        let worth = candidate.score.total() / top;
        let central = rank < CENTRAL && worth >= CENTRAL_WORTH;
        let traits = &candidate.file.traits;
        let is_test = traits.test || place.node.is_some_and(|node| atlas.is_inner_test(node));
        let aside = (is_test || traits.support) && !reading.asked.wants_tests;
        let known = units.iter().any(|unit| unit.place.id == place.id);
        if worth >= RELEVANT && !aside && !known {
            units.push(Snippet { central, ..Snippet::new(atlas, place.clone(), worth) });
        }
    }
    units
}

/// What a query names is shown, whatever its words are worth; of several that bear a name those on the flow.
fn add_named(units: &mut Vec<Snippet>, atlas: &SymbolTable<'_>, anchors: &[Anchor], spine: &Spine) {
    let passed = spine.nodes();
    let passed_names: BTreeSet<u32> = anchors
        .iter()
        .filter(|anchor| passed.contains(&anchor.node))
        .filter_map(|anchor| anchor.name)
        .collect();
    let mut shown: BTreeMap<u32, usize> = BTreeMap::new();
    for anchor in anchors {
        let Some(name) = anchor.name else { continue };
        let of_name = shown.entry(name).or_default();
        let is_other = passed_names.contains(&name) && !passed.contains(&anchor.node);
        let Some(place) = atlas.place(anchor.node) else { continue };
        if is_other || *of_name >= SHOWN_OF_NAME {
            continue;
        }
        *of_name += 1;
        let known = units.iter().position(|unit| unit.place.id == place.id);
        let at = known.unwrap_or_else(|| {
            units.push(Snippet::new(atlas, place, NAMED_WORTH));
            units.len() - 1
        });
        units[at].central = true;
        units[at].worth = units[at].worth.max(NAMED_WORTH);
    }
}

/// Marks the other implementations of what the flow goes through by dispatch: they are as much a part of it.
fn mark_siblings(
    units: &mut [Snippet],
    atlas: &SymbolTable<'_>,
    families: &SiblingGroups<'_>,
    spine: &Spine,
) {
    let passed: BTreeSet<NodeId> =
        spine.nodes().into_iter().filter_map(|node| atlas.owner(node)).collect();
    let name = |node: NodeId| atlas.graph.node(node).map(|node| node.name.as_str());
    let names: BTreeSet<&str> = spine.nodes().into_iter().filter_map(name).collect();
    for unit in units.iter_mut().filter(|unit| !unit.on_spine) {
        // A method can stand in for one of its name.
        let node = unit.place.node.filter(|node| {
            let is_member = atlas.owner(*node).is_some() && !atlas.is_type(*node);
            !is_member || name(*node).is_some_and(|name| names.contains(name))
        });
        unit.beside_spine =
            node.and_then(|node| families.of(node)).is_some_and(|(member, family)| {
                let through =
                    matches!(family.tie, GroupKey::Supertype(above) if passed.contains(&above));
                !passed.contains(&member) && (through || !family.members.is_disjoint(&passed))
            });
    }
}

/// Lets what is near the flow come first of what isn't on it. `places` are the results.
fn lift_near(units: &mut [Snippet], atlas: &SymbolTable<'_>, spine: &Spine, places: &[NodeId]) {
    let passed = spine.nodes();
    let owners: BTreeSet<NodeId> = passed.iter().filter_map(|node| atlas.owner(*node)).collect();
    for unit in units {
        let Some(node) = unit.place.node else { continue };
        if atlas.owner(node).is_some_and(|owner| owners.contains(&owner)) {
            unit.lift += OF_ITS_TYPE;
        }
        let mut calls =
            atlas.graph.incoming(node).iter().filter(|edge| edge.kind == EdgeKind::Calls);
        if places.contains(&node) && calls.any(|edge| passed.contains(&edge.from)) {
            unit.lift += FROM_FLOW;
        }
    }
}

/// Adds what the flow and the best places call and nearly nobody else does, and what leads to them. `places` are the results.
fn add_neighbours(
    units: &mut Vec<Snippet>,
    atlas: &SymbolTable<'_>,
    families: &SiblingGroups<'_>,
    speech: &ConceptCoverage<'_>,
    places: &[NodeId],
) {
    let of = |wanted: &dyn Fn(&Snippet) -> bool, share: f64| -> Vec<(NodeId, f64)> {
        let seeds = units.iter().filter(|unit| wanted(unit));
        seeds.filter_map(|unit| Some((unit.place.node?, share * unit.worth))).collect()
    };
    let flow = of(&|unit| unit.on_spine, 1.0);
    let aside = of(&|unit| unit.central && !unit.on_spine, OFF_FLOW);
    let starts = flow.iter().map(|(node, _)| *node).collect();
    let mut near = neighbours(atlas, families, speech, &flow, &starts);
    let starts = aside.iter().map(|(node, _)| *node).collect();
    for (node, worth) in neighbours(atlas, families, speech, &aside, &starts) {
        let known = near.entry(node).or_default();
        *known = known.max(worth);
    }
    for unit in units.iter_mut().filter(|unit| !unit.on_spine) {
        let near = unit.place.node.and_then(|node| near.get(&node)).copied();
        unit.worth = unit.worth.max(near.unwrap_or_default());
    }
    let mut more = Vec::new();
    for (node, worth) in near.into_iter().filter(|(_, worth)| *worth >= RELEVANT) {
        let Some(place) = atlas.place(node) else { continue };
        // A function of a line or two says what its call says.
        let ranked = places.contains(&node);
        let is_news = ranked || place.range.width() > TRIVIAL;
        if is_news && units.iter().all(|unit| unit.place.id != place.id) {
            more.push(Snippet::new(atlas, place, worth));
        }
    }
    units.append(&mut more);
}

/// A result; `roles` are those that its lines play.
fn ranked_place(candidate: &Candidate, roles: &BTreeSet<Role>, place: Card) -> Ranked {
    let mut score_parts: BTreeMap<String, f64> = BTreeMap::new();
    for (part, points) in &candidate.score.0 {
        *score_parts.entry((*part).to_owned()).or_default() += points;
    }
    score_parts.values_mut().for_each(|points| *points = rounded(*points));
    let range = candidate.range.map(|range| (range.start(), range.end()));
    let (start, end) = range.unwrap_or((place.start, place.end));
    Ranked {
        place: Card { start, end, ..place },
        score: rounded(candidate.score.total()),
        score_parts,
        roles: roles.union(&candidate.evidence_roles).copied().collect(),
    }
}

/// How far the places can be what is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Trust {
    Plausible,
    /// None has more than a small part of the question's words.
    Doubtful,
    /// The question has no word that says what is looked for, and nothing is named with one that it has.
    Idle,
}

impl Trust {
    /// What is said in many words, or names things, is not judged.
    fn of(atlas: &SymbolTable<'_>, reading: &ParsedQuery, places: &[(&Candidate, Place)]) -> Self {
        let names = reading.terms.iter().any(|term| term.form == TermForm::Whole);
        if names || !reading.mentions.is_empty() {
            return Self::Plausible;
        }
        let words = || reading.terms.iter().filter(|term| term.form == TermForm::Word);
        let telling: Vec<&str> = words()
            .filter(|term| term.weight >= FULL_WEIGHT)
            .map(|term| term.stem.as_str())
            .collect();
        if telling.is_empty() {
            let is_name =
                |symbol: &str| words().any(|term| symbol.eq_ignore_ascii_case(&term.text));
            let mut symbols = places.iter().flat_map(|(candidate, _)| &candidate.symbols);
            let named = symbols.any(|symbol| is_name(&symbol.name));
            return if named { Self::Plausible } else { Self::Idle };
        }
        if !JUDGED_WORDS.contains(&telling.len()) {
            return Self::Plausible;
        }
        let has_some = places.iter().take(JUDGED_PLACES).any(|(_, place)| {
            let Some(file) = atlas.text(&place.path) else { return false };
            let mut text = format!("{} {}", place.path, place.doc).to_lowercase();
            text.extend(file.lines(place.range).map(|(_, line)| line.to_lowercase()));
            telling.iter().filter(|word| text.contains(**word)).count() * 3 > telling.len()
        });
        if has_some { Self::Plausible } else { Self::Doubtful }
    }
}

fn notes(survey: &CandidateSet, trust: Trust) -> Vec<String> {
    let mut notes: Vec<String> = survey.notes.iter().map(|note| one_line(note)).collect();
    let note = match trust {
        _ if survey.candidates.is_empty() => {
            "nothing here matches the query's words; try other words, or grep"
        }
        Trust::Plausible => return notes,
        Trust::Doubtful => {
            "no place has more than a small part of what is asked for, so that only the first ones are shown; it may not be here"
        }
        Trust::Idle => {
            "the query has only words that any query may have, so that no source is shown; name what is looked for"
        }
    };
    notes.push(note.to_owned());
    notes
}

fn rounded(points: f64) -> f64 {
    (points * 100.0).round() / 100.0
}

fn clipped(query: &str) -> String {
    let query = query.split_whitespace().collect::<Vec<_>>().join(" ");
    let query = retriever_workspace::escape_control(&query);
    match query.char_indices().nth(QUERY_CHARS) {
        Some((at, _)) => format!("{}…", &query[..at]),
        None => query,
    }
}
