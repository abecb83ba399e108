//! Definitions: types, and how a definition is opened and marked. Functions, parameters, signatures and what holds a
//! value are read by the siblings.

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, LoweredDefinition, ScopeId, ScopeKind,
        SupertypeKind, Sym, TypeExpr, TypeId,
    },
    lowering::{
        lowering_context::{LoweringContext, LoweringPosition, ReturnTarget, index},
        signatures::last_row,
    },
    syntax::{
        SyntaxNode,
        grammar_table::{Role, Slot},
        syntax_node_fields::SyntaxNodeFields,
    },
};

impl<'t> LoweringContext<'t> {
    pub(crate) fn definition(
        &mut self,
        role: Role,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) -> ExprId {
        self.decorators(node);
        let id = match role {
            Role::Function => self.function(node, parts.get(Slot::Name), parts),
            Role::Field => self.field(node, parts),
            Role::Variable => return self.variable(node, parts),
            Role::Variant => self.variant(node, parts),
            Role::Alias => self.alias(node, parts),
            Role::Namespace => self.type_like(DefKind::Namespace, node, parts),
            Role::Class => self.type_like(DefKind::Class, node, parts),
            Role::Struct => self.type_like(DefKind::Struct, node, parts),
            Role::Interface => self.type_like(DefKind::Interface, node, parts),
            Role::Trait => self.type_like(DefKind::Trait, node, parts),
            _ => self.type_like(DefKind::Enum, node, parts),
        };
        self.push(Expr::Def(id))
    }

    /// Visits the decorators that a definition holds.
    pub(crate) fn decorators(&mut self, node: SyntaxNode<'t>) {
        for child in node.named_children().filter(|it| self.table.role(*it) == Role::Decorator) {
            self.node(child);
        }
    }

    /// Opens a definition that is called `name`, which may be missing; its parts are filled in by the caller.
    pub(crate) fn new_named(
        &mut self,
        kind: DefKind,
        node: SyntaxNode<'t>,
        name: Option<SyntaxNode<'t>>,
    ) -> DefId {
        let sym = self.sym_of_optional(name);
        self.new_def(kind, sym, node, name)
    }

    /// Opens a definition that stands at `node`; its parts are filled in by the caller.
    pub(crate) fn new_def(
        &mut self,
        kind: DefKind,
        name: Sym,
        node: SyntaxNode<'t>,
        name_node: Option<SyntaxNode<'t>>,
    ) -> DefId {
        let id = DefId(index(self.facts.defs.len()));
        let marks = std::mem::take(&mut self.at.marks);
        let flags = marks.with(self.dialect.flags(self, node));
        let doc = self.take_doc(node);
        let start = node.start_position().row;
        let end = last_row(node, self.text(node)) + 1;
        let name_line = name_node.map_or(start, |n| n.start_position().row);
        let parent = self.at.owner;
        self.allocate(2 * size_of::<LoweredDefinition>());
        self.facts.defs.push(LoweredDefinition {
            kind,
            name,
            parent,
            scope: self.at.scope,
            outer: self.at.scope,
            start: index(start) + 1,
            end: index(end),
            name_line: index(name_line) + 1,
            flags,
            doc,
            ..LoweredDefinition::EMPTY
        });
        if let Some(parent) = parent {
            self.members.entry((parent, name)).or_insert(id);
        }
        // What stands before a definition decorates it.
        for place in std::mem::take(&mut self.waiting_decorators) {
            let decorator = &mut self.facts.refs[place];
            if decorator.from == parent {
                decorator.from = Some(id);
            }
        }
        id
    }

    /// Lowers a class without a name, which is called by the last part of `base`, and returns its only value. `head` adds
    /// what stands before the body.
    pub(crate) fn anonymous_class(
        &mut self,
        node: SyntaxNode<'t>,
        base: &str,
        body: Option<SyntaxNode<'t>>,
        head: impl FnOnce(&mut Self, DefId),
    ) -> ExprId {
        let base = base.split(['<', '{', '(', ',', ' ']).next().unwrap_or_default();
        let base = base.rsplit(['.', '\\']).next().unwrap_or(base);
        let name = self.sym(&format!("<{}>", base.trim()));
        let id = self.new_def(DefKind::Class, name, node, None);
        self.sign(id, node, body);
        let outer = self.enter(id, ScopeKind::Type);
        self.at.body = ReturnTarget::File;
        head(self, id);
        if let Some(body) = body {
            self.children(body);
        }
        self.at = outer;
        let callee = self.push(Expr::Def(id));
        self.push(Expr::New { callee, args: Vec::new(), type_args: Vec::new() })
    }

    pub(crate) fn def_mut(&mut self, id: DefId) -> &mut LoweredDefinition {
        &mut self.facts.defs[id.index()]
    }

    pub(crate) fn mark(&mut self, id: DefId, flags: DefFlags) {
        let def = self.def_mut(id);
        def.flags = def.flags.with(flags);
    }

    /// Whether the walk stands directly inside a type.
    pub(crate) fn in_type(&self) -> bool {
        self.facts.scopes[self.at.scope.index()].kind == ScopeKind::Type
    }

    /// Returns the innermost type whose body `scope` stands in.
    pub(crate) fn type_around(&self, scope: ScopeId) -> Option<DefId> {
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = &self.facts.scopes[id.index()];
            if scope.kind == ScopeKind::Type {
                return scope.owner;
            }
            next = scope.parent;
        }
        None
    }

    pub(crate) fn enter(&mut self, id: DefId, kind: ScopeKind) -> LoweringPosition {
        let outer = self.at;
        let scope = self.push_scope(kind, Some(id));
        self.def_mut(id).scope = scope;
        let body = if kind == ScopeKind::Function { ReturnTarget::Def(id) } else { outer.body };
        let marks = DefFlags::default();
        let at = LoweringPosition { scope, owner: Some(id), body, marks, ..self.at };
        self.at = match kind {
            ScopeKind::Type => LoweringPosition { this: TypeId::UNKNOWN, constructor: None, ..at },
            _ => at,
        };
        outer
    }

    /// Runs `work` as a part of a definition, in the scope here.
    pub(crate) fn owned_by(&mut self, id: DefId, work: impl FnOnce(&mut Self)) {
        let outer = self.at.owner.replace(id);
        work(self);
        self.at.owner = outer;
    }

    pub(crate) fn type_like(
        &mut self,
        kind: DefKind,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) -> DefId {
        let id = self.new_named(kind, node, parts.get(Slot::Name));
        self.declare(id);
        self.type_parts(id, node, parts);
        id
    }

    /// Fills in a type's parameters, supertypes and members.
    pub(crate) fn type_parts(
        &mut self,
        id: DefId,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) {
        let body = parts.get(Slot::Body);
        self.sign(id, node, body);
        let kind = self.facts.def(id).kind;
        let scope = if kind == DefKind::Namespace { ScopeKind::Block } else { ScopeKind::Type };
        let outer = self.enter(id, scope);
        self.type_params(id, parts.get(Slot::TypeParams));
        if let Some(supers) = parts.get(Slot::Supers) {
            self.supers(id, supers, SupertypeKind::Inherits);
        }
        for child in node.named_children() {
            match self.table.role(child) {
                Role::Inherits => self.supers(id, child, SupertypeKind::Inherits),
                Role::Implements => self.supers(id, child, SupertypeKind::Implements),
                _ => {}
            }
        }
        self.comment_supers(id, node);
        self.dialect.define(self, id, node);
        match body {
            Some(body) => self.children(body),
            None => self.mark(id, DefFlags::DECLARATION),
        }
        self.at = outer;
    }

    fn supers(&mut self, id: DefId, list: SyntaxNode<'t>, kind: SupertypeKind) {
        for child in list.named_children() {
            match self.table.role(child) {
                Role::Inherits => self.supers(id, child, kind),
                Role::Implements => self.supers(id, child, SupertypeKind::Implements),
                Role::Comment | Role::Skip | Role::Erased => {}
                Role::TypeArgs => {
                    let args = self.type_list(child);
                    if let Some((_, last)) = self.facts.def(id).supers.last().copied()
                        && let TypeExpr::Named { args: given, .. } =
                            &mut self.facts.types[last.index()]
                    {
                        *given = args;
                    }
                }
                _ => {
                    let ty = self.annotation(child);
                    if ty.is_known() {
                        self.def_mut(id).supers.push((kind, ty));
                    }
                }
            }
        }
    }

    fn alias(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> DefId {
        let id = self.new_named(DefKind::Alias, node, parts.get(Slot::Name));
        self.declare(id);
        self.sign(id, node, None);
        let outer = self.enter(id, ScopeKind::Block);
        self.type_params(id, parts.get(Slot::TypeParams));
        if let Some(ty) = parts.get(Slot::Type) {
            let ty = self.annotation(ty);
            self.def_mut(id).ty = ty;
        }
        self.at = outer;
        id
    }

    fn variant(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> DefId {
        let id = self.new_named(DefKind::Variant, node, parts.get(Slot::Name));
        self.sign(id, node, None);
        if let Some(value) = parts.get(Slot::Value) {
            self.node(value);
        }
        let outer = self.enter(id, ScopeKind::Type);
        if let Some(body) = parts.get(Slot::Body) {
            self.children(body);
        }
        self.dialect.define(self, id, node);
        self.at = outer;
        id
    }
}
