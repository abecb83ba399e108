//! Swift's statements that leave a body with a value.

use crate::{
    facts::ExprId,
    languages::swift::expected,
    lowering::{LoweringContext, ReturnTarget},
    syntax::SyntaxNode,
};

/// `return`, `throw`, `break` …
pub(crate) fn transfer<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if node.child(0).is_none_or(|word| word.kind() != "return") {
        lower.children(node);
        return;
    }
    if let ReturnTarget::Def(id) = lower.at.body {
        let ty = lower.facts.def(id).ty;
        lower.expected = expected(lower, ty);
    }
    let value = lower.child(node, "result");
    lower.expected = ExprId::UNKNOWN;
    lower.hand_on(value, node);
    if value.is_known() {
        match lower.at.body {
            ReturnTarget::Def(id) => lower.def_mut(id).returns.push(value),
            ReturnTarget::Lambda(id) => lower.facts.lambdas[id.index()].returns.push(value),
            ReturnTarget::File => {}
        }
    }
}
