//! Reads a published index: the manifest of the checked-out commit or of the nearest published ancestor, and its
//! objects. After the first failure the remote is not used any more, since the next request would fail in the same way.

use std::{
    collections::BTreeMap,
    fmt, fs,
    path::Path,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
        mpsc::{self, RecvTimeoutError},
    },
};

use futures::{StreamExt, stream};
use retriever_workspace::{CancellableOnce, Cancellation, cache_file_io};

use super::{
    blocking_runtime::POLL,
    git::is_commit_id,
    hashed_object::RemoteObjectId,
    index_manifest::{
        self, IndexManifest, RemoteFactsObject, RemoteFactsObjectList, ShortContentId,
    },
    remote_error::RemoteError,
    remote_repository::RemoteIndex,
    remote_timeout::RemoteTimeout,
};

/// Numbers of commits that are requested at once. The first is the one that is checked out.
const BATCHES: [usize; 3] = [1, 31, 480];
/// Most concurrent requests.
pub(crate) const CONCURRENCY: usize = 16;
/// Size limit of the file that names the latest published commit.
const MAX_LATEST_BYTES: u64 = 256;

/// Parts of a graph as they arrive; `None` when a part is missing, which makes the graph unusable.
pub type PortableGraphStream = Box<dyn Iterator<Item = Option<Vec<u8>>> + Send>;

/// Reads the published indexes of one repository.
pub struct RemoteReader {
    remote: RemoteIndex,
    taken: CancellableOnce<Option<Arc<IndexManifest>>>,
    packs: CancellableOnce<Arc<FetchedPacks>>,
    health: Arc<Health>,
    timeout: Arc<RemoteTimeout>,
}

/// Whether the remote is usable.
#[derive(Default)]
struct Health {
    is_given_up: AtomicBool,
    warnings: Mutex<Vec<String>>,
}

/// The packs of facts that a manifest names.
#[derive(Default)]
struct FetchedPacks {
    packs: Vec<FetchedPack>,
    /// The pack of each content.
    by_content: BTreeMap<ShortContentId, usize>,
}

struct FetchedPack {
    pack: RemoteFactsObject,
    /// Set when the pack is fetched.
    fetched: CancellableOnce<()>,
}

impl RemoteReader {
    /// Returns a reader; nothing is requested yet.
    pub fn new(remote: RemoteIndex) -> Self {
        let timeout = Arc::new(RemoteTimeout::new(remote.options().patience));
        Self {
            remote,
            timeout,
            taken: CancellableOnce::new(),
            packs: CancellableOnce::new(),
            health: Arc::new(Health::default()),
        }
    }

    /// Returns a reader of another repository of the same remote. Both share the time limit, and stop using the remote
    /// together.
    #[must_use]
    pub fn for_repository(&self, remote: RemoteIndex) -> Self {
        let (timeout, health) = (Arc::clone(&self.timeout), Arc::clone(&self.health));
        Self { timeout, health, ..Self::new(remote) }
    }

    /// The remote.
    pub fn remote(&self) -> &RemoteIndex {
        &self.remote
    }

    /// Returns the problems so far, one sentence each, and clears them.
    pub fn warnings(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.health.warnings))
    }

    /// Returns the parts of a graph of the checked-out commit or of an ancestor, and stores its manifest in the note;
    /// `None` when there is none.
    pub fn graph(&self, cancellation: &Cancellation) -> Option<PortableGraphStream> {
        let manifest = self.manifest(cancellation)?;
        if let Some(note) = &self.remote.options().note
            && let Ok(bytes) = manifest.encode()
        {
            // Without the note, facts are extracted from files.
            let _ = cache_file_io::replace_file(note, &bytes);
        }
        let (sender, receiver) = mpsc::channel();
        let (location, health) = (self.remote.location().clone(), Arc::clone(&self.health));
        let patience = Arc::clone(&self.timeout);
        self.remote.spawn(async move {
            let get = |id: RemoteObjectId| {
                let (location, patience) = (&location, patience.as_ref());
                async move { location.stored(&id, patience).await.map(|stored| (id, stored)) }
            };
            let mut objects = stream::iter(manifest.graph.clone()).map(get).buffered(CONCURRENCY);
            let send = async {
                while let Some(object) = objects.next().await {
                    if sender.send(Ok(object?)).is_err() {
                        // The receiver is gone.
                        break;
                    }
                }
                Ok(())
            };
            if let Err(error) = patience.wait(send).await {
                let _ = sender.send(Err(error));
            }
        });
        let address = self.remote.address().to_owned();
        let cancellation = cancellation.clone();
        // Parts are unpacked on the caller's thread while others are fetched.
        let part = move || loop {
            let object = match receiver.recv_timeout(POLL) {
                Ok(object) => object,
                Err(RecvTimeoutError::Timeout) if cancellation.is_cancelled() => return Some(None),
                Err(RecvTimeoutError::Timeout) => continue,
                Err(RecvTimeoutError::Disconnected) => return None,
            };
            let content = object.and_then(|(id, stored)| id.content(&stored));
            return Some(content.map_err(|error| health.give_up(&address, &error)).ok());
        };
        Some(Box::new(std::iter::from_fn(part)))
    }

    /// Returns the words of the files, of the same commit as [`RemoteReader::graph`]; `None` also after a cancellation.
    pub fn words(&self, cancellation: &Cancellation) -> Option<Vec<u8>> {
        let words = self.manifest(cancellation)?.words?;
        self.content(words, cancellation)
    }

    /// Fetches the facts of a content together with those of the same pack, and passes each to `keep` with the first
    /// bytes of the content's ID. They belong to the manifest that this process or an earlier one took.
    pub fn facts(
        &self,
        id: &[u8; 32],
        cancellation: &Cancellation,
        keep: &mut dyn FnMut(&[u8; 8], &[u8]),
    ) {
        let list = || Arc::new(self.pack_list(cancellation).unwrap_or_default());
        let Some(packs) = self.packs.get_or_init(cancellation, list) else { return };
        let Some(FetchedPack { pack, fetched }) =
            packs.by_content.get(&index_manifest::short(id)).and_then(|at| packs.packs.get(*at))
        else {
            return;
        };
        // Concurrent readers of the same pack wait for it.
        fetched.get_or_init(cancellation, || {
            let Some(content) = self.content(pack.object, cancellation) else { return };
            match postcard::from_bytes::<Vec<&[u8]>>(&content) {
                Ok(records) if records.len() == pack.contents.len() => {
                    pack.contents.iter().zip(records).for_each(|(id, record)| keep(id, record));
                }
                _ => self.give_up(&RemoteError::refused("an object can't be decoded")),
            }
        });
    }

    /// Returns the manifest to use; `None` when there is none, or the remote is not usable.
    pub(crate) fn manifest(&self, cancellation: &Cancellation) -> Option<Arc<IndexManifest>> {
        let find = || {
            if self.health.is_given_up.load(Ordering::Relaxed) {
                return None;
            }
            match self.find(cancellation) {
                Ok(found) => found.map(Arc::new),
                Err(RemoteError::Cancelled) => None,
                Err(error) => {
                    self.give_up(&error);
                    None
                }
            }
        };
        self.taken.get_or_init(cancellation, find).flatten()
    }

    /// Returns which object has which facts.
    pub(crate) fn pack_lists(
        &self,
        manifest: &IndexManifest,
        cancellation: &Cancellation,
    ) -> Option<RemoteFactsObjectList> {
        let content = self.content(manifest.packs, cancellation)?;
        index_manifest::decode(&content).map_err(|error| self.give_up(&error)).ok()
    }

    fn pack_list(&self, cancellation: &Cancellation) -> Option<FetchedPacks> {
        let taken = self.taken.get().flatten().or_else(|| self.noted());
        let manifest = taken.or_else(|| self.manifest(cancellation))?;
        let RemoteFactsObjectList(list) = self.pack_lists(&manifest, cancellation)?;
        let mut packs = FetchedPacks::default();
        for (at, pack) in list.into_iter().enumerate() {
            packs.by_content.extend(pack.contents.iter().map(|id| (*id, at)));
            packs.packs.push(FetchedPack { pack, fetched: CancellableOnce::new() });
        }
        Some(packs)
    }

    /// Returns the manifest that an earlier process took.
    #[expect(clippy::disallowed_methods, reason = "the cache's own file")]
    fn noted(&self) -> Option<Arc<IndexManifest>> {
        let options = self.remote.options();
        let bytes = fs::read::<&Path>(options.note.as_deref()?).ok()?;
        let found = IndexManifest::decode(&bytes, self.remote.repository(), &options.version);
        found.ok().map(Arc::new)
    }

    fn find(&self, cancellation: &Cancellation) -> Result<Option<IndexManifest>, RemoteError> {
        let git = self.remote.git();
        if let Some(head) = git.head() {
            let mut commits = vec![head.clone()];
            let mut start = 0;
            for size in BATCHES {
                if start > 0 && commits.len() <= start {
                    commits = git.ancestors(&head, BATCHES.iter().sum());
                }
                let batch = commits.iter().skip(start).take(size).cloned().collect();
                if let Some(found) = self.first_published(batch, cancellation)? {
                    return Ok(Some(found));
                }
                start += size;
            }
        }
        // A shallow clone has no ancestors.
        match self.latest(cancellation)? {
            Some(commit) => self.first_published(vec![commit], cancellation),
            None => Ok(None),
        }
    }

    /// Returns the manifest of the first of `commits` that has one.
    fn first_published(
        &self,
        commits: Vec<String>,
        cancellation: &Cancellation,
    ) -> Result<Option<IndexManifest>, RemoteError> {
        let (location, options) = (self.remote.location().clone(), self.remote.options());
        let (repository, version) = (self.remote.repository().to_owned(), options.version.clone());
        let patience = Arc::clone(&self.timeout);
        self.remote.run_until(cancellation, async move {
            let (location, repository, version) = (&location, &repository, &version);
            let patience = patience.as_ref();
            let get = |commit: String| async move {
                let path = location.manifest(version, &commit);
                let bytes = location.get(&path, index_manifest::MAX_BYTES, patience).await?;
                let Some(bytes) = bytes else { return Ok(None) };
                let found = IndexManifest::decode(&bytes, repository, version)?;
                if found.key.commit == commit {
                    Ok(Some(found))
                } else {
                    Err(RemoteError::refused("a manifest belongs to another commit"))
                }
            };
            let mut answers = stream::iter(commits).map(get).buffered(CONCURRENCY);
            let first = async {
                while let Some(answer) = answers.next().await {
                    if let Some(found) = answer? {
                        return Ok(Some(found));
                    }
                }
                Ok(None)
            };
            patience.wait(first).await
        })
    }

    /// Returns the latest published commit.
    fn latest(&self, cancellation: &Cancellation) -> Result<Option<String>, RemoteError> {
        let (location, options) = (self.remote.location().clone(), self.remote.options());
        let path = location.latest(&options.version);
        let patience = Arc::clone(&self.timeout);
        let get =
            async move { patience.wait(location.get(&path, MAX_LATEST_BYTES, &patience)).await };
        let commit = self
            .remote
            .run_until(cancellation, get)?
            .and_then(|bytes| String::from_utf8(bytes).ok());
        Ok(commit.map(|commit| commit.trim().to_owned()).filter(|commit| is_commit_id(commit)))
    }

    /// Returns the content of an object; `None` when it cannot be fetched.
    fn content(&self, id: RemoteObjectId, cancellation: &Cancellation) -> Option<Vec<u8>> {
        if self.health.is_given_up.load(Ordering::Relaxed) {
            return None;
        }
        let location = self.remote.location().clone();
        let patience = Arc::clone(&self.timeout);
        let get = async move { patience.wait(location.stored(&id, &patience)).await };
        match self.remote.run_until(cancellation, get).and_then(|stored| id.content(&stored)) {
            Ok(content) => Some(content),
            Err(RemoteError::Cancelled) => None,
            Err(error) => {
                self.give_up(&error);
                None
            }
        }
    }

    fn give_up(&self, error: &RemoteError) {
        self.health.give_up(self.remote.address(), error);
    }
}

impl Health {
    /// Stops using the remote, with one warning.
    fn give_up(&self, address: &str, error: &RemoteError) {
        if !self.is_given_up.swap(true, Ordering::Relaxed) {
            let sentence = format!(
                "the remote index {address} is not used: {error}; this machine builds what is missing"
            );
            lock(&self.warnings).push(sentence);
        }
    }
}

impl fmt::Debug for RemoteReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RemoteReader").field("remote", &self.remote).finish_non_exhaustive()
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
