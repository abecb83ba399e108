//! Java's statements that bind names: resources, patterns in `instanceof`, `catch`.

use crate::{
    facts::{Expr, ExprId, TypeId, TypeUse},
    languages::java::declarations::written,
    lowering::{LoweringContext, kids},
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
    lower.child(node, "left");
    if let Some(taken) = lower.in_field(node, "pattern") {
        pattern(lower, taken);
    }
    if let Some(ty) = lower.in_field(node, "right") {
        let ty = lower.annotation(ty);
        if let Some(name) = lower.in_field(node, "name") {
            lower.bind_local(name, ty, ExprId::UNKNOWN);
        }
    }
}

/// A case stands for itself, or names what it takes apart.
pub(crate) fn switch<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let value = lower.child(node, "condition");
    for group in lower.in_field(node, "body").map(kids).unwrap_or_default() {
        // What one group of statements declares the next ones know.
        if lower.kind(group) == "switch_rule" {
            lower.in_block(|lower| labelled(lower, group, value));
        } else {
            labelled(lower, group, value);
        }
    }
}

fn labelled<'t>(lower: &mut LoweringContext<'t>, group: SyntaxNode<'t>, value: ExprId) {
    for child in kids(group) {
        if lower.kind(child) != "switch_label" {
            lower.node(child);
            continue;
        }
        for label in kids(child) {
            match lower.kind(label) {
                // The value says which enumeration's it is.
                "identifier" if value.is_known() => {
                    let name = lower.sym_of(label);
                    let case = lower.push(Expr::Member { object: value, name });
                    lower.use_member(case);
                }
                "pattern" => pattern(lower, label),
                _ => {
                    lower.node(label);
                }
            }
        }
    }
}

/// `Type name`, `Record(Type name, …)`.
fn pattern<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts = kids(node);
    match (lower.kind(node), parts.as_slice()) {
        ("type_pattern" | "record_pattern_component", [.., ty, name])
            if lower.kind(*name) == "identifier" =>
        {
            let ty = written(lower, *ty);
            lower.bind_local(*name, ty, ExprId::UNKNOWN);
        }
        ("record_pattern", [record, parts @ ..]) => {
            if lower.kind(*record) == "identifier" {
                let name = lower.sym_of(*record);
                let ty = lower.named(vec![name], Vec::new(), *record);
                lower.type_use(TypeUse::Annotation, ty, *record);
            } else {
                lower.annotation(*record);
            }
            parts.iter().for_each(|part| pattern(lower, *part));
        }
        _ => parts.into_iter().for_each(|part| pattern(lower, part)),
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
