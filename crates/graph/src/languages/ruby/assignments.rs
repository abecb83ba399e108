//! Ruby's assignments: to variables, to constants and through writers.

use crate::{
    facts::{Expr, ExprId, ReferenceKind},
    languages::ruby::{local_variables::bind, macros},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

pub(crate) fn assign<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(left) = lower.in_field(node, "left") else { return ExprId::UNKNOWN };
    let right = lower.in_field(node, "right");
    if lower.kind(left) == "constant" {
        return macros::constant(lower, node, left, right);
    }
    let mut value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
    if lower.kind(node) == "operator_assignment" && lower.kind(left) == "identifier" {
        let old = lower.name_expr(left);
        value = lower.push(Expr::Either(vec![old, value]));
    }
    match (lower.kind(left), lower.in_field(left, "receiver")) {
        ("call", Some(object)) => {
            let object = lower.node(object);
            let name = lower.in_field(left, "method").map_or("", |name| lower.text(name));
            let name = lower.sym(&format!("{name}="));
            let target = lower.push(Expr::Member { object, name });
            lower.resolve_expr(ReferenceKind::Call, target, 1, left.end_position().row);
        }
        _ => bind(lower, left, value),
    }
    value
}
