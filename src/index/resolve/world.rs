//! All files' facts under one roof: names numbered across files, modules, members by type. Built once a resolution and
//! read by every file's session.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
    sync::{Arc, OnceLock},
};

use rustc_hash::{FxHashMap, FxHasher};

use super::{project, seen, slots::Slots, told::ToldFiles};
use crate::index::{
    facts::{Deed, DefId, DefKind, Export, FileFacts, ImportId, ScopeId, ScopeKind, Sym, Taken},
    flow::Flow,
    languages::Family,
};

macro_rules! numbers {
    ($($name:ident),+) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

numbers!(FileId, Name, ModId);

/// A definition of any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DefRef {
    pub(crate) file: FileId,
    pub(crate) def: DefId,
}

/// A file that takes part.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Path below the root.
    pub path: String,
    /// What it says.
    pub facts: Arc<FileFacts>,
}

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

pub(crate) struct World<'p> {
    files: &'p [SourceFile],
    pub(crate) texts: Vec<&'p str>,
    numbers: FxHashMap<&'p str, Name>,
    /// For each file, its strings' numbers.
    symbols: Vec<Vec<Name>>,
    families: Vec<Family>,
    pub(crate) by_path: FxHashMap<&'p str, FileId>,
    pub(crate) modules: Vec<Module>,
    /// The module that each file is, or belongs to.
    pub(crate) module_of: Vec<ModId>,
    /// Definitions of a module by name.
    tops: FxHashMap<(ModId, Name), Vec<DefRef>>,
    /// Definitions inside a definition by name.
    members: FxHashMap<(DefRef, Name), Vec<DefRef>>,
    /// The module that an inline namespace is.
    pub(crate) inline: FxHashMap<DefRef, ModId>,
    /// For a type that is declared in parts, the first of them by each of them.
    pub(crate) wholes: FxHashMap<DefRef, DefRef>,
    /// All parts of such a type by its first.
    pub(crate) parts: FxHashMap<DefRef, Vec<DefRef>>,
    /// Imports that a module's own scope holds, by the name they get there.
    imports: FxHashMap<(ModId, Name), Vec<(FileId, ImportId)>>,
    /// Imports of everything that a module's own scope holds.
    stars: FxHashMap<ModId, Vec<(FileId, ImportId)>>,
    /// Places in a file's list of exports, by name.
    exports: FxHashMap<(FileId, Name), Vec<usize>>,
    /// Macros by name.
    macros: FxHashMap<Name, Vec<DefRef>>,
    pub(crate) layout: project::Layout,
    pub(crate) told: ToldFiles<'p>,
    pub(crate) slots: Slots,
    flows: Vec<OnceLock<Flow>>,
    /// Calls that listen for an event, by its name: places in a file's list of events.
    listeners: FxHashMap<Name, Vec<(FileId, usize)>>,
}

impl<'p> World<'p> {
    pub(crate) fn build(files: &'p [SourceFile], manifests: &[(String, String)]) -> Self {
        let mut world = Self {
            files,
            texts: Vec::new(),
            numbers: FxHashMap::default(),
            symbols: Vec::with_capacity(files.len()),
            families: files.iter().map(|file| file.facts.language.family()).collect(),
            by_path: FxHashMap::default(),
            modules: Vec::new(),
            module_of: Vec::new(),
            tops: FxHashMap::default(),
            members: FxHashMap::default(),
            inline: FxHashMap::default(),
            wholes: FxHashMap::default(),
            parts: FxHashMap::default(),
            imports: FxHashMap::default(),
            stars: FxHashMap::default(),
            exports: FxHashMap::default(),
            macros: FxHashMap::default(),
            layout: project::Layout::default(),
            told: ToldFiles::default(),
            slots: Slots::default(),
            flows: files.iter().map(|_| OnceLock::new()).collect(),
            listeners: FxHashMap::default(),
        };
        for (at, file) in files.iter().enumerate() {
            let names = file.facts.names.iter().map(|name| world.number(name)).collect();
            world.symbols.push(names);
            world.by_path.insert(&file.path, FileId(number(at)));
        }
        for word in super::known::WORDS.iter().flat_map(|words| words.iter()) {
            world.number(word);
        }
        world.layout = project::lay_out(&mut world, manifests);
        world.index_defs();
        world
    }

    pub(crate) fn number(&mut self, text: &'p str) -> Name {
        if let Some(name) = self.numbers.get(text) {
            return *name;
        }
        let name = Name(number(self.texts.len()));
        self.texts.push(text);
        self.numbers.insert(text, name);
        name
    }

    /// The number of a string that occurs in some file.
    pub(crate) fn name(&self, text: &str) -> Option<Name> {
        seen::name(text);
        self.numbers.get(text).copied()
    }

    /// The number of a string that a file's facts have.
    pub(crate) fn written(&self, text: &str) -> Option<Name> {
        self.numbers.get(text).copied()
    }

    /// How many files there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// The numbers of a file's strings.
    pub(crate) fn names_of(&self, file: FileId) -> &[Name] {
        &self.symbols[file.index()]
    }

    pub(crate) fn text(&self, name: Name) -> &'p str {
        self.texts[name.index()]
    }

    /// What a file says.
    pub(crate) fn facts(&self, file: FileId) -> &'p FileFacts {
        seen::file(file);
        &self.files[file.index()].facts
    }

    pub(crate) fn path(&self, file: FileId) -> &'p str {
        &self.files[file.index()].path
    }

    pub(crate) fn family(&self, file: FileId) -> Family {
        seen::file(file);
        self.families[file.index()]
    }

    pub(crate) fn sym(&self, file: FileId, sym: Sym) -> Name {
        self.symbols[file.index()][sym.index()]
    }

    pub(crate) fn def(&self, at: DefRef) -> &'p crate::index::facts::Def {
        self.facts(at.file).def(at.def)
    }

    pub(crate) fn def_name(&self, at: DefRef) -> Name {
        self.sym(at.file, self.def(at).name)
    }

    pub(crate) fn parent(&self, at: DefRef) -> Option<DefRef> {
        self.def(at).parent.map(|def| DefRef { file: at.file, def })
    }

    /// The definition that stands for a type declared in parts.
    pub(crate) fn whole(&self, at: DefRef) -> DefRef {
        self.wholes.get(&at).copied().unwrap_or(at)
    }

    /// Keeps definitions of one path together as parts of one type.
    pub(crate) fn join_parts(&mut self, parts: Vec<DefRef>) {
        if let [first, _, ..] = parts.as_slice() {
            let first = *first;
            self.wholes.extend(parts.iter().map(|part| (*part, first)));
            self.parts.insert(first, parts);
        }
    }

    pub(crate) fn members_named(&self, of: DefRef, name: Name) -> &[DefRef] {
        seen::file(of.file);
        for part in self.parts.get(&of).into_iter().flatten() {
            seen::file(part.file);
        }
        self.members.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn tops_named(&self, of: ModId, name: Name) -> &[DefRef] {
        self.look_into(of);
        self.tops.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Imports in a module's own scope that bring something under a name.
    pub(crate) fn imports_named(&self, of: ModId, name: Name) -> &[(FileId, ImportId)] {
        self.look_into(of);
        self.imports.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    /// Imports of everything in a module's own scope.
    pub(crate) fn stars_of(&self, of: ModId) -> &[(FileId, ImportId)] {
        self.look_into(of);
        self.stars.get(&of).map_or(&[], Vec::as_slice)
    }

    /// Places in a file's list of exports that offer a name.
    pub(crate) fn exports_named(&self, of: FileId, name: Name) -> &[usize] {
        seen::file(of);
        self.exports.get(&(of, name)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn macros_named(&self, name: Name) -> &[DefRef] {
        self.macros.get(&name).map_or(&[], Vec::as_slice)
    }

    /// What a file puts where. A look at where the parameters of a function go is noted by its name.
    pub(crate) fn takes(&self, function: DefRef) -> &Flow {
        seen::file(function.file);
        seen::name(&takes_mark(self.text(self.def_name(function))));
        let flow = &self.flows[function.file.index()];
        flow.get_or_init(|| Flow::of(&self.files[function.file.index()].facts))
    }

    /// Calls that listen for an event by this name: places in a file's list of events.
    pub(crate) fn listeners(&self, key: Name) -> &[(FileId, usize)] {
        seen::name(&listens_mark(self.text(key)));
        self.listeners.get(&key).map_or(&[], Vec::as_slice)
    }

    /// Whether what a module holds is found in one file, so that a look into the module is one at the file. What a
    /// module of several files comes to hold is followed by its names.
    pub(crate) fn only_file(&self, module: ModId) -> Option<FileId> {
        let Module { files, defs, .. } = self.module(module);
        let mut all = files.iter().copied().chain(defs.iter().map(|def| def.file));
        let first = all.next()?;
        all.all(|file| file == first).then_some(first)
    }

    /// The modules that a file has a part in.
    pub(crate) fn modules_of(&self, file: FileId) -> impl Iterator<Item = ModId> + '_ {
        let defs =
            (0..self.facts(file).defs.len()).map(move |id| DefRef { file, def: DefId(number(id)) });
        let inline = defs.filter_map(|def| self.inline.get(&def).copied());
        std::iter::once(self.module_of[file.index()]).chain(inline)
    }

    /// A hash of where modules are: as long as it is the same, a file's imports lead where they led.
    pub(crate) fn layout_hash(&self) -> u64 {
        let mut hasher = FxHasher::default();
        for file in self.files {
            (&file.path, file.facts.language).hash(&mut hasher);
        }
        for module in &self.modules {
            let children: BTreeMap<&str, ModId> =
                module.children.iter().map(|(name, module)| (self.text(*name), *module)).collect();
            let defs: Vec<FileId> = module.defs.iter().map(|def| def.file).collect();
            (&module.name, module.parent, &module.files, defs, children).hash(&mut hasher);
        }
        self.module_of.hash(&mut hasher);
        let mut inline: Vec<(FileId, &str, ModId)> = self
            .inline
            .iter()
            .map(|(def, module)| (def.file, self.text(self.def_name(*def)), *module))
            .collect();
        inline.sort_unstable();
        inline.hash(&mut hasher);
        // A type that comes to have another part has other members everywhere.
        let parts: BTreeMap<DefRef, Vec<FileId>> = self
            .parts
            .values()
            .map(|parts| (parts[0], parts.iter().map(|part| part.file).collect()))
            .collect();
        parts.into_values().for_each(|files: Vec<FileId>| files.hash(&mut hasher));
        (&self.layout, self.layout.csharp.methods(self)).hash(&mut hasher);
        hasher.finish()
    }

    fn look_into(&self, module: ModId) {
        if let Some(file) = self.only_file(module) {
            seen::file(file);
        }
    }

    pub(crate) fn add_module(&mut self, name: String, parent: Option<ModId>) -> ModId {
        let id = ModId(number(self.modules.len()));
        self.modules.push(Module { name, parent, ..Module::default() });
        id
    }

    pub(crate) fn module(&self, id: ModId) -> &Module {
        &self.modules[id.index()]
    }

    fn index_defs(&mut self) {
        for at in 0..self.files.len() {
            let file = FileId(number(at));
            let facts = self.facts(file);
            let module = self.module_of[at];
            for (id, import) in facts.imports.iter().enumerate() {
                let id = ImportId(number(id));
                let Some(home) = self.home_of(file, import.scope) else { continue };
                if import.taken == Taken::All {
                    self.stars.entry(home).or_default().push((file, id));
                }
                if let Some(local) = import.local {
                    self.imports.entry((home, self.sym(file, local))).or_default().push((file, id));
                }
            }
            for (place, export) in facts.exports.iter().enumerate() {
                if let Export::Local { name, .. }
                | Export::Value { name, .. }
                | Export::Import { name, .. } = export
                {
                    self.exports.entry((file, self.sym(file, *name))).or_default().push(place);
                }
            }
            for (place, event) in facts.events.iter().enumerate() {
                if event.deed == Deed::Listens {
                    self.listeners
                        .entry(self.sym(file, event.key))
                        .or_default()
                        .push((file, place));
                }
            }
            for (id, def) in facts.defs.iter().enumerate() {
                let this = DefRef { file, def: DefId(number(id)) };
                let name = self.sym(file, def.name);
                if def.kind == DefKind::Macro {
                    self.macros.entry(name).or_default().push(this);
                }
                let is_part = self.whole(this) != this;
                match def.parent {
                    _ if is_part => {}
                    None if def.receiver.is_known()
                        && !facts.language.family().binds_extensions() => {}
                    None => self.tops.entry((module, name)).or_default().push(this),
                    Some(parent) => {
                        let parent = self.whole(DefRef { file, def: parent });
                        self.members.entry((parent, name)).or_default().push(this);
                        let attached =
                            def.receiver.is_known() && !facts.language.family().binds_extensions();
                        if let Some(module) =
                            self.inline.get(&parent).copied().filter(|_| !attached)
                        {
                            self.tops.entry((module, name)).or_default().push(this);
                        }
                    }
                }
            }
        }
    }

    /// The module whose own scope `scope` is.
    pub(crate) fn home_of(&self, file: FileId, scope: ScopeId) -> Option<ModId> {
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
            if let Some(home) = self.home_of(file, at) {
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

    /// Whether it stands in the graph by itself.
    pub(crate) fn is_named(&self, at: DefRef) -> bool {
        let def = self.def(at);
        def.kind != DefKind::Object
            && def.kind != DefKind::Impl
            && !self.text(self.def_name(at)).is_empty()
    }

    /// The nearest definition around `at`, itself included, that stands in the graph.
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

pub(crate) fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

/// What the places that the parameters of functions by a name go to are asked for by, among names.
pub(crate) fn takes_mark(function: &str) -> String {
    format!("{function}\0takes")
}

/// The same for calls that listen for an event.
pub(crate) fn listens_mark(event: &str) -> String {
    format!("{event}\0listens")
}
