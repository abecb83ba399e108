//! What the lowering of Ruby adds to the common walk.

use retriever_workspace::WorkBudgetExhausted;

use super::{Ruby, grammar_workarounds::without_inner_heredocs, type_narrowing};
use crate::{
    facts::{DefKind, Expr, ExprId, TypeId},
    languages::ruby::{
        declarations::{alias, body, class, class_definition, method},
        expressions::{above, binary, call, identifier, scoped},
        local_variables::block,
        statements::{assign, for_loop, return_statement},
    },
    lowering::{LoweringContext, LoweringDialect},
    syntax::SyntaxNode,
};

impl LoweringDialect for Ruby {
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        match lower.kind(node) {
            "class" => class_definition(lower, node),
            "module" => class(lower, node, DefKind::Trait, None),
            "singleton_class" => body(lower, node),
            "method" | "singleton_method" => method(lower, node),
            "alias" => alias(lower, node),
            "call" => return call(lower, node),
            "super" => return above(lower, node, None),
            "identifier" => return identifier(lower, node),
            "instance_variable" | "class_variable" => {
                let (object, name) = (lower.push(Expr::This(lower.at.scope)), lower.sym_of(node));
                return lower.push(Expr::Member { object, name });
            }
            "scope_resolution" => return scoped(lower, node),
            "assignment" | "operator_assignment" => return assign(lower, node),
            "block" | "do_block" | "lambda" => {
                block(lower, node, None);
            }
            "if" | "elsif" | "if_modifier" | "unless" | "unless_modifier" => {
                return type_narrowing::branch(lower, node);
            }
            "case" => return type_narrowing::case(lower, node),
            "begin" | "body_statement" | "block_body" | "then" | "else" => {
                return type_narrowing::sequence(lower, node);
            }
            "rescue" => return type_narrowing::rescue(lower, node),
            "for" => for_loop(lower, node),
            "return" => return_statement(lower, node),
            "binary" => return binary(lower, node),
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn rewrite(
        &self,
        source: &str,
        root: SyntaxNode<'_>,
    ) -> Result<Option<String>, WorkBudgetExhausted> {
        if !root.has_error() {
            return Ok(None);
        }
        root.budget().spend(source.len() as u64 / 16)?;
        Ok(without_inner_heredocs(source))
    }

    fn reparses_errors(&self) -> bool {
        true
    }

    fn names_run(&self, name: &str) -> bool {
        !name.starts_with(char::is_uppercase)
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "scope_resolution" => {
                let text = lower.text(node);
                if text.contains(['(', '.', ' ', '@']) {
                    return TypeId::UNKNOWN;
                }
                // A leading `::` is an empty first part: the top.
                let path = text.split("::").map(|part| lower.sym(part)).collect();
                lower.named(path, Vec::new(), node)
            }
            _ => TypeId::UNKNOWN,
        }
    }
}
