//! What functions of traits give: `Self` in a trait is the type by which the function is called.

use std::rc::Rc;

use crate::{
    facts::{DefKind, Expr, ExprId},
    resolve::{
        inference_results::Ty,
        program_facts::{DefRef, FileId},
        type_inference::TypeInference,
    },
};

impl TypeInference<'_, '_> {
    /// Returns the result of a call of a trait's function with the type that is called in place of `Self`; `None` when the
    /// result is without it, or that type isn't known.
    pub(super) fn result_of_trait(
        &mut self,
        file: FileId,
        callee: ExprId,
        function: DefRef,
    ) -> Option<Ty> {
        let program = self.program;
        let home = program.parent(function)?;
        let declared = program.def(function).ty;
        if program.def(home).kind != DefKind::Trait || !declared.is_known() {
            return None;
        }
        let given = self.eval_type(function.file, declared);
        if !names(&given, home) {
            return None;
        }
        let Expr::Member { object, .. } = *program.facts(file).expr(callee) else { return None };
        let own = match self.type_of(file, object).ty {
            Ty::Class(def, args) => Ty::Inst(def, args),
            Ty::ParamClass(def, place) => Ty::Param(def, place),
            own @ (Ty::Inst(..) | Ty::Param(..) | Ty::Ext(..)) => own,
            _ => return None,
        };
        let is_other = !matches!(own, Ty::Inst(def, _) if def == home);
        is_other.then(|| replaced(&given, home, &own))
    }
}

/// Whether a type is the trait `home`, or holds it.
fn names(ty: &Ty, home: DefRef) -> bool {
    match ty {
        Ty::Ext(_, args) | Ty::Tuple(args) => args.iter().any(|arg| is_of(arg, home)),
        Ty::List(element) => is_of(element, home),
        _ => is_of(ty, home),
    }
}

/// Whether a type is `Self` of the trait `home`. In a function without `self` that is the trait itself.
fn is_of(ty: &Ty, home: DefRef) -> bool {
    matches!(ty, Ty::Inst(def, _) | Ty::Class(def, _) if *def == home)
}

fn replaced(ty: &Ty, home: DefRef, own: &Ty) -> Ty {
    let put = |ty: &Ty| if is_of(ty, home) { own.clone() } else { ty.clone() };
    match ty {
        Ty::Ext(outside, args) => Ty::Ext(*outside, args.iter().map(put).collect()),
        Ty::Tuple(items) => Ty::Tuple(items.iter().map(put).collect()),
        Ty::List(element) => Ty::List(Rc::new(put(element))),
        _ => put(ty),
    }
}
