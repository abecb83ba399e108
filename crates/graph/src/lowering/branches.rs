//! Variables that branches assign: behind the statement they hold what one of the branches gave them, or what they held before.

use crate::{
    facts::{BindingTarget, Expr, ScopeId, Sym, TypeId},
    lowering::lowering_context::{LoweringContext, index},
    syntax::SyntaxNode,
};

/// Bindings before a statement that are looked through.
const MAX_BINDINGS: usize = 2_000;
/// Branches of a statement that are told apart.
const MAX_BRANCHES: usize = 16;

impl<'t> LoweringContext<'t> {
    /// Binds the variables that `branches` of `statement` assign, behind it; `first` is the place of the first binding inside.
    /// What a branch assigns that `leaves` at its end does not count.
    pub(crate) fn join_branches(
        &mut self,
        statement: SyntaxNode<'t>,
        first: usize,
        branches: &[SyntaxNode<'t>],
        leaves: impl Fn(SyntaxNode<'t>) -> bool,
    ) {
        let scope = self.at.scope;
        let (start, end) = (index(statement.start_byte()), index(statement.end_byte()));
        let mut names = self.assigned(first, scope);
        names.retain(|name| {
            let before = &self.facts.bindings[..first];
            // Bindings of the function that is read are the last ones.
            let mut before =
                before.iter().rev().take(MAX_BINDINGS).take_while(|it| it.scope >= scope);
            before.any(|it| it.scope == scope && it.name == *name && it.from <= start)
        });
        for name in names {
            let (mut places, mut is_assigned) = (vec![start], false);
            for branch in branches.iter().take(MAX_BRANCHES) {
                let range = index(branch.start_byte())..index(branch.end_byte());
                let mut bindings = self.facts.bindings[first..].iter();
                if bindings
                    .any(|it| it.scope == scope && it.name == name && range.contains(&it.from))
                {
                    is_assigned = true;
                    places.extend((!leaves(*branch)).then_some(range.end - 1));
                }
            }
            if is_assigned {
                let values =
                    places.into_iter().map(|pos| self.push(Expr::Name { name, scope, pos }));
                let values = values.collect();
                let value = self.push(Expr::Either(values));
                self.bind(name, end, BindingTarget::Local { ty: TypeId::UNKNOWN, value });
            }
        }
    }

    /// The local variables that bindings from `first` on assign in a scope.
    fn assigned(&self, first: usize, scope: ScopeId) -> Vec<Sym> {
        let bindings = self.facts.bindings[first..].iter().filter(|it| it.scope == scope);
        let locals = bindings.filter(|it| matches!(it.what, BindingTarget::Local { .. }));
        let mut names: Vec<Sym> = locals.map(|it| it.name).collect();
        names.sort_unstable();
        names.dedup();
        names
    }
}
