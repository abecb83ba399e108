//! Manifests: which objects make up the index of a commit. A manifest is written after its objects, so that all of them
//! exist.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{hashed_object::RemoteObjectId, remote_error::RemoteError};

/// First bytes of a manifest.
const MARK: &[u8] = b"retriever manifest 1\n";
/// Size limit of a manifest.
pub(crate) const MAX_BYTES: u64 = 16 << 20;

/// The repository, commit and version that a manifest is for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexManifestKey {
    /// The repository's name.
    pub(crate) repository: String,
    /// The commit's hash.
    pub(crate) commit: String,
    /// The version of the code that makes the objects.
    pub(crate) version: String,
}

/// The objects of a commit's index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct IndexManifest {
    pub(crate) key: IndexManifestKey,
    /// The parts of the graph, including the content hash of each file.
    pub(crate) graph: Vec<RemoteObjectId>,
    /// The words of all files.
    pub(crate) words: Option<RemoteObjectId>,
    /// The [`RemoteFactsObjectList`].
    pub(crate) packs: RemoteObjectId,
}

/// The objects with facts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemoteFactsObjectList(pub(crate) Vec<RemoteFactsObject>);

/// An object with the facts of several contents.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RemoteFactsObject {
    pub(crate) object: RemoteObjectId,
    /// The first bytes of each content's ID. Facts carry the whole ID, so a collision is detected.
    pub(crate) contents: Vec<ShortContentId>,
}

/// The first bytes of a content's ID.
pub(crate) type ShortContentId = [u8; 8];

/// Returns the first bytes of a content's ID.
pub(crate) fn short(id: &[u8; 32]) -> ShortContentId {
    id.first_chunk().copied().unwrap_or_default()
}

impl IndexManifest {
    /// Returns the objects that the manifest itself names.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &RemoteObjectId> {
        self.graph.iter().chain(&self.words).chain([&self.packs])
    }

    /// Returns the bytes of the manifest, after their hash.
    pub(crate) fn encode(&self) -> Result<Vec<u8>, RemoteError> {
        let body = encode(self)?;
        Ok([MARK, blake3::hash(&body).as_bytes(), &body].concat())
    }

    /// Returns the manifest in `bytes`, which must be of `repository` and `version`.
    ///
    /// # Errors
    ///
    /// [`RemoteError::Refused`] when it is damaged or another's.
    pub(crate) fn decode(
        bytes: &[u8],
        repository: &str,
        version: &str,
    ) -> Result<Self, RemoteError> {
        let manifest = Self::decode_any(bytes)?;
        if manifest.key.repository != repository {
            return Err(RemoteError::refused("a manifest belongs to another repository"));
        }
        if manifest.key.version != version {
            return Err(RemoteError::refused("a manifest belongs to another version"));
        }
        Ok(manifest)
    }

    /// Returns the manifest in `bytes`, of any repository and version.
    pub(crate) fn decode_any(bytes: &[u8]) -> Result<Self, RemoteError> {
        let hashed = bytes.strip_prefix(MARK).and_then(|rest| rest.split_first_chunk::<32>());
        let body = hashed.filter(|(hash, body)| blake3::hash(body).as_bytes() == *hash);
        let (_, body) = body.ok_or_else(|| RemoteError::refused("a manifest is damaged"))?;
        decode(body)
    }
}

/// Returns a value as bytes.
pub(crate) fn encode(value: &impl Serialize) -> Result<Vec<u8>, RemoteError> {
    postcard::to_stdvec(value).map_err(|error| RemoteError::Failed(error.to_string()))
}

/// Returns the value in `bytes`.
pub(crate) fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, RemoteError> {
    postcard::from_bytes(bytes).map_err(|_| RemoteError::refused("an object can't be decoded"))
}
