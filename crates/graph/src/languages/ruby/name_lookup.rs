//! Ruby's bare names: local variables, constants by nesting and ancestors, methods of `self` and of the file.

use crate::{
    facts::{BindingTarget, DefKind, ScopeId, ScopeKind, Sym},
    resolve::{
        inference_results::no_env,
        program_facts::{DefRef, FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// A local variable of the method around a place.
    pub(crate) fn ruby_local(
        &self,
        file: FileId,
        scope: ScopeId,
        sym: Sym,
        pos: u32,
    ) -> Option<NameReferent> {
        let facts = self.program.facts(file);
        let mut next = Some(scope);
        while let Some(id) = next {
            let bindings = facts.bindings_of(id, sym);
            let visible = bindings.partition_point(|binding| binding.from <= pos);
            let local = bindings[..visible].iter().rfind(|binding| {
                matches!(
                    binding.what,
                    BindingTarget::Local { .. }
                        | BindingTarget::Param(..)
                        | BindingTarget::LambdaParam(..)
                )
            });
            if let Some(local) = local {
                return Some(NameReferent::Local(file, local.what));
            }
            let scope = &facts.scopes[id.index()];
            if scope.kind != ScopeKind::Block {
                return None;
            }
            next = scope.parent;
        }
        None
    }

    /// A constant, or a method of `self`, or one that the same file defines outside of any class.
    pub(crate) fn ruby_name(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let text = program.text(name);
        if text.is_empty() {
            return vec![NameReferent::Module(program.module_of[file.index()])];
        }
        let facts = program.facts(file);
        if text.starts_with(char::is_uppercase) {
            let mut next = Some(scope);
            let mut inner = None;
            while let Some(id) = next {
                let scope = &facts.scopes[id.index()];
                if let (ScopeKind::Type, Some(def)) = (scope.kind, scope.owner) {
                    let class = program.look_up_canonical(DefRef { file, def });
                    inner = inner.or(Some(class));
                    let own = self.own_constants(class, name);
                    if !own.is_empty() {
                        return own;
                    }
                }
                next = scope.parent;
            }
            let inherited = inner.map(|class| self.constant(class, name)).unwrap_or_default();
            if !inherited.is_empty() {
                return inherited;
            }
            let tops = program.top_level_named(program.module_of[file.index()], name);
            self.count_search(tops.len());
            return tops
                .iter()
                .filter(|def| program.def(**def).kind != DefKind::Function)
                .map(|def| NameReferent::Def(*def, no_env()))
                .collect();
        }
        let own = self.this_type(file, scope);
        let found = self.member(&own, name);
        if !found.is_empty() {
            return found;
        }
        let tops = program.top_level_named(program.module_of[file.index()], name);
        self.count_search(tops.len());
        tops.iter()
            .filter(|def| def.file == file && program.def(**def).kind == DefKind::Function)
            .map(|def| NameReferent::Def(*def, no_env()))
            .collect()
    }
}
