//! Ruby's `unless`, `for` and `return`.

use crate::{
    facts::{Expr, ExprId},
    languages::ruby::local_variables::bind,
    lowering::{LoweringContext, ReturnTarget, kids},
    syntax::SyntaxNode,
};

pub(crate) fn unless<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let condition = lower.in_field(node, "condition");
    if let Some(condition) = condition {
        lower.node(condition);
    }
    let rest: Vec<_> = kids(node).into_iter().filter(|c| Some(*c) != condition).collect();
    let values = rest.into_iter().map(|child| lower.node(child)).collect();
    lower.push(Expr::Either(values))
}

pub(crate) fn for_loop<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let value = lower.child(node, "value");
    let item = lower.push(Expr::Elem(value));
    if let Some(name) = lower.in_field(node, "pattern") {
        bind(lower, name, item);
    }
    lower.child(node, "body");
}

pub(crate) fn return_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let value = node.named_child(0).map_or(ExprId::UNKNOWN, |list| match kids(list).as_slice() {
        [] => lower.node(list),
        [one] => lower.node(*one),
        _ => {
            lower.children(list);
            ExprId::UNKNOWN
        }
    });
    if let (ReturnTarget::Def(id), true) = (lower.at.body, value.is_known()) {
        lower.def_mut(id).returns.push(value);
    }
}
