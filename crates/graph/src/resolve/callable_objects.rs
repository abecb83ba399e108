//! Resolves calls of objects, and methods that are called without parentheses.

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId},
    resolve::{
        inference_results::{SymbolNamespace, Ty, no_env},
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// Whether naming a method calls it, since it takes no parameters at all.
    pub(crate) fn is_bare_method(&self, def: DefRef) -> bool {
        let found = self.program.def(def);
        self.program.capabilities(def.file).bare_methods_run
            && found.kind == DefKind::Function
            && found.flags.has(DefFlags::PROPERTY)
    }

    /// Whether a function runs where it is read or assigned to like a field, and is no value there.
    pub(crate) fn is_accessor(&self, def: DefRef) -> bool {
        let found = self.program.def(def);
        let capabilities = self.program.capabilities(def.file);
        (capabilities.bare_methods_run || capabilities.accessors_run)
            && found.kind == DefKind::Function
            && found.flags.has(DefFlags::PROPERTY)
    }

    /// Whether an access with so many values runs a function: reading a member has none, assigning to it has one.
    pub(crate) fn is_run_by_access(&self, def: DefRef, given: u16) -> bool {
        let found = self.program.def(def);
        let own = usize::from(found.flags.has(DefFlags::SELF_PARAM));
        self.is_accessor(def)
            && (self.is_bare_method(def)
                || found.params.len().saturating_sub(own) == usize::from(given))
    }

    /// Drops fields that are called like functions where a function is declared in place of that.
    pub(crate) fn drop_replaced(&self, found: &mut Vec<NameReferent>) {
        let kind =
            |referent: &NameReferent| referent.definition().map(|def| self.program.def(def).kind);
        if found.iter().any(|referent| kind(referent) == Some(DefKind::Function)) {
            let is_called = |def: DefRef| self.program.def(def).flags.has(DefFlags::PROPERTY);
            found.retain(|referent| {
                kind(referent) != Some(DefKind::Field)
                    || !referent.definition().is_some_and(is_called)
            });
        }
    }

    /// Returns the functions that a call means where the values by the name that are nearer cannot be called: `size(2)` beside
    /// `val size: Int`.
    pub(crate) fn functions_behind(
        &mut self,
        file: FileId,
        callee: ExprId,
        found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        let Expr::Name { name, scope, pos } = *self.program.facts(file).expr(callee) else {
            return found;
        };
        if !self.program.capabilities(file).values_hide_functions || found.is_empty() {
            return found;
        }
        for referent in &found {
            let is_value = match referent {
                NameReferent::Local(..) => true,
                NameReferent::Def(def, _) => {
                    matches!(self.program.def(*def).kind, DefKind::Field | DefKind::Variable)
                }
                _ => false,
            };
            if !is_value || self.can_be_called(referent) {
                return found;
            }
        }
        let functions = self.lookup_name(file, scope, name, pos, SymbolNamespace::Function);
        if functions.is_empty() { found } else { functions }
    }

    /// Whether a value is a function, or has a method that a call of it runs.
    fn can_be_called(&mut self, value: &NameReferent) -> bool {
        let ty = self.type_of_referent(value).ty;
        let program = self.program;
        ty.each().iter().any(|ty| match ty {
            Ty::Func(..) | Ty::FuncType(..) | Ty::Lambda(..) => true,
            Ty::Inst(def, _) => {
                let methods = program.capabilities(def.file).call_methods.iter();
                methods.into_iter().any(|name| !self.member(ty, program.name(name)).is_empty())
            }
            _ => false,
        })
    }

    /// Returns what a call means where an object and the class by its name are called: the object's `apply`, else the
    /// class.
    pub(crate) fn called_objects(&self, found: Vec<NameReferent>) -> Vec<NameReferent> {
        let program = self.program;
        let is_object = |referent: &NameReferent| {
            matches!(referent, NameReferent::Def(def, _)
                if program.def(*def).kind == DefKind::Namespace
                    && program.capabilities(def.file).object_call_method.is_some())
        };
        if !found.iter().any(is_object) {
            return found;
        }
        let (objects, classes): (Vec<NameReferent>, Vec<NameReferent>) =
            found.into_iter().partition(|referent| is_object(referent));
        let mut applies = Vec::new();
        for object in objects {
            if let NameReferent::Def(object, _) = object
                && let Some(method) = program.capabilities(object.file).object_call_method
            {
                let apply = program.name(method);
                let own = program.members_named(object, apply);
                applies.extend(own.iter().map(|def| NameReferent::Def(*def, no_env())));
            }
        }
        if applies.is_empty() { classes } else { applies }
    }
}
