//! Rust's statements that bind names: `let`, `if let`, `while let`.

use crate::{
    facts::{Expr, ExprId, TypeId},
    languages::rust::expressions::valued,
    lowering::{LoweringContext, Slot, SyntaxNodeFields, index},
    syntax::SyntaxNode,
};

pub(crate) fn let_declaration<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let ty = parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let value = match parts.get(Slot::Value) {
        Some(value) => {
            let given = valued(lower, value, ty);
            lower.hand_on(given, value);
            given
        }
        None => ExprId::UNKNOWN,
    };
    lower.part(parts, Slot::Alt);
    if let Some(name) = parts.get(Slot::Name) {
        let first = lower.facts.bindings.len();
        lower.local_pattern(name, ty, value);
        // Visible behind the whole statement: `let x = x.next()` reads the old one.
        for binding in &mut lower.facts.bindings[first..] {
            binding.from = index(node.end_byte());
        }
    }
}

pub(crate) fn let_condition<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let value = lower.part(parts, Slot::Value);
    if let Some(name) = parts.get(Slot::Name) {
        let first = lower.facts.bindings.len();
        lower.local_pattern(name, TypeId::UNKNOWN, value);
        for binding in &mut lower.facts.bindings[first..] {
            binding.from = index(node.end_byte());
        }
    }
}

pub(crate) fn if_expression<'t>(
    lower: &mut LoweringContext<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let then = lower.in_block(|lower| {
        lower.part(parts, Slot::Object);
        lower.part(parts, Slot::Value)
    });
    let other = lower.part(parts, Slot::Alt);
    lower.push(Expr::Either(vec![then, other]))
}

pub(crate) fn while_expression<'t>(lower: &mut LoweringContext<'t>, parts: &SyntaxNodeFields<'t>) {
    lower.in_block(|lower| {
        lower.part(parts, Slot::Object);
        lower.part(parts, Slot::Body);
    });
}
