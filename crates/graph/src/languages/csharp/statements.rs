//! C#'s statements and queries that bind names.

use crate::{
    facts::{Expr, ExprId, TypeId},
    languages::csharp::{declared, last, part},
    lowering::{LoweringContext, ReturnTarget, kids},
    syntax::SyntaxNode,
};

/// `out var x`: the call that it is an argument of says what the variable is.
pub(crate) fn argument_variable<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let value = lower.push(Expr::SetBy(ExprId::UNKNOWN, 0));
    if let Some(name) = lower.in_field(node, "name") {
        lower.bind_local(name, ty, value);
    }
    value
}

/// A pattern that declares a variable.
pub(crate) fn pattern_variable<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    declared(lower, node);
    for child in kids(node) {
        if !matches!(lower.kind(child), "identifier" | "generic_name" | "qualified_name") {
            lower.node(child);
        }
    }
}

pub(crate) fn catch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        for child in kids(node) {
            if lower.kind(child) == "catch_declaration" {
                declared(lower, child);
            } else {
                lower.node(child);
            }
        }
    });
}

pub(crate) fn return_statement<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let value = last(lower, node);
    lower.hand_on(value, node);
    if let (ReturnTarget::Lambda(id), true) = (lower.at.body, value.is_known()) {
        lower.facts.lambdas[id.index()].returns.push(value);
    }
}

pub(crate) fn switch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let mut values = Vec::new();
    for child in kids(node) {
        if lower.kind(child) == "switch_expression_arm" {
            values.push(lower.in_block(|lower| lower.last_child(child)));
        } else {
            lower.node(child);
        }
    }
    lower.push(Expr::Either(values))
}

pub(crate) fn foreach<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        let list = part(lower, node, "right");
        let item = lower.push(Expr::Elem(list));
        let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        if let Some(name) = lower.in_field(node, "left") {
            lower.local_pattern(name, ty, item);
        }
        part(lower, node, "body");
    });
}

pub(crate) fn query<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    lower.in_block(|lower| {
        let mut chosen = ExprId::UNKNOWN;
        for clause in kids(node) {
            match (lower.kind(clause), kids(clause).as_slice()) {
                ("from_clause", [.., list]) => {
                    let list = lower.node(*list);
                    let item = lower.push(Expr::Elem(list));
                    let ty = lower.in_field(clause, "type");
                    let ty = ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                    if let Some(name) = lower.in_field(clause, "name") {
                        lower.bind_local(name, ty, item);
                    }
                }
                ("join_clause", [name, list, rest @ ..]) => {
                    let list = lower.node(*list);
                    let item = lower.push(Expr::Elem(list));
                    lower.bind_local(*name, TypeId::UNKNOWN, item);
                    for child in rest {
                        lower.node(*child);
                    }
                }
                ("let_clause", [name, given]) => {
                    let given = lower.node(*given);
                    lower.bind_local(*name, TypeId::UNKNOWN, given);
                }
                ("select_clause", [given]) => chosen = lower.node(*given),
                _ => lower.children(clause),
            }
        }
        lower.push(Expr::Array(vec![chosen]))
    })
}
