//! What the lowering of Rust adds to the common walk.

use super::{Rust, binding_patterns, macros};
use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, ExprId, TypeExpr, TypeId},
    languages::rust::{
        declarations::{bounds, implementation, macro_definition, module},
        expressions::{
            generic_function, index_expression, matching, operation, parenthesized, path,
            struct_expression,
        },
        imports::{extern_crate, use_declaration},
        statements::{if_expression, let_condition, let_declaration, while_expression},
    },
    lowering::{LoweringContext, LoweringDialect, Role},
    syntax::SyntaxNode,
};
use retriever_workspace::WorkBudgetExhausted;

impl LoweringDialect for Rust {
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "attribute_item" => lower.doc_reaches(node),
            "use_declaration" => use_declaration(lower, node),
            "extern_crate_declaration" => extern_crate(lower, node),
            "mod_item" => module(lower, node, &parts),
            "impl_item" => implementation(lower, node),
            "macro_definition" => macro_definition(lower, node, &parts),
            "macro_invocation" => return macros::call(lower, node),
            "let_declaration" => let_declaration(lower, node, &parts),
            "let_condition" => let_condition(lower, node, &parts),
            "if_expression" => return if_expression(lower, &parts),
            "while_expression" => while_expression(lower, &parts),
            "match_expression" => return matching(lower, node),
            "generic_function" => return generic_function(lower, &parts),
            "scoped_identifier" => return path(lower, node),
            "struct_expression" => return struct_expression(lower, &parts),
            "binary_expression" => return operation(lower, node),
            "index_expression" => return index_expression(lower, node),
            "parenthesized_expression" => return parenthesized(lower, node),
            // The value of a block may be a statement that ends with a block of its own.
            "expression_statement" => {
                let value = lower.last_child(node);
                if !lower.text(node).ends_with(';') {
                    return value;
                }
            }
            "ordered_field_declaration_list" => {}
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn pattern<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        ty: TypeId,
        value: ExprId,
    ) {
        let value = if ty.is_known() { lower.push(Expr::Typed(ty)) } else { value };
        let none = TypeId::UNKNOWN;
        let children: Vec<SyntaxNode<'t>> =
            node.named_children().filter(|child| !child.is_extra()).collect();
        match lower.kind(node) {
            "tuple_struct_pattern" => binding_patterns::tuple_struct(lower, node, value),
            "struct_pattern" => binding_patterns::fields(lower, node),
            "tuple_pattern" => {
                for (place, part) in binding_patterns::placed(node, None) {
                    let item = lower.push(Expr::Item(value, place));
                    lower.local_pattern(part, none, item);
                }
            }
            "slice_pattern" => {
                for part in children {
                    let item = lower.push(Expr::Elem(value));
                    lower.local_pattern(part, none, item);
                }
            }
            // A variant without a value.
            "scoped_identifier" => {
                lower.node(node);
            }
            "range_pattern" | "string_literal" | "integer_literal" | "negative_literal"
            | "boolean_literal" | "char_literal" => {}
            "macro_invocation" | "const_block" => {
                lower.node(node);
            }
            _ => {
                for part in children {
                    if lower.kind(part) != "mutable_specifier" {
                        lower.local_pattern(part, none, value);
                    }
                }
            }
        }
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "crate" | "super" => {
                let name = lower.sym_of(node);
                lower.named(vec![name], Vec::new(), node)
            }
            "self" => {
                let name = lower.sym("self::");
                lower.named(vec![name], Vec::new(), node)
            }
            "scoped_identifier" => {
                let (Some(path), Some(name)) =
                    (lower.in_field(node, "path"), lower.in_field(node, "name"))
                else {
                    return TypeId::UNKNOWN;
                };
                let base = lower.ty(path);
                let name = lower.sym_of(name);
                if let TypeExpr::Named { path, .. } = &mut lower.facts.types[base.index()] {
                    path.push(name);
                }
                base
            }
            "type_binding" => match lower.in_field(node, "type") {
                // `Iterator<Item = T>`: the binding is what it holds.
                Some(ty) => lower.ty(ty),
                None => TypeId::UNKNOWN,
            },
            "macro_invocation" => {
                lower.node(node);
                TypeId::UNKNOWN
            }
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        let mut public = false;
        for child in node.named_children() {
            match lower.kind(child) {
                "visibility_modifier" => public = true,
                "function_modifiers" if lower.text(child).contains("async") => {
                    flags = flags.with(DefFlags::ASYNC);
                }
                "block" | "parameters" | "declaration_list" => break,
                _ => {}
            }
        }
        if public { flags.with(DefFlags::EXPORTED) } else { flags.with(DefFlags::PRIVATE) }
    }

    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        bounds(lower, id, node);
        if (lower.kind(node) == "struct_item" || lower.kind(node) == "enum_variant")
            && let Some(list) =
                node.field("body").filter(|b| b.kind() == "ordered_field_declaration_list")
        {
            let types = list.fields("type").collect::<Vec<_>>();
            for (place, ty) in types.into_iter().enumerate() {
                let name = lower.sym(&place.to_string());
                let field = lower.new_def(DefKind::Field, name, ty, None);
                let ty = lower.annotation(ty);
                lower.def_mut(field).ty = ty;
            }
        }
        let own = lower.facts.def(id).params.first().map(|param| param.name);
        if own.is_some_and(|own| lower.facts.text(own) == "self") {
            lower.mark(id, DefFlags::SELF_PARAM);
        } else if lower.facts.def(id).kind == DefKind::Function {
            lower.mark(id, DefFlags::STATIC);
        }
    }

    fn is_param(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
        lower.table.role(node) == Role::Ident
            || matches!(
                lower.kind(node),
                "tuple_pattern"
                    | "tuple_struct_pattern"
                    | "struct_pattern"
                    | "reference_pattern"
                    | "mut_pattern"
                    | "ref_pattern"
                    | "captured_pattern"
            )
    }

    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        Ok(macros::unwrap_items(source, root))
    }

    fn body_is_value(&self) -> bool {
        true
    }
}
