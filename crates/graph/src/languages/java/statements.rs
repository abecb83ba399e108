//! Java's statements that bind names: resources, patterns in `instanceof`, `catch`.

use crate::{
    facts::{ExprId, TypeId},
    languages::java::declarations::written,
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// `try (var name = value)`.
pub(crate) fn resource<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let ty = node.field("type").map_or(TypeId::UNKNOWN, |ty| written(lower, ty));
    let value = node.field("value").map_or(ExprId::UNKNOWN, |value| lower.node(value));
    if let Some(name) = lower.in_field(node, "name") {
        lower.bind_local(name, ty, value);
    }
}

pub(crate) fn instance_of<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.children(node);
    if let (Some(name), Some(ty)) = (lower.in_field(node, "name"), lower.in_field(node, "right")) {
        let ty = lower.annotation(ty);
        lower.bind_local(name, ty, ExprId::UNKNOWN);
    }
}

pub(crate) fn catch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        for child in node.named_children() {
            if lower.kind(child) == "catch_formal_parameter" {
                let ty = child.named_child(0).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                if let Some(name) = lower.in_field(child, "name") {
                    lower.bind_local(name, ty, ExprId::UNKNOWN);
                }
            } else {
                lower.node(child);
            }
        }
    });
}
