//! Ruby's branches and sequences: the values they give, and what a condition says of a local variable's class.

use crate::{
    facts::{BindingTarget, Expr, ExprId, TypeExpr, TypeId},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

pub(crate) fn branch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let condition = lower.in_field(node, "condition");
    if let Some(condition) = condition {
        lower.node(condition);
    }
    let shown = condition.and_then(|condition| proved(lower, condition));
    let mut values = Vec::new();
    let first = lower.facts.bindings.len();
    let mut rest = kids(node);
    rest.retain(|child| Some(*child) != condition);
    for (place, child) in rest.iter().copied().enumerate() {
        values.push(match shown {
            Some((name, class)) if place == 0 => lower.in_block(|lower| {
                let ty = lower.ty(class);
                let sym = lower.sym_of(name);
                lower.bind(sym, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
                lower.node(child)
            }),
            _ => lower.node(child),
        });
    }
    join(lower, node, first, &rest);
    lower.push(Expr::Either(values))
}

/// Joins what branches assign to local variables.
pub(crate) fn join<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    first: usize,
    branches: &[SyntaxNode<'t>],
) {
    lower.join_branches(node, first, branches, |branch| {
        let last = kids(branch).pop().unwrap_or(branch);
        matches!(last.kind(), "return" | "break" | "next" | "redo")
    });
}

/// Returns what a condition proves of a local variable: its name and class.
fn proved<'t>(
    lower: &LoweringContext<'t>,
    condition: SyntaxNode<'t>,
) -> Option<(SyntaxNode<'t>, SyntaxNode<'t>)> {
    let mut condition = condition;
    while lower.kind(condition) == "parenthesized_statements"
        || lower.kind(condition) == "binary"
            && condition.field("operator").is_some_and(|o| matches!(o.kind(), "&&" | "and"))
    {
        condition = lower.in_field(condition, "left").or(condition.named_child(0))?;
    }
    let (name, test) =
        (lower.in_field(condition, "receiver")?, lower.in_field(condition, "method")?);
    let class = lower.in_field(condition, "arguments")?.named_child(0)?;
    let fits = lower.kind(name) == "identifier"
        && matches!(lower.text(test), "is_a?" | "kind_of?" | "instance_of?")
        && matches!(class.kind(), "constant" | "scope_resolution");
    fits.then_some((name, class))
}

pub(crate) fn case<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let subject = lower.in_field(node, "value");
    if let Some(subject) = subject {
        lower.node(subject);
    }
    let name = subject.filter(|subject| subject.kind() == "identifier");
    let mut values = Vec::new();
    for child in kids(node).into_iter().filter(|c| Some(*c) != subject) {
        if lower.kind(child) != "when" {
            values.push(lower.node(child));
            continue;
        }
        let mut types = Vec::new();
        for pattern in kids(child).into_iter().filter(|c| c.kind() == "pattern") {
            match pattern.named_child(0) {
                Some(class) if matches!(class.kind(), "constant" | "scope_resolution") => {
                    types.push(lower.annotation(class));
                }
                _ => lower.children(pattern),
            }
        }
        values.push(lower.in_block(|lower| {
            if let (Some(name), false) = (name, types.is_empty()) {
                let ty = lower.push_type(TypeExpr::Union(types));
                let sym = lower.sym_of(name);
                lower.bind(sym, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
            }
            lower.child(child, "body")
        }));
    }
    lower.push(Expr::Either(values))
}

/// The value of the last statement, or of what rescues it.
pub(crate) fn sequence<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let mut values = vec![ExprId::UNKNOWN];
    for child in node.named_children() {
        let value = lower.node(child);
        match lower.kind(child) {
            "rescue" | "else" => values.push(value),
            _ if child.is_extra() || lower.kind(child) == "ensure" => {}
            _ => values[0] = value,
        }
    }
    if values.len() == 1 { values[0] } else { lower.push(Expr::Either(values)) }
}

pub(crate) fn rescue<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let mut types = Vec::new();
    for class in lower.in_field(node, "exceptions").map(kids).unwrap_or_default() {
        if matches!(class.kind(), "constant" | "scope_resolution") {
            types.push(lower.annotation(class));
        }
    }
    let ty = match types.as_slice() {
        [] => TypeId::UNKNOWN,
        _ => lower.push_type(TypeExpr::Union(types)),
    };
    if let Some(name) = lower.in_field(node, "variable").and_then(|v| v.named_child(0))
        && lower.kind(name) == "identifier"
    {
        lower.bind_local(name, ty, ExprId::UNKNOWN);
    }
    lower.child(node, "body")
}
