//! Go's statements: assignments, `:=` included, loops over ranges, and type switches.

use crate::{
    facts::{Expr, ExprId, TypeId},
    lowering::{LoweringContext, Role, Slot, SyntaxNodeFields, index, kids},
    syntax::SyntaxNode,
};

pub(crate) fn range<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let value = node.field("right").map_or(ExprId::UNKNOWN, |right| lower.node(right));
    let names = lower.in_field(node, "left").map(kids).unwrap_or_default();
    // The first is a place or a key, the second what stands there; a channel gives only values.
    for (place, name) in names.into_iter().enumerate() {
        let item = if place == 1 { Expr::Index(value) } else { Expr::Key(value) };
        let item = lower.push(item);
        lower.local_pattern(name, TypeId::UNKNOWN, item);
    }
}

pub(crate) fn type_switch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        let alias = lower.in_field(node, "alias").and_then(|list| list.named_child(0));
        let value = lower.in_field(node, "value");
        let subject = value.map_or(ExprId::UNKNOWN, |value| lower.node(value));
        if let Some(initializer) = lower.in_field(node, "initializer") {
            lower.node(initializer);
        }
        for case in kids(node) {
            if !matches!(case.kind(), "type_case" | "default_case") {
                continue;
            }
            let types: Vec<SyntaxNode<'t>> = case.fields("type").collect();
            lower.in_block(|lower| {
                let lowered: Vec<TypeId> = types.iter().map(|ty| lower.annotation(*ty)).collect();
                if let Some(alias) = alias {
                    match lowered.as_slice() {
                        [one] => lower.bind_local(alias, *one, ExprId::UNKNOWN),
                        _ => lower.bind_local(alias, TypeId::UNKNOWN, subject),
                    }
                }
                for child in kids(case) {
                    if !types.contains(&child) {
                        lower.node(child);
                    }
                }
            });
        }
    });
}

/// `a, b := …`.
pub(crate) fn short_variables<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let names = parts.get(Slot::Name).map(kids).unwrap_or_default();
    let values = parts.get(Slot::Value).map(kids).unwrap_or_default();
    let values = values.into_iter().map(|value| lower.kept_value(value)).collect::<Vec<_>>();
    bind_all(lower, &names, TypeId::UNKNOWN, &values, node);
}

/// `case v, ok := <-c:`
pub(crate) fn receive<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let value = parts.get(Slot::Value).map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
    let names = parts.get(Slot::Name).map(kids).unwrap_or_default();
    if node.children().any(|child| child.kind() == ":=") {
        bind_all(lower, &names, TypeId::UNKNOWN, &[value], node);
        return;
    }
    for (place, name) in names.into_iter().enumerate() {
        let target = lower.node(name);
        if place == 0 {
            lower.set_member(target, value);
            lower.write_field(target, value);
        }
    }
}

pub(crate) fn assignment<'t>(lower: &mut LoweringContext<'t>, parts: &SyntaxNodeFields<'t>) {
    let names = parts.get(Slot::Name).map(kids).unwrap_or_default();
    let values = parts.get(Slot::Value).map(kids).unwrap_or_default();
    let targets: Vec<ExprId> = names.into_iter().map(|name| lower.node(name)).collect();
    for (place, node) in values.into_iter().enumerate() {
        let value = lower.kept_value(node);
        if let Some(target) = targets.get(place) {
            lower.set_member(*target, value);
            lower.write_field(*target, value);
        }
    }
}

/// Binds names to values: one each, or the parts of one call.
pub(crate) fn bind_all<'t>(
    lower: &mut LoweringContext<'t>,
    names: &[SyntaxNode<'t>],
    ty: TypeId,
    values: &[ExprId],
    node: SyntaxNode<'t>,
) {
    let first = lower.facts.bindings.len();
    for (place, name) in names.iter().enumerate() {
        let bound = match values {
            [one] if names.len() > 1 => match lower.facts.expr(*one) {
                Expr::Call { .. } => {
                    lower.push(Expr::Item(*one, u16::try_from(place).unwrap_or(u16::MAX)))
                }
                // `v, ok := x.(T)`, `v, ok := m[k]`, `v, ok := <-c`
                _ if place == 0 => *one,
                _ => ExprId::UNKNOWN,
            },
            values => values.get(place).copied().unwrap_or(ExprId::UNKNOWN),
        };
        if lower.table.role(*name) == Role::Ident {
            lower.bind_local(*name, ty, bound);
        }
    }
    for binding in &mut lower.facts.bindings[first..] {
        binding.from = index(node.end_byte());
    }
}
