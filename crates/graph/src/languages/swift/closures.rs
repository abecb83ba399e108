//! Swift's closures: what they capture and what they are handed.

use crate::{
    facts::{BindingTarget, Expr, ExprId, LambdaId, Param, ScopeKind, TypeId},
    languages::swift::plain,
    lowering::{LoweringContext, ReturnTarget, find, kids},
    syntax::SyntaxNode,
};

pub(crate) fn closure<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    let captures = find(node, "capture_list");
    let captured: Vec<(SyntaxNode<'t>, ExprId)> = captures
        .map(kids)
        .unwrap_or_default()
        .into_iter()
        .filter_map(|item| {
            let name = lower.in_field(item, "name")?;
            Some((name, lower.child(item, "value")))
        })
        .collect();
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = ReturnTarget::Lambda(id);
    for (name, value) in captured.into_iter().filter(|(_, value)| value.is_known()) {
        let sym = plain(lower, name);
        lower.bind(sym, 0, BindingTarget::Local { ty: TypeId::UNKNOWN, value });
    }
    let heading = find(node, "lambda_function_type");
    let list = heading.and_then(|heading| find(heading, "lambda_function_type_parameters"));
    match list {
        Some(list) => {
            for param in kids(list) {
                closure_param(lower, id, param);
            }
        }
        None => {
            for place in 0..4 {
                let name = lower.sym(&format!("${place}"));
                lower.bind(name, 0, BindingTarget::LambdaParam(id, place));
                let param =
                    Param { name, ty: TypeId::UNKNOWN, default: ExprId::UNKNOWN, variadic: false };
                lower.facts.lambdas[id.index()].params.push(param);
            }
        }
    }
    if let Some(result) = heading.and_then(|heading| lower.in_field(heading, "name")) {
        lower.facts.lambdas[id.index()].ty = lower.annotation(result);
    }
    if let Some(body) = find(node, "statements") {
        let value = lower.node(body);
        if value.is_known() && body.named_child_count() == 1 {
            lower.facts.lambdas[id.index()].returns.push(value);
        }
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}

fn closure_param<'t>(lower: &mut LoweringContext<'t>, id: LambdaId, node: SyntaxNode<'t>) {
    let (mut name, mut ty) = (None, TypeId::UNKNOWN);
    let parts: Vec<SyntaxNode<'t>> = node.fields("name").collect();
    for part in parts.into_iter().filter(SyntaxNode::is_named) {
        if lower.kind(part) == "simple_identifier" {
            name = Some(part);
        } else {
            ty = lower.annotation(part);
        }
    }
    let place = u16::try_from(lower.facts.lambdas[id.index()].params.len()).unwrap_or(u16::MAX);
    let sym = match name {
        Some(name) => plain(lower, name),
        None => lower.sym(""),
    };
    lower.bind(sym, 0, BindingTarget::LambdaParam(id, place));
    let param = Param { name: sym, ty, default: ExprId::UNKNOWN, variadic: false };
    lower.facts.lambdas[id.index()].params.push(param);
}
