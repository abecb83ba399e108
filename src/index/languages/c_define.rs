//! Declarations of C and C++: declarators, functions, classes and members defined outside them, namespaces, templates.

use tree_sitter::Node;

use super::c_init::{initializers, passed};
use crate::index::{
    extract::{Body, Lower, index},
    facts::{
        Bound, DefId, DefKind, ExprId, Flags, LambdaId, Param, ScopeKind, Sym, TypeExpr, TypeId,
        TypeParam,
    },
};

/// What a declarator comes to.
pub(super) struct Declarator<'t> {
    pub(super) name: Option<Node<'t>>,
    /// `A::B` of `A::B::name`.
    scope: Vec<Node<'t>>,
    /// The parameter list, if it declares a function.
    pub(super) params: Option<Node<'t>>,
    /// A pointer to a function, not a function.
    pointer: bool,
    arrays: u32,
    trailing: Option<Node<'t>>,
}

pub(super) fn declarator<'t>(lower: &Lower<'t>, node: Node<'t>) -> Declarator<'t> {
    let mut found = Declarator {
        name: None,
        scope: Vec::new(),
        params: None,
        pointer: false,
        arrays: 0,
        trailing: None,
    };
    let mut at = Some(node);
    let mut behind_pointer = false;
    while let Some(node) = at {
        let inner = node.child_by_field_name("declarator");
        match node.kind() {
            "function_declarator" | "abstract_function_declarator" => {
                if found.params.is_none() {
                    found.params = node.child_by_field_name("parameters");
                    let mut cursor = node.walk();
                    found.trailing = node
                        .named_children(&mut cursor)
                        .find(|c| c.kind() == "trailing_return_type");
                }
                behind_pointer = true;
                at = inner;
            }
            "parenthesized_declarator" => at = node.named_child(0),
            "pointer_declarator" => {
                found.pointer |= behind_pointer;
                at = inner;
            }
            "array_declarator" => {
                found.arrays += 1;
                at = inner;
            }
            "reference_declarator" => {
                found.pointer |= behind_pointer;
                at = node.named_child(0);
            }
            "init_declarator" | "attributed_declarator" | "bitfield_clause" => {
                at = inner.or(node.named_child(0));
            }
            "qualified_identifier" => {
                if let Some(scope) = node.child_by_field_name("scope") {
                    found.scope.push(scope);
                }
                at = node.child_by_field_name("name");
            }
            "template_function" | "template_method" => at = node.child_by_field_name("name"),
            "identifier" | "field_identifier" | "destructor_name" | "operator_name"
            | "type_identifier" | "operator_cast" => {
                found.name = Some(node);
                at = None;
            }
            _ => at = inner,
        }
    }
    let _ = lower;
    found
}

pub(super) fn function<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(head) = node.child_by_field_name("declarator") else {
        lower.children(node);
        return;
    };
    let found = declarator(lower, head);
    let keyword = |name: &Node<'t>| {
        matches!(
            lower.text(*name),
            "if" | "for" | "while" | "switch" | "return" | "else" | "do" | "sizeof" | "catch"
        )
    };
    let (Some(name), Some(params)) = (found.name.filter(|name| !keyword(name)), found.params)
    else {
        // A macro that looks like a heading: the body still counts.
        lower.children(node);
        return;
    };
    let ty = node.child_by_field_name("type");
    let body = node.child_by_field_name("body");
    let around = lower.at;
    if !lower.in_type() && matches!(around.body, Body::Def(_)) {
        // There are no functions inside functions: the one before wasn't read to its end.
        let mut scope = around.scope;
        while let Some(up) = lower.facts.scopes[scope.index()].parent
            && lower.facts.scopes[scope.index()].kind != ScopeKind::File
        {
            scope = up;
        }
        lower.at.scope = scope;
        lower.at.owner = None;
        lower.at.body = Body::File;
    }
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    lower.declare(id);
    lower.sign(id, node, body);
    if !found.scope.is_empty() {
        let receiver = scope_type(lower, &found.scope, node);
        lower.def_mut(id).receiver = receiver;
    }
    constructor(lower, id, ty.is_none());
    lower.enter(id, ScopeKind::Function);
    template_params(lower, id);
    result(lower, id, ty, &found);
    parameters(lower, Owner::Def(id), params);
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() == "field_initializer_list" {
            lower.node(child);
        }
    }
    match body {
        Some(body) => {
            lower.node(body);
        }
        None => {
            // `= default`, `= delete`
            lower.mark(id, Flags::DECLARATION);
        }
    }
    lower.at = around;
}

pub(super) fn constructor(lower: &mut Lower<'_>, id: DefId, untyped: bool) {
    let def = lower.facts.def(id);
    let class = match (lower.facts.ty(def.receiver), def.parent) {
        (TypeExpr::Named { path, .. }, _) => path.last().copied(),
        (_, Some(parent)) => Some(lower.facts.def(parent).name),
        _ => None,
    };
    if untyped && class == Some(def.name) {
        lower.mark(id, Flags::CONSTRUCTOR);
    }
}

pub(super) fn scope_type<'t>(lower: &mut Lower<'t>, scope: &[Node<'t>], node: Node<'t>) -> TypeId {
    let mut path = Vec::new();
    for part in scope {
        let ty = lower.ty(*part);
        if let TypeExpr::Named { path: own, .. } = lower.facts.ty(ty) {
            path.extend(own.iter().copied());
        }
    }
    lower.named(path, Vec::new(), node)
}

pub(super) fn result<'t>(
    lower: &mut Lower<'t>,
    id: DefId,
    ty: Option<Node<'t>>,
    found: &Declarator<'t>,
) {
    let written = found.trailing.and_then(|trailing| trailing.named_child(0)).or(ty);
    if let Some(written) = written {
        let ty = lower.annotation(written);
        lower.def_mut(id).ty = ty;
    }
}

#[derive(Clone, Copy)]
pub(super) enum Owner {
    Def(DefId),
    Lambda(LambdaId),
}

pub(super) fn parameters<'t>(lower: &mut Lower<'t>, owner: Owner, list: Node<'t>) {
    let mut cursor = list.walk();
    for child in list.children(&mut cursor) {
        let variadic = child.kind() == "..." || child.kind() == "variadic_parameter";
        let known = matches!(
            child.kind(),
            "parameter_declaration"
                | "optional_parameter_declaration"
                | "variadic_parameter_declaration"
        );
        if !known && !variadic {
            continue;
        }
        if lower.text(child) == "void" {
            continue;
        }
        let ty =
            child.child_by_field_name("type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        let declared = child.child_by_field_name("declarator").map(|head| declarator(lower, head));
        let ty = arrayed(lower, ty, declared.as_ref());
        let name = declared.and_then(|found| found.name);
        let default = child
            .child_by_field_name("default_value")
            .map_or(ExprId::UNKNOWN, |value| lower.node(value));
        let sym = match name {
            Some(name) => lower.sym_of(name),
            None => lower.sym(""),
        };
        let variadic = variadic || child.kind() == "variadic_parameter_declaration";
        let param = Param { name: sym, ty, default, variadic };
        let place = |len: usize| u16::try_from(len).unwrap_or(u16::MAX);
        let bound = match owner {
            Owner::Def(id) => {
                lower.def_mut(id).params.push(param);
                Bound::Param(id, place(lower.facts.def(id).params.len() - 1))
            }
            Owner::Lambda(id) => {
                lower.facts.lambdas[id.index()].params.push(param);
                Bound::LambdaParam(id, place(lower.facts.lambdas[id.index()].params.len() - 1))
            }
        };
        if name.is_some() {
            lower.bind(sym, 0, bound);
        }
    }
}

pub(super) fn arrayed(lower: &mut Lower<'_>, ty: TypeId, found: Option<&Declarator<'_>>) -> TypeId {
    match found {
        Some(found) if found.pointer && found.params.is_some() => {
            lower.push_type(TypeExpr::Function { params: Vec::new(), result: ty })
        }
        Some(found) if found.arrays > 0 => lower.push_type(TypeExpr::Array(ty)),
        _ => ty,
    }
}

pub(super) fn declaration<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let ty_node = node.child_by_field_name("type");
    let ty = ty_node.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let mut cursor = node.walk();
    let heads: Vec<Node<'t>> = node.children_by_field_name("declarator", &mut cursor).collect();
    for head in heads {
        let found = declarator(lower, head);
        let value = head.child_by_field_name("value").or(node.child_by_field_name("default_value"));
        let Some(name) = found.name else {
            lower.node(head);
            continue;
        };
        let local = matches!(lower.at.body, Body::Def(_) | Body::Lambda(_)) && !lower.in_type();
        let is_function = found.params.is_some() && !found.pointer;
        if is_function && !local {
            prototype(lower, node, &found, name, ty_node.is_none(), ty);
            continue;
        }
        let value_expr = match value {
            Some(value) if value.kind() == "argument_list" => {
                // `A a(x)`: visited for what it calls; constructing by declaration isn't a call in the text.
                lower.values(value);
                ExprId::UNKNOWN
            }
            Some(value) if value.kind() == "initializer_list" => {
                initializers(lower, value, ty, found.arrays);
                ExprId::UNKNOWN
            }
            Some(value) => {
                let lowered = lower.node(value);
                passed(lower, value, lowered);
                lowered
            }
            None => ExprId::UNKNOWN,
        };
        if let (true, Some(params)) = (is_function, found.params) {
            // Inside a function this is a variable with arguments more often than a prototype.
            let mut inner = params.walk();
            for child in params.named_children(&mut inner) {
                if let Some(value) = child.child_by_field_name("default_value") {
                    lower.node(value);
                }
            }
        }
        let ty = arrayed(lower, ty, Some(&found));
        if local {
            let from = index(head.end_byte());
            let sym = lower.sym_of(name);
            lower.bind(sym, from, Bound::Local { ty, value: value_expr });
        } else if found.scope.is_empty() {
            let sym = lower.sym_of(name);
            let kind = if lower.in_type() { DefKind::Field } else { DefKind::Variable };
            let id = lower.new_def(kind, sym, node, Some(name));
            lower.declare(id);
            lower.sign(id, node, value);
            let def = lower.def_mut(id);
            (def.ty, def.value) = (ty, value_expr);
        }
    }
}

pub(super) fn prototype<'t>(
    lower: &mut Lower<'t>,
    node: Node<'t>,
    found: &Declarator<'t>,
    name: Node<'t>,
    untyped: bool,
    ty: TypeId,
) {
    let sym = lower.sym_of(name);
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    lower.declare(id);
    lower.sign(id, node, None);
    lower.mark(id, Flags::DECLARATION);
    constructor(lower, id, untyped);
    let outer = lower.enter(id, ScopeKind::Function);
    template_params(lower, id);
    lower.def_mut(id).ty = ty;
    result(lower, id, None, found);
    if let Some(params) = found.params {
        parameters(lower, Owner::Def(id), params);
    }
    lower.at = outer;
}

pub(super) fn type_definition<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(ty_node) = node.child_by_field_name("type") else { return };
    let mut cursor = node.walk();
    let heads: Vec<Node<'t>> = node.children_by_field_name("declarator", &mut cursor).collect();
    let anonymous =
        matches!(ty_node.kind(), "struct_specifier" | "union_specifier" | "enum_specifier")
            && ty_node.child_by_field_name("name").is_none();
    if let (true, [head]) = (anonymous, heads.as_slice())
        && head.kind() == "type_identifier"
    {
        // `typedef struct { … } name;`: the name is the struct's.
        let name = lower.sym_of(*head);
        typed(lower, ty_node, name, Some(*head));
        return;
    }
    let ty = lower.annotation(ty_node);
    for head in heads {
        let found = declarator(lower, head);
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
    }
}

pub(super) fn specifier<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> DefId {
    let name = node.child_by_field_name("name");
    if node.child_by_field_name("body").is_none() {
        // `struct x;` or `struct x y`: nothing is defined.
        let sym = lower.sym("");
        let _ = sym;
    }
    let last = name.map(|name| {
        let text = lower.text(name);
        let text = text.split('<').next().unwrap_or(text);
        lower.sym(text.rsplit("::").next().unwrap_or(text).trim())
    });
    let sym = last.unwrap_or_else(|| lower.sym(""));
    typed(lower, node, sym, name)
}

pub(super) fn typed<'t>(
    lower: &mut Lower<'t>,
    node: Node<'t>,
    sym: Sym,
    name: Option<Node<'t>>,
) -> DefId {
    let kind = match node.kind() {
        _ if lower.facts.text(sym).is_empty() => DefKind::Object,
        "class_specifier" => DefKind::Class,
        "enum_specifier" => DefKind::Enum,
        _ => DefKind::Struct,
    };
    let id = lower.new_def(kind, sym, node, name);
    let body = node.child_by_field_name("body");
    if kind != DefKind::Object && body.is_some() {
        lower.bind_outside(id);
    }
    lower.sign(id, node, body);
    if body.is_none() {
        lower.mark(id, Flags::DECLARATION);
    }
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = Body::File;
    template_params(lower, id);
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() == "base_class_clause" {
            let mut inner = child.walk();
            for base in child.named_children(&mut inner) {
                if base.kind() == "access_specifier" {
                    continue;
                }
                let ty = lower.annotation(base);
                if ty.is_known() {
                    lower.def_mut(id).supers.push((crate::index::facts::SuperKind::Inherits, ty));
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

pub(super) fn namespace<'t>(
    lower: &mut Lower<'t>,
    node: Node<'t>,
    name: Option<Node<'t>>,
    body: Node<'t>,
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

pub(super) fn template<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let mut names = Vec::new();
    if let Some(list) = node.child_by_field_name("parameters") {
        let mut cursor = list.walk();
        for child in list.named_children(&mut cursor) {
            let mut inner = child.walk();
            let name = child.named_children(&mut inner).find(|c| c.kind() == "type_identifier");
            names.push(match name {
                Some(name) => lower.sym_of(name),
                None => lower.sym(""),
            });
        }
    }
    let before = std::mem::replace(&mut lower.pending_types, names);
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() != "template_parameter_list" {
            lower.node(child);
        }
    }
    lower.pending_types = before;
}

/// Hands the template's parameters to the definition that it stands before.
pub(super) fn template_params(lower: &mut Lower<'_>, id: DefId) {
    for (place, name) in std::mem::take(&mut lower.pending_types).into_iter().enumerate() {
        lower.bind(name, 0, Bound::TypeParam(id, u16::try_from(place).unwrap_or(u16::MAX)));
        lower.def_mut(id).type_params.push(TypeParam { name, bound: TypeId::UNKNOWN });
    }
}
