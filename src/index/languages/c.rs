//! C and C++: declarators, includes, classes and members defined outside them, namespaces, templates.

use tree_sitter::Node;

use super::c_init::{initializers, passed};
use crate::index::{
    extract::{Body, Dialect, Lower, Role, Slot, index},
    facts::{
        Bound, DefId, DefKind, Expr, ExprId, Flags, Import, ImportId, LambdaId, Param, RefKind,
        ScopeKind, Sym, Taken, TypeExpr, TypeId, TypeParam,
    },
};

pub(super) struct C;

/// Whether a header holds C++.
pub(super) fn looks_like_cpp(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        ["class ", "namespace ", "template ", "template<", "public:", "private:", "using "]
            .iter()
            .any(|word| line.starts_with(word))
            && !line.ends_with("*/")
    })
}

/// What a declarator comes to.
struct Declarator<'t> {
    name: Option<Node<'t>>,
    /// `A::B` of `A::B::name`.
    scope: Vec<Node<'t>>,
    /// The parameter list, if it declares a function.
    params: Option<Node<'t>>,
    /// A pointer to a function, not a function.
    pointer: bool,
    arrays: u32,
    trailing: Option<Node<'t>>,
}

impl Dialect for C {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match node.kind() {
            "preproc_include" => include(lower, node),
            "preproc_def" | "preproc_function_def" => {
                if let Some(name) = parts.get(Slot::Name)
                    && node.kind() == "preproc_function_def"
                {
                    let sym = lower.sym_of(name);
                    let id = lower.new_def(DefKind::Macro, sym, node, Some(name));
                    lower.sign(id, node, node.child_by_field_name("value"));
                    lower.declare(id);
                }
            }
            "function_definition" => function(lower, node),
            "declaration" | "field_declaration" => declaration(lower, node),
            "type_definition" => type_definition(lower, node),
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
                specifier(lower, node);
            }
            "enumerator" => {
                if let Some(name) = parts.get(Slot::Name) {
                    let sym = lower.sym_of(name);
                    let id = lower.new_def(DefKind::Variant, sym, node, Some(name));
                    lower.bind_outside(id);
                    lower.part(&parts, Slot::Value);
                }
            }
            "for_statement" | "if_statement" | "while_statement" | "switch_statement"
            | "catch_clause" => {
                lower.in_block(|lower| lower.children(node));
            }
            "for_range_loop" => {
                lower.in_block(|lower| {
                    let value = node
                        .child_by_field_name("right")
                        .map_or(ExprId::UNKNOWN, |right| lower.node(right));
                    let item = lower.push(Expr::Elem(value));
                    let ty = node
                        .child_by_field_name("type")
                        .map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                    if let Some(name) = node
                        .child_by_field_name("declarator")
                        .and_then(|d| declarator(lower, d).name)
                    {
                        lower.bind_local(name, ty, item);
                    }
                    if let Some(body) = node.child_by_field_name("body") {
                        lower.node(body);
                    }
                });
            }
            "subscript_expression" => {
                let object = node
                    .child_by_field_name("argument")
                    .map_or(ExprId::UNKNOWN, |object| lower.node(object));
                for field in ["index", "indices"] {
                    if let Some(at) = node.child_by_field_name(field) {
                        lower.node(at);
                    }
                }
                return lower.push(Expr::Index(object));
            }
            "compound_literal_expression" => {
                let ty = node
                    .child_by_field_name("type")
                    .map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                if let Some(value) = node.child_by_field_name("value") {
                    initializers(lower, value, ty, 0);
                }
                return lower.push(Expr::Typed(ty));
            }
            "initializer_list" => initializers(lower, node, TypeId::UNKNOWN, 0),
            "namespace_definition" => {
                let Some(body) = parts.get(Slot::Body) else { return ExprId::UNKNOWN };
                namespace(lower, node, parts.get(Slot::Name), body);
            }
            "template_declaration" => template(lower, node),
            "using_declaration" => using(lower, node),
            "field_initializer" => {
                // `: base(args)`, `: member(args)`.
                lower.children(node);
            }
            "lambda_expression" => return lambda(lower, node),
            "new_expression" => {
                let ty = node
                    .child_by_field_name("type")
                    .map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                let callee = lower.push(Expr::Type(ty));
                let row = node
                    .child_by_field_name("type")
                    .map_or(node.start_position().row, |ty| ty.end_position().row);
                return lower.invoke(
                    RefKind::New,
                    callee,
                    Vec::new(),
                    node.child_by_field_name("arguments"),
                    row,
                );
            }
            "qualified_identifier" => return qualified(lower, node),
            "template_function" | "template_method" => {
                let args = node.child_by_field_name("arguments");
                let Some(name) = node.child_by_field_name("name") else { return ExprId::UNKNOWN };
                if let Some(args) = args {
                    lower.type_list(args);
                }
                return lower.node(name);
            }
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match node.kind() {
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
                if node.child_by_field_name("body").is_some() {
                    let id = specifier(lower, node);
                    return if lower.facts.def(id).kind == DefKind::Object {
                        lower.push_type(TypeExpr::Object(id))
                    } else {
                        let name = lower.facts.def(id).name;
                        lower.named(vec![name], Vec::new(), node)
                    };
                }
                node.child_by_field_name("name").map_or(TypeId::UNKNOWN, |name| lower.ty(name))
            }
            "qualified_identifier" => {
                let Some(name) = node.child_by_field_name("name") else { return TypeId::UNKNOWN };
                let mut path = Vec::new();
                if let Some(scope) = node.child_by_field_name("scope") {
                    let base = lower.ty(scope);
                    if let TypeExpr::Named { path: above, .. } = lower.facts.ty(base) {
                        path.clone_from(above);
                    }
                }
                let inner = lower.ty(name);
                if let TypeExpr::Named { path: own, .. } = &mut lower.facts.types[inner.index()] {
                    path.append(own);
                    *own = path;
                }
                inner
            }
            "type_descriptor" => {
                node.child_by_field_name("type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty))
            }
            "dependent_type" | "decltype" | "template_argument_list" => lower.only_child_type(node),
            _ => TypeId::UNKNOWN,
        }
    }

    fn rewrite(&self, source: &str, root: Node<'_>) -> Option<String> {
        if root.has_error() { super::c_text::plain(source) } else { None }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let mut flags = Flags::default();
        let mut cursor = node.walk();
        for child in node.named_children(&mut cursor) {
            match child.kind() {
                "storage_class_specifier" if lower.text(child) == "static" => {
                    flags = flags.with(Flags::FILE_LOCAL).with(Flags::STATIC);
                }
                "compound_statement" | "field_declaration_list" => break,
                _ => {}
            }
        }
        flags
    }
}

fn include(lower: &mut Lower<'_>, node: Node<'_>) {
    let Some(path) = node.child_by_field_name("path") else { return };
    let text = lower.text(path).trim_matches(['"', '<', '>']);
    let module = lower.sym(text);
    let (scope, line) = (lower.at.scope, index(node.start_position().row) + 1);
    let import = Import {
        module: vec![module],
        level: 0,
        taken: Taken::All,
        local: None,
        scope,
        line,
        public: true,
    };
    lower.facts.imports.push(import);
}

fn declarator<'t>(lower: &Lower<'t>, node: Node<'t>) -> Declarator<'t> {
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

fn function<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
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

fn constructor(lower: &mut Lower<'_>, id: DefId, untyped: bool) {
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

fn scope_type<'t>(lower: &mut Lower<'t>, scope: &[Node<'t>], node: Node<'t>) -> TypeId {
    let mut path = Vec::new();
    for part in scope {
        let ty = lower.ty(*part);
        if let TypeExpr::Named { path: own, .. } = lower.facts.ty(ty) {
            path.extend(own.iter().copied());
        }
    }
    lower.named(path, Vec::new(), node)
}

fn result<'t>(lower: &mut Lower<'t>, id: DefId, ty: Option<Node<'t>>, found: &Declarator<'t>) {
    let written = found.trailing.and_then(|trailing| trailing.named_child(0)).or(ty);
    if let Some(written) = written {
        let ty = lower.annotation(written);
        lower.def_mut(id).ty = ty;
    }
}

#[derive(Clone, Copy)]
enum Owner {
    Def(DefId),
    Lambda(LambdaId),
}

fn parameters<'t>(lower: &mut Lower<'t>, owner: Owner, list: Node<'t>) {
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

fn arrayed(lower: &mut Lower<'_>, ty: TypeId, found: Option<&Declarator<'_>>) -> TypeId {
    match found {
        Some(found) if found.pointer && found.params.is_some() => {
            lower.push_type(TypeExpr::Function { params: Vec::new(), result: ty })
        }
        Some(found) if found.arrays > 0 => lower.push_type(TypeExpr::Array(ty)),
        _ => ty,
    }
}

fn declaration<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
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

fn prototype<'t>(
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

fn type_definition<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
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

fn specifier<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> DefId {
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

fn typed<'t>(lower: &mut Lower<'t>, node: Node<'t>, sym: Sym, name: Option<Node<'t>>) -> DefId {
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

fn namespace<'t>(lower: &mut Lower<'t>, node: Node<'t>, name: Option<Node<'t>>, body: Node<'t>) {
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

fn template<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
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
fn template_params(lower: &mut Lower<'_>, id: DefId) {
    for (place, name) in std::mem::take(&mut lower.pending_types).into_iter().enumerate() {
        lower.bind(name, 0, Bound::TypeParam(id, u16::try_from(place).unwrap_or(u16::MAX)));
        lower.def_mut(id).type_params.push(TypeParam { name, bound: TypeId::UNKNOWN });
    }
}

fn using<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let text = lower.text(node).trim_start_matches("using").trim().trim_end_matches(';').trim();
    let (whole, path) = match text.strip_prefix("namespace") {
        Some(rest) => (true, rest.trim()),
        None => (false, text),
    };
    let mut parts: Vec<Sym> = path
        .split("::")
        .map(str::trim)
        .filter(|part| !part.is_empty())
        .map(|part| lower.sym(part))
        .collect();
    let (taken, local) = if whole {
        (Taken::All, None)
    } else {
        let Some(last) = parts.pop() else { return };
        if parts.is_empty() {
            return;
        }
        (Taken::Name(last), Some(last))
    };
    let id = ImportId(index(lower.facts.imports.len()));
    let (scope, line) = (lower.at.scope, index(node.start_position().row) + 1);
    lower.facts.imports.push(Import {
        module: parts,
        level: 1,
        taken,
        local,
        scope,
        line,
        public: true,
    });
    if let Some(local) = local {
        lower.bind(local, 0, Bound::Import(id));
    }
}

fn lambda<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = Body::Lambda(id);
    if let Some(captures) = node.child_by_field_name("captures") {
        lower.node(captures);
    }
    if let Some(head) = node.child_by_field_name("declarator") {
        let found = declarator(lower, head);
        if let Some(params) = found.params {
            parameters(lower, Owner::Lambda(id), params);
        }
    }
    if let Some(body) = node.child_by_field_name("body") {
        lower.node(body);
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}

fn qualified<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(name) = node.child_by_field_name("name") else { return ExprId::UNKNOWN };
    let mut object = match node.child_by_field_name("scope") {
        Some(scope) if lower.spec.role(scope) == Role::Ident => lower.node(scope),
        Some(scope) => {
            let ty = lower.ty(scope);
            lower.push(Expr::Type(ty))
        }
        None => {
            let global = lower.sym("::");
            let scope = lower.at.scope;
            lower.push(Expr::Name { name: global, scope, pos: 0 })
        }
    };
    let mut name = name;
    loop {
        match name.kind() {
            "qualified_identifier" => {
                let (Some(scope), Some(next)) =
                    (name.child_by_field_name("scope"), name.child_by_field_name("name"))
                else {
                    return ExprId::UNKNOWN;
                };
                let text = lower.text(scope);
                let part = lower.sym(text.split('<').next().unwrap_or(text));
                object = lower.push(Expr::Member { object, name: part });
                name = next;
            }
            "template_function" | "template_method" | "dependent_name" => {
                match name.child_by_field_name("name").or(name.named_child(0)) {
                    Some(next) => name = next,
                    None => return ExprId::UNKNOWN,
                }
            }
            _ => break,
        }
    }
    let name = lower.sym_of(name);
    lower.push(Expr::Member { object, name })
}
