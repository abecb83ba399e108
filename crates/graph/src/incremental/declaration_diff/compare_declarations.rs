//! Compares the declarations of two versions of a file.

use std::collections::BTreeSet;

use rustc_hash::{FxHashMap, FxHashSet};

use super::{
    DeclarationHashes,
    declaration_context::{identities, number},
    handed_on,
};
use crate::{
    facts::{DefId, FileFacts, ImportId, member_hash, name_hash},
    resolve::{out_of_line_members::ANY_TYPE, program_facts::members_key},
};

/// Returns hashes of the names by which other files can reach what differs; `None` when it can be reached without a name.
pub(crate) fn differing_names(old: &FileFacts, new: &FileFacts) -> Option<BTreeSet<u32>> {
    let (old, new) = (DeclarationHashes::of(old)?, DeclarationHashes::of(new)?);
    if old.whole != new.whole {
        return None;
    }
    let mut names: FxHashSet<&str> = FxHashSet::default();
    let mut members: FxHashSet<(Option<&str>, &str)> = FxHashSet::default();
    // Those of declarations that may have several parts.
    let mut parted: FxHashSet<&str> = FxHashSet::default();
    // Declarations are compared by identity, so that one that was removed or added differs, too.
    let mut dirty: FxHashSet<u64> = FxHashSet::default();
    let hashes = |declarations: &DeclarationHashes<'_>| -> FxHashMap<u64, u64> {
        declarations.all.iter().map(|item| (item.identity, item.hash)).collect()
    };
    let (before, after) = (hashes(&old), hashes(&new));
    let differs = |identity: &u64| before.get(identity) != after.get(identity);
    dirty.extend(before.keys().chain(after.keys()).filter(|identity| differs(identity)));
    loop {
        let known = (dirty.len(), parted.len());
        for declarations in [&old, &new] {
            for item in &declarations.all {
                let is_dirty = dirty.contains(&item.identity)
                    || item.holds.iter().any(|at| dirty.contains(&declarations.all[*at].identity))
                    || item.around.iter().any(|name| parted.contains(name));
                if is_dirty {
                    dirty.insert(item.identity);
                    names.extend(&item.names);
                    members.extend(&item.members);
                    if !item.is_field {
                        parted.extend(&item.names);
                        parted.extend(item.members.iter().map(|(_, name)| name));
                    }
                }
            }
        }
        if known == (dirty.len(), parted.len()) {
            break;
        }
    }
    let mut found: BTreeSet<u32> = names.into_iter().map(name_hash).collect();
    found.extend(members.into_iter().map(|(holder, name)| member_hash(holder, name)));
    for declarations in [&old, &new] {
        for item in declarations.all.iter().filter(|item| dirty.contains(&item.identity)) {
            if item.is_nameless {
                return None;
            }
            // Macros are asked for with their mark.
            found.extend(item.macros.iter().map(|name| name_hash(&format!("{name}!"))));
            found.extend(item.concerns_all_types.then(|| name_hash(ANY_TYPE)));
            found.extend(item.members_of.iter().map(|name| name_hash(&members_key(name))));
        }
    }
    Some(found)
}

/// The modules that `new` re-exports whole and `old` does not. `None` when `old` re-exports a module that `new` does not,
/// or when their order differs, since the first module with a name provides it.
pub(crate) fn added_reexports(old: &FileFacts, new: &FileFacts) -> Option<Vec<ImportId>> {
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
pub(crate) fn matching_definitions(old: &FileFacts, new: &FileFacts) -> Vec<Option<DefId>> {
    let (old, new) = (identities(old), identities(new));
    let places: FxHashMap<u64, usize> =
        new.iter().enumerate().map(|(at, identity)| (*identity, at)).collect();
    let matching = |identity: &u64| places.get(identity).map(|at| DefId(number(*at)));
    old.iter().map(matching).collect()
}
