//! Parameters of functions, lambdas and types.

use crate::{
    facts::{BindingTarget, DefId, Expr, ExprId, LambdaId, Param, TypeId, TypeParam},
    lowering::lowering_context::LoweringContext,
    syntax::SyntaxNode,
    syntax::grammar_table::{Role, Slot},
};

/// Whose parameters are being read.
#[derive(Clone, Copy)]
pub(super) enum ParameterOwner {
    Def(DefId),
    Lambda(LambdaId),
}

impl<'t> LoweringContext<'t> {
    pub(super) fn params(&mut self, list: SyntaxNode<'t>, owner: ParameterOwner) {
        for child in list.children() {
            if child.kind() == "_" {
                self.named_param(child, TypeId::UNKNOWN, owner);
                continue;
            }
            if !child.is_named() {
                continue;
            }
            if self.table.role(child) == Role::Param || self.dialect.is_param(self, child) {
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

    fn named_param(&mut self, node: SyntaxNode<'t>, ty: TypeId, owner: ParameterOwner) {
        let named = self.table.role(node) == Role::Ident;
        let name = if named { self.sym_of(node) } else { self.sym("") };
        let param = Param { name, ty, default: ExprId::UNKNOWN, variadic: false };
        let place = |len: usize| u16::try_from(len).unwrap_or(u16::MAX);
        let bound = match owner {
            ParameterOwner::Def(id) => {
                BindingTarget::Param(id, place(self.facts.def(id).params.len()))
            }
            ParameterOwner::Lambda(id) => {
                BindingTarget::LambdaParam(id, place(self.facts.lambdas[id.index()].params.len()))
            }
        };
        if named {
            self.bind(name, 0, bound);
        }
        match owner {
            ParameterOwner::Def(id) => self.def_mut(id).params.push(param),
            ParameterOwner::Lambda(id) => self.facts.lambdas[id.index()].params.push(param),
        }
    }

    pub(super) fn param(&mut self, node: SyntaxNode<'t>, owner: ParameterOwner) {
        let parts = if self.table.role(node) == Role::Param { self.parts(node) } else { None };
        let (name, ty, default) = match &parts {
            Some(p) => (p.get(Slot::Name), p.get(Slot::Type), p.get(Slot::Value)),
            None => (Some(node), None, None),
        };
        let ty = self.inline_type(ty, node);
        let default = default.map_or(ExprId::UNKNOWN, |value| self.kept_value(value));
        let rest = |n: SyntaxNode<'_>| {
            ["rest", "splat", "variadic", "spread"].iter().any(|word| self.kind(n).contains(word))
        };
        let variadic = rest(node) || name.is_some_and(rest);
        let place = match owner {
            ParameterOwner::Def(id) => self.facts.def(id).params.len(),
            ParameterOwner::Lambda(id) => self.facts.lambdas[id.index()].params.len(),
        };
        let bound = |place: usize| {
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            match owner {
                ParameterOwner::Def(id) => BindingTarget::Param(id, place),
                ParameterOwner::Lambda(id) => BindingTarget::LambdaParam(id, place),
            }
        };
        let plain = name.map(|name| self.plain_name(name));
        if let Some(Some(this)) = plain
            && self.table.role(this) == Role::This
            && self.text(this) == "this"
        {
            // Says what `this` is, and is given nothing.
            let sym = self.sym_of(this);
            self.bind(sym, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
            self.typed_this.insert(self.at.scope);
            return;
        }
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
                let value = self.push(Expr::Name { name: hidden, scope, pos: u32::MAX });
                if let Some(name) = name {
                    self.pattern(name, TypeId::UNKNOWN, value);
                }
                hidden
            }
            None => self.sym(""),
        };
        let param = Param { name: sym, ty, default, variadic };
        match owner {
            ParameterOwner::Def(id) => self.def_mut(id).params.push(param),
            ParameterOwner::Lambda(id) => self.facts.lambdas[id.index()].params.push(param),
        }
        self.dialect.param(self, node);
    }

    /// The identifier that a declared name comes down to, if it isn't a pattern.
    fn plain_name(&self, node: SyntaxNode<'t>) -> Option<SyntaxNode<'t>> {
        match self.table.role(node) {
            Role::Ident | Role::This => Some(node),
            _ => {
                let kind = self.kind(node);
                let wrapped =
                    ["rest", "splat", "variadic", "spread"].iter().any(|word| kind.contains(word));
                node.named_child(0)
                    .filter(|child| wrapped && self.table.role(*child) == Role::Ident)
            }
        }
    }

    pub(crate) fn type_params(&mut self, id: DefId, list: Option<SyntaxNode<'t>>) {
        let Some(list) = list else { return };
        for child in list.named_children() {
            let Some(parts) = self.parts(child) else { continue };
            let Some(name) = parts.get(Slot::Name) else { continue };
            let sym = self.sym_of(name);
            let place = u16::try_from(self.facts.def(id).type_params.len()).unwrap_or(u16::MAX);
            self.bind(sym, 0, BindingTarget::TypeParam(id, place));
            self.def_mut(id).type_params.push(TypeParam { name: sym, bound: TypeId::UNKNOWN });
            if let Some(bound) = parts.get(Slot::Type) {
                let bound = self.annotation(bound);
                self.def_mut(id).type_params[usize::from(place)].bound = bound;
            }
            if let Some(default) = parts.get(Slot::Value) {
                self.annotation(default);
            }
        }
    }
}
