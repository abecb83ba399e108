//! Lowers fields, variables and patterns.

use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, ExprId, ScopeKind, Sym, TypeId},
    lowering::lowering_context::{LoweringContext, ReturnTarget},
    syntax::{
        SyntaxNode,
        grammar_table::{Role, Slot},
        syntax_node_fields::SyntaxNodeFields,
    },
};

/// The name of a definition, and where it is written, if anywhere.
#[derive(Clone, Copy)]
pub(crate) struct DeclaredName<'t> {
    pub(crate) sym: Sym,
    pub(crate) node: Option<SyntaxNode<'t>>,
}

impl<'t> DeclaredName<'t> {
    pub(crate) fn at(sym: Sym, node: SyntaxNode<'t>) -> Self {
        Self { sym, node: Some(node) }
    }
}

impl<'t> LoweringContext<'t> {
    pub(super) fn field(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> DefId {
        let name = parts.get(Slot::Name);
        let name = DeclaredName { sym: self.sym_of_optional(name), node: name };
        let ty = parts.get(Slot::Type);
        self.valued(DefKind::Field, name, node, ty, parts.get(Slot::Value))
    }

    /// Defines a field or variable. If it holds a function or a class without a name, it becomes that definition.
    pub(crate) fn valued(
        &mut self,
        kind: DefKind,
        name: DeclaredName<'t>,
        node: SyntaxNode<'t>,
        ty: Option<SyntaxNode<'t>>,
        value: Option<SyntaxNode<'t>>,
    ) -> DefId {
        let bare = value.map(|value| self.bare(value));
        let function = bare.filter(|value| self.table.role(*value) == Role::Lambda);
        let class = bare.and_then(|value| Some((value, self.nameless_class(value)?)));
        let kind = match (function, &class) {
            (Some(_), _) => DefKind::Function,
            (None, Some(_)) => DefKind::Class,
            (None, None) => kind,
        };
        let id = self.new_def(kind, name.sym, node, name.node);
        self.declare(id);
        if let Some((class, parts)) = class {
            self.decorators(class);
            self.type_parts(id, class, &parts);
            return id;
        }
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
        let ty = self.declared_type(ty, node);
        if ty.is_known() {
            self.def_mut(id).ty = ty;
        }
        if let Some(value) = value {
            self.held_value(id, value);
            self.object_is(self.facts.def(id).value, ty);
        }
        id
    }

    /// Notes the type that an object literal is declared to have.
    pub(crate) fn object_is(&mut self, value: ExprId, ty: TypeId) {
        if let Expr::Def(object) = *self.facts.expr(value) {
            let def = self.def_mut(object);
            if def.kind == DefKind::Object && !def.ty.is_known() {
                def.ty = ty;
            }
        }
    }

    /// Returns the parts of a value that is a class without a name of its own.
    fn nameless_class(&self, value: SyntaxNode<'t>) -> Option<SyntaxNodeFields<'t>> {
        let parts = (self.table.role(value) == Role::Class).then(|| self.parts(value)).flatten()?;
        parts.get(Slot::Name).is_none().then_some(parts)
    }

    /// Lowers the value that a field or variable is declared with.
    fn held_value(&mut self, id: DefId, value: SyntaxNode<'t>) {
        let outer = self.at;
        let first_ref = self.facts.refs.len();
        let is_wrapped = self.wraps_function(value);
        if is_wrapped {
            self.mark(id, DefFlags::WRAPPED);
            self.at.owner = Some(id);
        }
        let value = self.kept_value(value);
        self.at = outer;
        self.def_mut(id).value = value;
        match *self.facts.expr(value) {
            // The call that wraps a function is made by the function around: only what is wrapped belongs to the variable.
            Expr::Call { callee, .. } if is_wrapped && self.is_local() => {
                let references = self.facts.refs[first_ref..].iter_mut();
                for reference in references.filter(|it| it.target == callee) {
                    reference.from = outer.owner;
                }
            }
            Expr::Def(object) if self.facts.def(object).kind == DefKind::Object => {
                // Members of an object literal belong to the variable that holds it; code that runs while
                // it is made belongs to the definition around it.
                self.def_mut(object).parent = Some(id);
                let references = self.facts.refs[first_ref..].iter_mut();
                for reference in references.filter(|it| it.from == Some(object)) {
                    reference.from = outer.owner;
                }
            }
            _ => {}
        }
    }

    const fn is_local(&self) -> bool {
        matches!(self.at.body, ReturnTarget::Def(_) | ReturnTarget::Lambda(_))
    }

    /// A value without the parentheses and type assertions around it.
    pub(crate) fn bare(&self, node: SyntaxNode<'t>) -> SyntaxNode<'t> {
        let mut node = node;
        loop {
            let inner = match self.table.role(node) {
                Role::Pass => self.parts(node).and_then(|parts| parts.get(Slot::Value)),
                _ if matches!(self.kind(node), "as_expression" | "satisfies_expression") => {
                    node.named_child(0)
                }
                _ => return node,
            };
            match inner.or(node.named_child(0).filter(|_| node.named_child_count() == 1)) {
                Some(inner) => node = inner,
                None => return node,
            }
        }
    }

    /// Whether a value is a call that takes a function first, on a bare name or a capitalised module: `memo(() => …)`.
    pub(crate) fn wraps_function(&self, value: SyntaxNode<'t>) -> bool {
        let value = self.bare(value);
        if !matches!(self.table.role(value), Role::Call | Role::Special) {
            return false;
        }
        let Some(parts) = self.parts(value) else { return false };
        let (Some(callee), Some(args)) = (parts.get(Slot::Object), parts.get(Slot::Args)) else {
            return false;
        };
        let bare = match self.table.role(callee) {
            Role::Ident => true,
            Role::Member => {
                self.parts(callee).and_then(|p| p.get(Slot::Object)).is_some_and(|object| {
                    self.table.role(object) == Role::Ident
                        && self.text(object).starts_with(char::is_uppercase)
                })
            }
            _ => false,
        };
        bare && args.named_child(0).is_some_and(|first| self.table.role(first) == Role::Lambda)
    }

    pub(super) fn variable(
        &mut self,
        node: SyntaxNode<'t>,
        parts: &SyntaxNodeFields<'t>,
    ) -> ExprId {
        let (ty, value) = (parts.get(Slot::Type), parts.get(Slot::Value));
        let Some(name) = parts.get(Slot::Name) else {
            self.children(node);
            return ExprId::UNKNOWN;
        };
        let local = self.is_local();
        let is_definition = value.is_some_and(|value| {
            let bare = self.bare(value);
            self.table.role(bare) == Role::Lambda
                || self.wraps_function(value)
                || self.nameless_class(bare).is_some()
        });
        if self.table.role(name) == Role::Ident && (!local || is_definition) {
            let sym = self.sym_of(name);
            let kind = if self.in_type() { DefKind::Field } else { DefKind::Variable };
            self.valued(kind, DeclaredName::at(sym, name), node, ty, value);
            return ExprId::UNKNOWN;
        }
        let ty = self.declared_type(ty, node);
        let value = value.map_or(ExprId::UNKNOWN, |value| {
            let held = self.node(value);
            // Locals that hold a member are many, and few of these are functions.
            if !matches!(self.facts.expr(held), Expr::Member { .. }) {
                self.hand_on(held, value);
            }
            held
        });
        self.object_is(value, ty);
        let (ty, value) = self.told_value(ty, value);
        self.pattern(name, ty, value);
        ExprId::UNKNOWN
    }

    /// Binds the names of a pattern to a value.
    pub(crate) fn pattern(&mut self, node: SyntaxNode<'t>, ty: TypeId, value: ExprId) {
        match self.table.role(node) {
            Role::Ident => {
                let module_level =
                    matches!(self.at.body, ReturnTarget::File) && self.at.owner.is_none();
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
    pub(crate) fn global(&mut self, sym: Sym, node: SyntaxNode<'t>, ty: TypeId, value: ExprId) {
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

    pub(super) fn add_value(&mut self, id: DefId, ty: TypeId, value: ExprId) {
        // What a comment tells of a field stands beside its values.
        let is_told = self.comment_types.is_some();
        let def = self.def_mut(id);
        if !def.ty.is_known() {
            def.ty = ty;
        }
        let (old, typed) = (def.value, def.ty.is_known() && !is_told);
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
}
