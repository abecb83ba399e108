//! The facts of all files together: names numbered across files, modules, members by type. They are built once per
//! resolution and read by the evaluator of every file.

pub(crate) mod project;

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    sync::OnceLock,
};

use retriever_workspace::Cancellation;
use rustc_hash::{FxHashMap, FxHasher};

pub(crate) use crate::resolve::ids::{DefRef, FileId, ModId, Name, number};
use crate::{
    facts::{
        Def, DefId, DefKind, Expr, ExprId, FileFacts, Import, ImportId, ScopeId, ScopeKind, Sym,
        file_summary::{FileSummary, ImportScope},
        language_capabilities::LanguageCapabilities,
        value_flow::ValueFlow,
    },
    graph::{Language, LanguageFamily},
    resolve::{
        callback_fields::CallbackFields,
        facts_cache::{FactsCache, FactsLoadContext, FactsSource, LoadedFile},
        interner::Interner,
        library_table::LibraryTable,
        program_facts::project::{ModuleLayout, ProjectModel},
        resolution_read_set,
    },
    store::StoreError,
};

/// Something that names are looked up in by qualifying them: a file, a package, a namespace.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) name: String,
    pub(crate) parent: Option<ModId>,
    pub(crate) files: Vec<FileId>,
    /// The definition that opens it inside a file.
    pub(crate) defs: Vec<DefRef>,
    pub(crate) children: FxHashMap<Name, ModId>,
}

impl Module {
    fn single_file(&self) -> Option<FileId> {
        let mut all = self.files.iter().copied().chain(self.defs.iter().map(|def| def.file));
        let first = all.next()?;
        all.all(|file| file == first).then_some(first)
    }
}

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
    pub(crate) library: &'static LibraryTable,
    pub(crate) callback_fields: CallbackFields,
    /// Calls that listen for an event, by its name: places in a file's list of events.
    listeners: FxHashMap<Name, Vec<(FileId, usize)>>,
    /// Ends all resolution.
    pub(crate) cancellation: Cancellation,
    /// By module, see [`ProgramFacts::single_file`]. Set once all modules are there.
    single_files: Vec<Option<FileId>>,
}

impl<'p> ProgramFacts<'p> {
    /// Returns a program without modules; [`ProgramFacts::index_definitions`] follows once every file has its module.
    pub(crate) fn new(
        sources: &ProgramFactsInput<'p, '_>,
        library: &'static LibraryTable,
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
            cancellation: (*cancellation).clone(),
            single_files: Vec::new(),
        }
    }

    /// Enters the definitions and imports of all files into the tables of their modules.
    pub(crate) fn index_definitions(&mut self, summaries: &[FileSummary]) {
        self.single_files = self.modules.iter().map(Module::single_file).collect();
        self.joined = self.parts.keys().map(|first| (*first, OnceLock::new())).collect();
        for (at, summary) in summaries.iter().enumerate() {
            self.index_file(FileId(number(at)), summary);
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

    /// The modules that an import may mean, best first; none when it is from outside.
    pub(crate) fn modules_of_import(&self, file: FileId, import: &Import) -> Vec<ModId> {
        let model = self.layout.models.of(self.family(file));
        model.map_or_else(Vec::new, |model| model.modules(self, file, import))
    }

    /// The project model of a type; `None` when the program has no files of that family.
    pub(crate) fn project<M: ProjectModel>(&self) -> Option<&M> {
        self.layout.models.get()
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

    pub(crate) fn def(&self, at: DefRef) -> &Def {
        self.facts(at.file).def(at.def)
    }

    pub(crate) fn def_name(&self, at: DefRef) -> Name {
        self.name_of(at.file, self.def(at).name)
    }

    pub(crate) fn parent(&self, at: DefRef) -> Option<DefRef> {
        self.def(at).parent.map(|def| DefRef { file: at.file, def })
    }

    /// The definition that stands for a type declared in parts.
    pub(crate) fn canonical(&self, at: DefRef) -> DefRef {
        self.canonical_parts.get(&at).copied().unwrap_or(at)
    }

    /// Returns the same as [`Self::canonical`], and notes a look-up of the type by its name: a change of its first part
    /// may change how another part is resolved.
    pub(crate) fn look_up_canonical(&self, at: DefRef) -> DefRef {
        let first = self.canonical(at);
        if first != at {
            self.looks_into(first.file, self.def_name(at));
        }
        first
    }

    /// Returns the parts of a type, and notes that each is looked up by its name.
    pub(crate) fn parts_of(&self, of: DefRef) -> Vec<DefRef> {
        let Some(parts) = self.parts.get(&of) else { return vec![of] };
        parts.iter().for_each(|part| self.looks_into(part.file, self.def_name(*part)));
        parts.clone()
    }

    /// Whether none of these definitions takes as many parameters as a declaration, so that it is another overload.
    pub(crate) fn differs_in_arity(&self, declaration: DefRef, definitions: &[DefRef]) -> bool {
        let count = |def: DefRef| self.def(def).params.len();
        definitions.iter().all(|def| count(*def) != count(declaration))
    }

    /// Keeps definitions of one path together as parts of one type.
    pub(crate) fn join_type_parts(&mut self, parts: Vec<DefRef>) {
        if let [first, _, ..] = parts.as_slice() {
            let first = *first;
            self.canonical_parts.extend(parts.iter().map(|part| (*part, first)));
            self.parts.insert(first, parts);
        }
    }

    pub(crate) fn members_named(&self, of: DefRef, name: Name) -> &[DefRef] {
        self.looks_into(of.file, name);
        let Some(joined) = self.joined.get(&of) else {
            return match self.canonical_parts.get(&of) {
                // The first part stands in for the others.
                Some(_) => &[],
                None => self.loaded(of.file).members(of.def, name),
            };
        };
        let parts = self.parts.get(&of).map_or(&[][..], Vec::as_slice);
        parts.iter().for_each(|part| self.looks_into(part.file, name));
        let members = joined.get_or_init(|| {
            let mut members: FxHashMap<Name, Vec<DefRef>> = FxHashMap::default();
            for part in parts {
                self.loaded(part.file).add_members(part.def, &mut members);
            }
            members.values_mut().for_each(|members| members.sort_unstable());
            members
        });
        members.get(&name).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn top_level_named(&self, of: ModId, name: Name) -> &[DefRef] {
        self.looks_into_module(of, name);
        let found = self.tops.get(&(of, name)).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|def| self.looks_into(def.file, name));
        found
    }

    /// Imports in a module's own scope that bring something under a name.
    pub(crate) fn imports_named(&self, of: ModId, name: Name) -> &[(FileId, ImportId)] {
        self.looks_into_module(of, name);
        let found = self.imports.get(&(of, name)).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|(file, _)| self.looks_into(*file, name));
        found
    }

    /// Imports of everything in a module's own scope.
    pub(crate) fn glob_imports_of(&self, of: ModId) -> &[(FileId, ImportId)] {
        if let Some(file) = self.single_file(of) {
            resolution_read_set::note_file(file);
        }
        self.glob_imports.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Places in a file's list of exports that offer a name.
    pub(crate) fn exports_named(&self, of: FileId, name: Name) -> &[usize] {
        self.looks_into(of, name);
        self.loaded(of).exports(name)
    }

    pub(crate) fn macros_named(&self, name: Name) -> &[DefRef] {
        self.looks_everywhere(name);
        let found = self.macros.get(&name).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|def| self.looks_into(def.file, name));
        found
    }

    /// Returns the module of this name in another.
    pub(crate) fn child(&self, of: ModId, name: Name) -> Option<ModId> {
        self.looks_everywhere(name);
        self.module(of).children.get(&name).copied()
    }

    /// Returns which values go where in the file of a function. Reading where its parameters go is noted by its name.
    pub(crate) fn value_flow(&self, function: DefRef) -> &ValueFlow {
        resolution_read_set::note_file(function.file);
        self.name(&parameter_flow_key(self.text(self.def_name(function))));
        self.loaded(function.file).value_flow()
    }

    /// Returns the place of a definition among the nodes of its file; `None` for one that is no node.
    pub(crate) fn node_index(&self, at: DefRef) -> Option<u32> {
        resolution_read_set::note_file(at.file);
        self.loaded(at.file).node_index(at.def)
    }

    /// The definition that is named on a line of a file by a word.
    pub(crate) fn named_at(&self, file: FileId, line: u32, name: Name) -> Option<DefRef> {
        self.loaded(file).named_at(file, line, name)
    }

    /// Calls that listen for an event by this name: places in a file's list of events.
    pub(crate) fn listeners(&self, key: Name) -> &[(FileId, usize)] {
        self.name(&listener_key(self.text(key)));
        let found = self.listeners.get(&key).map_or(&[][..], Vec::as_slice);
        found.iter().for_each(|(file, _)| self.looks_into(*file, key));
        found
    }

    /// Returns the file of a module that lies in one file, so that a look-up in the module depends on that file alone.
    /// Look-ups in a module of several files are noted by name.
    pub(crate) fn single_file(&self, module: ModId) -> Option<FileId> {
        self.single_files.get(module.index()).copied().flatten()
    }

    /// The modules that a file has a part in.
    pub(crate) fn modules_of(&self, file: FileId) -> impl Iterator<Item = ModId> + '_ {
        let defs =
            (0..self.facts(file).defs.len()).map(move |id| DefRef { file, def: DefId(number(id)) });
        let inline = defs.filter_map(|def| self.inline.get(&def).copied());
        std::iter::once(self.module_of[file.index()]).chain(inline)
    }

    /// Whether each module that a file has a part in is the file's alone.
    pub(crate) fn is_alone_in_modules(&self, file: FileId) -> bool {
        self.modules_of(file).all(|module| self.single_file(module) == Some(file))
    }

    /// Returns a hash of where all modules are. As long as it is the same, nothing of the layout differs for any file.
    pub(crate) fn layout_hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (&self.paths, &self.languages).hash(&mut hasher);
        for module in &self.modules {
            let children: BTreeMap<&str, ModId> =
                module.children.iter().map(|(name, module)| (self.text(*name), *module)).collect();
            let defs: Vec<FileId> = module.defs.iter().map(|def| def.file).collect();
            (&module.name, module.parent, &module.files, defs, children).hash(&mut hasher);
        }
        self.module_of.hash(&mut hasher);
        let mut inline: Vec<(FileId, ModId)> =
            self.inline.iter().map(|(def, module)| (def.file, *module)).collect();
        inline.sort_unstable();
        inline.hash(&mut hasher);
        // A type that comes to have another part has other members everywhere.
        let parts: BTreeMap<DefRef, Vec<FileId>> = self
            .parts
            .values()
            .map(|parts| (parts[0], parts.iter().map(|part| part.file).collect()))
            .collect();
        parts.into_values().for_each(|files: Vec<FileId>| files.hash(&mut hasher));
        self.layout.fingerprint(&mut hasher);
        hasher.finish()
    }

    /// Notes that a name is looked up in a table over all files.
    pub(crate) fn looks_everywhere(&self, name: Name) {
        resolution_read_set::note_lookup(None, name);
    }

    /// Notes that a name is looked up in what a file has.
    pub(crate) fn looks_into(&self, file: FileId, name: Name) {
        resolution_read_set::note_lookup(Some(file), name);
    }

    /// Notes that all members of a definition are read, whatever their names.
    pub(crate) fn looks_at_members(&self, of: DefRef) {
        self.looks_into(of.file, self.intern(&members_key(self.text(self.def_name(of)))));
    }

    fn looks_into_module(&self, module: ModId, name: Name) {
        resolution_read_set::note_lookup(self.single_file(module), name);
    }

    pub(crate) fn add_module(&mut self, name: String, parent: Option<ModId>) -> ModId {
        let id = ModId(number(self.modules.len()));
        self.modules.push(Module { name, parent, ..Module::default() });
        id
    }

    pub(crate) fn module(&self, id: ModId) -> &Module {
        &self.modules[id.index()]
    }

    fn index_file(&mut self, file: FileId, summary: &FileSummary) {
        let own = self.module_of[file.index()];
        for import in &summary.imports {
            let home = match import.home {
                ImportScope::File => Some(own),
                ImportScope::Inside(def) => self.inline.get(&DefRef { file, def }).copied(),
                ImportScope::Nowhere => None,
            };
            let Some(home) = home else { continue };
            if import.is_all && import.includes.is_none() {
                self.glob_imports.entry(home).or_default().push((file, import.id));
            }
            if let Some(local) = import.local {
                let local = self.intern(summary.text(local));
                self.imports.entry((home, local)).or_default().push((file, import.id));
            }
        }
        for (key, place) in &summary.listens {
            let key = self.intern(summary.text(*key));
            self.listeners.entry(key).or_default().push((file, *place as usize));
        }
        for def in &summary.defs {
            let this = DefRef { file, def: def.id };
            let name = self.intern(summary.text(def.name));
            if def.kind == DefKind::Macro {
                self.macros.entry(name).or_default().push(this);
            }
            let binds_extensions = self.capabilities[file.index()].binds_extensions;
            let attached = def.has_receiver && !binds_extensions;
            if attached || self.canonical(this) != this {
                continue;
            }
            let module = match def.parent {
                None => Some(own),
                Some(def) => self.inline.get(&self.canonical(DefRef { file, def })).copied(),
            };
            if let Some(module) = module {
                self.tops.entry((module, name)).or_default().push(this);
            }
        }
    }

    /// The module whose own scope `scope` is.
    pub(crate) fn module_of_scope(&self, file: FileId, scope: ScopeId) -> Option<ModId> {
        let scope_facts = &self.facts(file).scopes[scope.index()];
        match (scope_facts.kind, scope_facts.owner) {
            (ScopeKind::File, _) => Some(self.module_of[file.index()]),
            (ScopeKind::Block, Some(def)) if self.facts(file).def(def).scope == scope => {
                self.inline.get(&DefRef { file, def }).copied()
            }
            _ => None,
        }
    }

    /// The module that a place in a file belongs to.
    pub(crate) fn module_at(&self, file: FileId, scope: ScopeId) -> ModId {
        let mut next = Some(scope);
        while let Some(at) = next {
            if let Some(home) = self.module_of_scope(file, at) {
                return home;
            }
            next = self.facts(file).scopes[at.index()].parent;
        }
        self.module_of[file.index()]
    }

    /// The chain of definitions from the outermost to `at`, without those that have no name.
    pub(crate) fn chain(&self, at: DefRef) -> Vec<DefRef> {
        let mut chain = Vec::new();
        let mut next = Some(at);
        while let Some(def) = next {
            if self.is_named(def) {
                chain.push(def);
            }
            next = self.parent(def);
        }
        chain.reverse();
        chain
    }

    /// The definition that a reference belongs to. A property of an object belongs to the function that makes the object.
    pub(crate) fn caller(&self, at: DefRef) -> Option<DefRef> {
        let named = self.named(at)?;
        let mut next = Some(named);
        while let Some(def) = next {
            match self.def(def).kind {
                DefKind::Function => return Some(def),
                DefKind::Field | DefKind::Object => next = self.parent(def),
                _ => break,
            }
        }
        Some(named)
    }

    /// The word that is called or named.
    pub(crate) fn called_name(&self, file: FileId, target: ExprId) -> Option<&str> {
        let facts = self.facts(file);
        match facts.expr(target) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(facts.text(*name)),
            _ => None,
        }
    }

    /// The functions that a call through `field` may run; none when there are too many.
    pub(crate) fn functions_assigned_to(&self, field: DefRef) -> &[DefRef] {
        let assigned = self.callback_fields.assigned_to(field);
        for def in assigned.iter().chain([&field]) {
            self.looks_into(def.file, self.def_name(*def));
        }
        assigned
    }

    /// Whether a definition is a node of the graph.
    pub(crate) fn is_named(&self, at: DefRef) -> bool {
        self.facts(at.file).is_named(at.def)
    }

    /// The innermost definition around `at`, itself included, that is a node of the graph.
    pub(crate) fn named(&self, at: DefRef) -> Option<DefRef> {
        let mut next = Some(at);
        while let Some(def) = next {
            if self.is_named(def) {
                return Some(def);
            }
            next = self.parent(def);
        }
        None
    }
}

/// Returns the key in a read set for the value flow of the parameters of functions named `function`.
pub(crate) fn parameter_flow_key(function: &str) -> String {
    format!("{function}\0takes")
}

/// Returns the key for all members of a definition.
pub(crate) fn members_key(holder: &str) -> String {
    format!("{holder}\0members")
}

/// Returns the key for calls that listen for an event.
pub(crate) fn listener_key(event: &str) -> String {
    format!("{event}\0listens")
}
