//! Swift's calls with labels and closures, literals, operators, casts and member chains.

use crate::{
    facts::{
        ArgumentLabels, BindingTarget, Expr, ExprId, LambdaId, Param, ReferenceKind, ScopeKind,
        Sym, TRAILING, TypeId, UNLABELLED,
    },
    languages::swift::{class_of, plain},
    lowering::{LoweringContext, ReturnTarget, find, index, kids},
    syntax::SyntaxNode,
};

pub(crate) fn array<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let item = if expected.is_known() { lower.push(Expr::Elem(expected)) } else { ExprId::UNKNOWN };
    let mut items = Vec::new();
    for part in kids(node) {
        lower.expected = item;
        items.push(lower.kept_value(part));
    }
    lower.expected = ExprId::UNKNOWN;
    lower.push(Expr::Array(items))
}

pub(crate) fn postfix<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let value = first(lower, node);
    lower.push(Expr::Unwrap(value))
}

pub(crate) fn cast<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    first(lower, node);
    if let Some(ty) = lower.in_field(node, "name") {
        let ty = lower.annotation(ty);
        return lower.push(Expr::Typed(ty));
    }
    ExprId::UNKNOWN
}

pub(crate) fn type_test<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    first(lower, node);
    if let Some(ty) = lower.in_field(node, "name") {
        lower.annotation(ty);
    }
    lower.literal("Bool")
}

pub(crate) fn nil_coalescing<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    lower.expected = expected;
    let value = lower.child(node, "value");
    lower.expected = expected;
    let other = lower.child(node, "if_nil");
    let value = lower.push(Expr::Unwrap(value));
    lower.push(Expr::Either(vec![value, other]))
}

pub(crate) fn ternary<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    lower.child(node, "condition");
    lower.expected = expected;
    let one = lower.child(node, "if_true");
    lower.expected = expected;
    let other = lower.child(node, "if_false");
    lower.push(Expr::Either(vec![one, other]))
}

pub(crate) fn equality<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let left = lower.child(node, "lhs");
    lower.expected = class_of(lower, left);
    lower.child(node, "rhs");
    lower.literal("Bool")
}

pub(crate) fn tuple<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let parts: Vec<SyntaxNode<'t>> = node.fields("value").collect();
    if let [only] = parts.as_slice() {
        lower.expected = expected;
        return lower.node(*only);
    }
    let items = parts.into_iter().map(|part| lower.kept_value(part)).collect();
    lower.push(Expr::Tuple(items))
}

pub(crate) fn string_literal<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    lower.children(node);
    lower.literal("String")
}

pub(crate) fn navigation<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let (mut object, mut chained) = (None, false);
    for part in node.fields("target") {
        match (part.is_named(), lower.kind(part)) {
            (true, _) => object = object.or(Some(part)),
            (false, kind) => chained |= kind.starts_with('?'),
        }
    }
    let Some(object) = object else { return ExprId::UNKNOWN };
    lower.expected = expected;
    let mut value = if lower.kind(object).ends_with("_type") {
        let ty = lower.annotation(object);
        lower.push(Expr::Type(ty))
    } else {
        lower.node(object)
    };
    lower.expected = ExprId::UNKNOWN;
    if chained {
        value = lower.push(Expr::Unwrap(value));
    }
    let name = lower.in_field(node, "suffix").and_then(|s| lower.in_field(s, "suffix"));
    let Some(name) = name else { return ExprId::UNKNOWN };
    if lower.kind(name) == "integer_literal" {
        let place = lower.text(name).parse().unwrap_or(u16::MAX);
        return lower.push(Expr::Item(value, place));
    }
    let name = plain(lower, name);
    if lower.facts.text(name) == "self" {
        return value;
    }
    lower.push(Expr::Member { object: value, name })
}

pub(crate) fn prefix<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let Some(target) = lower.in_field(node, "target") else { return ExprId::UNKNOWN };
    let operation = lower.in_field(node, "operation").map_or("", |part| lower.text(part));
    match operation {
        "." => {
            let name = plain(lower, target);
            let object = if expected.is_known() { expected } else { lower.push(Expr::Unknown) };
            let member = lower.push(Expr::Member { object, name });
            if expected.is_known() {
                lower.row = target.start_position().row;
                lower.use_member(member);
            }
            member
        }
        "&" | "-" => lower.node(target),
        "!" => {
            lower.node(target);
            lower.literal("Bool")
        }
        _ => {
            lower.node(target);
            ExprId::UNKNOWN
        }
    }
}

pub(crate) fn name<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let name = plain(lower, node);
    let (scope, pos) = (lower.at.scope, index(node.start_byte()));
    if lower.facts.text(name) == "Self" {
        let ty = lower.named(vec![name], Vec::new(), node);
        return lower.push(Expr::Type(ty));
    }
    lower.push(Expr::Name { name, scope, pos })
}

pub(crate) fn first<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    node.named_child(0).map_or(ExprId::UNKNOWN, |part| lower.node(part))
}

pub(crate) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    expected: ExprId,
) -> ExprId {
    let Some(callee_node) = node.named_child(0) else { return ExprId::UNKNOWN };
    let mut suffixes: Vec<SyntaxNode<'t>> = find(node, "call_suffix").into_iter().collect();
    let callee_node = called(lower, callee_node, &mut suffixes);
    let suffix = suffixes.first().copied();
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
        return container(lower, callee_node, &suffixes);
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
    with_arguments(lower, ReferenceKind::Call, callee, &suffixes, row)
}

/// Returns what a call calls, with the parts of its arguments in `suffixes`. `!a.b()` is read as a call of `!a.b`, and
/// `a + b.c()`, `a ?? b.c()` as one of `a + b.c`, `a ?? b.c`; where a value is declared, `a.b(c) { … }` as a call of `a.b(c)`.
fn called<'t>(
    lower: &mut LoweringContext<'t>,
    mut callee: SyntaxNode<'t>,
    suffixes: &mut Vec<SyntaxNode<'t>>,
) -> SyntaxNode<'t> {
    let lists = |suffix: &SyntaxNode<'t>| find(*suffix, "value_arguments").is_some();
    let closures = |suffix: &SyntaxNode<'t>| find(*suffix, "lambda_literal").is_some();
    loop {
        let part = |field| callee.field(field);
        if let ("try_expression" | "await_expression", Some(tried)) = (callee.kind(), part("expr"))
        {
            callee = tried;
            continue;
        }
        if let ("call_expression", [closure], Some(list), Some(inner)) =
            (callee.kind(), suffixes.as_slice(), find(callee, "call_suffix"), callee.named_child(0))
            && !lists(closure)
            && lists(&list)
            && !closures(&list)
        {
            suffixes.insert(0, list);
            callee = inner;
            continue;
        }
        let (left, right) = (part("lhs").or(part("value")), part("rhs").or(part("if_nil")));
        callee = match (part("operation"), part("target"), left, right) {
            (Some(word), Some(target), ..)
                if callee.kind() == "prefix_expression" && lower.text(word) != "." =>
            {
                target
            }
            (.., Some(left), Some(right)) => {
                lower.node(left);
                right
            }
            _ => return callee,
        };
    }
}

/// `[Element](…)` and `[Key: Value](…)` make a container: of the repository they call only what their arguments do.
fn container<'t>(
    lower: &mut LoweringContext<'t>,
    literal: SyntaxNode<'t>,
    suffixes: &[SyntaxNode<'t>],
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
    with_arguments(lower, ReferenceKind::Call, ExprId::UNKNOWN, suffixes, row);
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
    with_arguments(lower, ReferenceKind::Call, target, find(node, "call_suffix").as_slice(), row)
}

pub(crate) fn construction<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(ty_node) = lower.in_field(node, "constructed_type") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let ty = lower.annotation(ty_node);
    let callee = lower.push(Expr::Type(ty));
    let row = ty_node.end_position().row;
    let suffix = find(node, "constructor_suffix");
    with_arguments(lower, ReferenceKind::Call, callee, suffix.as_slice(), row)
}

/// Records a call with the arguments and closures in `suffixes`.
pub(crate) fn with_arguments<'t>(
    lower: &mut LoweringContext<'t>,
    kind: ReferenceKind,
    callee: ExprId,
    suffixes: &[SyntaxNode<'t>],
    row: usize,
) -> ExprId {
    let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() });
    let (mut values, mut labels) = (Vec::new(), Vec::new());
    let mut label: Option<Sym> = None;
    for part in suffixes.iter().flat_map(|suffix| kids(*suffix)) {
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

fn argument_value<'t>(
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
