//! The names that the resolution of a file looked up, packed, and the names whose meaning changed. Each has the file that
//! it was looked up in, or none for a table over all files.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::store::{FileKey, PackedBytes, StoreError};

/// The look-ups of a file. Each entry is the difference from the hash of the name before it, and the file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PackedLookups(PackedBytes);

/// The names that changed their meaning, by hash, with the files in which they did.
#[derive(Debug, Default)]
pub(super) struct ChangedNames(FxHashMap<u32, BTreeSet<Option<FileKey>>>);

impl PackedLookups {
    /// Packs hashes of names, each with the file that it was looked up in.
    pub(super) fn new(mut lookups: Vec<(u32, Option<FileKey>)>) -> Result<Self, StoreError> {
        lookups.sort_unstable();
        lookups.dedup();
        let mut bytes = Vec::new();
        let mut before = 0;
        for (name, file) in lookups {
            bytes = postcard::to_extend(&(name - before, file), bytes)
                .map_err(|error| StoreError::Unusable(error.to_string()))?;
            before = name;
        }
        Ok(Self(PackedBytes(bytes)))
    }

    /// Whether one of them may find something else. `reads` are the files that were read, sorted.
    pub(super) fn meet(&self, changed: &ChangedNames, reads: &[FileKey]) -> bool {
        let mut rest = self.0.0.as_slice();
        let mut name = 0_u32;
        while !rest.is_empty() {
            // The record fits its hash, so this is no damage; to resolve the file does no harm.
            let Ok(((distance, looked_into), next)) =
                postcard::take_from_bytes::<(u32, Option<FileKey>)>(rest)
            else {
                return true;
            };
            rest = next;
            name = name.wrapping_add(distance);
            let meets = |changed_in: &Option<FileKey>| match (changed_in, looked_into) {
                (None, _) => true,
                (Some(_), Some(_)) => *changed_in == looked_into,
                (Some(file), None) => reads.binary_search(file).is_ok(),
            };
            if changed.0.get(&name).is_some_and(|files| files.iter().any(meets)) {
                return true;
            }
        }
        false
    }
}

impl ChangedNames {
    /// Adds the hash of a name that changed its meaning in a file, or in a table over all files.
    pub(super) fn add(&mut self, file: Option<FileKey>, name: u32) {
        self.0.entry(name).or_default().insert(file);
    }
}
