//! Resolves calls of objects, and methods that are called without parentheses.

use crate::{
    facts::{DefFlags, DefKind},
    resolve::{
        inference_results::no_env,
        program_facts::DefRef,
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

    /// Returns what a call means where an object and the class by its name are called: the object's `apply`, else the
    /// class.
    pub(crate) fn called_objects(&self, found: Vec<NameReferent>) -> Vec<NameReferent> {
        let program = self.program;
        let is_object = |entity: &NameReferent| {
            matches!(entity, NameReferent::Def(def, _)
                if program.def(*def).kind == DefKind::Namespace
                    && program.capabilities(def.file).object_call_method.is_some())
        };
        if !found.iter().any(is_object) {
            return found;
        }
        let (objects, classes): (Vec<NameReferent>, Vec<NameReferent>) =
            found.into_iter().partition(|entity| is_object(entity));
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
