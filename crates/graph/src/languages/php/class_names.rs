//! What PHP's class names stand for, `self`, `static` and `parent` included.

use crate::{
    facts::{ScopeKind, SupertypeKind, TypeExpr, TypeId},
    lowering::{LoweringContext, index},
    syntax::SyntaxNode,
};

/// Returns the type that a node with a class name refers to.
pub(crate) fn class_type<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    let text = lower.text(node);
    class_named(lower, text, node)
}

/// Returns the type that the class name `text` refers to at `node`.
pub(crate) fn class_named<'t>(
    lower: &mut LoweringContext<'t>,
    text: &str,
    node: SyntaxNode<'t>,
) -> TypeId {
    let mut next = Some(lower.at.scope);
    let mut around = None;
    while let Some(id) = next {
        let scope = &lower.facts.scopes[id.index()];
        if scope.kind == ScopeKind::Type {
            around = scope.owner.map(|class| (id, class));
            break;
        }
        next = scope.parent;
    }
    match (text.to_ascii_lowercase().as_str(), around) {
        ("self", Some((scope, _))) => return lower.push_type(TypeExpr::This(scope)),
        ("static" | "$this", Some((scope, _))) => {
            // Kept apart: on a subclass it is that subclass.
            let (path, pos) = (vec![lower.sym("static")], index(node.start_byte()));
            return lower.push_type(TypeExpr::Named { path, args: Vec::new(), scope, pos });
        }
        ("parent", Some((_, class))) => {
            let inherited = |(_, ty): &&(SupertypeKind, TypeId)| ty.is_known();
            return lower
                .facts
                .def(class)
                .supers
                .iter()
                .rfind(inherited)
                .map_or(TypeId::UNKNOWN, |(_, ty)| *ty);
        }
        ("self" | "static" | "parent" | "$this", None) => return TypeId::UNKNOWN,
        _ => {}
    }
    let text = text.strip_prefix("namespace\\").unwrap_or(text);
    // A leading separator is an empty first part: the root.
    let path = text.split('\\').map(|part| lower.sym(part.trim())).collect();
    lower.named(path, Vec::new(), node)
}
