//! Types of C and C++. Members and other declarations are [`crate::languages::c::declarations`]'s.

use std::iter::successors;

use crate::{
    facts::{DefFlags, DefId, DefKind, ScopeKind, Sym, TypeExpr, TypeId},
    languages::c::{
        declarations::{scope_type, specifier_values},
        declarators::{arrayed, declarator},
        namespaces_and_templates::template_params,
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
            (Some(_), _) => lower.push_type(TypeExpr::Function {
                receiver: TypeId::UNKNOWN,
                params: Vec::new(),
                result: ty,
            }),
            _ => arrayed(lower, ty, Some(&found)),
        };
        lower.def_mut(id).ty = ty;
        if found.indirect {
            lower.mark(id, DefFlags::INDIRECT);
        }
    }
}

/// A type without a name: `T*`, or `T(A, B)` for a function that gives a `T`.
pub(crate) fn type_descriptor<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    let result = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
    let mut inner = successors(lower.in_field(node, "declarator"), |outer| match outer.kind() {
        "abstract_reference_declarator" => outer.named_child(0),
        _ => outer.field("declarator"),
    });
    if inner.any(|it| it.kind() == "abstract_function_declarator") {
        let (receiver, params) = (TypeId::UNKNOWN, Vec::new());
        return lower.push_type(TypeExpr::Function { receiver, params, result });
    }
    result
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
    let id = typed(lower, node, sym, name);
    let scope = name.map(|name| declarator(lower, name).scope).unwrap_or_default();
    if !scope.is_empty() {
        // `class Outer::Inner {`
        let receiver = scope_type(lower, &scope, node);
        lower.def_mut(id).receiver = receiver;
    }
    id
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
