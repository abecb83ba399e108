//! Members that a type asks `self` for and does not have: those of the types that build on it. A mixin counts on what stands
//! beside it, and a base type on what each type below it adds.

use crate::{
    facts::SupertypeKind,
    resolve::{
        inference_results::{Ty, no_args},
        ordered_set::OrderedSet,
        program_facts::{DefRef, MAX_HEIRS, Name},
        type_inference::{InstanceOrClass, NameReferent, TypeInference},
    },
};

/// Definitions of one name that heirs may have before the name says nothing.
const MAX_FOUND: usize = 3;

/// A type or its values.
type Side = (DefRef, InstanceOrClass);

impl TypeInference<'_, '_> {
    /// Returns what `name` is on the types that build on `own`, which does not have it itself. Types with ancestors outside the
    /// repository may have it from there.
    pub(super) fn member_of_heirs(&mut self, own: &Ty, name: Name) -> Vec<NameReferent> {
        let own = match own {
            Ty::Inst(def, _) => (*def, InstanceOrClass::Instance),
            Ty::Class(def, _) => (*def, InstanceOrClass::Class),
            _ => return Vec::new(),
        };
        let program = self.program;
        let is_type_name = program.text(name).starts_with(char::is_uppercase);
        if is_type_name || !program.capabilities(own.0.file).asks_heirs {
            return Vec::new();
        }
        let Some(outer) = self.begin() else { return Vec::new() };
        let is_known = !self.builds_on_outside(own.0);
        let found = if is_known { self.found_below(own, name) } else { Vec::new() };
        self.end(outer);
        found
    }

    /// Whether a type inherits from one whose members are not known.
    fn builds_on_outside(&mut self, def: DefRef) -> bool {
        let program = self.program;
        for at in self.types_above(def) {
            for part in program.parts_of(at) {
                for (kind, ty) in &program.def(part).supers {
                    if *kind != SupertypeKind::Inherits {
                        continue;
                    }
                    let plain = program.capabilities(part.file).bases_without_members;
                    let is_known = match self.eval_type(part.file, *ty) {
                        Ty::Ext(name, _) => plain.contains(&program.text(name)),
                        ty => ty.is_known(),
                    };
                    if !is_known {
                        return true;
                    }
                }
            }
        }
        false
    }

    fn found_below(&mut self, own: Side, name: Name) -> Vec<NameReferent> {
        let mut found = OrderedSet::new(NameReferent::definition);
        let mut open = vec![own];
        let mut at = 0;
        while at < open.len() {
            if at > MAX_HEIRS {
                return Vec::new();
            }
            let Some(heirs) = self.heirs(open[at]) else { return Vec::new() };
            at += 1;
            for heir in heirs {
                if open.contains(&heir) {
                    continue;
                }
                let ty = match heir.1 {
                    InstanceOrClass::Instance => Ty::Inst(heir.0, no_args()),
                    InstanceOrClass::Class => Ty::Class(heir.0, no_args()),
                };
                let members = self.member(&ty, name);
                if members.is_empty() {
                    open.push(heir);
                }
                let members = members.into_iter().filter(|it| it.definition().is_some());
                members.for_each(|member| found.push(member));
            }
        }
        let found = self.without_overriding(found.into_vec());
        if found.len() > MAX_FOUND { Vec::new() } else { found }
    }

    /// Keeps the definitions that override none of the others.
    fn without_overriding(&mut self, mut found: Vec<NameReferent>) -> Vec<NameReferent> {
        if !self.charge(found.len() * found.len()) || found.len() > MAX_HEIRS {
            return Vec::new();
        }
        let all: Vec<DefRef> = found.iter().filter_map(NameReferent::definition).collect();
        found.retain(|referent| {
            let Some(own) = referent.definition() else { return false };
            !all.iter().any(|other| *other != own && self.are_related(own, *other))
        });
        found
    }

    /// Returns the types that build on one directly, and what of it is theirs; `None` if there are too many.
    fn heirs(&mut self, (up, side): Side) -> Option<Vec<Side>> {
        let program = self.program;
        let mut found = Vec::new();
        let name = program.def_name(up);
        if side == InstanceOrClass::Instance
            && program.capabilities(up.file).module_for_types == Some(program.text(name))
            && let Some(around) = program.parent(up)
        {
            let heirs = self.heirs((around, InstanceOrClass::Instance))?;
            found.extend(heirs.into_iter().map(|(heir, _)| (heir, InstanceOrClass::Class)));
        }
        let named = program.heirs_named(name);
        if named.len() > MAX_HEIRS || !self.charge(named.len()) {
            return None;
        }
        for heir in named {
            for part in program.parts_of(*heir) {
                let supers = program.def(part).supers.iter();
                for (kind, ty) in supers.filter(|(kind, _)| *kind != SupertypeKind::Companion) {
                    let ty = self.eval_type(part.file, *ty);
                    found.extend(given_to(*kind, &ty, (up, side)).map(|side| (*heir, side)));
                }
            }
        }
        Some(found)
    }
}

/// Returns which members of a type another one has from `up`, where it builds on `ty`: a tuple is mixed into the type itself.
fn given_to(kind: SupertypeKind, ty: &Ty, (up, side): Side) -> Option<InstanceOrClass> {
    let is_up = |ty: &Ty| matches!(ty, Ty::Inst(def, _) | Ty::Class(def, _) if *def == up);
    match ty {
        Ty::Tuple(items) if items.iter().any(is_up) => {
            (side == InstanceOrClass::Instance).then_some(InstanceOrClass::Class)
        }
        ty if ty.each().iter().any(is_up) => {
            (kind != SupertypeKind::Implements || side == InstanceOrClass::Instance).then_some(side)
        }
        _ => None,
    }
}
