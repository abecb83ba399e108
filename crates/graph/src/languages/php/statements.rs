//! PHP's statements that bind names.

use crate::{
    facts::{Expr, ExprId, TypeId},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

pub(crate) fn catch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let ty = lower.in_field(node, "type");
    let ty = ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    if let Some(name) = lower.in_field(node, "name") {
        lower.bind_local(name, ty, ExprId::UNKNOWN);
    }
    lower.child(node, "body");
}

pub(crate) fn static_variable<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let value = lower.child(node, "value");
    if let Some(name) = lower.in_field(node, "name") {
        lower.bind_local(name, TypeId::UNKNOWN, value);
    }
}

pub(crate) fn match_expression<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    lower.child(node, "condition");
    let arms = lower.in_field(node, "body").map(kids).unwrap_or_default();
    let mut values = Vec::new();
    for arm in arms {
        lower.child(arm, "conditional_expressions");
        values.push(lower.child(arm, "return_expression"));
    }
    lower.push(Expr::Either(values))
}

pub(crate) fn foreach<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = kids(node);
    let Some(list) = parts.first() else { return };
    let list = lower.node(*list);
    let item = lower.push(Expr::Elem(list));
    match parts.get(1) {
        Some(pair) if pair.kind() == "pair" => {
            if let [key, value] = kids(*pair).as_slice() {
                lower.local_pattern(*key, TypeId::UNKNOWN, ExprId::UNKNOWN);
                lower.local_pattern(*value, TypeId::UNKNOWN, item);
            }
        }
        Some(name) if Some(*name) != lower.in_field(node, "body") => {
            lower.local_pattern(*name, TypeId::UNKNOWN, item);
        }
        _ => {}
    }
    lower.child(node, "body");
}
