//! What the lowering of Kotlin adds to the common walk.

use retriever_workspace::WorkBudgetExhausted;

use super::{
    Kotlin,
    grammar_workarounds::{
        hides_classes, readable, with_annotation_classes, without_annotations_of_misread,
    },
};
use crate::{
    facts::{DefFlags, ExprId, TypeExpr, TypeId},
    languages::kotlin::{
        declarations::{
            alias, annotation, class, companion, enum_entry, function, import, package, property,
            secondary_constructor,
        },
        expressions::{
            anonymous_function, binary, call, callable_reference, cast, constructor_invocation,
            infix, lambda, navigation, object_literal, this, unary,
        },
        statements::{catch, for_loop, if_expression, when},
    },
    lowering::{LoweringContext, LoweringDialect, find, kids},
    syntax::SyntaxNode,
};

impl LoweringDialect for Kotlin {
    fn reparses_errors(&self) -> bool {
        true
    }

    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        match lower.kind(node) {
            "package_header" => package(lower, node),
            "import" => import(lower, node),
            "annotation" | "file_annotation" => annotation(lower, node),
            "class_declaration" | "object_declaration" => class(lower, node),
            // What a companion has belongs to its class.
            "companion_object" => companion(lower, node),
            "type_alias" => alias(lower, node),
            "function_declaration" => {
                function(lower, node, lower.in_field(node, "name"));
            }
            "secondary_constructor" => secondary_constructor(lower, node),
            "property_declaration" => property(lower, node),
            "setter" => {
                lower.in_block(|lower| lower.children(node));
            }
            "enum_entry" => enum_entry(lower, node),
            "for_statement" => for_loop(lower, node),
            "if_expression" => return if_expression(lower, node),
            "when_expression" => return when(lower, node),
            "catch_block" => catch(lower, node),
            "call_expression" => return call(lower, node),
            "this_expression" => return this(lower, node),
            "constructor_invocation" => return constructor_invocation(lower, node),
            "navigation_expression" => return navigation(lower, node),
            "as_expression" => return cast(lower, node),
            "unary_expression" => return unary(lower, node),
            "infix_expression" => return infix(lower, node),
            "binary_expression" => return binary(lower, node),
            "lambda_literal" => return lambda(lower, node),
            "anonymous_function" => return anonymous_function(lower, node),
            "object_literal" => return object_literal(lower, node),
            "callable_reference" => return callable_reference(lower, node),
            "user_type" => {}
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "user_type" => {
                let mut path = Vec::new();
                let mut args = Vec::new();
                for child in kids(node) {
                    match lower.kind(child) {
                        "type_arguments" => args = lower.type_list(child),
                        _ => path.push(lower.sym_of(child)),
                    }
                }
                lower.named(path, args, node)
            }
            // A parameter of a function type may have a name.
            "parameter" => kids(node).last().map_or(TypeId::UNKNOWN, |ty| lower.ty(*ty)),
            "function_type" => {
                let parts = kids(node);
                let result = parts.last().map_or(TypeId::UNKNOWN, |ty| lower.ty(*ty));
                let list = find(node, "function_type_parameters");
                let params = list.map(|list| lower.type_list(list)).unwrap_or_default();
                let before = parts.iter().take_while(|part| Some(**part) != list);
                let receiver = before.last().filter(|part| part.kind() != "type_modifiers");
                let receiver = receiver.map_or(TypeId::UNKNOWN, |ty| lower.ty(*ty));
                lower.push_type(TypeExpr::Function { receiver, params, result })
            }
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let Some(modifiers) = find(node, "modifiers") else { return DefFlags::default() };
        let mut flags = DefFlags::default();
        for word in lower.text(modifiers).split_whitespace() {
            flags = flags.with(match word {
                "private" | "protected" => DefFlags::PRIVATE,
                "suspend" => DefFlags::ASYNC,
                "abstract" => DefFlags::ABSTRACT,
                "expect" => DefFlags::DECLARATION,
                "actual" => DefFlags::PLATFORM_BODY,
                _ => DefFlags::default(),
            });
        }
        flags
    }

    fn narrow<'t>(&self, lower: &mut LoweringContext<'t>, condition: SyntaxNode<'t>) {
        match lower.kind(condition) {
            "parenthesized_expression" => {
                if let Some(inner) = condition.named_child(0) {
                    self.narrow(lower, inner);
                }
            }
            "binary_expression" if condition.child(1).is_some_and(|o| o.kind() == "&&") => {
                for side in kids(condition) {
                    self.narrow(lower, side);
                }
            }
            "is_expression" if condition.child(1).is_some_and(|o| o.kind() == "is") => {
                let parts = kids(condition);
                let [subject, ty] = parts.as_slice() else { return };
                match subject.kind() {
                    "identifier" => {
                        let ty = lower.ty(*ty);
                        lower.bind_local(*subject, ty, ExprId::UNKNOWN);
                    }
                    "this_expression" => lower.at.this = lower.ty(*ty),
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        let len = source.len() as u64;
        root.budget().spend(len / 16)?;
        let plain = match root.has_error() {
            true => {
                // Each form that the grammar misreads is sought in a pass over a copy.
                root.budget().spend(len / 2)?;
                root.budget().allocate(8 * len)?;
                Some(readable(source))
            }
            false => hides_classes(source).then(|| with_annotation_classes(source)),
        };
        let plain = plain.filter(|plain| plain != source);
        Ok(plain.or_else(|| without_annotations_of_misread(source, root)))
    }

    fn body_is_value(&self) -> bool {
        false
    }
}
