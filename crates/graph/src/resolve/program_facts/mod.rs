//! The facts of all files together: names numbered across files, modules, members by type. They are built once per
//! resolution and read by type inference of every file.

mod definition_facts;
mod name_tables;
mod program_modules;
pub(crate) mod project_model;
mod read_set_recorder;
pub(crate) use self::name_tables::MAX_HEIRS;
pub(crate) use self::program_modules::Module;
pub(crate) use self::read_set_recorder::{
    heirs_key, listener_key, members_key, parameter_flow_key,
};

use std::sync::OnceLock;

use retriever_workspace::Cancellation;
use rustc_hash::FxHashMap;

pub(crate) use crate::resolve::file_and_definition_ids::{DefRef, FileId, ModId, Name, number};
use crate::{
    facts::{
        FileFacts, ImportId, Sym, language_capabilities::LanguageCapabilities,
        top_level_summary::FileSummary,
    },
    graph_model::{Language, LanguageFamily},
    resolve::{
        callback_fields::CallbackFields,
        interner::Interner,
        library_api_table::LibraryApiTable,
        loaded_facts::{FactsCache, FactsLoadContext, FactsSource, LoadedFile},
        program_facts::project_model::ModuleLayout,
        resolution_read_set,
    },
    store::StoreError,
};

/// The input from which [`ProgramFacts`] is built.
pub(crate) struct ProgramFactsInput<'p, 'o> {
    /// Sorted.
    pub(crate) paths: Vec<&'p str>,
    pub(crate) facts: &'p dyn FactsSource,
    /// One a path.
    pub(crate) summaries: &'o [FileSummary],
    /// The texts of manifests by path.
    pub(crate) manifests: &'o [(String, String)],
    pub(crate) cancellation: &'o Cancellation,
}

pub(crate) struct ProgramFacts<'p> {
    paths: Vec<&'p str>,
    facts: FactsCache<'p>,
    interner: Interner,
    languages: Vec<Language>,
    /// One a file, like the following: they are asked for at every step.
    families: Vec<LanguageFamily>,
    capabilities: Vec<&'static LanguageCapabilities>,
    /// By file, whether it attaches something to types, and whether it puts something into fields.
    gives: Vec<(bool, bool)>,
    pub(crate) by_path: FxHashMap<&'p str, FileId>,
    pub(crate) modules: Vec<Module>,
    /// The module that each file is, or belongs to.
    pub(crate) module_of: Vec<ModId>,
    /// Definitions of a module by name.
    tops: FxHashMap<(ModId, Name), Vec<DefRef>>,
    /// The module that an inline namespace is.
    pub(crate) inline: FxHashMap<DefRef, ModId>,
    /// For a type that is declared in parts, the first of them by each of them.
    pub(crate) canonical_parts: FxHashMap<DefRef, DefRef>,
    /// All parts of such a type by its first.
    pub(crate) parts: FxHashMap<DefRef, Vec<DefRef>>,
    /// Members of such a type by name, by its first part.
    joined: FxHashMap<DefRef, OnceLock<FxHashMap<Name, Vec<DefRef>>>>,
    /// Imports that a module's own scope holds, by the name they get there.
    imports: FxHashMap<(ModId, Name), Vec<(FileId, ImportId)>>,
    /// Imports of everything that a module's own scope holds.
    glob_imports: FxHashMap<ModId, Vec<(FileId, ImportId)>>,
    /// Macros by name.
    macros: FxHashMap<Name, Vec<DefRef>>,
    pub(crate) layout: ModuleLayout,
    pub(crate) library: &'static LibraryApiTable,
    pub(crate) callback_fields: CallbackFields,
    /// Calls that listen for an event, by its name: places in a file's list of events.
    listeners: FxHashMap<Name, Vec<(FileId, usize)>>,
    /// Types by the names of what they build on.
    heirs: FxHashMap<Name, Vec<DefRef>>,
    /// Ends all resolution.
    pub(crate) cancellation: Cancellation,
    /// By module, see [`ProgramFacts::single_file`]. Set once all modules are there.
    single_files: Vec<Option<FileId>>,
    /// By file, whether one of its definitions is a module or a part of a type. Set once all modules are there.
    lays_out: Vec<bool>,
}

impl<'p> ProgramFacts<'p> {
    /// Returns a program without modules; [`ProgramFacts::index_definitions`] follows once every file has its module.
    pub(crate) fn new(
        sources: &ProgramFactsInput<'p, '_>,
        library: &'static LibraryApiTable,
        capabilities: impl Fn(Language) -> &'static LanguageCapabilities,
    ) -> Self {
        let ProgramFactsInput { paths, facts, summaries, cancellation, .. } = sources;
        let languages: Vec<Language> = summaries.iter().map(|file| file.language).collect();
        Self {
            facts: FactsCache::new(*facts, paths.len()),
            interner: Interner::default(),
            families: languages.iter().map(|language| language.family()).collect(),
            capabilities: languages.iter().map(|language| capabilities(*language)).collect(),
            languages,
            gives: summaries.iter().map(|file| (file.attaches, file.fills)).collect(),
            by_path: paths.iter().copied().zip((0..).map(FileId)).collect(),
            paths: paths.clone(),
            modules: Vec::new(),
            module_of: Vec::new(),
            tops: FxHashMap::default(),
            inline: FxHashMap::default(),
            canonical_parts: FxHashMap::default(),
            parts: FxHashMap::default(),
            joined: FxHashMap::default(),
            imports: FxHashMap::default(),
            glob_imports: FxHashMap::default(),
            macros: FxHashMap::default(),
            layout: ModuleLayout::default(),
            library,
            callback_fields: CallbackFields::default(),
            listeners: FxHashMap::default(),
            heirs: FxHashMap::default(),
            cancellation: (*cancellation).clone(),
            single_files: Vec::new(),
            lays_out: Vec::new(),
        }
    }

    /// The number of a string that is written in a file.
    pub(crate) fn intern(&self, text: &str) -> Name {
        self.interner.intern(text)
    }

    /// The number of a string that the resolver builds or contains. It counts as looked up in tables over all files.
    pub(crate) fn name(&self, text: &str) -> Name {
        let name = self.interner.intern(text);
        self.looks_everywhere(name);
        name
    }

    /// Returns how many files there are.
    pub(crate) fn len(&self) -> usize {
        self.paths.len()
    }

    pub(crate) fn text(&self, name: Name) -> &str {
        self.interner.text(name)
    }

    /// Returns the facts of a file.
    pub(crate) fn facts(&self, file: FileId) -> &FileFacts {
        resolution_read_set::note_file(file);
        &self.loaded(file).facts
    }

    fn loaded(&self, file: FileId) -> &LoadedFile {
        let context = FactsLoadContext {
            language: self.languages[file.index()],
            interner: &self.interner,
            canonical_parts: &self.canonical_parts,
        };
        self.facts.file(file, context)
    }

    /// Returns the error of loading facts, if there was one: then no result of resolution is valid.
    pub(crate) fn fault(&self) -> Option<StoreError> {
        self.facts.fault()
    }

    /// Releases loaded facts when they take much memory. They are loaded again when they are read.
    pub(crate) fn release_facts(&mut self) {
        self.facts.release_if_large();
    }

    pub(crate) fn path(&self, file: FileId) -> &'p str {
        self.paths[file.index()]
    }

    pub(crate) fn family(&self, file: FileId) -> LanguageFamily {
        resolution_read_set::note_file(file);
        self.families[file.index()]
    }

    /// Returns what generic code may ask of the language of a file.
    pub(crate) fn capabilities(&self, file: FileId) -> &'static LanguageCapabilities {
        resolution_read_set::note_file(file);
        self.capabilities[file.index()]
    }

    /// Whether a file attaches something to types from outside.
    pub(super) fn attaches(&self, file: FileId) -> bool {
        self.gives[file.index()].0
    }

    /// Whether a file puts something into fields.
    pub(super) fn fills(&self, file: FileId) -> bool {
        self.gives[file.index()].1
    }

    pub(crate) fn name_of(&self, file: FileId, sym: Sym) -> Name {
        self.loaded(file).name(sym.index())
    }
}
