//! Records: values as bytes behind a hash of the bytes, so that a damaged record is found when it is read, and only the
//! records that a question asks for have to be read.

use retriever_workspace::cache_file_io;
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::StoreError;

/// Records that names are distributed over.
pub(crate) const NAME_BUCKETS: u32 = 64;

/// A file's number in the store. It stays the same while the file exists.
pub(crate) type FileKey = i64;

/// Returns the bucket of a name. Letter case does not count.
pub(crate) fn name_bucket(name: &str) -> u32 {
    let hash = blake3::hash(name.to_lowercase().as_bytes());
    u32::from(hash.as_bytes()[0]) % NAME_BUCKETS
}

/// Returns a value as a checksummed record.
pub(crate) fn encode(value: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    let payload =
        postcard::to_stdvec(value).map_err(|error| StoreError::Unusable(error.to_string()))?;
    Ok(cache_file_io::add_checksum(&payload))
}

/// Returns the value of a checksummed record.
///
/// # Errors
///
/// [`StoreError::Damaged`] when the record does not fit its hash or holds another value.
pub(crate) fn decode<T: DeserializeOwned>(encoded: &[u8]) -> Result<T, StoreError> {
    decode_borrowed(encoded)
}

/// Does as [`decode`] for a value that borrows from the record.
pub(crate) fn decode_borrowed<'a, T: Deserialize<'a>>(encoded: &'a [u8]) -> Result<T, StoreError> {
    postcard::from_bytes(payload(encoded)?).map_err(|_| malformed())
}

/// Returns the bytes of a checksummed record.
pub(crate) fn payload(encoded: &[u8]) -> Result<&[u8], StoreError> {
    cache_file_io::strip_checksum(encoded)
        .ok_or_else(|| StoreError::Damaged("a record does not match its hash".to_owned()))
}

/// Reads one value off the front of `bytes`.
pub(super) fn take<'a, T: Deserialize<'a>>(bytes: &'a [u8]) -> Result<(T, &'a [u8]), StoreError> {
    postcard::take_from_bytes(bytes).map_err(|_| malformed())
}

pub(super) fn malformed() -> StoreError {
    StoreError::Damaged("a record can't be decoded".to_owned())
}

/// Returns the place of a variant among all.
pub(super) fn variant_index<T: Copy + PartialEq>(all: &[T], one: T) -> u8 {
    let place = all.iter().position(|known| *known == one);
    place.and_then(|at| u8::try_from(at).ok()).unwrap_or(u8::MAX)
}

/// Returns the variant at a place.
pub(super) fn variant_at<T: Copy>(all: &[T], place: u8) -> Result<T, StoreError> {
    let variant = all.get(usize::from(place)).copied();
    variant.ok_or_else(|| StoreError::Damaged("a record holds an unknown kind".to_owned()))
}
