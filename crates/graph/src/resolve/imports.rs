//! What imports bring and modules offer: re-exports, imports of everything, `require`.

use crate::{
    facts::{
        DefFlags, Expr, ImportId, ImportSelection, ModuleExport, ScopeId,
        language_capabilities::ExportRule,
    },
    resolve::{
        inference_results::{ImportVisibility, SymbolNamespace, no_env},
        language_resolution_rules::NameUse,
        lexical_lookup::FunctionOfUse,
        program_facts::{FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Re-exports that one name is followed through.
const MAX_HOPS: u32 = 24;
/// Imports inside one another: what one file imports and hands on, another imports.
const MAX_OPEN: usize = 200;

impl TypeInference<'_, '_> {
    /// Returns what glob imports bring under a name into their own module.
    pub(crate) fn glob_imported(
        &mut self,
        module: ModId,
        name: Name,
        hops: u32,
    ) -> Vec<NameReferent> {
        self.glob_imported_for(ImportVisibility::OwnModule, module, name, hops)
    }

    /// Returns what glob imports of a module bring under a name for who sees so much of it.
    pub(crate) fn glob_imported_for(
        &mut self,
        visibility: ImportVisibility,
        module: ModId,
        name: Name,
        hops: u32,
    ) -> Vec<NameReferent> {
        if self.program.glob_imports_of(module).is_empty() {
            return Vec::new();
        }
        let key = (module, name, visibility);
        if let Some(known) =
            self.glob_imports.get(&key).or_else(|| self.open_glob_imports.get(&key))
        {
            return known.clone();
        }
        // An import that is met again is being followed already and adds nothing.
        let outermost = self.open_glob_imports.is_empty();
        self.open_glob_imports.insert(key, Vec::new());
        let found = self.glob_imported_at(visibility, module, name, hops);
        if outermost {
            self.open_glob_imports.clear();
            self.glob_imports.insert(key, found.clone());
        } else {
            self.open_glob_imports.insert(key, found.clone());
        }
        found
    }

    fn glob_imported_at(
        &mut self,
        visibility: ImportVisibility,
        module: ModId,
        name: Name,
        hops: u32,
    ) -> Vec<NameReferent> {
        let program = self.program;
        for (file, import) in program.glob_imports_of(module).iter().rev() {
            if !self.charge(1) {
                break;
            }
            if visibility == ImportVisibility::OtherModules
                && !program.facts(*file).import(*import).public
            {
                continue;
            }
            let rules = self.rules(*file);
            if let Some(found) = rules.glob_import(self, *file, *import, name, hops + 1) {
                if found.is_empty() {
                    continue;
                }
                return found;
            }
            for module in self.import_module(*file, *import) {
                let found = self.export(module, name, hops + 1);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        Vec::new()
    }

    /// Returns what an import brings. Never empty: what isn't found is from outside.
    pub(crate) fn import(&mut self, file: FileId, id: ImportId) -> Vec<NameReferent> {
        if let Some(known) = self.imports.get(&(file, id)) {
            return known.clone();
        }
        if let Some(open) = self.open_imports.get(&(file, id)) {
            let open = open.clone();
            self.meet_open_import();
            return open;
        }
        if self.open_imports.len() >= MAX_OPEN {
            self.meet_open_import();
            return vec![NameReferent::External];
        }
        // An import that comes round to itself brings nothing more; what was found on the way holds until the first one
        // is done.
        let is_first = self.open_imports.is_empty();
        self.open_imports.insert((file, id), vec![NameReferent::External]);
        let outer = std::mem::take(&mut self.met_open_import);
        let (mut found, spent) = self.spent(|inference| inference.import_hop(file, id, 0));
        if found.is_empty() {
            found.push(NameReferent::External);
        }
        if spent == Some(0) {
            self.imports.insert((file, id), found.clone());
        }
        if is_first {
            self.open_imports.clear();
        } else if self.met_open_import {
            self.open_imports.insert((file, id), found.clone());
        } else {
            self.open_imports.remove(&(file, id));
        }
        self.met_open_import |= outer;
        found
    }

    pub(crate) fn import_hop(
        &mut self,
        file: FileId,
        id: ImportId,
        hops: u32,
    ) -> Vec<NameReferent> {
        if hops > MAX_HOPS || !self.charge(1) {
            return Vec::new();
        }
        let import = self.program.facts(file).import(id);
        let rules = self.rules(file);
        if let Some(found) = rules.import(self, file, id, hops) {
            return found;
        }
        if rules.capabilities().declares_packages {
            return self.package_import(file, id);
        }
        let modules = self.import_module(file, id);
        match import.taken {
            ImportSelection::Module | ImportSelection::All => {
                modules.into_iter().map(NameReferent::Module).collect()
            }
            ImportSelection::Name(sym) => {
                let name = self.program.name_of(file, sym);
                for module in modules {
                    let found = self.export(module, name, hops + 1);
                    if !found.is_empty() {
                        return found;
                    }
                }
                Vec::new()
            }
        }
    }

    pub(crate) fn import_module(&mut self, file: FileId, id: ImportId) -> Vec<ModId> {
        let import = self.program.facts(file).import(id);
        let program = self.program;
        let modules = self.modules.entry((file, id));
        modules.or_insert_with(|| program.modules_of_import(file, import)).clone()
    }

    /// Returns the referents of `require`: the module's whole export, and its single exports.
    pub(super) fn required(&mut self, file: FileId, id: ImportId) -> Vec<NameReferent> {
        let mut found = self.import(file, id);
        let default = self.program.name("default");
        let modules: Vec<ModId> = found
            .iter()
            .filter_map(|e| if let NameReferent::Module(m) = e { Some(*m) } else { None })
            .collect();
        for module in modules {
            let files = &self.program.module(module).files;
            let common = files.iter().all(|file| !self.program.facts(*file).imports_names());
            if common {
                found.extend(
                    self.export(module, default, 0)
                        .into_iter()
                        .filter(|e| *e != NameReferent::Module(module)),
                );
            }
        }
        found
    }

    /// Returns what a module offers under a name.
    pub(crate) fn export(&mut self, module: ModId, name: Name, hops: u32) -> Vec<NameReferent> {
        if hops > MAX_HOPS {
            return Vec::new();
        }
        let program = self.program;
        let files = &program.module(module).files;
        let capabilities = files.first().map(|file| program.capabilities(*file));
        let mut found = Vec::new();
        match capabilities.map_or(ExportRule::DeclaredAndImported, |language| language.exports) {
            ExportRule::Listed => {
                for file in files {
                    found.extend(self.listed_export(*file, name, hops));
                }
            }
            ExportRule::Declared => {
                found.extend(self.top_level_referents(module, name));
            }
            ExportRule::Defined => {
                // Which file asks isn't known here: what the module's own files see.
                let defs: Vec<NameReferent> = self.top_level_referents(module, name);
                let defined = |e: &NameReferent| matches!(e, NameReferent::Def(def, _) if !program.def(*def).flags.has(DefFlags::DECLARATION));
                let any = defs.iter().any(defined);
                found.extend(defs.into_iter().filter(|e| !any || defined(e)));
            }
            ExportRule::DeclaredAndImported => {
                found.extend(
                    program
                        .top_level_named(module, name)
                        .iter()
                        .map(|def| NameReferent::Def(*def, no_env())),
                );
                if found.is_empty() {
                    for (file, import) in program.imports_named(module, name) {
                        found.extend(self.import_hop(*file, *import, hops + 1));
                    }
                    if found.is_empty() {
                        found = self.glob_imported(module, name, hops);
                        let declares_module = capabilities
                            .is_some_and(|language| language.modules_beside_values)
                            && program.child(module, name).is_some();
                        if declares_module {
                            found.retain(|it| !matches!(it, NameReferent::Module(_)));
                        }
                    }
                }
                if capabilities.is_some_and(|language| language.modules_beside_values) {
                    found = self.and_module(module, name, found);
                }
            }
        }
        if found.is_empty()
            && let Some(child) = program.child(module, name)
        {
            found.push(NameReferent::Module(child));
        }
        found
    }

    fn listed_export(&mut self, file: FileId, name: Name, hops: u32) -> Vec<NameReferent> {
        let program = self.program;
        let facts = program.facts(file);
        let mut found = Vec::new();
        for place in program.exports_named(file, name) {
            match &facts.exports[*place] {
                ModuleExport::Local { local, .. } => {
                    let at = NameUse { file, scope: ScopeId(0), sym: *local, pos: u32::MAX };
                    let mut lookup = |namespace| {
                        self.lookup_in_scope(at, FunctionOfUse::SameFunction, namespace)
                    };
                    let local = lookup(SymbolNamespace::Value);
                    let types = lookup(SymbolNamespace::Type);
                    for referent in local.into_iter().chain(types) {
                        if !found.contains(&referent) {
                            found.push(referent);
                        }
                    }
                }
                ModuleExport::Import { import, .. } => {
                    found.extend(self.import_hop(file, *import, hops + 1));
                }
                ModuleExport::Value { value, .. } => match facts.expr(*value) {
                    Expr::Def(_) | Expr::Name { .. } | Expr::Member { .. } | Expr::Module(_) => {
                        found.extend(self.resolve_expr(file, *value).0);
                    }
                    _ => found.push(NameReferent::Value(file, *value)),
                },
                ModuleExport::All(_) => {}
            }
        }
        if found.is_empty() && program.text(name) != "default" {
            let reexports = program.reexports(file);
            if !self.charge_search(reexports.len()) {
                return found;
            }
            for import in reexports {
                for module in self.import_module(file, *import) {
                    let through = self.export(module, name, hops + 1);
                    if !through.is_empty() {
                        return through;
                    }
                }
            }
        }
        if found.is_empty() && program.text(name) == "default" {
            // A module without a default, taken as a whole: `import x from "./common-js"`.
            let whole = facts.exports.iter().any(|e| matches!(e, ModuleExport::Value { .. }));
            if whole && !facts.imports_names() {
                found.push(NameReferent::Module(program.module_of[file.index()]));
            }
        }
        found
    }

    pub(crate) fn top_level_referents(&self, module: ModId, name: Name) -> Vec<NameReferent> {
        self.program
            .top_level_named(module, name)
            .iter()
            .map(|def| NameReferent::Def(*def, no_env()))
            .collect()
    }
}
