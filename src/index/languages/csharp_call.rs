//! C#'s members, calls and the objects that are made.

use tree_sitter::Node;

use super::csharp::{declared, part};
use crate::index::{
    extract::{Body, Lower, find, kids},
    facts::{Expr, ExprId, RefKind},
};

pub(super) fn member<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    if node.kind() == "conditional_access_expression" {
        let object = part(lower, node, "condition");
        if let Some(binding) = find(node, "member_binding_expression")
            && let Some(name) = binding.child_by_field_name("name")
        {
            let name = lower.sym_of(plain(name));
            return lower.push(Expr::Member { object, name });
        }
        for child in kids(node).into_iter().skip(1) {
            lower.children(child);
        }
        return lower.push(Expr::Index(object));
    }
    let object = part(lower, node, "expression");
    match node.child_by_field_name("name") {
        Some(name) => {
            let name = lower.sym_of(plain(name));
            lower.push(Expr::Member { object, name })
        }
        None => ExprId::UNKNOWN,
    }
}

/// The name without type arguments.
fn plain(name: Node<'_>) -> Node<'_> {
    if name.kind() == "generic_name" { name.named_child(0).unwrap_or(name) } else { name }
}

pub(super) fn invocation<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(function) = node.child_by_field_name("function") else { return ExprId::UNKNOWN };
    if lower.text(function) == "nameof" {
        return lower.literal("string");
    }
    let named = match function.kind() {
        "member_access_expression" => function.child_by_field_name("name"),
        "conditional_access_expression" => find(function, "member_binding_expression")
            .and_then(|binding| binding.child_by_field_name("name")),
        _ => Some(function),
    };
    let types = named.filter(|name| name.kind() == "generic_name");
    let callee = match function.kind() {
        "generic_name" => lower.name_expr(plain(function)),
        _ => lower.node(function),
    };
    let types = types
        .and_then(|name| find(name, "type_argument_list"))
        .map(|list| kids(list).into_iter().map(|ty| lower.annotation(ty)).collect())
        .unwrap_or_default();
    let row = function.end_position().row;
    lower.invoke(RefKind::Call, callee, types, node.child_by_field_name("arguments"), row)
}

pub(super) fn creation<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(ty_node) = node.child_by_field_name("type") else { return ExprId::UNKNOWN };
    let ty = lower.annotation(ty_node);
    let callee = lower.push(Expr::Type(ty));
    let row = ty_node.end_position().row;
    let args = node.child_by_field_name("arguments");
    let made = lower.invoke(RefKind::New, callee, Vec::new(), args, row);
    if let Some(list) = node.child_by_field_name("initializer") {
        lower.children(list);
    }
    made
}

pub(super) fn anonymous<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    lower.in_block(|lower| {
        for child in node.child_by_field_name("parameters").map(kids).unwrap_or_default() {
            declared(lower, child);
        }
        // What it returns isn't what the function around it does.
        lower.at.body = Body::File;
        if let Some(block) = find(node, "block") {
            lower.node(block);
        }
    });
    ExprId::UNKNOWN
}
