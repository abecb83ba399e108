//! What the lowering of Lua adds to the common walk.

use super::{
    Lua, annotations, expressions, functions,
    statements::{self, return_statement},
    variables,
};
use crate::{
    facts::{BindingTarget, DefFlags, DefId, ExprId, TypeId},
    lowering::{LoweringContext, LoweringDialect},
    syntax::SyntaxNode,
};

/// The name of the first parameter of a method.
pub(super) const SELF: &str = "self";

impl LoweringDialect for Lua {
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "comment" => annotations::comment(lower, node),
            "function_declaration" => functions::declared_function(lower, node, &parts),
            "variable_declaration" => variables::local_variables(lower, node),
            "assignment_statement" => variables::assignment(lower, node),
            "return_statement" => return_statement(lower, node),
            "for_statement" => statements::for_loop(lower, node, &parts),
            "bracket_index_expression" => return expressions::subscript(lower, node, &parts),
            "function_call" => return expressions::call(lower, node, &parts),
            "table_constructor" => return expressions::table(lower, node),
            "binary_expression" => return expressions::binary(lower, node),
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    /// Adds `self` to a method, and what comments say of parameters and results.
    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        annotations::function(lower, id, node);
        let def = lower.facts.def(id);
        if def.receiver.is_known() && def.flags.has(DefFlags::SELF_PARAM) {
            let ty = def.receiver;
            let name = lower.sym(SELF);
            lower.bind(name, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
        }
    }

    fn pattern<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        _ty: TypeId,
        _value: ExprId,
    ) {
        lower.node(node);
    }
}
