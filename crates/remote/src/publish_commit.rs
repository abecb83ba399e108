//! Publication: the objects of a commit first, its manifest last. A publication that is interrupted leaves objects that
//! no manifest names. Existing objects are not written again.

use std::{
    collections::BTreeSet,
    time::{Duration, SystemTime},
};

use futures::{StreamExt, TryStreamExt, stream};
use retriever_workspace::Cancellation;
use serde::Serialize;

use super::{
    fetch_published_index::{CONCURRENCY, RemoteReader},
    hashed_object::{self, RemoteObjectId},
    index_manifest::{
        self, IndexManifest, IndexManifestKey, RemoteFactsObject, RemoteFactsObjectList,
        ShortContentId,
    },
    remote_error::RemoteError,
    remote_location::RemoteLocation,
};

/// Target size of an object with facts, in bytes. The facts of each content are compressed separately; a reader that
/// needs one of them fetches the object.
const PACK_BYTES: usize = 256 << 10;
/// Earlier objects with facts are reused when at least this share of their facts is still needed, in percent.
const MIN_USED_PERCENT: usize = 50;
/// Existing objects that are older are written again, so that pruning does not remove them before the manifest names
/// them.
const MAX_AGE: Duration = Duration::from_secs(12 * 3_600);

/// The index of a commit, for publication.
pub struct CommitToPublish<'a> {
    /// The parts of the graph.
    pub graph: Vec<Vec<u8>>,
    /// The words of all files.
    pub words: Option<Vec<u8>>,
    /// The contents of all files.
    pub contents: Vec<[u8; 32]>,
    /// Returns the facts of a content, if they are known.
    pub facts: &'a dyn Fn(&[u8; 32]) -> Option<Vec<u8>>,
}

/// The result of a publication.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PublishedCommit {
    /// The repository's name.
    pub repository: String,
    /// The commit.
    pub commit: String,
    /// Objects that the commit's manifest names, directly or through its list of facts.
    pub objects: usize,
    /// Their size.
    pub bytes: u64,
    /// Objects that were uploaded.
    pub uploaded: usize,
    /// Their size.
    pub uploaded_bytes: u64,
}

impl RemoteReader {
    /// Publishes the index of the checked-out commit.
    ///
    /// # Errors
    ///
    /// [`RemoteError`]. Readers then see what was published before.
    pub fn publish(
        &self,
        publication: CommitToPublish<'_>,
    ) -> Result<PublishedCommit, RemoteError> {
        let (remote, options) = (self.remote(), self.remote().options());
        let commit = remote.git().head().ok_or(RemoteError::NoCommit)?;
        let location = remote.location().clone();
        let now = remote.run(async move { location.now().await })?;
        let mut upload = Upload { reader: self, now, done: PublishedCommit::default() };
        upload.done.repository = remote.repository().to_owned();
        upload.done.commit.clone_from(&commit);
        let CommitToPublish { graph, words, contents, facts } = publication;
        let packs = upload.facts(&contents, facts)?;
        let graph = upload.contents(graph)?;
        let words = upload.contents(words.into_iter().collect())?.pop();
        let packs = index_manifest::encode(&packs)?;
        let packs = upload.contents(vec![packs])?;
        let packs = *packs.first().ok_or(RemoteError::NoCommit)?;
        let version = options.version.clone();
        let key = IndexManifestKey {
            repository: remote.repository().to_owned(),
            commit: commit.clone(),
            version: version.clone(),
        };
        let bytes = IndexManifest { key, graph, words, packs }.encode()?;
        let location = remote.location().clone();
        remote.run(async move {
            location.put(&location.manifest(&version, &commit), bytes).await?;
            location.put(&location.latest(&version), commit.into_bytes()).await
        })?;
        Ok(upload.done)
    }
}

/// A running publication.
struct Upload<'a> {
    reader: &'a RemoteReader,
    /// The time of the store.
    now: SystemTime,
    done: PublishedCommit,
}

impl Upload<'_> {
    /// Publishes facts that no earlier publication has, and returns the objects with the facts of all `contents`.
    fn facts(
        &mut self,
        contents: &[[u8; 32]],
        facts: &dyn Fn(&[u8; 32]) -> Option<Vec<u8>>,
    ) -> Result<RemoteFactsObjectList, RemoteError> {
        let never = Cancellation::new();
        let known = self.reader.manifest(&never);
        let known = known.and_then(|base| self.reader.pack_lists(&base, &never));
        let wanted: BTreeSet<ShortContentId> = contents.iter().map(index_manifest::short).collect();
        let is_used = |pack: &RemoteFactsObject| {
            let used = pack.contents.iter().filter(|id| wanted.contains(*id)).count();
            used * 100 >= pack.contents.len() * MIN_USED_PERCENT
        };
        let known = known.unwrap_or_default().0.into_iter().filter(is_used).collect();
        let mut list = RemoteFactsObjectList(self.present(known)?);
        for RemoteFactsObject { object, .. } in &list.0 {
            self.done.objects += 1;
            self.done.bytes += object.bytes;
        }
        let mut present: BTreeSet<ShortContentId> =
            list.0.iter().flat_map(|pack| pack.contents.iter().copied()).collect();
        let mut records: Vec<Vec<u8>> = Vec::new();
        let mut ids: Vec<ShortContentId> = Vec::new();
        for id in contents {
            if present.insert(index_manifest::short(id))
                && let Some(record) = facts(id)
            {
                records.push(record);
                ids.push(index_manifest::short(id));
            }
            if records.iter().map(Vec::len).sum::<usize>() >= PACK_BYTES {
                list.0.push(self.pack(&mut records, &mut ids)?);
            }
        }
        if !records.is_empty() {
            list.0.push(self.pack(&mut records, &mut ids)?);
        }
        Ok(list)
    }

    /// Returns the objects that exist and are young enough to be kept until the manifest names them.
    fn present(
        &self,
        packs: Vec<RemoteFactsObject>,
    ) -> Result<Vec<RemoteFactsObject>, RemoteError> {
        let (location, now) = (self.reader.remote().location().clone(), self.now);
        self.reader.remote().run(async move {
            let check = |pack: RemoteFactsObject| {
                let location = &location;
                async move {
                    let is_there = is_present(location, pack.object, now).await?;
                    Ok::<_, RemoteError>(is_there.then_some(pack))
                }
            };
            let checked = stream::iter(packs).map(check).buffered(CONCURRENCY);
            Ok(checked.try_collect::<Vec<_>>().await?.into_iter().flatten().collect())
        })
    }

    /// Publishes facts as one object.
    fn pack(
        &mut self,
        records: &mut Vec<Vec<u8>>,
        ids: &mut Vec<ShortContentId>,
    ) -> Result<RemoteFactsObject, RemoteError> {
        let content: Vec<&[u8]> = records.iter().map(Vec::as_slice).collect();
        let content = index_manifest::encode(&content)?;
        records.clear();
        let objects = self.contents(vec![content])?;
        let object = *objects.first().ok_or(RemoteError::NoCommit)?;
        Ok(RemoteFactsObject { object, contents: std::mem::take(ids) })
    }

    /// Publishes contents, and returns the names of their objects.
    fn contents(&mut self, contents: Vec<Vec<u8>>) -> Result<Vec<RemoteObjectId>, RemoteError> {
        let mut ids = Vec::new();
        let mut objects = Vec::new();
        for content in contents {
            let (id, stored) = hashed_object::pack(&content)?;
            self.done.objects += 1;
            self.done.bytes += id.bytes;
            ids.push(id);
            objects.push((id, stored));
        }
        let (location, now) = (self.reader.remote().location().clone(), self.now);
        let uploaded = self.reader.remote().run(async move {
            let objects = stream::iter(objects);
            let put = objects.map(|(id, stored)| put_if_absent(&location, id, stored, now));
            put.buffer_unordered(CONCURRENCY).try_collect::<Vec<Option<u64>>>().await
        })?;
        for bytes in uploaded.into_iter().flatten() {
            self.done.uploaded += 1;
            self.done.uploaded_bytes += bytes;
        }
        Ok(ids)
    }
}

/// Writes an object unless it exists and is young. Returns the number of bytes written.
async fn put_if_absent(
    location: &RemoteLocation,
    id: RemoteObjectId,
    stored: Vec<u8>,
    now: SystemTime,
) -> Result<Option<u64>, RemoteError> {
    if is_present(location, id, now).await? {
        return Ok(None);
    }
    location.put(&location.object(&id), stored).await?;
    Ok(Some(id.bytes))
}

/// Whether an object exists and is young.
async fn is_present(
    location: &RemoteLocation,
    id: RemoteObjectId,
    now: SystemTime,
) -> Result<bool, RemoteError> {
    let known = location.head(&location.object(&id)).await?;
    Ok(known.is_some_and(|known| {
        let age = now.duration_since(known.last_modified.into()).unwrap_or_default();
        known.size == id.bytes && age < MAX_AGE
    }))
}
