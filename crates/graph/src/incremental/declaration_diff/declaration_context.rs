//! The context that all declarations of a file share: which definitions belong to one declaration, and hashes that tell definitions
//! and scopes apart without their positions.

use std::{
    collections::BTreeSet,
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::facts::{
    BindingTarget, DefFlags, DefId, DefKind, FileFacts, LoweredDefinition, Sym, TypeExpr, TypeId,
    hash_of, value_flow::ValueFlow,
};

/// The context that all items of a file share.
pub(super) struct FileContext<'a> {
    pub(super) facts: &'a FileFacts,
    /// The identity of each definition.
    pub(super) paths: Vec<u64>,
    /// The definition that each declaration begins with.
    pub(super) roots: Vec<DefId>,
    /// The declaration of each definition.
    pub(super) declaration_of: Vec<usize>,
    /// For each scope a hash of what it stands in.
    pub(super) scopes: Vec<u64>,
    /// The definitions that bare names mean.
    pub(super) bound: FxHashSet<DefId>,
    /// The declaration of the first import.
    pub(super) first_import: usize,
    /// Where parameters go.
    pub(super) flow: ValueFlow,
}

impl<'a> FileContext<'a> {
    pub(super) fn of(facts: &'a FileFacts) -> Option<Self> {
        let paths = identities(facts);
        let mut roots = Vec::new();
        let mut declaration_of: Vec<usize> = Vec::with_capacity(facts.defs.len());
        for (id, def) in facts.defs.iter().enumerate() {
            let parent = def.parent.filter(|_| is_inseparable(def));
            match parent {
                Some(parent) => declaration_of.push(*declaration_of.get(parent.index())?),
                None => {
                    declaration_of.push(roots.len());
                    roots.push(DefId(number(id)));
                }
            }
        }
        let mut scopes: Vec<u64> = Vec::with_capacity(facts.scopes.len());
        for scope in &facts.scopes {
            let parent = match scope.parent {
                Some(parent) => Some(*scopes.get(parent.index())?),
                None => None,
            };
            let owner = scope.owner.map(|owner| paths[owner.index()]);
            scopes.push(hash_of((parent, owner, scope.kind as u8)));
        }
        let holders: BTreeSet<DefId> = facts.defs.iter().filter_map(|def| def.parent).collect();
        let first_import = roots.len() + holders.len();
        let flow = ValueFlow::of(facts);
        let bound = facts.bindings.iter().filter_map(|binding| match binding.what {
            BindingTarget::Def(def) => Some(def),
            _ => None,
        });
        let bound = bound.collect();
        Some(Self { facts, paths, roots, declaration_of, scopes, bound, first_import, flow })
    }

    /// Whether other files find a definition only among the members of the type around it.
    pub(super) fn is_member_only(&self, id: DefId, def: &LoweredDefinition) -> bool {
        let is_extension = def.receiver.is_known() || def.flags.has(DefFlags::SELF_PARAM);
        let is_in_type = def.parent.is_some_and(|holder| {
            let kind = self.facts.def(holder).kind;
            kind.is_type() && kind != DefKind::Impl
        });
        matches!(def.kind, DefKind::Field | DefKind::Function)
            && is_in_type
            && !is_extension
            && !self.bound.contains(&id)
    }

    pub(super) fn path(&self, path: &[Sym]) -> u64 {
        hash_of(path.iter().map(|part| self.facts.text(*part)).collect::<Vec<_>>())
    }
}

/// Whether a definition can be reached through the one around it without its name. Resolution that goes through all members of a
/// definition looks up their list.
fn is_inseparable(def: &LoweredDefinition) -> bool {
    def.kind == DefKind::Object || def.flags.has(DefFlags::CONSTRUCTOR)
}

/// For each definition, a hash of its name, of the names of its owners, and of its position among definitions that share
/// these.
pub(super) fn identities(facts: &FileFacts) -> Vec<u64> {
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

pub(super) fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
