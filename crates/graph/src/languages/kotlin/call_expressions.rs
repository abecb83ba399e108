//! Kotlin's calls and the lambdas that are handed to them.

use crate::{
    facts::{BindingTarget, Expr, ExprId, LambdaId, Param, ReferenceKind, ScopeKind, TypeId},
    languages::kotlin::{declarations::declared_names, generic_calls::last_operand},
    lowering::{LoweringContext, ReturnTarget, find, kids},
    syntax::SyntaxNode,
};

/// The node and the parts of a call: the grammar may read `f(x) { … }` as a call of `f(x)`.
fn whole_call(node: SyntaxNode<'_>) -> (SyntaxNode<'_>, Vec<SyntaxNode<'_>>) {
    let parts = kids(node);
    if let [inner, lambda] = parts.as_slice()
        && inner.kind() == "call_expression"
        && lambda.kind() == "annotated_lambda"
    {
        let mut all = kids(*inner);
        if all.last().is_some_and(|last| last.kind() == "value_arguments") {
            all.push(*lambda);
            return (*inner, all);
        }
    }
    (node, parts)
}

pub(crate) fn call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let (node, parts) = whole_call(node);
    let Some(mut callee_node) = parts.first().copied() else { return ExprId::UNKNOWN };
    if callee_node.kind() == "binary_expression" {
        // The grammar reads `a + b<T>(c)` as a call of `a + b`.
        let (last, before) = last_operand(callee_node);
        for operand in before {
            lower.node(operand);
        }
        callee_node = last;
    }
    let mut callee = lower.node(callee_node);
    if callee_node.kind() == "infix_expression"
        && let Expr::Call { args, .. } = lower.facts.expr(callee)
    {
        // The grammar reads `a to b<T>()` as a call of `a to b`.
        callee = args.first().copied().unwrap_or_default();
    }
    if lower.at.this.is_known()
        && let Expr::Name { name, .. } = *lower.facts.expr(callee)
    {
        // A member of the narrowed type of `this`, else whatever the name stands for in scope.
        let object = lower.push(Expr::Typed(lower.at.this));
        let own = lower.push(Expr::Member { object, name });
        callee = lower.push(Expr::Either(vec![own, callee]));
    }
    let row = callee_node.end_position().row;
    let types = find(node, "type_arguments").map(|list| lower.type_list(list)).unwrap_or_default();
    let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: types });
    let mut values = Vec::new();
    for part in &parts[1..] {
        match lower.kind(*part) {
            "value_arguments" => {
                for argument in kids(*part) {
                    values.push(lower.argument(argument, call, values.len()));
                }
            }
            "annotated_lambda" | "lambda_literal" => {
                values.push(lower.argument(*part, call, values.len()));
            }
            _ => {}
        }
    }
    lower.resolve_expr(ReferenceKind::Call, callee, values.len(), row);
    if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
        *args = values;
    }
    call
}

pub(crate) fn lambda_param<'t>(
    lower: &mut LoweringContext<'t>,
    id: LambdaId,
    node: SyntaxNode<'t>,
) {
    let parts = kids(node);
    let Some(name) = parts.iter().find(|c| lower.kind(**c) == "identifier") else { return };
    let sym = lower.sym_of(*name);
    let ty = parts
        .iter()
        .find(|c| lower.kind(**c).ends_with("_type"))
        .map_or(TypeId::UNKNOWN, |ty| lower.annotation(*ty));
    let place = u16::try_from(lower.facts.lambdas[id.index()].params.len()).unwrap_or(u16::MAX);
    lower.bind(sym, 0, BindingTarget::LambdaParam(id, place));
    let param = Param { name: sym, ty, default: ExprId::UNKNOWN, variadic: false };
    lower.facts.lambdas[id.index()].params.push(param);
}

pub(crate) fn lambda<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = ReturnTarget::Lambda(id);
    match find(node, "lambda_parameters") {
        Some(list) => {
            for child in kids(list) {
                if lower.kind(child) == "multi_variable_declaration" {
                    let hidden = lower.sym("\u{0}0");
                    lower.bind(hidden, 0, BindingTarget::LambdaParam(id, 0));
                    let scope = lower.at.scope;
                    let value = lower.push(Expr::Name { name: hidden, scope, pos: 0 });
                    let param = Param {
                        name: hidden,
                        ty: TypeId::UNKNOWN,
                        default: ExprId::UNKNOWN,
                        variadic: false,
                    };
                    lower.facts.lambdas[id.index()].params.push(param);
                    declared_names(lower, child, value);
                } else {
                    lambda_param(lower, id, child);
                }
            }
        }
        None => {
            let it = lower.sym("it");
            lower.bind(it, 0, BindingTarget::LambdaParam(id, 0));
            let param =
                Param { name: it, ty: TypeId::UNKNOWN, default: ExprId::UNKNOWN, variadic: false };
            lower.facts.lambdas[id.index()].params.push(param);
        }
    }
    let mut value = ExprId::UNKNOWN;
    for child in kids(node) {
        if lower.kind(child) != "lambda_parameters" {
            value = lower.node(child);
        }
    }
    if value.is_known() {
        lower.facts.lambdas[id.index()].returns.push(value);
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}
