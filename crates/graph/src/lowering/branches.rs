//! Variables that branches assign: behind the statement they hold what one of the branches gave them, or what they held before.

use rustc_hash::FxHashSet;

use crate::{
    facts::{BindingTarget, Expr, ExprId, Sym, TypeId},
    lowering::lowering_context::{LoweringContext, index},
    syntax::SyntaxNode,
};

/// Branches of a statement that are told apart.
pub(crate) const MAX_BRANCHES: usize = 16;
/// Bindings before a statement that are looked through.
const MAX_BINDINGS: usize = 2_000;

/// The branches of a statement, of which one runs at most.
pub(crate) struct Branches<'t> {
    pub(crate) statement: SyntaxNode<'t>,
    /// In the order of the text; what stands before one and behind the one before it is its condition.
    pub(crate) bodies: Vec<SyntaxNode<'t>>,
    /// The place of the first binding that is made inside of them.
    pub(crate) first: usize,
    /// Whether one of them always runs.
    pub(crate) is_exhaustive: bool,
}

/// A variable that a branch assigns.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Assigned {
    name: Sym,
    /// The place of the branch among the others.
    branch: usize,
    /// The byte from which on the variable holds the value.
    from: u32,
    /// The place of its binding.
    binding: usize,
}

impl<'t> LoweringContext<'t> {
    /// Binds the variables that branches assign, behind the statement. What a branch assigns that `leaves` at its end does not
    /// count.
    pub(crate) fn join_branches(
        &mut self,
        branches: &Branches<'t>,
        leaves: impl Fn(SyntaxNode<'t>) -> bool,
    ) {
        let Branches { statement, bodies, first, is_exhaustive } = branches;
        let Some(start) = bodies.first().map(|body| index(body.start_byte())) else { return };
        let assigned = self.assigned(branches);
        if assigned.is_empty() {
            return;
        }
        let before = self.bound_before(*first, start);
        // A statement around this one that ends with it looks there.
        let end = index(statement.end_byte()).saturating_sub(1);
        // The last byte of each body at whose end more may follow, where what is bound here is not seen.
        let last_byte = |body: SyntaxNode<'t>| {
            index(body.end_byte()).saturating_sub(1).min(end.saturating_sub(1))
        };
        let ends: Vec<Option<u32>> =
            bodies.iter().map(|body| (!leaves(*body)).then(|| last_byte(*body))).collect();
        let going_on = ends.iter().flatten().count();
        for own in assigned.chunk_by(|one, other| one.name == other.name) {
            let mut values = Vec::new();
            let mut same_place = None;
            for last in own.chunk_by(|one, other| one.branch == other.branch) {
                let Some(last) = last.last() else { continue };
                // What a statement inside joined at this place is joined here as well.
                let joined = self.value_at(last.binding).filter(|_| last.from == end);
                same_place = same_place.or(joined.map(|_| last.binding));
                let Some(pos) = ends[last.branch] else { continue };
                values.push(joined.unwrap_or_else(|| self.name_at(last.name, pos)));
            }
            let name = own[0].name;
            if before.contains(&name) && !(*is_exhaustive && values.len() == going_on) {
                values.insert(0, self.name_at(name, start));
            }
            if values.is_empty() {
                continue;
            }
            values.truncate(MAX_BRANCHES);
            let value = self.push(Expr::Either(values));
            let what = BindingTarget::Local { ty: TypeId::UNKNOWN, value };
            match same_place {
                Some(binding) => self.facts.bindings[binding].what = what,
                None => self.bind(name, end, what),
            }
        }
    }

    fn name_at(&mut self, name: Sym, pos: u32) -> ExprId {
        self.push(Expr::Name { name, scope: self.at.scope, pos })
    }

    /// Returns the value of a binding that has no type.
    fn value_at(&self, binding: usize) -> Option<ExprId> {
        match self.facts.bindings[binding].what {
            BindingTarget::Local { ty: TypeId::UNKNOWN, value } => Some(value),
            _ => None,
        }
    }

    /// Returns what the branches assign, by name and branch.
    fn assigned(&self, branches: &Branches<'t>) -> Vec<Assigned> {
        let (scope, first) = (self.at.scope, branches.first);
        let inside = &self.facts.bindings[first.min(self.facts.bindings.len())..];
        let budget = self.syntax.budget();
        let ends: Vec<u32> = branches.bodies.iter().map(|body| index(body.end_byte())).collect();
        let mut assigned = Vec::new();
        // Statements inside one another look through the same bindings.
        let inside = inside.iter().take_while(|_| budget.spend(1).is_ok());
        for (place, binding) in inside.enumerate() {
            let branch = ends.partition_point(|end| *end <= binding.from);
            if binding.scope == scope
                && branch < ends.len()
                && matches!(binding.what, BindingTarget::Local { .. })
            {
                let (name, from) = (binding.name, binding.from);
                assigned.push(Assigned { name, branch, from, binding: first + place });
            }
        }
        assigned.sort_unstable();
        assigned
    }

    /// Returns the names of variables that are bound before a byte.
    fn bound_before(&self, first: usize, start: u32) -> FxHashSet<Sym> {
        let scopes = self.shared_scopes();
        // Bindings of the function that is read are the last ones.
        let before = self.facts.bindings[..first].iter().rev().take(MAX_BINDINGS);
        let before = before.take_while(|it| scopes.last().is_some_and(|home| it.scope >= *home));
        let before = before.take_while(|_| self.syntax.budget().spend(1).is_ok());
        let before = before.filter(|it| scopes.contains(&it.scope) && it.from <= start);
        before.map(|it| it.name).collect()
    }
}
