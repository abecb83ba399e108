//! The facts of all files, each loaded when it is first read, together with tables that follow from that file alone. Loaded
//! files can be released between two pieces of work, so that the facts of a large tree are never in memory all at once.
//!
//! Loading can find damage. The cache keeps the first error and goes on with empty facts, so that resolution needs no error
//! handling: whoever started the resolution discards its result when there is a fault.

use std::collections::BTreeSet;
use std::sync::{
    Arc, Mutex, OnceLock, PoisonError,
    atomic::{AtomicUsize, Ordering},
};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    facts::{DefId, FileFacts, ImportId, ModuleExport, value_flow::ValueFlow},
    graph_model::Language,
    resolve::{
        file_and_definition_ids::{DefRef, FileId, Name, number},
        interner::Interner,
    },
    store::StoreError,
};

/// Approximate bytes of loaded facts from which on they are released.
const MAX_LOADED_BYTES: usize = 64 << 20;

/// Where facts come from.
pub(crate) trait FactsSource: Sync {
    /// Returns the facts of a file.
    ///
    /// # Errors
    ///
    /// When the store can't be read.
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError>;
}

/// The files of one resolution.
pub(crate) struct FactsCache<'p> {
    source: &'p dyn FactsSource,
    files: Vec<OnceLock<Box<LoadedFile>>>,
    loaded_bytes: AtomicUsize,
    fault: Mutex<Option<StoreError>>,
}

/// The parts of the program that loading a file needs.
#[derive(Clone, Copy)]
pub(crate) struct FactsLoadContext<'a> {
    pub(crate) language: Language,
    pub(crate) interner: &'a Interner,
    /// For a type that is declared in parts, the first of them by each of them.
    pub(crate) canonical_parts: &'a FxHashMap<DefRef, DefRef>,
}

/// The facts of one file, and tables that follow from them.
pub(crate) struct LoadedFile {
    pub(crate) facts: Arc<FileFacts>,
    /// The names of its strings.
    names: Box<[Name]>,
    /// Definitions inside a definition by name.
    members: FxHashMap<(DefId, Name), Vec<DefRef>>,
    /// Definitions directly inside a definition, in the order of the text.
    children: OnceLock<FxHashMap<DefId, Vec<DefRef>>>,
    /// Places in the list of exports, by name.
    exports: FxHashMap<Name, Vec<usize>>,
    /// Imports of modules all of which is exported.
    reexports: Box<[ImportId]>,
    value_flow: OnceLock<ValueFlow>,
    node_indices: OnceLock<Vec<u32>>,
    by_name_line: OnceLock<FxHashMap<(u32, Name), DefRef>>,
}

impl<'p> FactsCache<'p> {
    pub(crate) fn new(source: &'p dyn FactsSource, files: usize) -> Self {
        Self {
            source,
            files: (0..files).map(|_| OnceLock::new()).collect(),
            loaded_bytes: AtomicUsize::new(0),
            fault: Mutex::new(None),
        }
    }

    /// Returns a file; an empty one when it can't be loaded.
    pub(crate) fn file(&self, file: FileId, context: FactsLoadContext<'_>) -> &LoadedFile {
        self.files[file.index()].get_or_init(|| {
            let facts = self.source.facts(file).unwrap_or_else(|error| {
                self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
                Arc::new(FileFacts::empty(context.language))
            });
            self.loaded_bytes.fetch_add(facts.weight(), Ordering::Relaxed);
            Box::new(LoadedFile::new(file, facts, context))
        })
    }

    /// Returns the first error that loading met.
    pub(crate) fn fault(&self) -> Option<StoreError> {
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Releases all files when they take much memory.
    pub(crate) fn release_if_large(&mut self) {
        if *self.loaded_bytes.get_mut() > MAX_LOADED_BYTES {
            *self.loaded_bytes.get_mut() = 0;
            self.release();
        }
    }

    /// Releases all files, on several threads since freeing so much memory takes a while.
    fn release(&mut self) {
        self.files.par_iter_mut().for_each(|file| drop(file.take()));
    }
}

impl Drop for FactsCache<'_> {
    fn drop(&mut self) {
        self.release();
    }
}

impl LoadedFile {
    fn new(file: FileId, facts: Arc<FileFacts>, context: FactsLoadContext<'_>) -> Self {
        let names = context.interner.intern_all(&facts.names);
        let mut members: FxHashMap<_, Vec<DefRef>> = FxHashMap::default();
        for (id, def) in facts.defs.iter().enumerate() {
            let member = DefRef { file, def: DefId(number(id)) };
            let canonical = context.canonical_parts.get(&member);
            let is_canonical = canonical.is_none_or(|first| *first == member);
            if let Some(parent) = def.parent.filter(|_| is_canonical) {
                members.entry((parent, names[def.name.index()])).or_default().push(member);
            }
        }
        let mut exports: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        let mut reexports = Vec::new();
        for (place, export) in facts.exports.iter().enumerate() {
            match export {
                ModuleExport::Local { name, .. }
                | ModuleExport::Value { name, .. }
                | ModuleExport::Import { name, .. } => {
                    exports.entry(names[name.index()]).or_default().push(place);
                }
                ModuleExport::All(import) => reexports.push(*import),
            }
        }
        Self {
            facts,
            names,
            members,
            children: OnceLock::new(),
            exports,
            reexports: reexports.into(),
            value_flow: OnceLock::new(),
            node_indices: OnceLock::new(),
            by_name_line: OnceLock::new(),
        }
    }

    /// Returns the name of one of the file's strings.
    pub(crate) fn name(&self, sym: usize) -> Name {
        self.names.get(sym).copied().unwrap_or(Name::EMPTY)
    }

    /// Returns the definitions by a name inside another.
    pub(crate) fn members(&self, of: DefId, name: Name) -> &[DefRef] {
        self.members.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Returns the definitions directly inside another, in the order of the text.
    pub(crate) fn children(&self, file: FileId, of: DefId) -> &[DefRef] {
        let children = self.children.get_or_init(|| {
            let mut children: FxHashMap<DefId, Vec<DefRef>> = FxHashMap::default();
            for (id, def) in (0..).map(DefId).zip(&self.facts.defs) {
                if let Some(parent) = def.parent {
                    children.entry(parent).or_default().push(DefRef { file, def: id });
                }
            }
            children
        });
        children.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Adds all definitions inside one of this file to lists by name.
    pub(crate) fn add_members(&self, of: DefRef, lists: &mut FxHashMap<Name, Vec<DefRef>>) {
        let name = |child: &DefRef| self.names[self.facts.def(child.def).name.index()];
        let names: BTreeSet<Name> = self.children(of.file, of.def).iter().map(name).collect();
        for name in names {
            lists.entry(name).or_default().extend(self.members(of.def, name));
        }
    }

    /// Returns places in the list of exports that offer a name.
    pub(crate) fn exports(&self, name: Name) -> &[usize] {
        self.exports.get(&name).map_or(&[], Vec::as_slice)
    }

    /// Returns the imports of modules all of which is exported.
    pub(crate) fn reexports(&self) -> &[ImportId] {
        &self.reexports
    }

    /// Returns which values go where in the file.
    pub(crate) fn value_flow(&self) -> &ValueFlow {
        self.value_flow.get_or_init(|| ValueFlow::of(&self.facts))
    }

    /// Returns the place of a definition among the file's nodes; `None` for one that is no node.
    pub(crate) fn node_index(&self, def: DefId) -> Option<u32> {
        let indices = self.node_indices.get_or_init(|| {
            let mut indices = vec![0; self.facts.defs.len()];
            for (place, def) in (1..).zip(node_order(&self.facts)) {
                indices[def.index()] = place;
            }
            indices
        });
        indices.get(def.index()).copied().filter(|place| *place > 0)
    }

    /// Returns the definition that a word names on a line.
    pub(crate) fn named_at(&self, file: FileId, line: u32, name: Name) -> Option<DefRef> {
        let by_name_line = self.by_name_line.get_or_init(|| {
            let mut by_name_line = FxHashMap::default();
            for (id, def) in self.facts.defs.iter().enumerate() {
                let this = DefRef { file, def: DefId(number(id)) };
                by_name_line.entry((def.name_line, self.names[def.name.index()])).or_insert(this);
            }
            by_name_line
        });
        by_name_line.get(&(line, name)).copied()
    }
}

/// The definitions of a file that are nodes, in the order of their numbers, which begin at 1.
pub(crate) fn node_order(facts: &FileFacts) -> Vec<DefId> {
    let defs = &facts.defs;
    let ids = (0..defs.len()).map(|id| DefId(number(id)));
    let mut order: Vec<DefId> = ids.filter(|id| facts.is_named(*id)).collect();
    order.sort_by_key(|id| (defs[id.index()].start, *id));
    order
}
