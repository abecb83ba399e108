//! What PHP's conditions prove: `instanceof` in a condition binds a variable for the branch behind it.

use crate::{
    facts::{BindingTarget, Expr, ExprId, ScopeKind, TypeExpr},
    languages::php::{class_names::class_type, expressions::scope_value},
    lowering::{Branches, LoweringContext, MAX_BRANCHES, index, kids},
    syntax::SyntaxNode,
};

/// Parts of a condition inside one another that are looked at.
const MAX_CONDITION: u32 = 20;

pub(crate) fn binary<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let operator = lower.in_field(node, "operator").map_or("", |operator| operator.kind());
    let left = lower.child(node, "left");
    let Some(right) = lower.in_field(node, "right") else { return ExprId::UNKNOWN };
    match operator {
        "instanceof" => {
            scope_value(lower, right);
            ExprId::UNKNOWN
        }
        "&&" | "and" => {
            lower.in_block(|lower| {
                if let Some(left) = lower.in_field(node, "left") {
                    narrow(lower, left, 0);
                }
                lower.node(right);
            });
            ExprId::UNKNOWN
        }
        "??" => {
            let right = lower.node(right);
            lower.push(Expr::Either(vec![left, right]))
        }
        _ => {
            lower.node(right);
            ExprId::UNKNOWN
        }
    }
}

/// Binds the variables that a condition proves to be of a class; whether there are any.
pub(crate) fn narrow<'t>(
    lower: &mut LoweringContext<'t>,
    condition: SyntaxNode<'t>,
    depth: u32,
) -> bool {
    if depth > MAX_CONDITION {
        return false;
    }
    let operator = lower.in_field(condition, "operator").map_or("", |word| word.kind());
    let sides = (lower.in_field(condition, "left"), lower.in_field(condition, "right"));
    match (lower.kind(condition), operator, sides) {
        ("parenthesized_expression", ..) => {
            condition.named_child(0).is_some_and(|inner| narrow(lower, inner, depth + 1))
        }
        ("binary_expression", "&&" | "and", (Some(left), Some(right))) => {
            let first = narrow(lower, left, depth + 1);
            narrow(lower, right, depth + 1) || first
        }
        ("binary_expression", "instanceof", (Some(left), Some(right)))
            if lower.kind(left) == "variable_name"
                && matches!(lower.kind(right), "name" | "qualified_name") =>
        {
            let was = lower.name_expr(left);
            let ty = class_type(lower, right);
            let proved = lower.push(Expr::Typed(ty));
            let both = lower.push(Expr::Both(was, proved));
            let ty = lower.push_type(TypeExpr::TypeOf(both));
            let (sym, from) = (lower.sym_of(left), index(right.end_byte()));
            lower.bind(sym, from, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
            true
        }
        _ => false,
    }
}

/// `condition ? one : other`
pub(crate) fn choice<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let condition = lower.child(node, "condition");
    let one = match lower.in_field(node, "body") {
        Some(body) => lower.in_block(|lower| {
            if let Some(condition) = lower.in_field(node, "condition") {
                narrow(lower, condition, 0);
            }
            lower.node(body)
        }),
        None => condition,
    };
    let other = lower.child(node, "alternative");
    lower.push(Expr::Either(vec![one, other]))
}

pub(crate) fn conditional<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let mut bodies = Vec::new();
    let mut first = None;
    let parts = parts(node);
    let is_exhaustive = parts.last().is_some_and(|last| last.kind() == "else_clause");
    for part in parts {
        if part.kind() == "else_clause" {
            lower.children(part);
        } else {
            lower.child(part, "condition");
            // What the condition assigns holds in each branch.
            first.get_or_insert(lower.facts.bindings.len());
            branch(lower, part);
            lower.unread_children(part);
        }
        bodies.extend(part.field("body"));
    }
    let first = first.unwrap_or(lower.facts.bindings.len());
    let branches = Branches { statement: node, bodies, first, is_exhaustive };
    lower.join_branches(&branches, leaves);
}

/// Returns what of a conditional has a body of its own: itself and its alternatives, also those of `else if`.
fn parts(node: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    let mut parts = vec![node];
    let mut next = Some(node);
    while let Some(node) = next.take() {
        for other in node.fields("alternative") {
            let inner = (other.kind() == "else_clause" && parts.len() < MAX_BRANCHES)
                .then(|| other.field("body"))
                .flatten()
                .filter(|body| body.kind() == "if_statement");
            parts.push(inner.unwrap_or(other));
            next = inner;
        }
    }
    parts
}

/// The body behind a condition, in a scope with what it proves.
fn branch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let (condition, body) = (lower.in_field(node, "condition"), lower.in_field(node, "body"));
    let (Some(condition), Some(body)) = (condition, body) else { return };
    let outer = lower.at;
    // A scope only where there is something to narrow: PHP's variables are the function's.
    let scopes = lower.facts.scopes.len();
    let bindings = lower.facts.bindings.len();
    lower.at.scope = lower.push_scope(ScopeKind::Block, outer.owner);
    if !narrow(lower, condition, 0) {
        lower.at = outer;
        lower.facts.scopes.truncate(scopes);
        lower.facts.bindings.truncate(bindings);
    }
    lower.node(body);
    lower.at = outer;
    if leaves(body)
        && let Some(inner) = condition.named_child(0)
        && lower.kind(inner) == "unary_op_expression"
        && let Some(proved) = lower.in_field(inner, "argument")
        && lower.text(inner).starts_with('!')
    {
        let bindings = lower.facts.bindings.len();
        narrow(lower, proved, 0);
        for binding in &mut lower.facts.bindings[bindings..] {
            binding.from = index(body.end_byte());
        }
    }
}

/// Whether nothing behind a block runs after it.
pub(crate) fn leaves(body: SyntaxNode<'_>) -> bool {
    let last = kids(body).last().copied().unwrap_or(body);
    let last = if last.kind() == "expression_statement" {
        last.named_child(0).unwrap_or(last)
    } else {
        last
    };
    matches!(
        last.kind(),
        "return_statement"
            | "throw_expression"
            | "continue_statement"
            | "break_statement"
            | "exit_statement"
    )
}
