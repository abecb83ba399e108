//! The survey: runs the channels over a workspace, merges what they found, and puts the most promising and most diverse
//! places first.

use std::{
    cmp::Ordering,
    collections::{BTreeMap, BTreeSet},
};

use rayon::prelude::*;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::query::question::{Question, Role};
use crate::{
    candidate::Candidate,
    channels::{graph_expansion::Paths, passages::text_of, quoted_text},
    index::{IndexSnapshot, TokenIndex, term_matcher::TermMatcher, term_scanner::TermScanner},
    query::{expansion::ExpandedQuery, parsed::ParsedQuery},
    ranking::{
        corroboration,
        features::{self, Found, Pool},
        files::{self, QueryContext, RankedFile},
        graph_candidates, learned_trees,
        no_answer::{self, NoAnswer},
        passages::PassageScorer,
    },
    roles::RoleCues,
    text_cache::TextCache,
};
use retriever_graph::Graph;
use retriever_workspace::{Cancellation, RepoPath, UnknownVariant, Walk, Workspace};

/// Most candidates of a survey.
const MAX_CANDIDATES: usize = 60;
/// Files whose insides are looked at.
const MAX_FILES: usize = 120;
/// The places that a reader looks at first, and how many of them may come from one file or bear one name.
const FIRST: usize = 8;
const PER_FILE_FIRST: usize = 3;
const PER_NAME_FIRST: usize = 3;
/// Places of one file in all.
const PER_FILE: usize = 6;
/// What is said when there is no graph.
const NO_GRAPH: &str = "found by names and words alone: making the code graph takes longer than a question may; `retriever index` makes it";

/// Size class of a repository; budgets grow with it.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<SizeTier>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SizeTier {
    /// Fewer than 500 files.
    Small,
    /// Fewer than 5,000.
    Medium,
    /// Fewer than 15,000.
    Large,
    /// More.
    Huge,
}

impl SizeTier {
    /// Returns the class of a repository with this many files.
    pub const fn of(files: usize) -> Self {
        match files {
            0..500 => Self::Small,
            500..5_000 => Self::Medium,
            5_000..15_000 => Self::Large,
            _ => Self::Huge,
        }
    }
}

/// A top-level folder and the files below it; the root's own files have the empty name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopFolder {
    /// Its name.
    pub name: String,
    /// Files below it.
    pub files: usize,
}

/// What was found before a model thinks.
#[derive(Clone, Debug)]
pub struct CandidateSet {
    /// What the question says.
    pub query: ParsedQuery,
    /// Places that may matter, best first, at most 60.
    pub candidates: Vec<Candidate>,
    /// Why what is asked for may not be there, when the evidence is thin.
    pub no_answer: Option<NoAnswer>,
    /// Files of the workspace that a search may see.
    pub files_seen: usize,
    /// Size class.
    pub tier: SizeTier,
    /// Top-level folders, largest first.
    pub folders: Vec<TopFolder>,
    /// What the caller should know: hints that name nothing.
    pub notes: Vec<String>,
}

/// What is surveyed: a tree as it was at one moment, in all the forms that are known of it.
#[derive(Clone, Copy)]
pub struct Corpus<'a> {
    /// The files.
    pub workspace: &'a Workspace,
    /// The files that a search may see: a walk of the whole workspace.
    pub walk: &'a Walk,
    /// Their words.
    pub index: &'a IndexSnapshot,
    /// Their graph; that there is none is noted.
    pub graph: Option<&'a Graph>,
    /// IndexSnapshot and forms of roles.
    pub role_cues: &'a RoleCues,
}

/// Makes ready what a survey of `workspace` for `question` needs beside the tree, so that it can be done while others look at the
/// tree.
pub fn prepare(workspace: &Workspace, lexicon: &TokenIndex, question: &Question) {
    let tables = || {
        // They are made when they are first used.
        ExpandedQuery::of(&ParsedQuery::of(question));
    };
    // No task of the pool: who has the words waits for the pool.
    std::thread::scope(|threads| {
        threads.spawn(tables);
        lexicon.prepare(workspace);
    });
}

/// Surveys `workspace` for `question` by reading all of it. `graph` is that of the workspace as it is. Who has more than one
/// question keeps the words in a [`TokenIndex`](crate::index::TokenIndex) and calls [`find_candidates`].
///
/// When `cancelled` is set, what was found until then is returned.
pub fn scan_candidates(
    workspace: &Workspace,
    question: &Question,
    cues: &RoleCues,
    graph: Option<&Graph>,
    cancellation: &Cancellation,
) -> CandidateSet {
    let walk = workspace.walk(&RepoPath::root());
    let words = IndexSnapshot::read(workspace, &walk, cancellation);
    let ground = Corpus { workspace, walk: &walk, index: &words, graph, role_cues: cues };
    find_candidates(&ground, question, cancellation)
}

/// Surveys `ground` for `question`; the same tree and question always give the same survey, whether the words were kept or
/// have just been read. The walk and the graph are of one moment when both are those of
/// [`Index::ask_on_walk_if_quick`](retriever_graph::index::Index::ask_on_walk_if_quick).
///
/// When `cancelled` is set, what was found until then is returned.
pub fn find_candidates(
    ground: &Corpus<'_>,
    question: &Question,
    cancellation: &Cancellation,
) -> CandidateSet {
    let texts = TextCache::new(ground.workspace, Some(ground.index));
    surveyed(ground, &texts, question, cancellation, Telling::Everything(None))
}

/// Returns every place that a survey of `ground` chooses from, with the facts that it is judged by, in the order of points by hand.
pub fn candidate_pool(
    ground: &Corpus<'_>,
    question: &Question,
    cancellation: &Cancellation,
) -> Vec<Found> {
    let mut pool = Vec::new();
    let texts = TextCache::new(ground.workspace, Some(ground.index));
    surveyed(ground, &texts, question, cancellation, Telling::Everything(Some(&mut pool)));
    pool
}

/// Does as [`find_candidates`] does, but for what a program doesn't ask: of the roles of candidates there are only those that the graph
/// shows, see [`roles_of`], and surfaces are not looked for. `texts` are those of the workspace, and know afterwards what was read.
pub(crate) fn find_candidates_in(
    ground: &Corpus<'_>,
    texts: &TextCache<'_>,
    question: &Question,
    cancellation: &Cancellation,
) -> CandidateSet {
    surveyed(ground, texts, question, cancellation, Telling::Little)
}

/// The roles that the lines of a candidate play.
pub(crate) fn roles_of(
    cues: &RoleCues,
    texts: &TextCache<'_>,
    candidate: &Candidate,
) -> BTreeSet<Role> {
    let file = texts.read(&candidate.file.path);
    let read = file.zip(candidate.range);
    read.map(|(file, range)| cues.roles_of(&text_of(&file, range), &file.traits))
        .unwrap_or_default()
}

/// How much is told of candidates.
enum Telling<'a> {
    /// Everything; and every place that is chosen from goes here.
    Everything(Option<&'a mut Vec<Found>>),
    /// What a program asks.
    Little,
}

fn surveyed(
    ground: &Corpus<'_>,
    texts: &TextCache<'_>,
    question: &Question,
    cancellation: &Cancellation,
    telling: Telling<'_>,
) -> CandidateSet {
    let Corpus { workspace, walk, index: words, graph, role_cues: cues } = *ground;
    let reading = ParsedQuery::of(question);
    let (hints, mut notes) = hints(workspace, question, walk);
    if graph.is_none() {
        notes.push(NO_GRAPH.to_owned());
    }
    let query = ExpandedQuery::of(&reading);
    let matcher = TermMatcher::new(&query.terms);
    let lookup = TermScanner::new(words, &matcher);
    let said = quoted_text::quoted_in(workspace, &walk.files, &question.text, cancellation);
    let sought = QueryContext {
        reading: &reading,
        query: &query,
        hints: &hints,
        matcher: &matcher,
        lookup: &lookup,
        said: &said,
    };
    let ranking = files::rank(workspace, &walk.files, &sought, cancellation);
    let asked = cues.any_of(&reading.asked.roles);
    let (worth, rare) = (&ranking.worth[..], ranking.rare);
    let judge = PassageScorer { sought, worth, rare, cues, asked, texts };
    let looked_at: Vec<&RankedFile> = ranking
        .files
        .iter()
        .enumerate()
        .filter(|(index, file)| *index < MAX_FILES || file.hinted)
        .map(|(_, file)| file)
        .take(2 * MAX_FILES)
        .collect();
    // One by one, so that no thread is left alone with a few long files at the end.
    let mut found: Pool = looked_at
        .par_iter()
        .with_max_len(1)
        .filter(|_| !cancellation.is_cancelled())
        .filter_map(|ranked| Some((texts.read(&ranked.path)?, ranked)))
        .filter(|(file, _)| !file.is_minified())
        .flat_map_iter(|(file, ranked)| judge.candidates(&file, ranked))
        .collect();
    let paths = graph.map(Paths::new);
    if let Some(paths) = &paths {
        graph_candidates::relate(paths, workspace, &judge, &ranking.files, &mut found);
    }
    sort(&mut found);
    features::compare(&mut found, &ranking.files, ranking.rare);
    let tells = matches!(telling, Telling::Everything(_));
    if let Telling::Everything(Some(pool)) = telling {
        *pool = found.iter().map(|found| Found::clone(found)).collect();
    }
    // A question that names code knows where it wants to go.
    if !reading.names_code() {
        learned_trees::reorder(&mut found);
    }
    corroboration::join(&reading, &mut found);
    let mut found = diverse(found);
    if tells {
        found.par_iter_mut().with_max_len(1).for_each(|found| judge.tell(found));
    }
    let mut candidates = found.into_iter().map(|found| found.candidate).collect::<Vec<_>>();
    if let Some(paths) = &paths {
        graph_candidates::link(paths, &mut candidates);
    }
    CandidateSet {
        no_answer: no_answer::of(&query, &ranking, &candidates),
        candidates,
        files_seen: walk.files.len(),
        tier: SizeTier::of(walk.files.len()),
        folders: folders(walk),
        notes,
        query: reading,
    }
}

/// Puts places in their order, see [`better`].
pub(crate) fn sort(found: &mut Pool) {
    // Each sum is made once.
    let totals: Vec<f64> = found.iter().map(|found| found.candidate.score.total()).collect();
    let mut order: Vec<usize> = (0..found.len()).collect();
    order.sort_by(|one, other| {
        let by_place = || by_place(&found[*one].candidate, &found[*other].candidate);
        totals[*other].total_cmp(&totals[*one]).then_with(by_place)
    });
    let mut places: Vec<Option<Box<Found>>> = found.drain(..).map(Some).collect();
    found.extend(order.into_iter().filter_map(|at| places[at].take()));
}

/// Better first; equals by path and line.
pub(crate) fn better(one: &Candidate, other: &Candidate) -> Ordering {
    other.score.total().total_cmp(&one.score.total()).then_with(|| by_place(one, other))
}

fn by_place(one: &Candidate, other: &Candidate) -> Ordering {
    let lines = |candidate: &Candidate| candidate.range.map(|range| (range.start(), range.end()));
    one.file.path.cmp(&other.file.path).then_with(|| lines(one).cmp(&lines(other)))
}

/// Takes the best candidates, so that neither one file nor one name fills the first places, and drops those whose lines
/// lie in a better one of the same file. The same name in files of the same name is a variant of one thing: the first stands
/// for all.
fn diverse(found: Pool) -> Pool {
    let mut taken = Pool::new();
    let mut waiting = Pool::new();
    let mut per_file: BTreeMap<RepoPath, (usize, usize)> = BTreeMap::new();
    let mut per_name: BTreeMap<String, usize> = BTreeMap::new();
    let mut things: BTreeSet<(String, String)> = BTreeSet::new();
    for one in found {
        let candidate = &one.candidate;
        let repeats = taken.iter().chain(&waiting).map(|other| &other.candidate).any(|other| {
            other.file.path == candidate.file.path
                && matches!((other.range, candidate.range), (Some(a), Some(b)) if a.overlaps(b))
        });
        let (in_all, first) = per_file.entry(candidate.file.path.clone()).or_default();
        if repeats || *in_all >= PER_FILE {
            continue;
        }
        let name = candidate.symbols.first().map_or("", |symbol| symbol.name.as_str());
        let of_name = per_name.entry(name.to_owned()).or_default();
        *in_all += 1;
        let thing = (candidate.file.path.file_name().to_owned(), name.to_owned());
        let is_variant = !name.is_empty() && !things.insert(thing);
        let name_is_full = !name.is_empty() && *of_name >= PER_NAME_FIRST;
        if taken.len() < FIRST && (*first >= PER_FILE_FIRST || name_is_full || is_variant) {
            waiting.push(one);
            continue;
        }
        *of_name += 1;
        *first += 1;
        taken.push(one);
        if taken.len() == MAX_CANDIDATES {
            break;
        }
    }
    let first = taken.len().min(FIRST);
    let mut rest = taken.split_off(first);
    rest.extend(waiting);
    rest.sort_by(|one, other| better(&one.candidate, &other.candidate));
    taken.extend(rest);
    taken.truncate(MAX_CANDIDATES);
    taken
}

/// Resolves the caller's hints; what names nothing is said.
fn hints(
    workspace: &Workspace,
    question: &Question,
    walk: &Walk,
) -> (BTreeSet<RepoPath>, Vec<String>) {
    let mut known = BTreeSet::new();
    let mut notes = Vec::new();
    for hint in &question.hints {
        match workspace.normalize(hint) {
            Ok(path) if walk.files.iter().any(|file| within(&file.path, &path)) => {
                known.insert(path);
            }
            _ => notes
                .push(format!("hint \"{}\" names no file here and was ignored", printable(hint))),
        }
    }
    (known, notes)
}

fn within(path: &RepoPath, folder: &RepoPath) -> bool {
    path.as_str()
        .strip_prefix(folder.as_str())
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control()).take(120).collect()
}

fn folders(walk: &Walk) -> Vec<TopFolder> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for file in &walk.files {
        let top = file.path.as_str().split_once('/').map_or("", |(top, _)| top);
        *counts.entry(top).or_default() += 1;
    }
    let mut folders: Vec<TopFolder> = counts
        .into_iter()
        .map(|(name, files)| TopFolder { name: name.to_owned(), files })
        .collect();
    folders.sort_by(|a, b| b.files.cmp(&a.files).then_with(|| a.name.cmp(&b.name)));
    folders
}
