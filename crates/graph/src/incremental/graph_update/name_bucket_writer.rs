//! The records of names by bucket, written again where a name has come or gone.

use std::collections::{BTreeMap, BTreeSet};

use rayon::prelude::*;

use super::Update;
use crate::{
    resolve::Name,
    store::{
        FileKey, NameTableBucket, NodeRecord, StoreError, StoreTable,
        checksummed_record::{self, NAME_BUCKETS, name_bucket},
    },
};

impl Update<'_> {
    /// Returns the names of a file's nodes that have another number of nodes than in the store.
    pub(super) fn changed_names(
        &self,
        key: FileKey,
        nodes: &NodeRecord,
    ) -> Result<Vec<(Name, u32)>, StoreError> {
        let program = self.resolver.program();
        let mut names = nodes.nodes.names()?;
        let mut gone = Vec::new();
        if self.known.is_some()
            && let Some(encoded) = self.store.get(StoreTable::Nodes, key)?
        {
            for (name, count) in
                checksummed_record::decode::<NodeRecord>(&encoded)?.nodes.names()?
            {
                match names.get(name) {
                    None => gone.push((program.intern(name), 0)),
                    Some(now) if *now == count => drop(names.remove(name)),
                    Some(_) => {}
                }
            }
        }
        let names = names.into_iter().map(|(name, count)| (program.intern(name), count));
        Ok(names.chain(gone).collect())
    }

    /// Returns the names of removed files with no nodes each.
    pub(super) fn names_of_removed(&self) -> Result<Vec<(Name, FileKey, u32)>, StoreError> {
        let program = self.resolver.program();
        let mut names = Vec::new();
        for (key, removed) in self.removed() {
            let record: NodeRecord = checksummed_record::decode(&removed.nodes)?;
            let of_file = record.nodes.names()?.into_keys();
            names.extend(of_file.map(|name| (program.intern(name), key, 0)));
        }
        Ok(names)
    }

    /// Writes the buckets of names that have another number of nodes in a file than before.
    pub(super) fn write_names(
        &self,
        mut changes: Vec<(Name, FileKey, u32)>,
    ) -> Result<(), StoreError> {
        let program = self.resolver.program();
        let mut buckets: BTreeMap<u32, Vec<(&str, FileKey, u32)>> = BTreeMap::new();
        if self.known.is_none() {
            buckets.extend((0..NAME_BUCKETS).map(|number| (number, Vec::new())));
        }
        changes.sort_unstable();
        for same in changes.chunk_by(|a, b| a.0 == b.0) {
            let name = program.text(same[0].0);
            let bucket = buckets.entry(name_bucket(name)).or_default();
            bucket.extend(same.iter().map(|(_, key, count)| (name, *key, *count)));
        }
        let encoded = buckets.into_par_iter().map(|(number, changes)| {
            let number = FileKey::from(number);
            let stored: NameTableBucket = match &self.known {
                Some(_) => self.stored(StoreTable::Names, number)?,
                None => NameTableBucket::new(),
            };
            let changed: BTreeSet<(&str, FileKey)> =
                changes.iter().map(|(name, key, _)| (*name, *key)).collect();
            let stored = stored.iter().map(|(name, key, count)| (name.as_str(), *key, *count));
            let mut bucket: Vec<(&str, FileKey, u32)> =
                stored.filter(|(name, key, _)| !changed.contains(&(*name, *key))).collect();
            bucket.extend(changes.iter().filter(|(_, _, count)| *count > 0));
            bucket.sort_unstable();
            Ok((number, checksummed_record::encode(&bucket)?))
        });
        self.write_records(StoreTable::Names, encoded.collect::<Result<_, StoreError>>()?)
    }
}
