//! What the lowering of Scala adds to the common walk.

use super::{
    Scala,
    binding_patterns::{case, cases},
    declarations,
    expressions::{call, comprehension, infix, lambda, member, read_name},
};
use crate::{
    facts::{DefFlags, Expr, ExprId, ReferenceKind, TypeExpr, TypeId},
    lowering::{LoweringContext, LoweringDialect, find, kids},
    syntax::SyntaxNode,
};

impl LoweringDialect for Scala {
    fn reparses_errors(&self) -> bool {
        true
    }

    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        match lower.kind(node) {
            "identifier" => return read_name(lower, node),
            "wildcard" => return lower.name_expr(node),
            "call_expression" => return call(lower, node),
            "generic_function" => return lower.child(node, "function"),
            "field_expression" | "postfix_expression" => {
                let target = member(lower, node);
                lower.resolve_expr(ReferenceKind::Read, target, 0, node.end_position().row);
                return target;
            }
            "instance_expression" => return declarations::instance(lower, node),
            "infix_expression" => return infix(lower, node),
            "assignment_expression" => {
                // A name that is assigned to, or that says which parameter an argument is for, is not read.
                let left = lower.in_field(node, "left");
                left.filter(|left| left.kind() != "identifier").map(|left| lower.node(left));
                let right = lower.in_field(node, "right");
                return right.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
            }
            "lambda_expression" => return lambda(lower, node),
            "match_expression" => {
                let subject = lower.child(node, "value");
                if let Some(body) = lower.in_field(node, "body") {
                    return cases(lower, body, subject);
                }
            }
            // Handlers: what is caught isn't named.
            "case_clause" => return case(lower, node, ExprId::UNKNOWN),
            "for_expression" => return comprehension(lower, node),
            "if_expression" => {
                lower.child(node, "condition");
                let one = lower.child(node, "consequence");
                let other = lower.child(node, "alternative");
                return lower.push(Expr::Either(vec![one, other]));
            }
            "ascription_expression" => {
                if let Some(value) = node.named_child(0) {
                    lower.node(value);
                }
                if let Some(ty) = lower.in_field(node, "type").or(node.named_child(1)) {
                    let ty = lower.annotation(ty);
                    return lower.push(Expr::Typed(ty));
                }
            }
            "interpolated_string_expression" => {
                for part in kids(node).into_iter().filter(|part| part.kind() != "identifier") {
                    lower.children(part);
                }
                return lower.literal("string");
            }
            _ => declarations::declaration(lower, node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        if lower.kind(node) == "identifier" {
            let name = lower.sym_of(node);
            return lower.named(vec![name], Vec::new(), node);
        }
        if lower.kind(node) == "stable_identifier" {
            let path = lower.dotted_of(node);
            return lower.named(path, Vec::new(), node);
        }
        if lower.kind(node) == "infix_type" {
            return infix_type(lower, node);
        }
        if lower.kind(node) == "tuple_type" {
            let items = lower.type_list(node);
            if let [only] = items.as_slice() {
                // Parentheses around one type.
                return *only;
            }
            return lower.push_type(TypeExpr::Tuple(items));
        }
        if lower.kind(node) != "function_type" {
            return lower.only_child_type(node);
        }
        let params =
            node.field("parameter_types").map(|list| lower.type_list(list)).unwrap_or_default();
        let result = lower.in_field(node, "return_type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
        lower.push_type(TypeExpr::Function { receiver: TypeId::UNKNOWN, params, result })
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let Some(modifiers) = find(node, "modifiers") else { return DefFlags::default() };
        let text = lower.text(modifiers);
        if text.split_whitespace().any(|word| word == "private") {
            DefFlags::PRIVATE
        } else {
            DefFlags::default()
        }
    }

    fn body_is_value(&self) -> bool {
        true
    }
}

/// `A Or B` is `Or[A, B]`; `A | B` and `A & B` have the members of both.
fn infix_type<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    let sides = ["left", "right"].map(|side| lower.in_field(node, side));
    let sides = sides.into_iter().flatten().map(|side| lower.ty(side)).collect();
    match lower.in_field(node, "operator") {
        Some(operator) if !matches!(lower.text(operator), "|" | "&") => {
            let name = lower.sym_of(operator);
            lower.named(vec![name], sides, node)
        }
        _ => lower.push_type(TypeExpr::Union(sides)),
    }
}
