//! What the lowering of Swift adds to the common walk.

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

use super::{
    Swift, declarations,
    grammar_workarounds::{readable, separated},
    plain,
};
use crate::{
    facts::{DefFlags, Expr, ExprId, TypeExpr, TypeId},
    languages::swift::{
        expressions::{
            array, call, cast, closure, construction, equality, macro_call, name, navigation,
            nil_coalescing, postfix, prefix, string_literal, ternary, tuple, type_test,
        },
        statements::{self, assignment, transfer},
    },
    lowering::{LoweringContext, LoweringDialect, find, kids},
    syntax::SyntaxNode,
};

impl LoweringDialect for Swift {
    /// A manifest begins with the version of the package manager that it is written for.
    fn is_manifest(&self, text: &str) -> bool {
        let first = text.trim_start().lines().next().unwrap_or_default();
        let comment = first.strip_prefix("//").map(str::trim_start);
        comment.is_some_and(|comment| comment.starts_with("swift-tools-version"))
    }

    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        // What an implicit member (`.name`) belongs to is known only where a value is handed straight on.
        let expected = std::mem::take(&mut lower.expected);
        match lower.kind(node) {
            "simple_identifier" => return name(lower, node),
            "navigation_expression" => return navigation(lower, node, expected),
            "prefix_expression" => return prefix(lower, node, expected),
            "call_expression" => return call(lower, node, expected),
            "macro_invocation" => return macro_call(lower, node),
            "constructor_expression" => return construction(lower, node),
            "array_literal" => return array(lower, node, expected),
            "postfix_expression" => return postfix(lower, node),
            "as_expression" => return cast(lower, node),
            "check_expression" => return type_test(lower, node),
            "nil_coalescing_expression" => return nil_coalescing(lower, node, expected),
            "ternary_expression" => return ternary(lower, node, expected),
            "equality_expression" => return equality(lower, node),
            "tuple_expression" => return tuple(lower, node, expected),
            "line_string_literal" | "multi_line_string_literal" | "raw_string_literal" => {
                return string_literal(lower, node);
            }
            "integer_literal" => return lower.literal("Int"),
            "real_literal" => return lower.literal("Double"),
            "boolean_literal" => return lower.literal("Bool"),
            "lambda_literal" => return closure(lower, node),
            "assignment" => assignment(lower, node),
            "control_transfer_statement" => transfer(lower, node),
            "if_statement" => return statements::if_statement(lower, node, expected),
            "guard_statement" => statements::guard_statement(lower, node),
            "while_statement" => {
                lower.in_block(|lower| statements::guard_statement(lower, node));
            }
            "for_statement" => statements::for_statement(lower, node),
            "switch_statement" => return statements::switch_statement(lower, node, expected),
            "do_statement" => statements::do_statement(lower, node),
            _ => declarations::declaration(lower, node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "user_type" => {
                let (mut path, mut args) = (Vec::new(), Vec::new());
                for child in kids(node) {
                    match lower.kind(child) {
                        "type_arguments" => args = lower.type_list(child),
                        "type_identifier" => path.push(plain(lower, child)),
                        _ => {}
                    }
                }
                let last = path.last().map_or("", |last| lower.facts.text(*last));
                match last {
                    "" => TypeId::UNKNOWN,
                    "Protocol" if path.len() > 1 => TypeId::UNKNOWN,
                    // The metatype.
                    "Type" if path.len() > 1 => {
                        path.pop();
                        let ty = lower.named(path, args, node);
                        let class = lower.push(Expr::Expected(ty));
                        lower.push_type(TypeExpr::TypeOf(class))
                    }
                    _ => lower.named(path, args, node),
                }
            }
            "optional_type" => {
                let inner = lower.only_child_type(node);
                let optional = lower.sym("Optional");
                lower.named(vec![optional], vec![inner], node)
            }
            "dictionary_type" => {
                let parts = lower.type_list(node);
                let name = lower.sym("Dictionary");
                lower.named(vec![name], parts, node)
            }
            "tuple_type" => {
                let mut items = lower.type_list(node);
                match items.len() {
                    0 => TypeId::UNKNOWN,
                    1 => items.swap_remove(0),
                    _ => lower.push_type(TypeExpr::Tuple(items)),
                }
            }
            "tuple_type_item" => match node.field("element").or_else(|| {
                kids(node).into_iter().rfind(|child| lower.kind(*child).ends_with("_type"))
            }) {
                Some(element) => lower.ty(element),
                None => TypeId::UNKNOWN,
            },
            "function_type" => {
                let params =
                    node.field("params").map(|list| lower.type_list(list)).unwrap_or_default();
                let result =
                    lower.in_field(node, "name").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
                lower.push_type(TypeExpr::Function { receiver: TypeId::UNKNOWN, params, result })
            }
            "bracket_qualified_type" => TypeId::UNKNOWN,
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let Some(modifiers) = find(node, "modifiers") else { return DefFlags::default() };
        let mut flags = DefFlags::default();
        for modifier in kids(modifiers) {
            flags = flags.with(match lower.text(modifier) {
                "static" | "class" => DefFlags::STATIC,
                "private" | "fileprivate" => DefFlags::PRIVATE,
                "public" | "open" | "package" => DefFlags::EXPORTED,
                _ => DefFlags::default(),
            });
        }
        flags
    }

    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        let ended = separated(source, root);
        match root.has_error() {
            true => self.rewrite_unread(ended.as_deref().unwrap_or(source), root.budget()),
            false => Ok(ended),
        }
    }

    fn rewrite_unread(
        &self,
        source: &str,
        budget: &WorkBudget,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        budget.spend(source.len() as u64 / 16)?;
        Ok(Some(readable(source)))
    }

    fn reparses_errors(&self) -> bool {
        true
    }
}
