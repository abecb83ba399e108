//! Names in languages with declared packages: what an import brings, the own package, imports of everything.

use crate::{
    facts::{DefFlags, DefKind, Import, ImportId, ImportSelection, Sym},
    resolve::{
        inference_results::{SymbolNamespace, no_env},
        program_facts::{DefRef, FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// The method of an interface that a lambda implements: the only one without a body.
    pub(super) fn only_method(&self, def: DefRef) -> Option<DefRef> {
        let program = self.program;
        if !program.capabilities(def.file).functional_interfaces
            || program.def(def).kind != DefKind::Interface
        {
            return None;
        }
        let members = program.members_in_order(def);
        self.count_search(members.len());
        let is_asked = |member: &&DefRef| {
            let member = program.def(**member);
            member.kind == DefKind::Function && member.flags.has(DefFlags::DECLARATION)
        };
        let mut asked = members.iter().filter(is_asked);
        let first = asked.next()?;
        asked.next().is_none().then_some(*first)
    }

    /// Returns what an import brings.
    pub(super) fn package_import(&mut self, file: FileId, id: ImportId) -> Vec<NameReferent> {
        let import = self.program.facts(file).import(id);
        let ImportSelection::Name(last) = import.taken else { return Vec::new() };
        let name = self.program.name_of(file, last);
        let mut found = Vec::new();
        for holder in self.package_path(file, &import.module) {
            found.extend(self.package_member(&holder, name));
        }
        if found.is_empty() && self.program.capabilities(file).imports_are_relative {
            found = self.relative_import(file, id, name);
        }
        found
    }

    /// Returns what an import brings from something that is named as it is seen at the import: `import Outer.name`.
    fn relative_import(&mut self, file: FileId, id: ImportId, name: Name) -> Vec<NameReferent> {
        let import = self.program.facts(file).import(id);
        let Some((first, rest)) = import.module.split_first() else { return Vec::new() };
        let Some(outer) = self.begin() else { return Vec::new() };
        let mut holders =
            self.lookup_name(file, import.scope, *first, u32::MAX, SymbolNamespace::Value);
        for part in rest.iter().map(|part| self.program.name_of(file, *part)).chain([name]) {
            holders = holders.iter().flat_map(|holder| self.package_member(holder, part)).collect();
        }
        self.end(outer);
        holders
    }

    /// Returns the referents of a path that starts in the file's package or one that contains it: `import Outer._`.
    fn near_path(&self, file: FileId, import: &Import) -> Vec<NameReferent> {
        let program = self.program;
        let Some((first, rest)) = import.module.split_first() else { return Vec::new() };
        let first = program.name_of(file, *first);
        let mut around = Some(program.module_at(file, import.scope));
        while let Some(module) = around {
            let mut at: Vec<NameReferent> = program
                .top_level_named(module, first)
                .iter()
                .map(|def| NameReferent::Def(*def, no_env()))
                .collect();
            if !at.is_empty() {
                for part in rest.iter().map(|part| program.name_of(file, *part)) {
                    at = at.iter().flat_map(|holder| self.package_member(holder, part)).collect();
                }
                return at;
            }
            around = program.module(module).parent;
        }
        Vec::new()
    }

    /// Returns the referents of a dotted path: packages, and types in them.
    pub(crate) fn package_path(&mut self, file: FileId, path: &[Sym]) -> Vec<NameReferent> {
        let program = self.program;
        let Some((module, rest)) = program.layout.packages.longest(program, file, path) else {
            return Vec::new();
        };
        let mut at = vec![NameReferent::Module(module)];
        for part in rest {
            let name = program.name_of(file, *part);
            at = at.iter().flat_map(|holder| self.package_member(holder, name)).collect();
        }
        at
    }

    pub(crate) fn package_member(&self, holder: &NameReferent, name: Name) -> Vec<NameReferent> {
        let program = self.program;
        let defs = match holder {
            NameReferent::Module(module) => program.top_level_named(*module, name),
            NameReferent::Def(def, _) => program.members_named(*def, name),
            _ => &[],
        };
        if let (true, NameReferent::Def(def, _)) = (defs.is_empty(), holder)
            && program.capabilities(def.file).companion == Some(program.text(name))
        {
            // Members of a companion object belong to its class.
            return vec![holder.clone()];
        }
        if let (true, NameReferent::Module(module)) = (defs.is_empty(), holder) {
            return program.child(*module, name).map(NameReferent::Module).into_iter().collect();
        }
        defs.iter().map(|def| NameReferent::Def(*def, no_env())).collect()
    }

    /// A name that no scope binds: the own package, then what whole packages bring, then the outermost packages.
    pub(crate) fn package_outside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let own = program.top_level_named(module, name);
        if !own.is_empty() {
            return own.iter().map(|def| NameReferent::Def(*def, no_env())).collect();
        }
        if !self.charge(program.facts(file).imports.len()) {
            return Vec::new();
        }
        for import in &program.facts(file).imports {
            if import.taken != ImportSelection::All {
                continue;
            }
            let mut holders = self.package_path(file, &import.module);
            if holders.is_empty() && program.capabilities(file).imports_are_relative {
                holders = self.near_path(file, import);
            }
            for holder in holders {
                if let NameReferent::Module(package) = holder
                    && program.top_level_named(package, name).is_empty()
                {
                    continue;
                }
                let found = self.package_member(&holder, name);
                if !found.is_empty() {
                    return found;
                }
            }
        }
        let root = program.layout.packages.root(program.family(file));
        let child = root.and_then(|root| program.child(root, name));
        child.map(NameReferent::Module).into_iter().collect()
    }
}
