//! Scala's names, calls, operators, comprehensions and lambdas, those that are written with `_` included.

use crate::{
    facts::{BindingTarget, Expr, ExprId, LambdaId, Param, ReferenceKind, ScopeKind, Sym, TypeId},
    languages::scala::binding_patterns::{matching, pattern},
    lowering::{LoweringContext, LoweringPosition, ReturnTarget, find, kids},
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

/// Lowers a name that stands alone, which may run a method without parameters.
pub(super) fn read_name<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let target = name(lower, node);
    if matches!(lower.facts.expr(target), Expr::Name { .. }) {
        lower.resolve_expr(ReferenceKind::Read, target, 0, node.start_position().row);
    }
    target
}

pub(super) fn member<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    // Behind a postfix operand stands the name alone: `list size`.
    let parts = kids(node);
    let object = lower.in_field(node, "value").or_else(|| parts.first().copied());
    let name = lower.in_field(node, "field").or_else(|| parts.get(1).copied());
    let object = object.map_or(ExprId::UNKNOWN, |object| lower.node(object));
    let Some(name) = name else { return ExprId::UNKNOWN };
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
        "identifier" => name(lower, function),
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

/// The name by which a placeholder (`_.size`) is the parameter of the function that it makes.
const PLACEHOLDER: &str = "_";

/// Whether an expression begins with a placeholder.
fn has_placeholder(node: SyntaxNode<'_>) -> bool {
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
