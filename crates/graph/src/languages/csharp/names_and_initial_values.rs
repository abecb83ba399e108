//! C#'s names, initial values, and parts of nodes that several files lower.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, Sym, TypeId},
    lowering::{LoweringContext, find},
    syntax::SyntaxNode,
};

pub(crate) fn part<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    field: &str,
) -> ExprId {
    node.field(field).map_or(ExprId::UNKNOWN, |node| value(lower, node))
}

/// The value that stands last in a node.
pub(crate) fn last<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let counts = |c: &SyntaxNode<'t>| {
        !c.is_extra() && (c.is_named() || matches!(lower.kind(*c), "this" | "base"))
    };
    let found = node.children().filter(counts).last();
    found.map_or(ExprId::UNKNOWN, |child| value(lower, child))
}

/// The parts of a dotted name, without type arguments.
pub(crate) fn dotted(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>) -> Vec<Sym> {
    let text = lower.text(node);
    let text = text.strip_prefix("global::").unwrap_or(text);
    let plain = text.split('<').next().unwrap_or_default();
    lower.dotted(plain)
}

pub(crate) fn this_word<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let word = node.children().find(|child| lower.kind(*child) == "this");
    word.map_or(ExprId::UNKNOWN, |word| value(lower, word))
}

/// A declared value; `new()` makes what was declared.
pub(crate) fn initial<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    ty: TypeId,
) -> ExprId {
    if lower.kind(node) != "implicit_object_creation_expression" || !ty.is_known() {
        return lower.kept_value(node);
    }
    let callee = lower.push(Expr::Type(ty));
    let row = node.start_position().row;
    let made =
        lower.invoke(ReferenceKind::New, callee, Vec::new(), find(node, "argument_list"), row);
    if let Some(list) = find(node, "initializer_expression") {
        lower.kept_values(list);
    }
    made
}

/// Binds the name that a node declares, with its type if one is written.
pub(crate) fn declared<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    if let Some(name) = lower.in_field(node, "name")
        && lower.kind(name) == "identifier"
    {
        lower.bind_local(name, ty, ExprId::UNKNOWN);
    }
}

/// Lowers a value; `this` and `base` are words of the grammar and not nodes with a name.
pub(super) fn value<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    match lower.kind(node) {
        "this" => lower.push(Expr::This(lower.at.scope)),
        "base" => lower.push(Expr::Super(lower.at.scope)),
        "predefined_type" => {
            let ty = lower.ty(node);
            lower.push(Expr::Type(ty))
        }
        _ => lower.node(node),
    }
}
