//! Finds the candidates of a question: runs the channels over a corpus, ranks what they find, and chooses the most
//! promising and most diverse places.

use std::{collections::BTreeSet, sync::Arc};

use rayon::prelude::*;

use crate::{
    candidate::Candidate,
    index::{FullTextIndex, FullTextSnapshot, QueryTermMatcher, QueryTermScanner},
    path_statistics::TopFolder,
    query::{ExpandedQuery, ParsedQuery, PlaceRole, Question},
    ranking::{
        self, AnswerEvidence, NoAnswerReason, PassageScorer, RankedFile, ScoredCandidate,
        ScoredFile, ScoredPool, TermCoverage, rank_files,
    },
    retrieval_channels::{GraphForSearch, QueryContext, quoted_texts, text_of},
    role_vocabulary::RoleCues,
    search_corpus::{RepositorySizeTier, SearchCorpus},
    texts_of_one_search::TextCache,
};
use retriever_graph::Graph;
use retriever_workspace::{
    Cancellation, DirectoryWalk, RepoPath, Workspace, escape_to_one_line, truncate,
};

/// Files whose passages are scored.
const MAX_FILES: usize = 120;
/// Characters of a hint that are repeated.
const MAX_HINT_CHARS: usize = 120;
/// Hints that are repeated.
const MAX_NAMED_HINTS: usize = 5;
/// What is said when there is no graph.
const NO_GRAPH: &str = "found by names and words alone: making the code graph takes longer than a question may; `retriever index` makes it";

/// The candidates of a question.
#[derive(Clone, Debug)]
pub struct CandidateSet {
    /// What the question says.
    pub query: ParsedQuery,
    /// The same with related terms.
    pub(crate) expanded: Arc<ExpandedQuery>,
    /// Places that may answer it, best first, at most 60.
    pub candidates: Vec<Candidate>,
    /// Why what is asked for may not be there, when the evidence is thin.
    pub no_answer: Option<NoAnswerReason>,
    /// Number of files that a search may see.
    pub files_seen: usize,
    /// Size class.
    pub tier: RepositorySizeTier,
    /// Top-level folders, largest first.
    pub folders: Vec<TopFolder>,
    /// What the caller should know: hints that name nothing, and that there is no graph.
    pub notes: Vec<String>,
}

impl CandidateSet {
    /// The files of the candidates, each where its best candidate ranks.
    pub fn files(&self) -> Vec<&RepoPath> {
        let mut known = BTreeSet::new();
        let files = self.candidates.iter().map(|candidate| &candidate.file.path);
        files.filter(|path| known.insert(*path)).collect()
    }
}

/// Loads the tables and the stored index that a search needs, while others look at the tree.
pub fn prepare(workspace: &Workspace, index: &FullTextIndex, question: &Question) {
    // The tables are loaded when they are first used.
    let load_tables = || drop(ExpandedQuery::of(&ParsedQuery::of(question)));
    // Not a task of the pool: a thread that holds the index may wait for the pool.
    std::thread::scope(|threads| {
        threads.spawn(load_tables);
        index.prepare(workspace);
    });
}

/// Finds the candidates of `question` by reading all of `workspace`. `graph` is that of the workspace as it is. A caller
/// with several questions keeps a [`FullTextIndex`] and calls [`find_candidates`].
///
/// A cancelled search returns what it has found.
pub fn scan_candidates(
    workspace: &Workspace,
    question: &Question,
    role_cues: &RoleCues,
    graph: Option<&Graph>,
    cancellation: &Cancellation,
) -> CandidateSet {
    let walk = workspace.walk(&RepoPath::root());
    let index = FullTextSnapshot::read(workspace, &walk, cancellation);
    let corpus =
        SearchCorpus { workspace, walk: &walk, index: &index, graph, role_cues, similar: None };
    find_candidates(&corpus, question, cancellation)
}

/// Finds the candidates of `question`. The same tree and question always give the same result, whether the index was
/// stored or has just been made.
///
/// A cancelled search returns what it has found.
pub fn find_candidates(
    corpus: &SearchCorpus<'_>,
    question: &Question,
    cancellation: &Cancellation,
) -> CandidateSet {
    let texts = TextCache::new(corpus.workspace, Some(corpus.index));
    search(corpus, &texts, question, Detail::Full, cancellation).0
}

/// What [`find_candidates`] chooses from, for training.
#[derive(Clone, Debug, Default)]
pub struct TrainingPool {
    /// Every candidate with its features, in the order of points.
    pub candidates: Vec<ScoredCandidate>,
    /// Their files, in the order of their best candidates.
    pub files: Vec<ScoredFile>,
    /// What speaks for and against the repository having what is asked for.
    pub evidence: AnswerEvidence,
}

/// Returns what [`find_candidates`] chooses from.
pub fn candidate_pool(
    corpus: &SearchCorpus<'_>,
    question: &Question,
    cancellation: &Cancellation,
) -> TrainingPool {
    let texts = TextCache::new(corpus.workspace, Some(corpus.index));
    search(corpus, &texts, question, Detail::Pool, cancellation).1
}

/// Does as [`find_candidates`] does, without what an exploration does not need: candidates have no entry points, and of
/// their roles only those that the graph shows, see [`text_roles`]. `texts` keeps the files that were read.
pub(crate) fn find_bare_candidates(
    corpus: &SearchCorpus<'_>,
    texts: &TextCache<'_>,
    question: &Question,
    cancellation: &Cancellation,
) -> CandidateSet {
    search(corpus, texts, question, Detail::Bare, cancellation).0
}

/// Returns the roles that the lines of a candidate play.
pub(crate) fn text_roles(
    cues: &RoleCues,
    texts: &TextCache<'_>,
    candidate: &Candidate,
) -> BTreeSet<PlaceRole> {
    let file = texts.read(&candidate.file.path);
    let Some((file, range)) = file.zip(candidate.range) else { return BTreeSet::new() };
    let roles = || cues.noted_roles(&text_of(&file, range));
    cues.roles_by_note(texts.note(&file, range, cues.fingerprint(), roles), &file.traits)
}

/// What is wanted of a search.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Detail {
    /// Candidates with roles and entry points.
    Full,
    /// Candidates without.
    Bare,
    /// Candidates, and the pool that they are chosen from.
    Pool,
}

/// Runs a search; returns the pool as well if it is wanted.
fn search(
    corpus: &SearchCorpus<'_>,
    texts: &TextCache<'_>,
    question: &Question,
    detail: Detail,
    cancellation: &Cancellation,
) -> (CandidateSet, TrainingPool) {
    let SearchCorpus { workspace, walk, .. } = *corpus;
    let query = ParsedQuery::of(question);
    let expanded = ExpandedQuery::of(&query);
    let (hints, note) = resolve_hints(workspace, question, walk);
    let mut notes: Vec<String> = note.into_iter().collect();
    if corpus.graph.is_none() {
        notes.push(NO_GRAPH.to_owned());
    }
    let matcher = QueryTermMatcher::new(&expanded.terms);
    let scanner = QueryTermScanner::new(corpus.index, &matcher, cancellation);
    let quoted = quoted_texts(corpus.index, texts, &walk.files, &question.text, cancellation);
    let context = QueryContext {
        parsed: &query,
        expanded: &expanded,
        hints: &hints,
        matcher: &matcher,
        scanner: &scanner,
        similar: corpus.similar,
        quoted: &quoted,
    };
    let tree = corpus.index.tree(&walk.files);
    let ranking = rank_files(workspace, &walk.files, &context, cancellation);
    let scorer = PassageScorer {
        context,
        ranking: &ranking,
        cues: corpus.role_cues,
        texts,
        coverage: TermCoverage::new(&expanded, &ranking.term_weights),
    };
    let graph = corpus.graph.map(GraphForSearch::new);
    let (candidates, mut pool) =
        ranked_candidates(corpus, &scorer, graph.as_ref(), detail, cancellation);
    let best_comment = pool.evidence.best_comment;
    let (evidence, no_answer) =
        ranking::no_answer(&question.text, &expanded, &ranking, &candidates, best_comment);
    pool.evidence = evidence;
    let set = CandidateSet {
        // What a change is to add isn't there yet.
        no_answer: no_answer.filter(|_| !query.scope.wants_change),
        candidates,
        files_seen: walk.files.len(),
        tier: RepositorySizeTier::of(walk.files.len()),
        folders: tree.top_folders.clone(),
        notes,
        query,
        expanded: Arc::new(expanded),
    };
    // A tree has as many ranked files as files, and freeing them takes as long as finding the best.
    rayon::spawn(move || drop(ranking));
    (set, pool)
}

/// Scores passages, ranks and chooses them; returns the candidates, and the pool if it is wanted.
fn ranked_candidates(
    corpus: &SearchCorpus<'_>,
    scorer: &PassageScorer<'_>,
    graph: Option<&GraphForSearch<'_>>,
    detail: Detail,
    cancellation: &Cancellation,
) -> (Vec<Candidate>, TrainingPool) {
    let SearchCorpus { workspace, walk, .. } = *corpus;
    let query = scorer.context.parsed;
    let mut pool = scored_passages(scorer, cancellation);
    if let Some(graph) = graph {
        ranking::add_graph_candidates(graph, workspace, scorer, &mut pool, cancellation);
    }
    ranking::sort(&mut pool);
    ranking::add_pool_features(&mut pool);
    let mut whole_pool = TrainingPool::default();
    whole_pool.evidence.best_comment = ranking::best_comment(&pool);
    if detail == Detail::Pool {
        whole_pool.candidates = pool.iter().map(|scored| (**scored).clone()).collect();
    }
    // An author who names code knows which declaration is meant.
    if !query.names_code() {
        ranking::order_passages(&mut pool);
    }
    ranking::corroborate(query, &mut pool);
    let trust = ranking::trust(&pool);
    if (trust > 0.0 || detail == Detail::Pool) && !cancellation.is_cancelled() {
        let files = ranking::scored_files(scorer, corpus.index.tree(&walk.files), graph, &pool);
        ranking::order_files(&files, trust, &mut pool);
        whole_pool.files = files;
    }
    if let Some(name) = &query.name {
        ranking::lead_with_named(name, graph, workspace, scorer, &mut pool);
    }
    ranking::put_methods_first(query, &mut pool);
    let mut chosen = ranking::diversify(query, pool);
    if detail != Detail::Bare {
        let described = chosen.par_iter_mut().with_max_len(1);
        described.for_each(|scored| ranking::describe(scorer, scored));
    }
    let mut candidates: Vec<Candidate> =
        chosen.into_iter().map(|scored| scored.candidate).collect();
    if let Some(graph) = graph {
        ranking::add_roles_of_graph(graph, &mut candidates);
        if detail == Detail::Full {
            ranking::add_call_neighbours(graph, workspace, scorer, &mut candidates);
        }
    }
    (candidates, whole_pool)
}

/// Scores the passages of the best files.
fn scored_passages(scorer: &PassageScorer<'_>, cancellation: &Cancellation) -> ScoredPool {
    let best = scorer.ranking.best_first().enumerate();
    let best = best.filter(|(rank, file)| {
        *rank < MAX_FILES || file.is_hinted || !file.similar_lines.is_empty()
    });
    let best: Vec<&RankedFile> = best.map(|(_, file)| file).take(2 * MAX_FILES).collect();
    // A file is a task: a few are much longer than the others.
    best.par_iter()
        .with_max_len(1)
        .filter(|_| !cancellation.is_cancelled())
        .filter_map(|ranked| Some((scorer.texts.read(&ranked.path)?, ranked)))
        .filter(|(file, _)| !file.is_minified())
        .flat_map_iter(|(file, ranked)| scorer.candidates(&file, ranked, cancellation))
        .collect()
}

/// Returns the files and folders that the caller's hints name, and a note of hints that name none. A hint that is the root is ignored.
fn resolve_hints(
    workspace: &Workspace,
    question: &Question,
    walk: &DirectoryWalk,
) -> (BTreeSet<RepoPath>, Option<String>) {
    let mut known = BTreeSet::new();
    let mut unknown: Vec<&str> = Vec::new();
    for hint in &question.hints {
        match workspace.normalize(hint) {
            Ok(path) if path == RepoPath::root() => {}
            Ok(path) if walk.files.iter().any(|file| file.path.is_within(&path)) => {
                known.insert(path);
            }
            _ => unknown.push(hint),
        }
    }
    (known, note_on_unknown(&unknown))
}

fn note_on_unknown(hints: &[&str]) -> Option<String> {
    let shown =
        |hint: &&str| format!("\"{}\"", escape_to_one_line(&truncate(hint, MAX_HINT_CHARS)));
    let named: Vec<String> = hints.iter().take(MAX_NAMED_HINTS).map(shown).collect();
    let named = named.join(", ");
    match hints.len() {
        0 => None,
        1 => Some(format!("hint {named} names no file here and was ignored")),
        number if number > MAX_NAMED_HINTS => {
            let more = number - MAX_NAMED_HINTS;
            Some(format!("hints {named} and {more} more name no file here and were ignored"))
        }
        _ => Some(format!("hints {named} name no file here and were ignored")),
    }
}
