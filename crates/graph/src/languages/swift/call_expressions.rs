//! Swift's calls with labels and trailing closures.

use crate::{
    facts::{ArgumentLabels, Expr, ExprId, ReferenceKind, Sym},
    languages::swift::{TRAILING, UNLABELLED, plain},
    lowering::{LoweringContext, find, index, kids},
    syntax::SyntaxNode,
};

pub(crate) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let Some(mut callee_node) = node.named_child(0) else { return ExprId::UNKNOWN };
    let suffix = find(node, "call_suffix");
    // `!a.b()` is read as a call of `!a.b`, and `a + b.c()`, `a ?? b.c()` as one of `a + b.c`, `a ?? b.c`.
    loop {
        let part = |field| callee_node.field(field);
        if let ("try_expression", Some(tried)) = (callee_node.kind(), part("expr")) {
            callee_node = tried;
            continue;
        }
        let (left, right) = (part("lhs").or(part("value")), part("rhs").or(part("if_nil")));
        callee_node = match (part("operation"), part("target"), left, right) {
            (Some(word), Some(target), ..)
                if callee_node.kind() == "prefix_expression" && lower.text(word) != "." =>
            {
                target
            }
            (.., Some(left), Some(right)) => {
                lower.node(left);
                right
            }
            _ => break,
        };
    }
    let arguments = suffix.and_then(|suffix| find(suffix, "value_arguments"));
    if arguments.is_some_and(|list| list.child(0).is_some_and(|open| open.kind() == "[")) {
        let object = lower.node(callee_node);
        for argument in arguments.map(kids).unwrap_or_default() {
            lower.child(argument, "value");
        }
        return lower.push(Expr::Index(object));
    }
    lower.expected = expected;
    if matches!(callee_node.kind(), "array_literal" | "dictionary_literal") {
        return container(lower, callee_node, suffix);
    }
    let callee = lower.node(callee_node);
    lower.expected = ExprId::UNKNOWN;
    if let Some(list) = arguments
        && kids(list).first().is_some_and(|a| lower.in_field(*a, "reference_specifier").is_some())
    {
        // `name(label:)` names a function without calling it.
        return callee;
    }
    let row = callee_node.end_position().row;
    with_arguments(lower, ReferenceKind::Call, callee, suffix, row)
}

/// `[Element](…)` and `[Key: Value](…)` make a container: of the repository they call only what their arguments do.
fn container<'t>(
    lower: &mut LoweringContext<'t>,
    literal: SyntaxNode<'t>,
    suffix: Option<SyntaxNode<'t>>,
) -> ExprId {
    let made = match literal.kind() {
        "array_literal" => {
            let items = lower.values(literal);
            lower.push(Expr::Array(items))
        }
        _ => ExprId::UNKNOWN,
    };
    lower.expected = ExprId::UNKNOWN;
    let row = literal.end_position().row;
    with_arguments(lower, ReferenceKind::Call, ExprId::UNKNOWN, suffix, row);
    made
}

/// `#name(…)`: a macro, whose name keeps its sign, since no function is called by it.
pub(crate) fn macro_call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(name) = find(node, "simple_identifier") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let spelled = lower.sym(&format!("#{}", lower.text(name)));
    let (scope, pos) = (lower.at.scope, index(name.start_byte()));
    let target = lower.push(Expr::Name { name: spelled, scope, pos });
    let row = name.start_position().row;
    with_arguments(lower, ReferenceKind::Call, target, find(node, "call_suffix"), row)
}

pub(crate) fn construction<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(ty_node) = lower.in_field(node, "constructed_type") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let ty = lower.annotation(ty_node);
    let callee = lower.push(Expr::Type(ty));
    let row = ty_node.end_position().row;
    with_arguments(lower, ReferenceKind::Call, callee, find(node, "constructor_suffix"), row)
}

/// Records a call with the arguments and closures in `suffix`.
pub(crate) fn with_arguments<'t>(
    lower: &mut LoweringContext<'t>,
    kind: ReferenceKind,
    callee: ExprId,
    suffix: Option<SyntaxNode<'t>>,
    row: usize,
) -> ExprId {
    let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() });
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    let mut label: Option<Sym> = None;
    for part in suffix.map(kids).unwrap_or_default() {
        match lower.kind(part) {
            "value_arguments" => {
                for argument in kids(part) {
                    let name = lower.in_field(argument, "name").and_then(|n| n.named_child(0));
                    let name = name.map(|name| plain(lower, name));
                    labels.push(name.unwrap_or_else(|| lower.sym(UNLABELLED)));
                    let value = lower.in_field(argument, "value");
                    values.push(value.map_or(ExprId::UNKNOWN, |value| {
                        argument_value(lower, value, call, values.len())
                    }));
                }
            }
            "simple_identifier" => label = Some(plain(lower, part)),
            "lambda_literal" => {
                let given = label.take();
                labels.push(given.unwrap_or_else(|| lower.sym(TRAILING)));
                values.push(argument_value(lower, part, call, values.len()));
            }
            _ => {
                lower.node(part);
            }
        }
    }
    lower.resolve_expr(kind, callee, values.len(), row);
    if callee.is_known() {
        lower.allocate(8 * labels.len() + 64);
        lower.facts.labels.insert(callee, ArgumentLabels { call, names: labels });
    }
    if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
        *args = values;
    }
    call
}

pub(crate) fn argument_value<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    call: ExprId,
    place: usize,
) -> ExprId {
    let place_16 = u16::try_from(place).unwrap_or(u16::MAX);
    lower.expected = lower.push(Expr::ExpectedBy(call, place_16));
    let value = lower.argument(node, call, place);
    lower.expected = ExprId::UNKNOWN;
    value
}
