//! Members of types: own, attached from outside, inherited.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::{
    facts::{DefFlags, DefKind, language_capabilities::BodylessDeclarations},
    resolve::{
        inference_results::{Ty, TypeEnv, no_args, no_env},
        library_api_table::LibraryTypeShape,
        ordered_set::OrderedSet,
        program_facts::{DefRef, Name},
        supertypes::MAX_SUPERS,
        type_inference::{InstanceOrClass, NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// Returns what `name` is on values of a type.
    pub(crate) fn member(&mut self, ty: &Ty, name: Name) -> Vec<NameReferent> {
        let Some(outer) = self.begin() else { return Vec::new() };
        let mut found = OrderedSet::new(NameReferent::definition);
        for ty in ty.each() {
            let members = self.member_of(ty, name);
            self.count(members.len());
            members.into_iter().for_each(|referent| found.push(referent));
        }
        self.end(outer);
        found.into_vec()
    }

    fn member_of(&mut self, ty: &Ty, name: Name) -> Vec<NameReferent> {
        match ty {
            Ty::Inst(def, args) | Ty::Class(def, args) => {
                self.declared_member(ty, *def, args, name)
            }
            Ty::Module(module) => {
                let found = self.export(*module, name, 0);
                if found.is_empty() { vec![NameReferent::External] } else { found }
            }
            Ty::Func(def, _) if self.program.capabilities(def.file).prototype.is_some() => {
                self.type_member(*def, &no_args(), name)
            }
            Ty::Func(def, _) => {
                let attached = self.attached.members(*def, name);
                attached.iter().map(|def| NameReferent::Def(*def, no_env())).collect()
            }
            Ty::Param(def, place) | Ty::ParamClass(def, place) => {
                let bound = self.bound_of(*def, *place);
                if matches!(&bound, Ty::Param(d, p) if d == def && p == place) {
                    return Vec::new();
                }
                self.member(&bound, name)
            }
            Ty::Ext(outside, args) => match args.first() {
                Some(inner)
                    if self
                        .program
                        .library
                        .is(self.program.text(*outside), LibraryTypeShape::Transparent) =>
                {
                    self.member(inner, name)
                }
                _ => self.outside_member(ty, *outside, name),
            },
            Ty::List(_) | Ty::Tuple(_) => {
                let mut found = self.extended(ty, name);
                found.push(NameReferent::Method(Rc::new(ty.clone()), name));
                found
            }
            Ty::ExtItem(_) => vec![NameReferent::External],
            _ => Vec::new(),
        }
    }

    /// Returns what `name` is on the type `def` of the repository or on its values, as `ty` says.
    fn declared_member(
        &mut self,
        ty: &Ty,
        def: DefRef,
        args: &Rc<[Ty]>,
        name: Name,
    ) -> Vec<NameReferent> {
        let is_class = matches!(ty, Ty::Class(..));
        let side = if is_class { InstanceOrClass::Class } else { InstanceOrClass::Instance };
        let rules = self.rules(def.file);
        if let Some(found) = rules.member(self, def, side, name) {
            return found;
        }
        let found = self.type_member(def, args, name);
        if found.is_empty() && self.program.def(def).kind == DefKind::Namespace {
            return self.namespace_member(def, name);
        }
        if found.is_empty() && !is_class {
            return match rules.pointed_at(self, ty, name) {
                inner if inner.is_known() && inner != *ty => self.member(&inner, name),
                _ => found,
            };
        }
        self.by_side(found, side)
    }

    /// Returns what `name` is on values of a type from outside the repository.
    fn outside_member(&mut self, ty: &Ty, outside: Name, name: Name) -> Vec<NameReferent> {
        let attached = self.attached.external_members(outside, name);
        let foreign = attached
            .iter()
            .all(|def| self.program.capabilities(def.file).implements_for_outside_types);
        if !attached.is_empty() && foreign {
            // A trait of the repository on a type from elsewhere.
            return attached.iter().map(|def| NameReferent::Def(*def, no_env())).collect();
        }
        let mut found = self.extended(ty, name);
        found.push(NameReferent::Method(Rc::new(ty.clone()), name));
        found
    }

    fn namespace_member(&mut self, def: DefRef, name: Name) -> Vec<NameReferent> {
        match self.program.inline.get(&def) {
            Some(module) => self.export(*module, name, 0),
            None => Vec::new(),
        }
    }

    /// Returns the members of `side` when static and instance members share a name, else all.
    fn by_side(&self, found: Vec<NameReferent>, side: InstanceOrClass) -> Vec<NameReferent> {
        if found.len() < 2 {
            return found;
        }
        // Where what they take tells functions apart, those of both sides may be meant.
        let overload = |referent: &NameReferent| {
            matches!(referent, NameReferent::Def(def, _)
                if self.program.capabilities(def.file).overloads
                    && self.program.def(*def).kind == DefKind::Function)
        };
        let fits = |referent: &NameReferent| match referent {
            NameReferent::Def(def, _) => {
                overload(referent)
                    || self.program.def(*def).flags.has(DefFlags::STATIC)
                        == (side == InstanceOrClass::Class)
            }
            _ => true,
        };
        if found.iter().any(fits) { found.into_iter().filter(fits).collect() } else { found }
    }

    fn type_member(&mut self, def: DefRef, args: &Rc<[Ty]>, name: Name) -> Vec<NameReferent> {
        let rules = self.rules(def.file);
        if let Some(found) = rules.inherited_member(self, def, args, name) {
            return found;
        }
        let mut seen = FxHashSet::from_iter([def]);
        let mut level = vec![(def, args.clone())];
        let mut at = 0;
        let mut found = Vec::new();
        // Breadth first in the order of declaration; a class before what it builds on.
        while at < level.len() && at < MAX_SUPERS {
            let (def, args) = level[at].clone();
            at += 1;
            let env: TypeEnv = Rc::from([(def, args.clone())]);
            let own = self.own_members(def, &args, &env, name);
            if self.add_overloads(&mut found, own) {
                return found;
            }
            self.count(found.len());
            self.push_supers(def, &args, &mut level, |up| seen.insert(up));
        }
        found
    }

    pub(crate) fn own_members(
        &mut self,
        def: DefRef,
        args: &Rc<[Ty]>,
        env: &TypeEnv,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let mut all: Vec<NameReferent> = Vec::new();
        // What stands inside of a function is no member of what it makes.
        let written = match program.def(def).kind {
            DefKind::Function => &[][..],
            _ => program.members_named(def, name),
        };
        for member in written {
            all.push(NameReferent::Def(*member, env.clone()));
        }
        for member in self.attached.members(def, name) {
            // Type parameters of an `impl`, an extension or a receiver follow from the type it is written for.
            let mut env = env.clone();
            let block = program.parent(*member);
            let block = block.filter(|block| program.def(*block).kind == DefKind::Impl);
            let block = block.unwrap_or(*member);
            let count = program.def(block).type_params.len();
            if count > 0 && program.def(block).receiver.is_known() {
                let written = self.eval_type(block.file, program.def(block).receiver);
                let mut found = vec![Ty::Unknown; count];
                let given = Ty::Inst(def, args.clone());
                self.match_types(&written, &given, block, &mut found, 0);
                env = Rc::from([(def, args.clone()), (block, Rc::from(found))]);
            }
            all.push(NameReferent::Def(*member, env));
        }
        // A declaration gives way to the definition, where it isn't another overload.
        let defined = |referent: &NameReferent| match referent {
            NameReferent::Def(def, _) => !program.def(*def).flags.has(DefFlags::DECLARATION),
            _ => true,
        };
        let capabilities = program.capabilities(def.file);
        let apart = capabilities.keeps_bodyless_apart();
        self.count(all.len());
        if all.len() > 1 && !apart && all.iter().any(defined) {
            let definitions: Vec<DefRef> = all
                .iter()
                .filter_map(|referent| match referent {
                    NameReferent::Def(def, _) if defined(referent) => Some(*def),
                    _ => None,
                })
                .collect();
            let overload = |referent: &NameReferent| {
                capabilities.declarations == BodylessDeclarations::DifferInArity
                    && matches!(referent, NameReferent::Def(def, _) if program.differs_in_arity(*def, &definitions))
            };
            all.retain(|referent| defined(referent) || overload(referent));
        }
        if all.len() > 1 && capabilities.own_blocks_hide_interfaces {
            self.drop_hidden_by_own_blocks(&mut all);
        }
        all
    }

    /// Keeps the functions of blocks that are written for the type itself, if there are some.
    fn drop_hidden_by_own_blocks(&self, found: &mut Vec<NameReferent>) {
        let program = self.program;
        let in_block = |referent: &NameReferent, is_of_interface: bool| {
            // A field that is assigned to in a block hides no function.
            let function = referent.definition();
            let function = function.filter(|def| program.def(*def).kind == DefKind::Function);
            function.and_then(|def| program.parent(def)).is_some_and(|block| {
                let block = program.def(block);
                block.kind == DefKind::Impl && block.supers.is_empty() != is_of_interface
            })
        };
        if found.iter().any(|referent| in_block(referent, false)) {
            found.retain(|referent| !in_block(referent, true));
        }
    }
}
