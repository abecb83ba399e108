//! The type of `this` and `self` at a place, and the enclosing type.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, ScopeId, ScopeKind, TypeId},
    resolve::{
        inference_results::Ty,
        program_facts::{DefRef, FileId},
        type_inference::{TypeInference, class_of},
    },
};

impl TypeInference<'_, '_> {
    /// The value that `this` has in `scope`.
    pub(crate) fn this_type(&mut self, file: FileId, scope: ScopeId) -> Ty {
        let facts = self.program.facts(file);
        let capabilities = self.program.capabilities(file);
        let on_type = capabilities.bodies_run_on_type;
        let mut is_static = on_type;
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = &facts.scopes[id.index()];
            next = scope.parent;
            if let Some(this) = facts.receivers.get(&id) {
                let ty = self.type_of(file, *this).ty;
                if ty.is_known() {
                    return ty;
                }
            }
            let Some(owner) = scope.owner else { continue };
            let def = facts.def(owner);
            let at = self.program.look_up_canonical(DefRef { file, def: owner });
            match scope.kind {
                ScopeKind::Function if def.scope == id => {
                    is_static = is_static && !on_type || def.flags.has(DefFlags::STATIC);
                    if def.receiver.is_known()
                        && def.kind == DefKind::Function
                        && capabilities.receiver_is_this
                    {
                        return self.eval_type(file, def.receiver);
                    }
                }
                ScopeKind::Type if def.kind == DefKind::Impl => {
                    let ty = self.own_type(file, def.receiver);
                    return if is_static { class_of(&ty) } else { ty };
                }
                ScopeKind::Type if capabilities.prototype.is_some() && def.receiver.is_known() => {
                    return self.eval_type(file, def.receiver);
                }
                ScopeKind::Type => {
                    let args: Rc<[Ty]> = (0..def.type_params.len())
                        .map(|place| Ty::Param(at, u16::try_from(place).unwrap_or(u16::MAX)))
                        .collect();
                    return if is_static { Ty::Class(at, args) } else { Ty::Inst(at, args) };
                }
                _ => {}
            }
        }
        Ty::Unknown
    }

    /// The type that a block adds to, with its type parameters as they are inside.
    fn own_type(&mut self, file: FileId, receiver: TypeId) -> Ty {
        let ty = self.eval_type(file, receiver);
        match &ty {
            Ty::Inst(host, args)
                if args.is_empty() && self.program.capabilities(file).labels_arguments =>
            {
                let count = self.program.def(*host).type_params.len();
                let place = |place| Ty::Param(*host, u16::try_from(place).unwrap_or(u16::MAX));
                Ty::Inst(*host, (0..count).map(place).collect())
            }
            _ => ty,
        }
    }

    /// The definition of the type around `scope`.
    pub(crate) fn type_around(&self, file: FileId, scope: ScopeId) -> Option<DefRef> {
        let facts = self.program.facts(file);
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = &facts.scopes[id.index()];
            if scope.kind == ScopeKind::Type {
                return scope.owner.map(|def| self.program.look_up_canonical(DefRef { file, def }));
            }
            next = scope.parent;
        }
        None
    }
}
