//! TypeScript's types that the table of the grammar does not cover.

use super::constructor_functions::prototype_of;
use crate::{
    facts::{DefKind, TypeExpr, TypeId},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

/// `class A extends mixin(B)`: what objects of the class have that a call makes.
pub(super) fn made_class<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    let class = lower.node(node);
    let made = prototype_of(lower, class);
    lower.push_type(TypeExpr::TypeOf(made))
}

/// `A extends B ? C : D` is either of its branches, as far as one can be named.
pub(super) fn conditional_type<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> TypeId {
    let mut branches = Vec::new();
    for branch in ["consequence", "alternative"] {
        if let Some(branch) = lower.in_field(node, branch)
            && lower.kind(branch) != "predefined_type"
        {
            branches.push(lower.ty(branch));
        }
    }
    branches.retain(|branch| branch.is_known());
    match branches[..] {
        [] => TypeId::UNKNOWN,
        [only] => only,
        _ => lower.push_type(TypeExpr::Union(branches)),
    }
}

/// The cases of an enumeration that have no value of their own.
pub(super) fn cases<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let body = lower.in_field(node, "body").map(kids).unwrap_or_default();
    for case in body.into_iter().filter(|case| case.kind() == "property_identifier") {
        let id = lower.new_named(DefKind::Variant, case, Some(case));
        lower.sign(id, case, None);
    }
}
