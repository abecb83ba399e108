//! What is kept of a file's resolution beside its result, and which files a change affects. The answer may be too large
//! and never too small: a file is left alone when nothing that it looked at, and no name that it could have found, is
//! different.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHasher};
use serde::{Deserialize, Serialize};

use crate::{
    facts::{
        Deed, DefId, DefKind, FileFacts, Flags, Sym, Taken,
        capabilities::Capabilities,
        summary::FileSummary,
        value_flow::{self, ValueFlow},
    },
    incremental::{
        declaration_diff::{differing as differing_names, successors},
        interface_fingerprint::slice,
    },
    resolve::{
        attached_members::Attachments,
        callback_fields::{Put, held},
        contributions::Contributions,
        program::{FileId, Program, listener_key, parameter_flow_key},
        read_set::{self, ReadSet},
    },
    store::Key,
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
    pub(crate) ties: Contributions<Key>,
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
#[derive(Clone, Copy)]
pub(crate) struct Before<'a> {
    pub(crate) traces: &'a [Trace],
    pub(crate) changes: &'a [Change<'a>],
    pub(crate) keys: &'a [Key],
    /// As they are now: those of changed files are new.
    pub(crate) outlines: &'a [FileSummary],
}

/// What changes brought about so far.
pub(crate) struct Invalidation<'a> {
    before: Before<'a>,
    places: FxHashMap<Key, FileId>,
    /// By changed file, the definitions that have taken the places of the old ones; of those that have a name.
    heirs: FxHashMap<FileId, Vec<Option<DefId>>>,
    /// By changed file, the names by which others come upon what is different in it.
    apart: BTreeMap<FileId, BTreeSet<u32>>,
    /// Files that have to be resolved in any case.
    lost: BTreeSet<FileId>,
    /// Files that are seen otherwise.
    files: BTreeSet<FileId>,
    /// Hashes of names that lead elsewhere than before.
    names: BTreeMap<Way, BTreeSet<u32>>,
}

/// For whom a name leads elsewhere.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    /// Those who have looked at this file; without one, all.
    through: Option<FileId>,
    /// The file in which nothing that is as before has the name, so that it isn't found there.
    silent: Option<FileId>,
}

impl Trace {
    pub(crate) fn new(program: &Program<'_>, file: FileId, looks: &ReadSet, keys: &[Key]) -> Self {
        let mut seen: Vec<Key> = looks.files().map(|file| keys[file.index()]).collect();
        seen.sort_unstable();
        Self {
            slice: slice(program.facts(file)),
            seen,
            asked: looks.asked.iter().copied().collect(),
            ..Self::default()
        }
    }
}

impl<'a> Invalidation<'a> {
    /// What follows from the changed files themselves; `None` when all files may be affected.
    pub(crate) fn of(program: &Program<'_>, before: Before<'a>) -> Option<Self> {
        let files = (0..).map(FileId);
        let mut stir = Self {
            before,
            places: before.keys.iter().copied().zip(files).collect(),
            heirs: FxHashMap::default(),
            apart: BTreeMap::new(),
            lost: before.changes.iter().map(|change| change.file).collect(),
            files: BTreeSet::new(),
            names: BTreeMap::new(),
        };
        for Change { file, before: old } in before.changes {
            let new = program.facts(*file);
            let mut heirs = successors(old, new);
            for (id, heir) in (0..).map(DefId).zip(&mut heirs) {
                *heir = heir.filter(|_| old.is_named(id));
            }
            stir.heirs.insert(*file, heirs);
            if slice(new) != before.traces[file.index()].slice {
                match differing_names(old, new) {
                    Some(names) => {
                        let names: BTreeSet<u32> =
                            names.iter().map(|name| read_set::hash(name)).collect();
                        let way = Way { through: Some(*file), silent: Some(*file) };
                        stir.names.entry(way).or_default().extend(&names);
                        stir.apart.insert(*file, names);
                    }
                    None => drop(stir.files.insert(*file)),
                }
            }
            // What tables that are no one file's have of it.
            let shared = !is_alone(program, *file);
            let language = program.capabilities(*file);
            if shared
                && stars(old) != stars(new)
                && !program.capabilities(*file).glob_imports_are_private
            {
                return None;
            }
            for name in differing(&offers(old, language, shared), &offers(new, language, shared)) {
                let way = Way { through: None, silent: silent(&stir.apart, *file, name) };
                stir.names.entry(way).or_default().insert(name);
            }
        }
        Some(stir)
    }

    /// The files that have to be resolved again, as far as is known.
    pub(crate) fn affected(&self) -> Vec<FileId> {
        let Before { traces, outlines, .. } = self.before;
        // For each way, which files may have one of its names in their text.
        let having = |way: &Way, names: &BTreeSet<u32>| -> Vec<bool> {
            let has = |(file, outline): (FileId, &FileSummary)| {
                Some(file) != way.silent && names.iter().any(|name| outline.has_word(*name))
            };
            (0..).map(FileId).zip(outlines).map(has).collect()
        };
        let ways: Vec<(Way, &BTreeSet<u32>, Vec<bool>)> = self
            .names
            .iter()
            .filter(|(_, names)| !names.is_empty())
            .map(|(way, names)| (*way, names, having(way, names)))
            .collect();
        let is_affected = |(file, trace): &(FileId, &Trace)| {
            let seen: Option<Vec<FileId>> =
                trace.seen.iter().map(|key| self.places.get(key).copied()).collect();
            let Some(seen) = seen else { return true };
            let asked = |names: &BTreeSet<u32>| trace.asked.iter().any(|hash| names.contains(hash));
            self.lost.contains(file)
                || seen.iter().any(|file| self.files.contains(file))
                || ways.iter().any(|(way, names, having)| {
                    way.through.is_none_or(|through| seen.contains(&through))
                        && (having[file.index()]
                            || seen.iter().any(|file| having[file.index()])
                            || asked(names))
                })
        };
        (0..).map(FileId).zip(traces).filter(is_affected).map(|(file, _)| file).collect()
    }

    /// What the files attach and put, by their definitions' numbers of now. A file for which that isn't known has to be
    /// resolved.
    pub(crate) fn ties(&mut self) -> Vec<Contributions<FileId>> {
        let now = |key: Key, def: DefId| {
            let file = *self.places.get(&key)?;
            let def = match self.heirs.get(&file) {
                Some(heirs) => heirs.get(def.index()).copied().flatten()?,
                None => def,
            };
            Some((file, def))
        };
        let ties = self.before.traces.iter().map(|trace| trace.ties.renumbered(now));
        let ties: Vec<Option<Contributions<FileId>>> = ties.collect();
        let files = (0..).map(FileId).zip(ties);
        let lost = &mut self.lost;
        let known = |(file, ties): (FileId, Option<Contributions<FileId>>)| {
            ties.unwrap_or_else(|| {
                lost.insert(file);
                Contributions::default()
            })
        };
        files.map(known).collect()
    }

    /// Takes in what `file` attaches now.
    pub(crate) fn gives(&mut self, file: FileId, now: &Attachments<FileId>) -> Option<()> {
        let before = &self.before.traces[file.index()].ties.given;
        let mut members = Vec::new();
        for (host, ty, name) in before.members() {
            let host = match host {
                Some(key) => Some(*self.places.get(&key)?),
                None => None,
            };
            members.push((host, ty, name));
        }
        members.sort_unstable();
        for (host, _, name) in difference(&members, &now.members()) {
            let way = Way { through: host, silent: silent(&self.apart, file, name) };
            self.names.entry(way).or_default().insert(name);
        }
        let supers = before.supers().into_iter();
        let supers = supers.map(|(key, ty)| Some((*self.places.get(&key)?, ty)));
        let mut supers: Vec<(FileId, u32)> = supers.collect::<Option<_>>()?;
        supers.sort_unstable();
        self.files.extend(difference(&supers, &now.supers()).into_iter().map(|(host, _)| host));
        Some(())
    }

    /// Takes in what all files put into fields now.
    pub(crate) fn puts<'p>(&mut self, now: impl Iterator<Item = &'p Put<FileId>>) -> Option<()> {
        let before = held(self.before.traces.iter().flat_map(|trace| &trace.ties.puts));
        let before = before.into_iter();
        let before = before.map(|(key, name, hash)| Some((*self.places.get(&key)?, name, hash)));
        let mut before: Vec<(FileId, u32, u64)> = before.collect::<Option<_>>()?;
        before.sort_unstable();
        // Who calls through a field has its name in hand.
        for (home, name, _) in difference(&before, &held(now)) {
            let way = Way { through: Some(home), silent: None };
            self.names.entry(way).or_default().insert(name);
        }
        Some(())
    }
}

/// Whether each module that a file has a part in is the file's alone.
fn is_alone(program: &Program<'_>, file: FileId) -> bool {
    program.modules_of(file).all(|module| program.single_file(module) == Some(file))
}

/// What a file puts into tables that are not its own: hashes of where and what, by the hash of the name.
fn offers(facts: &FileFacts, language: &Capabilities, shared: bool) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    let one = |kind: u8, chain: &[&str], name: &str| {
        let mut hasher = FxHasher::default();
        (kind, chain, name).hash(&mut hasher);
        (hasher.finish(), read_set::hash(name))
    };
    for def in &facts.defs {
        let name = facts.text(def.name);
        if def.kind == DefKind::Macro {
            found.push(one(0, &[], name));
            found.push(one(0, &[], &format!("{name}!")));
        }
        if language.extensions_by_name && def.flags.has(Flags::SELF_PARAM) {
            // Extension methods are found by their names alone.
            found.push(one(3, &[], name));
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
        let attached = def.receiver.is_known() && !language.binds_extensions;
        if above.is_none() && !attached {
            found.push(one(1, &chain, name));
        }
    }
    relays(facts, &mut found);
    if shared && !language.named_imports_are_private {
        for local in facts.imports.iter().filter_map(|import| import.local) {
            found.push(one(2, &[], facts.text(local)));
        }
    }
    found.sort_unstable();
    found
}

/// Where the parameters of functions go, and which events are listened for.
fn relays(facts: &FileFacts, found: &mut Vec<(u64, u32)>) {
    for (hash, function) in ValueFlow::of(facts).described(facts) {
        found.push((hash, read_set::hash(&parameter_flow_key(function))));
    }
    for event in facts.events.iter().filter(|event| event.deed == Deed::Listens) {
        let mut hasher = FxHasher::default();
        (value_flow::print(facts, event.call), event.from).hash(&mut hasher);
        found.push((hasher.finish(), read_set::hash(&listener_key(facts.text(event.key)))));
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

fn differing(old: &[(u64, u32)], new: &[(u64, u32)]) -> BTreeSet<u32> {
    difference(old, new).into_iter().map(|(_, name)| name).collect()
}

/// The file itself, when all in it that has the name is known to differ.
fn silent(apart: &BTreeMap<FileId, BTreeSet<u32>>, file: FileId, name: u32) -> Option<FileId> {
    apart.get(&file).is_some_and(|names| names.contains(&name)).then_some(file)
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
