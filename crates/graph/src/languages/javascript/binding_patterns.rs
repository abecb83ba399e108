//! JavaScript's destructuring: the names in object and array patterns.

use crate::{
    facts::{Expr, ExprId, TypeId},
    languages::javascript::expressions::key_name,
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// `{ a, b: c, d = 1, ...rest }`.
pub(crate) fn object<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, value: ExprId) {
    for child in node.named_children() {
        match lower.kind(child) {
            "shorthand_property_identifier_pattern" => {
                let name = lower.sym_of(child);
                let member = lower.push(Expr::Member { object: value, name });
                lower.pattern(child, TypeId::UNKNOWN, member);
            }
            "pair_pattern" => pair(lower, child, value),
            "object_assignment_pattern" | "assignment_pattern" => {
                let (Some(left), Some(right)) =
                    (lower.in_field(child, "left"), lower.in_field(child, "right"))
                else {
                    continue;
                };
                lower.kept_value(right);
                let name = lower.sym_of(left);
                let member = lower.push(Expr::Member { object: value, name });
                lower.pattern(left, TypeId::UNKNOWN, member);
            }
            _ => rest(lower, child, value),
        }
    }
}

fn pair<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, object: ExprId) {
    let (Some(key), Some(inner)) = (lower.in_field(node, "key"), lower.in_field(node, "value"))
    else {
        return;
    };
    let member = match key_name(lower, key) {
        Some(name) => lower.push(Expr::Member { object, name }),
        None => ExprId::UNKNOWN,
    };
    lower.pattern(inner, TypeId::UNKNOWN, member);
}

fn rest<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, value: ExprId) {
    if let Some(rest) = node.named_child(0) {
        lower.pattern(rest, TypeId::UNKNOWN, value);
    }
}

/// `[a, , b, ...rest]`.
pub(crate) fn array<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, value: ExprId) {
    let mut place = 0u16;
    for child in node.children() {
        if lower.kind(child) == "," {
            place = place.saturating_add(1);
        } else if lower.kind(child) == "rest_pattern" {
            rest(lower, child, value);
        } else if child.is_named() && !child.is_extra() {
            let item = lower.push(Expr::Item(value, place));
            lower.pattern(child, TypeId::UNKNOWN, item);
        }
    }
}

/// `pattern = value`.
pub(crate) fn with_default<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    value: ExprId,
) {
    let (Some(left), Some(right)) = (lower.in_field(node, "left"), lower.in_field(node, "right"))
    else {
        return;
    };
    let default = lower.kept_value(right);
    let either = lower.push(Expr::Either(vec![value, default]));
    lower.pattern(left, TypeId::UNKNOWN, either);
}
