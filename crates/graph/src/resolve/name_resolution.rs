//! Resolves a name to its referents, through lexical scopes, imports, re-exports and packages.

use crate::{
    facts::{BindingTarget, DefFlags, DefKind, Expr, ExprId, ScopeId, ScopeKind, Sym},
    resolve::{
        inference_results::SymbolNamespace,
        ordered_set::OrderedSet,
        program_facts::{DefRef, FileId, ModId, Name},
        resolution_rules::{MemberUse, NameUse, UnboundName},
        type_inference::{InferenceCertainty, NameReferent, TypeInference},
        types::{Ty, no_env},
    },
};

/// Steps from an expression to its innermost name.
const MAX_CHAIN: usize = 64;

/// Where a name is used, seen from the scope that it is looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NameUseFunction {
    /// The same function.
    SameFunction,
    /// A function inside the scope.
    InnerFunction,
}

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
                (found, InferenceCertainty::Exact)
            }
            Expr::Member { object, name } => {
                let name = self.program.name_of(file, *name);
                if let Expr::Super(scope) = facts.expr(*object) {
                    return (self.super_member(file, *scope, name), InferenceCertainty::Exact);
                }
                self.member_named_in((file, expr), *object, name)
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
                    found.into_iter().for_each(|entity| all.push(entity));
                }
                (all.into_vec(), InferenceCertainty::Inferred)
            }
            _ => (Vec::new(), InferenceCertainty::Exact),
        }
    }

    /// Returns what `object.name`, the expression `expr`, names, and how sure that is.
    fn member_named_in(
        &mut self,
        (file, expr): (FileId, ExprId),
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
        let outside =
            found.iter().all(|e| matches!(e, NameReferent::Method(..) | NameReferent::External));
        if outside {
            let member = MemberUse { file, expr, receiver: &value.ty, name };
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
        (found, value.certainty)
    }

    /// The supertypes of the type around `scope`, as definitions.
    fn super_types(&mut self, file: FileId, scope: ScopeId) -> Vec<NameReferent> {
        let Some(around) = self.type_around(file, scope) else { return Vec::new() };
        let supers = self.supers(around);
        supers
            .iter()
            .filter_map(|ty| match ty {
                // An interface has no constructor.
                Ty::Inst(def, args) if self.program.def(*def).kind != DefKind::Interface => {
                    Some(NameReferent::Def(*def, [(*def, args.clone())].into()))
                }
                Ty::Func(def, env) => Some(NameReferent::Def(*def, env.clone())),
                _ => None,
            })
            .collect()
    }

    fn super_member(&mut self, file: FileId, scope: ScopeId, name: Name) -> Vec<NameReferent> {
        let Some(around) = self.type_around(file, scope) else { return Vec::new() };
        let rules = self.rules(file);
        if let Some(found) = rules.super_member(self, (file, scope), around, name) {
            return found;
        }
        let around = match self.program.def(around).kind {
            DefKind::Impl => match self.this_type(file, scope) {
                Ty::Inst(host, _) | Ty::Class(host, _) => host,
                _ => return Vec::new(),
            },
            _ => around,
        };
        for ty in self.supers(around) {
            if rules.capabilities().traits_are_copied
                && matches!(&ty, Ty::Inst(up, _) if self.program.def(*up).kind == DefKind::Trait)
            {
                // Members of a trait count as the class's own.
                continue;
            }
            let found = self.member(&ty, name);
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// Returns the referents of a bare name at a place.
    pub(crate) fn lookup_name(
        &mut self,
        file: FileId,
        scope: ScopeId,
        sym: Sym,
        pos: u32,
        namespace: SymbolNamespace,
    ) -> Vec<NameReferent> {
        let facts = self.program.facts(file);
        let rules = self.rules(file);
        let capabilities = rules.capabilities();
        let name = self.program.name_of(file, sym);
        let at = NameUse { file, scope, sym, pos };
        if let Some(found) = rules.lookup_name(self, at) {
            return found;
        }
        let start = scope;
        let mut next = Some(scope);
        let mut used_from = NameUseFunction::SameFunction;
        while let Some(id) = next {
            let scope = &facts.scopes[id.index()];
            next = scope.parent;
            let shared = capabilities.shares_module_scopes
                && self.program.module_of_scope(file, id).is_some();
            let hidden = shared
                || capabilities.type_bodies_are_scopes
                    && scope.kind == ScopeKind::Type
                    && used_from == NameUseFunction::InnerFunction;
            if !hidden {
                let found = self.lookup_in_scope(NameUse { scope: id, ..at }, used_from, namespace);
                let shared = capabilities.shares_file_scope
                    && scope.kind == ScopeKind::File
                    && found.iter().all(|entity| matches!(entity, NameReferent::Def(..)));
                // Functions of its supertypes are overloads of those of the type itself.
                let overloaded = capabilities.overloads
                    && scope.kind == ScopeKind::Type
                    && found.iter().any(|entity| {
                        matches!(entity, NameReferent::Def(def, _) if self.program.def(*def).kind == DefKind::Function)
                    });
                if !found.is_empty() && !shared && !overloaded {
                    return found;
                }
                if (scope.kind == ScopeKind::Type || self.is_outer_member(file, id))
                    && let Some(owner) = scope.owner
                {
                    let members =
                        self.bare_member(DefRef { file, def: owner }, name, used_from, namespace);
                    if !members.is_empty() {
                        return members;
                    }
                }
                if overloaded {
                    // Imports in the body of a type are no members.
                    return found;
                }
            }
            if scope.kind == ScopeKind::Function {
                used_from = NameUseFunction::InnerFunction;
            }
            if rules.ends_lookup(self, (file, id), name) {
                return Vec::new();
            }
            if capabilities.modules_close_scopes
                && scope
                    .owner
                    .is_some_and(|d| self.program.inline.contains_key(&DefRef { file, def: d }))
            {
                break;
            }
        }
        let module = self.program.module_at(file, start);
        rules.unbound_name(self, UnboundName { file, scope: start, module, name, namespace })
    }

    /// Whether `scope` is that of a function attached to a type whose members it sees.
    fn is_outer_member(&self, file: FileId, scope: ScopeId) -> bool {
        if !self.program.capabilities(file).receiver_is_this {
            return false;
        }
        let facts = self.program.facts(file);
        let Some(owner) = facts.scopes[scope.index()].owner else { return false };
        let def = facts.def(owner);
        def.kind == DefKind::Function && def.scope == scope && def.receiver.is_known()
    }

    /// A member named without its object, where the language has that.
    fn bare_member(
        &mut self,
        owner: DefRef,
        name: Name,
        used_from: NameUseFunction,
        namespace: SymbolNamespace,
    ) -> Vec<NameReferent> {
        let file = owner.file;
        let at = self.program.look_up_canonical(owner);
        let rules = self.rules(file);
        let capabilities = rules.capabilities();
        if capabilities.members_in_scope {
            let ty = match self.program.def(at).kind {
                DefKind::Impl | DefKind::Function => {
                    self.eval_type(file, self.program.def(at).receiver)
                }
                _ => Ty::Inst(at, std::rc::Rc::from([])),
            };
            let mut found = self.member(&ty, name);
            self.drop_hidden(file, &mut found);
            if capabilities.bare_members_are_known {
                // The members of a type outside the repository are not known.
                found.retain(|entity| matches!(entity, NameReferent::Def(..)));
            }
            found = rules.bare_members(self, &ty, name, found);
            if capabilities.overloads {
                // Constructors are named like their types, which are meant.
                found.retain(|entity| {
                    !matches!(entity, NameReferent::Def(def, _) if self.program.def(*def).flags.has(DefFlags::CONSTRUCTOR))
                });
            }
            if capabilities.overloads && namespace == SymbolNamespace::Type {
                // A property may be named like its type.
                found.retain(|entity| self.names_type(entity));
            }
            return found;
        }
        if capabilities.type_bodies_are_scopes && used_from == NameUseFunction::SameFunction {
            return self
                .program
                .members_named(at, name)
                .iter()
                .map(|def| NameReferent::Def(*def, no_env()))
                .collect();
        }
        Vec::new()
    }

    pub(super) fn lookup_in_scope(
        &mut self,
        NameUse { file, scope, sym, pos }: NameUse,
        used_from: NameUseFunction,
        namespace: SymbolNamespace,
    ) -> Vec<NameReferent> {
        let name = self.program.name_of(file, sym);
        self.program.looks_into(file, name);
        let bindings = self.program.facts(file).bindings_of(scope, sym);
        if bindings.is_empty() || !self.charge(bindings.len()) {
            return Vec::new();
        }
        let capabilities = self.program.capabilities(file);
        let hoists = capabilities.hoists;
        let visible = bindings.partition_point(|b| b.from <= pos);
        let chosen = if used_from == NameUseFunction::InnerFunction
            && hoists
            && bindings.len() > 1
            && bindings[bindings.len() - 1].from > 0
        {
            // A closure runs later: it sees the last value.
            Some(bindings.len() - 1)
        } else if visible > 0 {
            Some(visible - 1)
        } else {
            hoists.then_some(0)
        };
        let Some(chosen) = chosen else { return Vec::new() };
        let from = bindings[chosen].from;
        let mut found = Vec::new();
        for binding in bindings.iter().filter(|b| b.from == from) {
            match binding.what {
                BindingTarget::Def(def) => {
                    let def = self.program.look_up_canonical(DefRef { file, def });
                    found.push(NameReferent::Def(def, no_env()));
                }
                BindingTarget::Import(import) => found.extend(self.import(file, import)),
                BindingTarget::TypeParam(def, place) => {
                    let def = self.program.look_up_canonical(DefRef { file, def });
                    found.push(NameReferent::TypeParam(def, place));
                }
                local => found.push(NameReferent::Local(file, local)),
            }
        }
        if namespace == SymbolNamespace::Type && capabilities.locals_name_no_types {
            // `struct ops *ops`: tags have a space of names of their own.
            found.retain(|entity| !matches!(entity, NameReferent::Local(..)));
            if found.is_empty() {
                return found;
            }
        }
        if capabilities.modules_beside_values {
            let module = self.program.module_at(file, scope);
            found = self.and_module(module, name, found);
        }
        let fitting = self.fitting(found, namespace);
        if fitting.is_empty() { vec![NameReferent::External] } else { fitting }
    }

    /// Keeps the referents in the wanted namespace, if there are any.
    fn fitting(&self, found: Vec<NameReferent>, namespace: SymbolNamespace) -> Vec<NameReferent> {
        if found.len() < 2 {
            return found;
        }
        let fits = |entity: &NameReferent| match entity {
            NameReferent::Def(def, _) => {
                let kind = self.program.def(*def).kind;
                let types_only = matches!(kind, DefKind::Interface | DefKind::Alias);
                match namespace {
                    SymbolNamespace::Value => !types_only,
                    SymbolNamespace::Type => kind.is_type() || types_only,
                }
            }
            _ => true,
        };
        if found.iter().any(fits) { found.into_iter().filter(fits).collect() } else { found }
    }

    /// Keeps types with the given number of parameters, in languages where types of one name differ by it.
    pub(crate) fn keep_arity(&self, file: FileId, found: &mut Vec<NameReferent>, count: usize) {
        if !self.program.capabilities(file).types_by_arity {
            return;
        }
        found.retain(|entity| match entity {
            NameReferent::Def(def, _) => {
                let def = self.program.def(*def);
                !def.kind.is_type() || def.type_params.len() == count
            }
            _ => true,
        });
    }

    /// Whether an entity can be named where a type stands.
    pub(crate) fn names_type(&self, entity: &NameReferent) -> bool {
        match entity {
            NameReferent::Def(def, _) => {
                let kind = self.program.def(*def).kind;
                kind.is_type() || kind == DefKind::Alias
            }
            NameReferent::TypeParam(..) => true,
            _ => false,
        }
    }

    /// Adds the module of a name to the functions of that name: a path can mean the one where a call means the others.
    pub(crate) fn and_module(
        &self,
        module: ModId,
        name: Name,
        mut found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        // Hardly any name is that of a module, too; to look at a definition may take its file's facts.
        let Some(child) = self.program.child(module, name) else { return found };
        let is_value = |entity: &NameReferent| {
            let NameReferent::Def(def, _) = entity else { return false };
            matches!(self.program.def(*def).kind, DefKind::Function | DefKind::Variable)
        };
        if !found.is_empty() && found.iter().all(is_value) {
            found.push(NameReferent::Module(child));
        }
        found
    }

    /// Returns the referents of a dotted type name.
    pub(crate) fn type_path(
        &mut self,
        file: FileId,
        path: &[Sym],
        scope: ScopeId,
        pos: u32,
    ) -> Vec<NameReferent> {
        let Some((first, rest)) = path.split_first() else { return Vec::new() };
        let mut found = self.lookup_name(file, scope, *first, pos, SymbolNamespace::Type);
        for part in rest {
            let name = self.program.name_of(file, *part);
            let mut next = Vec::new();
            for entity in &found {
                let ty = self.type_of_entity(entity).ty;
                let qualified = self.rules(file).qualified_name(self, file, &ty, name);
                next.extend(qualified.unwrap_or_else(|| self.member(&ty, name)));
            }
            if next.is_empty() {
                return if found.contains(&NameReferent::External) { found } else { Vec::new() };
            }
            found = next;
        }
        self.fitting(found, SymbolNamespace::Type)
    }

    /// Returns a scope that an expression's innermost name stands in.
    pub(crate) fn scope_of(&self, file: FileId, expr: ExprId) -> Option<ScopeId> {
        let facts = self.program.facts(file);
        let mut at = expr;
        for _ in 0..MAX_CHAIN {
            at = match facts.expr(at) {
                Expr::Name { scope, .. } | Expr::This(scope) | Expr::Super(scope) => {
                    return Some(*scope);
                }
                Expr::Member { object, .. } => *object,
                Expr::Call { callee, .. } | Expr::New { callee, .. } => *callee,
                Expr::Await(inner) | Expr::Index(inner) | Expr::Unwrap(inner) => *inner,
                _ => return None,
            };
        }
        None
    }
}
