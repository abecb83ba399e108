//! Range loops, handlers of exceptions and structured bindings of C++.

use crate::{
    facts::{Expr, ExprId, TypeId},
    languages::c::declarators::declarator,
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

pub(crate) fn range_loop<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        let value = node.field("right").map_or(ExprId::UNKNOWN, |right| lower.node(right));
        let item = lower.push(Expr::Elem(value));
        let ty = node.field("type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        if let Some(head) = lower.in_field(node, "declarator")
            && !bindings(lower, head, item)
            && let Some(name) = declarator(lower, head).name
        {
            lower.bind_local(name, ty, item);
        }
        if let Some(body) = lower.in_field(node, "body") {
            lower.node(body);
        }
    });
}

/// `catch (const T& name) { … }`
pub(crate) fn handler<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.in_block(|lower| {
        for child in node.named_children() {
            if lower.kind(child) != "parameter_list" {
                lower.node(child);
                continue;
            }
            for param in child.named_children() {
                let ty = param.field("type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                let head = lower.in_field(param, "declarator");
                if let Some(name) = head.and_then(|head| declarator(lower, head).name) {
                    lower.bind_local(name, ty, ExprId::UNKNOWN);
                }
            }
        }
    });
}

/// `auto [a, b]`: binds the parts of a value; says whether it is that.
pub(crate) fn bindings<'t>(
    lower: &mut LoweringContext<'t>,
    head: SyntaxNode<'t>,
    value: ExprId,
) -> bool {
    let mut head = head;
    while lower.kind(head) == "reference_declarator"
        && let Some(inner) = head.named_child(0)
    {
        head = inner;
    }
    if lower.kind(head) != "structured_binding_declarator" {
        return false;
    }
    let names: Vec<SyntaxNode<'t>> =
        head.named_children().filter(|child| lower.kind(*child) == "identifier").collect();
    for (place, name) in (0..).zip(names) {
        let item = lower.push(Expr::Item(value, place));
        lower.bind_local(name, TypeId::UNKNOWN, item);
    }
    true
}
