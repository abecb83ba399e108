//! Python's branches and loops.

use super::{expressions::instance_of, type_narrowing::branch};
use crate::{
    facts::{Expr, ExprId, TypeId, TypeUse},
    lowering::{LoweringContext, Role, Slot, SyntaxNodeFields, kids},
    syntax::SyntaxNode,
};

pub(crate) fn conditional<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let condition = parts.get(Slot::Object);
    lower.part(parts, Slot::Object);
    // The scope is Python's own notion only as far as narrowing goes: names bound inside stay visible.
    branch(lower, condition, parts.get(Slot::Value));
    for other in node.fields("alternative") {
        lower.node(other);
    }
}

/// What a handler catches is named as a type.
pub(crate) fn except_clause<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    for child in kids(node) {
        let (caught, alias) = match child.kind() {
            "as_pattern" => (child.named_child(0).unwrap_or(child), child.field("alias")),
            "block" => {
                lower.node(child);
                continue;
            }
            _ => (child, None),
        };
        let class = caught_class(lower, caught);
        if let Some(name) = alias.and_then(|alias| alias.named_child(0)) {
            let value = instance_of(lower, class);
            lower.pattern(name, TypeId::UNKNOWN, value);
        }
    }
}

fn caught_class<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    match lower.table.role(node) {
        Role::Ident | Role::Member => {
            let class = lower.unread(node);
            let ty = lower.ty(node);
            lower.type_use(TypeUse::Annotation, ty, node);
            class
        }
        Role::Tuple => {
            let classes = kids(node).into_iter().map(|class| match lower.table.role(class) {
                Role::Ident | Role::Member => caught_class(lower, class),
                _ => lower.kept_value(class),
            });
            let classes = classes.collect();
            lower.push(Expr::Tuple(classes))
        }
        Role::Pass => match node.named_child(0) {
            Some(inner) if lower.table.role(inner) != Role::Pass => caught_class(lower, inner),
            _ => lower.node(node),
        },
        _ => lower.node(node),
    }
}

pub(crate) fn for_loop<'t>(lower: &mut LoweringContext<'t>, parts: &SyntaxNodeFields<'t>) {
    let value = lower.part(parts, Slot::Value);
    let item = lower.push(Expr::Elem(value));
    if let Some(name) = parts.get(Slot::Name) {
        lower.pattern(name, TypeId::UNKNOWN, item);
    }
    lower.part(parts, Slot::Body);
    lower.part(parts, Slot::Alt);
}

/// A dotted name is a value that is compared, a single one takes what it stands for; the name before parentheses is a class.
pub(crate) fn case_pattern<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let is_class = lower.kind(node) == "class_pattern";
    for (at, part) in kids(node).into_iter().enumerate() {
        match lower.kind(part) {
            "dotted_name" => {
                let names = kids(part);
                let names_class = is_class && at == 0;
                match names.as_slice() {
                    [taken] if !names_class && lower.text(*taken) != "_" => {
                        lower.pattern(*taken, TypeId::UNKNOWN, ExprId::UNKNOWN);
                    }
                    names if names_class => {
                        let path = names.iter().map(|name| lower.sym_of(*name)).collect();
                        let ty = lower.named(path, Vec::new(), part);
                        lower.type_use(TypeUse::Annotation, ty, part);
                    }
                    names => compared(lower, names),
                }
            }
            "identifier" => {}
            "as_pattern" | "case_pattern" | "class_pattern" | "dict_pattern"
            | "keyword_pattern" | "list_pattern" | "tuple_pattern" | "union_pattern" => {
                case_pattern(lower, part);
            }
            _ => {
                lower.node(part);
            }
        }
    }
}

fn compared<'t>(lower: &mut LoweringContext<'t>, names: &[SyntaxNode<'t>]) {
    let Some((first, rest)) = names.split_first() else { return };
    let mut value = lower.name_expr(*first);
    for name in rest {
        let name = lower.sym_of(*name);
        value = lower.push(Expr::Member { object: value, name });
    }
}
