//! Python's branches and loops.

use super::type_narrowing::branch;
use crate::{
    facts::{Expr, TypeId},
    lowering::{LoweringContext, Slot, SyntaxNodeFields},
    syntax::SyntaxNode,
};

pub(crate) fn conditional<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let condition = parts.get(Slot::Object);
    lower.part(parts, Slot::Object);
    // The scope is Python's own notion only as far as narrowing goes: names bound inside stay visible.
    branch(lower, condition, parts.get(Slot::Value));
    for other in node.fields("alternative") {
        lower.node(other);
    }
}

pub(crate) fn for_loop<'t>(lower: &mut LoweringContext<'t>, parts: &SyntaxNodeFields<'t>) {
    let value = lower.part(parts, Slot::Value);
    let item = lower.push(Expr::Elem(value));
    if let Some(name) = parts.get(Slot::Name) {
        lower.pattern(name, TypeId::UNKNOWN, item);
    }
    lower.part(parts, Slot::Body);
    lower.part(parts, Slot::Alt);
}
