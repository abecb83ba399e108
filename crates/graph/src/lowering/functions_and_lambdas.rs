//! Functions and lambdas: their scopes, results and bodies.

use crate::{
    facts::{BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, Lambda, LambdaId, ScopeKind},
    lowering::{
        lowering_context::{LoweringContext, ReturnTarget, index},
        parameters::ParameterOwner,
    },
    syntax::{
        SyntaxNode,
        grammar_table::{Role, Slot},
        syntax_node_fields::SyntaxNodeFields,
    },
};

impl<'t> LoweringContext<'t> {
    pub(crate) fn function(
        &mut self,
        node: SyntaxNode<'t>,
        name: Option<SyntaxNode<'t>>,
        parts: &SyntaxNodeFields<'t>,
    ) -> DefId {
        let id = self.new_named(DefKind::Function, node, name);
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
        self.own_params(parts, ParameterOwner::Def(id));
        if let Some(result) = parts.get(Slot::Type) {
            let ty = self.annotation(result);
            self.def_mut(id).ty = ty;
        }
        self.comment_function(id, node);
        self.dialect.define(self, id, node);
        match body {
            Some(body) => {
                if let Some(value) = self.body_value(body) {
                    self.hand_on(value, result_of(body));
                    self.object_is(value, self.facts.def(id).ty);
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
        self.own_params(parts, ParameterOwner::Lambda(id));
        if let Some(result) = parts.get(Slot::Type) {
            self.facts.lambdas[id.index()].ty = self.annotation(result);
        }
        let body = parts.get(Slot::Body);
        self.dialect.lambda(self, id, node);
        if let Some(body) = body
            && let Some(value) = self.body_value(body)
        {
            // What a member of a parameter is is rarely a function, and its type takes long to find.
            if matches!(self.facts.expr(value), Expr::Name { .. }) {
                self.hand_on(value, result_of(body));
            }
            self.facts.lambdas[id.index()].returns.push(value);
        }
        self.at = outer;
        self.push(Expr::Lambda(id))
    }

    /// Reads the parameters of a function: a list, or one alone as in `x => …`.
    fn own_params(&mut self, parts: &SyntaxNodeFields<'t>, owner: ParameterOwner) {
        match parts.get(Slot::Params) {
            Some(param) if self.dialect.is_param(self, param) => self.param(param, owner),
            Some(params) => self.params(params, owner),
            None => {}
        }
    }

    /// Reads a body. Returns its value if that is what the function returns.
    fn body_value(&mut self, body: SyntaxNode<'t>) -> Option<ExprId> {
        let value = self.node(body);
        let is_result = self.table.role(body) != Role::Block || self.dialect.body_is_value();
        (value.is_known() && is_result).then_some(value)
    }
}

/// Returns the expression that the value of a body is: the last one of a block.
fn result_of(body: SyntaxNode<'_>) -> SyntaxNode<'_> {
    body.named_children().filter(|child| !child.is_extra()).last().unwrap_or(body)
}
