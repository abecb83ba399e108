//! Namespaces and templates of C++.

use crate::{
    facts::{BindingTarget, DefFlags, DefId, DefKind, ScopeKind, TypeId, TypeParam},
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

pub(crate) fn namespace<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: Option<SyntaxNode<'t>>,
    body: SyntaxNode<'t>,
) {
    // `namespace a::b { … }` opens both.
    let text = name.map_or("", |name| lower.text(name));
    let outer = lower.at;
    for part in text.split("::") {
        let sym = lower.sym(part.trim());
        let id = lower.new_def(DefKind::Namespace, sym, node, name);
        if !part.is_empty() {
            lower.declare(id);
        }
        lower.sign(id, node, Some(body));
        lower.enter(id, ScopeKind::Block);
    }
    lower.children(body);
    lower.at = outer;
}

/// Defines the namespaces that a macro opens and leaves open. What stands behind the macro is read outside of them.
pub(crate) fn opened_namespaces<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    text: &str,
) {
    let is_left_open = text.matches('{').count() > text.matches('}').count();
    if !is_left_open || !text.contains("namespace") {
        return;
    }
    let outer = lower.at;
    for opened in text.split('{') {
        // `inline namespace v1` adds no name to those of the namespace around it.
        let words = opened.split(|c: char| c.is_whitespace() || c == '\\' || c == '}');
        let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
        let ["namespace", name] = words[..] else { continue };
        for part in name.split("::") {
            let sym = lower.sym(part);
            let id = lower.new_def(DefKind::Namespace, sym, node, None);
            lower.mark(id, DefFlags::DECLARATION);
            lower.sign(id, node, None);
            lower.enter(id, ScopeKind::Block);
        }
    }
    lower.at = outer;
}

pub(crate) fn template<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let mut names = Vec::new();
    if let Some(list) = lower.in_field(node, "parameters") {
        for child in list.named_children() {
            let name = child.named_children().find(|c| lower.kind(*c) == "type_identifier");
            names.push(lower.sym_of_optional(name));
        }
    }
    if let Some(list) = lower.in_field(node, "parameters") {
        // What its defaults call.
        lower.children(list);
    }
    let before = std::mem::replace(&mut lower.pending_types, names);
    for child in node.named_children() {
        if lower.kind(child) != "template_parameter_list" {
            lower.node(child);
        }
    }
    lower.pending_types = before;
}

/// Hands the template's parameters to the definition that it stands before.
pub(crate) fn template_params(lower: &mut LoweringContext<'_>, id: DefId) {
    for (place, name) in std::mem::take(&mut lower.pending_types).into_iter().enumerate() {
        lower.bind(name, 0, BindingTarget::TypeParam(id, u16::try_from(place).unwrap_or(u16::MAX)));
        lower.def_mut(id).type_params.push(TypeParam { name, bound: TypeId::UNKNOWN });
    }
}
