//! The records of the graph as they are written: nodes and edges by file, who points at a file, names by bucket. What is
//! in them is [`super`]'s.

use std::collections::{BTreeMap, BTreeSet, btree_map::Entry};

use rayon::prelude::*;

use super::{Share, Update};
use crate::{
    graph::store::{
        Key, StoreError, Table,
        blob::{self, Departures, Names, Part},
    },
    index::resolve::FileId,
};

/// Files whose parts are made before they are written.
const AT_ONCE: usize = 512;

/// One file's records, as they are to be written.
struct Made {
    key: Key,
    /// Its nodes, with how many have which name, when they are new.
    part: Option<(Vec<u8>, BTreeMap<String, u32>)>,
    departures: Vec<u8>,
    targets: Vec<Key>,
}

impl Update<'_> {
    /// Writes nodes, edges, and what is known of them by target and by name. Returns the numbers of nodes.
    pub(super) fn put_parts(
        &self,
        shares: BTreeMap<FileId, Share<'_>>,
        resolved: &BTreeSet<Key>,
        keys: &BTreeMap<Key, FileId>,
    ) -> Result<BTreeMap<String, u32>, StoreError> {
        let Self { store, files, old, moves, all } = self;
        let make = |(file, mut share): (FileId, Share<'_>)| -> Result<Made, StoreError> {
            let key = files.key(file);
            let edges = files.edges(file, &mut share, old.get(&key), resolved, moves)?;
            let departures = Departures::new(&edges);
            let part = share.joined.map(|joined| files.part(file, joined)).transpose()?;
            let part = part.map(|part| {
                let names = part.nodes.names()?.into_iter();
                let names = names.map(|(name, count)| (name.to_owned(), count)).collect();
                Ok::<_, StoreError>((blob::seal(&part)?, names))
            });
            Ok(Made {
                key,
                part: part.transpose()?,
                departures: blob::seal(&departures)?,
                targets: departures.targets,
            })
        };
        let mut known = (self.seals(Table::Parts)?, self.seals(Table::Departures)?);
        let mut names = BTreeMap::new();
        let mut targets = BTreeMap::new();
        let mut counts = BTreeMap::new();
        let mut shares = shares.into_iter();
        loop {
            let some: Vec<(FileId, Share<'_>)> = shares.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let made: Vec<Made> = some.into_par_iter().map(make).collect::<Result<_, _>>()?;
            for Made { key, part, departures, targets: to } in made {
                if let Some((part, of)) = part {
                    let old = if *all { None } else { store.get(Table::Parts, key)? };
                    let old = old.map(|sealed| blob::unseal::<Part>(&sealed)).transpose()?;
                    let path = &files.sorted.sources[keys[&key].index()].path;
                    counts.insert(path.clone(), of.values().sum());
                    names.insert(key, (old, of));
                    self.put_blob(Table::Parts, key, &part, &mut known.0)?;
                }
                self.put_blob(Table::Departures, key, &departures, &mut known.1)?;
                targets.insert(key, to);
            }
        }
        self.drop_blobs(Table::Parts, known.0)?;
        self.drop_blobs(Table::Departures, known.1)?;
        self.put_inward(&targets)?;
        self.put_names(names)?;
        Ok(counts)
    }

    fn put_inward(&self, targets: &BTreeMap<Key, Vec<Key>>) -> Result<(), StoreError> {
        let mut inward: BTreeMap<Key, BTreeSet<Key>> = BTreeMap::new();
        if self.all {
            inward.extend(targets.keys().map(|key| (*key, BTreeSet::new())));
            for (key, targets) in targets {
                for target in targets {
                    inward.entry(*target).or_default().insert(*key);
                }
            }
        } else {
            let mut moved: Vec<(Key, Key, bool)> = Vec::new();
            for (key, targets) in targets {
                let old = self.old.get(key).map_or(&[][..], |departures| &departures.targets);
                let differs = |a: &[Key], b: &[Key]| -> Vec<Key> {
                    a.iter().filter(|key| b.binary_search(key).is_err()).copied().collect()
                };
                moved.extend(differs(old, targets).into_iter().map(|to| (to, *key, false)));
                moved.extend(differs(targets, old).into_iter().map(|to| (to, *key, true)));
            }
            for (target, source, added) in moved {
                let sources = match inward.entry(target) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(self.kept(Table::Inward, target)?),
                };
                if added {
                    sources.insert(source);
                } else {
                    sources.remove(&source);
                }
            }
        }
        let sealed = inward.iter().map(|(key, sources)| Ok((*key, blob::seal(sources)?)));
        self.put_blobs(Table::Inward, sealed.collect::<Result<_, StoreError>>()?)
    }

    /// Writes names from what the files had and what they have.
    fn put_names(
        &self,
        files: BTreeMap<Key, (Option<Part>, BTreeMap<String, u32>)>,
    ) -> Result<(), StoreError> {
        let mut buckets: BTreeMap<u32, Names> = BTreeMap::new();
        if self.all {
            buckets.extend((0..blob::BUCKETS).map(|number| (number, Names::new())));
        }
        for (key, (old, new)) in files {
            let old = old.as_ref().map(|part| part.nodes.names()).transpose()?.unwrap_or_default();
            let gone = old.keys().filter(|name| !new.contains_key(**name));
            let gone: Vec<(String, u32)> = gone.map(|name| ((*name).to_owned(), 0)).collect();
            let fresh =
                new.into_iter().filter(|(name, count)| old.get(name.as_str()) != Some(count));
            for (name, count) in gone.into_iter().chain(fresh) {
                let number = blob::bucket(&name);
                let bucket = match buckets.entry(number) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(place) => place.insert(self.kept(Table::Names, number.into())?),
                };
                if !self.all {
                    bucket.retain(|(known, file, _)| *known != name || *file != key);
                }
                if count > 0 {
                    bucket.push((name, key, count));
                }
            }
        }
        let sealed = buckets.into_par_iter().map(|(number, mut bucket)| {
            bucket.sort_unstable();
            Ok((number.into(), blob::seal(&bucket)?))
        });
        self.put_blobs(Table::Names, sealed.collect::<Result<_, StoreError>>()?)
    }

    /// Writes blobs; when they are all there are, the same ones are left and others removed.
    pub(super) fn put_blobs(
        &self,
        table: Table,
        sealed: Vec<(Key, Vec<u8>)>,
    ) -> Result<(), StoreError> {
        let mut known = self.seals(table)?;
        for (key, bytes) in sealed {
            self.put_blob(table, key, &bytes, &mut known)?;
        }
        self.drop_blobs(table, known)
    }

    /// The seals of what is there, when everything is written.
    fn seals(&self, table: Table) -> Result<BTreeMap<Key, Vec<u8>>, StoreError> {
        if self.all { self.store.seals(table) } else { Ok(BTreeMap::new()) }
    }

    fn put_blob(
        &self,
        table: Table,
        key: Key,
        bytes: &[u8],
        known: &mut BTreeMap<Key, Vec<u8>>,
    ) -> Result<(), StoreError> {
        let seal = known.remove(&key);
        if seal.as_deref() == bytes.get(..blob::SEAL) {
            return Ok(());
        }
        self.store.put(table, key, bytes)
    }

    fn drop_blobs(&self, table: Table, rest: BTreeMap<Key, Vec<u8>>) -> Result<(), StoreError> {
        rest.into_keys().try_for_each(|key| self.store.drop_blob(table, key))
    }
}
