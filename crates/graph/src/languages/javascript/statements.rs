//! JavaScript's statements that open scopes or prove types.

use crate::{
    facts::{DefKind, Expr, ExprId, TypeId},
    lowering::{Lower, Parts, Slot},
    syntax::Node,
};

pub(crate) fn catch<'t>(lower: &mut Lower<'t>, parts: &Parts<'t>) {
    lower.in_block(|lower| {
        if let Some(name) = parts.get(Slot::Name) {
            lower.local_pattern(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
        }
        lower.part(parts, Slot::Body);
    });
}

/// `if` and `? :`: what the condition proves holds in the first branch.
pub(crate) fn conditional<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
    let condition = parts.get(Slot::Object);
    lower.part(parts, Slot::Object);
    let branch = |lower: &mut Lower<'t>, slot| {
        lower.in_block(|lower| {
            if let (Slot::Value, Some(condition)) = (slot, condition) {
                lower.dialect.narrow(lower, condition);
            }
            lower.part(parts, slot)
        })
    };
    let then = branch(lower, Slot::Value);
    let other = branch(lower, Slot::Alt);
    if lower.kind(node) == "ternary_expression" {
        return lower.push(Expr::Either(vec![then, other]));
    }
    ExprId::UNKNOWN
}

pub(crate) fn namespace<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) {
    // `declare module "x"` is about another module.
    if parts.get(Slot::Name).is_some_and(|name| lower.kind(name) != "string") {
        lower.type_like(DefKind::Namespace, node, parts);
    }
}
