//! The location of a remote: an address as an object store, and the paths of its files.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use futures::{FutureExt, StreamExt};
use object_store::{
    GetResultPayload, ObjectMeta, ObjectStore, ObjectStoreExt, ObjectStoreScheme, PutPayload,
    RetryConfig, http::HttpBuilder, path::Path,
};
use url::Url;

use super::{
    hashed_object::{MAX_BYTES, RemoteObjectId},
    object_store_credentials::ObjectStoreCredentials,
    remote_error::RemoteError,
    remote_timeout::RemoteTimeout,
};
use crate::remote_timeout::in_time;

/// The top folder. It changes with the format.
const FORMAT: &str = "retriever-1";
/// Time limit of the client for one request. Callers limit reads by [`RemoteTimeout`], and everything else by
/// [`ANSWER_TIMEOUT`].
const REQUEST_TIMEOUT: &str = "1h";
/// Longest wait of a publisher for an answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(60);
/// Least rate of writing, in bytes per second; slower writes count as stalled.
const MIN_BYTES_PER_SECOND: u64 = 20_000;
/// With a shorter time limit failed requests are not repeated, since the first wait would use a large part of it.
const PATIENCE_FOR_RETRIES: Duration = Duration::from_secs(1);
/// Length of the name of a repository's folder.
const REPOSITORY_LETTERS: usize = 32;

/// Returns whether an address can be published to; only plain web servers are read-only. An invalid address counts as
/// writable, so that opening it reports the error.
pub fn can_be_written(address: &str) -> bool {
    let scheme =
        Url::parse(address).ok().and_then(|url| Some(ObjectStoreScheme::parse(&url).ok()?.0));
    !address.is_empty() && scheme != Some(ObjectStoreScheme::Http)
}

/// The folder of one repository in an object store.
#[derive(Clone)]
pub(crate) struct RemoteLocation {
    store: Arc<dyn ObjectStore>,
    folder: Path,
    /// The address for messages: without credentials and query.
    pub(crate) shown: String,
}

impl RemoteLocation {
    /// Returns the folder of `repository` at an address, with the time limit of a caller.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Address`].
    pub(crate) fn open(
        address: &str,
        credentials: &ObjectStoreCredentials,
        repository: &str,
        patience: Duration,
    ) -> Result<Self, RemoteError> {
        let bad = |reason: String| RemoteError::Address { address: shown(address), reason };
        let url = Url::parse(address).map_err(|error| match error {
            url::ParseError::RelativeUrlWithoutBase => {
                bad("it is no URL; a folder is file:///path/of/it".to_owned())
            }
            error => bad(error.to_string()),
        })?;
        // The store's error for an unknown scheme contains the whole address.
        let scheme = ObjectStoreScheme::parse(&url);
        let (scheme, _) = scheme.map_err(|_| bad("it has an unknown scheme".to_owned()))?;
        // Azure has the container there.
        let has_user = !url.username().is_empty() && scheme != ObjectStoreScheme::MicrosoftAzure;
        if url.password().is_some() || has_user {
            let reason = "credentials come from the environment, not from the address";
            return Err(bad(reason.to_owned()));
        }
        // An error means that a provider is already installed.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut options: Vec<(&str, &str)> = credentials.options().collect();
        // `RemoteTimeout` limits the whole answer, since large objects take long.
        options.push(("timeout", REQUEST_TIMEOUT));
        if url.scheme() == "http" {
            options.push(("allow_http", "true"));
        }
        let mut retry = RetryConfig::default();
        if patience < PATIENCE_FOR_RETRIES {
            retry.max_retries = 0;
        }
        let (store, base) = opened(&url, &options, retry).map_err(|error| {
            let hint = match url.scheme() {
                "file" | "http" | "https" => "",
                _ => "; s3://, gs:// and az:// need a program with the feature clouds",
            };
            bad(format!("{error}{hint}"))
        })?;
        let name = blake3::hash(repository.as_bytes()).to_hex();
        let folder = base.join(FORMAT).join(&name[..REPOSITORY_LETTERS]);
        Ok(Self { store, folder, shown: shown(address) })
    }

    /// Returns the path of an object.
    pub(crate) fn object(&self, id: &RemoteObjectId) -> Path {
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

    /// Returns the time of the store, so that a wrong clock on this machine has no effect.
    pub(crate) async fn now(&self) -> Result<SystemTime, RemoteError> {
        let path = self.folder.clone().join("clock");
        self.put(&path, Vec::new()).await?;
        let clock = self.head(&path).await?;
        let gone = || RemoteError::refused("what was just written is gone");
        Ok(clock.ok_or_else(gone)?.last_modified.into())
    }

    /// Returns the file at a path, at most `limit` bytes; `None` when there is none.
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
            // A file is read at once, since its stream has small pieces.
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

    /// Returns an object as it is stored, for [`RemoteObjectId::content`].
    ///
    /// # Errors
    ///
    /// [`RemoteError::Refused`] when it is gone or longer than its name says.
    pub(crate) async fn stored(
        &self,
        id: &RemoteObjectId,
        patience: &RemoteTimeout,
    ) -> Result<Vec<u8>, RemoteError> {
        let stored = self.get(&self.object(id), id.bytes.min(MAX_BYTES), patience).await?;
        stored.ok_or_else(|| RemoteError::refused("an object is gone"))
    }

    /// Writes a file at a path, as a whole.
    pub(crate) async fn put(&self, path: &Path, bytes: Vec<u8>) -> Result<(), RemoteError> {
        let limit = Duration::from_secs(bytes.len() as u64 / MIN_BYTES_PER_SECOND);
        let put = self.store.put(path, PutPayload::from(bytes));
        in_time(ANSWER_TIMEOUT + limit, put).await?;
        Ok(())
    }

    /// Returns the metadata of the file at a path; `None` when there is none.
    pub(crate) async fn head(&self, path: &Path) -> Result<Option<ObjectMeta>, RemoteError> {
        let head = async {
            match self.store.head(path).await {
                Err(object_store::Error::NotFound { .. }) => Ok(None),
                found => found.map(Some),
            }
        };
        in_time(ANSWER_TIMEOUT, head).await
    }

    /// Removes the file at a path, which another process may have removed just now.
    pub(crate) async fn delete(&self, path: &Path) -> Result<(), RemoteError> {
        let delete = async {
            match self.store.delete(path).await {
                Err(object_store::Error::NotFound { .. }) => Ok(()),
                done => done,
            }
        };
        in_time(ANSWER_TIMEOUT, delete).await
    }

    /// Returns the metadata of all files in a folder.
    pub(crate) async fn list(&self, folder: &Path) -> Result<Vec<ObjectMeta>, RemoteError> {
        let mut files = self.store.list(Some(folder));
        let mut found = Vec::new();
        // The listing comes in pages.
        while let Some(file) = in_time(ANSWER_TIMEOUT, files.next().map(Ok)).await? {
            found.push(file?);
        }
        Ok(found)
    }
}

/// Sets the options of a store as [`object_store::parse_url_opts`] does, and the retries, which that function does not
/// set.
macro_rules! build {
    ($builder:ty, $url:expr, $options:expr, $retry:expr) => {{
        let builder = <$builder>::new().with_url($url).with_retry($retry);
        let builder = $options.iter().fold(builder, |builder, (key, value)| {
            match key.to_ascii_lowercase().parse() {
                Ok(key) => builder.with_config(key, *value),
                Err(_) => builder,
            }
        });
        Arc::new(builder.build()?)
    }};
}

/// Returns the store of an address, and the path within it.
fn opened(
    url: &Url,
    options: &[(&str, &str)],
    retry: RetryConfig,
) -> Result<(Arc<dyn ObjectStore>, Path), object_store::Error> {
    let (scheme, path) = ObjectStoreScheme::parse(url)?;
    let store: Arc<dyn ObjectStore> = match scheme {
        ObjectStoreScheme::Http => {
            build!(HttpBuilder, &url[..url::Position::BeforePath], options, retry)
        }
        #[cfg(feature = "clouds")]
        ObjectStoreScheme::AmazonS3 => {
            build!(object_store::aws::AmazonS3Builder, url.as_str(), options, retry)
        }
        #[cfg(feature = "clouds")]
        ObjectStoreScheme::GoogleCloudStorage => {
            build!(object_store::gcp::GoogleCloudStorageBuilder, url.as_str(), options, retry)
        }
        #[cfg(feature = "clouds")]
        ObjectStoreScheme::MicrosoftAzure => {
            build!(object_store::azure::MicrosoftAzureBuilder, url.as_str(), options, retry)
        }
        _ => Arc::from(object_store::parse_url_opts(url, options.iter().copied())?.0),
    };
    Ok((store, Path::parse(path)?))
}

/// Returns an address without the parts that may be secret.
fn shown(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else { return "index.remote".to_owned() };
    // An error means that the address has no user.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.set_query(None);
    url.to_string()
}
