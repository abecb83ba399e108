//! Rust's patterns with fields: tuple structs, structs and variants.

use crate::{
    facts::{Expr, ExprId, FROM_END, TypeId, TypeUse, place_of},
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
    for (place, part) in placed(node, Some(name)) {
        let bound = match payload {
            Some(payload) => payload,
            // How many fields there are is written elsewhere.
            None if place >= FROM_END => ExprId::UNKNOWN,
            None => member_of(lower, owner, &place.to_string()),
        };
        lower.local_pattern(part, TypeId::UNKNOWN, bound);
    }
}

/// Returns the parts of a pattern, without its `name`, and their places. `_` has a place and no node of the grammar; behind
/// `..` places are counted from the end.
pub(crate) fn placed<'t>(
    pattern: SyntaxNode<'t>,
    name: Option<SyntaxNode<'t>>,
) -> Vec<(u16, SyntaxNode<'t>)> {
    let is_part = |child: &SyntaxNode<'t>| {
        child.kind() == "_" || child.is_named() && !child.is_extra() && Some(*child) != name
    };
    let parts: Vec<SyntaxNode<'t>> = pattern.children().filter(is_part).collect();
    let rest = parts.iter().position(|part| part.kind() == "remaining_field_pattern");
    let count = parts.len();
    let placed = parts.into_iter().enumerate().filter(|(_, part)| part.is_named());
    let placed = placed.filter(|(_, part)| part.kind() != "remaining_field_pattern");
    placed.map(|(at, part)| (place_of(at, rest, count), part)).collect()
}

/// Binds the parts of `Name { a, b: pattern }`.
pub(crate) fn fields<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "type") else { return };
    let owner = variant_type(lower, name);
    lower.type_use(TypeUse::Annotation, owner, name);
    for part in node.named_children().filter(|child| child.kind() == "field_pattern") {
        let Some(field) = lower.in_field(part, "name") else { continue };
        lower.name_field(owner, field);
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
