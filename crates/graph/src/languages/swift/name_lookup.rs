//! What a Swift file sees under a name that no scope binds: its own target and those that it imports.

use crate::{
    facts::{DefFlags, DefKind, ImportSelection},
    resolve::{
        inference_results::{Ty, no_env},
        program_facts::{DefRef, FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// A name that no scope binds: the own target's, those of imported ones, or a target itself.
    pub(crate) fn swift_outside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let own = self.seen(file, module, name, DefFlags::default());
        if !own.is_empty() {
            return own;
        }
        let text = program.text(name);
        if !self.charge(program.facts(file).imports.len()) {
            return Vec::new();
        }
        for import in &program.facts(file).imports {
            let modules = program.modules_of_import(file, import);
            if import.taken == ImportSelection::All {
                let wanted = if import.public { DefFlags::default() } else { DefFlags::EXPORTED };
                for module in &modules {
                    let found = self.seen(file, *module, name, wanted);
                    if !found.is_empty() {
                        return found;
                    }
                }
            }
            if import.module.first().is_some_and(|first| program.facts(file).text(*first) == text) {
                let found: Vec<NameReferent> =
                    modules.into_iter().map(NameReferent::Module).collect();
                return if found.is_empty() { vec![NameReferent::External] } else { found };
            }
        }
        if program.module(module).name == text {
            vec![NameReferent::Module(module)]
        } else {
            Vec::new()
        }
    }

    /// Returns what a file sees of a target under a name, if it has the marks: its own first where others have one, too.
    fn seen(&self, file: FileId, module: ModId, name: Name, marks: DefFlags) -> Vec<NameReferent> {
        let program = self.program;
        let all = program.top_level_named(module, name);
        self.count_search(all.len());
        let mut defs: Vec<DefRef> = all
            .iter()
            .copied()
            .filter(|def| def.file == file || !program.def(*def).flags.has(DefFlags::PRIVATE))
            .filter(|def| program.def(*def).flags.has(marks))
            .collect();
        let functions = defs.iter().all(|def| program.def(*def).kind == DefKind::Function);
        if !functions && defs.iter().any(|def| def.file == file) {
            defs.retain(|def| def.file == file);
        }
        defs.into_iter().map(|def| NameReferent::Def(def, no_env())).collect()
    }

    /// Returns the type parameter of that name of the type that an extension extends.
    pub(crate) fn extended_param(&self, ty: &Ty, name: Name) -> Option<NameReferent> {
        let Ty::Inst(host, _) = ty else { return None };
        let params = &self.program.def(*host).type_params;
        let place = params.iter().position(|p| self.program.name_of(host.file, p.name) == name)?;
        Some(NameReferent::TypeParam(*host, u16::try_from(place).ok()?))
    }
}
