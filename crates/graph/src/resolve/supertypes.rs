//! Supertypes: what a type builds on, and the members that `super` reaches.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::{
    facts::{DefKind, ScopeId, SupertypeKind},
    resolve::{
        inference_results::{Ty, TypeEnv, no_args},
        program_facts::{DefRef, FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// The supertypes of the type around `scope`, as definitions.
    pub(super) fn super_types(&mut self, file: FileId, scope: ScopeId) -> Vec<NameReferent> {
        let Some(around) = self.type_around(file, scope) else { return Vec::new() };
        let supers = self.supers(around);
        supers
            .iter()
            .filter_map(|ty| match ty {
                // An interface has no constructor.
                Ty::Inst(def, args) if self.program.def(*def).kind != DefKind::Interface => {
                    Some(NameReferent::Def(*def, [(*def, args.clone())].into()))
                }
                Ty::Func(def, env) => Some(NameReferent::Def(*def, env.clone())),
                _ => None,
            })
            .collect()
    }

    pub(super) fn super_member(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> Vec<NameReferent> {
        let Some(around) = self.type_around(file, scope) else { return Vec::new() };
        let rules = self.rules(file);
        if let Some(found) = rules.super_member(self, file, scope, around, name) {
            return found;
        }
        let around = match self.program.def(around).kind {
            DefKind::Impl => match self.this_type(file, scope) {
                Ty::Inst(host, _) | Ty::Class(host, _) => host,
                _ => return Vec::new(),
            },
            _ => around,
        };
        for ty in self.supers(around) {
            if rules.capabilities().traits_are_copied
                && matches!(&ty, Ty::Inst(up, _) if self.program.def(*up).kind == DefKind::Trait)
            {
                // Members of a trait count as the class's own.
                continue;
            }
            let found = self.member(&ty, name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns a type and all types of the repository that members are looked for in, the nearest first.
    pub(crate) fn types_above(&mut self, def: DefRef) -> Vec<DefRef> {
        self.filled_types_above(def, no_args()).into_iter().map(|(def, _)| def).collect()
    }

    /// Returns the type arguments of `wanted` where a type with these arguments builds on it.
    pub(super) fn as_supertype(
        &mut self,
        def: DefRef,
        args: Rc<[Ty]>,
        wanted: DefRef,
    ) -> Option<Rc<[Ty]>> {
        let above = self.filled_types_above(def, args);
        above.into_iter().find(|(up, _)| *up == wanted).map(|(_, args)| args)
    }

    fn filled_types_above(&mut self, def: DefRef, args: Rc<[Ty]>) -> Vec<(DefRef, Rc<[Ty]>)> {
        let mut seen = FxHashSet::from_iter([def]);
        let mut level = vec![(def, args)];
        let mut at = 0;
        while at < level.len() && at < MAX_SUPERS {
            let (def, args) = level[at].clone();
            at += 1;
            self.push_supers(def, &args, &mut level, |up| seen.insert(up));
        }
        level.truncate(MAX_SUPERS);
        level
    }

    /// Narrows the type `was` of a value that is proved to be of another type: returns the proved type, together with the parts
    /// of `was` that it does not build on, if a type that builds on the one may implement the other.
    pub(crate) fn both_types(&mut self, was: &Ty, proved: Ty) -> Ty {
        if !proved.is_known() {
            return was.clone();
        }
        let mut kept = Vec::new();
        for was in was.each() {
            let Ty::Inst(old, _) = was else { continue };
            let mut is_own = false;
            for proved in proved.each() {
                is_own |= match proved {
                    Ty::Inst(new, _) => {
                        let is_open = self.may_be_mixed_in(*old) || self.may_be_mixed_in(*new);
                        is_open && !self.types_above(*new).contains(old)
                    }
                    Ty::Ext(..) => true,
                    _ => false,
                };
            }
            if is_own {
                kept.push(was.clone());
            }
        }
        Ty::union([proved].into_iter().chain(kept))
    }

    fn may_be_mixed_in(&self, def: DefRef) -> bool {
        matches!(self.program.def(def).kind, DefKind::Interface | DefKind::Trait)
    }

    /// Adds what a type builds on to `level`, where `is_new`.
    pub(super) fn push_supers(
        &mut self,
        def: DefRef,
        args: &Rc<[Ty]>,
        level: &mut Vec<(DefRef, Rc<[Ty]>)>,
        mut is_new: impl FnMut(DefRef) -> bool,
    ) {
        let env: TypeEnv = Rc::from([(def, args.clone())]);
        for ty in self.supers(def) {
            for ty in ty.fill(&env).each() {
                let up = match ty {
                    Ty::Inst(up, args) => (*up, args.clone()),
                    Ty::Func(up, _) => (*up, no_args()),
                    _ => continue,
                };
                if is_new(up.0) {
                    level.push(up);
                }
            }
        }
    }

    /// Returns the types of the object that the name of a type stands for as a value, where it may stand for one.
    pub(super) fn named_object(&mut self, def: DefRef, args: &Rc<[Ty]>) -> Vec<Ty> {
        let program = self.program;
        if program.capabilities(def.file).companion.is_none() {
            return Vec::new();
        }
        let supers = program.def(def).supers.iter();
        let of_companion = supers.filter(|(kind, _)| *kind == SupertypeKind::Companion);
        let types: Vec<Ty> = of_companion.map(|(_, ty)| self.eval_type(def.file, *ty)).collect();
        if types.is_empty() { vec![Ty::Inst(def, args.clone())] } else { types }
    }

    /// Returns what a type builds on, in the order in which members are looked for.
    pub(crate) fn supers(&mut self, def: DefRef) -> Vec<Ty> {
        let found = self.program.def(def);
        let mut types = Vec::new();
        for part in self.program.parts_of(def) {
            let supers = &self.program.def(part).supers;
            for (_, ty) in supers.iter().filter(|(kind, _)| *kind != SupertypeKind::Companion) {
                types.push(self.eval_type(part.file, *ty));
            }
        }
        for (file, ty) in self.attached.supers(def, self.program.def_name(def)) {
            types.push(self.eval_type(*file, *ty));
        }
        if found.kind == DefKind::Variant
            && let Some(parent) = self.program.parent(def)
        {
            types.push(Ty::Inst(parent, Rc::from([])));
        }
        if found.kind == DefKind::Alias {
            types.push(self.eval_type(def.file, found.ty));
        }
        types
    }
}

/// Steps up an inheritance graph.
pub(crate) const MAX_SUPERS: usize = 64;
