//! Go's loops over ranges, and type switches.

use crate::{
    facts::{Expr, ExprId, TypeId},
    lowering::{LoweringContext, kids},
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
