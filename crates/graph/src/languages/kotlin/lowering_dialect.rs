//! What the lowering of Kotlin adds to the common walk.

use super::Kotlin;
use crate::{
    facts::{DefFlags, ExprId, TypeExpr, TypeId},
    languages::kotlin::{
        call_expressions::{call, lambda},
        declarations::{
            alias, annotation, class, companion, enum_entry, function, import, package, property,
            secondary_constructor,
        },
        expressions::{
            anonymous_function, binary, callable_reference, cast, constructor_invocation, infix,
            navigation, object_literal, this, unary,
        },
        statements::{catch, for_loop, if_expression, when},
    },
    lowering::{LoweringContext, LoweringDialect, find, kids},
    syntax::SyntaxNode,
};
use retriever_workspace::WorkBudgetExhausted;

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
                lower.push_type(TypeExpr::Function { params, result })
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
        if !root.has_error() {
            return Ok(None);
        }
        // The grammar doesn't know `fun interface`, takes `in` off a line that begins with a name like `in1`, and misses the end
        // of the last member before a brace on its line.
        let plain = separated(&source.replace("fun interface", "    interface"));
        let plain = ended(&plain);
        Ok((plain != source).then_some(plain))
    }

    fn body_is_value(&self) -> bool {
        false
    }
}

/// Puts semicolons in place of the blanks before closing braces on lines that open the body of a class.
fn ended(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let head = line.split_once('{').map_or("", |(head, _)| head);
        let is_head = |word: &str| ["class", "object", "interface"].contains(&word);
        let opens_class = line.contains(" }") && head.split_whitespace().any(is_head);
        let mut last = ' ';
        for (at, byte) in line.char_indices() {
            let is_end = opens_class && byte == ' ' && line[at..].starts_with(" }");
            plain.push(if is_end && !"{;".contains(last) { ';' } else { byte });
            last = if byte == ' ' { last } else { byte };
        }
    }
    plain
}

/// Puts a semicolon in place of the blank before a first word such as `in2` or `in_`, which the grammar takes for `in`, and
/// blanks lines that declare context parameters.
fn separated(source: &str) -> String {
    let mut plain = String::with_capacity(source.len());
    for line in source.split_inclusive('\n') {
        let name = line.trim_start_matches([' ', '\t']);
        let blank = line.len() - name.len();
        let rest = name.strip_prefix("in");
        if name.starts_with("context(") && name.trim_end().ends_with(')') {
            let text = line.trim_end_matches('\n');
            plain.extend(std::iter::repeat_n(' ', text.len()));
            plain.push_str(&line[text.len()..]);
            continue;
        }
        if blank > 0
            && rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'))
        {
            plain.push_str(&line[..blank - 1]);
            plain.push(';');
            plain.push_str(name);
        } else {
            plain.push_str(line);
        }
    }
    plain
}
