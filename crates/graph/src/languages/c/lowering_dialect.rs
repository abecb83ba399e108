//! What the lowering of C and C++ adds to the common walk.

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

use super::{
    C,
    declarations::{enumerator, macro_definition},
    expressions,
    macro_functions::block_of_macro,
    preprocessor_blanking,
    standard_library::is_iterated,
};
use crate::{
    facts::{DefFlags, DefKind, ExprId, TypeExpr, TypeId},
    languages::c::{
        declarations::{declaration, friend, function},
        expressions::{
            call, compound_literal, initializers, lambda, new_object, qualified, size_of,
            subscript, template_function,
        },
        namespaces_and_templates::{namespace, template},
        statements::{handler, range_loop},
        types::{specifier, type_definition, type_descriptor},
        using_declarations::{include, namespace_alias, using},
    },
    lowering::{LoweringContext, LoweringDialect, Slot},
    syntax::SyntaxNode,
};

impl LoweringDialect for C {
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "preproc_include" => include(lower, node),
            "preproc_def" | "preproc_function_def" => macro_definition(lower, node, &parts),
            "function_definition" => function(lower, node),
            "compound_statement" if block_of_macro(lower, node) => {}
            "compound_statement" => return lower.in_block(|lower| lower.last_child(node)),
            "declaration" | "field_declaration" => declaration(lower, node),
            "type_definition" => type_definition(lower, node),
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
                specifier(lower, node);
            }
            "enumerator" => enumerator(lower, node, &parts),
            "catch_clause" => handler(lower, node),
            "for_statement" | "if_statement" | "while_statement" | "switch_statement" => {
                lower.in_block(|lower| lower.children(node));
            }
            "for_range_loop" => range_loop(lower, node),
            "sizeof_expression" => size_of(lower, node),
            "subscript_expression" => return subscript(lower, node),
            // Macros may make parts of it.
            "concatenated_string" => {
                lower.children(node);
                return lower.literal("string");
            }
            "compound_literal_expression" => return compound_literal(lower, node),
            "initializer_list" => {
                initializers(lower, node, TypeId::UNKNOWN, 0);
            }
            "namespace_definition" => {
                let Some(body) = parts.get(Slot::Body) else { return ExprId::UNKNOWN };
                namespace(lower, node, parts.get(Slot::Name), body);
            }
            "template_declaration" => template(lower, node),
            "friend_declaration" => friend(lower, node),
            "using_declaration" => using(lower, node),
            "namespace_alias_definition" => namespace_alias(lower, node),
            "field_initializer" => expressions::initializer(lower, node),
            "call_expression" => return call(lower, node, parts.get(Slot::Args)),
            "lambda_expression" => return lambda(lower, node),
            "new_expression" => return new_object(lower, node),
            "qualified_identifier" => return qualified(lower, node),
            "template_function" | "template_method" => return template_function(lower, node),
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
                if lower.in_field(node, "body").is_some() {
                    let id = specifier(lower, node);
                    return if lower.facts.def(id).kind == DefKind::Object {
                        lower.push_type(TypeExpr::Object(id))
                    } else {
                        let name = lower.facts.def(id).name;
                        lower.named(vec![name], Vec::new(), node)
                    };
                }
                lower.in_field(node, "name").map_or(TypeId::UNKNOWN, |name| lower.ty(name))
            }
            "qualified_identifier" => {
                let Some(name) = lower.in_field(node, "name") else { return TypeId::UNKNOWN };
                if let Some(scope) = lower.in_field(node, "scope")
                    && scope.kind() == "template_type"
                    && lower.kind(name) == "type_identifier"
                    && is_iterated(lower.text(name))
                {
                    let container = lower.ty(scope);
                    let name = lower.sym_of(name);
                    return lower.push_type(TypeExpr::Member(container, name));
                }
                let mut path = Vec::new();
                if let Some(scope) = lower.in_field(node, "scope") {
                    let base = lower.ty(scope);
                    if let TypeExpr::Named { path: above, .. } = lower.facts.ty(base) {
                        path.clone_from(above);
                    }
                }
                let inner = lower.ty(name);
                if let TypeExpr::Named { path: own, .. } = &mut lower.facts.types[inner.index()] {
                    path.append(own);
                    *own = path;
                }
                inner
            }
            "dependent_name" => lower.only_child_type(node),
            "type_descriptor" => type_descriptor(lower, node),
            "dependent_type" | "template_argument_list" => lower.only_child_type(node),
            "decltype" => match lower.values(node).last() {
                Some(value) if value.is_known() => lower.push_type(TypeExpr::TypeOf(*value)),
                _ => TypeId::UNKNOWN,
            },
            // A value among the arguments of a template.
            _ => {
                lower.node(node);
                TypeId::UNKNOWN
            }
        }
    }

    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        if root.has_error() {
            return self.rewrite_unread(source, root.budget());
        }
        preprocessor_blanking::misread(source, root.budget())
    }

    fn rewrite_unread(
        &self,
        source: &str,
        budget: &WorkBudget,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        let mended = preprocessor_blanking::misread(source, budget)?;
        let source = mended.as_deref().unwrap_or(source);
        Ok(preprocessor_blanking::plain(source, budget)?.or(mended))
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        for child in node.named_children() {
            match lower.kind(child) {
                "storage_class_specifier" if lower.text(child) == "static" => {
                    flags = flags.with(DefFlags::FILE_LOCAL).with(DefFlags::STATIC);
                }
                "compound_statement" | "field_declaration_list" => break,
                _ => {}
            }
        }
        flags
    }
}
