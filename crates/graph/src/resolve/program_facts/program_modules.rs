//! The modules of a program: what each consists of, and which one a place belongs to.

use super::ProgramFacts;
use crate::resolve::file_and_definition_ids::{DefRef, FileId, ModId, Name, number};
use crate::{
    facts::{DefId, Import, ScopeId, ScopeKind},
    resolve::program_facts::project_model::ProjectModel,
};
use rustc_hash::{FxHashMap, FxHasher};
use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
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
    pub(super) fn single_file(&self) -> Option<FileId> {
        let mut all = self.files.iter().copied().chain(self.defs.iter().map(|def| def.file));
        let first = all.next()?;
        all.all(|file| file == first).then_some(first)
    }
}

impl<'p> ProgramFacts<'p> {
    /// The modules that an import may mean, best first; none when it is from outside.
    pub(crate) fn modules_of_import(&self, file: FileId, import: &Import) -> Vec<ModId> {
        let model = self.layout.models.of(self.family(file));
        model.map_or_else(Vec::new, |model| model.modules(self, file, import))
    }

    /// The project model of a type; `None` when the program has no files of that family.
    pub(crate) fn project<M: ProjectModel>(&self) -> Option<&M> {
        self.layout.models.get()
    }

    /// Returns the module of this name in another.
    pub(crate) fn child(&self, of: ModId, name: Name) -> Option<ModId> {
        self.looks_everywhere(name);
        self.module(of).children.get(&name).copied()
    }

    /// Returns the file of a module that lies in one file, so that a look-up in the module depends on that file alone.
    /// Look-ups in a module of several files are noted by name.
    pub(crate) fn single_file(&self, module: ModId) -> Option<FileId> {
        self.single_files.get(module.index()).copied().flatten()
    }

    /// The modules that a file has a part in.
    pub(crate) fn modules_of(&self, file: FileId) -> impl Iterator<Item = ModId> + '_ {
        let inline = self.laid_out(file).filter_map(|def| self.inline.get(&def).copied());
        std::iter::once(self.module_of[file.index()]).chain(inline)
    }

    /// The types of a file that are declared in parts, each with all of its parts.
    pub(crate) fn parts_in(&self, file: FileId) -> impl Iterator<Item = (DefRef, &[DefRef])> + '_ {
        let parts = |def| Some((def, self.parts.get(&self.canonical(def))?.as_slice()));
        self.laid_out(file).filter_map(parts)
    }

    /// The definitions of a file if some are modules or parts of types. The facts of other files need not be read.
    fn laid_out(&self, file: FileId) -> impl Iterator<Item = DefRef> + use<> {
        let count = if self.lays_out[file.index()] { self.facts(file).defs.len() } else { 0 };
        (0..count).map(move |id| DefRef { file, def: DefId(number(id)) })
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

    pub(crate) fn add_module(&mut self, name: String, parent: Option<ModId>) -> ModId {
        let id = ModId(number(self.modules.len()));
        self.modules.push(Module { name, parent, ..Module::default() });
        id
    }

    pub(crate) fn module(&self, id: ModId) -> &Module {
        &self.modules[id.index()]
    }

    /// The outermost module around one.
    pub(crate) fn root_module(&self, module: ModId) -> ModId {
        let mut at = module;
        while let Some(parent) = self.module(at).parent {
            at = parent;
        }
        at
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
}
