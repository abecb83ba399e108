//! Splits one version of a file into items, each with a hash of its content, the names in it, and its unnamed children. A
//! hash depends neither on positions nor on other items.

use std::{
    collections::{BTreeMap, BTreeSet},
    hash::{Hash, Hasher},
};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::facts::{
    Binding, BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, FileFacts, Import, ImportId,
    ImportSelection, LambdaId, LoweredDefinition, ModuleExport, NamedEventAction, Param, ScopeId,
    StructFieldSelector, Sym, TypeExpr, TypeId,
    value_flow::{ValueFlow, ValueFlowTarget},
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

pub(super) struct DeclarationHashes<'a> {
    pub(super) all: Vec<HashedDeclaration<'a>>,
    /// A hash of what is no declaration of its own.
    pub(super) whole: u64,
}

impl<'a> DeclarationHashes<'a> {
    /// Splits a file into declarations; `None` when it is nested too deeply.
    pub(super) fn of(facts: &'a FileFacts) -> Option<Self> {
        let file = File::of(facts)?;
        let mut whole = FxHasher::default();
        (facts.language, file.path(&facts.package)).hash(&mut whole);
        let mut all: Vec<HashedDeclaration<'a>> = Vec::new();
        let mut defs: Vec<Vec<usize>> = vec![Vec::new(); file.roots.len()];
        for (id, declaration) in file.declaration_of.iter().enumerate() {
            defs[*declaration].push(id);
        }
        for (root, defs) in file.roots.iter().zip(defs) {
            let mut reader = Reader::new(&file);
            for id in defs {
                reader.def(DefId(number(id)), &facts.defs[id]);
            }
            if let Some(parent) = facts.def(*root).parent {
                reader.holds.insert(file.declaration_of[parent.index()]);
            }
            let is_field = facts.def(*root).kind == DefKind::Field;
            let item = reader.done(file.paths[root.index()])?;
            all.push(HashedDeclaration { is_field, ..item });
        }
        all.extend(member_lists(&file));
        let mut used: BTreeMap<(u8, &str), u32> = BTreeMap::new();
        let mut identity = |kind: u8, name: &'a str| {
            let count = used.entry((kind, name)).or_default();
            *count += 1;
            one((kind, name, *count))
        };
        let handed_on: BTreeSet<ImportId> = handed_on(facts).collect();
        let exported: BTreeSet<ImportId> = exported(facts).collect();
        for (id, import) in (0..).map(ImportId).zip(&facts.imports) {
            let mut reader = Reader::new(&file);
            reader.import(import);
            let brings_all = import.taken == ImportSelection::All && !handed_on.contains(&id);
            match import.local {
                Some(local) => reader.names.push(facts.text(local)),
                // Statements that only run declare nothing.
                None if import.taken == ImportSelection::Module || handed_on.contains(&id) => {}
                // Such an import is reached through the name of its export.
                None if exported.contains(&id) => {}
                None => one((file.path(&import.module), import.level)).hash(&mut whole),
            }
            if brings_all {
                reader.import(import);
                one((file.path(&import.module), import.level)).hash(&mut whole);
            }
            let (kind, name) = match (import.local, &import.taken) {
                (Some(local), _) => (0, facts.text(local)),
                (None, ImportSelection::Name(taken)) => (3, facts.text(*taken)),
                (None, ImportSelection::Module | ImportSelection::All) => (3, ""),
            };
            all.push(reader.done(identity(kind, name))?);
        }
        for export in &facts.exports {
            let mut reader = Reader::new(&file);
            let name = match export {
                ModuleExport::Local { name, local } => {
                    reader.name(*local, ScopeId(0), u32::MAX);
                    *name
                }
                ModuleExport::Value { name, value } => {
                    reader.expr(*value);
                    *name
                }
                ModuleExport::Import { name, import } => {
                    reader.imported(*import);
                    *name
                }
                // Names that come or go with it are compared by themselves.
                ModuleExport::All(_) => continue,
            };
            let name = facts.text(name);
            reader.names.push(name);
            all.push(reader.done(identity(1, name))?);
        }
        // Code that raises an event by its name reaches the functions that listen to it.
        for event in facts.events.iter().filter(|event| event.action == NamedEventAction::Listens) {
            let mut reader = Reader::new(&file);
            let key = facts.text(event.key);
            reader.names.push(key);
            reader.expr(event.call);
            all.push(reader.done(identity(2, key))?);
        }
        // Importing a module that has no default export gives its named values, if it has any.
        facts.exports.iter().any(|e| matches!(e, ModuleExport::Value { .. })).hash(&mut whole);
        facts.imports_names().hash(&mut whole);
        Some(Self { all, whole: whole.finish() })
    }
}

fn one(value: impl Hash) -> u64 {
    let mut hasher = FxHasher::default();
    value.hash(&mut hasher);
    hasher.finish()
}

/// The context that all items of a file share.
struct File<'a> {
    facts: &'a FileFacts,
    /// The identity of each definition.
    paths: Vec<u64>,
    /// The definition that each declaration begins with.
    roots: Vec<DefId>,
    /// The declaration of each definition.
    declaration_of: Vec<usize>,
    /// For each scope a hash of what it stands in.
    scopes: Vec<u64>,
    /// The definitions that bare names mean.
    bound: FxHashSet<DefId>,
    /// The declaration of the first import.
    first_import: usize,
    /// Where parameters go.
    flow: ValueFlow,
}

impl<'a> File<'a> {
    fn of(facts: &'a FileFacts) -> Option<Self> {
        let paths = identities(facts);
        let mut roots = Vec::new();
        let mut declaration_of: Vec<usize> = Vec::with_capacity(facts.defs.len());
        for (id, def) in facts.defs.iter().enumerate() {
            let parent = def.parent.filter(|_| is_inseparable(def));
            match parent {
                Some(parent) => declaration_of.push(*declaration_of.get(parent.index())?),
                None => {
                    declaration_of.push(roots.len());
                    roots.push(DefId(number(id)));
                }
            }
        }
        let mut scopes: Vec<u64> = Vec::with_capacity(facts.scopes.len());
        for scope in &facts.scopes {
            let parent = match scope.parent {
                Some(parent) => Some(*scopes.get(parent.index())?),
                None => None,
            };
            let owner = scope.owner.map(|owner| paths[owner.index()]);
            scopes.push(one((parent, owner, scope.kind as u8)));
        }
        let holders: BTreeSet<DefId> = facts.defs.iter().filter_map(|def| def.parent).collect();
        let first_import = roots.len() + holders.len();
        let flow = ValueFlow::of(facts);
        let bound = facts.bindings.iter().filter_map(|binding| match binding.what {
            BindingTarget::Def(def) => Some(def),
            _ => None,
        });
        let bound = bound.collect();
        Some(Self { facts, paths, roots, declaration_of, scopes, bound, first_import, flow })
    }

    /// Whether other files find a definition only among the members of the type around it.
    fn is_member_only(&self, id: DefId, def: &LoweredDefinition) -> bool {
        let is_extension = def.receiver.is_known() || def.flags.has(DefFlags::SELF_PARAM);
        let is_in_type = def.parent.is_some_and(|holder| {
            let kind = self.facts.def(holder).kind;
            kind.is_type() && kind != DefKind::Impl
        });
        matches!(def.kind, DefKind::Field | DefKind::Function)
            && is_in_type
            && !is_extension
            && !self.bound.contains(&id)
    }

    fn path(&self, path: &[Sym]) -> u64 {
        one(path.iter().map(|part| self.facts.text(*part)).collect::<Vec<_>>())
    }
}

/// Returns the imports of modules that are re-exported as a whole.
pub(super) fn handed_on(facts: &FileFacts) -> impl Iterator<Item = ImportId> + '_ {
    facts.exports.iter().filter_map(|export| match export {
        ModuleExport::All(import) => Some(*import),
        _ => None,
    })
}

/// Returns the imports that are exported without a name in the file itself.
fn exported(facts: &FileFacts) -> impl Iterator<Item = ImportId> + '_ {
    facts.exports.iter().filter_map(|export| match export {
        ModuleExport::Import { import, .. } => Some(*import),
        _ => None,
    })
}

/// Whether a definition can be reached through the one around it without its name. Resolution that goes through all members of a
/// definition looks up their list.
fn is_inseparable(def: &LoweredDefinition) -> bool {
    def.kind == DefKind::Object || def.flags.has(DefFlags::CONSTRUCTOR)
}

/// Returns for each definition that holds others the list of them, in the order of the text.
fn member_lists<'a>(file: &File<'a>) -> Vec<HashedDeclaration<'a>> {
    let mut members: BTreeMap<DefId, Vec<usize>> = BTreeMap::new();
    for (id, def) in file.facts.defs.iter().enumerate() {
        if let Some(parent) = def.parent {
            members.entry(parent).or_default().push(id);
        }
    }
    let list = |(of, members): (DefId, Vec<usize>)| HashedDeclaration {
        identity: one((file.paths[of.index()], "members")),
        hash: one(members.iter().map(|id| file.paths[*id]).collect::<Vec<u64>>()),
        members_of: Some(file.facts.text(file.facts.def(of).name)),
        holds: members.iter().map(|id| file.declaration_of[*id]).collect(),
        ..HashedDeclaration::default()
    };
    members.into_iter().map(list).collect()
}

/// Reads one declaration.
struct Reader<'f, 'a> {
    file: &'f File<'a>,
    hasher: FxHasher,
    names: Vec<&'a str>,
    members: Vec<(Option<&'a str>, &'a str)>,
    macros: Vec<&'a str>,
    concerns_all_types: bool,
    is_nameless: bool,
    around: FxHashSet<&'a str>,
    holds: BTreeSet<usize>,
    exprs: FxHashMap<ExprId, usize>,
    types: FxHashMap<TypeId, usize>,
    lambdas: FxHashMap<LambdaId, usize>,
    bindings: FxHashMap<(ScopeId, Sym), usize>,
    depth: u32,
}

impl<'f, 'a> Reader<'f, 'a> {
    fn new(file: &'f File<'a>) -> Self {
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

    fn done(self, identity: u64) -> Option<HashedDeclaration<'a>> {
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

    fn def(&mut self, id: DefId, def: &'a LoweredDefinition) {
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
    fn name(&mut self, name: Sym, scope: ScopeId, pos: u32) {
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

    fn imported(&mut self, import: ImportId) {
        self.holds.insert(self.file.first_import + import.index());
        self.put(5);
        // Which one it is: another of the same name may have taken its place.
        self.import(self.file.facts.import(import));
    }

    fn import(&mut self, import: &'a Import) {
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

    fn expr(&mut self, id: ExprId) {
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

/// For each definition, a hash of its name, of the names of its owners, and of its position among definitions that share
/// these.
pub(super) fn identities(facts: &FileFacts) -> Vec<u64> {
    let written = |ty: TypeId| match facts.types.get(ty.index()) {
        Some(TypeExpr::Named { path, .. }) => {
            path.last().map(|name| facts.text(*name)).unwrap_or_default()
        }
        _ => "",
    };
    let mut found: Vec<u64> = Vec::with_capacity(facts.defs.len());
    let mut used: FxHashMap<u64, u32> = FxHashMap::default();
    for (id, def) in facts.defs.iter().enumerate() {
        // An owner comes before what it contains; if it does not, its number is used.
        let parent = def.parent.map(|parent| match found.get(parent.index()) {
            Some(parent) => *parent,
            None => u64::from(parent.0),
        });
        let mut hasher = FxHasher::default();
        (parent, def.kind, facts.text(def.name), written(def.receiver)).hash(&mut hasher);
        if def.kind == DefKind::Impl {
            def.supers.iter().for_each(|(_, ty)| written(*ty).hash(&mut hasher));
        }
        let base = hasher.finish();
        let count = used.entry(base).or_default();
        let mut hasher = FxHasher::default();
        (base, *count).hash(&mut hasher);
        *count += 1;
        debug_assert_eq!(found.len(), id);
        found.push(hasher.finish());
    }
    found
}

pub(super) fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
