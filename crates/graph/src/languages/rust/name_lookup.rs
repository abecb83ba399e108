//! Rust's paths: `crate`, `self`, `super`, names of crates, and what `use` brings.

use crate::{
    facts::{DefFlags, DefKind, ImportId, ImportSelection, ScopeId, Sym},
    languages::rust::{imports::MACROS, project::CargoCrates},
    resolve::{
        inference_results::{ImportVisibility, no_env},
        program_facts::{DefRef, FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

const MAX_HOPS: u32 = 24;

impl TypeInference<'_, '_> {
    /// A name that no scope binds: a module word, a glob import, a crate, a macro.
    pub(crate) fn rust_outside(
        &mut self,
        file: FileId,
        scope: ScopeId,
        module: ModId,
        name: Name,
    ) -> Vec<NameReferent> {
        let text = self.program.text(name);
        if let Some(found) = self.module_word(module, text) {
            return vec![NameReferent::Module(found)];
        }
        if text == "Self" {
            return match self.this_type(file, scope) {
                crate::resolve::inference_results::Ty::Inst(def, args)
                | crate::resolve::inference_results::Ty::Class(def, args) => {
                    vec![NameReferent::Def(def, [(def, args)].into())]
                }
                _ => Vec::new(),
            };
        }
        let tops: Vec<NameReferent> = self
            .program
            .top_level_named(module, name)
            .iter()
            .map(|def| NameReferent::Def(*def, no_env()))
            .collect();
        if !tops.is_empty() {
            return self.and_module(module, name, tops);
        }
        let mut glob_imported = self.glob_imported(module, name, 0);
        if let Some(child) = self.program.child(module, name) {
            // A module of its own hides those that come with all of another.
            glob_imported.retain(|it| !matches!(it, NameReferent::Module(_)));
            if glob_imported.is_empty() {
                return vec![NameReferent::Module(child)];
            }
        }
        if !glob_imported.is_empty() {
            return glob_imported;
        }
        if let Some(library) = self.library(self.program.root_module(module), text) {
            return vec![NameReferent::Module(library)];
        }
        if let Some(bare) = text.strip_suffix('!') {
            return self.visible_macro(module, bare);
        }
        Vec::new()
    }

    fn module_word(&self, module: ModId, word: &str) -> Option<ModId> {
        match word {
            "crate" => Some(self.program.root_module(module)),
            "self::" => Some(module),
            "super" => self.program.module(module).parent,
            _ => None,
        }
    }

    /// The library that a crate, given by its root, knows by a name.
    fn library(&self, root: ModId, name: &str) -> Option<ModId> {
        self.program.project::<CargoCrates>()?.library(root, name)
    }

    /// A macro of the same crate, if only one has the name; otherwise one that another crate exports and that is imported.
    fn visible_macro(&mut self, module: ModId, bare: &str) -> Vec<NameReferent> {
        let root = self.program.root_module(module);
        let program = self.program;
        let name = program.name(bare);
        let by_name = program.imports_named(module, name).iter();
        let renamed = by_name
            .clone()
            .flat_map(|(file, import)| self.renamed_macros(root, bare, *file, *import));
        let renamed: Vec<DefRef> = renamed.collect();
        if !renamed.is_empty() {
            return only(&renamed);
        }
        let own = self.macros_of(root, bare);
        if !own.is_empty() {
            return only(&own);
        }
        let all = program.imports_named(root, program.name(MACROS)).iter();
        let mut found = Vec::new();
        for (file, import) in by_name.chain(all) {
            let Some(first) = program.facts(*file).import(*import).module.first() else { continue };
            let library = program.text(program.name_of(*file, *first));
            if let Some(library) = self.library(root, library) {
                found.extend(self.exported_macros(library, bare));
            }
        }
        found.sort_unstable();
        found.dedup();
        only(&found)
    }

    /// Returns the macros that an import brings under another name than their own.
    fn renamed_macros(
        &self,
        root: ModId,
        bare: &str,
        file: FileId,
        import: ImportId,
    ) -> Vec<DefRef> {
        let program = self.program;
        let import = program.facts(file).import(import);
        let (ImportSelection::Name(own), Some(first)) = (&import.taken, import.module.first())
        else {
            return Vec::new();
        };
        let own = program.text(program.name_of(file, *own));
        match program.text(program.name_of(file, *first)) {
            _ if own == bare => Vec::new(),
            "crate" | "self::" | "super" => self.macros_of(root, own),
            library => {
                let library = self.library(root, library);
                library.map(|library| self.exported_macros(library, own)).unwrap_or_default()
            }
        }
    }

    /// Returns the macro that a crate exports under a name.
    pub(super) fn exported_macro(&self, library: ModId, bare: &str) -> Vec<NameReferent> {
        only(&self.exported_macros(library, bare))
    }

    fn exported_macros(&self, library: ModId, bare: &str) -> Vec<DefRef> {
        let mut found = self.macros_of(library, bare);
        found.retain(|def| self.program.def(*def).flags.has(DefFlags::EXPORTED));
        found
    }

    fn macros_of(&self, root: ModId, bare: &str) -> Vec<DefRef> {
        let named = self.program.macros_named(self.program.name(bare)).iter().copied();
        let is_of = |def: &DefRef| {
            self.program.root_module(self.program.module_of[def.file.index()]) == root
        };
        named.filter(is_of).collect()
    }

    /// Returns what a `use` brings under one name.
    pub(crate) fn rust_import(
        &mut self,
        file: FileId,
        id: ImportId,
        hops: u32,
    ) -> Vec<NameReferent> {
        let import = self.program.facts(file).import(id);
        let ImportSelection::Name(last) = import.taken else { return Vec::new() };
        let module = self.program.module_at(file, import.scope);
        if import.module.is_empty() {
            return self.first_segment(file, module, last, hops);
        }
        let name = self.program.name_of(file, last);
        let mut found = Vec::new();
        for referent in self.rust_path_of(file, id, hops) {
            found.extend(self.under(&referent, name, hops + 1));
        }
        found
    }

    /// Returns the referents of the path of a `use`, without its last name.
    pub(crate) fn rust_path_of(
        &mut self,
        file: FileId,
        id: ImportId,
        hops: u32,
    ) -> Vec<NameReferent> {
        if hops > MAX_HOPS {
            return Vec::new();
        }
        let import = self.program.facts(file).import(id);
        let module = self.program.module_at(file, import.scope);
        let Some((first, rest)) = import.module.split_first() else { return Vec::new() };
        let mut at = self.first_segment(file, module, *first, hops);
        for part in rest {
            let name = self.program.name_of(file, *part);
            let mut next = Vec::new();
            for referent in &at {
                next.extend(self.under(referent, name, hops + 1));
            }
            at = next;
        }
        at
    }

    fn first_segment(
        &mut self,
        file: FileId,
        module: ModId,
        sym: Sym,
        hops: u32,
    ) -> Vec<NameReferent> {
        let name = self.program.name_of(file, sym);
        let text = self.program.text(name);
        if let Some(found) = self.module_word(module, text) {
            return vec![NameReferent::Module(found)];
        }
        let local = self.program.child(module, name);
        if let Some(library) = self.library(self.program.root_module(module), text)
            && local.is_none()
        {
            return vec![NameReferent::Module(library)];
        }
        if let Some(child) = local {
            return vec![NameReferent::Module(child)];
        }
        if matches!(text, "std" | "core" | "alloc") || hops > MAX_HOPS {
            return Vec::new();
        }
        // An enum or another import of the same module.
        self.under(&NameReferent::Module(module), name, hops + 1)
    }

    /// Returns what an import of everything in `referent` brings under a name: what is private there only into modules inside of it.
    pub(crate) fn brought_from(
        &mut self,
        file: FileId,
        import: ImportId,
        referent: &NameReferent,
        name: Name,
        hops: u32,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let home = match referent {
            NameReferent::Module(module) => Some(*module),
            NameReferent::Def(def, _) => program.inline.get(def).copied(),
            _ => None,
        };
        let into = program.module_at(file, program.facts(file).import(import).scope);
        let is_inside = |home: ModId| {
            let around = std::iter::successors(Some(into), |at| program.module(*at).parent);
            around.take(MAX_HOPS as usize).any(|at| at == home)
        };
        match home {
            Some(home) if !is_inside(home) && !program.text(name).ends_with('!') => {
                self.passed_on(home, name, hops)
            }
            _ => self.under(referent, name, hops),
        }
    }

    /// Returns what a module offers to modules outside of it under a name.
    fn passed_on(&mut self, module: ModId, name: Name, hops: u32) -> Vec<NameReferent> {
        if hops > MAX_HOPS {
            return Vec::new();
        }
        let program = self.program;
        let defined = program.top_level_named(module, name).iter();
        let seen = defined.filter(|def| !program.def(**def).flags.has(DefFlags::PRIVATE));
        let mut found: Vec<NameReferent> =
            seen.map(|def| NameReferent::Def(*def, no_env())).collect();
        if found.is_empty() {
            for (file, import) in program.imports_named(module, name) {
                if program.facts(*file).import(*import).public {
                    found.extend(self.import_hop(*file, *import, hops + 1));
                }
            }
        }
        if found.is_empty() {
            found = self.glob_imported_for(ImportVisibility::OtherModules, module, name, hops);
        }
        match program.child(module, name) {
            Some(child) => {
                found.retain(|it| !matches!(it, NameReferent::Module(_)));
                if found.is_empty() {
                    return vec![NameReferent::Module(child)];
                }
                self.and_module(module, name, found)
            }
            None => found,
        }
    }

    /// Returns what `name` is inside a module or a type.
    pub(crate) fn under(
        &mut self,
        referent: &NameReferent,
        name: Name,
        hops: u32,
    ) -> Vec<NameReferent> {
        match referent {
            NameReferent::Module(module) if self.program.text(name) == "self::" => {
                vec![NameReferent::Module(*module)]
            }
            NameReferent::Module(module) if self.program.text(name) == "super" => {
                self.program.module(*module).parent.map(NameReferent::Module).into_iter().collect()
            }
            NameReferent::Module(module) => self.export(*module, name, hops),
            // An inline module.
            NameReferent::Def(def, _) if self.program.inline.contains_key(def) => {
                let module = self.program.inline.get(def).copied();
                module.map_or_else(Vec::new, |module| {
                    self.under(&NameReferent::Module(module), name, hops + 1)
                })
            }
            NameReferent::Def(def, _)
                if matches!(
                    self.program.def(*def).kind,
                    DefKind::Enum | DefKind::Struct | DefKind::Trait
                ) =>
            {
                self.program
                    .members_named(*def, name)
                    .iter()
                    .map(|def| NameReferent::Def(*def, no_env()))
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

/// The definition, if it is the only one.
pub(super) fn only(found: &[DefRef]) -> Vec<NameReferent> {
    match found {
        [only] => vec![NameReferent::Def(*only, no_env())],
        _ => Vec::new(),
    }
}
