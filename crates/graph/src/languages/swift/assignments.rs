//! Swift's assignments.

use crate::{
    facts::ExprId, languages::swift::class_of, lowering::LoweringContext, syntax::SyntaxNode,
};

pub(crate) fn assignment<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let target = lower.in_field(node, "target").and_then(|target| target.named_child(0));
    let left = target.map_or(ExprId::UNKNOWN, |target| lower.node(target));
    let Some(right) = lower.in_field(node, "result") else { return };
    lower.expected = class_of(lower, left);
    let value = lower.node(right);
    lower.expected = ExprId::UNKNOWN;
    lower.hand_on(value, right);
}
