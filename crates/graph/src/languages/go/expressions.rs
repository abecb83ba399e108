//! Go's calls, conversions, composite literals and index expressions.

use crate::{
    facts::{Expr, ExprId, FieldSelector, RefKind, TypeExpr, TypeId},
    lowering::{Lower, Parts, Slot, kids},
    syntax::Node,
};

pub(crate) fn conversion<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
    if let Some(value) = lower.in_field(node, "operand") {
        lower.node(value);
    }
    // `f[T](x)` reads the same whether `f` is a type or a function.
    let callee = lower.push(Expr::Type(ty));
    lower.resolve_expr(RefKind::Call, callee, 1, node.start_position().row);
    lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() })
}

pub(crate) fn composite_literal<'t>(lower: &mut Lower<'t>, parts: &Parts<'t>) -> ExprId {
    let ty = parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    if let Some(body) = parts.get(Slot::Body) {
        elements(lower, body, ty);
    }
    lower.push(Expr::Typed(ty))
}

pub(crate) fn index_expression<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let (Some(object), Some(at)) = (lower.in_field(node, "operand"), lower.in_field(node, "index"))
    else {
        return ExprId::UNKNOWN;
    };
    let object = lower.node(object);
    lower.node(at);
    lower.push(Expr::Index(object))
}

pub(crate) fn type_instantiation<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    lower.in_field(node, "type").map_or(ExprId::UNKNOWN, |ty| {
        let ty = lower.ty(ty);
        lower.push(Expr::Type(ty))
    })
}

pub(crate) fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
    if let (Some(callee), Some(args)) = (parts.get(Slot::Object), parts.get(Slot::Args))
        && lower.kind(callee) == "identifier"
    {
        match (lower.text(callee), args.named_child(0)) {
            ("new" | "make", Some(first)) => {
                let ty = lower.annotation(first);
                for rest in kids(args).into_iter().skip(1) {
                    lower.node(rest);
                }
                return lower.push(Expr::Typed(ty));
            }
            ("append", Some(_)) => {
                let values = lower.values(args);
                let Some((list, rest)) = values.split_first() else { return ExprId::UNKNOWN };
                for (value, node) in rest.iter().zip(kids(args).into_iter().skip(1)) {
                    if matches!(lower.facts.expr(*value), Expr::Name { .. } | Expr::Member { .. }) {
                        lower.resolve_expr(RefKind::Value, *value, 0, node.start_position().row);
                    }
                    lower.write_field(*list, *value);
                }
                return *list;
            }
            _ => {}
        }
    }
    lower.call(node, parts, RefKind::Call)
}

pub(crate) fn elements<'t>(lower: &mut Lower<'t>, body: Node<'t>, ty: TypeId) {
    for child in kids(body) {
        let (key, value) = match lower.kind(child) {
            "keyed_element" => (lower.in_field(child, "key"), lower.in_field(child, "value")),
            _ => (None, Some(child)),
        };
        if let Some(key) = key.and_then(|key| key.named_child(0))
            && lower.kind(key) != "identifier"
        {
            lower.node(key);
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
                _ => TypeId::UNKNOWN,
            };
            elements(lower, value, element);
            continue;
        }
        let lowered = lower.node(value);
        if matches!(lower.facts.expr(lowered), Expr::Name { .. } | Expr::Member { .. }) {
            lower.resolve_expr(RefKind::Value, lowered, 0, value.start_position().row);
            if let Some(key) = key {
                let field = lower.sym_of(key);
                lower.set_field(ty, FieldSelector::Named(field), lowered);
            }
        } else if let (Some(key), Expr::Lambda(_)) = (key, lower.facts.expr(lowered)) {
            let field = lower.sym_of(key);
            lower.set_field(ty, FieldSelector::Named(field), lowered);
        }
    }
}
