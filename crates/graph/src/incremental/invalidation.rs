//! Finds the files whose resolution a change may affect. The result may be too large, but never too small.
//!
//! A file is resolved again when it changed itself, or when something that it read did:
//!
//! * A file that it read is gone, or what others see of that file changed in a way that can be found without a name.
//! * A name changed its meaning, and the file looked it up. Which names changed follows from [`super::declaration_diff`] for a changed
//!   file, from [`offered_names`] for tables over all files, and from the contributions of changed files.
//!
//! Contributions follow from other files as well, so invalidation goes in three steps: what files attach to types, what
//! they assign to fields, and then everything else. Each step can concern more files.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::{
    declaration_diff::{added_reexports, differing_names, matching_definitions},
    interface_fingerprint::interface_fingerprint,
    packed_read_set::ChangedNames,
    stored_file_resolution::ResolutionRecord,
};
use crate::{
    facts::{
        DefFlags, DefId, DefKind, FileFacts, ImportId, ImportSelection, ModuleExport,
        NamedEventAction, Sym,
        language_capabilities::LanguageCapabilities,
        name_hash,
        top_level_summary::heirs,
        value_flow::{self, ValueFlow},
    },
    resolve::{
        CrossFileContributions, FileId, Resolver,
        callback_fields::{CallbackAssignment, field_hashes},
        out_of_line_members::{OutOfLineMemberKey, OutOfLineMembers},
        program_facts::{ProgramFacts, heirs_key, listener_key, number, parameter_flow_key},
    },
    store::{FileKey, OutgoingEdges},
};

/// A file that is new or has another content.
pub(super) struct ChangedFile<'a> {
    pub(super) file: FileId,
    /// Its facts before; `None` for a new file.
    pub(super) before: Option<&'a FileFacts>,
}

/// A removed file.
pub(super) struct RemovedFile {
    pub(super) facts: FileFacts,
    pub(super) record: ResolutionRecord,
    /// The checksummed record of its nodes.
    pub(super) nodes: Vec<u8>,
    /// The edges that started in it.
    pub(super) edges: OutgoingEdges,
}

/// What was known before the change, and what changed.
#[derive(Clone, Copy)]
pub(super) struct InvalidationInput<'a> {
    /// One a file; that of a new file is empty.
    pub(super) records: &'a [ResolutionRecord],
    pub(super) changed: &'a [ChangedFile<'a>],
    pub(super) removed: &'a BTreeMap<FileKey, RemovedFile>,
    /// The keys of the files as they are now.
    pub(super) keys: &'a [FileKey],
    /// The differences of the module layout.
    pub(super) layout: &'a ModuleLayoutChange,
}

/// What differs in where modules are.
#[derive(Debug, Default)]
pub(super) struct ModuleLayoutChange {
    /// Files of which the layout says something else.
    pub(super) files: Vec<FileId>,
    /// The files among them that belong to other modules than before.
    pub(super) moved: Vec<FileId>,
    /// Hashes of names of modules that are new, gone or others.
    pub(super) module_names: BTreeSet<u32>,
}

/// The files that a change affects, and the contributions of all files after it.
pub(super) struct AffectedFiles {
    pub(super) files: Vec<FileId>,
    pub(super) contributions: Vec<CrossFileContributions<FileId>>,
}

/// Works out which files `change` concerns, and sets the contributions of all files. Returns `None` when it may concern
/// all files.
pub(super) fn invalidate(
    resolver: &mut Resolver<'_>,
    change: InvalidationInput<'_>,
) -> Option<AffectedFiles> {
    let mut invalidation = Invalidation::new(resolver.program(), change)?;
    let mut contributions = invalidation.contributions_before();
    let affected = invalidation.affected();
    let attached: Vec<OutOfLineMembers<FileId>> =
        affected.par_iter().with_max_len(4).map(|file| resolver.attached_by(*file)).collect();
    for (file, attached) in affected.into_iter().zip(attached) {
        invalidation.compare_attached(file, &attached);
        contributions[file.index()].attached = attached;
    }
    resolver.set_attached(contributions.iter().map(|file| &file.attached));
    let affected = invalidation.affected();
    let callbacks: Vec<Vec<CallbackAssignment<FileId>>> =
        affected.par_iter().with_max_len(4).map(|file| resolver.callbacks_of(*file)).collect();
    for (file, callbacks) in affected.into_iter().zip(callbacks) {
        contributions[file.index()].callbacks = callbacks;
    }
    invalidation.compare_callbacks(contributions.iter().flat_map(|file| &file.callbacks));
    resolver.set_callbacks(contributions.iter().flat_map(|file| &file.callbacks));
    Some(AffectedFiles { files: invalidation.affected(), contributions })
}

/// The files that are known to be affected so far.
struct Invalidation<'a> {
    change: InvalidationInput<'a>,
    by_key: FxHashMap<FileKey, FileId>,
    /// For each changed file, by old definition, the new one that replaces it. Only nodes have one.
    matching: FxHashMap<FileId, Vec<Option<DefId>>>,
    /// Files that have to be resolved in any case.
    resolve: BTreeSet<FileId>,
    /// Files that concern everybody who read them.
    changed_files: BTreeSet<FileId>,
    changed_names: ChangedNames,
}

impl<'a> Invalidation<'a> {
    /// Returns what follows from the changed files themselves; `None` when all files may be concerned.
    fn new(program: &ProgramFacts<'_>, change: InvalidationInput<'a>) -> Option<Self> {
        let mut invalidation = Self {
            change,
            by_key: change.keys.iter().copied().zip((0..).map(FileId)).collect(),
            matching: FxHashMap::default(),
            resolve: change.changed.iter().map(|changed| changed.file).collect(),
            changed_files: change.layout.files.iter().copied().collect(),
            changed_names: ChangedNames::default(),
        };
        invalidation.resolve.extend(&change.layout.files);
        for name in &change.layout.module_names {
            invalidation.changed_names.add(None, *name);
        }
        let read_elsewhere = invalidation.read_by_unchanged();
        let compare = |changed: &ChangedFile<'_>| {
            InterfaceChange::of(program, changed, &change, &read_elsewhere)
        };
        let interfaces: Vec<InterfaceChange> =
            change.changed.par_iter().with_max_len(1).map(compare).collect();
        for (changed, interface) in change.changed.iter().zip(interfaces) {
            invalidation.note_interface(program, changed.file, interface);
            invalidation.declares_others(program, changed)?;
        }
        for file in &change.layout.moved {
            invalidation.declares_elsewhere(program, *file)?;
        }
        for removed in change.removed.values() {
            invalidation.declares_nothing(removed)?;
        }
        Some(invalidation)
    }

    /// Notes what follows from the new content of a file; `None` when all files may be concerned.
    fn declares_others(
        &mut self,
        program: &ProgramFacts<'_>,
        changed: &ChangedFile<'_>,
    ) -> Option<()> {
        let ChangedFile { file, before } = *changed;
        let new = program.facts(file);
        let language = program.capabilities(file);
        let is_shared =
            !program.is_alone_in_modules(file) || self.change.records[file.index()].shares_modules;
        let keeps_globs = !is_shared || language.glob_imports_are_private;
        if !keeps_globs && before.map(glob_imports).unwrap_or_default() != glob_imports(new) {
            return None;
        }
        let offered = |facts: &FileFacts| {
            let mut offered = offered_names(facts, language);
            if is_shared {
                offered.extend(names_in_modules(facts, language));
            }
            offered.sort_unstable();
            offered
        };
        let before = before.map(offered).unwrap_or_default();
        self.change_offered(&before, &offered(new));
        Some(())
    }

    /// Notes what follows from a file that belongs to another module; `None` when all files may be concerned.
    fn declares_elsewhere(&mut self, program: &ProgramFacts<'_>, file: FileId) -> Option<()> {
        let (facts, language) = (program.facts(file), program.capabilities(file));
        if !language.glob_imports_are_private && !glob_imports(facts).is_empty() {
            return None;
        }
        let mut offered = names_in_modules(facts, language);
        offered.sort_unstable();
        self.change_offered(&[], &offered);
        Some(())
    }

    /// Notes what follows from a file that is gone; `None` when all files may be concerned.
    fn declares_nothing(&mut self, removed: &RemovedFile) -> Option<()> {
        let RemovedFile { facts, record, .. } = removed;
        let language = facts.language.capabilities();
        let mut offered = offered_names(facts, language);
        if record.shares_modules {
            if !language.glob_imports_are_private && !glob_imports(facts).is_empty() {
                return None;
            }
            offered.extend(names_in_modules(facts, language));
        }
        offered.sort_unstable();
        self.change_offered(&offered, &[]);
        self.change_attached(&record.contributions.attached, &OutOfLineMembers::default());
        Some(())
    }

    /// Returns the files that files without a change have read: what differs in the others concerns nobody else.
    fn read_by_unchanged(&self) -> FxHashSet<FileKey> {
        let records = (0..).map(FileId).zip(self.change.records);
        let unchanged = records.filter(|(file, _)| !self.resolve.contains(file));
        unchanged.flat_map(|(_, record)| record.reads.iter().copied()).collect()
    }

    fn note_interface(
        &mut self,
        program: &ProgramFacts<'_>,
        file: FileId,
        change: InterfaceChange,
    ) {
        let InterfaceChange { matching, differing } = change;
        self.matching.extend(matching.map(|matching| (file, matching)));
        match differing {
            Differing::Nothing => {}
            Differing::Names(mut names, added) => {
                let mut seen = BTreeSet::from([file]);
                for import in added {
                    exported_names(program, file, import, &mut seen, &mut names);
                }
                let key = self.change.keys[file.index()];
                names.into_iter().for_each(|name| self.changed_names.add(Some(key), name));
            }
            Differing::Anything => drop(self.changed_files.insert(file)),
        }
    }

    /// Notes names that tables over all files have from one file, and had before or have now only.
    fn change_offered(&mut self, old: &[Offer], new: &[Offer]) {
        for Offer(_, name) in difference(old, new) {
            self.changed_names.add(None, name);
        }
    }

    /// Returns the files that have to be resolved again, as far as is known. Those that were returned before are not looked at
    /// again.
    fn affected(&mut self) -> Vec<FileId> {
        let is_gone_or_changed = |read: &FileKey| {
            self.by_key.get(read).is_none_or(|file| self.changed_files.contains(file))
        };
        let is_affected = |(at, record): (usize, &ResolutionRecord)| {
            let file = FileId(number(at));
            let is_known = self.resolve.contains(&file);
            let meets = || {
                record.reads.iter().any(is_gone_or_changed)
                    || record.lookups.meet(&self.changed_names, &record.reads)
            };
            (!is_known && meets()).then_some(file)
        };
        let records = self.change.records.par_iter().enumerate();
        let found: Vec<FileId> = records.filter_map(is_affected).collect();
        self.resolve.extend(found);
        self.resolve.iter().copied().collect()
    }

    /// Returns what the files contributed, by the present numbers of definitions. A file for which that isn't known has to
    /// be resolved.
    fn contributions_before(&mut self) -> Vec<CrossFileContributions<FileId>> {
        let number = |key: FileKey, def: DefId| {
            let file = *self.by_key.get(&key)?;
            match self.matching.get(&file) {
                Some(matching) => Some((file, matching.get(def.index()).copied().flatten()?)),
                None => Some((file, def)),
            }
        };
        let records = self.change.records.iter();
        let contributions: Vec<Option<CrossFileContributions<FileId>>> =
            records.map(|record| record.contributions.renumbered(number)).collect();
        let mut known = Vec::with_capacity(contributions.len());
        for (file, contributions) in (0..).map(FileId).zip(contributions) {
            known.push(contributions.unwrap_or_else(|| {
                self.resolve.insert(file);
                CrossFileContributions::default()
            }));
        }
        known
    }

    fn compare_attached(&mut self, file: FileId, now: &OutOfLineMembers<FileId>) {
        let before = &self.change.records[file.index()].contributions.attached;
        self.change_attached(before, now);
    }

    /// Notes the members that a file attached only before, or attaches only now. A file that used members attached to a
    /// type of a removed file has read that file.
    fn change_attached(
        &mut self,
        before: &OutOfLineMembers<FileKey>,
        now: &OutOfLineMembers<FileId>,
    ) {
        let members = before.member_keys().into_iter().filter_map(|(host, ty, name)| match host {
            Some(key) => Some((Some(*self.by_key.get(&key)?), ty, name)),
            None => Some((None, ty, name)),
        });
        let mut members: Vec<OutOfLineMemberKey<FileId>> = members.collect();
        members.sort_unstable();
        for (host, _, name) in difference(&members, &now.member_keys()) {
            self.changed_names.add(host.map(|host| self.change.keys[host.index()]), name);
        }
        let supers = before.super_keys().into_iter();
        let supers = supers.filter_map(|(key, ty)| Some((*self.by_key.get(&key)?, ty)));
        let mut supers: Vec<(FileId, u32)> = supers.collect();
        supers.sort_unstable();
        let changed = difference(&supers, &now.super_keys());
        self.changed_files.extend(changed.into_iter().map(|(host, _)| host));
    }

    /// Notes fields whose functions are others than before.
    fn compare_callbacks<'c>(&mut self, now: impl Iterator<Item = &'c CallbackAssignment<FileId>>) {
        let removed = self.change.removed.values().map(|file| &file.record);
        let records = self.change.records.iter().chain(removed);
        let before = field_hashes(records.flat_map(|record| &record.contributions.callbacks));
        let before = before.into_iter();
        let before =
            before.filter_map(|(key, name, hash)| Some((*self.by_key.get(&key)?, name, hash)));
        let mut before: Vec<(FileId, u32, u64)> = before.collect();
        before.sort_unstable();
        for (home, name, _) in difference(&before, &field_hashes(now)) {
            self.changed_names.add(Some(self.change.keys[home.index()]), name);
        }
    }
}

/// How a new content of a file differs from the one before.
struct InterfaceChange {
    /// By old definition, the new one that replaces it; `None` for a new file. Only nodes have one.
    matching: Option<Vec<Option<DefId>>>,
    differing: Differing,
}

/// What of a file other files may see differently.
enum Differing {
    Nothing,
    /// What is reached by names of these hashes, and the modules that are re-exported now only.
    Names(BTreeSet<u32>, Vec<ImportId>),
    Anything,
}

impl InterfaceChange {
    /// Compares the contents of a file. What differs is not looked for unless the file is one of those `read_elsewhere`.
    fn of(
        program: &ProgramFacts<'_>,
        changed: &ChangedFile<'_>,
        input: &InvalidationInput<'_>,
        read_elsewhere: &FxHashSet<FileKey>,
    ) -> Self {
        let ChangedFile { file, before: Some(old) } = *changed else {
            return Self { matching: None, differing: Differing::Nothing };
        };
        let new = program.facts(file);
        let mut matching = matching_definitions(old, new);
        for (id, new) in (0..).map(DefId).zip(&mut matching) {
            *new = new.filter(|_| old.is_named(id));
        }
        let is_same = || interface_fingerprint(new) == input.records[file.index()].interface;
        let is_read = read_elsewhere.contains(&input.keys[file.index()]);
        let differing = if !is_read || is_same() {
            Differing::Nothing
        } else {
            match differing_names(old, new).zip(added_reexports(old, new)) {
                Some((names, added)) => Differing::Names(names, added),
                None => Differing::Anything,
            }
        };
        Self { matching: Some(matching), differing }
    }
}

/// Something that a file puts into a table over all files: a hash of what and where, and the hash of its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Offer(u64, u32);

impl Offer {
    fn new(kind: OfferKind, namespaces: &[&str], name: &str) -> Self {
        let mut hasher = FxHasher::default();
        (kind, namespaces, name).hash(&mut hasher);
        Self(hasher.finish(), name_hash(name))
    }
}

#[derive(Hash)]
enum OfferKind {
    Macro,
    Extension,
    TopLevel,
    Import,
}

/// Adds the hashes of the names that the modules of an import of `file` export, also of what they export of others.
fn exported_names(
    program: &ProgramFacts<'_>,
    file: FileId,
    import: ImportId,
    seen: &mut BTreeSet<FileId>,
    names: &mut BTreeSet<u32>,
) {
    let mut open = vec![(file, import)];
    while let Some((file, import)) = open.pop() {
        let modules = program.modules_of_import(file, program.facts(file).import(import));
        for file in modules.into_iter().flat_map(|module| &program.module(module).files) {
            if !seen.insert(*file) {
                continue;
            }
            let facts = program.facts(*file);
            for export in &facts.exports {
                match export {
                    ModuleExport::Local { name, .. }
                    | ModuleExport::Value { name, .. }
                    | ModuleExport::Import { name, .. } => {
                        names.insert(name_hash(facts.text(*name)));
                    }
                    ModuleExport::All(import) => open.push((*file, *import)),
                }
            }
        }
    }
}

/// Returns the names that a file enters into tables over all files that are not kept by module.
fn offered_names(facts: &FileFacts, language: &LanguageCapabilities) -> Vec<Offer> {
    let mut offered = offered_flows(facts);
    if language.asks_heirs {
        offered.extend(offered_heirs(facts));
    }
    for def in &facts.defs {
        let name = facts.text(def.name);
        if def.kind == DefKind::Macro {
            offered.push(Offer::new(OfferKind::Macro, &[], name));
            offered.push(Offer::new(OfferKind::Macro, &[], &format!("{name}!")));
        }
        if language.extensions_by_name && def.flags.has(DefFlags::SELF_PARAM) {
            offered.push(Offer::new(OfferKind::Extension, &[], name));
        }
    }
    offered
}

/// Returns what a file puts into its modules.
fn names_in_modules(facts: &FileFacts, language: &LanguageCapabilities) -> Vec<Offer> {
    let mut offered = Vec::new();
    for def in &facts.defs {
        // Attached members are compared by themselves.
        let is_attached = def.receiver.is_known() && !language.binds_extensions;
        if !is_attached && let Some(namespaces) = namespaces_around(facts, def.parent) {
            offered.push(Offer::new(OfferKind::TopLevel, &namespaces, facts.text(def.name)));
        }
    }
    if !language.named_imports_are_private {
        let locals = facts.imports.iter().filter_map(|import| import.local);
        offered.extend(locals.map(|name| Offer::new(OfferKind::Import, &[], facts.text(name))));
    }
    offered
}

/// Returns the names of the namespaces around a definition, the innermost first; `None` when it stands in something else.
fn namespaces_around(facts: &FileFacts, mut parent: Option<DefId>) -> Option<Vec<&str>> {
    let mut names = Vec::new();
    while let Some(id) = parent {
        let def = facts.def(id);
        if def.kind != DefKind::Namespace {
            return None;
        }
        names.push(facts.text(def.name));
        parent = def.parent;
    }
    Some(names)
}

/// Returns where the parameters of functions go, and which events are listened for.
fn offered_flows(facts: &FileFacts) -> Vec<Offer> {
    let flow = ValueFlow::of(facts);
    let functions = flow.described(facts).into_iter();
    let functions = functions.map(|(hash, name)| Offer(hash, name_hash(&parameter_flow_key(name))));
    let listeners =
        facts.events.iter().filter(|event| event.action == NamedEventAction::Listens).map(
            |event| {
                let mut hasher = FxHasher::default();
                (value_flow::print(facts, event.call), event.from).hash(&mut hasher);
                Offer(hasher.finish(), name_hash(&listener_key(facts.text(event.key))))
            },
        );
    functions.chain(listeners).collect()
}

/// Returns the types of a file, by what they build on.
fn offered_heirs(facts: &FileFacts) -> impl Iterator<Item = Offer> {
    heirs(facts).map(|(up, def)| {
        let mut hasher = FxHasher::default();
        (facts.text(up), facts.text(facts.def(def).name)).hash(&mut hasher);
        Offer(hasher.finish(), name_hash(&heirs_key(facts.text(up))))
    })
}

/// Returns the imports of everything from a module: the module, the level and whether others see them, sorted.
fn glob_imports(facts: &FileFacts) -> Vec<(Vec<&str>, u8, bool)> {
    let globs = facts.imports.iter().filter(|import| import.taken == ImportSelection::All);
    let path = |path: &[Sym]| path.iter().map(|part| facts.text(*part)).collect();
    let mut globs: Vec<(Vec<&str>, u8, bool)> =
        globs.map(|import| (path(&import.module), import.level, import.public)).collect();
    globs.sort_unstable();
    globs
}

/// Returns what one of two sorted lists has more often than the other.
pub(super) fn difference<T: Copy + Ord>(a: &[T], b: &[T]) -> Vec<T> {
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
