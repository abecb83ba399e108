//! Swift's names: what a file sees of its own target and of those it imports, and what extensions add to outside types.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, ImportSelection},
    resolve::{
        members::MAX_SUPERS,
        ordered_set::OrderedSet,
        program_facts::{DefRef, FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
        types::{Ty, no_env},
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
        self.charge_search(all.len());
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

    /// The members of a type by one name, its own before inherited ones. Functions of several types are all kept, since
    /// their labels differ.
    pub(crate) fn layered_member(
        &mut self,
        def: DefRef,
        args: &Rc<[Ty]>,
        name: Name,
    ) -> Vec<NameReferent> {
        let mut seen = vec![def];
        let mut level = vec![(def, args.clone())];
        let mut outside = Vec::new();
        let mut found = OrderedSet::new(NameReferent::definition);
        let mut hides_values = false;
        let mut at = 0;
        while at < level.len() && at < MAX_SUPERS {
            let (def, args) = level[at].clone();
            at += 1;
            let env = Rc::from([(def, args.clone())]);
            for entity in self.own_members(def, &args, &env, name) {
                let NameReferent::Def(member, _) = &entity else { continue };
                let is_function = self.program.def(*member).kind == DefKind::Function;
                if is_function || !hides_values {
                    hides_values |= !is_function;
                    found.push(entity);
                }
            }
            for ty in self.supers(def) {
                for ty in ty.fill(&env).each() {
                    match ty {
                        Ty::Inst(up, args) if !seen.contains(up) => {
                            seen.push(*up);
                            level.push((*up, args.clone()));
                        }
                        Ty::Ext(..) => outside.push(ty.clone()),
                        _ => {}
                    }
                }
            }
        }
        for ty in outside {
            self.extended(&ty, name).into_iter().for_each(|entity| found.push(entity));
        }
        let found = found.into_vec();
        self.charge_search(found.len());
        found
    }
}
