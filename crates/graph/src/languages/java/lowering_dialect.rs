//! What the lowering of Java adds to the common walk.

use super::Java;
use crate::{
    facts::{DefFlags, DefId, ExprId, TypeId},
    languages::java::{
        declarations::{annotations, enum_constant, import, package, record, variables},
        expressions::{
            call, class_literal, computed, constructor_call, creation, floating_point, integer,
            method_reference, new_array, unary,
        },
        statements::{catch, instance_of, resource, switch},
    },
    lowering::{LoweringContext, LoweringDialect, kids},
    syntax::SyntaxNode,
};

impl LoweringDialect for Java {
    fn reparses_errors(&self) -> bool {
        true
    }

    fn names_cases(&self) -> bool {
        true
    }

    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "package_declaration" => package(lower, node),
            "import_declaration" => import(lower, node),
            "record_declaration" => record(lower, node),
            "enum_constant" => enum_constant(lower, node, &parts),
            "field_declaration" | "local_variable_declaration" => variables(lower, node),
            "resource" => resource(lower, node),
            "for_statement" => {
                lower.in_block(|lower| lower.children(node));
            }
            "decimal_integer_literal"
            | "hex_integer_literal"
            | "octal_integer_literal"
            | "binary_integer_literal" => return integer(lower, node),
            "decimal_floating_point_literal" | "hex_floating_point_literal" => {
                return floating_point(lower, node);
            }
            "character_literal" => return lower.literal("char"),
            "binary_expression" => return computed(lower, node),
            "unary_expression" => return unary(lower, node),
            "array_creation_expression" => return new_array(lower, node),
            "class_literal" => return class_literal(lower, node),
            "method_invocation" => return call(lower, node, &parts),
            "object_creation_expression" => return creation(lower, node),
            "explicit_constructor_invocation" => return constructor_call(lower, node, &parts),
            "method_reference" => return method_reference(lower, node),
            "instanceof_expression" => instance_of(lower, node),
            "switch_expression" => switch(lower, node),
            "catch_clause" => catch(lower, node),
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        if let Some(modifiers) =
            node.named_child(0).filter(|first| lower.kind(*first) == "modifiers")
        {
            for word in lower.text(modifiers).split_whitespace() {
                flags = flags.with(match word {
                    "static" => DefFlags::STATIC,
                    "private" => DefFlags::PRIVATE,
                    "abstract" => DefFlags::ABSTRACT,
                    _ => DefFlags::default(),
                });
            }
        }
        if lower.kind(node).contains("constructor") {
            flags.with(DefFlags::CONSTRUCTOR)
        } else {
            flags
        }
    }

    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        annotations(lower, id, node);
        let params = lower.in_field(node, "parameters");
        let last = params.and_then(|params| kids(params).pop());
        if last.is_some_and(|last| lower.kind(last) == "spread_parameter")
            && let Some(param) = lower.def_mut(id).params.last_mut()
        {
            param.variadic = true;
        }
    }

    fn extra_params<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
    ) -> Vec<(SyntaxNode<'t>, TypeId)> {
        if lower.kind(node) != "spread_parameter" {
            return Vec::new();
        }
        let children: Vec<SyntaxNode<'t>> = node.named_children().collect();
        let name = children
            .iter()
            .find(|c| lower.kind(**c) == "variable_declarator")
            .and_then(|d| lower.in_field(*d, "name"));
        let ty = children
            .iter()
            .find(|c| !matches!(lower.kind(**c), "modifiers" | "variable_declarator"))
            .copied();
        let ty = ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        name.map(|name| (name, ty)).into_iter().collect()
    }
}
