//! The records of the graph as they are written: nodes, edges and traces by file, who points at a file, names by bucket.
//! What is in them is [`super`]'s.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet, btree_map::Entry},
};

use rayon::prelude::*;

use crate::{
    incremental::graph_update::{AT_ONCE, Share, Structure, Update, structural_hash},
    resolve::{FileId, Name, Outcome, Trace},
    store::{
        Key, StoreError, Table,
        packed_nodes::{Bytes, Nodes},
        records::{self, IncomingEdges, Names, OutgoingEdge, OutgoingEdges, Part},
    },
};

/// What one resolved file gives to records that are not its own.
struct Made {
    key: Key,
    /// Its nodes.
    count: u32,
    /// What differs in how many of its nodes have which name.
    names: Vec<(Name, u32)>,
    own: Vec<OutgoingEdge>,
    /// Edges that start in other files.
    foreign: BTreeMap<FileId, Vec<OutgoingEdge>>,
}

/// The seals of the records that were there, when all are written.
type Seals = BTreeMap<Key, Vec<u8>>;

impl Update<'_> {
    /// Resolves files and writes their nodes and traces; their edges go to `shares`. Returns the numbers of nodes.
    pub(super) fn put_resolved(
        &mut self,
        files: &[FileId],
        structure: Option<&Structure>,
        shares: &mut BTreeMap<FileId, Share>,
    ) -> Result<BTreeMap<Key, u32>, StoreError> {
        let seals = (self.seals(Table::Parts)?, self.seals(Table::Traces)?);
        let mut counts = BTreeMap::new();
        let mut names = Vec::new();
        let lengths = match self.before {
            Some(_) => BTreeMap::new(),
            None => self.store.lengths(Table::Facts)?,
        };
        for some in files.chunks(AT_ONCE) {
            // The longest first and each by itself, so that no thread is left alone with one.
            let mut some = some.to_vec();
            some.sort_by_key(|file| Reverse(lengths.get(&self.key(*file))));
            let make = |file: &FileId| self.put_one(*file, structure, &seals);
            let made: Vec<Made> =
                some.par_iter().with_max_len(1).map(make).collect::<Result<_, _>>()?;
            for (file, made) in some.into_iter().zip(made) {
                let Made { key, count, names: changes, own, foreign } = made;
                counts.insert(key, count);
                names.extend(changes.into_iter().map(|(name, count)| (name, key, count)));
                shares.entry(file).or_default().own = Some(own);
                for (host, edges) in foreign {
                    shares.entry(host).or_default().foreign.insert(key, edges);
                }
            }
            self.resolver.tidy();
        }
        self.drop_others(Table::Parts, &seals.0, |key| counts.contains_key(&key))?;
        self.drop_others(Table::Traces, &seals.1, |key| counts.contains_key(&key))?;
        self.put_names(names)?;
        Ok(counts)
    }

    fn put_one(
        &self,
        file: FileId,
        structure: Option<&Structure>,
        seals: &(Seals, Seals),
    ) -> Result<Made, StoreError> {
        let program = self.resolver.program();
        let key = self.key(file);
        let Outcome { joined, ties, looks } = self.resolver.file(file);
        let mut own = Vec::new();
        let mut foreign: BTreeMap<FileId, Vec<OutgoingEdge>> = BTreeMap::new();
        for link in &joined.links {
            let home = link.from.file;
            let edges = if home == file { &mut own } else { foreign.entry(home).or_default() };
            edges.push(self.leaving(link));
        }
        let mut trace = Trace::new(program, file, &looks, self.keys);
        trace.ties = ties.renumbered(|file, def| Some((self.key(file), def))).unwrap_or_default();
        trace.hosts = foreign.keys().map(|host| self.key(*host)).collect();
        trace.structural = match (structure, self.trace_before(file)) {
            (Some(structure), _) => structural_hash(structure, file),
            (None, before) => before.map_or(0, |before| before.structural),
        };
        let open = joined.open.into_iter();
        let open = open.map(|(node, name, line, outside)| (node, name.to_owned(), line, outside));
        let part = Part {
            language: program.facts(file).language(),
            nodes: Nodes::new(&self.resolver.nodes(file))?,
            open: open.collect(),
        };
        let names = self.name_changes(key, &part)?;
        self.put_blob(Table::Parts, key, &records::seal(&part)?, &seals.0)?;
        self.put_blob(Table::Traces, key, &records::seal(&trace)?, &seals.1)?;
        let count = u32::try_from(part.nodes.len()).unwrap_or(u32::MAX);
        Ok(Made { key, count, names, own, foreign })
    }

    /// What differs in how many of a file's nodes have which name from what is kept.
    fn name_changes(&self, key: Key, part: &Part) -> Result<Vec<(Name, u32)>, StoreError> {
        let program = self.resolver.program();
        let mut names = part.nodes.names()?;
        let mut gone = Vec::new();
        if self.before.is_some()
            && let Some(sealed) = self.store.get(Table::Parts, key)?
        {
            for (name, count) in records::unseal::<Part>(&sealed)?.nodes.names()? {
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

    /// Writes how many nodes of which file have which name, as far as it differs.
    fn put_names(&self, mut changes: Vec<(Name, Key, u32)>) -> Result<(), StoreError> {
        let program = self.resolver.program();
        let mut buckets: BTreeMap<u32, Vec<(&str, Key, u32)>> = BTreeMap::new();
        if self.before.is_none() {
            buckets.extend((0..records::BUCKETS).map(|number| (number, Vec::new())));
        }
        changes.sort_unstable();
        for same in changes.chunk_by(|a, b| a.0 == b.0) {
            let name = program.text(same[0].0);
            let bucket = buckets.entry(records::bucket(name)).or_default();
            bucket.extend(same.iter().map(|(_, key, count)| (name, *key, *count)));
        }
        let sealed = buckets.into_par_iter().map(|(number, changes)| {
            let number = Key::from(number);
            let kept: Names = match &self.before {
                Some(_) => self.kept(Table::Names, number)?,
                None => Names::new(),
            };
            let differs: BTreeSet<(&str, Key)> =
                changes.iter().map(|(name, key, _)| (*name, *key)).collect();
            let kept = kept.iter().map(|(name, key, count)| (name.as_str(), *key, *count));
            let mut bucket: Vec<(&str, Key, u32)> =
                kept.filter(|(name, key, _)| !differs.contains(&(*name, *key))).collect();
            bucket.extend(changes.iter().filter(|(_, _, count)| *count > 0));
            bucket.sort_unstable();
            Ok((number, records::seal(&bucket)?))
        });
        self.put_blobs(Table::Names, sealed.collect::<Result<_, StoreError>>()?)
    }

    /// Writes the edges that start in files, and what is known of them by their targets.
    pub(super) fn put_departures(
        &self,
        shares: BTreeMap<FileId, Share>,
        resolved: &BTreeSet<Key>,
    ) -> Result<(), StoreError> {
        let seals = self.seals(Table::OutgoingEdges)?;
        let mut targets = BTreeMap::new();
        let mut shares = shares.into_iter();
        loop {
            let some: Vec<(FileId, Share)> = shares.by_ref().take(AT_ONCE).collect();
            if some.is_empty() {
                break;
            }
            let made = some.into_par_iter().with_max_len(4).map(|(file, share)| {
                let departures = OutgoingEdges::new(&self.edges(file, share, resolved)?);
                Ok((self.key(file), records::seal(&departures)?, departures.by_target()?))
            });
            for (key, sealed, to) in made.collect::<Result<Vec<_>, StoreError>>()? {
                self.put_blob(Table::OutgoingEdges, key, &sealed, &seals)?;
                targets.insert(key, to);
            }
        }
        self.drop_others(Table::OutgoingEdges, &seals, |key| targets.contains_key(&key))?;
        self.put_inward(targets)
    }

    /// Writes what arrives at files, as far as it differs; `departing` is what leaves files now, by target.
    fn put_inward(&self, departing: BTreeMap<Key, BTreeMap<Key, Bytes>>) -> Result<(), StoreError> {
        let mut inward: BTreeMap<Key, IncomingEdges> = BTreeMap::new();
        if self.before.is_none() {
            inward.extend(departing.keys().map(|key| (*key, IncomingEdges::default())));
            for (source, targets) in departing {
                for (target, edges) in targets {
                    inward.entry(target).or_default().put(source, Some(edges));
                }
            }
        } else {
            for (source, mut now) in departing {
                let old = self.old.get(&source).map(OutgoingEdges::by_target).transpose()?;
                let old = old.unwrap_or_default();
                let all: BTreeSet<Key> = old.keys().chain(now.keys()).copied().collect();
                for target in all {
                    let edges = now.remove(&target);
                    if edges.as_ref() == old.get(&target) {
                        continue;
                    }
                    let arrivals = match inward.entry(target) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(place) => place.insert(self.kept(Table::Inward, target)?),
                    };
                    arrivals.put(source, edges);
                }
            }
        }
        let sealed = inward.iter().map(|(key, arrivals)| Ok((*key, records::seal(arrivals)?)));
        self.put_blobs(Table::Inward, sealed.collect::<Result<_, StoreError>>()?)
    }

    /// Writes blobs; when they are all there are, the same ones are left and others removed.
    fn put_blobs(&self, table: Table, sealed: Vec<(Key, Vec<u8>)>) -> Result<(), StoreError> {
        let seals = self.seals(table)?;
        let mut written = BTreeSet::new();
        for (key, bytes) in sealed {
            self.put_blob(table, key, &bytes, &seals)?;
            written.insert(key);
        }
        self.drop_others(table, &seals, |key| written.contains(&key))
    }

    /// The seals of what is there, when everything is written.
    fn seals(&self, table: Table) -> Result<Seals, StoreError> {
        if self.before.is_none() { self.store.seals(table) } else { Ok(Seals::new()) }
    }

    fn put_blob(
        &self,
        table: Table,
        key: Key,
        bytes: &[u8],
        seals: &Seals,
    ) -> Result<(), StoreError> {
        if seals.get(&key).is_some_and(|seal| bytes.starts_with(seal)) {
            return Ok(());
        }
        self.store.put(table, key, bytes)
    }

    fn drop_others(
        &self,
        table: Table,
        seals: &Seals,
        is_written: impl Fn(Key) -> bool,
    ) -> Result<(), StoreError> {
        let mut others = seals.keys().filter(|key| !is_written(**key));
        others.try_for_each(|key| self.store.drop_blob(table, *key))
    }
}
