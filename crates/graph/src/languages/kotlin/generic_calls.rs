//! Calls with one type and one argument, `f<T>(x)`, which the grammar reads as two comparisons: `(f < T) > (x)`. Operators that bind
//! more tightly take the callee with them: `a ?: f<T>(x)` is `((a ?: f) < T) > (x)`.

use crate::{
    facts::{Expr, ExprId, ReferenceKind},
    lowering::{LoweringContext, kids},
    syntax::SyntaxNode,
};

/// What may take the callee with it.
const OPERATIONS: [&str; 3] = ["binary_expression", "infix_expression", "range_expression"];

pub(super) struct GenericCall<'t> {
    callee: SyntaxNode<'t>,
    ty: SyntaxNode<'t>,
    argument: SyntaxNode<'t>,
    /// Operands before the call.
    before: Vec<SyntaxNode<'t>>,
    /// Whether the call is made where their value is missing.
    is_alternative: bool,
}

impl<'t> GenericCall<'t> {
    /// Returns the call that a comparison is; `None` if it compares.
    pub(super) fn of(node: SyntaxNode<'t>) -> Option<Self> {
        let (left, argument) = operands(node, ">")?;
        let (whole, ty) = operands(left, "<")?;
        let (callee, before) = last_operand(whole);
        let is_name =
            |node: SyntaxNode<'_>| ["identifier", "navigation_expression"].contains(&node.kind());
        // Who compares leaves spaces.
        let is_written_as_call = is_name(callee)
            && is_name(ty)
            && argument.kind() == "parenthesized_expression"
            && callee.end_byte() + 1 == ty.start_byte()
            && ty.end_byte() + 1 == argument.start_byte();
        let is_alternative = whole.child(1).is_some_and(|operator| operator.kind() == "?:");
        let call = Self { callee, ty, argument, before, is_alternative };
        is_written_as_call.then_some(call)
    }

    pub(super) fn lower(self, lower: &mut LoweringContext<'t>) -> ExprId {
        let mut values: Vec<ExprId> = self.before.iter().map(|node| lower.node(*node)).collect();
        let callee = lower.node(self.callee);
        let path = self.ty.text().split('.').map(|part| lower.sym(part.trim())).collect();
        let types = vec![lower.named(path, Vec::new(), self.ty)];
        let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: types });
        let argument = lower.argument(self.argument, call, 0);
        lower.resolve_expr(ReferenceKind::Call, callee, 1, self.callee.end_position().row);
        if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
            args.push(argument);
        }
        if self.is_alternative {
            values.push(call);
            return lower.push(Expr::Either(values));
        }
        if values.is_empty() { call } else { ExprId::UNKNOWN }
    }
}

/// The operand that stands right before a call, and those before it.
pub(super) fn last_operand(mut node: SyntaxNode<'_>) -> (SyntaxNode<'_>, Vec<SyntaxNode<'_>>) {
    let mut before = Vec::new();
    while OPERATIONS.contains(&node.kind()) {
        let mut parts = kids(node);
        let Some(last) = parts.pop() else { break };
        before.append(&mut parts);
        node = last;
    }
    (node, before)
}

/// The operands of a binary expression with this operator.
fn operands<'t>(node: SyntaxNode<'t>, operator: &str) -> Option<(SyntaxNode<'t>, SyntaxNode<'t>)> {
    let is_wanted = node.child(1).is_some_and(|child| child.kind() == operator);
    match kids(node).as_slice() {
        [left, right] if node.kind() == "binary_expression" && is_wanted => Some((*left, *right)),
        _ => None,
    }
}
