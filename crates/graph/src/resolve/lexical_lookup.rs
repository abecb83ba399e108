//! Looks a bare name up: in the lexical scopes around it, then in what a file sees without importing it.

use crate::{
    facts::{BindingTarget, DefFlags, DefKind, PATH_START, ScopeId, ScopeKind, Sym},
    resolve::{
        inference_results::{SymbolNamespace, Ty, no_env},
        language_resolution_rules::{NameUse, UnboundName},
        program_facts::{DefRef, FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Where a name is used, seen from the scope that it is looked up in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FunctionOfUse {
    /// The same function.
    SameFunction,
    /// A function inside the scope.
    InnerFunction,
}

impl TypeInference<'_, '_> {
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
        // Whatever the rules of the language look at: a change of what the name may mean in this file is found by it.
        self.program.looks_into(file, name);
        let at = NameUse { file, scope, sym, pos };
        if let Some(found) = rules.lookup_name(self, at) {
            return found;
        }
        let start = scope;
        let mut next = Some(scope);
        let mut used_from = FunctionOfUse::SameFunction;
        while let Some(id) = next {
            let scope = &facts.scopes[id.index()];
            next = scope.parent;
            let shared = capabilities.shares_module_scopes
                && self.program.module_of_scope(file, id).is_some();
            let hidden = shared
                || capabilities.type_bodies_are_scopes
                    && scope.kind == ScopeKind::Type
                    && used_from == FunctionOfUse::InnerFunction;
            if !hidden {
                let mut found =
                    self.lookup_in_scope(NameUse { scope: id, ..at }, used_from, namespace);
                if found.is_empty() && namespace != SymbolNamespace::Type {
                    found = self.receiver_member(file, id, name);
                }
                if namespace == SymbolNamespace::Function {
                    self.keep_functions(&mut found);
                }
                let shared = capabilities.shares_file_scope
                    && scope.kind == ScopeKind::File
                    && found.iter().all(|referent| matches!(referent, NameReferent::Def(..)));
                // Functions of its supertypes are overloads of those of the type itself.
                let overloaded = capabilities.overloads
                    && scope.kind == ScopeKind::Type
                    && found.iter().any(|referent| {
                        matches!(referent, NameReferent::Def(def, _) if self.program.def(*def).kind == DefKind::Function)
                    });
                if !found.is_empty() && !shared && !overloaded {
                    return found;
                }
                if (scope.kind == ScopeKind::Type || self.is_outer_member(file, id))
                    && let Some(owner) = scope.owner
                {
                    let owner = DefRef { file, def: owner };
                    let mut members = self.bare_member(owner, name, used_from, namespace);
                    let names_type = namespace == SymbolNamespace::Type || pos == PATH_START;
                    if names_type && capabilities.locals_name_no_types {
                        self.keep_types(&mut members);
                    }
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
                used_from = FunctionOfUse::InnerFunction;
            }
            if rules.ends_lookup(self, file, id, name) {
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
        let unbound = UnboundName { file, scope: start, module, name, namespace };
        let mut found = rules.unbound_name(self, unbound);
        if namespace == SymbolNamespace::Function {
            self.keep_functions(&mut found);
        }
        found
    }

    fn keep_functions(&self, found: &mut Vec<NameReferent>) {
        found.retain(
            |referent| matches!(referent, NameReferent::Def(def, _) if self.is_function(*def)),
        );
    }

    /// Leaves out functions and fields.
    fn keep_types(&self, found: &mut Vec<NameReferent>) {
        found.retain(|referent| {
            !matches!(referent, NameReferent::Def(..)) || self.names_type(referent)
        });
    }

    /// Returns the members and extensions by a name of what `this` is in the function literal that `scope` belongs to.
    pub(super) fn receiver_member(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
    ) -> Vec<NameReferent> {
        let Some(this) = self.program.facts(file).receivers.get(&scope).copied() else {
            return Vec::new();
        };
        let ty = self.type_of(file, this).ty;
        let mut found = self.member(&ty, name);
        self.drop_hidden_from_bare_name(file, &mut found);
        // An extension that a type declares is found in that type's own scope.
        found.retain(|referent| match referent {
            NameReferent::Def(at, _) => {
                let def = self.program.def(*at);
                let is_inner = def.receiver.is_known() && self.program.parent(*at).is_some();
                !is_inner && !def.flags.has(DefFlags::CONSTRUCTOR)
            }
            _ => false,
        });
        if found.is_empty() && ty.is_known() {
            found = self.extensions_in_scope(file, name, &ty);
            found.retain(|referent| {
                matches!(referent, NameReferent::Def(def, _) if self.is_extension_of(*def, &ty))
            });
        }
        found
    }

    /// Whether `scope` is that of a function attached to a type whose members it sees.
    pub(super) fn is_outer_member(&self, file: FileId, scope: ScopeId) -> bool {
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
        used_from: FunctionOfUse,
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
            if namespace == SymbolNamespace::Function {
                self.keep_functions(&mut found);
            }
            self.drop_hidden_from_bare_name(file, &mut found);
            if capabilities.bare_members_are_known {
                // The members of a type outside the repository are not known.
                found.retain(|referent| matches!(referent, NameReferent::Def(..)));
            }
            found = rules.bare_members(self, &ty, name, found);
            if capabilities.overloads {
                // Constructors are named like their types, which are meant.
                found.retain(|referent| {
                    !matches!(referent, NameReferent::Def(def, _) if self.program.def(*def).flags.has(DefFlags::CONSTRUCTOR))
                });
            }
            if capabilities.overloads && namespace == SymbolNamespace::Type {
                // A property may be named like its type.
                found.retain(|referent| self.names_type(referent));
            }
            return found;
        }
        if capabilities.type_bodies_are_scopes && used_from == FunctionOfUse::SameFunction {
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
        used_from: FunctionOfUse,
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
        let chosen = if used_from == FunctionOfUse::InnerFunction
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
        let names_type = namespace == SymbolNamespace::Type || pos == PATH_START;
        if names_type && capabilities.locals_name_no_types {
            // `struct ops *ops`, `ops::run(ops)`: variables have a space of names of their own.
            found.retain(|referent| !matches!(referent, NameReferent::Local(..)));
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
    pub(super) fn fitting(
        &self,
        found: Vec<NameReferent>,
        namespace: SymbolNamespace,
    ) -> Vec<NameReferent> {
        if found.len() < 2 {
            return found;
        }
        let fits = |referent: &NameReferent| match referent {
            NameReferent::Def(def, _) => {
                let kind = self.program.def(*def).kind;
                let types_only = matches!(kind, DefKind::Interface | DefKind::Alias);
                match namespace {
                    SymbolNamespace::Value | SymbolNamespace::Function => !types_only,
                    SymbolNamespace::Type => kind.is_type() || types_only,
                }
            }
            _ => true,
        };
        if found.iter().any(fits) { found.into_iter().filter(fits).collect() } else { found }
    }
}
