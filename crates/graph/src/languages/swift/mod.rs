//! Swift: expressions and types. Declarations are in `swift_define`, patterns and conditions in `swift_bind`,
//! closures in `swift_closure`.

pub(crate) mod closures;
pub(crate) mod declarations;
pub(crate) mod patterns;
pub(crate) mod project;
pub(crate) mod resolution;
pub(crate) mod rules;

use crate::{
    facts::{Expr, ExprId, Flags, Labels, RefKind, Sym, TypeExpr, TypeId},
    languages::swift::closures::closure,
    lowering::{Body, Dialect, Lower, find, index, kids},
    syntax::Node,
};

/// The label of a closure that stands behind a call's parentheses.
pub(crate) const TRAILING: &str = "{";
/// The label of an argument or parameter that has none.
pub(crate) const UNLABELLED: &str = "_";

pub(crate) struct Swift;

impl Dialect for Swift {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        // What an implicit member (`.name`) belongs to is known only where a value is handed straight on.
        let expected = std::mem::take(&mut lower.expected);
        match lower.kind(node) {
            "simple_identifier" => return name(lower, node),
            "navigation_expression" => return navigation(lower, node, expected),
            "prefix_expression" => return prefix(lower, node, expected),
            "call_expression" => return call(lower, node, expected),
            "constructor_expression" => return construction(lower, node),
            "array_literal" => {
                let item = if expected.is_known() {
                    lower.push(Expr::Elem(expected))
                } else {
                    ExprId::UNKNOWN
                };
                let mut items = Vec::new();
                for part in kids(node) {
                    lower.expected = item;
                    items.push(lower.node(part));
                }
                lower.expected = ExprId::UNKNOWN;
                return lower.push(Expr::Array(items));
            }
            "postfix_expression" => {
                let value = first(lower, node);
                return lower.push(Expr::Unwrap(value));
            }
            "as_expression" => {
                first(lower, node);
                if let Some(ty) = lower.in_field(node, "name") {
                    let ty = lower.annotation(ty);
                    return lower.push(Expr::Typed(ty));
                }
            }
            "check_expression" => {
                first(lower, node);
                if let Some(ty) = lower.in_field(node, "name") {
                    lower.annotation(ty);
                }
                return lower.literal("Bool");
            }
            "nil_coalescing_expression" => {
                lower.expected = expected;
                let value = lower.child(node, "value");
                lower.expected = expected;
                let other = lower.child(node, "if_nil");
                let value = lower.push(Expr::Unwrap(value));
                return lower.push(Expr::Either(vec![value, other]));
            }
            "ternary_expression" => {
                lower.child(node, "condition");
                lower.expected = expected;
                let one = lower.child(node, "if_true");
                lower.expected = expected;
                let other = lower.child(node, "if_false");
                return lower.push(Expr::Either(vec![one, other]));
            }
            "equality_expression" => {
                let left = lower.child(node, "lhs");
                lower.expected = class_of(lower, left);
                lower.child(node, "rhs");
                return lower.literal("Bool");
            }
            "tuple_expression" => {
                let parts: Vec<Node<'t>> = node.fields("value").collect();
                if let [only] = parts.as_slice() {
                    lower.expected = expected;
                    return lower.node(*only);
                }
                let items = parts.into_iter().map(|part| lower.node(part)).collect();
                return lower.push(Expr::Tuple(items));
            }
            "line_string_literal" | "multi_line_string_literal" | "raw_string_literal" => {
                lower.children(node);
                return lower.literal("String");
            }
            "integer_literal" => return lower.literal("Int"),
            "real_literal" => return lower.literal("Double"),
            "boolean_literal" => return lower.literal("Bool"),
            "lambda_literal" => return closure(lower, node),
            "assignment" => assignment(lower, node),
            "control_transfer_statement" => transfer(lower, node),
            "if_statement" => return patterns::if_statement(lower, node, expected),
            "guard_statement" => patterns::guard_statement(lower, node),
            "while_statement" => {
                lower.in_block(|lower| patterns::guard_statement(lower, node));
            }
            "for_statement" => patterns::for_statement(lower, node),
            "switch_statement" => return patterns::switch_statement(lower, node, expected),
            "do_statement" => patterns::do_statement(lower, node),
            _ => declarations::declaration(lower, node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "user_type" => {
                let (mut path, mut args) = (Vec::new(), Vec::new());
                for child in kids(node) {
                    match lower.kind(child) {
                        "type_arguments" => args = lower.type_list(child),
                        "type_identifier" => path.push(plain(lower, child)),
                        _ => {}
                    }
                }
                let last = path.last().map_or("", |last| lower.facts.text(*last));
                match last {
                    "" => TypeId::UNKNOWN,
                    "Protocol" if path.len() > 1 => TypeId::UNKNOWN,
                    // The type of a type.
                    "Type" if path.len() > 1 => {
                        path.pop();
                        let ty = lower.named(path, args, node);
                        let class = lower.push(Expr::Expected(ty));
                        lower.push_type(TypeExpr::TypeOf(class))
                    }
                    _ => lower.named(path, args, node),
                }
            }
            "optional_type" => {
                let inner = lower.only_child_type(node);
                let optional = lower.sym("Optional");
                lower.named(vec![optional], vec![inner], node)
            }
            "dictionary_type" => {
                let parts = lower.type_list(node);
                let name = lower.sym("Dictionary");
                lower.named(vec![name], parts, node)
            }
            "tuple_type" => {
                let mut items = lower.type_list(node);
                match items.len() {
                    0 => TypeId::UNKNOWN,
                    1 => items.swap_remove(0),
                    _ => lower.push_type(TypeExpr::Tuple(items)),
                }
            }
            "tuple_type_item" => match node.field("element").or_else(|| {
                kids(node).into_iter().rfind(|child| lower.kind(*child).ends_with("_type"))
            }) {
                Some(element) => lower.ty(element),
                None => TypeId::UNKNOWN,
            },
            "function_type" => {
                let params =
                    node.field("params").map(|list| lower.type_list(list)).unwrap_or_default();
                let result =
                    lower.in_field(node, "name").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
                lower.push_type(TypeExpr::Function { params, result })
            }
            "bracket_qualified_type" => TypeId::UNKNOWN,
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let Some(modifiers) = find(node, "modifiers") else { return Flags::default() };
        let mut flags = Flags::default();
        for modifier in kids(modifiers) {
            flags = flags.with(match lower.text(modifier) {
                "static" | "class" => Flags::STATIC,
                "private" | "fileprivate" => Flags::PRIVATE,
                "public" | "open" | "package" => Flags::EXPORTED,
                _ => Flags::default(),
            });
        }
        flags
    }
}

/// A name without the backticks that keep it from being a keyword.
pub(crate) fn plain(lower: &mut Lower<'_>, node: Node<'_>) -> Sym {
    let text = lower.text(node).trim_matches('`');
    lower.sym(text)
}

/// The type of `value` as what an implicit member belongs to.
pub(crate) fn class_of(lower: &mut Lower<'_>, value: ExprId) -> ExprId {
    if !value.is_known() {
        return value;
    }
    let ty = lower.push_type(TypeExpr::TypeOf(value));
    lower.push(Expr::Expected(ty))
}

/// A declared type as what an implicit member belongs to.
pub(crate) fn expected(lower: &mut Lower<'_>, ty: TypeId) -> ExprId {
    if ty.is_known() { lower.push(Expr::Expected(ty)) } else { ExprId::UNKNOWN }
}

fn first<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    node.named_child(0).map_or(ExprId::UNKNOWN, |part| lower.node(part))
}

fn name<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let name = plain(lower, node);
    let (scope, pos) = (lower.at.scope, index(node.start_byte()));
    if lower.facts.text(name) == "Self" {
        let ty = lower.named(vec![name], Vec::new(), node);
        return lower.push(Expr::Type(ty));
    }
    lower.push(Expr::Name { name, scope, pos })
}

fn navigation<'t>(lower: &mut Lower<'t>, node: Node<'t>, expected: ExprId) -> ExprId {
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

fn prefix<'t>(lower: &mut Lower<'t>, node: Node<'t>, expected: ExprId) -> ExprId {
    let Some(target) = lower.in_field(node, "target") else { return ExprId::UNKNOWN };
    let operation = lower.in_field(node, "operation").map_or("", |part| lower.text(part));
    match operation {
        "." => {
            let name = plain(lower, target);
            let object = if expected.is_known() { expected } else { lower.push(Expr::Unknown) };
            lower.push(Expr::Member { object, name })
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

fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>, expected: ExprId) -> ExprId {
    let Some(mut callee_node) = node.named_child(0) else { return ExprId::UNKNOWN };
    let suffix = find(node, "call_suffix");
    // `!a.b()` is read as a call of `!a.b`, and `a + b.c()` as one of `a + b.c`.
    loop {
        let part = |field| callee_node.field(field);
        callee_node = match (part("operation"), part("target"), part("lhs"), part("rhs")) {
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
    let callee = match callee_node.kind() {
        // `[Element]()` and `[Key: Value]()` make an empty container.
        "dictionary_literal" => return ExprId::UNKNOWN,
        "array_literal" => {
            let items = lower.values(callee_node);
            return lower.push(Expr::Array(items));
        }
        _ => lower.node(callee_node),
    };
    lower.expected = ExprId::UNKNOWN;
    if let Some(list) = arguments
        && kids(list).first().is_some_and(|a| lower.in_field(*a, "reference_specifier").is_some())
    {
        // `name(label:)` names a function without calling it.
        return callee;
    }
    let row = callee_node.end_position().row;
    with_arguments(lower, RefKind::Call, callee, suffix, row)
}

fn construction<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(ty_node) = lower.in_field(node, "constructed_type") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let ty = lower.annotation(ty_node);
    let callee = lower.push(Expr::Type(ty));
    let row = ty_node.end_position().row;
    with_arguments(lower, RefKind::Call, callee, find(node, "constructor_suffix"), row)
}

/// Records a call with the arguments and closures in `suffix`.
fn with_arguments<'t>(
    lower: &mut Lower<'t>,
    kind: RefKind,
    callee: ExprId,
    suffix: Option<Node<'t>>,
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
        lower.facts.labels.insert(callee, Labels { call, names: labels });
    }
    if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
        *args = values;
    }
    call
}

fn argument_value<'t>(lower: &mut Lower<'t>, node: Node<'t>, call: ExprId, place: usize) -> ExprId {
    let place_16 = u16::try_from(place).unwrap_or(u16::MAX);
    lower.expected = lower.push(Expr::ExpectedBy(call, place_16));
    let value = lower.argument(node, call, place);
    lower.expected = ExprId::UNKNOWN;
    value
}

fn assignment<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let target = lower.in_field(node, "target").and_then(|target| target.named_child(0));
    let left = target.map_or(ExprId::UNKNOWN, |target| lower.node(target));
    let Some(right) = lower.in_field(node, "result") else { return };
    lower.expected = class_of(lower, left);
    let value = lower.node(right);
    lower.expected = ExprId::UNKNOWN;
    if matches!(lower.facts.expr(value), Expr::Name { .. } | Expr::Member { .. }) {
        lower.resolve_expr(RefKind::Value, value, 0, right.start_position().row);
    }
}

/// `return`, `throw`, `break` …
fn transfer<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    if node.child(0).is_none_or(|word| word.kind() != "return") {
        lower.children(node);
        return;
    }
    if let Body::Def(id) = lower.at.body {
        let ty = lower.facts.def(id).ty;
        lower.expected = expected(lower, ty);
    }
    let value = lower.child(node, "result");
    lower.expected = ExprId::UNKNOWN;
    if value.is_known() {
        match lower.at.body {
            Body::Def(id) => lower.def_mut(id).returns.push(value),
            Body::Lambda(id) => lower.facts.lambdas[id.index()].returns.push(value),
            Body::File => {}
        }
    }
}
