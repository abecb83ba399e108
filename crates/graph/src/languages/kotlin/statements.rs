//! Kotlin's `for`, `if`, `when` and `catch`.

use crate::{
    facts::{Expr, ExprId},
    languages::kotlin::declarations::{declared_behind, declared_names},
    lowering::{LoweringContext, find, index, kids},
    syntax::SyntaxNode,
};

pub(crate) fn for_loop<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        let parts = kids(node);
        let declared = parts.iter().position(|c| lower.kind(*c).ends_with("variable_declaration"));
        let value = declared
            .and_then(|at| parts.get(at + 1))
            .map_or(ExprId::UNKNOWN, |value| lower.node(*value));
        let item = lower.push(Expr::Elem(value));
        if let Some(at) = declared {
            declared_names(lower, parts[at], item);
            for rest in parts.into_iter().skip(at + 2) {
                lower.node(rest);
            }
        }
    });
}

pub(crate) fn if_expression<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let condition = lower.in_field(node, "condition").or(node.named_child(0));
    if let Some(condition) = condition {
        lower.node(condition);
    }
    let mut values = Vec::new();
    for (place, child) in kids(node).into_iter().filter(|c| Some(*c) != condition).enumerate() {
        values.push(lower.in_block(|lower| {
            if let (0, Some(condition)) = (place, condition) {
                lower.dialect.narrow(lower, condition);
            }
            lower.node(child)
        }));
    }
    lower.push(Expr::Either(values))
}

pub(crate) fn catch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        let parts = kids(node);
        if let (Some(name), Some(ty)) = (
            parts.iter().find(|c| lower.kind(**c) == "identifier"),
            parts.iter().find(|c| lower.kind(**c).ends_with("_type")),
        ) {
            let ty = lower.annotation(*ty);
            lower.bind_local(*name, ty, ExprId::UNKNOWN);
        }
        if let Some(block) = find(node, "block") {
            lower.node(block);
        }
    });
}

pub(crate) fn when<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    lower.in_block(|lower| {
        let mut subject_name = None;
        let mut values = Vec::new();
        for child in kids(node) {
            match lower.kind(child) {
                "when_subject" => {
                    let parts = kids(child);
                    if let [declaration, value] = parts.as_slice()
                        && lower.kind(*declaration) == "variable_declaration"
                    {
                        let value = lower.node(*value);
                        declared_behind(lower, *declaration, value, child);
                        subject_name = declaration.named_child(0);
                    } else if let Some(subject) = parts.first() {
                        lower.node(*subject);
                        subject_name = Some(*subject)
                            .filter(|s| matches!(s.kind(), "identifier" | "this_expression"));
                    }
                }
                "when_entry" => values.push(lower.in_block(|lower| {
                    let parts = kids(child);
                    let mut value = ExprId::UNKNOWN;
                    for part in parts {
                        if lower.kind(part) == "type_test" {
                            let ty = lower.only_child_type(part);
                            if subject_name.is_some_and(|s| s.kind() == "this_expression") {
                                lower.at.this = ty;
                            } else if let Some(subject) = subject_name {
                                lower.bind_local(subject, ty, ExprId::UNKNOWN);
                                let from = index(part.end_byte());
                                if let Some(last) = lower.facts.bindings.last_mut() {
                                    last.from = from;
                                }
                            }
                        } else {
                            value = lower.node(part);
                        }
                    }
                    value
                })),
                _ => {
                    lower.node(child);
                }
            }
        }
        lower.push(Expr::Either(values))
    })
}
