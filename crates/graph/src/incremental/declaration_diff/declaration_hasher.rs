//! Hashes the content of one declaration, and collects the names in it that lead to other declarations. What a name means is left
//! to resolution.

use std::{
    collections::BTreeSet,
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::declaration_context::FileContext;
use crate::facts::{
    Binding, BindingTarget, DefId, DefKind, Expr, ExprId, Import, ImportId, ImportSelection,
    LambdaId, LoweredDefinition, Param, ScopeId, StructFieldSelector, Sym, TypeExpr, TypeId,
    value_flow::ValueFlowTarget,
};

/// Expressions inside one another that are followed.
const MAX_DEPTH: u32 = 300;

/// A part of a file that is the same or another as a whole.
#[derive(Default)]
pub(super) struct HashedDeclaration<'a> {
    pub(super) identity: u64,
    pub(super) hash: u64,
    /// The names that lead to it from outside.
    pub(super) names: Vec<&'a str>,
    /// The names that lead to it from outside as to a member, with those of the definitions around it, or without.
    pub(super) members: Vec<(Option<&'a str>, &'a str)>,
    pub(super) macros: Vec<&'a str>,
    /// It gives something to every type.
    pub(super) concerns_all_types: bool,
    /// The name of the definition whose list of members it is.
    pub(super) members_of: Option<&'a str>,
    /// Other files can reach it without naming it.
    pub(super) is_nameless: bool,
    /// Another declaration of its name is no other part of it.
    pub(super) is_field: bool,
    /// The names of the definitions around it.
    pub(super) around: FxHashSet<&'a str>,
    /// Declarations that it leads to without a look-up of their names.
    pub(super) holds: BTreeSet<usize>,
}

/// Reads one declaration.
pub(super) struct DeclarationHasher<'f, 'a> {
    file: &'f FileContext<'a>,
    hasher: FxHasher,
    pub(super) names: Vec<&'a str>,
    members: Vec<(Option<&'a str>, &'a str)>,
    macros: Vec<&'a str>,
    concerns_all_types: bool,
    is_nameless: bool,
    around: FxHashSet<&'a str>,
    pub(super) holds: BTreeSet<usize>,
    exprs: FxHashMap<ExprId, usize>,
    types: FxHashMap<TypeId, usize>,
    lambdas: FxHashMap<LambdaId, usize>,
    bindings: FxHashMap<(ScopeId, Sym), usize>,
    depth: u32,
}

impl<'f, 'a> DeclarationHasher<'f, 'a> {
    pub(super) fn new(file: &'f FileContext<'a>) -> Self {
        Self {
            file,
            hasher: FxHasher::default(),
            names: Vec::new(),
            members: Vec::new(),
            macros: Vec::new(),
            concerns_all_types: false,
            is_nameless: false,
            around: FxHashSet::default(),
            holds: BTreeSet::new(),
            exprs: FxHashMap::default(),
            types: FxHashMap::default(),
            lambdas: FxHashMap::default(),
            bindings: FxHashMap::default(),
            depth: 0,
        }
    }

    pub(super) fn done(self, identity: u64) -> Option<HashedDeclaration<'a>> {
        (self.depth < MAX_DEPTH).then(|| HashedDeclaration {
            identity,
            hash: self.hasher.finish(),
            names: self.names,
            members: self.members,
            macros: self.macros,
            concerns_all_types: self.concerns_all_types,
            members_of: None,
            is_nameless: self.is_nameless,
            is_field: false,
            around: self.around,
            holds: self.holds,
        })
    }

    fn put(&mut self, value: impl Hash) {
        value.hash(&mut self.hasher);
    }

    /// Goes one step deeper; once too deep, always too deep.
    fn enter(&mut self, read: impl FnOnce(&mut Self)) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            read(self);
            if self.depth < MAX_DEPTH {
                self.depth -= 1;
            }
        }
    }

    fn text(&mut self, sym: Sym) {
        self.put(self.file.facts.text(sym));
    }

    pub(super) fn def(&mut self, id: DefId, def: &'a LoweredDefinition) {
        let facts = self.file.facts;
        let name = facts.text(def.name);
        if !name.is_empty() {
            if let Some(holder) = def.parent {
                self.members.push((Some(facts.text(facts.def(holder).name)), name));
            }
            if self.file.is_member_only(id, def) {
                self.members.push((None, name));
            } else {
                self.names.push(name);
            }
        }
        if def.kind == DefKind::Macro {
            self.macros.push(name);
        }
        // What it stands in may come to mean something else by another part of the same name.
        let mut around = def.parent;
        while let Some(parent) = around {
            let parent = facts.def(parent);
            self.around.insert(facts.text(parent.name));
            around = parent.parent;
        }
        if def.kind == DefKind::Impl && !def.supers.is_empty() {
            self.reached_by_host(def);
        }
        self.put((self.file.paths[id.index()], def.kind, name, def.flags.0));
        self.scope(def.outer);
        self.put((def.type_params.len(), def.supers.len()));
        for param in &def.type_params {
            self.text(param.name);
            self.ty(param.bound);
        }
        self.put(def.params.len());
        def.params.iter().for_each(|param| self.param(param));
        for place in (0..).take(def.params.len()) {
            self.ways(self.file.flow.of_param(id, place));
        }
        self.put(def.labels.len());
        def.labels.iter().for_each(|label| self.text(*label));
        self.ty(def.ty);
        self.expr(def.value);
        self.exprs_of(&def.returns);
        self.ty(def.receiver);
        for (kind, ty) in &def.supers {
            self.put(*kind as u8);
            self.ty(*ty);
        }
    }

    /// Hashes where a parameter flows: callers that pass a value follow it.
    fn ways(&mut self, ways: &[ValueFlowTarget]) {
        self.put(ways.len());
        for way in ways {
            match *way {
                ValueFlowTarget::Place(into) => self.expr(into),
                ValueFlowTarget::Field(field) => self.other(8, field),
                ValueFlowTarget::Slot(ty, field) => {
                    self.ty(ty);
                    match field {
                        StructFieldSelector::Named(name) => self.text(name),
                        StructFieldSelector::Nth(place) => self.put(place),
                    }
                }
                ValueFlowTarget::Argument(call, place) => {
                    let (Expr::Call { callee, args, .. } | Expr::New { callee, args, .. }) =
                        self.file.facts.expr(call)
                    else {
                        continue;
                    };
                    self.put((place, args.len()));
                    self.expr(*callee);
                    self.labels(*callee);
                }
            }
        }
    }

    /// Marks the supertypes that an `impl` block adds as reachable by the name of the type.
    fn reached_by_host(&mut self, def: &LoweredDefinition) {
        let facts = self.file.facts;
        let TypeExpr::Named { path, .. } = facts.ty(def.receiver) else {
            self.is_nameless = true;
            return;
        };
        self.names.extend(path.iter().map(|part| facts.text(*part)));
        // `impl<T> Trait for T`
        self.concerns_all_types |=
            matches!(path.as_slice(), [only] if def.type_params.iter().any(|it| it.name == *only));
        let renames = |import: &Import| match import.taken {
            ImportSelection::Name(name) => import.local.is_some_and(|local| local != name),
            _ => false,
        };
        let first = path.first().copied();
        let is_other = facts.imports.iter().any(|i| i.local == first && renames(i))
            || facts
                .defs
                .iter()
                .any(|def| def.kind == DefKind::Alias && path.last() == Some(&def.name));
        self.is_nameless |= is_other;
    }

    fn param(&mut self, param: &'a Param) {
        self.text(param.name);
        self.ty(param.ty);
        self.expr(param.default);
        self.put(param.variadic);
    }

    /// A place, and what it stands in.
    fn scope(&mut self, scope: ScopeId) {
        self.put(self.file.scopes[scope.index()]);
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = &self.file.facts.scopes[id.index()];
            if let Some(owner) = scope.owner {
                self.holds.insert(self.file.declaration_of[owner.index()]);
            }
            next = scope.parent;
        }
    }

    /// Hashes a name at a place: all its possible referents in this file. Who follows it looks it up in this file, and so
    /// notices when one of them that has this name differs.
    pub(super) fn name(&mut self, name: Sym, scope: ScopeId, pos: u32) {
        self.text(name);
        self.scope(scope);
        let facts = self.file.facts;
        let mut next = Some(scope);
        while let Some(id) = next {
            let found = facts.bindings_of(id, name);
            if !found.is_empty() {
                self.put((found.len(), found.partition_point(|binding| binding.from <= pos)));
                let number = self.bindings.len();
                match self.bindings.get(&(id, name)).copied() {
                    Some(known) => self.put(known),
                    None => {
                        self.bindings.insert((id, name), number);
                        self.enter(|reader| reader.bound(name, found));
                    }
                }
            }
            next = facts.scopes[id.index()].parent;
        }
    }

    fn bound(&mut self, name: Sym, bindings: &'a [Binding]) {
        let facts = self.file.facts;
        for pair in bindings.windows(2) {
            self.put(pair[0].from == pair[1].from);
        }
        for binding in bindings {
            self.put(binding.from > 0);
            match binding.what {
                BindingTarget::Def(def) if facts.def(def).name == name => {
                    self.put((0, self.file.paths[def.index()]));
                }
                BindingTarget::Def(def) => self.other(0, def),
                BindingTarget::Import(import) if facts.import(import).local == Some(name) => {
                    self.put(5);
                }
                BindingTarget::Import(import) => self.imported(import),
                BindingTarget::Param(def, place) => {
                    self.other(1, def);
                    self.put(place);
                }
                BindingTarget::TypeParam(def, place) => {
                    self.other(2, def);
                    self.put(place);
                }
                BindingTarget::LambdaParam(lambda, place) => {
                    self.put((3, place));
                    self.lambda(lambda);
                    if let Some((call, argument)) = facts.lambdas[lambda.index()].context {
                        self.put(argument);
                        self.expr(call);
                    }
                }
                BindingTarget::Local { ty, value } => {
                    self.put(4);
                    self.ty(ty);
                    self.expr(value);
                }
            }
        }
    }

    /// A definition that is referred to without its name.
    fn other(&mut self, kind: u8, def: DefId) {
        self.put((kind, self.file.paths[def.index()]));
        self.holds.insert(self.file.declaration_of[def.index()]);
    }

    pub(super) fn imported(&mut self, import: ImportId) {
        self.holds.insert(self.file.first_import + import.index());
        self.put(5);
        // Which one it is: another of the same name may have taken its place.
        self.import(self.file.facts.import(import));
    }

    pub(super) fn import(&mut self, import: &'a Import) {
        import.module.iter().for_each(|part| self.text(*part));
        self.put((import.module.len(), import.level, import.public));
        match import.taken {
            ImportSelection::Module => self.put(0),
            ImportSelection::Name(name) => self.text(name),
            ImportSelection::All => self.put(1),
        }
        self.scope(import.scope);
    }

    /// Hashes the labels of the arguments that are given to `callee`.
    fn labels(&mut self, callee: ExprId) {
        if let Some(labels) = self.file.facts.labels.get(&callee) {
            labels.names.iter().for_each(|label| self.text(*label));
        }
    }

    fn exprs_of(&mut self, ids: &'a [ExprId]) {
        self.put(ids.len());
        ids.iter().for_each(|id| self.expr(*id));
    }

    fn types_of(&mut self, ids: &'a [TypeId]) {
        self.put(ids.len());
        ids.iter().for_each(|id| self.ty(*id));
    }

    fn lambda(&mut self, id: LambdaId) {
        let number = self.lambdas.len();
        if let Some(known) = self.lambdas.get(&id).copied() {
            return self.put(known);
        }
        self.lambdas.insert(id, number);
        let lambda = &self.file.facts.lambdas[id.index()];
        self.enter(|reader| {
            reader.put(lambda.params.len());
            lambda.params.iter().for_each(|param| reader.param(param));
            reader.ty(lambda.ty);
            reader.exprs_of(&lambda.returns);
        });
    }

    fn ty(&mut self, id: TypeId) {
        let number = self.types.len();
        if let Some(known) = self.types.get(&id).copied() {
            return self.put((u8::MAX, known));
        }
        self.types.insert(id, number);
        let ty = self.file.facts.ty(id);
        self.put(std::mem::discriminant(ty));
        self.enter(|reader| match ty {
            TypeExpr::Unknown => {}
            TypeExpr::Named { path, args, scope, pos } => {
                if let Some((first, rest)) = path.split_first() {
                    reader.name(*first, *scope, *pos);
                    rest.iter().for_each(|part| reader.text(*part));
                }
                reader.types_of(args);
            }
            TypeExpr::Array(inner) => reader.ty(*inner),
            TypeExpr::Tuple(items) | TypeExpr::Union(items) => reader.types_of(items),
            TypeExpr::Function { receiver, params, result } => {
                reader.ty(*receiver);
                reader.types_of(params);
                reader.ty(*result);
            }
            TypeExpr::Object(def) => reader.other(6, *def),
            TypeExpr::TypeOf(value) => reader.expr(*value),
            TypeExpr::Member(base, name) => {
                reader.ty(*base);
                reader.text(*name);
            }
            TypeExpr::This(scope) => reader.scope(*scope),
        });
    }

    pub(super) fn expr(&mut self, id: ExprId) {
        let number = self.exprs.len();
        if let Some(known) = self.exprs.get(&id).copied() {
            return self.put((u8::MAX, known));
        }
        self.exprs.insert(id, number);
        let expr = self.file.facts.expr(id);
        self.put(std::mem::discriminant(expr));
        self.enter(|reader| match expr {
            Expr::Unknown => {}
            Expr::Name { name, scope, pos } => reader.name(*name, *scope, *pos),
            Expr::Member { object, name } => {
                reader.expr(*object);
                reader.text(*name);
            }
            Expr::Call { callee, args, type_args } | Expr::New { callee, args, type_args } => {
                reader.labels(*callee);
                reader.expr(*callee);
                reader.exprs_of(args);
                reader.types_of(type_args);
            }
            Expr::This(scope) | Expr::Super(scope) => reader.scope(*scope),
            Expr::Await(inner)
            | Expr::Unwrap(inner)
            | Expr::Elem(inner)
            | Expr::Index(inner)
            | Expr::Slice(inner)
            | Expr::Key(inner)
            | Expr::Enter(inner) => reader.expr(*inner),
            Expr::Item(inner, place)
            | Expr::ExpectedBy(inner, place)
            | Expr::SetBy(inner, place) => {
                reader.put(*place);
                reader.expr(*inner);
            }
            Expr::Type(ty) | Expr::Typed(ty) | Expr::Expected(ty) => reader.ty(*ty),
            Expr::Lambda(lambda) => reader.lambda(*lambda),
            Expr::Either(values) | Expr::Array(values) | Expr::Tuple(values) => {
                reader.exprs_of(values);
            }
            Expr::Both(was, proved) => {
                reader.expr(*was);
                reader.expr(*proved);
            }
            Expr::Def(def) => reader.other(7, *def),
            Expr::Literal(name) => reader.text(*name),
            Expr::Module(import) => reader.imported(*import),
        });
    }
}
