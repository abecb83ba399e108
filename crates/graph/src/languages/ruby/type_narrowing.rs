//! Ruby's branches and sequences: the values they give, and what a condition says of a local variable's class.

use crate::{
    facts::{BindingTarget, Expr, ExprId, TypeExpr, TypeId},
    lowering::{Branches, LoweringContext, MAX_BRANCHES, kids},
    syntax::SyntaxNode,
};

/// `if` with its `elsif`s, and `unless`.
pub(crate) fn branch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let (mut values, mut bodies) = (Vec::new(), Vec::new());
    let (mut first, mut conditions) = (None, 0);
    let mut next = Some(node);
    while let Some(part) = next.take() {
        let condition = lower.in_field(part, "condition");
        if let Some(condition) = condition {
            lower.node(condition);
        }
        conditions += 1;
        // What the condition assigns holds in each branch.
        first.get_or_insert(lower.facts.bindings.len());
        let is_negated = lower.kind(part).starts_with("unless");
        let mut shown =
            condition.filter(|_| !is_negated).and_then(|condition| proved(lower, condition));
        for body in kids(part).into_iter().filter(|child| Some(*child) != condition) {
            if lower.kind(body) == "elsif" && bodies.len() < MAX_BRANCHES {
                next = Some(body);
                break;
            }
            bodies.push(body);
            values.push(match shown.take().filter(|_| body.kind() != "else") {
                Some((name, class)) => lower.in_block(|lower| {
                    let ty = lower.ty(class);
                    let sym = lower.sym_of(name);
                    lower.bind(sym, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
                    lower.node(body)
                }),
                None => lower.node(body),
            });
        }
        lower.unread_children(part);
    }
    let first = first.unwrap_or(lower.facts.bindings.len());
    let is_exhaustive =
        bodies.len() > conditions && bodies.last().is_some_and(|last| last.kind() == "else");
    lower.join_branches(&Branches { statement: node, bodies, first, is_exhaustive }, leaves);
    lower.push(Expr::Either(values))
}

/// Whether nothing behind a branch runs after it.
fn leaves(branch: SyntaxNode<'_>) -> bool {
    let is_list = matches!(branch.kind(), "then" | "else");
    let last = kids(branch).pop().filter(|_| is_list).unwrap_or(branch);
    let name = match last.kind() {
        "identifier" => Some(last),
        "call" if last.field("receiver").is_none() => last.field("method"),
        _ => None,
    };
    matches!(last.kind(), "return" | "break" | "next" | "redo" | "retry")
        || name.is_some_and(|name| {
            matches!(name.text(), "raise" | "fail" | "throw" | "exit" | "abort")
        })
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
