//! A hash of what other files can see of a file: definitions, bindings, imports, exports, and values that types are
//! inferred from. Positions and mere calls are left out. While the hash stays, other files resolve to the same result,
//! apart from the numbers of this file's definitions and nodes. It may change without need. When it has to change, it stays only if
//! two hashes of 64 bits happen to be equal; who chooses names for that makes the graph of a file of his own outdated.

use std::hash::{Hash, Hasher};

use rustc_hash::FxHasher;

use crate::facts::{
    Binding, BindingTarget, Expr, ExprId, FileFacts, ImportSelection, LambdaId, ModuleExport,
    Param, Sym, TypeExpr, TypeId, hash_of,
};

/// Expressions inside one another that are followed.
const MAX_DEPTH: u32 = 500;
/// Stands for a hash that is being worked out.
const OPEN: u64 = 1;

/// The hash of what others can see.
pub(super) fn interface_fingerprint(facts: &FileFacts) -> u64 {
    let mut ranks: Vec<u32> = facts.bindings.iter().map(|binding| binding.from).collect();
    ranks.sort_unstable();
    ranks.dedup();
    let texts = facts.names.iter().map(hash_of).collect();
    let mut fingerprinter = Fingerprinter {
        facts,
        texts,
        ranks,
        types: vec![None; facts.types.len()],
        exprs: vec![None; facts.exprs.len()],
        lambdas: vec![None; facts.lambdas.len()],
        depth: 0,
        whole: false,
    };
    fingerprinter.hash()
}

/// The hash of the hashes of `items`, in their order.
fn list<T>(items: &[T], hash: impl FnMut(&T) -> u64) -> u64 {
    let mut hasher = FxHasher::default();
    items.len().hash(&mut hasher);
    items.iter().map(hash).for_each(|hash| hasher.write_u64(hash));
    hasher.finish()
}

struct Fingerprinter<'a> {
    facts: &'a FileFacts,
    /// Hashes of the strings.
    texts: Vec<u64>,
    /// Places from which bindings are visible: only their order counts.
    ranks: Vec<u32>,
    /// Hashes of types and expressions, as far as they were reached.
    types: Vec<Option<u64>>,
    exprs: Vec<Option<u64>>,
    /// Hashes of lambdas; each of their parameters asks for it.
    lambdas: Vec<Option<u64>>,
    depth: u32,
    /// Something is nested too deep, or made of itself, so that all is taken as it stands.
    whole: bool,
}

impl Fingerprinter<'_> {
    fn text(&self, sym: Sym) -> u64 {
        self.texts.get(sym.index()).copied().unwrap_or_default()
    }

    fn rank(&self, place: u32) -> usize {
        self.ranks.partition_point(|from| *from <= place)
    }

    fn ty(&mut self, id: TypeId) -> u64 {
        if let Some(known) = self.types.get(id.index()).copied().flatten() {
            self.whole |= known == OPEN;
            return known;
        }
        let facts = self.facts;
        let Some(ty) = facts.types.get(id.index()).filter(|_| self.depth < MAX_DEPTH) else {
            self.whole = true;
            return 0;
        };
        self.types[id.index()] = Some(OPEN);
        self.depth += 1;
        let hash = self.read_type(ty);
        self.depth -= 1;
        self.types[id.index()] = Some(hash);
        hash
    }

    fn tys(&mut self, ids: &[TypeId]) -> u64 {
        list(ids, |id| self.ty(*id))
    }

    fn expr(&mut self, id: ExprId) -> u64 {
        if let Some(known) = self.exprs.get(id.index()).copied().flatten() {
            self.whole |= known == OPEN;
            return known;
        }
        let facts = self.facts;
        let Some(expr) = facts.exprs.get(id.index()).filter(|_| self.depth < MAX_DEPTH) else {
            self.whole = true;
            return 0;
        };
        self.exprs[id.index()] = Some(OPEN);
        self.depth += 1;
        let hash = self.read_expr(expr);
        self.depth -= 1;
        self.exprs[id.index()] = Some(hash);
        hash
    }

    fn all(&mut self, ids: &[ExprId]) -> u64 {
        list(ids, |id| self.expr(*id))
    }

    fn path(&self, path: &[Sym]) -> u64 {
        list(path, |part| self.text(*part))
    }

    fn read_type(&mut self, ty: &TypeExpr) -> u64 {
        match ty {
            TypeExpr::Unknown => 0,
            TypeExpr::Named { path, args, scope, pos } => {
                let args = self.tys(args);
                hash_of((1, self.path(path), args, scope, self.rank(*pos)))
            }
            TypeExpr::Array(inner) => hash_of((2, self.ty(*inner))),
            TypeExpr::Tuple(items) => hash_of((3, self.tys(items))),
            TypeExpr::Union(items) => hash_of((4, self.tys(items))),
            TypeExpr::Function { receiver, params, result } => {
                hash_of((5, self.ty(*receiver), self.tys(params), self.ty(*result)))
            }
            TypeExpr::Object(def) => hash_of((6, def)),
            TypeExpr::TypeOf(value) => hash_of((7, self.expr(*value))),
            TypeExpr::Member(base, name) => hash_of((8, self.ty(*base), self.text(*name))),
            TypeExpr::This(scope) => hash_of((9, scope)),
        }
    }

    fn read_expr(&mut self, expr: &Expr) -> u64 {
        match expr {
            Expr::Unknown => 0,
            Expr::Name { name, scope, pos } => {
                hash_of((1, self.text(*name), scope, self.rank(*pos)))
            }
            Expr::Member { object, name } => hash_of((2, self.expr(*object), self.text(*name))),
            Expr::Call { callee, args, type_args } => {
                let labels = self.facts.labels.get(callee).map(|labels| self.path(&labels.names));
                hash_of((3, self.expr(*callee), self.all(args), self.tys(type_args), labels))
            }
            Expr::New { callee, args, type_args } => {
                hash_of((4, self.expr(*callee), self.all(args), self.tys(type_args)))
            }
            Expr::This(scope) => hash_of((5, scope)),
            Expr::Super(scope) => hash_of((6, scope)),
            Expr::Await(inner) => hash_of((7, self.expr(*inner))),
            Expr::Unwrap(inner) => hash_of((8, self.expr(*inner))),
            Expr::Elem(inner) => hash_of((9, self.expr(*inner))),
            Expr::Index(inner) => hash_of((10, self.expr(*inner))),
            Expr::Slice(inner) => hash_of((27, self.expr(*inner))),
            Expr::Key(inner) => hash_of((24, self.expr(*inner))),
            Expr::Item(inner, place) => hash_of((11, self.expr(*inner), place)),
            Expr::Enter(inner) => hash_of((12, self.expr(*inner))),
            Expr::Type(ty) => hash_of((13, self.ty(*ty))),
            Expr::Typed(ty) => hash_of((14, self.ty(*ty))),
            Expr::Lambda(id) => hash_of((15, self.lambda(*id))),
            Expr::Either(values) => hash_of((16, self.all(values))),
            Expr::Array(values) => hash_of((17, self.all(values))),
            Expr::Tuple(values) => hash_of((18, self.all(values))),
            Expr::Def(def) => hash_of((19, def)),
            Expr::Literal(name) => hash_of((20, self.text(*name))),
            Expr::Module(import) => hash_of((21, import)),
            Expr::Expected(ty) => hash_of((22, self.ty(*ty))),
            Expr::ExpectedBy(call, place) => hash_of((23, self.expr(*call), place)),
            Expr::SetBy(call, place) => hash_of((25, self.expr(*call), place)),
            Expr::Both(was, proved) => hash_of((26, self.expr(*was), self.expr(*proved))),
        }
    }

    /// A function literal. The call that it is an argument of decides its parameters' types.
    fn lambda(&mut self, id: LambdaId) -> u64 {
        if let Some(known) = self.lambdas.get(id.index()).copied().flatten() {
            return known;
        }
        let lambda = &self.facts.lambdas[id.index()];
        let params = list(&lambda.params, |param| self.param(param));
        let hash = hash_of((params, self.ty(lambda.ty), self.all(&lambda.returns)));
        self.lambdas[id.index()] = Some(hash);
        hash
    }

    fn param(&mut self, param: &Param) -> u64 {
        let default = self.expr(param.default);
        hash_of((self.text(param.name), self.ty(param.ty), default, param.variadic))
    }

    fn binding(&mut self, binding: &Binding, place: usize) -> u64 {
        let what = match binding.what {
            BindingTarget::Def(def) => hash_of((1, def)),
            BindingTarget::Import(import) => hash_of((2, import)),
            BindingTarget::Param(def, place) => hash_of((3, def, place)),
            BindingTarget::LambdaParam(id, place) => {
                let context = self.facts.lambdas[id.index()].context;
                let context = context.map(|(call, argument)| (self.expr(call), argument));
                hash_of((4, self.lambda(id), context, place))
            }
            BindingTarget::Local { ty, value } => hash_of((5, self.ty(ty), self.expr(value))),
            BindingTarget::TypeParam(def, place) => hash_of((6, def, place)),
        };
        hash_of((binding.scope, self.text(binding.name), self.rank(binding.from), what, place))
    }

    fn hash(&mut self) -> u64 {
        let facts = self.facts;
        let mut hasher = FxHasher::default();
        (facts.language, self.path(&facts.package), facts.defs.len()).hash(&mut hasher);
        // Nodes are numbered by line.
        let mut order: Vec<usize> = (0..facts.defs.len()).collect();
        order.sort_by_key(|id| (facts.defs[*id].start, *id));
        order.hash(&mut hasher);
        self.hash_definitions(&mut hasher);
        self.hash_bindings(&mut hasher);
        self.hash_imports(&mut hasher);
        self.hash_exports(&mut hasher);
        // What is put into fields counts for all files by what it comes to: see `Resolver::layout`.
        // The position of a scope decides what its names resolve to.
        for scope in &facts.scopes {
            (scope.parent, scope.owner, scope.kind as u8).hash(&mut hasher);
        }
        if self.whole {
            format!("{:?}", (&facts.exprs, &facts.types, &facts.lambdas)).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn hash_definitions(&mut self, hasher: &mut FxHasher) {
        for def in &self.facts.defs {
            let types = list(&def.type_params, |param| {
                hash_of((self.text(param.name), self.ty(param.bound)))
            });
            let params = list(&def.params, |param| self.param(param));
            let supers = list(&def.supers, |(kind, ty)| hash_of((*kind as u8, self.ty(*ty))));
            let value = self.expr(def.value);
            let returns = self.all(&def.returns);
            let ty = (self.ty(def.ty), self.ty(def.receiver));
            let place = (def.parent, def.scope, def.outer);
            (def.kind, self.text(def.name), def.flags.0, place).hash(hasher);
            (types, params, supers, value, returns, ty).hash(hasher);
            self.path(&def.labels).hash(hasher);
        }
    }

    fn hash_bindings(&mut self, hasher: &mut FxHasher) {
        // The order of names in the list is that of their numbers, which says nothing.
        let mut bindings = 0u64;
        let mut run = (None, 0);
        for binding in &self.facts.bindings {
            let key = Some((binding.scope, binding.name));
            run = if run.0 == key { (key, run.1 + 1) } else { (key, 0) };
            bindings = bindings.wrapping_add(self.binding(binding, run.1));
        }
        bindings.hash(hasher);
    }

    fn hash_imports(&mut self, hasher: &mut FxHasher) {
        for import in &self.facts.imports {
            let taken = match import.taken {
                ImportSelection::Module => (0, 0),
                ImportSelection::Name(name) => (1, self.text(name)),
                ImportSelection::All => (2, 0),
            };
            let local = import.local.map(|local| self.text(local));
            (self.path(&import.module), import.level, taken, local).hash(hasher);
            (import.scope, import.public).hash(hasher);
        }
    }

    fn hash_exports(&mut self, hasher: &mut FxHasher) {
        for export in &self.facts.exports {
            match export {
                ModuleExport::Local { name, local } => {
                    (1, self.text(*name), self.text(*local)).hash(hasher);
                }
                ModuleExport::Value { name, value } => {
                    (2, self.text(*name), self.expr(*value)).hash(hasher);
                }
                ModuleExport::Import { name, import } => {
                    (3, self.text(*name), import).hash(hasher);
                }
                ModuleExport::All(import) => (4, import).hash(hasher),
            }
        }
    }
}
