//! Lexical scopes, the names that are bound in them, imports and exports.

use crate::{
    facts::{
        Binding, BindingTarget, DefId, DefKind, Expr, ExprId, Import, ImportId, ImportSelection,
        LexicalScope, ModuleExport, ScopeId, ScopeKind, Sym, TypeId,
    },
    lowering::lowering_context::{LoweringContext, MAX_PARTS, index},
    syntax::SyntaxNode,
};

impl<'t> LoweringContext<'t> {
    pub(crate) fn push_scope(&mut self, kind: ScopeKind, owner: Option<DefId>) -> ScopeId {
        self.allocate(size_of::<LexicalScope>());
        self.at.scopes += 1;
        self.facts.scopes.push(LexicalScope { parent: Some(self.at.scope), owner, kind });
        ScopeId(index(self.facts.scopes.len() - 1))
    }

    /// Runs `work` in a scope of its own.
    pub(crate) fn in_block<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.at;
        self.at.scope = self.push_scope(ScopeKind::Block, outer.owner);
        let done = work(self);
        self.at = outer;
        done
    }

    /// Returns the scopes here that share their variables, from the innermost to that of the function.
    pub(crate) fn shared_scopes(&self) -> Vec<ScopeId> {
        let mut scopes = vec![self.at.scope];
        while let Some(scope) = scopes.last().map(|last| &self.facts.scopes[last.index()])
            && scope.kind == ScopeKind::Block
            && let Some(parent) = scope.parent
        {
            scopes.push(parent);
        }
        scopes
    }

    pub(crate) fn bind(&mut self, name: Sym, from: u32, what: BindingTarget) {
        self.bind_in(self.at.scope, name, from, what);
    }

    /// Binds a name in a scope that isn't the innermost one.
    pub(crate) fn bind_in(&mut self, scope: ScopeId, name: Sym, from: u32, what: BindingTarget) {
        self.allocate(size_of::<Binding>());
        self.facts.bindings.push(Binding { scope, name, from, what });
    }

    /// Whether a name is bound in the file's own scope, as far as the file is read.
    pub(crate) fn names_constant(&mut self, name: SyntaxNode<'t>) -> bool {
        let sym = self.sym_of(name);
        let (known, read) = &mut self.file_names;
        let new = self.facts.bindings[*read..].iter().filter(|it| it.scope == ScopeId(0));
        known.extend(new.map(|binding| binding.name));
        *read = self.facts.bindings.len();
        known.contains(&sym)
    }

    /// Makes a definition findable by its bare name; members are found through their type.
    pub(crate) fn declare(&mut self, id: DefId) {
        let def = self.facts.def(id);
        let (name, kind) = (def.name, def.kind);
        if !self.in_type() || kind != DefKind::Function && kind != DefKind::Field {
            self.bind(name, 0, BindingTarget::Def(id));
        }
    }

    /// Makes a definition findable in the nearest scope that isn't a type's own, where types inside types are found too.
    pub(crate) fn bind_outside(&mut self, id: DefId) {
        let name = self.facts.def(id).name;
        let mut scope = self.at.scope;
        while self.facts.scopes[scope.index()].kind == ScopeKind::Type {
            self.bind_in(scope, name, 0, BindingTarget::Def(id));
            match self.facts.scopes[scope.index()].parent {
                Some(parent) => scope = parent,
                None => return,
            }
        }
        self.bind_in(scope, name, 0, BindingTarget::Def(id));
    }

    /// An import that stands at `node`, private and without a name of its own.
    pub(crate) fn import_at(
        &self,
        node: SyntaxNode<'_>,
        mut module: Vec<Sym>,
        taken: ImportSelection,
    ) -> Import {
        module.truncate(MAX_PARTS);
        let (scope, line) = (self.at.scope, index(node.start_position().row) + 1);
        let (public, by_comment) = (false, false);
        Import { module, level: 0, taken, local: None, scope, line, public, by_comment }
    }

    /// Adds an import, and binds the name that it has here.
    pub(crate) fn push_import(&mut self, import: Import) -> ImportId {
        self.allocate(size_of::<Import>() + size_of_val(import.module.as_slice()));
        let id = ImportId(index(self.facts.imports.len()));
        let (scope, local) = (import.scope, import.local);
        self.facts.imports.push(import);
        if let Some(local) = local {
            self.bind_in(scope, local, 0, BindingTarget::Import(id));
        }
        id
    }

    pub(crate) fn push_export(&mut self, export: ModuleExport) {
        self.allocate(size_of::<ModuleExport>());
        self.facts.exports.push(export);
    }

    /// Binds a local value to a name, visible behind `node`.
    pub(crate) fn bind_local(&mut self, name: SyntaxNode<'t>, ty: TypeId, value: ExprId) {
        let sym = self.sym_of(name);
        let from = index(name.end_byte());
        self.declare_lambda(value, ty);
        self.bind(sym, from, BindingTarget::Local { ty, value });
    }

    /// Notes the type that a variable is declared to have whose value may be a lambda: its parameters follow from it.
    pub(crate) fn declare_lambda(&mut self, value: ExprId, ty: TypeId) {
        if let Expr::Lambda(id) = *self.facts.expr(value) {
            self.facts.lambdas[id.index()].declared = ty;
        }
    }
}
