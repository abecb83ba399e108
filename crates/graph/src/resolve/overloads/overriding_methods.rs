//! Overloads of one type and of those above it, and methods that stand in for others.

use crate::{
    facts::{
        DefFlags, DefKind,
        language_capabilities::{FieldCalls, MethodOverrideRule},
    },
    resolve::{
        inference_results::Ty,
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// The type that a function belongs to, directly or through an extension.
    pub(super) fn owner(&mut self, def: DefRef) -> Option<DefRef> {
        let parent = self.program.parent(def)?;
        if self.program.def(parent).kind != DefKind::Impl {
            return Some(parent);
        }
        match self.eval_type(parent.file, self.program.def(parent).receiver).each() {
            [Ty::Inst(host, _)] => Some(*host),
            _ => Some(parent),
        }
    }

    pub(super) fn is_outside(&mut self, def: DefRef) -> bool {
        let Some(parent) = self.program.parent(def) else { return false };
        self.program.def(parent).kind == DefKind::Impl
            && !matches!(
                self.eval_type(parent.file, self.program.def(parent).receiver).each(),
                [Ty::Inst(..)]
            )
    }

    /// Adds the members of one type to those found in nearer types. Returns whether types further up have nothing to add.
    pub(crate) fn add_overloads(
        &mut self,
        found: &mut Vec<NameReferent>,
        mut own: Vec<NameReferent>,
    ) -> bool {
        let program = self.program;
        let function = |referent: &NameReferent| match referent {
            NameReferent::Def(def, _) if program.capabilities(def.file).overloads => {
                let def_kind = program.def(*def).kind;
                (def_kind == DefKind::Function && !program.def(*def).flags.has(DefFlags::PROPERTY))
                    .then_some(*def)
            }
            _ => None,
        };
        // Where fields are not called, they and methods have names of their own.
        let field = |referent: &NameReferent| {
            matches!(referent, NameReferent::Def(def, _)
                if program.def(*def).kind == DefKind::Field
                    && program.capabilities(def.file).field_calls == FieldCalls::Never)
        };
        if found.is_empty() {
            found.append(&mut own);
        } else if self.charge(own.len().saturating_mul(found.len())) {
            for referent in own {
                if field(&referent) && !found.iter().any(field) {
                    found.push(referent);
                    continue;
                }
                let Some(far) = function(&referent) else { continue };
                let near: Vec<DefRef> = found.iter().filter_map(function).collect();
                if !near.into_iter().any(|near| self.hides(near, far)) {
                    found.push(referent);
                }
            }
        }
        found.iter().any(|referent| function(referent).is_none() && !field(referent))
    }

    /// Removes functions from the referents of a name that is not called, in languages where a value hides a function of
    /// its name.
    pub(crate) fn keep_values(&self, file: FileId, found: &mut Vec<NameReferent>) {
        let value = |referent: &NameReferent| !matches!(referent, NameReferent::Def(def, _) if self.is_function(*def));
        let prefers = self.program.capabilities(file).values_hide_functions;
        if found.len() > 1 && prefers && found.iter().any(value) {
            found.retain(value);
        }
    }

    /// Removes methods from the referents of what is read, also before it is called, beside a field: `(self.run)(1)`.
    pub(crate) fn keep_fields(&self, file: FileId, found: &mut Vec<NameReferent>) {
        let is_field = |referent: &NameReferent| matches!(referent, NameReferent::Def(def, _) if self.program.def(*def).kind == DefKind::Field);
        let hides = self.program.capabilities(file).fields_hide_methods;
        if found.len() > 1 && hides && found.iter().any(is_field) {
            found.retain(is_field);
        }
    }

    /// Whether two functions belong to one type, or to a type and one of its supertypes.
    pub(crate) fn are_related(&mut self, near: DefRef, far: DefRef) -> bool {
        match (self.program.parent(near), self.program.parent(far)) {
            (Some(near), Some(far)) => self.builds_on(near, far),
            _ => false,
        }
    }

    /// Whether a method can override one of the same name in a supertype, in languages with overloads.
    pub(crate) fn stands_in(&mut self, own: DefRef, up: DefRef) -> bool {
        let (a, b) = (self.program.def(own), self.program.def(up));
        if a.flags.has(DefFlags::PROPERTY) || b.flags.has(DefFlags::PROPERTY) {
            return true;
        }
        match self.program.capabilities(own.file).overriding {
            MethodOverrideRule::Labels => self.same_labels(own, up),
            MethodOverrideRule::Parameters => self.hides(own, up),
            MethodOverrideRule::Name => true,
        }
    }

    /// Whether two functions have the same full name.
    pub(crate) fn same_labels(&self, one: DefRef, other: DefRef) -> bool {
        let program = self.program;
        let (a, b) = (program.def(one), program.def(other));
        a.labels.len() == b.labels.len()
            && a.labels
                .iter()
                .zip(&b.labels)
                .all(|(x, y)| program.name_of(one.file, *x) == program.name_of(other.file, *y))
    }
}
