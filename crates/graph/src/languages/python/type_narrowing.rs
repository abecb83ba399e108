//! What Python's conditions prove: `isinstance` narrows a name inside a branch.

use crate::{
    facts::{BindingTarget, ExprId, Sym, TypeId},
    languages::python::expressions::instance_of,
    lowering::{LoweringContext, index},
    syntax::SyntaxNode,
};

/// Visits a branch; what its condition proves holds inside.
pub(crate) fn branch<'t>(
    lower: &mut LoweringContext<'t>,
    condition: Option<SyntaxNode<'t>>,
    body: Option<SyntaxNode<'t>>,
) {
    let Some(body) = body else { return };
    let proofs = condition.map(|condition| proofs(lower, condition)).unwrap_or_default();
    if proofs.is_empty() {
        lower.node(body);
        return;
    }
    let from = index(body.start_byte());
    for (name, value) in &proofs {
        lower.bind(*name, from, BindingTarget::Local { ty: TypeId::UNKNOWN, value: *value });
    }
    lower.node(body);
    // Behind the branch the name is again what it was.
    let end = index(body.end_byte());
    let scope = lower.at.scope;
    for (name, _) in proofs {
        let before = lower
            .facts
            .bindings
            .iter()
            .rev()
            .find(|b| b.scope == scope && b.name == name && b.from < from)
            .map(|b| b.what);
        if let Some(what) = before {
            lower.bind(name, end, what);
        }
    }
}

/// Returns the names that a condition narrows, each with its value inside the branch.
fn proofs<'t>(lower: &mut LoweringContext<'t>, condition: SyntaxNode<'t>) -> Vec<(Sym, ExprId)> {
    match lower.kind(condition) {
        "boolean_operator"
            if lower.in_field(condition, "operator").is_some_and(|o| o.kind() == "and") =>
        {
            let mut found = Vec::new();
            for side in ["left", "right"] {
                if let Some(side) = condition.field(side) {
                    found.extend(proofs(lower, side));
                }
            }
            found
        }
        "parenthesized_expression" => {
            condition.named_child(0).map(|inner| proofs(lower, inner)).unwrap_or_default()
        }
        "call" => {
            let (Some(function), Some(args)) =
                (lower.in_field(condition, "function"), lower.in_field(condition, "arguments"))
            else {
                return Vec::new();
            };
            let (Some(subject), Some(class)) = (args.named_child(0), args.named_child(1)) else {
                return Vec::new();
            };
            if lower.text(function) != "isinstance" || subject.kind() != "identifier" {
                return Vec::new();
            }
            let class = lower.node(class);
            let value = instance_of(lower, class);
            vec![(lower.sym_of(subject), value)]
        }
        _ => Vec::new(),
    }
}
