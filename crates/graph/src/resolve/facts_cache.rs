//! The facts of all files, each opened when somebody looks at it, with what follows from that file alone. What is open
//! can be put away between two jobs, so that a large tree's facts are never in memory all at once.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
};

use rayon::prelude::*;
use rustc_hash::FxHashMap;

use crate::{
    facts::{DefId, Export, FileFacts, value_flow::ValueFlow},
    resolve::{
        edges::order,
        program::{DefRef, FileId, Name, Program, number},
    },
    store::StoreError,
};

/// Bytes of open facts, about, from which on they are put away.
const MAX_OPEN: usize = 64 << 20;

/// Where facts come from.
pub(crate) trait FactsSource: Sync {
    /// The facts of a file.
    ///
    /// # Errors
    ///
    /// When what is kept of the file can't be read.
    fn facts(&self, file: FileId) -> Result<Arc<FileFacts>, StoreError>;
}

/// The files of one resolution.
pub(crate) struct FactsCache<'p> {
    supply: &'p dyn FactsSource,
    volumes: Vec<OnceLock<Box<LoadedFile>>>,
    open: AtomicUsize,
}

/// One file's facts, and what follows from them.
pub(crate) struct LoadedFile {
    pub(crate) facts: Arc<FileFacts>,
    /// The numbers of its strings.
    pub(crate) names: Box<[Name]>,
    /// Definitions inside a definition by name.
    members: FxHashMap<(DefId, Name), Vec<DefRef>>,
    /// Places in the list of exports, by name.
    exports: FxHashMap<Name, Vec<usize>>,
    flow: OnceLock<ValueFlow>,
    places: OnceLock<Vec<u32>>,
    named: OnceLock<FxHashMap<(u32, Name), DefRef>>,
}

/// Facts that can't be read: what unwinds a resolution that needs them.
struct Unreadable(StoreError);

/// Does a job that looks at facts. When some of them can't be read it ends there.
pub(crate) fn reading<T>(job: impl FnOnce() -> Result<T, StoreError>) -> Result<T, StoreError> {
    catch_unwind(AssertUnwindSafe(job)).unwrap_or_else(|payload: Box<dyn Any + Send>| {
        match payload.downcast::<Unreadable>() {
            Ok(unreadable) => Err(unreadable.0),
            Err(other) => resume_unwind(other),
        }
    })
}

impl<'p> FactsCache<'p> {
    pub(crate) fn new(supply: &'p dyn FactsSource, files: usize) -> Self {
        let volumes = (0..files).map(|_| OnceLock::new()).collect();
        Self { supply, volumes, open: AtomicUsize::new(0) }
    }

    /// One file. Ends the job of [`reading`] when it can't be read.
    pub(crate) fn volume(&self, file: FileId, program: &Program<'_>) -> &LoadedFile {
        self.volumes[file.index()].get_or_init(|| match self.supply.facts(file) {
            Ok(facts) => {
                self.open.fetch_add(facts.weight(), Ordering::Relaxed);
                Box::new(LoadedFile::new(file, facts, program))
            }
            Err(error) => resume_unwind(Box::new(Unreadable(error))),
        })
    }

    /// Puts everything away when it has become much.
    pub(crate) fn tidy(&mut self) {
        if *self.open.get_mut() > MAX_OPEN {
            *self.open.get_mut() = 0;
            self.put_away();
        }
    }

    /// To give so much memory back takes a while.
    fn put_away(&mut self) {
        self.volumes.par_iter_mut().for_each(|volume| drop(volume.take()));
    }
}

impl Drop for FactsCache<'_> {
    fn drop(&mut self) {
        self.put_away();
    }
}

impl LoadedFile {
    fn new(file: FileId, facts: Arc<FileFacts>, program: &Program<'_>) -> Self {
        let names = program.names().numbers(&facts.names);
        let mut members: FxHashMap<_, Vec<DefRef>> = FxHashMap::default();
        for (id, def) in facts.defs.iter().enumerate() {
            let member = DefRef { file, def: DefId(number(id)) };
            if let Some(parent) = def.parent.filter(|_| program.canonical(member) == member) {
                members.entry((parent, names[def.name.index()])).or_default().push(member);
            }
        }
        let mut exports: FxHashMap<_, Vec<usize>> = FxHashMap::default();
        for (place, export) in facts.exports.iter().enumerate() {
            if let Export::Local { name, .. }
            | Export::Value { name, .. }
            | Export::Import { name, .. } = export
            {
                exports.entry(names[name.index()]).or_default().push(place);
            }
        }
        Self {
            facts,
            names,
            members,
            exports,
            flow: OnceLock::new(),
            places: OnceLock::new(),
            named: OnceLock::new(),
        }
    }

    pub(crate) fn members(&self, of: DefId, name: Name) -> &[DefRef] {
        self.members.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Adds all definitions inside one to lists by name.
    #[expect(clippy::iter_over_hash_type, reason = "each goes to a list of its own")]
    pub(crate) fn add_members(&self, of: DefId, lists: &mut FxHashMap<Name, Vec<DefRef>>) {
        for ((parent, name), members) in &self.members {
            if *parent == of {
                lists.entry(*name).or_default().extend(members);
            }
        }
    }

    pub(crate) fn exports(&self, name: Name) -> &[usize] {
        self.exports.get(&name).map_or(&[], Vec::as_slice)
    }

    /// What it puts where.
    pub(crate) fn flow(&self) -> &ValueFlow {
        self.flow.get_or_init(|| ValueFlow::of(&self.facts))
    }

    /// The place of each definition among the file's nodes; 0 for one that is no node.
    pub(crate) fn places(&self) -> &[u32] {
        self.places.get_or_init(|| {
            let mut places = vec![0; self.facts.defs.len()];
            for (place, def) in (1..).zip(order(&self.facts)) {
                places[def.index()] = place;
            }
            places
        })
    }

    /// The definition that is named on a line by a word.
    pub(crate) fn named_at(&self, file: FileId, line: u32, name: Name) -> Option<DefRef> {
        let named = self.named.get_or_init(|| {
            let mut named = FxHashMap::default();
            for (id, def) in self.facts.defs.iter().enumerate() {
                let this = DefRef { file, def: DefId(number(id)) };
                named.entry((def.name_line, self.names[def.name.index()])).or_insert(this);
            }
            named
        });
        named.get(&(line, name)).copied()
    }
}
