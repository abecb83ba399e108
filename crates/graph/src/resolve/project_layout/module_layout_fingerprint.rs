//! Fingerprints of the module layout, which show the files that a change of the tree moves to other modules. They contain
//! no numbers of files or modules, since these differ from tree to tree.
//!
//! What resolution reads of the layout is covered in two ways: lookups of a module by name by [`module_entries`], and
//! everything else by [`file_layout`].

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashSet, FxHasher};
use serde::{Deserialize, Serialize};

use crate::{
    facts::{FileFacts, Import, ImportId, ImportSelection, hash_of, name_hash},
    resolve::program_facts::{FileId, ModId, ProgramFacts},
};

/// A hash of a module that can be looked up by name, with its place, and the hash of the name.
pub(crate) type ModuleNameFingerprint = (u64, u32);

/// Returns the modules that can be looked up by name, sorted.
#[expect(clippy::iter_over_hash_type, reason = "the entries are sorted at the end")]
pub(crate) fn module_entries(program: &ProgramFacts<'_>) -> Vec<ModuleNameFingerprint> {
    let paths = ModulePaths::new(program);
    let mut entries = Vec::new();
    let mut add = |place: Option<ModId>, name: &str, module: ModId| {
        let place = place.map(|place| paths.of(place));
        let hash = hash_of((place, name, paths.of(module), members(program, module)));
        entries.push((hash, name_hash(name)));
    };
    for (above, module) in (0..).map(ModId).zip(&program.modules) {
        for (name, child) in &module.children {
            add(Some(above), program.text(*name), *child);
        }
    }
    for model in program.layout.models.all() {
        model.named_modules(&mut |name, module| add(None, name, module));
    }
    entries.sort_unstable();
    entries
}

/// Hashes of a file's place in the module layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileModuleHashes {
    /// Its modules, the other parts of its types, and what the project model keeps by file.
    own: u64,
    /// The modules that its imports mean, sorted.
    imports: Vec<u32>,
}

impl FileModuleHashes {
    /// Whether it says something else than `now` of what two contents of the file have in common: `now` is that of the content
    /// `new`. What one of them alone imports differs in any case.
    pub(crate) fn differs(&self, now: &Self, old: &FileFacts, new: &FileFacts) -> bool {
        let known: FxHashSet<u64> = old.imports.iter().map(|it| import_hash(old, it)).collect();
        let is_known = |import: &&Import| known.contains(&import_hash(new, import));
        let common = new.imports.iter().filter(is_known).count();
        let same = now.imports.iter().filter(|hash| self.imports.binary_search(hash).is_ok());
        self.own != now.own || same.count() < common
    }

    /// Whether it differs from what `program` says of the same content of `file`. Facts are read only for what it imports.
    pub(crate) fn differs_in(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        now: impl FnOnce() -> Self,
    ) -> bool {
        self.own != own_layout(program, file) || !self.imports.is_empty() && *self != now()
    }
}

/// Returns the hashes of a file's place in the module layout.
pub(crate) fn file_layout(
    program: &ProgramFacts<'_>,
    file: FileId,
    mut modules_of_import: impl FnMut(ImportId) -> Vec<ModId>,
) -> FileModuleHashes {
    let facts = program.facts(file);
    let imports = (0..).map(ImportId).zip(&facts.imports).map(|(id, import)| {
        let mut hasher = FxHasher::default();
        import_hash(facts, import).hash(&mut hasher);
        for module in modules_of_import(id) {
            (path_hash(program, module), members(program, module)).hash(&mut hasher);
        }
        let hash = hasher.finish();
        (hash ^ hash >> 32) as u32
    });
    let mut imports: Vec<u32> = imports.collect();
    imports.sort_unstable();
    FileModuleHashes { own: own_layout(program, file), imports }
}

/// Returns a hash of a file's place in the module layout, apart from its imports.
fn own_layout(program: &ProgramFacts<'_>, file: FileId) -> u64 {
    let mut hasher = FxHasher::default();
    for module in program.modules_of(file) {
        let is_alone = program.single_file(module) == Some(file);
        (path_hash(program, module), is_alone, members(program, module)).hash(&mut hasher);
    }
    for (def, parts) in program.parts_in(file) {
        for part in parts {
            (program.text(program.def_name(def)), program.path(part.file)).hash(&mut hasher);
        }
    }
    if let Some(model) = program.layout.models.of(program.family(file)) {
        model.hash_file(program, file, &mut hasher);
    }
    hasher.finish()
}

/// Returns a hash of what an import asks for.
fn import_hash(facts: &FileFacts, import: &Import) -> u64 {
    let module: Vec<&str> = import.module.iter().map(|part| facts.text(*part)).collect();
    let taken = match import.taken {
        ImportSelection::Module => None,
        ImportSelection::Name(name) => Some(facts.text(name)),
        ImportSelection::All => Some("*"),
    };
    hash_of((module, import.level, taken))
}

/// Returns a hash of the modules that a file belongs to.
pub(crate) fn own_modules(program: &ProgramFacts<'_>, file: FileId) -> u64 {
    let mut hasher = FxHasher::default();
    program.modules_of(file).for_each(|module| path_hash(program, module).hash(&mut hasher));
    hasher.finish()
}

/// Returns the number of files of a module, at most 2, and the path of the only one. Where there are several, declarations
/// are followed by name.
fn members<'p>(program: &ProgramFacts<'p>, module: ModId) -> (usize, Option<&'p str>) {
    match program.module(module).files.as_slice() {
        [only] => (1, Some(program.path(*only))),
        files => (files.len().min(2), None),
    }
}

/// Hashes of the full paths of all modules.
struct ModulePaths(Vec<u64>);

impl ModulePaths {
    fn new(program: &ProgramFacts<'_>) -> Self {
        let mut paths: Vec<u64> = Vec::with_capacity(program.modules.len());
        for module in &program.modules {
            // A module comes behind the one that it is in.
            let above = module.parent.and_then(|above| paths.get(above.index()).copied());
            paths.push(hash_of((above, &module.name)));
        }
        Self(paths)
    }

    fn of(&self, module: ModId) -> u64 {
        self.0.get(module.index()).copied().unwrap_or_default()
    }
}

/// Returns what [`ModulePaths`] has of one module.
pub(crate) fn path_hash(program: &ProgramFacts<'_>, module: ModId) -> u64 {
    let mut chain = Vec::new();
    let mut next = Some(module);
    while let Some(at) = next {
        chain.push(at);
        next = program.module(at).parent;
    }
    let above = chain
        .into_iter()
        .rev()
        .fold(None, |above: Option<u64>, at| Some(hash_of((above, &program.module(at).name))));
    above.unwrap_or_default()
}
