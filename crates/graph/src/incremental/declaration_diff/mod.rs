//! The difference between two versions of a file, as the names through which other files can observe it. A file is split
//! into items: functions, types, imports, exports. Other files reach an item that differs, or that names or contains one
//! that does, by one of its names. [`crate::resolve`] decides which files these are.

mod declaration_hashes;

use std::{
    collections::BTreeSet,
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use self::declaration_hashes::{DeclarationHashes, handed_on};
use crate::{
    facts::{DefId, DefKind, FileFacts, ImportId, TypeExpr, TypeId},
    resolve::program_facts::members_key,
};

/// Returns the names by which other files can reach what differs; `None` when it can be reached without a name.
pub(super) fn differing_names(old: &FileFacts, new: &FileFacts) -> Option<BTreeSet<Box<str>>> {
    let (old, new) = (DeclarationHashes::of(old)?, DeclarationHashes::of(new)?);
    if old.whole != new.whole {
        return None;
    }
    let mut names: FxHashSet<&str> = FxHashSet::default();
    // Declarations are compared by identity, so that one that was removed or added differs, too.
    let mut dirty: FxHashSet<u64> = FxHashSet::default();
    let hashes = |declarations: &DeclarationHashes<'_>| -> FxHashMap<u64, u64> {
        declarations.all.iter().map(|item| (item.identity, item.hash)).collect()
    };
    let (before, after) = (hashes(&old), hashes(&new));
    let differs = |identity: &u64| before.get(identity) != after.get(identity);
    dirty.extend(before.keys().chain(after.keys()).filter(|identity| differs(identity)));
    loop {
        let known = (dirty.len(), names.len());
        for declarations in [&old, &new] {
            for item in &declarations.all {
                let is_dirty = dirty.contains(&item.identity)
                    || item.holds.iter().any(|at| dirty.contains(&declarations.all[*at].identity))
                    || item.mentions.iter().any(|name| names.contains(name));
                if is_dirty {
                    dirty.insert(item.identity);
                    names.extend(&item.names);
                }
            }
        }
        if known == (dirty.len(), names.len()) {
            break;
        }
    }
    let mut found: BTreeSet<Box<str>> = names.into_iter().map(Box::from).collect();
    for declarations in [&old, &new] {
        for item in declarations.all.iter().filter(|item| dirty.contains(&item.identity)) {
            if item.is_nameless {
                return None;
            }
            // Macros are asked for with their mark.
            found.extend(item.macros.iter().map(|name| format!("{name}!").into()));
            found.extend(item.members_of.iter().map(|name| members_key(name).into()));
        }
    }
    Some(found)
}

/// The modules that `new` re-exports whole and `old` does not. `None` when `old` re-exports a module that `new` does not,
/// or when their order differs, since the first module with a name provides it.
pub(super) fn added_reexports(old: &FileFacts, new: &FileFacts) -> Option<Vec<ImportId>> {
    let module = |facts: &FileFacts, id: ImportId| {
        let import = facts.import(id);
        let path = import.module.iter().map(|part| facts.text(*part).to_owned());
        (path.collect::<Vec<String>>(), import.level)
    };
    let mut kept = handed_on(old).map(|id| module(old, id)).peekable();
    let is_added = |id: &ImportId| kept.next_if_eq(&module(new, *id)).is_none();
    let added = handed_on(new).filter(is_added).collect();
    kept.peek().is_none().then_some(added)
}

/// For each definition of `old` the one of `new` that has taken its place.
pub(super) fn matching_definitions(old: &FileFacts, new: &FileFacts) -> Vec<Option<DefId>> {
    let (old, new) = (identities(old), identities(new));
    let places: FxHashMap<u64, usize> =
        new.iter().enumerate().map(|(at, identity)| (*identity, at)).collect();
    let matching = |identity: &u64| places.get(identity).map(|at| DefId(number(*at)));
    old.iter().map(matching).collect()
}

/// For each definition, a hash of its name, of the names of its owners, and of its position among definitions that share
/// these.
fn identities(facts: &FileFacts) -> Vec<u64> {
    let written = |ty: TypeId| match facts.types.get(ty.index()) {
        Some(TypeExpr::Named { path, .. }) => {
            path.last().map(|name| facts.text(*name)).unwrap_or_default()
        }
        _ => "",
    };
    let mut found: Vec<u64> = Vec::with_capacity(facts.defs.len());
    let mut used: FxHashMap<u64, u32> = FxHashMap::default();
    for (id, def) in facts.defs.iter().enumerate() {
        // An owner comes before what it contains; if it does not, its number is used.
        let parent = def.parent.map(|parent| match found.get(parent.index()) {
            Some(parent) => *parent,
            None => u64::from(parent.0),
        });
        let mut hasher = FxHasher::default();
        (parent, def.kind, facts.text(def.name), written(def.receiver)).hash(&mut hasher);
        if def.kind == DefKind::Impl {
            def.supers.iter().for_each(|(_, ty)| written(*ty).hash(&mut hasher));
        }
        let base = hasher.finish();
        let count = used.entry(base).or_default();
        let mut hasher = FxHasher::default();
        (base, *count).hash(&mut hasher);
        *count += 1;
        debug_assert_eq!(found.len(), id);
        found.push(hasher.finish());
    }
    found
}

fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
