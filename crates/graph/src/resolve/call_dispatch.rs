//! Which bodies a call may run where others override the one that it names: behind `super` or the name of a class that one
//! alone, on `this` those of its own object, else any.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefKind, Expr, ExprId, Reference, ReferenceKind, ScopeId,
        ScopeKind, Sym, TypeExpr, TypeId,
    },
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
        Expr::Name { name, scope, .. } => return of_this(inference, file, *scope, Some(*name)),
        Expr::Member { object, .. } => *object,
        _ => return CallDispatch::Open,
    };
    match facts.expr(object) {
        Expr::Super(_) => CallDispatch::Fixed,
        Expr::This(scope) => of_this(inference, file, *scope, None),
        Expr::Type(ty) if is_own_type(inference, file, *ty) => CallDispatch::OwnObject,
        Expr::Name { .. } | Expr::Type(_) => of_receiver(inference, file, object),
        // A type inside of another, or of a module.
        Expr::Member { name, .. } if facts.text(*name).starts_with(char::is_uppercase) => {
            of_receiver(inference, file, object)
        }
        _ => CallDispatch::Open,
    }
}

/// Returns the same of a member that is named without an object, or of one of `this`: in a function literal that may be one of
/// the value that the literal is run with, in an extension inside of a type one of what it extends.
fn of_this(
    inference: &mut TypeInference<'_, '_>,
    file: FileId,
    scope: ScopeId,
    name: Option<Sym>,
) -> CallDispatch {
    let program = inference.program;
    let facts = program.facts(file);
    let mut is_extension = false;
    let mut next = Some(scope);
    while let Some(at) = next {
        let scope = &facts.scopes[at.index()];
        is_extension |= inference.is_outer_member(file, at);
        let is_given = match (facts.receivers.get(&at), name) {
            (None, _) => false,
            (Some(this), None) => inference.type_of(file, *this).ty.is_known(),
            (Some(_), Some(name)) => {
                !inference.receiver_member(file, at, program.name_of(file, name)).is_empty()
            }
        };
        if is_given || is_extension && scope.kind == ScopeKind::Type {
            return CallDispatch::Open;
        }
        next = scope.parent.filter(|_| scope.kind != ScopeKind::Type);
    }
    CallDispatch::OwnObject
}

/// Whether a type is written by the word for that of the object that runs.
fn is_own_type(inference: &TypeInference<'_, '_>, file: FileId, ty: TypeId) -> bool {
    let facts = inference.program.facts(file);
    let TypeExpr::Named { path, .. } = facts.ty(ty) else { return false };
    let own = inference.program.capabilities(file).own_type_names;
    matches!(path.as_slice(), [only] if own.contains(&facts.text(*only)))
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
        [named] if is_own_object(inference, named) => CallDispatch::OwnObject,
        _ => CallDispatch::Open,
    }
}

/// Whether a name means the object that runs: a parameter for it, or a variable that the language gives.
pub(super) fn is_own_object(inference: &TypeInference<'_, '_>, named: &NameReferent) -> bool {
    match named {
        NameReferent::Local(home, BindingTarget::Local { ty, .. }) => {
            matches!(inference.program.facts(*home).ty(*ty), TypeExpr::This(_))
        }
        NameReferent::Local(home, BindingTarget::Param(def, 0)) => {
            let function = inference.program.facts(*home).def(*def);
            let is_untyped = function.params.first().is_some_and(|param| !param.ty.is_known());
            function.flags.has(DefFlags::SELF_PARAM) && is_untyped
        }
        _ => false,
    }
}
