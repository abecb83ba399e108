//! Pruning: removes old manifests, and objects that no manifest names. It uses the times of the store, so that a wrong
//! clock on this machine does no harm.

use std::{
    collections::BTreeSet,
    time::{Duration, SystemTime},
};

use object_store::ObjectMeta;
use serde::Serialize;

use super::{
    index_manifest::{self, IndexManifest, RemoteFactsObjectList},
    remote_error::RemoteError,
    remote_location::RemoteLocation,
    remote_repository::RemoteIndex,
    remote_timeout::RemoteTimeout,
};

/// Age up to which unnamed objects are kept, since a running publication may be about to name them.
const GRACE: Duration = Duration::from_secs(24 * 3_600);

/// What pruning removed, and what is left.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PruneOutcome {
    /// Manifests that were removed.
    pub manifests: usize,
    /// Objects that were removed.
    pub objects: usize,
    /// Their size.
    pub bytes: u64,
    /// Manifests that are left.
    pub kept_manifests: usize,
    /// Size of the objects that are left.
    pub kept_bytes: u64,
}

impl RemoteIndex {
    /// Removes publications of the repository that are older than `keep`, by the clock of the store.
    ///
    /// # Errors
    ///
    /// [`RemoteError`].
    pub fn prune(&self, keep: Duration) -> Result<PruneOutcome, RemoteError> {
        let location = self.location().clone();
        let patience = RemoteTimeout::new(Duration::MAX);
        self.run(async move { prune(&location, keep, &patience).await })
    }
}

async fn prune(
    location: &RemoteLocation,
    keep: Duration,
    patience: &RemoteTimeout,
) -> Result<PruneOutcome, RemoteError> {
    let now = location.now().await?;
    let mut pruned = PruneOutcome::default();
    let mut named = BTreeSet::new();
    // Objects are listed before manifests: an object of a manifest that is written meanwhile is younger than the grace
    // period.
    let objects = location.list(&location.objects()).await?;
    for file in location.list(&location.manifests()).await? {
        let known = location.get(&file.location, index_manifest::MAX_BYTES, patience).await?;
        let manifest = known.and_then(|bytes| IndexManifest::decode_any(&bytes).ok());
        match manifest {
            Some(manifest) if age(&file, now) <= keep => {
                named.extend(names(location, &manifest, patience).await?);
                pruned.kept_manifests += 1;
            }
            // A manifest that is old or cannot be read.
            _ => {
                location.delete(&file.location).await?;
                pruned.manifests += 1;
            }
        }
    }
    for file in objects {
        let is_named = file.location.filename().is_some_and(|name| named.contains(name));
        if is_named || age(&file, now) <= GRACE {
            pruned.kept_bytes += file.size;
        } else {
            location.delete(&file.location).await?;
            pruned.objects += 1;
            pruned.bytes += file.size;
        }
    }
    Ok(pruned)
}

/// Returns the names of all objects of a manifest.
async fn names(
    location: &RemoteLocation,
    manifest: &IndexManifest,
    patience: &RemoteTimeout,
) -> Result<Vec<String>, RemoteError> {
    let mut names: Vec<String> = manifest.objects().map(|id| id.name()).collect();
    let list = match location.stored(&manifest.packs, patience).await {
        // A list that is missing names no object in use.
        Err(RemoteError::Refused(_)) => RemoteFactsObjectList::default(),
        // A list that cannot be read now may name objects in use.
        stored => {
            let content = manifest.packs.content(&stored?);
            content.and_then(|content| index_manifest::decode(&content)).unwrap_or_default()
        }
    };
    names.extend(list.0.iter().map(|pack| pack.object.name()));
    Ok(names)
}

fn age(file: &ObjectMeta, now: SystemTime) -> Duration {
    now.duration_since(file.last_modified.into()).unwrap_or_default()
}
