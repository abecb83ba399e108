//! The class or module that a place of Ruby code stands in.

use crate::{
    facts::{DefId, ScopeId, ScopeKind},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// Returns the innermost class around the place of `lower`, with the scope that it opened.
pub(crate) fn class_around(lower: &LoweringContext<'_>) -> Option<(DefId, ScopeId)> {
    let mut next = Some(lower.at.scope);
    while let Some(id) = next {
        let scope = &lower.facts.scopes[id.index()];
        if scope.kind == ScopeKind::Type {
            return scope.owner.map(|class| (class, id));
        }
        next = scope.parent;
    }
    None
}

/// Whether `node` is directly inside `class << self`.
pub(crate) fn on_class(node: SyntaxNode<'_>) -> bool {
    let mut next = node.parent();
    while let Some(at) = next {
        match at.kind() {
            "singleton_class" => return true,
            "class" | "module" | "method" | "singleton_method" | "do_block" | "block" => {
                return false;
            }
            _ => next = at.parent(),
        }
    }
    false
}
