//! Resolves an expression that names something to its referents: a name, a member, a path.

use crate::{
    facts::{Expr, ExprId, ScopeId},
    resolve::{
        call_dispatch,
        inference_results::{ChainStart, SymbolNamespace, Ty, no_env},
        language_resolution_rules::MemberUse,
        ordered_set::OrderedSet,
        program_facts::{DefRef, FileId, Name},
        type_inference::{InferenceCertainty, NameReferent, TypeInference},
    },
};

/// Steps from an expression to its innermost name.
const MAX_CHAIN: usize = 64;

impl TypeInference<'_, '_> {
    /// Returns what an expression names, and how sure that is.
    pub(crate) fn resolve_expr(
        &mut self,
        file: FileId,
        expr: ExprId,
    ) -> (Vec<NameReferent>, InferenceCertainty) {
        let facts = self.program.facts(file);
        match facts.expr(expr) {
            Expr::Name { name, scope, pos } => {
                let mut found = self.lookup_name(file, *scope, *name, *pos, SymbolNamespace::Value);
                self.keep_arity(file, &mut found, 0);
                if found.is_empty() && self.program.capabilities(file).names_call_methods {
                    let own = self.this_type(file, *scope);
                    let name = self.program.name_of(file, *name);
                    return (self.member_of_heirs(&own, name), InferenceCertainty::Inferred);
                }
                (found, InferenceCertainty::Exact)
            }
            Expr::Member { object, name } => {
                let name = self.program.name_of(file, *name);
                if let Expr::Super(scope) = facts.expr(*object) {
                    return (self.super_member(file, *scope, name), InferenceCertainty::Exact);
                }
                self.member_named_in(file, expr, *object, name)
            }
            Expr::Def(def) => (
                vec![NameReferent::Def(DefRef { file, def: *def }, no_env())],
                InferenceCertainty::Exact,
            ),
            Expr::Module(import) => (self.required(file, *import), InferenceCertainty::Exact),
            Expr::Type(ty) => {
                let ty = self.eval_type(file, *ty);
                let found = ty.each().iter().filter_map(|ty| match ty {
                    Ty::Inst(def, _) | Ty::Class(def, _) => Some(NameReferent::Def(*def, no_env())),
                    Ty::Ext(..) => Some(NameReferent::External),
                    _ => None,
                });
                (found.collect(), InferenceCertainty::Exact)
            }
            Expr::Super(scope) => (self.super_types(file, *scope), InferenceCertainty::Exact),
            Expr::Unwrap(inner) | Expr::Await(inner) => match facts.expr(*inner) {
                Expr::Name { .. } | Expr::Member { .. } => self.resolve_expr(file, *inner),
                _ => (Vec::new(), InferenceCertainty::Exact),
            },
            Expr::Either(values) => {
                let mut all = OrderedSet::new(NameReferent::definition);
                for value in values {
                    let found = self.resolve_expr(file, *value).0;
                    found.into_iter().for_each(|referent| all.push(referent));
                }
                let mut all = all.into_vec();
                if let [_] = values.as_slice() {
                    self.keep_fields(file, &mut all);
                }
                (all, InferenceCertainty::Inferred)
            }
            _ => (Vec::new(), InferenceCertainty::Exact),
        }
    }

    /// Returns what `object.name`, the expression `expr`, names, and how sure that is.
    fn member_named_in(
        &mut self,
        file: FileId,
        expr: ExprId,
        object: ExprId,
        name: Name,
    ) -> (Vec<NameReferent>, InferenceCertainty) {
        let value = self.type_of(file, object);
        let rules = self.rules(file);
        if let Some(found) = rules.qualified_name(self, file, &value.ty, name) {
            return (found, value.certainty);
        }
        let mut found = self.member(&value.ty, name);
        self.drop_hidden(file, &mut found);
        let member = MemberUse { file, expr, receiver: &value.ty, name };
        let found = rules.members_meant(self, member, found);
        let outside =
            found.iter().all(|e| matches!(e, NameReferent::Method(..) | NameReferent::External));
        if outside {
            let extensions = rules.extension_members(self, member);
            if !extensions.is_empty() {
                return (extensions, value.certainty);
            }
        }
        if outside && rules.capabilities().binds_extensions {
            if rules.capabilities().inherits_extensions
                && let Some(scope) = self.scope_of(file, expr)
            {
                let around = self.extensions_around(file, scope, name, &value.ty);
                if !around.is_empty() {
                    return (around, InferenceCertainty::Inferred);
                }
            }
            let mut extensions = self.extensions_in_scope(file, name, &value.ty);
            if extensions.is_empty() && !value.ty.is_known() {
                extensions = self.extensions_of_chain(file, object, name);
            }
            if !extensions.is_empty() {
                return (extensions, InferenceCertainty::Inferred);
            }
        }
        if found.is_empty() && self.is_own_object(file, object) {
            return (self.member_of_heirs(&value.ty, name), InferenceCertainty::Inferred);
        }
        (found, value.certainty)
    }

    /// Whether an expression is the object that runs: `self`.
    fn is_own_object(&mut self, file: FileId, object: ExprId) -> bool {
        match self.program.facts(file).expr(object) {
            Expr::This(_) => true,
            Expr::Name { .. } => match self.resolve_expr(file, object).0.as_slice() {
                [named] => call_dispatch::is_own_object(self, named),
                _ => false,
            },
            _ => false,
        }
    }

    /// Returns a scope that an expression's innermost name stands in. Chains are asked about from their start, so that each
    /// answer continues the one before.
    pub(crate) fn scope_of(&self, file: FileId, expr: ExprId) -> Option<ScopeId> {
        let facts = self.program.facts(file);
        let known = self.last_chain.get();
        let mut chain = ChainStart { file, expr, steps: 0, scope: None };
        let mut at = expr;
        while chain.steps < MAX_CHAIN {
            if let Some(known) = known.filter(|known| known.file == file && known.expr == at) {
                chain.steps += known.steps;
                chain.scope = known.scope.filter(|_| chain.steps < MAX_CHAIN);
                break;
            }
            at = match facts.expr(at) {
                Expr::Name { scope, .. } | Expr::This(scope) | Expr::Super(scope) => {
                    chain.scope = Some(*scope);
                    break;
                }
                Expr::Member { object, .. } => *object,
                Expr::Call { callee, .. } | Expr::New { callee, .. } => *callee,
                Expr::Await(inner)
                | Expr::Index(inner)
                | Expr::Slice(inner)
                | Expr::Unwrap(inner) => *inner,
                _ => break,
            };
            chain.steps += 1;
        }
        self.last_chain.set(Some(chain));
        chain.scope
    }
}
