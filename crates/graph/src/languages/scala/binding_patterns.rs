//! Scala's `match` and the names that patterns bind.

use crate::{
    facts::{Expr, ExprId, TypeId},
    languages::scala::expressions::{close_lambda, lambda_param, open_lambda},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

/// `{ case … => … }` as a function of one parameter.
pub(super) fn matching<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let (id, outer) = open_lambda(lower, node);
    let hidden = lower.sym("\u{0}0");
    lambda_param(lower, id, hidden, TypeId::UNKNOWN);
    let scope = lower.at.scope;
    let subject = lower.push(Expr::Name { name: hidden, scope, pos: 0 });
    let value = cases(lower, node, subject);
    close_lambda(lower, id, outer, value)
}

pub(super) fn cases<'t>(
    lower: &mut LoweringContext<'t>,
    block: SyntaxNode<'t>,
    subject: ExprId,
) -> ExprId {
    let clauses = kids(block).into_iter().filter(|child| child.kind() == "case_clause");
    let values = clauses.map(|clause| case(lower, clause, subject)).collect();
    lower.push(Expr::Either(values))
}

pub(super) fn case<'t>(
    lower: &mut LoweringContext<'t>,
    clause: SyntaxNode<'t>,
    subject: ExprId,
) -> ExprId {
    lower.in_block(|lower| {
        let head = lower.in_field(clause, "pattern");
        if let Some(head) = head {
            pattern(lower, head, subject);
        }
        let mut value = ExprId::UNKNOWN;
        for part in kids(clause).into_iter().filter(|part| Some(*part) != head) {
            value = lower.node(part);
        }
        value
    })
}

pub(crate) fn pattern<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, subject: ExprId) {
    match lower.kind(node) {
        "identifier" if !lower.text(node).starts_with(char::is_uppercase) => {
            lower.bind_local(node, TypeId::UNKNOWN, subject);
        }
        "identifier" => {
            lower.name_expr(node);
        }
        "stable_identifier" => {
            stable(lower, node);
        }
        "typed_pattern" => {
            let ty = lower.in_field(node, "type").map(|ty| lower.annotation(ty));
            let ty = ty.unwrap_or_default();
            let inner = lower.in_field(node, "pattern");
            if let Some(name) = inner.filter(|inner| lower.kind(*inner) == "identifier") {
                lower.bind_local(name, ty, ExprId::UNKNOWN);
            }
        }
        "tuple_pattern" => {
            for (place, part) in kids(node).into_iter().enumerate() {
                let place = u16::try_from(place).unwrap_or(u16::MAX);
                let item = lower.push(Expr::Item(subject, place));
                pattern(lower, part, item);
            }
        }
        "case_class_pattern" => {
            let ty = lower.in_field(node, "type");
            let wrapper = ty.is_some_and(|ty| matches!(lower.text(ty), "Some" | "Success"));
            if let Some(ty) = ty {
                lower.annotation(ty);
            }
            let value = if wrapper { lower.push(Expr::Unwrap(subject)) } else { ExprId::UNKNOWN };
            for part in kids(node).into_iter().filter(|part| Some(*part) != ty) {
                pattern(lower, part, value);
            }
        }
        "capture_pattern" => {
            let parts = kids(node);
            if let [name, inner] = parts.as_slice() {
                let value = match lower.kind(*inner) {
                    "case_class_pattern" | "typed_pattern" => {
                        let ty = lower.in_field(*inner, "type").map(|ty| lower.ty(ty));
                        lower.push(Expr::Typed(ty.unwrap_or_default()))
                    }
                    _ => subject,
                };
                lower.bind_local(*name, TypeId::UNKNOWN, value);
                pattern(lower, *inner, subject);
            }
        }
        "alternative_pattern" | "infix_pattern" => {
            for part in kids(node) {
                pattern(lower, part, ExprId::UNKNOWN);
            }
        }
        _ => {}
    }
}

/// `A.B.Case`: a value that is compared.
fn stable<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    match kids(node).as_slice() {
        [object, name] => {
            let object = stable(lower, *object);
            let name = lower.sym_of(*name);
            lower.push(Expr::Member { object, name })
        }
        _ => lower.name_expr(node),
    }
}
