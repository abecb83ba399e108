//! What the lowering of Python adds to the common walk.

use super::Python;
use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, ExprId, TypeId, place_of},
    languages::python::{
        declarations::{decorated, is_generator, type_alias},
        expressions::{as_pattern, call, comprehension, conditional_expression, yielded},
        imports::{import, import_from},
        statements::{case_pattern, conditional, except_clause, for_loop},
        string_annotations::forward,
    },
    lowering::{LoweringContext, LoweringDialect, Role, Slot, kids},
    syntax::SyntaxNode,
};

/// `first, *rest = values`: a list of what is left. Which items of a tuple these are is not looked at.
fn rest_of<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, value: ExprId) {
    let Some(name) = node.named_child(0) else { return };
    let rest = match lower.facts.expr(value) {
        Expr::Tuple(_) => ExprId::UNKNOWN,
        _ => {
            let item = lower.push(Expr::Elem(value));
            lower.push(Expr::Array(vec![item]))
        }
    };
    lower.pattern(name, TypeId::UNKNOWN, rest);
}

impl LoweringDialect for Python {
    fn special<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "import_statement" => import(lower, node),
            "import_from_statement" => import_from(lower, node),
            "expression_statement" => {
                lower.last_child(node);
            }
            "decorated_definition" => decorated(lower, node),
            "call" => return call(lower, node, &parts),
            "if_statement" | "elif_clause" => conditional(lower, node, &parts),
            "conditional_expression" => return conditional_expression(lower, node),
            "for_statement" | "for_in_clause" => for_loop(lower, &parts),
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => {
                return comprehension(lower, node);
            }
            "as_pattern" => return as_pattern(lower, node),
            "yield" => yielded(lower, node),
            "except_clause" => except_clause(lower, node),
            "binary_operator" => {
                lower.part(&parts, Slot::Name);
                lower.part(&parts, Slot::Value);
            }
            "type_alias_statement" => type_alias(lower, node),
            "list_splat" => {
                let value = lower.last_child(node);
                // The grammar reads `[*f()]` as a call of `*f`.
                let is_callee =
                    |parent: SyntaxNode<'_>| ["attribute", "call"].contains(&parent.kind());
                if node.parent().is_some_and(is_callee) {
                    return value;
                }
            }
            "case_pattern" => case_pattern(lower, node),
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn pattern<'t>(
        &self,
        lower: &mut LoweringContext<'t>,
        node: SyntaxNode<'t>,
        _ty: TypeId,
        value: ExprId,
    ) {
        match lower.kind(node) {
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => {
                let parts = kids(node);
                let rest = parts.iter().position(|part| part.kind() == "list_splat_pattern");
                for (at, child) in parts.iter().copied().enumerate() {
                    if rest == Some(at) {
                        rest_of(lower, child, value);
                        continue;
                    }
                    let item = lower.push(Expr::Item(value, place_of(at, rest, parts.len())));
                    lower.pattern(child, TypeId::UNKNOWN, item);
                }
            }
            "attribute" => {
                if let (Some(object), Some(name)) =
                    (lower.in_field(node, "object"), lower.in_field(node, "attribute"))
                {
                    if lower.text(object) == "self" {
                        lower.assigned_field(node, name, TypeId::UNKNOWN, value);
                    } else {
                        lower.node(object);
                    }
                }
            }
            _ => {
                lower.node(node);
            }
        }
    }

    fn special_type<'t>(&self, lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
        match lower.kind(node) {
            "string" => forward(lower, node),
            "none" => TypeId::UNKNOWN,
            "binary_operator" => {
                let left = lower.in_field(node, "left").map(|side| lower.ty(side));
                let right = lower.in_field(node, "right").map(|side| lower.ty(side));
                lower.push_type(crate::facts::TypeExpr::Union(
                    left.into_iter().chain(right).collect(),
                ))
            }
            "member_type" => {
                let (Some(object), Some(name)) = (node.named_child(0), node.named_child(1)) else {
                    return TypeId::UNKNOWN;
                };
                let base = lower.ty(object);
                let name = lower.sym_of(name);
                if let crate::facts::TypeExpr::Named { path, .. } =
                    &mut lower.facts.types[base.index()]
                {
                    path.push(name);
                }
                base
            }
            "keyword_argument" | "call" => {
                lower.node(node);
                TypeId::UNKNOWN
            }
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> DefFlags {
        let mut flags = DefFlags::default();
        if node.child(0).is_some_and(|first| lower.kind(first) == "async") {
            flags = flags.with(DefFlags::ASYNC);
        }
        if let Some(name) = lower.in_field(node, "name") {
            let name = lower.text(name);
            if name.starts_with('_') && !name.ends_with("__") {
                flags = flags.with(DefFlags::PRIVATE);
            }
            if name == "__init__" || name == "__new__" {
                flags = flags.with(DefFlags::CONSTRUCTOR);
            }
        }
        flags
    }

    fn define<'t>(&self, lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
        let Some(body) = lower.in_field(node, "body") else { return };
        let first =
            body.named_child(0).filter(|first| lower.kind(*first) == "expression_statement");
        if let Some(text) =
            first.and_then(|first| first.named_child(0)).filter(|text| text.kind() == "string")
        {
            let text = lower.text(text).trim_start_matches(['r', 'R', 'u', 'b', 'f']);
            let doc = crate::lowering::summary(text);
            lower.def_mut(id).doc = doc;
        }
        let def = lower.facts.def(id);
        let in_type = def.parent.is_some_and(|parent| lower.facts.def(parent).kind.is_type());
        if def.kind == DefKind::Function && in_type && !def.flags.has(DefFlags::STATIC) {
            lower.mark(id, DefFlags::SELF_PARAM);
        }
        if lower.facts.def(id).kind == DefKind::Function && is_generator(body) {
            lower.mark(id, DefFlags::GENERATOR);
        }
    }

    fn members_run(&self) -> bool {
        true
    }

    fn is_slice(&self, node: SyntaxNode<'_>) -> bool {
        node.kind() == "slice"
    }

    fn is_param(&self, lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
        lower.table.role(node) == Role::Ident
            || matches!(lower.kind(node), "list_splat_pattern" | "dictionary_splat_pattern")
    }

    fn assignment_declares(&self) -> bool {
        true
    }

    fn receiver_param(&self) -> Option<&'static str> {
        Some("self")
    }
}
