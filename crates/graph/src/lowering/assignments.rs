//! Assignments: to variables, to members, and to what a pattern names.

use crate::{
    facts::{
        DefFlags, DefKind, Expr, ExprId, NamedField, StructFieldSelector, StructFieldValue,
        StructFieldWrite, Sym, TypeExpr, TypeId,
    },
    lowering::{
        lowering_context::{LoweringContext, index},
        signatures::last_row,
    },
    syntax::{
        SyntaxNode,
        grammar_table::{Role, Slot},
        syntax_node_fields::SyntaxNodeFields,
    },
};

impl<'t> LoweringContext<'t> {
    pub(super) fn assign(&mut self, node: SyntaxNode<'t>, parts: &SyntaxNodeFields<'t>) -> ExprId {
        let (Some(left), right) = (parts.get(Slot::Name), parts.get(Slot::Value)) else {
            self.children(node);
            return ExprId::UNKNOWN;
        };
        let ty = self.declared_type(parts.get(Slot::Type), node);
        if let Some(value) = self.dialect.assign(self, node, left, right) {
            return value;
        }
        let value = right.map_or(ExprId::UNKNOWN, |right| self.node(right));
        if let Some(right) = right {
            self.hand_on(value, right);
        }
        match self.table.role(left) {
            Role::Member => {
                let target = self.unread(left);
                if right.is_some_and(|right| self.is_compound(left, right)) {
                    self.accessed(target, left, 0);
                }
                self.accessed(target, left, 1);
                self.set_member(target, value);
                self.write_field(target, value);
                if let Expr::Member { object, .. } = *self.facts.expr(target)
                    && self.is_receiver(object)
                    && let Some(name) = self.parts(left).and_then(|parts| parts.get(Slot::Name))
                {
                    self.assigned_field(node, name, ty, value);
                }
            }
            Role::Ident if !self.dialect.assignment_declares() => {
                let target = self.node(left);
                self.write_field(target, value);
            }
            Role::Ident if self.in_type() => {
                let sym = self.sym_of(left);
                let id = self.new_def(crate::facts::DefKind::Field, sym, node, Some(left));
                self.sign(id, node, None);
                let def = self.def_mut(id);
                (def.ty, def.value) = (ty, value);
            }
            Role::Index if self.dialect.assignment_declares() => {
                let target = self.node(left);
                self.write_field(target, value);
            }
            _ if self.dialect.assignment_declares() => {
                let first = self.facts.defs.len();
                self.pattern(left, ty, value);
                self.end_variables(first, node);
            }
            _ => {
                let target = self.node(left);
                self.write_field(target, value);
            }
        }
        value
    }

    /// Whether the sign between the sides of an assignment takes the old value, too: `+=`.
    fn is_compound(&self, left: SyntaxNode<'_>, right: SyntaxNode<'_>) -> bool {
        let source = self.syntax.source();
        let between = source.get(left.end_byte()..right.start_byte()).unwrap_or_default();
        let sign = between.split_whitespace().next_back().unwrap_or_default();
        sign.len() > 1 && sign.ends_with('=') && !sign.starts_with(':')
    }

    /// Lets the variables that were defined from `first` on end with their statement.
    fn end_variables(&mut self, first: usize, statement: SyntaxNode<'t>) {
        let end = index(last_row(statement, self.text(statement)) + 1);
        let defs = self.facts.defs[first..].iter_mut();
        for def in defs.filter(|def| def.kind == DefKind::Variable) {
            def.end = def.end.max(end);
        }
    }

    /// Whether an expression is the object that the method belongs to.
    fn is_receiver(&self, object: ExprId) -> bool {
        match self.facts.expr(object) {
            Expr::This(_) => true,
            Expr::Def(function) => self.at.constructor == Some(*function),
            Expr::Name { name, .. } => {
                self.dialect.receiver_param() == Some(self.facts.text(*name))
            }
            _ => false,
        }
    }

    /// Binds a pattern inside a statement: never a module's own name unless the language says so.
    pub(crate) fn local_pattern(&mut self, node: SyntaxNode<'t>, ty: TypeId, value: ExprId) {
        match self.table.role(node) {
            Role::Ident => self.bind_local(node, ty, value),
            Role::Variable => {
                if let Some(name) = self.parts(node).and_then(|parts| parts.get(Slot::Name)) {
                    self.local_pattern(name, ty, value);
                }
            }
            _ => self.dialect.pattern(self, node, ty, value),
        }
    }

    /// Notes `this.name = value`: a field of the enclosing type that nothing else declares.
    pub(crate) fn assigned_field(
        &mut self,
        node: SyntaxNode<'t>,
        name: SyntaxNode<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        let sym = self.sym_of(name);
        self.assigned_member(node, sym, name, ty, value);
    }

    /// Does the same for a field that is written under another name.
    pub(crate) fn assigned_member(
        &mut self,
        node: SyntaxNode<'t>,
        sym: Sym,
        name: SyntaxNode<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        let Some(class) = self.type_around(self.at.scope) else {
            self.constructed_field(node, sym, name, ty, value);
            return;
        };
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
        self.mark(id, DefFlags::ASSIGNED);
        let def = self.def_mut(id);
        (def.ty, def.value) = (ty, value);
    }

    /// Defines a field of what the function around constructs, or adds a value to it.
    fn constructed_field(
        &mut self,
        node: SyntaxNode<'t>,
        sym: Sym,
        name: SyntaxNode<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        let Some(function) = self.at.constructor else { return };
        let known = self.members.get(&(function, sym)).copied();
        if let Some(id) = known.filter(|id| self.facts.def(*id).kind == DefKind::Field) {
            self.add_value(id, ty, value);
            return;
        }
        let outer = self.at;
        self.at.owner = Some(function);
        let id = self.new_def(DefKind::Field, sym, node, Some(name));
        self.at = outer;
        self.sign(id, node, None);
        self.mark(id, DefFlags::ASSIGNED);
        let host = self.push(Expr::Def(function));
        let receiver = self.push_type(TypeExpr::TypeOf(host));
        let def = self.def_mut(id);
        (def.ty, def.value, def.receiver) = (ty, value, receiver);
    }

    /// Notes that a name or member is put into a field of `ty`, so that a call through the field may run it.
    pub(crate) fn set_field(&mut self, ty: TypeId, field: StructFieldSelector, value: ExprId) {
        let may_run = matches!(
            self.facts.expr(value),
            Expr::Name { .. } | Expr::Member { .. } | Expr::Lambda(_)
        );
        if ty.is_known() && may_run {
            self.allocate(size_of::<StructFieldValue>());
            self.facts.field_values.push(StructFieldValue { ty, field, value });
            if let StructFieldSelector::Named(name) = field {
                self.expect_of_lambda(value, TypeExpr::Member(ty, name));
            }
        }
    }

    /// Notes that a literal or a pattern of type `ty` names a field.
    pub(crate) fn name_field(&mut self, ty: TypeId, name: SyntaxNode<'t>) {
        if ty.is_known() {
            self.allocate(size_of::<NamedField>());
            let (name, pos) = (self.sym_of(name), index(name.start_byte()));
            self.facts.named_fields.push(NamedField { ty, name, pos });
        }
    }

    /// Notes that an assignment puts a value, which may be a function or hold some, where `into` says.
    pub(crate) fn write_field(&mut self, into: ExprId, value: ExprId) {
        let place = matches!(
            self.facts.expr(into),
            Expr::Name { .. } | Expr::Member { .. } | Expr::Index(_)
        );
        let may_run = matches!(
            self.facts.expr(value),
            Expr::Name { .. }
                | Expr::Member { .. }
                | Expr::Lambda(_)
                | Expr::Call { .. }
                | Expr::Either(_)
                | Expr::Array(_)
        );
        if place && may_run {
            self.allocate(size_of::<StructFieldWrite>());
            self.facts.field_writes.push(StructFieldWrite { into, value });
            self.expect_of_lambda(value, TypeExpr::TypeOf(into));
        }
    }

    /// Notes what type is expected of a value where it is put, if it is a lambda of which that is not known: its parameters follow
    /// from it.
    fn expect_of_lambda(&mut self, value: ExprId, ty: TypeExpr) {
        if let Expr::Lambda(id) = *self.facts.expr(value)
            && !self.facts.lambdas[id.index()].declared.is_known()
        {
            let ty = self.push_type(ty);
            self.declare_lambda(value, ty);
        }
    }

    /// Does the same as [`Self::set_field`] for an assignment: `object.field = value`.
    pub(crate) fn set_member(&mut self, target: ExprId, value: ExprId) {
        if let Expr::Member { object, name } = *self.facts.expr(target) {
            self.expect_of_lambda(value, TypeExpr::TypeOf(target));
            let ty = self.push_type(TypeExpr::TypeOf(object));
            self.set_field(ty, StructFieldSelector::Named(name), value);
        }
    }
}
