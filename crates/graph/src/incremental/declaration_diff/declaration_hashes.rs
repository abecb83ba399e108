//! Splits one version of a file into items, each with a hash of its content, the names in it, and its unnamed children. A
//! hash depends neither on positions nor on other items.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::FxHasher;

use super::{
    declaration_context::{FileContext, number},
    declaration_hasher::{DeclarationHasher, HashedDeclaration},
};
use crate::facts::{
    DefId, DefKind, FileFacts, ImportId, ImportSelection, ModuleExport, NamedEventAction, ScopeId,
    hash_of,
};

pub(super) struct DeclarationHashes<'a> {
    pub(super) all: Vec<HashedDeclaration<'a>>,
    /// A hash of what is no declaration of its own.
    pub(super) whole: u64,
}

impl<'a> DeclarationHashes<'a> {
    /// Splits a file into declarations; `None` when it is nested too deeply.
    pub(super) fn of(facts: &'a FileFacts) -> Option<Self> {
        let file = FileContext::of(facts)?;
        let mut whole = FxHasher::default();
        (facts.language, file.path(&facts.package)).hash(&mut whole);
        let mut all: Vec<HashedDeclaration<'a>> = Vec::new();
        let mut defs: Vec<Vec<usize>> = vec![Vec::new(); file.roots.len()];
        for (id, declaration) in file.declaration_of.iter().enumerate() {
            defs[*declaration].push(id);
        }
        for (root, defs) in file.roots.iter().zip(defs) {
            let mut hasher = DeclarationHasher::new(&file);
            for id in defs {
                hasher.def(DefId(number(id)), &facts.defs[id]);
            }
            if let Some(parent) = facts.def(*root).parent {
                hasher.holds.insert(file.declaration_of[parent.index()]);
            }
            let is_field = facts.def(*root).kind == DefKind::Field;
            let item = hasher.done(file.paths[root.index()])?;
            all.push(HashedDeclaration { is_field, ..item });
        }
        all.extend(member_lists(&file));
        let mut used: BTreeMap<(u8, &str), u32> = BTreeMap::new();
        let mut identity = |kind: u8, name: &'a str| {
            let count = used.entry((kind, name)).or_default();
            *count += 1;
            hash_of((kind, name, *count))
        };
        let handed_on: BTreeSet<ImportId> = handed_on(facts).collect();
        let exported: BTreeSet<ImportId> = exported(facts).collect();
        for (id, import) in (0..).map(ImportId).zip(&facts.imports) {
            let mut hasher = DeclarationHasher::new(&file);
            hasher.import(import);
            let brings_all = import.taken == ImportSelection::All && !handed_on.contains(&id);
            match import.local {
                Some(local) => hasher.names.push(facts.text(local)),
                // Statements that only run declare nothing.
                None if import.taken == ImportSelection::Module || handed_on.contains(&id) => {}
                // Such an import is reached through the name of its export.
                None if exported.contains(&id) => {}
                None => hash_of((file.path(&import.module), import.level)).hash(&mut whole),
            }
            if brings_all {
                hasher.import(import);
                hash_of((file.path(&import.module), import.level)).hash(&mut whole);
            }
            let (kind, name) = match (import.local, &import.taken) {
                (Some(local), _) => (0, facts.text(local)),
                (None, ImportSelection::Name(taken)) => (3, facts.text(*taken)),
                (None, ImportSelection::Module | ImportSelection::All) => (3, ""),
            };
            all.push(hasher.done(identity(kind, name))?);
        }
        for export in &facts.exports {
            let mut hasher = DeclarationHasher::new(&file);
            let name = match export {
                ModuleExport::Local { name, local } => {
                    hasher.name(*local, ScopeId(0), u32::MAX);
                    *name
                }
                ModuleExport::Value { name, value } => {
                    hasher.expr(*value);
                    *name
                }
                ModuleExport::Import { name, import } => {
                    hasher.imported(*import);
                    *name
                }
                // Names that come or go with it are compared by themselves.
                ModuleExport::All(_) => continue,
            };
            let name = facts.text(name);
            hasher.names.push(name);
            all.push(hasher.done(identity(1, name))?);
        }
        // Code that raises an event by its name reaches the functions that listen to it.
        for event in facts.events.iter().filter(|event| event.action == NamedEventAction::Listens) {
            let mut hasher = DeclarationHasher::new(&file);
            let key = facts.text(event.key);
            hasher.names.push(key);
            hasher.expr(event.call);
            all.push(hasher.done(identity(2, key))?);
        }
        // Importing a module that has no default export gives its named values, if it has any.
        facts.exports.iter().any(|e| matches!(e, ModuleExport::Value { .. })).hash(&mut whole);
        facts.imports_names().hash(&mut whole);
        Some(Self { all, whole: whole.finish() })
    }
}

/// Returns the imports of modules that are re-exported as a whole.
pub(super) fn handed_on(facts: &FileFacts) -> impl Iterator<Item = ImportId> + '_ {
    facts.exports.iter().filter_map(|export| match export {
        ModuleExport::All(import) => Some(*import),
        _ => None,
    })
}

/// Returns the imports that are exported without a name in the file itself.
fn exported(facts: &FileFacts) -> impl Iterator<Item = ImportId> + '_ {
    facts.exports.iter().filter_map(|export| match export {
        ModuleExport::Import { import, .. } => Some(*import),
        _ => None,
    })
}

/// Returns for each definition that holds others the list of them, in the order of the text.
fn member_lists<'a>(file: &FileContext<'a>) -> Vec<HashedDeclaration<'a>> {
    let mut members: BTreeMap<DefId, Vec<usize>> = BTreeMap::new();
    for (id, def) in file.facts.defs.iter().enumerate() {
        if let Some(parent) = def.parent {
            members.entry(parent).or_default().push(id);
        }
    }
    let list = |(of, members): (DefId, Vec<usize>)| HashedDeclaration {
        identity: hash_of((file.paths[of.index()], "members")),
        hash: hash_of(members.iter().map(|id| file.paths[*id]).collect::<Vec<u64>>()),
        members_of: Some(file.facts.text(file.facts.def(of).name)),
        holds: members.iter().map(|id| file.declaration_of[*id]).collect(),
        ..HashedDeclaration::default()
    };
    members.into_iter().map(list).collect()
}
