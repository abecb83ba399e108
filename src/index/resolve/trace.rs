//! What is kept of a file's resolution beside its result, and which files a change affects. The answer may be too large
//! and never too small: a file is left alone when nothing that it looked at, and no name that it could have found, is
//! different.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use super::{
    Resolver,
    seen::{self, Looks},
    world::{FileId, Name, World, listens_mark, takes_mark},
};
use crate::{
    graph::store::Key,
    index::{
        facts::{Deed, DefKind, FileFacts, Sym, Taken},
        flow::{self, Flow},
        languages::Family,
        slice::slice,
    },
};

/// What is kept of one file's resolution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Trace {
    /// What others can see of it.
    slice: u64,
    /// The files that were looked at.
    seen: Vec<Key>,
    /// Hashes of names that were asked for and come from no text.
    asked: Vec<u32>,
    /// What it attaches to types: the type's file, and hashes of the type and of the member's name.
    members: Members,
    /// Types that get supertypes from here.
    supers: Vec<(Key, u32)>,
    /// Other files in which edges start that were found here.
    pub(crate) hosts: Vec<Key>,
    /// A hash of the edges that start here and follow from all files together.
    pub(crate) structural: u64,
}

/// A file with another content.
pub(crate) struct Change<'a> {
    pub(crate) file: FileId,
    pub(crate) before: &'a FileFacts,
}

/// What has to be known of the files before a change.
pub(crate) struct Before<'a> {
    pub(crate) traces: &'a [Trace],
    pub(crate) changes: &'a [Change<'a>],
    pub(crate) keys: &'a [Key],
}

/// What changes brought about besides what files say themselves.
#[derive(Default)]
struct Stir {
    /// Files that are seen otherwise.
    files: BTreeSet<FileId>,
    /// Hashes of names that tables of all files have, or have not, otherwise than before.
    names: BTreeSet<u32>,
    /// The same for members attached to types of a file, or to types from elsewhere.
    members: BTreeMap<Option<FileId>, BTreeSet<u32>>,
    /// Hashes of names that some text has for the first time, or none any more.
    texts: BTreeSet<u32>,
}

impl Trace {
    pub(crate) fn new(resolver: &Resolver<'_>, file: FileId, looks: &Looks, keys: &[Key]) -> Self {
        let mut seen: Vec<Key> = looks.files().map(|file| keys[file.index()]).collect();
        seen.sort_unstable();
        let (members, supers) = given(resolver, file, keys);
        Self {
            slice: slice(resolver.world.facts(file)),
            seen,
            asked: looks.asked.iter().copied().collect(),
            members,
            supers,
            hosts: Vec::new(),
            structural: 0,
        }
    }

    /// The trace of a file that attaches something else although it isn't resolved again.
    pub(crate) fn attaching(
        &self,
        resolver: &Resolver<'_>,
        file: FileId,
        keys: &[Key],
    ) -> Option<Self> {
        let (members, supers) = given(resolver, file, keys);
        (members != self.members || supers != self.supers).then(|| Self {
            members,
            supers,
            ..self.clone()
        })
    }
}

type Members = Vec<(Option<Key>, u32, u32)>;

/// What a file attaches, with numbers that stay.
fn given(resolver: &Resolver<'_>, file: FileId, keys: &[Key]) -> (Members, Vec<(Key, u32)>) {
    let key = |file: FileId| keys[file.index()];
    let given = resolver.links.given(file);
    let members = given.members.iter().map(|(host, ty, name)| (host.map(key), *ty, *name));
    let supers = given.supers.iter().map(|(host, ty)| (key(*host), *ty));
    (members.collect(), supers.collect())
}

/// The files that have to be resolved again; `None` for all.
pub(crate) fn affected(resolver: &Resolver<'_>, before: &Before<'_>) -> Option<Vec<FileId>> {
    let world = &resolver.world;
    let places: FxHashMap<Key, FileId> =
        before.keys.iter().copied().zip(resolver.files()).collect();
    let stir = stir(resolver, before, &places)?;
    let hashes: Vec<u32> = world.texts.iter().map(|text| seen::hash(text)).collect();
    // For each question about names, which files have one of them in their text.
    let having = |names: &BTreeSet<u32>| -> Vec<bool> {
        let wanted: Vec<bool> = hashes.iter().map(|hash| names.contains(hash)).collect();
        let has = |file: FileId| world.names_of(file).iter().any(|name| wanted[name.index()]);
        if names.is_empty() {
            vec![false; world.len()]
        } else {
            resolver.files().into_iter().map(has).collect()
        }
    };
    let named = having(&stir.names);
    let attached: Vec<_> =
        stir.members.iter().map(|(host, names)| (*host, names, having(names))).collect();
    let changed: BTreeSet<FileId> = before.changes.iter().map(|change| change.file).collect();
    let is_affected = |file: &FileId| {
        let trace = &before.traces[file.index()];
        let Some(seen) =
            trace.seen.iter().map(|key| places.get(key).copied()).collect::<Option<Vec<_>>>()
        else {
            return true;
        };
        let asked = |names: &BTreeSet<u32>| trace.asked.iter().any(|hash| names.contains(hash));
        let finds = |having: &[bool], names: &BTreeSet<u32>| {
            having[file.index()] || seen.iter().any(|file| having[file.index()]) || asked(names)
        };
        changed.contains(file)
            || seen.iter().any(|file| stir.files.contains(file))
            || finds(&named, &stir.names)
            || asked(&stir.texts)
            || attached.iter().any(|(host, names, having)| {
                host.is_none_or(|host| seen.contains(&host)) && finds(having, names)
            })
    };
    Some(resolver.files().into_iter().filter(is_affected).collect())
}

fn stir(
    resolver: &Resolver<'_>,
    before: &Before<'_>,
    places: &FxHashMap<Key, FileId>,
) -> Option<Stir> {
    let world = &resolver.world;
    let mut stir = Stir::default();
    for Change { file, before: old } in before.changes {
        let new = world.facts(*file);
        if slice(new) != before.traces[file.index()].slice {
            stir.files.insert(*file);
        }
        // What tables that are no one file's have of it.
        let shared = !is_alone(world, *file);
        if shared && stars(old) != stars(new) && !keeps_imports(world.family(*file)) {
            return None;
        }
        differing(&offers(old, shared), &offers(new, shared), &mut stir.names);
    }
    texts(world, before.changes, &mut stir.texts);
    for file in resolver.files() {
        let trace = &before.traces[file.index()];
        let given = resolver.links.given(file);
        let mut old = Vec::new();
        for (host, ty, name) in &trace.members {
            let host = match host {
                Some(key) => Some(*places.get(key)?),
                None => None,
            };
            old.push((host, *ty, *name));
        }
        old.sort_unstable();
        for (host, _, name) in difference(&old, &given.members) {
            stir.members.entry(host).or_default().insert(name);
        }
        let mut old: Vec<(FileId, u32)> = trace
            .supers
            .iter()
            .map(|(key, ty)| Some((*places.get(key)?, *ty)))
            .collect::<Option<_>>()?;
        old.sort_unstable();
        stir.files.extend(difference(&old, &given.supers).into_iter().map(|(host, _)| host));
    }
    Some(stir)
}

/// Whether what a file imports is only its own, so that no other file that is in the same module finds it.
const fn keeps_imports(family: Family) -> bool {
    matches!(family, Family::Jvm | Family::CSharp | Family::Php | Family::Ruby)
}

/// Whether each module that a file has a part in is the file's alone.
fn is_alone(world: &World<'_>, file: FileId) -> bool {
    world.modules_of(file).all(|module| world.only_file(module) == Some(file))
}

/// What a file puts into tables that are not its own: hashes of where and what, by the hash of the name.
fn offers(facts: &FileFacts, shared: bool) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let one = |kind: u8, chain: &[&str], name: &str| {
        let mut hasher = FxHasher::default();
        (kind, chain, name).hash(&mut hasher);
        (hasher.finish(), seen::hash(name))
    };
    for def in &facts.defs {
        let name = facts.text(def.name);
        if def.kind == DefKind::Macro {
            found.push(one(0, &[], name));
            found.push(one(0, &[], &format!("{name}!")));
        }
        if !shared {
            continue;
        }
        let mut chain = Vec::new();
        let mut above = def.parent;
        while let Some(parent) = above {
            let parent = facts.def(parent);
            if parent.kind != DefKind::Namespace {
                break;
            }
            chain.push(facts.text(parent.name));
            above = parent.parent;
        }
        // What stands inside anything else is looked for in this file; what is attached is followed by itself.
        let attached = def.receiver.is_known() && !facts.language.family().binds_extensions();
        if above.is_none() && !attached {
            found.push(one(1, &chain, name));
        }
    }
    relays(facts, &mut found);
    let family = facts.language.family();
    if shared && !keeps_imports(family) && family != Family::Go {
        for local in facts.imports.iter().filter_map(|import| import.local) {
            found.push(one(2, &[], facts.text(local)));
        }
    }
    found.sort_unstable();
    found
}

/// Where the parameters of functions go, and which events are listened for.
fn relays(facts: &FileFacts, found: &mut Vec<(u64, u32)>) {
    for (hash, function) in Flow::of(facts).described(facts) {
        found.push((hash, seen::hash(&takes_mark(function))));
    }
    for event in facts.events.iter().filter(|event| event.deed == Deed::Listens) {
        let mut hasher = FxHasher::default();
        (flow::print(facts, event.call), event.from).hash(&mut hasher);
        found.push((hasher.finish(), seen::hash(&listens_mark(facts.text(event.key)))));
    }
}

/// Imports of everything.
fn stars(facts: &FileFacts) -> Vec<(Vec<&str>, u8)> {
    let stars = facts.imports.iter().filter(|import| import.taken == Taken::All);
    let path = |path: &[Sym]| path.iter().map(|part| facts.text(*part)).collect();
    let mut stars: Vec<(Vec<&str>, u8)> =
        stars.map(|import| (path(&import.module), import.level)).collect();
    stars.sort_unstable();
    stars
}

fn differing(old: &[(u64, u32)], new: &[(u64, u32)], names: &mut BTreeSet<u32>) {
    names.extend(difference(old, new).into_iter().map(|(_, name)| name));
}

/// What one of two sorted lists has more often than the other.
fn difference<T: Copy + Ord>(a: &[T], b: &[T]) -> Vec<T> {
    let (mut i, mut j) = (0, 0);
    let mut found = Vec::new();
    loop {
        match (a.get(i), b.get(j)) {
            (Some(x), Some(y)) if x == y => (i, j) = (i + 1, j + 1),
            (Some(x), Some(y)) if x < y => {
                found.push(*x);
                i += 1;
            }
            (_, Some(y)) => {
                found.push(*y);
                j += 1;
            }
            (Some(x), None) => {
                found.push(*x);
                i += 1;
            }
            (None, None) => return found,
        }
    }
}

/// Names that are in some text for the first time, or in none any more.
fn texts(world: &World<'_>, changes: &[Change<'_>], found: &mut BTreeSet<u32>) {
    let mut fresh: BTreeSet<Name> = BTreeSet::new();
    for Change { file, before } in changes {
        let old: BTreeSet<&str> = before.names.iter().map(|name| &**name).collect();
        let gone = old.iter().filter(|text| world.written(text).is_none());
        found.extend(gone.map(|text| seen::hash(text)));
        fresh.extend(world.names_of(*file).iter().filter(|name| !old.contains(world.text(**name))));
    }
    if fresh.is_empty() {
        return;
    }
    let mut known = vec![false; world.texts.len()];
    for at in 0..world.len() {
        if !changes.iter().any(|change| change.file.index() == at) {
            let file = FileId(super::number(at));
            world.names_of(file).iter().for_each(|name| known[name.index()] = true);
        }
    }
    let new = fresh.into_iter().filter(|name| !known[name.index()]);
    found.extend(new.map(|name| seen::hash(world.text(name))));
}
