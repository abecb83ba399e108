//! Definitions: functions, types, and the scopes that come with them. Parameters and what holds a value are read by the
//! siblings.

use std::borrow::Cow;

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Lambda, LambdaId, LoweredDefinition,
        ScopeId, ScopeKind, SupertypeKind, Sym, TypeExpr, TypeId, TypeRef,
    },
    lowering::{
        lowering_context::{LoweringContext, LoweringPosition, ReturnTarget, clip, index},
        parameters::ParameterOwner,
    },
    syntax::SyntaxNode,
    syntax::grammar_table::{Role, Slot},
    syntax::syntax_node_fields::SyntaxNodeFields,
};

/// Characters of a signature that are kept.
const SIGNATURE: usize = 200;

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
            signature: String::new(),
            doc,
            type_params: Vec::new(),
            params: Vec::new(),
            labels: Vec::new(),
            ty: TypeId::UNKNOWN,
            value: ExprId::UNKNOWN,
            returns: Vec::new(),
            supers: Vec::new(),
            receiver: TypeId::UNKNOWN,
        });
        if let Some(parent) = parent {
            self.members.entry((parent, name)).or_insert(id);
        }
        id
    }

    pub(crate) fn def_mut(&mut self, id: DefId) -> &mut LoweredDefinition {
        &mut self.facts.defs[id.index()]
    }

    pub(crate) fn mark(&mut self, id: DefId, flags: DefFlags) {
        let def = self.def_mut(id);
        def.flags = def.flags.with(flags);
    }

    /// Keeps the text from `node`'s start up to `body` as the signature, without comments and decorations.
    pub(crate) fn sign(&mut self, id: DefId, node: SyntaxNode<'_>, body: Option<SyntaxNode<'_>>) {
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        if !self.syntax.look_at(end.saturating_sub(node.start_byte())) {
            return;
        }
        let text = undecorated(self.source, node, end);
        let mut signature = String::with_capacity(text.len().min(SIGNATURE));
        for word in text.split_whitespace().take(SIGNATURE) {
            if !signature.is_empty() {
                signature.push(' ');
            }
            signature.push_str(word);
            if signature.len() > 4 * SIGNATURE {
                break;
            }
        }
        let shown = if body.is_some() { without_opening(&signature) } else { &signature };
        self.def_mut(id).signature = clip(shown, SIGNATURE);
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

    pub(crate) fn function(
        &mut self,
        node: SyntaxNode<'t>,
        name: Option<SyntaxNode<'t>>,
        parts: &SyntaxNodeFields<'t>,
    ) -> DefId {
        let sym = name.map_or(Sym(0), |name| self.sym_of(name));
        let sym = if name.is_none() { self.sym("") } else { sym };
        let id = self.new_def(DefKind::Function, sym, node, name);
        self.declare(id);
        self.function_parts(id, node, parts);
        id
    }

    /// Fills in a function's parameters, result and body.
    pub(crate) fn function_parts(
        &mut self,
        id: DefId,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) {
        let body = parts.get(Slot::Body);
        self.sign(id, node, body);
        let outer = self.enter(id, ScopeKind::Function);
        self.type_params(id, parts.get(Slot::TypeParams));
        match parts.get(Slot::Params) {
            // `x => …`, held by a name.
            Some(param) if self.dialect.is_param(self, param) => {
                self.param(param, ParameterOwner::Def(id));
            }
            Some(params) => self.params(params, ParameterOwner::Def(id)),
            None => {}
        }
        if let Some(result) = parts.get(Slot::Type) {
            let ty = self.annotation(result);
            self.def_mut(id).ty = ty;
        }
        self.dialect.define(self, id, node);
        match body {
            Some(body) => {
                let value = self.node(body);
                if value.is_known()
                    && (self.table.role(body) != Role::Block || self.dialect.body_is_value())
                {
                    self.def_mut(id).returns.push(value);
                }
            }
            None => self.mark(id, DefFlags::DECLARATION),
        }
        self.at = outer;
    }

    /// Opens a function without a name; its parts are filled in by the caller.
    pub(crate) fn new_lambda(&mut self, node: SyntaxNode<'_>) -> LambdaId {
        let (line, end) = (node.start_position().row, node.end_position().row);
        let (owner, line, end) = (self.at.owner, index(line) + 1, index(end) + 1);
        self.allocate(size_of::<Lambda>());
        self.facts.lambdas.push(Lambda { owner, line, end, ..Lambda::default() });
        LambdaId(index(self.facts.lambdas.len() - 1))
    }

    pub(crate) fn lambda(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> ExprId {
        let outer = self.at;
        // A function expression may have a name of its own, which only its body sees.
        let own = match parts.get(Slot::Name) {
            Some(name) if !self.in_type() => {
                let sym = self.sym_of(name);
                let own = self.new_def(DefKind::Function, sym, node, Some(name));
                self.sign(own, node, parts.get(Slot::Body));
                self.at.owner = Some(own);
                Some((sym, own))
            }
            _ => None,
        };
        let id = self.new_lambda(node);
        self.at.scope = self.push_scope(ScopeKind::Function, self.at.owner);
        self.at.body = ReturnTarget::Lambda(id);
        if let Some((sym, own)) = own {
            self.bind(sym, 0, BindingTarget::Def(own));
        }
        match parts.get(Slot::Params) {
            Some(params) if self.dialect.is_param(self, params) => {
                self.param(params, ParameterOwner::Lambda(id));
            }
            Some(params) => self.params(params, ParameterOwner::Lambda(id)),
            None => {}
        }
        if let Some(result) = parts.get(Slot::Type) {
            self.facts.lambdas[id.index()].ty = self.annotation(result);
        }
        let body = parts.get(Slot::Body);
        self.dialect.lambda(self, id, node);
        if let Some(body) = body {
            let value = self.node(body);
            if value.is_known()
                && (self.table.role(body) != Role::Block || self.dialect.body_is_value())
            {
                self.facts.lambdas[id.index()].returns.push(value);
            }
        }
        self.at = outer;
        self.push(Expr::Lambda(id))
    }

    pub(crate) fn type_like(
        &mut self,
        kind: DefKind,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) -> DefId {
        let name = parts.get(Slot::Name);
        let sym = name.map(|name| self.sym_of(name));
        let sym = sym.unwrap_or_else(|| self.sym(""));
        let id = self.new_def(kind, sym, node, name);
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
                Role::Comment | Role::Skip => {}
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
        let name = parts.get(Slot::Name);
        let sym = name.map(|name| self.sym_of(name));
        let sym = sym.unwrap_or_else(|| self.sym(""));
        let id = self.new_def(DefKind::Alias, sym, node, name);
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
        let name = parts.get(Slot::Name);
        let sym = name.map(|name| self.sym_of(name));
        let sym = sym.unwrap_or_else(|| self.sym(""));
        let id = self.new_def(DefKind::Variant, sym, node, name);
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

    /// Lowers a type that stands in the text as such, and notes that it is used here.
    pub(crate) fn annotation(&mut self, node: SyntaxNode<'t>) -> TypeId {
        let ty = self.ty(node);
        if ty.is_known() {
            let line = index(node.start_position().row) + 1;
            self.allocate(size_of::<TypeRef>());
            self.facts.type_refs.push(TypeRef { ty, line, from: self.at.owner });
        }
        ty
    }
}

/// The last row that is a definition's own. Grammars that end a block by indentation let it reach to what follows, with the
/// space and the comments before that.
fn last_row(mut node: SyntaxNode<'_>, text: &str) -> usize {
    if !text.ends_with(char::is_whitespace) {
        return node.end_position().row;
    }
    let start = node.start_position().row;
    while let Some(last) = (0..node.child_count())
        .rev()
        .filter_map(|at| node.child(at))
        .find(|child| !child.is_extra() && !child.byte_range().is_empty())
    {
        node = last;
    }
    let end = node.end_position();
    // A leaf that ends at the start of a line ends with the line before.
    if end.column == 0 && end.row > start { end.row - 1 } else { end.row }
}

/// Returns a head without what opens the body behind it. The `>` of a type is no part of an arrow.
fn without_opening(head: &str) -> &str {
    let mut shown = head;
    while let Some(rest) =
        shown.strip_suffix("=>").or_else(|| shown.strip_suffix(['{', ' ', ':', '=']))
    {
        shown = rest;
    }
    shown
}

/// Modifiers before a definition that are no part of its shape.
const DECORATIONS: &[&str] =
    &["annotation", "attribute", "attribute_list", "decorator", "marker_annotation"];

/// Returns what `node` has up to `end`, a byte, without comments and decorations.
fn undecorated<'t>(source: &'t str, node: SyntaxNode<'_>, end: usize) -> Cow<'t, str> {
    let whole = source.get(node.start_byte()..end).unwrap_or_default();
    if !whole.bytes().any(|byte| matches!(byte, b'\n' | b'@' | b'[')) {
        return Cow::Borrowed(whole);
    }
    let mut text = String::new();
    let from = keep(source, node, end, node.start_byte(), &mut text);
    text.push_str(source.get(from..end).unwrap_or_default());
    Cow::Owned(text)
}

/// Adds what stands between the comments and decorations of `node`, from the byte `from` on; returns where the last of
/// them ends.
fn keep(
    source: &str,
    node: SyntaxNode<'_>,
    end: usize,
    mut from: usize,
    text: &mut String,
) -> usize {
    for child in node.children().take_while(|child| child.start_byte() < end) {
        if child.is_extra() || DECORATIONS.contains(&child.kind()) {
            text.push_str(source.get(from..child.start_byte()).unwrap_or_default());
            from = child.end_byte();
        } else if child.kind() == "modifiers" {
            from = keep(source, child, end, from, text);
        }
    }
    from
}
