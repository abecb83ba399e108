//! Hashes of names and of other values, the same in every process, so that records of different files can be compared without the
//! values.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

/// Returns the hash of one value.
pub(crate) fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Returns the hash of a name.
pub(crate) fn name_hash(name: &str) -> u32 {
    let mut hasher = FxHasher::default();
    hasher.write(name.as_bytes());
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

/// Returns the hash of a name as that of a member of a definition named `holder`; `None` for whatever holds it.
pub(crate) fn member_hash(holder: Option<&str>, name: &str) -> u32 {
    let hash = hash_of((holder, name));
    (hash ^ hash >> 32) as u32
}
