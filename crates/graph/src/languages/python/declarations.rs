//! Python's decorated definitions, generators and type aliases.

use crate::{
    facts::{DefFlags, DefKind, ScopeKind},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

pub(crate) fn decorated<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(definition) = lower.in_field(node, "definition") else { return };
    let mut marks = DefFlags::default();
    let mut values = Vec::new();
    for child in node.named_children() {
        if lower.kind(child) != "decorator" {
            continue;
        }
        let text = lower.text(child).trim_start_matches('@').trim();
        let last =
            text.split('(').next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
        marks = marks.with(match last {
            "staticmethod" => DefFlags::STATIC,
            "property" | "cached_property" | "setter" | "getter" => DefFlags::PROPERTY,
            "abstractmethod" => DefFlags::ABSTRACT,
            "overload" => DefFlags::DECLARATION,
            _ => DefFlags::default(),
        });
        values.push(child);
    }
    // Decorators are lowered in the scope around the definition.
    for child in values {
        lower.node(child);
    }
    lower.doc_reaches(node);
    lower.at.marks = marks;
    lower.node(definition);
}

pub(crate) fn type_alias<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let (Some(left), Some(right)) = (lower.in_field(node, "left"), lower.in_field(node, "right"))
    else {
        return;
    };
    // The grammar takes `type(a).b = c` for an alias.
    if lower.text(left).starts_with('(') {
        lower.children(node);
        return;
    }
    let name = lower.sym_of(left);
    let id = lower.new_def(DefKind::Alias, name, node, Some(left));
    lower.declare(id);
    let outer = lower.enter(id, ScopeKind::Block);
    let ty = lower.annotation(right);
    lower.at = outer;
    lower.def_mut(id).ty = ty;
}

/// Whether a function's own body yields: looked for in its statements, not in functions inside.
pub(crate) fn is_generator(body: SyntaxNode<'_>) -> bool {
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        for child in node.children() {
            match child.kind() {
                "yield" => return true,
                "function_definition" | "class_definition" | "lambda" => {}
                _ => open.push(child),
            }
        }
    }
    body.kind() == "yield"
}
