//! What the lowering of Go adds to the common walk.

use super::Go;
use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, ExprId, LambdaId, ScopeKind, TypeExpr, TypeId,
    },
    languages::go::{
        declarations::{
            fields, imports, method, named_results, package, param_types, receiver_type_params,
            type_spec, variables,
        },
        expressions::{
            call, composite_literal, conversion, elements, index_expression, slice,
            type_instantiation, unary,
        },
        statements::{assignment, range, receive, short_variables, type_switch},
    },
    lowering::{LoweringContext, LoweringDialect},
    syntax::SyntaxNode,
};

impl LoweringDialect for Go {
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "package_clause" => package(lower, node),
            "import_declaration" => imports(lower, node),
            "type_spec" => type_spec(lower, node),
            "field_declaration" => fields(lower, node),
            "const_spec" | "var_spec" => variables(lower, node),
            "short_var_declaration" => short_variables(lower, node, &parts),
            "assignment_statement" => assignment(lower, &parts),
            "receive_statement" => receive(lower, node, &parts),
            "if_statement"
            | "for_statement"
            | "expression_switch_statement"
            | "communication_case" => {
                lower.in_block(|lower| lower.children(node));
            }
            "range_clause" => range(lower, node),
            "method_declaration" => method(lower, node, &parts),
            "type_switch_statement" => type_switch(lower, node),
            "return_statement" => lower.children(node),
            "call_expression" => return call(lower, node, &parts),
            "unary_expression" => return unary(lower, node, &parts),
            "slice_expression" => return slice(lower, node),
            "type_conversion_expression" => return conversion(lower, node),
            "composite_literal" => return composite_literal(lower, &parts),
            "literal_value" => elements(lower, node, TypeId::UNKNOWN),
            "index_expression" => return index_expression(lower, node),
            "type_instantiation_expression" => return type_instantiation(lower, node),
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "map_type" => {
                let mut args = Vec::new();
                for field in ["key", "value"] {
                    args.push(node.field(field).map_or(TypeId::UNKNOWN, |ty| lower.ty(ty)));
                }
                let name = lower.sym("map");
                lower.named(vec![name], args, node)
            }
            // Results: one stands for itself.
            "parameter_list" => {
                let types = param_types(lower, node);
                match types.as_slice() {
                    [one] => *one,
                    _ => lower.push_type(TypeExpr::Tuple(types)),
                }
            }
            "parameter_declaration" => {
                lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty))
            }
            "struct_type" | "interface_type" => {
                let empty = lower.sym("");
                let id = lower.new_def(DefKind::Object, empty, node, None);
                let outer = lower.enter(id, ScopeKind::Type);
                lower.children(node);
                lower.at = outer;
                lower.push_type(TypeExpr::Object(id))
            }
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let name = lower.in_field(node, "name").map_or("", |name| lower.text(name));
        if name.starts_with(char::is_lowercase) { DefFlags::PRIVATE } else { DefFlags::EXPORTED }
    }

    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        named_results(lower, node);
        let Some(receiver) = lower.in_field(node, "receiver").and_then(|list| list.named_child(0))
        else {
            return;
        };
        let Some(ty) = lower.in_field(receiver, "type") else { return };
        receiver_type_params(lower, id, ty);
        let ty = lower.annotation(ty);
        lower.def_mut(id).receiver = ty;
        if let Some(name) = lower.in_field(receiver, "name") {
            let name = lower.sym_of(name);
            lower.bind(name, 0, BindingTarget::Local { ty, value: ExprId::UNKNOWN });
        }
    }

    fn lambda<'t>(&self, lower: &mut LoweringContext<'t>, _: LambdaId, node: SyntaxNode<'t>) {
        named_results(lower, node);
    }

    fn extra_params<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
    ) -> Vec<(SyntaxNode<'t>, TypeId)> {
        // `a, b int` declares two; without a name only the type counts.
        if lower.kind(node) != "parameter_declaration" {
            return Vec::new();
        }
        let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        let names: Vec<SyntaxNode<'t>> = node.fields("name").collect();
        if names.is_empty() {
            vec![(node, ty)]
        } else {
            names.into_iter().map(|name| (name, ty)).collect()
        }
    }
}
