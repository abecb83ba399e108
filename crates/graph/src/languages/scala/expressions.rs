//! Scala's names, calls, operators and comprehensions.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, TypeId},
    languages::scala::{
        binding_patterns::{matching, pattern},
        lambdas::{PLACEHOLDER, close_lambda, has_placeholder, lambda_param, open_lambda},
    },
    lowering::{LoweringContext, find, kids},
    syntax::SyntaxNode,
};

pub(super) fn name<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let scope = lower.at.scope;
    match lower.text(node) {
        "this" => lower.push(Expr::This(scope)),
        "super" => lower.push(Expr::Super(scope)),
        _ => lower.name_expr(node),
    }
}

pub(super) fn member<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let object = lower.child(node, "value");
    let Some(name) = lower.in_field(node, "field") else { return ExprId::UNKNOWN };
    let name = lower.sym_of(name);
    lower.push(Expr::Member { object, name })
}

pub(super) fn call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(mut function) = lower.in_field(node, "function") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let mut types = Vec::new();
    if lower.kind(function) == "generic_function" {
        types = find(function, "type_arguments").map(|l| lower.type_list(l)).unwrap_or_default();
        function = lower.in_field(function, "function").unwrap_or(function);
    }
    let is_operand = lower.kind(function) == "infix_expression";
    // The grammar reads `a + f[T](x)` as a call of `a + f`.
    while lower.kind(function) == "infix_expression"
        && let Some(right) = lower.in_field(function, "right")
    {
        operator_call(lower, function);
        function = right;
    }
    let callee = match lower.kind(function) {
        "field_expression" => member(lower, function),
        _ => lower.node(function),
    };
    let row = function.end_position().row;
    let Some(list) = lower.in_field(node, "arguments") else { return ExprId::UNKNOWN };
    let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: types });
    let parts = match lower.kind(list) {
        "arguments" => kids(list),
        _ => vec![list],
    };
    let mut values = Vec::new();
    for part in parts {
        let value = argument(lower, part, call, values.len());
        values.push(value);
    }
    // What a further list is given to isn't named: it is the same call.
    if !matches!(lower.kind(function), "call_expression") {
        lower.resolve_expr(ReferenceKind::Call, callee, values.len(), row);
    }
    if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
        *args = values;
    }
    if is_operand { ExprId::UNKNOWN } else { call }
}

fn argument<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    call: ExprId,
    place: usize,
) -> ExprId {
    let node = match lower.kind(node) {
        // `name = value`
        "assignment_expression" => lower.in_field(node, "right").unwrap_or(node),
        _ => node,
    };
    let position = u16::try_from(place).unwrap_or(u16::MAX);
    let value = match lower.kind(node) {
        "case_block" => matching(lower, node),
        "block" | "indented_block" => match kids(node).as_slice() {
            [only] if only.kind() == "lambda_expression" => lower.node(*only),
            _ => lower.node(node),
        },
        "wildcard" => ExprId::UNKNOWN,
        _ if has_placeholder(node) => {
            let (id, outer) = open_lambda(lower, node);
            let name = lower.sym(PLACEHOLDER);
            lambda_param(lower, id, name, TypeId::UNKNOWN);
            let value = lower.node(node);
            close_lambda(lower, id, outer, value)
        }
        _ => return lower.argument(node, call, place),
    };
    if let Expr::Lambda(id) = *lower.facts.expr(value) {
        lower.facts.lambdas[id.index()].context = Some((call, position));
    }
    value
}

pub(super) fn comprehension<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    lower.in_block(|lower| {
        for enumerator in find(node, "enumerators").map(kids).unwrap_or_default() {
            let parts = kids(enumerator);
            let draws = enumerator.children().any(|word| word.kind() == "<-");
            match parts.as_slice() {
                [head, value, rest @ ..] => {
                    let value = lower.node(*value);
                    let item = if draws { lower.push(Expr::Elem(value)) } else { value };
                    pattern(lower, *head, item);
                    for part in rest {
                        lower.node(*part);
                    }
                }
                _ => lower.children(enumerator),
            }
        }
        let value = lower.child(node, "body");
        lower.push(Expr::Array(vec![value]))
    })
}

pub(super) fn infix<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(call) = operator_call(lower, node) else {
        lower.child(node, "right");
        return ExprId::UNKNOWN;
    };
    let right = lower.in_field(node, "right");
    let value = right.map_or(ExprId::UNKNOWN, |right| argument(lower, right, call, 0));
    if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
        args.push(value);
    }
    call
}

/// Lowers the first operand, and the call of an operator that is the name of a method; its argument is left to be added.
fn operator_call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> Option<ExprId> {
    let object = lower.child(node, "left");
    let operator = lower.in_field(node, "operator").filter(|it| it.kind() == "identifier")?;
    let name = lower.sym_of(operator);
    let callee = lower.push(Expr::Member { object, name });
    let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() });
    lower.resolve_expr(ReferenceKind::Call, callee, 1, operator.start_position().row);
    Some(call)
}
