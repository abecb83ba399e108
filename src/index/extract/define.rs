//! Definitions: functions, types, fields, variables, and the parameters and scopes that come with them.

use tree_sitter::Node;

use super::{
    lower::{Body, Context, Lower, clip, index},
    spec::{Parts, Role, Slot},
};
use crate::index::facts::{
    Binding, Bound, Def, DefId, DefKind, Expr, ExprId, Flags, Lambda, LambdaId, Param, ScopeKind,
    SuperKind, Sym, TypeExpr, TypeId, TypeParam, TypeRef,
};

/// Characters of a signature that are kept.
const SIGNATURE: usize = 200;

/// Whose parameters are being read.
#[derive(Clone, Copy)]
enum Owner {
    Def(DefId),
    Lambda(LambdaId),
}

impl<'t> Lower<'t> {
    pub(crate) fn definition(&mut self, role: Role, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
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

    /// Opens a definition that stands at `node`; its parts are filled in by the caller.
    pub(crate) fn new_def(
        &mut self,
        kind: DefKind,
        name: Sym,
        node: Node<'t>,
        name_node: Option<Node<'t>>,
    ) -> DefId {
        let id = DefId(index(self.facts.defs.len()));
        let marks = std::mem::take(&mut self.at.marks);
        let flags = marks.with(self.dialect.flags(self, node));
        let doc = self.take_doc(node);
        let start = node.start_position().row;
        let end = last_row(node, self.text(node)) + 1;
        let name_line = name_node.map_or(start, |n| n.start_position().row);
        let parent = self.at.owner;
        self.facts.defs.push(Def {
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

    pub(crate) fn def_mut(&mut self, id: DefId) -> &mut Def {
        &mut self.facts.defs[id.index()]
    }

    pub(crate) fn mark(&mut self, id: DefId, flags: Flags) {
        let def = self.def_mut(id);
        def.flags = def.flags.with(flags);
    }

    /// Keeps the text from `node`'s start up to `body` as the signature.
    pub(crate) fn sign(&mut self, id: DefId, node: Node<'_>, body: Option<Node<'_>>) {
        let end = body.map_or(node.end_byte(), |body| body.start_byte());
        let text = self.source.get(node.start_byte()..end).unwrap_or_default();
        let mut signature = String::new();
        for word in text.split_whitespace().take(SIGNATURE) {
            if !signature.is_empty() {
                signature.push(' ');
            }
            signature.push_str(word);
            if signature.len() > 4 * SIGNATURE {
                break;
            }
        }
        let end = signature.trim_end_matches(['{', ' ', ':', '=', '>']).len();
        let shown = if body.is_some() { &signature[..end] } else { &signature };
        self.def_mut(id).signature = clip(shown, SIGNATURE);
    }

    /// Whether the walk stands directly inside a type.
    pub(crate) fn in_type(&self) -> bool {
        self.facts.scopes[self.at.scope.index()].kind == ScopeKind::Type
    }

    /// Makes a definition findable by its bare name; members are found through their type.
    pub(crate) fn declare(&mut self, id: DefId) {
        let def = self.facts.def(id);
        let (name, kind) = (def.name, def.kind);
        if !self.in_type() || kind != DefKind::Function && kind != DefKind::Field {
            self.bind(name, 0, Bound::Def(id));
        }
    }

    /// Makes a definition findable in the nearest scope that isn't a type's own, where types inside types are found too.
    pub(crate) fn bind_outside(&mut self, id: DefId) {
        let name = self.facts.def(id).name;
        let mut scope = self.at.scope;
        while self.facts.scopes[scope.index()].kind == ScopeKind::Type {
            self.facts.bindings.push(Binding { scope, name, from: 0, what: Bound::Def(id) });
            match self.facts.scopes[scope.index()].parent {
                Some(parent) => scope = parent,
                None => return,
            }
        }
        self.facts.bindings.push(Binding { scope, name, from: 0, what: Bound::Def(id) });
    }

    pub(crate) fn enter(&mut self, id: DefId, kind: ScopeKind) -> Context {
        let outer = self.at;
        let scope = self.push_scope(kind, Some(id));
        self.def_mut(id).scope = scope;
        let body = if kind == ScopeKind::Function { Body::Def(id) } else { outer.body };
        self.at = Context { scope, owner: Some(id), body, marks: Flags::default() };
        outer
    }

    pub(crate) fn function(
        &mut self,
        node: Node<'t>,
        name: Option<Node<'t>>,
        parts: &Parts<'t>,
    ) -> DefId {
        let sym = name.map_or(Sym(0), |name| self.sym_of(name));
        let sym = if name.is_none() { self.sym("") } else { sym };
        let id = self.new_def(DefKind::Function, sym, node, name);
        self.declare(id);
        self.function_parts(id, node, parts);
        id
    }

    /// Fills in a function's parameters, result and body.
    pub(crate) fn function_parts(&mut self, id: DefId, node: Node<'t>, parts: &Parts<'t>) {
        let body = parts.get(Slot::Body);
        self.sign(id, node, body);
        let outer = self.enter(id, ScopeKind::Function);
        self.type_params(id, parts.get(Slot::TypeParams));
        if let Some(params) = parts.get(Slot::Params) {
            self.params(params, Owner::Def(id));
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
                    && (self.spec.role(body) != Role::Block || self.dialect.body_is_value())
                {
                    self.def_mut(id).returns.push(value);
                }
            }
            None => self.mark(id, Flags::DECLARATION),
        }
        self.at = outer;
    }

    /// Opens a function without a name; its parts are filled in by the caller.
    pub(crate) fn new_lambda(&mut self, node: Node<'_>) -> LambdaId {
        let (owner, line) = (self.at.owner, index(node.start_position().row) + 1);
        self.facts.lambdas.push(Lambda { owner, line, ..Lambda::default() });
        LambdaId(index(self.facts.lambdas.len() - 1))
    }

    pub(crate) fn lambda(&mut self, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
        let id = self.new_lambda(node);
        let outer = self.at;
        self.at.scope = self.push_scope(ScopeKind::Function, outer.owner);
        self.at.body = Body::Lambda(id);
        match parts.get(Slot::Params) {
            Some(params) if self.dialect.is_param(self, params) => {
                self.param(params, Owner::Lambda(id));
            }
            Some(params) => self.params(params, Owner::Lambda(id)),
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
                && (self.spec.role(body) != Role::Block || self.dialect.body_is_value())
            {
                self.facts.lambdas[id.index()].returns.push(value);
            }
        }
        self.at = outer;
        self.push(Expr::Lambda(id))
    }

    fn params(&mut self, list: Node<'t>, owner: Owner) {
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            if self.spec.role(child) == Role::Param || self.dialect.is_param(self, child) {
                self.param(child, owner);
                continue;
            }
            let several = self.dialect.extra_params(self, child);
            for (name, ty) in &several {
                self.named_param(*name, *ty, owner);
            }
            if several.is_empty() {
                self.node(child);
            }
        }
    }

    fn named_param(&mut self, node: Node<'t>, ty: TypeId, owner: Owner) {
        let named = self.spec.role(node) == Role::Ident;
        let name = if named { self.sym_of(node) } else { self.sym("") };
        let param = Param { name, ty, default: ExprId::UNKNOWN, variadic: false };
        let place = |len: usize| u16::try_from(len).unwrap_or(u16::MAX);
        let bound = match owner {
            Owner::Def(id) => Bound::Param(id, place(self.facts.def(id).params.len())),
            Owner::Lambda(id) => {
                Bound::LambdaParam(id, place(self.facts.lambdas[id.index()].params.len()))
            }
        };
        if named {
            self.bind(name, 0, bound);
        }
        match owner {
            Owner::Def(id) => self.def_mut(id).params.push(param),
            Owner::Lambda(id) => self.facts.lambdas[id.index()].params.push(param),
        }
    }

    fn param(&mut self, node: Node<'t>, owner: Owner) {
        let parts = if self.spec.role(node) == Role::Param { self.parts(node) } else { None };
        let (name, ty, default) = match &parts {
            Some(p) => (p.get(Slot::Name), p.get(Slot::Type), p.get(Slot::Value)),
            None => (Some(node), None, None),
        };
        let ty = ty.map_or(TypeId::UNKNOWN, |ty| self.annotation(ty));
        let default = default.map_or(ExprId::UNKNOWN, |value| self.node(value));
        let rest = |n: Node<'_>| {
            ["rest", "splat", "variadic", "spread"].iter().any(|word| n.kind().contains(word))
        };
        let variadic = rest(node) || name.is_some_and(rest);
        let place = match owner {
            Owner::Def(id) => self.facts.def(id).params.len(),
            Owner::Lambda(id) => self.facts.lambdas[id.index()].params.len(),
        };
        let bound = |place: usize| {
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            match owner {
                Owner::Def(id) => Bound::Param(id, place),
                Owner::Lambda(id) => Bound::LambdaParam(id, place),
            }
        };
        let plain = name.map(|name| self.plain_name(name));
        let sym = match plain {
            Some(Some(plain)) => {
                let sym = self.sym_of(plain);
                self.bind(sym, 0, bound(place));
                sym
            }
            Some(None) => {
                // A pattern: its parts are taken from a parameter that no text can name.
                let hidden = self.sym(&format!("\u{0}{place}"));
                self.bind(hidden, 0, bound(place));
                let scope = self.at.scope;
                let value = self.push(Expr::Name { name: hidden, scope, pos: 0 });
                if let Some(name) = name {
                    self.pattern(name, TypeId::UNKNOWN, value);
                }
                hidden
            }
            None => self.sym(""),
        };
        let param = Param { name: sym, ty, default, variadic };
        match owner {
            Owner::Def(id) => self.def_mut(id).params.push(param),
            Owner::Lambda(id) => self.facts.lambdas[id.index()].params.push(param),
        }
        self.dialect.param(self, node);
    }

    /// The identifier that a declared name comes down to, if it isn't a pattern.
    fn plain_name(&self, node: Node<'t>) -> Option<Node<'t>> {
        match self.spec.role(node) {
            Role::Ident | Role::This => Some(node),
            _ => {
                let kind = node.kind();
                let wrapped =
                    ["rest", "splat", "variadic", "spread"].iter().any(|word| kind.contains(word));
                node.named_child(0).filter(|child| wrapped && self.spec.role(*child) == Role::Ident)
            }
        }
    }

    pub(crate) fn type_params(&mut self, id: DefId, list: Option<Node<'t>>) {
        let Some(list) = list else { return };
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let Some(parts) = self.parts(child) else { continue };
            let Some(name) = parts.get(Slot::Name) else { continue };
            let sym = self.sym_of(name);
            let place = u16::try_from(self.facts.def(id).type_params.len()).unwrap_or(u16::MAX);
            self.bind(sym, 0, Bound::TypeParam(id, place));
            self.def_mut(id).type_params.push(TypeParam { name: sym, bound: TypeId::UNKNOWN });
            if let Some(bound) = parts.get(Slot::Type) {
                let bound = self.annotation(bound);
                self.def_mut(id).type_params[usize::from(place)].bound = bound;
            }
        }
    }

    pub(crate) fn type_like(&mut self, kind: DefKind, node: Node<'t>, parts: &Parts<'t>) -> DefId {
        let name = parts.get(Slot::Name);
        let sym = name.map(|name| self.sym_of(name));
        let sym = sym.unwrap_or_else(|| self.sym(""));
        let id = self.new_def(kind, sym, node, name);
        self.declare(id);
        let body = parts.get(Slot::Body);
        self.sign(id, node, body);
        let scope = if kind == DefKind::Namespace { ScopeKind::Block } else { ScopeKind::Type };
        let outer = self.enter(id, scope);
        self.type_params(id, parts.get(Slot::TypeParams));
        if let Some(supers) = parts.get(Slot::Supers) {
            self.supers(id, supers, SuperKind::Inherits);
        }
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match self.spec.role(child) {
                Role::Inherits => self.supers(id, child, SuperKind::Inherits),
                Role::Implements => self.supers(id, child, SuperKind::Implements),
                _ => {}
            }
        }
        self.dialect.define(self, id, node);
        match body {
            Some(body) => self.children(body),
            None => self.mark(id, Flags::DECLARATION),
        }
        self.at = outer;
        id
    }

    fn supers(&mut self, id: DefId, list: Node<'t>, kind: SuperKind) {
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            match self.spec.role(child) {
                Role::Inherits => self.supers(id, child, kind),
                Role::Implements => self.supers(id, child, SuperKind::Implements),
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

    fn alias(&mut self, node: Node<'t>, parts: &Parts<'t>) -> DefId {
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

    fn variant(&mut self, node: Node<'t>, parts: &Parts<'t>) -> DefId {
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

    fn field(&mut self, node: Node<'t>, parts: &Parts<'t>) -> DefId {
        let name = parts.get(Slot::Name);
        let sym = name.map(|name| self.sym_of(name));
        let sym = sym.unwrap_or_else(|| self.sym(""));
        let ty = parts.get(Slot::Type);
        self.valued(DefKind::Field, sym, node, name, ty, parts.get(Slot::Value))
    }

    /// Defines a field or variable; one that holds a function is that function.
    pub(crate) fn valued(
        &mut self,
        kind: DefKind,
        sym: Sym,
        node: Node<'t>,
        name: Option<Node<'t>>,
        ty: Option<Node<'t>>,
        value: Option<Node<'t>>,
    ) -> DefId {
        let function = value.filter(|value| self.spec.role(*value) == Role::Lambda);
        let kind = if function.is_some() { DefKind::Function } else { kind };
        let id = self.new_def(kind, sym, node, name);
        self.declare(id);
        if let Some(function) = function
            && let Some(parts) = self.parts(function)
        {
            self.function_parts(id, function, &parts);
            self.sign(id, node, parts.get(Slot::Body));
            let extra = self.dialect.flags(self, function);
            self.mark(id, extra);
            if let Some(ty) = ty {
                // The variable's own annotation is the function's type, not its result.
                let ty = self.annotation(ty);
                self.def_mut(id).receiver = ty;
            }
            return id;
        }
        self.sign(id, node, None);
        if let Some(ty) = ty {
            let ty = self.annotation(ty);
            self.def_mut(id).ty = ty;
        }
        if let Some(value) = value {
            let outer = self.at;
            let first_ref = self.facts.refs.len();
            if self.wraps_function(value) {
                self.mark(id, Flags::WRAPPED);
                self.at.owner = Some(id);
            }
            let value = self.node(value);
            self.at = outer;
            self.def_mut(id).value = value;
            if let Expr::Def(object) = *self.facts.expr(value)
                && self.facts.def(object).kind == DefKind::Object
            {
                // What an object literal has goes by the name that holds it; what runs while it is
                // made belongs to what stands around it.
                self.def_mut(object).parent = Some(id);
                for reference in &mut self.facts.refs[first_ref..] {
                    if reference.from == Some(object) {
                        reference.from = outer.owner;
                    }
                }
            }
        }
        id
    }

    /// Whether a value is a call that takes a function first, on a bare name or a capitalised module: `memo(() => …)`.
    pub(crate) fn wraps_function(&self, value: Node<'t>) -> bool {
        if !matches!(self.spec.role(value), Role::Call | Role::Special) {
            return false;
        }
        let Some(parts) = self.parts(value) else { return false };
        let (Some(callee), Some(args)) = (parts.get(Slot::Object), parts.get(Slot::Args)) else {
            return false;
        };
        let bare = match self.spec.role(callee) {
            Role::Ident => true,
            Role::Member => {
                self.parts(callee).and_then(|p| p.get(Slot::Object)).is_some_and(|object| {
                    self.spec.role(object) == Role::Ident
                        && self.text(object).starts_with(char::is_uppercase)
                })
            }
            _ => false,
        };
        bare && args.named_child(0).is_some_and(|first| self.spec.role(first) == Role::Lambda)
    }

    fn variable(&mut self, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
        let (ty, value) = (parts.get(Slot::Type), parts.get(Slot::Value));
        let Some(name) = parts.get(Slot::Name) else {
            self.children(node);
            return ExprId::UNKNOWN;
        };
        let local = matches!(self.at.body, Body::Def(_) | Body::Lambda(_));
        let functional =
            value.is_some_and(|v| self.spec.role(v) == Role::Lambda || self.wraps_function(v));
        if self.spec.role(name) == Role::Ident && (!local || functional) {
            let sym = self.sym_of(name);
            let kind = if self.in_type() { DefKind::Field } else { DefKind::Variable };
            self.valued(kind, sym, node, Some(name), ty, value);
            return ExprId::UNKNOWN;
        }
        let ty = ty.map_or(TypeId::UNKNOWN, |ty| self.annotation(ty));
        let value = value.map_or(ExprId::UNKNOWN, |value| self.node(value));
        self.pattern(name, ty, value);
        ExprId::UNKNOWN
    }

    /// Binds the names of a pattern to a value.
    pub(crate) fn pattern(&mut self, node: Node<'t>, ty: TypeId, value: ExprId) {
        match self.spec.role(node) {
            Role::Ident => {
                let module_level = matches!(self.at.body, Body::File) && self.at.owner.is_none();
                if module_level && self.facts.scopes[self.at.scope.index()].kind == ScopeKind::File
                {
                    let sym = self.sym_of(node);
                    self.global(sym, node, ty, value);
                } else {
                    self.bind_local(node, ty, value);
                }
            }
            _ => self.dialect.pattern(self, node, ty, value),
        }
    }

    /// Defines a module-level variable, or adds a value to one that is assigned again.
    pub(crate) fn global(&mut self, sym: Sym, node: Node<'t>, ty: TypeId, value: ExprId) {
        if let Some(id) = self.globals.get(&sym).copied() {
            self.add_value(id, ty, value);
            return;
        }
        let id = self.new_def(DefKind::Variable, sym, node, Some(node));
        self.globals.insert(sym, id);
        self.declare(id);
        let def = self.def_mut(id);
        (def.ty, def.value) = (ty, value);
    }

    fn add_value(&mut self, id: DefId, ty: TypeId, value: ExprId) {
        let def = self.def_mut(id);
        if !def.ty.is_known() {
            def.ty = ty;
        }
        let (old, typed) = (def.value, def.ty.is_known());
        if typed || !value.is_known() || !matches!(def.kind, DefKind::Field | DefKind::Variable) {
            return;
        }
        if let Expr::Either(values) = &mut self.facts.exprs[old.index()] {
            if values.len() < 8 {
                values.push(value);
            }
        } else if old.is_known() {
            let either = self.push(Expr::Either(vec![old, value]));
            self.def_mut(id).value = either;
        } else {
            self.def_mut(id).value = value;
        }
    }

    /// Notes `this.name = value`: a field of the enclosing type that nothing else declares.
    pub(crate) fn assigned_field(
        &mut self,
        node: Node<'t>,
        name: Node<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        let sym = self.sym_of(name);
        self.assigned_member(node, sym, name, ty, value);
    }

    /// The same, of a field whose name isn't written as it is called.
    pub(crate) fn assigned_member(
        &mut self,
        node: Node<'t>,
        sym: Sym,
        name: Node<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        let mut scope = Some(self.at.scope);
        let mut class = None;
        while let Some(id) = scope {
            let found = &self.facts.scopes[id.index()];
            if found.kind == ScopeKind::Type {
                class = found.owner;
                break;
            }
            scope = found.parent;
        }
        let Some(class) = class else { return };
        if let Some(id) = self.members.get(&(class, sym)).copied() {
            self.add_value(id, ty, value);
            return;
        }
        let outer = self.at;
        self.at.owner = Some(class);
        self.at.scope = self.facts.def(class).scope;
        let id = self.new_def(DefKind::Field, sym, node, Some(name));
        self.at = outer;
        self.sign(id, node, None);
        self.mark(id, Flags::ASSIGNED);
        let def = self.def_mut(id);
        (def.ty, def.value) = (ty, value);
    }

    /// Lowers a type that stands in the text as such, and notes that it is used here.
    pub(crate) fn annotation(&mut self, node: Node<'t>) -> TypeId {
        let ty = self.ty(node);
        if ty.is_known() {
            let line = index(node.start_position().row) + 1;
            self.facts.type_refs.push(TypeRef { ty, line, from: self.at.owner });
        }
        ty
    }
}

/// The last row that is a definition's own. Grammars that end a block by indentation let it reach to what follows, with the
/// space and the comments before that.
fn last_row(mut node: Node<'_>, text: &str) -> usize {
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
