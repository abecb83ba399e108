//! C#'s types that stand for functions.

use crate::{
    facts::{TypeExpr, TypeId},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// Delegates of the library are function types.
pub(super) fn function_type(
    lower: &mut LoweringContext<'_>,
    name: SyntaxNode<'_>,
    args: &[TypeId],
) -> Option<TypeId> {
    let (params, result) = match (lower.text(name), args) {
        ("Func", [params @ .., result]) => (params.to_vec(), *result),
        ("Action", params) => (params.to_vec(), TypeId::UNKNOWN),
        ("Predicate", [param]) => (vec![*param], TypeId::UNKNOWN),
        _ => return None,
    };
    Some(lower.push_type(TypeExpr::Function { params, result }))
}
