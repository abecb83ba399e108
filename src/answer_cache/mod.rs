//! The answer cache of a root: for each session (one chat of a caller) the answers that still hold, and the places that its
//! maps contain. A cached answer is reused only while the whole working tree, which every candidate search looks at, is
//! unchanged, and every file that was delivered to the run has the same content. Which answers may be cached is decided
//! by the agent.

mod places_shown_in_session;
mod session_store;
mod tree_fingerprint;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use self::{
    places_shown_in_session::SessionPlaces,
    session_store::SessionStore,
    tree_fingerprint::{TreeFingerprint, WorkingTreeSnapshot, file_state, hex},
};
use retriever_graph::indexing::GraphIndex;
use retriever_report::{CodeGraphUse, CodeMap, SessionUsage};
use retriever_search::SessionId;
use retriever_workspace::{Cancellation, ContentHash, RepoPath, Workspace};

/// Most answers of a session; the oldest are dropped first.
const MAX_ANSWERS: usize = 64;
/// Seconds for which an answer is cached.
const MAX_ANSWER_AGE_S: u64 = 24 * 60 * 60;

/// How the working tree is read again at the end of a run.
#[derive(Clone, Copy)]
pub(crate) struct TreeAccess<'a> {
    pub(crate) index: &'a GraphIndex,
    pub(crate) cancellation: &'a Cancellation,
}

/// The answer cache of one root.
pub(crate) struct AnswerCache {
    store: SessionStore,
}

/// One session.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Session {
    /// Time of the last use, in seconds since 1970.
    used: u64,
    questions: u64,
    hits: u64,
    places: SessionPlaces,
    answers: Vec<CachedAnswer>,
}

/// An answer and what it depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct CachedAnswer {
    key: String,
    /// Time of the answer, in seconds since 1970.
    answered: u64,
    tree: TreeFingerprint,
    /// The state of every file that was delivered, or that a call named.
    files: BTreeMap<String, String>,
    graph: CodeGraphUse,
    map: CodeMap,
}

/// The result of a look-up.
pub(crate) enum CacheLookup {
    /// A cached answer that still holds.
    Hit(Box<CodeMap>),
    /// None. Pass the entry to [`AnswerCache::store`] with the answer.
    Miss(PendingCacheEntry),
}

/// The cache entry of a question that is being answered.
pub(crate) struct PendingCacheEntry {
    session: SessionId,
    key: String,
    /// The tree before the run.
    before: Option<WorkingTreeSnapshot>,
}

/// What the answer of a run depends on.
pub(crate) struct AnswerDependencies {
    /// Files of which lines were delivered, and their content.
    pub(crate) files: Vec<(RepoPath, ContentHash)>,
    /// Texts of calls and results that may be paths.
    pub(crate) names: BTreeSet<String>,
    /// Whether the answer may be reused.
    pub(crate) reusable: bool,
    pub(crate) graph: CodeGraphUse,
}

impl AnswerCache {
    /// Returns the cache that is kept in `folder`, or in memory without one.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { store: SessionStore::new(folder) }
    }

    /// Returns problems of the cache that did not prevent an answer, one sentence each. Each is returned once.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.store.warnings()
    }

    /// Returns the file and the lines of a place that a map of `session` called `id`.
    pub(crate) fn place(&self, session: &SessionId, id: &str) -> Option<String> {
        self.store.load(session).places.place(id)
    }

    /// Looks up an answer. `key` identifies the question and everything else that the answer depends on, except for
    /// files and `graph`.
    pub(crate) fn look_up(
        &self,
        index: &GraphIndex,
        session: SessionId,
        (key, graph): (String, CodeGraphUse),
        cancellation: &Cancellation,
    ) -> CacheLookup {
        let workspace = index.workspace();
        let before = WorkingTreeSnapshot::of(index, cancellation);
        let now = now();
        let holds = |answer: &CachedAnswer, tree: &WorkingTreeSnapshot| {
            answer.key == key
                && (answer.graph == CodeGraphUse::Used || graph == CodeGraphUse::NotBuilt)
                && now.saturating_sub(answer.answered) <= MAX_ANSWER_AGE_S
                && answer.tree.matches(tree, workspace)
                && answer.files.iter().all(|(path, state)| file_state(workspace, path) == *state)
        };
        let cached = before.as_ref().and_then(|tree| {
            let answers = self.store.load(&session).answers;
            answers.into_iter().rev().find(|answer| holds(answer, tree))
        });
        let Some(CachedAnswer { mut map, .. }) = cached else {
            return CacheLookup::Miss(PendingCacheEntry { session, key, before });
        };
        map.meta.session = Some(self.store.update(&session, |session| {
            session.hits = session.hits.saturating_add(1);
            SessionUsage { hit: true, ..session.count_question(now) }
        }));
        CacheLookup::Hit(Box::new(map))
    }

    /// Assigns session IDs to the places of `map`, reduces places that the session knows to their IDs, and caches the
    /// answer if nothing has changed since the start of the run. `limit` is the size limit of the map, in tokens.
    pub(crate) fn store(
        &self,
        tree: TreeAccess<'_>,
        entry: PendingCacheEntry,
        map: &mut CodeMap,
        dependencies: &AnswerDependencies,
        limit: u64,
    ) {
        let PendingCacheEntry { session, key, before } = entry;
        let contents: BTreeMap<String, String> = dependencies
            .files
            .iter()
            .map(|(path, hash)| (path.as_str().to_owned(), hex(hash)))
            .collect();
        let before = before.filter(|_| dependencies.reusable);
        let unchanged = before.and_then(|before| {
            let after = WorkingTreeSnapshot::of(tree.index, tree.cancellation)?;
            unchanged(tree.index.workspace(), (&before, after), &contents, &dependencies.names)
        });
        let now = now();
        map.meta.session = Some(self.store.update(&session, |session| {
            session.places.assign_ids(map, &contents, limit);
            if let Some((tree, files)) = unchanged {
                let (graph, map) = (dependencies.graph, map.clone());
                session.add(CachedAnswer { key, answered: now, tree, files, graph, map });
            }
            session.count_question(now)
        }));
    }
}

impl Session {
    /// Adds an answer in place of an older one to the same question, and drops old answers.
    fn add(&mut self, answer: CachedAnswer) {
        self.answers.retain(|old| {
            let age = answer.answered.saturating_sub(old.answered);
            old.key != answer.key && age <= MAX_ANSWER_AGE_S
        });
        let surplus = (self.answers.len() + 1).saturating_sub(MAX_ANSWERS);
        self.answers.drain(..surplus);
        self.answers.push(answer);
    }

    /// Counts a question, and returns the session's usage with the question as a miss.
    fn count_question(&mut self, now: u64) -> SessionUsage {
        self.used = now;
        self.questions = self.questions.saturating_add(1);
        SessionUsage { hit: false, questions: self.questions, hits: self.hits }
    }
}

/// Returns the dependencies of an answer, if all of them are as before the run and as when the lines were delivered.
fn unchanged(
    workspace: &Workspace,
    (before, after): (&WorkingTreeSnapshot, WorkingTreeSnapshot),
    contents: &BTreeMap<String, String>,
    names: &BTreeSet<String>,
) -> Option<(TreeFingerprint, BTreeMap<String, String>)> {
    if !before.fingerprint.matches(&after, workspace) {
        return None;
    }
    let mut files = after.files_outside_walk(workspace, names)?;
    for (path, content) in contents {
        if file_state(workspace, path) != *content {
            return None;
        }
        files.insert(path.clone(), content.clone());
    }
    Some((after.fingerprint, files))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
