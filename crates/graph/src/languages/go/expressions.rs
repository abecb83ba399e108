//! Go's calls, conversions, composite literals and index expressions.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, StructFieldSelector, TypeExpr, TypeId, TypeUse},
    lowering::{LoweringContext, Slot, SyntaxNodeFields, kids},
    syntax::SyntaxNode,
};

pub(crate) fn conversion<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let written = lower.in_field(node, "type");
    let ty = written.map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
    if let Some(value) = lower.in_field(node, "operand") {
        lower.node(value);
    }
    let mut callee = lower.push(Expr::Type(ty));
    let row = node.start_position().row;
    let named = written.filter(|ty| lower.kind(*ty) == "generic_type");
    match named.and_then(|ty| lower.in_field(ty, "type")) {
        // `f[T](x)` reads the same whether `f` is a type or a function.
        Some(name) => {
            let function = value_named(lower, name);
            lower.resolve_expr(ReferenceKind::Call, function, 1, row);
            callee = lower.push(Expr::Either(vec![callee, function]));
        }
        None => lower.resolve_expr(ReferenceKind::Call, callee, 1, row),
    }
    let type_args = match lower.facts.ty(ty) {
        TypeExpr::Named { args, .. } => args.clone(),
        _ => Vec::new(),
    };
    lower.push(Expr::Call { callee, args: Vec::new(), type_args })
}

/// The value that has the name of a type.
fn value_named<'t>(lower: &mut LoweringContext<'t>, ty: SyntaxNode<'t>) -> ExprId {
    match (lower.in_field(ty, "package"), lower.in_field(ty, "name")) {
        (Some(package), Some(name)) => {
            let (object, name) = (lower.name_expr(package), lower.sym_of(name));
            lower.push(Expr::Member { object, name })
        }
        _ => lower.name_expr(ty),
    }
}

pub(crate) fn composite_literal<'t>(
    lower: &mut LoweringContext<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let ty = parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |ty| lower.constructed(ty));
    if let Some(body) = parts.get(Slot::Body) {
        elements(lower, body, ty);
    }
    lower.push(Expr::Typed(ty))
}

pub(crate) fn index_expression<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let (Some(object), Some(at)) = (lower.in_field(node, "operand"), lower.in_field(node, "index"))
    else {
        return ExprId::UNKNOWN;
    };
    let object = lower.node(object);
    lower.node(at);
    lower.push(Expr::Index(object))
}

/// What is taken from a channel is an element of it; a pointer and what it points to are alike.
pub(crate) fn unary<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let value = lower.part(parts, Slot::Value);
    if lower.in_field(node, "operator").is_some_and(|sign| sign.kind() == "<-") {
        return lower.push(Expr::Elem(value));
    }
    value
}

/// A part of a list is one like it.
pub(crate) fn slice<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let whole = lower.in_field(node, "operand").map_or(ExprId::UNKNOWN, |list| lower.node(list));
    for bound in ["start", "end", "capacity"] {
        if let Some(bound) = lower.in_field(node, bound) {
            lower.node(bound);
        }
    }
    whole
}

pub(crate) fn type_instantiation<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    lower.in_field(node, "type").map_or(ExprId::UNKNOWN, |ty| {
        let ty = lower.ty(ty);
        lower.push(Expr::Type(ty))
    })
}

pub(crate) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    if let (Some(callee), Some(args)) = (parts.get(Slot::Object), parts.get(Slot::Args))
        && lower.kind(callee) == "identifier"
    {
        let builtin = lower.text(callee);
        if matches!(builtin, "append" | "make" | "new") && args.named_child(0).is_some() {
            // A function of the package may have the name.
            let target = lower.name_expr(callee);
            let row = callee.start_position().row;
            lower.resolve_expr(ReferenceKind::Call, target, args.named_child_count(), row);
        }
        match (builtin, args.named_child(0)) {
            ("new" | "make", Some(first)) => {
                let ty = match builtin {
                    "new" => lower.constructed(first),
                    _ => lower.annotation(first),
                };
                for rest in kids(args).into_iter().skip(1) {
                    lower.node(rest);
                }
                return lower.push(Expr::Typed(ty));
            }
            ("append", Some(_)) => {
                let values = lower.kept_values(args);
                let Some((list, rest)) = values.split_first() else { return ExprId::UNKNOWN };
                for value in rest {
                    lower.write_field(*list, *value);
                }
                return *list;
            }
            _ => {}
        }
    }
    let call = lower.call(node, parts, ReferenceKind::Call);
    may_be_instantiated(lower, node, call);
    call
}

/// `f[T](x)` reads the same whether `f` is a function or a list of functions.
fn may_be_instantiated<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, call: ExprId) {
    let Expr::Call { callee: item, ref args, .. } = *lower.facts.expr(call) else { return };
    let (Expr::Index(named), count) = (lower.facts.expr(item), args.len()) else { return };
    let named = *named;
    if matches!(lower.facts.expr(named), Expr::Name { .. } | Expr::Member { .. }) {
        lower.resolve_expr(ReferenceKind::Call, named, count, node.start_position().row);
        let either = lower.push(Expr::Either(vec![named, item]));
        if let Expr::Call { callee, .. } = &mut lower.facts.exprs[call.index()] {
            *callee = either;
        }
    }
}

pub(crate) fn elements<'t>(lower: &mut LoweringContext<'t>, body: SyntaxNode<'t>, ty: TypeId) {
    for child in kids(body) {
        let (key, value) = match lower.kind(child) {
            "keyed_element" => (lower.in_field(child, "key"), lower.in_field(child, "value")),
            _ => (None, Some(child)),
        };
        if let Some(key) = key.and_then(|key| key.named_child(0)) {
            if lower.kind(key) == "identifier" {
                lower.name_field(ty, key);
            } else {
                lower.node(key);
            }
        }
        let Some(value) = value.map(|value| {
            value.named_child(0).filter(|_| lower.kind(value) == "literal_element").unwrap_or(value)
        }) else {
            continue;
        };
        if lower.kind(value) == "literal_value" {
            // The type is that of the elements: `[]T{{…}}`.
            let element = match lower.facts.ty(ty) {
                TypeExpr::Array(element) => *element,
                TypeExpr::Named { path, args, .. } => match (path.as_slice(), args.as_slice()) {
                    ([name], [_, value]) if lower.facts.text(*name) == "map" => *value,
                    _ => TypeId::UNKNOWN,
                },
                _ => TypeId::UNKNOWN,
            };
            lower.type_use(TypeUse::Construction, element, value);
            elements(lower, value, element);
            continue;
        }
        let lowered = lower.kept_value(value);
        if matches!(lower.facts.expr(lowered), Expr::Name { .. } | Expr::Member { .. }) {
            if let Some(key) = key {
                let field = lower.sym_of(key);
                lower.set_field(ty, StructFieldSelector::Named(field), lowered);
            }
        } else if let (Some(key), Expr::Lambda(_)) = (key, lower.facts.expr(lowered)) {
            let field = lower.sym_of(key);
            lower.set_field(ty, StructFieldSelector::Named(field), lowered);
        }
    }
}
