//! What the questions of one chat share: answers that still hold, and places that the caller has been told of. A kept answer
//! is given again only while the whole tree, which every survey searches, looks as it did, and every file that the run was
//! shown has the same bytes. Which runs are worth keeping is [`crate::agent`]'s to say.

mod session_places;
mod store;
mod tree;

use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
    time::{SystemTime, UNIX_EPOCH},
};

use serde::{Deserialize, Serialize};

use self::{
    session_places::SessionPlaces,
    store::Store,
    tree::{Look, Tree, hex, standing},
};
use retriever_report::{CodeMap, SessionUse};
use retriever_search::SessionId;
use retriever_workspace::{ContentHash, RepoPath, Workspace};

/// Most answers that a session keeps; the oldest go first.
const MOST_REPORTS: usize = 64;
/// Seconds that an answer is kept.
const REPORT_AGE: u64 = 24 * 60 * 60;

/// All sessions of one root.
pub(crate) struct Sessions {
    store: Store,
}

/// What a session knows.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Session {
    /// When it was last used, in seconds since 1970.
    used: u64,
    questions: u64,
    hits: u64,
    places: SessionPlaces,
    reports: Vec<Report>,
}

/// An answer and what it depends on.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Report {
    key: String,
    /// When it was given, in seconds since 1970.
    at: u64,
    tree: Tree,
    /// Files that were shown or asked for by name, as they stood.
    seen: BTreeMap<String, String>,
    graph: Graph,
    map: CodeMap,
}

/// Whether candidates were found with the code graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Graph {
    /// They were, or would be now.
    Used,
    /// There is none yet. An answer without it holds until there is one.
    Missing,
}

/// What a session says to a question.
pub(crate) enum Found {
    /// An answer that still holds.
    Report(Box<CodeMap>),
    /// Nothing; the answer is to be told to the session.
    Nothing(Visit),
}

/// A question of a session while it is being answered.
pub(crate) struct Visit {
    id: SessionId,
    key: String,
    /// The tree before the run.
    before: Option<Look>,
}

/// What a run has looked at.
pub(crate) struct Seen {
    /// Files of which it was shown lines, and their content.
    pub(crate) files: Vec<(RepoPath, ContentHash)>,
    /// What its calls and its results name and what may be a path.
    pub(crate) named: BTreeSet<String>,
    /// Whether its answer may be given again.
    pub(crate) lasts: bool,
    pub(crate) graph: Graph,
}

impl Sessions {
    /// Returns the sessions that are kept in `folder`; without one they are kept in memory.
    pub(crate) fn new(folder: Option<PathBuf>) -> Self {
        Self { store: Store::new(folder) }
    }

    /// What went wrong without keeping a question from its answer, one sentence each; they are told once.
    pub(crate) fn warnings(&self) -> Vec<String> {
        self.store.warnings()
    }

    /// Looks for an answer. `key` stands for the question and everything that its answer depends on beside the files and the
    /// `graph`.
    pub(crate) fn find(
        &self,
        workspace: &Workspace,
        id: SessionId,
        key: String,
        graph: Graph,
    ) -> Found {
        let before = Look::at(workspace);
        let now = now();
        let kept = before.as_ref().and_then(|look| {
            self.store.load(&id).reports.into_iter().rev().find(|report| {
                report.key == key
                    && (report.graph == Graph::Used || graph == Graph::Missing)
                    && now.saturating_sub(report.at) <= REPORT_AGE
                    && report.tree.is_that_of(look, workspace)
                    && report.seen.iter().all(|(path, kept)| standing(workspace, path) == *kept)
            })
        });
        let Some(Report { mut map, .. }) = kept else {
            return Found::Nothing(Visit { id, key, before });
        };
        map.meta.session = Some(self.store.update(&id, |session| {
            session.hits = session.hits.saturating_add(1);
            session.count(now, Hit::Yes)
        }));
        Found::Report(Box::new(map))
    }

    /// Tells the session an answer: its places get IDs, those that the session has are reduced to theirs, and it is kept when
    /// nothing has changed meanwhile. `limit` is the most tokens that the map may have.
    pub(crate) fn finish(
        &self,
        workspace: &Workspace,
        visit: Visit,
        map: &mut CodeMap,
        seen: &Seen,
        limit: u64,
    ) {
        let hashes: BTreeMap<String, String> =
            seen.files.iter().map(|(path, hash)| (path.as_str().to_owned(), hex(hash))).collect();
        let kept = visit
            .before
            .as_ref()
            .filter(|_| seen.lasts)
            .and_then(|before| unchanged(workspace, before, &hashes, &seen.named));
        let (now, graph) = (now(), seen.graph);
        map.meta.session = Some(self.store.update(&visit.id, |session| {
            session.places.assign_ids(map, &hashes, limit);
            if let Some((tree, seen)) = kept {
                session.reports.retain(|report| {
                    report.key != visit.key && now.saturating_sub(report.at) <= REPORT_AGE
                });
                let more = (session.reports.len() + 1).saturating_sub(MOST_REPORTS);
                session.reports.drain(..more);
                let (key, map) = (visit.key, map.clone());
                session.reports.push(Report { key, at: now, tree, seen, graph, map });
            }
            session.count(now, Hit::No)
        }));
    }
}

#[derive(Clone, Copy)]
enum Hit {
    Yes,
    No,
}

impl Session {
    fn count(&mut self, now: u64, hit: Hit) -> SessionUse {
        self.used = now;
        self.questions = self.questions.saturating_add(1);
        let hit = matches!(hit, Hit::Yes);
        SessionUse { hit, questions: self.questions, hits: self.hits }
    }
}

/// Returns what an answer depends on, when all of it is as it was before the run and while lines were shown.
fn unchanged(
    workspace: &Workspace,
    before: &Look,
    hashes: &BTreeMap<String, String>,
    named: &BTreeSet<String>,
) -> Option<(Tree, BTreeMap<String, String>)> {
    let after = Look::at(workspace)?;
    if !before.tree.is_that_of(&after, workspace) {
        return None;
    }
    let mut seen = after.apart(workspace, named)?;
    for (path, hash) in hashes {
        if standing(workspace, path) != *hash {
            return None;
        }
        seen.insert(path.clone(), hash.clone());
    }
    Some((after.tree, seen))
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
