//! Scala's lambdas, those that are written with `_` included.

use crate::{
    facts::{BindingTarget, Expr, ExprId, LambdaId, Param, ScopeKind, Sym, TypeId},
    lowering::{LoweringContext, LoweringPosition, ReturnTarget, kids},
    syntax::SyntaxNode,
};

/// The name by which a placeholder (`_.size`) is the parameter of the function that it makes.
pub(super) const PLACEHOLDER: &str = "_";

/// Whether an expression begins with a placeholder.
pub(super) fn has_placeholder(node: SyntaxNode<'_>) -> bool {
    let mut at = node;
    loop {
        let next = ["function", "value", "left"].iter().find_map(|f| at.field(f));
        match next {
            Some(next) if next.kind() == "wildcard" => return true,
            Some(next) => at = next,
            None => return false,
        }
    }
}

pub(super) fn open_lambda(
    lower: &mut LoweringContext<'_>,
    node: SyntaxNode<'_>,
) -> (LambdaId, LoweringPosition) {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = ReturnTarget::Lambda(id);
    (id, outer)
}

pub(super) fn lambda_param(lower: &mut LoweringContext<'_>, id: LambdaId, name: Sym, ty: TypeId) {
    let place = u16::try_from(lower.facts.lambdas[id.index()].params.len()).unwrap_or(u16::MAX);
    lower.bind(name, 0, BindingTarget::LambdaParam(id, place));
    let param = Param { name, ty, default: ExprId::UNKNOWN, variadic: false };
    lower.facts.lambdas[id.index()].params.push(param);
}

pub(super) fn close_lambda(
    lower: &mut LoweringContext<'_>,
    id: LambdaId,
    outer: LoweringPosition,
    value: ExprId,
) -> ExprId {
    if value.is_known() {
        lower.facts.lambdas[id.index()].returns.push(value);
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}

pub(super) fn lambda<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let (id, outer) = open_lambda(lower, node);
    if let Some(params) = lower.in_field(node, "parameters") {
        let list = if params.kind() == "identifier" { vec![params] } else { kids(params) };
        for param in list {
            let name = lower.in_field(param, "name").unwrap_or(param);
            let name = lower.sym_of(name);
            let ty = lower.in_field(param, "type");
            let ty = ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
            lambda_param(lower, id, name, ty);
        }
    }
    let params = lower.in_field(node, "parameters");
    let mut value = ExprId::UNKNOWN;
    for part in kids(node).into_iter().filter(|part| Some(*part) != params) {
        value = lower.node(part);
    }
    close_lambda(lower, id, outer, value)
}
