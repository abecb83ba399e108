//! Types of C and C++, namespaces and templates. Members and other declarations are [`crate::languages::c::declarations`]'s.

use std::iter::successors;

use crate::{
    facts::{BindingTarget, DefFlags, DefId, DefKind, ScopeKind, Sym, TypeExpr, TypeId, TypeParam},
    languages::c::{
        declarations::specifier_values,
        declarators::{arrayed, declarator},
    },
    lowering::{LoweringContext, ReturnTarget},
    syntax::SyntaxNode,
};

pub(crate) fn type_definition<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(ty_node) = lower.in_field(node, "type") else { return };
    let heads: Vec<SyntaxNode<'t>> = node.fields("declarator").collect();
    let anonymous =
        matches!(ty_node.kind(), "struct_specifier" | "union_specifier" | "enum_specifier")
            && lower.in_field(ty_node, "name").is_none();
    if let (true, [head]) = (anonymous, heads.as_slice())
        && lower.kind(*head) == "type_identifier"
    {
        // `typedef struct { … } name;`: the name is the struct's.
        let name = lower.sym_of(*head);
        typed(lower, ty_node, name, Some(*head));
        return;
    }
    let ty = lower.annotation(ty_node);
    for head in heads {
        let found = declarator(lower, head);
        found.visit_values(lower);
        let Some(name) = found.name else { continue };
        let sym = lower.sym_of(name);
        if let TypeExpr::Named { path, .. } = lower.facts.ty(ty)
            && path.as_slice() == [sym]
        {
            // `typedef struct name name;`
            continue;
        }
        let id = lower.new_def(DefKind::Alias, sym, node, Some(name));
        lower.declare(id);
        lower.sign(id, node, None);
        let ty = match (&found.params, found.pointer) {
            (Some(_), _) => lower.push_type(TypeExpr::Function { params: Vec::new(), result: ty }),
            _ => arrayed(lower, ty, Some(&found)),
        };
        lower.def_mut(id).ty = ty;
        if found.indirect {
            lower.mark(id, DefFlags::INDIRECT);
        }
    }
}

pub(crate) fn specifier<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> DefId {
    let name = lower.in_field(node, "name");
    let last = name.map(|name| {
        // `Outer<T>::Inner`
        let inner = successors(Some(name), |outer| outer.field("name")).last().unwrap_or(name);
        let text = lower.text(inner);
        let text = text.split('<').next().unwrap_or(text);
        lower.sym(text.rsplit("::").next().unwrap_or(text).trim())
    });
    let sym = last.unwrap_or_else(|| lower.sym(""));
    typed(lower, node, sym, name)
}

pub(crate) fn typed<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    sym: Sym,
    name: Option<SyntaxNode<'t>>,
) -> DefId {
    let kind = match lower.kind(node) {
        _ if lower.facts.text(sym).is_empty() => DefKind::Object,
        "class_specifier" => DefKind::Class,
        "enum_specifier" => DefKind::Enum,
        _ => DefKind::Struct,
    };
    let id = lower.new_def(kind, sym, node, name);
    let body = lower.in_field(node, "body");
    if kind != DefKind::Object && body.is_some() {
        lower.bind_outside(id);
    }
    lower.sign(id, node, body);
    if body.is_none() {
        lower.mark(id, DefFlags::DECLARATION);
    }
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    template_params(lower, id);
    specifier_values(lower, node);
    if let Some(list) = name.and_then(|name| lower.in_field(name, "arguments")) {
        lower.type_list(list);
    }
    for child in node.named_children() {
        if lower.kind(child) == "base_class_clause" {
            for base in child.named_children() {
                if lower.kind(base) == "access_specifier" {
                    continue;
                }
                let ty = lower.annotation(base);
                if ty.is_known() {
                    lower.def_mut(id).supers.push((crate::facts::SupertypeKind::Inherits, ty));
                }
            }
        }
    }
    if let Some(body) = body {
        lower.children(body);
    }
    lower.at = outer;
    id
}

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
            names.push(match name {
                Some(name) => lower.sym_of(name),
                None => lower.sym(""),
            });
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
