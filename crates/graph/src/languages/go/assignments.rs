//! Go's assignments, and variables that are declared by `:=`.

use crate::{
    facts::{Expr, ExprId, TypeId},
    lowering::{LoweringContext, Role, Slot, SyntaxNodeFields, index, kids},
    syntax::SyntaxNode,
};

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
