//! Tells which bodies a call may run where others override the one that it names: that one alone behind `super` and the name of
//! a class, those of its own object behind `this`.

use crate::{
    facts::{BindingTarget, DefFlags, DefKind, Expr, ExprId, Reference, ReferenceKind, TypeExpr},
    graph_model::CallDispatch,
    resolve::{
        program_facts::FileId,
        type_inference::{NameReferent, TypeInference},
    },
};

/// Returns which bodies a reference may run.
pub(super) fn of(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    reference: &Reference,
) -> CallDispatch {
    if !matches!(reference.kind, ReferenceKind::Call | ReferenceKind::Read) {
        return CallDispatch::Open;
    }
    let facts = inference.program.facts(file);
    let object = match facts.expr(reference.target) {
        Expr::Super(_) => return CallDispatch::Fixed,
        // What it names, if it is a member, is one of the object that runs.
        Expr::Name { .. } => return CallDispatch::OwnObject,
        Expr::Member { object, .. } => *object,
        _ => return CallDispatch::Open,
    };
    match facts.expr(object) {
        Expr::Super(_) => CallDispatch::Fixed,
        Expr::This(_) => CallDispatch::OwnObject,
        Expr::Name { .. } | Expr::Type(_) => of_receiver(inference, file, object),
        // A type inside of another, or of a module.
        Expr::Member { name, .. } if facts.text(*name).starts_with(char::is_uppercase) => {
            of_receiver(inference, file, object)
        }
        _ => CallDispatch::Open,
    }
}

fn of_receiver(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    object: ExprId,
) -> CallDispatch {
    let program = inference.program;
    let (named, _) = inference.resolve_expr(file, object);
    match named.as_slice() {
        [NameReferent::Def(def, _)] => match program.def(*def).kind {
            DefKind::Class | DefKind::Struct | DefKind::Enum => CallDispatch::Fixed,
            _ => CallDispatch::Open,
        },
        [NameReferent::Local(home, BindingTarget::Local { ty, .. })]
            if matches!(program.facts(*home).ty(*ty), TypeExpr::This(_)) =>
        {
            CallDispatch::OwnObject
        }
        [NameReferent::Local(home, BindingTarget::Param(def, 0))] => {
            let function = program.facts(*home).def(*def);
            let is_self = function.flags.has(DefFlags::SELF_PARAM)
                && function.params.first().is_some_and(|param| !param.ty.is_known());
            if is_self { CallDispatch::OwnObject } else { CallDispatch::Open }
        }
        _ => CallDispatch::Open,
    }
}
