//! Rust's patterns with fields: tuple structs, structs and variants.

use crate::{
    facts::{Expr, ExprId, TypeId},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// Binds the parts of `Name(a, b)`; the parts of a result or an option are what it holds.
pub(crate) fn tuple_struct<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    value: ExprId,
) {
    let Some(name) = lower.in_field(node, "type") else { return };
    if lower.kind(name) == "scoped_identifier" {
        lower.node(name);
    }
    let payload = match lower.text(name) {
        "Some" | "Ok" | "Poll::Ready" | "Ready" => Some(lower.push(Expr::Unwrap(value))),
        "Err" => Some(ExprId::UNKNOWN),
        _ => None,
    };
    let owner = if payload.is_some() { TypeId::UNKNOWN } else { variant_type(lower, name) };
    let parts = node.named_children().filter(|child| !child.is_extra() && *child != name);
    for (place, part) in parts.enumerate() {
        let bound = payload.unwrap_or_else(|| member_of(lower, owner, &place.to_string()));
        lower.local_pattern(part, TypeId::UNKNOWN, bound);
    }
}

/// Binds the parts of `Name { a, b: pattern }`.
pub(crate) fn fields<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "type") else { return };
    let owner = variant_type(lower, name);
    for part in node.named_children().filter(|child| child.kind() == "field_pattern") {
        let Some(field) = lower.in_field(part, "name") else { continue };
        let bound = member_of(lower, owner, lower.text(field));
        let pattern = lower.in_field(part, "pattern").unwrap_or(field);
        lower.local_pattern(pattern, TypeId::UNKNOWN, bound);
    }
}

fn variant_type<'t>(lower: &mut LoweringContext<'t>, name: SyntaxNode<'t>) -> TypeId {
    lower.ty(name)
}

fn member_of(lower: &mut LoweringContext<'_>, owner: TypeId, field: &str) -> ExprId {
    if !owner.is_known() {
        return ExprId::UNKNOWN;
    }
    let name = lower.sym(field);
    let object = lower.push(Expr::Typed(owner));
    lower.push(Expr::Member { object, name })
}
