//! JavaScript's statements that open scopes or prove types.

use crate::{
    facts::{Expr, ExprId, TypeId},
    lowering::{LoweringContext, Slot, SyntaxNodeFields},
    syntax::SyntaxNode,
};

pub(crate) fn catch<'t>(lower: &mut LoweringContext<'t>, parts: &SyntaxNodeFields<'t>) {
    lower.in_block(|lower| {
        if let Some(name) = parts.get(Slot::Name) {
            lower.local_pattern(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
        }
        lower.part(parts, Slot::Body);
    });
}

/// `if` and `? :`: what the condition proves holds in the first branch.
pub(crate) fn conditional<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let condition = parts.get(Slot::Object);
    lower.part(parts, Slot::Object);
    let branch = |lower: &mut LoweringContext<'t>, slot| {
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
