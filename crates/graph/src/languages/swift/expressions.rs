//! Swift's literals, operators, casts and member chains.

use crate::{
    facts::{Expr, ExprId},
    languages::swift::{class_of, plain},
    lowering::{LoweringContext, index, kids},
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
