//! The graph kept in step with the working tree: every question first compares the tree with what is known, reads what
//! differs, and resolves again. It is kept in the store when there is one that can be used, else in memory.

use std::{
    collections::BTreeMap,
    convert::Infallible,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use serde::Serialize;

use crate::{
    graph::{Graph, View},
    incremental::{
        change_scan::{Content, Row, TreeScan, WalkScope, walk},
        persist::{self, FactsWriter},
    },
    index::{FileFacts, SourceFile},
    languages,
    resolve::resolve_with_overlays,
    scip::{self, FileOverlay, Imported, ScipError, ScipIndex},
    store::{self, Store, StoreError, StoredGraph},
};
use retriever_workspace::{Walk, Workspace};

/// Files that a process reads before it waits for its turn to write: they may turn out to be the same.
const MAX_READ_BEFORE_LOCK: usize = 64;

/// Bytes of source that are read for a graph that nobody asked for: about two seconds on two cores.
const QUICK_BYTES: u64 = 10 * 1024 * 1024;

type Rows = BTreeMap<String, Row>;

/// The code graph of one workspace. Any number of threads and processes may ask; what they are told is the state of the
/// working tree when they asked.
pub struct Index {
    workspace: Arc<Workspace>,
    folder: Option<PathBuf>,
    memory: Mutex<Memory>,
    /// What compilers said and isn't kept yet.
    news: Mutex<BTreeMap<String, FileOverlay>>,
    warnings: Mutex<Vec<String>>,
}

/// What is told of a refresh while it runs: files that were read, and files to be read.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// What a refresh did, and what there is now.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Source files in the graph.
    pub files: usize,
    /// Files that were new or had another content.
    pub changed: usize,
    /// Files that were gone.
    pub removed: usize,
    /// Files whose references were resolved.
    pub resolved: usize,
    /// Nodes of the graph.
    pub nodes: u32,
    /// Whether the graph is kept for the next process.
    pub stored: bool,
}

/// How the store stands, without a change to it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Status {
    /// The store's folder.
    pub store: Option<PathBuf>,
    /// Its size in bytes; 0 when there is none.
    pub bytes: u64,
    /// Why it can't be used, when it can't.
    pub problem: Option<String>,
    /// Source files in the graph.
    pub files: usize,
    /// Nodes of the graph.
    pub nodes: u32,
    /// Files that look new or changed.
    pub stale: usize,
    /// Files that are gone.
    pub gone: usize,
    /// Files whose edges a compiler's index gave.
    pub told: usize,
    /// Files that have changed since a compiler's index was taken over; their edges are the program's own.
    pub outdated: usize,
}

#[derive(Default)]
struct Memory {
    rows: BTreeMap<String, Row>,
    told: BTreeMap<String, FileOverlay>,
    contents: BTreeMap<String, Content<Arc<FileFacts>>>,
    graph: Arc<Graph>,
}

/// Why the store didn't answer, and the store as far as it was opened.
struct Failure {
    error: StoreError,
    store: Option<Box<Store>>,
}

impl Index {
    /// Returns the index of `workspace`, kept in `folder`; without one in memory.
    pub fn new(workspace: Arc<Workspace>, folder: Option<PathBuf>) -> Self {
        Self {
            workspace,
            folder,
            memory: Mutex::default(),
            news: Mutex::default(),
            warnings: Mutex::default(),
        }
    }

    /// The folder below `base` that belongs to the root of `workspace`.
    pub fn folder_in(base: &Path, workspace: &Workspace) -> PathBuf {
        base.join(&blake3::hash(workspace.root().as_bytes()).to_hex()[..16])
    }

    /// The files that the graph is of.
    pub fn workspace(&self) -> &Arc<Workspace> {
        &self.workspace
    }

    /// Where the graph is kept.
    pub fn folder(&self) -> Option<&Path> {
        self.folder.as_deref()
    }

    /// What went wrong without keeping the index from its work, one sentence each; they are told once.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.warnings))
    }

    /// Makes the graph match the working tree.
    pub fn refresh(&self, progress: Progress<'_>) -> Summary {
        self.run(WalkScope::Sources, None, progress, |_, _, summary| summary.clone())
    }

    /// Makes the graph match the working tree, and meanwhile does `beside` with the files that it is compared with.
    pub fn refresh_beside(
        &self,
        progress: Progress<'_>,
        beside: impl FnOnce(&Walk) + Send,
    ) -> Summary {
        let walked = walk(&self.workspace, WalkScope::Tree);
        let tree = walked.all.clone();
        std::thread::scope(|threads| {
            threads.spawn(move || beside(&tree));
            self.run(WalkScope::Tree, Some(walked), progress, |_, _, summary| summary.clone())
        })
    }

    /// Takes over what compilers' indexes say of the files that are as they were indexed: from the next refresh on their
    /// edges replace the program's own, until a file changes. What was taken over before is kept for the other files.
    ///
    /// # Errors
    ///
    /// When the indexes speak of no file that is here as it was.
    pub fn import(&self, indexes: &[ScipIndex]) -> Result<Imported, ScipError> {
        let (told, imported) = scip::told(&self.workspace, indexes)?;
        lock(&self.news).extend(told);
        Ok(imported)
    }

    /// Makes the graph match the working tree and answers a question from it. `question` is put again when the store turns
    /// out to be damaged, and must not keep what it was told the first time.
    pub fn ask<T>(&self, question: impl Fn(&dyn View) -> T) -> T {
        self.run(WalkScope::Sources, None, &|_, _| {}, |_, graph, _| question(graph))
    }

    /// Does as [`Index::ask`] does, and tells the question the files that the graph was compared with, too.
    pub fn ask_on_walk<T>(&self, question: impl Fn(&Walk, &dyn View) -> T) -> T {
        self.run(WalkScope::Tree, None, &|_, _| {}, |walk, graph, _| question(walk, graph))
    }

    /// Answers a question that the graph helps with and that can do without: from a graph that is known and only has to be
    /// refreshed, or that is soon made because the tree's source is small; else from none.
    pub fn ask_if_quick<T>(&self, question: impl Fn(Option<&dyn View>) -> T) -> T {
        self.ask_on_walk_if_quick(|_, graph| question(graph))
    }

    /// Does as [`Index::ask_if_quick`] does, and tells the question the files of the tree, too.
    pub fn ask_on_walk_if_quick<T>(&self, question: impl Fn(&Walk, Option<&dyn View>) -> T) -> T {
        let mut walked = None;
        if !self.is_known() {
            let found = walk(&self.workspace, WalkScope::Tree);
            if found.source_bytes() > QUICK_BYTES {
                return question(&found.all, None);
            }
            walked = Some(found);
        }
        self.run(WalkScope::Tree, walked, &|_, _| {}, |walk, graph, _| question(walk, Some(graph)))
    }

    /// Whether there is a graph of an earlier time, so that a refresh has only the changes to read.
    pub fn is_known(&self) -> bool {
        self.folder.as_deref().is_some_and(|folder| store::size(folder).is_some())
            || !lock(&self.memory).rows.is_empty()
    }

    /// Forgets what is stored, so that the next refresh reads every file. What compilers' indexes said is no result of
    /// reading files: it stays, when it can be read.
    pub fn forget(&self) {
        let mut said = std::mem::take(&mut *lock(&self.memory)).told;
        if let Some(folder) = &self.folder {
            // What can't be opened has to go in any case.
            let standing = Store::open(folder).ok();
            let told = |store: &Store| persist::told(store, &persist::rows(store)?);
            if let Some(Ok(told)) = standing.as_ref().map(told) {
                said.extend(told);
            }
            if let Err(error) = Store::rebuild(folder, standing) {
                self.warn(format!(
                    "the stored code graph in {} can't be removed: {error}",
                    folder.display()
                ));
            }
        }
        let mut news = lock(&self.news);
        for (path, told) in said {
            news.entry(path).or_insert(told);
        }
    }

    /// Looks at the store and the tree without changing anything.
    pub fn status(&self) -> Status {
        let mut status = Status { store: self.folder.clone(), ..Status::default() };
        let mut rows = BTreeMap::new();
        let mut told = BTreeMap::new();
        if let Some(folder) = &self.folder
            && let Some(bytes) = store::size(folder)
        {
            status.bytes = bytes;
            let read = |store: Store| {
                let rows = persist::rows(&store)?;
                persist::told(&store, &rows).map(|told| (rows, told))
            };
            match Store::open(folder).and_then(read) {
                Ok(known) => (rows, told) = known,
                Err(error) => status.problem = Some(error.to_string()),
            }
        }
        let mut summary = Summary::default();
        summary.count(&rows);
        (status.files, status.nodes) = (summary.files, summary.nodes);
        let holds = |(path, told): &(&String, &FileOverlay)| {
            rows.get(*path).is_some_and(|row| row.is_of(&told.hash))
        };
        status.told = told.iter().filter(holds).count();
        status.outdated = told.len() - status.told;
        let walked = walk(&self.workspace, WalkScope::Sources);
        let (differing, gone) = walked.differing(&rows);
        (status.stale, status.gone) = (differing.len(), gone.len());
        status
    }

    fn warn(&self, sentence: String) {
        let mut warnings = lock(&self.warnings);
        if !warnings.contains(&sentence) {
            warnings.push(sentence);
        }
    }

    /// Brings the graph up to date and puts `question`. `walked` is a walk of just now, when there was one.
    fn run<T>(
        &self,
        breadth: WalkScope,
        mut walked: Option<TreeScan>,
        progress: Progress<'_>,
        question: impl Fn(&Walk, &dyn View, &Summary) -> T,
    ) -> T {
        let Some(folder) = &self.folder else {
            return self.run_in_memory(breadth, walked, progress, question);
        };
        let mut rebuilt = false;
        loop {
            match self.run_stored(folder, breadth, walked.take(), progress, &question) {
                Ok(answer) => return answer,
                Err(Failure { error: StoreError::Damaged(reason), store }) if !rebuilt => {
                    self.warn(format!(
                        "the stored code graph can't be used ({reason}); it is made anew"
                    ));
                    rebuilt = true;
                    if let Err(error) = Store::rebuild(folder, store.map(|store| *store)) {
                        self.say_unusable(folder, &error);
                        return self.run_in_memory(breadth, None, progress, question);
                    }
                }
                Err(Failure { error, .. }) => {
                    self.say_unusable(folder, &error);
                    return self.run_in_memory(breadth, None, progress, question);
                }
            }
        }
    }

    fn say_unusable(&self, folder: &Path, error: &StoreError) {
        self.warn(format!(
            "the code graph can't be kept in {} ({error}); it is made in memory for this run",
            folder.display()
        ));
    }

    fn run_stored<T>(
        &self,
        folder: &Path,
        breadth: WalkScope,
        walked: Option<TreeScan>,
        progress: Progress<'_>,
        question: impl Fn(&Walk, &dyn View, &Summary) -> T,
    ) -> Result<T, Failure> {
        let store = Store::open(folder).map_err(|error| Failure { error, store: None })?;
        match self.answer_stored(&store, breadth, walked, progress) {
            Ok((rows, walk, summary)) => {
                let files = rows.into_iter().map(|(path, row)| (row.key, path, row.nodes));
                let graph = StoredGraph::new(store, files);
                let answer = question(&walk, &graph, &summary);
                match graph.fault() {
                    Some(error) => {
                        Err(Failure { error, store: Some(Box::new(graph.into_store())) })
                    }
                    None => {
                        graph.end();
                        Ok(answer)
                    }
                }
            }
            Err(error) => Err(Failure { error, store: Some(Box::new(store)) }),
        }
    }

    /// Brings the store up to date; at the end `store` has begun to read the state of the returned files.
    fn answer_stored(
        &self,
        store: &Store,
        breadth: WalkScope,
        walked: Option<TreeScan>,
        progress: Progress<'_>,
    ) -> Result<(Rows, Walk, Summary), StoreError> {
        store.begin_read()?;
        // Reading anything holds the state; then the tree is looked at while the rest is read.
        persist::generation(store)?;
        let look = || walked.unwrap_or_else(|| walk(&self.workspace, breadth));
        let (rows, mut walked) = rayon::join(|| persist::rows(store), look);
        let mut rows = rows?;
        let mut summary = Summary { stored: true, ..Summary::default() };
        let news = lock(&self.news).clone();
        // A tree of which little is known is read by the one process that writes.
        let look = if walked.differing(&rows).0.len() <= MAX_READ_BEFORE_LOCK {
            let packer = FactsWriter::default();
            let keep = |key, known: Option<&Row>, facts| packer.pack(key, known, facts);
            Some(walked.look(&self.workspace, &rows, &|_, _| {}, keep)?)
        } else {
            None
        };
        match look {
            Some(look) if look.is_current() && news.is_empty() => {
                if !look.touched.is_empty() {
                    store.end_read()?;
                    // To read these files again next time is no harm.
                    if persist::touch(store, &look.touched).is_err() {
                        store.end_read().ok();
                    }
                    store.begin_read()?;
                    rows = persist::rows(store)?;
                }
            }
            look => {
                let generation = persist::generation(store)?;
                store.end_read()?;
                if rows.is_empty() {
                    store.let_system_sync()?;
                }
                store.begin_write()?;
                let look = match look {
                    Some(look) if persist::generation(store)? == generation => look,
                    _ => {
                        rows = persist::rows(store)?;
                        walked = walk(&self.workspace, breadth);
                        let packer = FactsWriter::to(store);
                        let keep = |key, known: Option<&Row>, facts| packer.pack(key, known, facts);
                        walked.look(&self.workspace, &rows, progress, keep)?
                    }
                };
                (summary.changed, summary.removed) = (look.fresh.len(), look.removed.len());
                let written = persist::write(store, &mut rows, look, &news)?;
                summary.resolved = written.resolved;
                store.commit()?;
                lock(&self.news).retain(|path, told| news.get(path) != Some(told));
                store.begin_read()?;
                if persist::generation(store)? != written.generation {
                    rows = persist::rows(store)?;
                }
            }
        }
        summary.count(&rows);
        Ok((rows, walked.all, summary))
    }

    fn run_in_memory<T>(
        &self,
        breadth: WalkScope,
        walked: Option<TreeScan>,
        progress: Progress<'_>,
        question: impl Fn(&Walk, &dyn View, &Summary) -> T,
    ) -> T {
        let mut memory = lock(&self.memory);
        let walked = walked.unwrap_or_else(|| walk(&self.workspace, breadth));
        let keep = |_, _: Option<&Row>, facts| Ok::<_, Infallible>(Arc::new(facts));
        let Ok(look) = walked.look(&self.workspace, &memory.rows, progress, keep);
        let mut summary = Summary {
            changed: look.fresh.len(),
            removed: look.removed.len(),
            ..Summary::default()
        };
        let news = std::mem::take(&mut *lock(&self.news));
        let is_current = look.is_current() && news.is_empty();
        memory.told.extend(news);
        memory.rows.extend(look.touched);
        for path in &look.removed {
            memory.rows.remove(path);
            memory.contents.remove(path);
            memory.told.remove(path);
        }
        for (path, (row, content)) in look.fresh {
            memory.rows.insert(path.clone(), row);
            memory.contents.insert(path, content);
        }
        if !is_current {
            let (mut sources, mut manifests) = (Vec::new(), Vec::new());
            for (path, content) in memory.contents.clone() {
                match content {
                    Content::Source(facts) => sources.push(SourceFile { path, facts }),
                    Content::Manifest(text) => manifests.push((path, text)),
                    Content::Nothing => {}
                }
            }
            let mut told = memory.told.clone();
            let rows = &memory.rows;
            told.retain(|path, told| rows.get(path).is_some_and(|row| row.is_of(&told.hash)));
            summary.resolved = sources.len();
            memory.graph =
                Arc::new(resolve_with_overlays(&sources, &manifests, &told, languages::RULES));
            let counts: BTreeMap<String, u32> = View::files(memory.graph.as_ref())
                .into_iter()
                .map(|(path, nodes)| (path.to_owned(), nodes.end - nodes.start))
                .collect();
            for (path, row) in &mut memory.rows {
                row.nodes = counts.get(path).copied().unwrap_or_default();
            }
        }
        summary.count(&memory.rows);
        let graph = Arc::clone(&memory.graph);
        drop(memory);
        question(&walked.all, graph.as_ref(), &summary)
    }
}

impl Summary {
    fn count(&mut self, rows: &Rows) {
        self.files = rows.values().filter(|row| row.nodes > 0).count();
        self.nodes = rows.values().map(|row| row.nodes).sum();
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
