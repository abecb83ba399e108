//! Expressions: calls, member chains, literals.

use crate::{
    facts::{DefFlags, Expr, ExprId, ReferenceKind, ScopeKind, TypeId, TypeUse},
    lowering::lowering_context::{LoweringContext, ReturnTarget, index, kids},
    syntax::{
        SyntaxNode,
        grammar_table::{Role, Slot},
        syntax_node_fields::SyntaxNodeFields,
    },
};

/// Values of a choice that are noted where it is handed on.
const MAX_ALTERNATIVES: usize = 256;

impl<'t> LoweringContext<'t> {
    pub(crate) fn expression(
        &mut self,
        role: Role,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) -> ExprId {
        match role {
            Role::Ident => self.name_expr(node),
            Role::Call => self.call(node, parts, ReferenceKind::Call),
            Role::New => self.call(node, parts, ReferenceKind::New),
            Role::Member if let Some(this) = self.outer_this(parts) => this,
            Role::Member => {
                let target = self.member(parts);
                self.accessed(target, node, 0);
                target
            }
            Role::Index => self.indexed(node, parts),
            Role::Await => self.wrapped(node, parts, Expr::Await),
            Role::Unwrap => self.wrapped(node, parts, Expr::Unwrap),
            Role::Cast => self.cast(parts),
            Role::This if self.declares_this() => self.name_expr(node),
            Role::This => self.this_value(),
            Role::Super => self.push(Expr::Super(self.at.scope)),
            Role::Lambda => self.lambda(node, parts),
            Role::Kept => {
                self.kept_values(node);
                ExprId::UNKNOWN
            }
            Role::Array => {
                let items = self.kept_values(node);
                self.push(Expr::Array(items))
            }
            Role::Tuple => {
                let items = self.kept_values(node);
                if items.len() == 1 { items[0] } else { self.push(Expr::Tuple(items)) }
            }
            Role::Either => self.alternatives(node, parts),
            Role::Str => {
                self.children(node);
                self.literal("string")
            }
            Role::Number => self.literal("number"),
            Role::Bool => self.literal("bool"),
            Role::Return => self.return_value(node, parts),
            Role::Assign => self.assign(node, parts),
            Role::Foreach => self.in_block(|lower| lower.for_each(parts)),
            Role::Decorator => self.decorator(node),
            _ => {
                self.children(node);
                ExprId::UNKNOWN
            }
        }
    }

    fn member(&mut self, parts: &SyntaxNodeFields<'t>) -> ExprId {
        let object = self.part(parts, Slot::Object);
        let Some(name) = parts.get(Slot::Name) else { return ExprId::UNKNOWN };
        let name = self.sym_of(name);
        self.push(Expr::Member { object, name })
    }

    /// Notes that a member is read, or assigned to with `given` one value.
    pub(super) fn accessed(&mut self, target: ExprId, node: SyntaxNode<'_>, given: usize) {
        if self.dialect.members_run() && matches!(self.facts.expr(target), Expr::Member { .. }) {
            self.resolve_expr(ReferenceKind::Read, target, given, node.end_position().row);
        }
    }

    /// Lowers what is called or assigned to: a member is not read there.
    pub(crate) fn unread(&mut self, node: SyntaxNode<'t>) -> ExprId {
        match self.parts(node) {
            Some(parts) if self.table.role(node) == Role::Member => self.member(&parts),
            _ => self.node(node),
        }
    }

    fn indexed(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> ExprId {
        let object = self.part(parts, Slot::Object);
        let named = parts.get(Slot::Object).map(|object| object.id());
        let mut is_part = false;
        for at in kids(node).into_iter().filter(|at| Some(at.id()) != named) {
            is_part |= self.dialect.is_slice(at);
            self.node(at);
        }
        self.push(if is_part { Expr::Slice(object) } else { Expr::Index(object) })
    }

    fn cast(&mut self, parts: &SyntaxNodeFields<'t>) -> ExprId {
        if let Some(value) = parts.get(Slot::Value) {
            self.kept_value(value);
        }
        let Some(ty) = parts.get(Slot::Type) else { return ExprId::UNKNOWN };
        let ty = self.annotation(ty);
        self.push(Expr::Typed(ty))
    }

    /// Lowers a choice between values: `a ? b : c`, `a or b`.
    fn alternatives(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> ExprId {
        if parts.get(Slot::Value).is_none() && parts.get(Slot::Alt).is_none() {
            let items = self.values(node);
            return self.push(Expr::Either(items));
        }
        self.part(parts, Slot::Object);
        let (a, b) = (self.part(parts, Slot::Value), self.part(parts, Slot::Alt));
        self.push(Expr::Either(vec![a, b]))
    }

    fn return_value(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> ExprId {
        let value = match parts.get(Slot::Value) {
            Some(value) => self.node(value),
            None => self.last_child(node),
        };
        self.hand_on(value, node);
        if value.is_known() {
            match self.at.body {
                // A generator gives what it yields.
                ReturnTarget::Def(id) if self.facts.def(id).flags.has(DefFlags::GENERATOR) => {}
                ReturnTarget::Def(id) => {
                    self.object_is(value, self.facts.def(id).ty);
                    self.def_mut(id).returns.push(value);
                }
                ReturnTarget::Lambda(id) => self.facts.lambdas[id.index()].returns.push(value),
                ReturnTarget::File => {}
            }
        }
        ExprId::UNKNOWN
    }

    fn for_each(&mut self, parts: &SyntaxNodeFields<'t>) -> ExprId {
        let value = self.part(parts, Slot::Value);
        let item = self.push(Expr::Elem(value));
        let ty = parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |ty| self.annotation(ty));
        if let Some(name) = parts.get(Slot::Name) {
            let first = self.facts.bindings.len();
            self.local_pattern(name, ty, item);
            // `for x in x.parts()` goes through the old one.
            let end = parts.get(Slot::Value).map_or(0, |value| index(value.end_byte()));
            for binding in &mut self.facts.bindings[first..] {
                binding.from = binding.from.max(end);
            }
        }
        self.part(parts, Slot::Body);
        self.part(parts, Slot::Alt);
        ExprId::UNKNOWN
    }

    fn decorator(&mut self, node: SyntaxNode<'t>) -> ExprId {
        self.doc_reaches(node);
        let waiting = std::mem::take(&mut self.waiting_decorators);
        let value = self.last_child(node);
        self.waiting_decorators = waiting;
        // `@name(…)` is a call already; `@name` is one without parentheses.
        let target = match self.facts.expr(value) {
            Expr::Call { callee, .. } => *callee,
            _ => value,
        };
        let first = self.facts.refs.len();
        self.resolve_expr(ReferenceKind::Decorator, target, 0, node.start_position().row);
        self.waiting_decorators.extend(first..self.facts.refs.len());
        ExprId::UNKNOWN
    }

    /// Visits the part in `slot`, if it is there.
    pub(crate) fn part(&mut self, parts: &SyntaxNodeFields<'t>, slot: Slot) -> ExprId {
        parts.get(slot).map_or(ExprId::UNKNOWN, |node| self.node(node))
    }

    fn wrapped(
        &mut self,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
        wrap: fn(ExprId) -> Expr,
    ) -> ExprId {
        let inner = match parts.get(Slot::Value) {
            Some(value) => self.node(value),
            None => self.last_child(node),
        };
        if inner.is_known() { self.push(wrap(inner)) } else { inner }
    }

    pub(crate) fn literal(&mut self, name: &str) -> ExprId {
        let name = self.sym(name);
        self.push(Expr::Literal(name))
    }

    /// Visits all named children as values.
    pub(crate) fn values(&mut self, node: SyntaxNode<'t>) -> Vec<ExprId> {
        node.named_children()
            .filter(|child| !child.is_extra())
            .map(|child| self.node(child))
            .collect()
    }

    /// Visits all named children as values that are kept.
    pub(crate) fn kept_values(&mut self, node: SyntaxNode<'t>) -> Vec<ExprId> {
        node.named_children()
            .filter(|child| !child.is_extra())
            .map(|child| self.kept_value(child))
            .collect()
    }

    /// Visits a value that is kept, given back or handed on.
    pub(crate) fn kept_value(&mut self, node: SyntaxNode<'t>) -> ExprId {
        let value = self.node(node);
        self.hand_on(value, node);
        value
    }

    pub(crate) fn this_value(&mut self) -> ExprId {
        let value = match self.at.constructor {
            _ if self.at.this.is_known() => Expr::Typed(self.at.this),
            Some(function) => Expr::Def(function),
            None => Expr::This(self.at.scope),
        };
        self.push(value)
    }

    /// `Outer.this`: what `this` is in a type around that is called so.
    fn outer_this(&mut self, parts: &SyntaxNodeFields<'t>) -> Option<ExprId> {
        let (object, name) = (parts.get(Slot::Object)?, parts.get(Slot::Name)?);
        let is_this = self.table.role(name) == Role::This && self.table.role(object) == Role::Ident;
        is_this.then(|| self.this_in(self.text(object)))?
    }

    /// What `this` is in the innermost type around that has this name.
    pub(crate) fn this_in(&mut self, name: &str) -> Option<ExprId> {
        let mut next = Some(self.at.scope);
        while let Some(id) = next {
            let scope = &self.facts.scopes[id.index()];
            let is_named = |owner| self.facts.text(self.facts.def(owner).name) == name;
            if scope.kind == ScopeKind::Type && scope.owner.is_some_and(is_named) {
                return Some(self.push(Expr::This(id)));
            }
            next = scope.parent;
        }
        None
    }

    /// Whether a function around says what its `this` is.
    fn declares_this(&self) -> bool {
        let mut next = (!self.typed_this.is_empty()).then_some(self.at.scope);
        while let Some(id) = next {
            if self.typed_this.contains(&id) {
                return true;
            }
            let scope = &self.facts.scopes[id.index()];
            next = scope.parent.filter(|_| scope.kind != ScopeKind::Type);
        }
        false
    }

    pub(crate) fn call(
        &mut self,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
        kind: ReferenceKind,
    ) -> ExprId {
        let Some(callee_node) = parts.get(Slot::Object) else {
            self.children(node);
            return ExprId::UNKNOWN;
        };
        let callee = match parts.get(Slot::Type) {
            // A constructed type is written as a type.
            Some(ty) if ty == callee_node => {
                let ty = self.annotation(ty);
                self.push(Expr::Type(ty))
            }
            _ => self.unread(callee_node),
        };
        let type_args = parts.get(Slot::TypeParams).map(|list| {
            let given = self.type_list(list);
            given.iter().for_each(|ty| self.type_use(TypeUse::Annotation, *ty, list));
            given
        });
        let type_args = type_args.unwrap_or_default();
        let row = callee_node.end_position().row;
        let count = self.invoke(kind, callee, type_args, parts.get(Slot::Args), row);
        if let Some(body) = parts.get(Slot::Body) {
            self.node(body);
        }
        count
    }

    /// Records a call of `callee` with the arguments in the list `args`.
    pub(crate) fn invoke(
        &mut self,
        kind: ReferenceKind,
        callee: ExprId,
        type_args: Vec<TypeId>,
        args: Option<SyntaxNode<'t>>,
        row: usize,
    ) -> ExprId {
        let call = self.push(match kind {
            ReferenceKind::New | ReferenceKind::Made => {
                Expr::New { callee, args: Vec::new(), type_args }
            }
            _ => Expr::Call { callee, args: Vec::new(), type_args },
        });
        let mut values = Vec::new();
        if let Some(list) = args {
            for child in list.named_children() {
                if child.is_extra() {
                    self.node(child);
                    continue;
                }
                values.push(self.argument(child, call, values.len()));
            }
        }
        self.resolve_expr(kind, callee, values.len(), row);
        if let Some(list) = args {
            self.event(call, callee, list, row);
        }
        if let Expr::Call { args, .. } | Expr::New { args, .. } =
            &mut self.facts.exprs[call.index()]
        {
            *args = values;
        }
        call
    }

    /// Lowers the argument at `place` of `call`.
    pub(crate) fn argument(&mut self, node: SyntaxNode<'t>, call: ExprId, place: usize) -> ExprId {
        let value = self.node(node);
        let position = u16::try_from(place).unwrap_or(u16::MAX);
        match *self.facts.expr(value) {
            Expr::Lambda(id) => self.facts.lambdas[id.index()].context = Some((call, position)),
            Expr::SetBy(..) => self.facts.exprs[value.index()] = Expr::SetBy(call, position),
            _ => self.hand_on_as(place, value, node),
        }
        value
    }

    /// Notes the names and members that a value may be, where it is kept, given back or handed on: a function among them may
    /// run where nothing names it.
    pub(crate) fn hand_on(&mut self, value: ExprId, node: SyntaxNode<'_>) {
        self.hand_on_as(0, value, node);
    }

    /// Does the same for the argument at `place`.
    fn hand_on_as(&mut self, place: usize, value: ExprId, node: SyntaxNode<'_>) {
        let (mut next, mut open) = (Some(value), Vec::new());
        for _ in 0..MAX_ALTERNATIVES {
            let Some(value) = next else { return };
            match self.facts.expr(value) {
                Expr::Name { name, .. } | Expr::Member { name, .. }
                    if self.dialect.names_run(self.facts.text(*name)) => {}
                Expr::Name { .. } | Expr::Member { .. } => {
                    let row = node.start_position().row;
                    self.resolve_expr(ReferenceKind::Value, value, place, row);
                }
                Expr::Either(values) => open.extend(values.iter().rev()),
                Expr::Unwrap(inner) => open.push(*inner),
                _ => {}
            }
            next = open.pop();
        }
    }
}
