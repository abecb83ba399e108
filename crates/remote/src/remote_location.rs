//! Where a remote is: an address as an object store, and the names of what is kept there.

use std::sync::Arc;

use futures::StreamExt;
use object_store::{
    GetResultPayload, ObjectStore, ObjectStoreExt, ObjectStoreScheme, PutPayload, path::Path,
};
use url::Url;

use super::{
    cloud_credentials::CloudCredentials,
    error::RemoteError,
    remote_timeout::RemoteTimeout,
    stored_object::{MAX_BYTES, StoredObjectId},
};

/// The first folder of everything; another format has another one.
const FORMAT: &str = "retriever-1";
/// How long one request may take.
const REQUEST_TIMEOUT: &str = "1h";
/// Letters of the folder of a repository.
const REPOSITORY_LETTERS: usize = 32;

/// Returns whether there is a store at an address that takes what is published: a plain web server is only read.
pub fn can_be_written(address: &str) -> bool {
    let scheme =
        Url::parse(address).ok().and_then(|url| Some(ObjectStoreScheme::parse(&url).ok()?.0));
    scheme.is_some_and(|scheme| scheme != ObjectStoreScheme::Http)
}

/// The folder of one repository in an object store.
#[derive(Clone)]
pub(crate) struct RemoteLocation {
    pub(crate) store: Arc<dyn ObjectStore>,
    folder: Path,
    /// The address as people see it: without credentials and query.
    pub(crate) shown: String,
}

impl RemoteLocation {
    /// Returns the folder of `repository` at an address.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Address`].
    pub(crate) fn open(
        address: &str,
        credentials: &CloudCredentials,
        repository: &str,
    ) -> Result<Self, RemoteError> {
        let bad = |reason: String| RemoteError::Address { address: shown(address), reason };
        let url = Url::parse(address).map_err(|error| bad(error.to_string()))?;
        // What the store says of an unknown scheme has all of the address.
        let scheme = ObjectStoreScheme::parse(&url);
        let (scheme, _) = scheme.map_err(|_| bad("it has an unknown scheme".to_owned()))?;
        // Azure has a container there.
        let has_user = !url.username().is_empty() && scheme != ObjectStoreScheme::MicrosoftAzure;
        if url.password().is_some() || has_user {
            let reason = "credentials come from the environment, not from the address";
            return Err(bad(reason.to_owned()));
        }
        // Fails when a provider is installed already, which is as good.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut options: Vec<(&str, &str)> = credentials.options().collect();
        // `RemoteTimeout` limits the whole answer, since a large object takes long.
        options.push(("timeout", REQUEST_TIMEOUT));
        if url.scheme() == "http" {
            options.push(("allow_http", "true"));
        }
        let (store, base) = object_store::parse_url_opts(&url, options).map_err(|error| {
            let hint = match url.scheme() {
                "file" | "http" | "https" => "",
                _ => "; s3://, gs:// and az:// need a program with the feature clouds",
            };
            bad(format!("{error}{hint}"))
        })?;
        let name = blake3::hash(repository.as_bytes()).to_hex();
        let folder = base.join(FORMAT).join(&name[..REPOSITORY_LETTERS]);
        Ok(Self { store: Arc::from(store), folder, shown: shown(address) })
    }

    /// Returns the path of an object.
    pub(crate) fn object(&self, id: &StoredObjectId) -> Path {
        self.objects().join(id.name())
    }

    /// Returns the folder of objects.
    pub(crate) fn objects(&self) -> Path {
        self.folder.clone().join("objects")
    }

    /// Returns the folder of manifests.
    pub(crate) fn manifests(&self) -> Path {
        self.folder.clone().join("manifests")
    }

    /// Returns the path of the manifest of a commit.
    pub(crate) fn manifest(&self, version: &str, commit: &str) -> Path {
        self.manifests().join(version).join(commit)
    }

    /// Returns the path of the file that names the commit published last.
    pub(crate) fn latest(&self, version: &str) -> Path {
        self.folder.clone().join("latest").join(version)
    }

    /// Returns the path of the file whose time is the store's clock.
    pub(crate) fn clock(&self) -> Path {
        self.folder.clone().join("clock")
    }

    /// Returns at most `limit` bytes at a path; `None` when there is nothing.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Refused`] when there are more, and what the store says.
    pub(crate) async fn get(
        &self,
        path: &Path,
        limit: u64,
        patience: &RemoteTimeout,
    ) -> Result<Option<Vec<u8>>, RemoteError> {
        let found = match self.store.get(path).await {
            Err(object_store::Error::NotFound { .. }) => {
                patience.note_answer();
                return Ok(None);
            }
            found => found?,
        };
        patience.note_answer();
        if found.meta.size > limit {
            return Err(RemoteError::refused("an object is longer than it may be"));
        }
        if let GetResultPayload::File(..) = found.payload {
            // A file is read at once: its stream is one of small pieces.
            return Ok(Some(found.bytes().await?.into()));
        }
        let mut bytes = Vec::with_capacity(usize::try_from(found.meta.size).unwrap_or(0));
        let mut chunks = found.into_stream();
        while let Some(chunk) = chunks.next().await {
            let chunk = chunk?;
            patience.note(chunk.len());
            bytes.extend_from_slice(&chunk);
            if bytes.len() as u64 > limit {
                return Err(RemoteError::refused("an object is longer than it says"));
            }
        }
        Ok(Some(bytes))
    }

    /// Returns an object as it is stored, for [`StoredObjectId::content`].
    ///
    /// # Errors
    ///
    /// [`RemoteError::Refused`] when it is gone or longer than its name says.
    pub(crate) async fn stored(
        &self,
        id: &StoredObjectId,
        patience: &RemoteTimeout,
    ) -> Result<Vec<u8>, RemoteError> {
        let stored = self.get(&self.object(id), id.bytes.min(MAX_BYTES), patience).await?;
        stored.ok_or_else(|| RemoteError::refused("an object is gone"))
    }

    /// Writes bytes at a path, as a whole.
    pub(crate) async fn put(&self, path: &Path, bytes: Vec<u8>) -> Result<(), RemoteError> {
        self.store.put(path, PutPayload::from(bytes)).await?;
        Ok(())
    }
}

/// Returns an address without what may be secret.
fn shown(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else { return "index.remote".to_owned() };
    // An address that can't have a user has none.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.set_query(None);
    url.to_string()
}
