//! C and C++: includes, calls, lambdas, qualified names. Declarations are [`crate::languages::c::declarations`]'s.

pub(crate) mod constructions;
pub(crate) mod declarations;
pub(crate) mod includes;
pub(crate) mod initializers;
pub(crate) mod preprocessing;
pub(crate) mod project;
pub(crate) mod resolution;
pub(crate) mod rules;
pub(crate) mod types;

use retriever_workspace::Exhausted;

use crate::{
    facts::{
        Bound, DefKind, Expr, ExprId, Flags, Import, ImportId, RefKind, ScopeKind, Sym, Taken,
        TypeExpr, TypeId,
    },
    languages::c::{
        declarations::{Owner, declaration, declarator, function, parameters},
        initializers::initializers,
        types::{namespace, specifier, template, type_definition},
    },
    lowering::{Body, Dialect, Lower, Role, Slot, index, kids},
    syntax::Node,
};

pub(crate) struct C;

/// What lines begin with that aren't C's.
const CPP_ONLY: &[&str] = &[
    "class ",
    "namespace ",
    "template ",
    "template<",
    "public:",
    "private:",
    "using ",
    "virtual ",
    "explicit ",
    "constexpr ",
    "friend ",
];

/// Whether a header holds C++.
pub(crate) fn looks_like_cpp(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        (CPP_ONLY.iter().any(|word| line.starts_with(word)) || line.contains("std::"))
            && !line.ends_with("*/")
            && !line.starts_with("//")
    })
}

impl Dialect for C {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "preproc_include" => include(lower, node),
            "preproc_def" | "preproc_function_def" => {
                if let Some(name) = parts.get(Slot::Name)
                    && lower.kind(node) == "preproc_function_def"
                {
                    let sym = lower.sym_of(name);
                    let id = lower.new_def(DefKind::Macro, sym, node, Some(name));
                    lower.sign(id, node, lower.in_field(node, "value"));
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
                    let value =
                        node.field("right").map_or(ExprId::UNKNOWN, |right| lower.node(right));
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
            "subscript_expression" => {
                let object =
                    node.field("argument").map_or(ExprId::UNKNOWN, |object| lower.node(object));
                for field in ["index", "indices"] {
                    if let Some(at) = node.field(field) {
                        lower.node(at);
                    }
                }
                return lower.push(Expr::Index(object));
            }
            "compound_literal_expression" => {
                let ty = node.field("type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                if let Some(value) = lower.in_field(node, "value") {
                    constructions::made_of(lower, ty, value, node.start_position().row);
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
            "namespace_alias_definition" => namespace_alias(lower, node),
            "field_initializer" => constructions::initializer(lower, node),
            "call_expression" => return call(lower, node, parts.get(Slot::Args)),
            "lambda_expression" => return lambda(lower, node),
            "new_expression" => {
                let ty = node.field("type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                if node.next_sibling().is_some_and(|next| lower.text(next).starts_with('*')) {
                    // `new T*[n]` makes pointers, which the grammar doesn't know.
                    return ExprId::UNKNOWN;
                }
                let callee = lower.push(Expr::Type(ty));
                let row = node
                    .field("type")
                    .map_or(node.start_position().row, |ty| ty.end_position().row);
                return lower.invoke(
                    RefKind::New,
                    callee,
                    Vec::new(),
                    lower.in_field(node, "arguments"),
                    row,
                );
            }
            "qualified_identifier" => return qualified(lower, node),
            "template_function" | "template_method" => {
                let args = lower.in_field(node, "arguments");
                let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
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
        match lower.kind(node) {
            "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
                if lower.in_field(node, "body").is_some() {
                    let id = specifier(lower, node);
                    return if lower.facts.def(id).kind == DefKind::Object {
                        lower.push_type(TypeExpr::Object(id))
                    } else {
                        let name = lower.facts.def(id).name;
                        lower.named(vec![name], Vec::new(), node)
                    };
                }
                lower.in_field(node, "name").map_or(TypeId::UNKNOWN, |name| lower.ty(name))
            }
            "qualified_identifier" => {
                let Some(name) = lower.in_field(node, "name") else { return TypeId::UNKNOWN };
                if let Some(scope) = lower.in_field(node, "scope")
                    && scope.kind() == "template_type"
                    && lower.kind(name) == "type_identifier"
                    && is_iterated(lower.text(name))
                {
                    let container = lower.ty(scope);
                    let name = lower.sym_of(name);
                    return lower.push_type(TypeExpr::Member(container, name));
                }
                let mut path = Vec::new();
                if let Some(scope) = lower.in_field(node, "scope") {
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
            "dependent_name" => lower.only_child_type(node),
            "type_descriptor" => {
                lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty))
            }
            "dependent_type" | "decltype" | "template_argument_list" => lower.only_child_type(node),
            _ => TypeId::UNKNOWN,
        }
    }

    fn rewrite(&self, source: &str, root: Node<'_>) -> Result<Option<String>, Exhausted> {
        let mended = preprocessing::misread(source, root.budget())?;
        if root.has_error() {
            let source = mended.as_deref().unwrap_or(source);
            return Ok(preprocessing::plain(source, root.budget())?.or(mended));
        }
        Ok(mended)
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let mut flags = Flags::default();
        for child in node.named_children() {
            match lower.kind(child) {
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
    let Some(path) = lower.in_field(node, "path") else { return };
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
    lower.push_import(import);
}

fn using<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let text = lower.text(node).trim_start_matches("using").trim().trim_end_matches(';').trim();
    let (whole, named) = match text.strip_prefix("namespace") {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let mut parts = path(lower, named);
    let (taken, local) = if whole {
        (Taken::All, None)
    } else {
        let Some(last) = parts.pop() else { return };
        if parts.is_empty() {
            return;
        }
        (Taken::Name(last), Some(last))
    };
    bring(lower, node, (parts, taken), local);
}

/// `namespace io = base::io;`.
fn namespace_alias<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let children = kids(node);
    let [alias, target] = children[..] else { return };
    let alias = lower.sym_of(alias);
    let module = path(lower, lower.text(target));
    bring(lower, node, (module, Taken::Module), Some(alias));
}

/// The names of a path: `a::b`.
fn path(lower: &mut Lower<'_>, text: &str) -> Vec<Sym> {
    let parts = text.split("::").map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| lower.sym(part)).collect()
}

/// Notes what a namespace gives to the scope that is open, and the name that it gets there.
fn bring(
    lower: &mut Lower<'_>,
    node: Node<'_>,
    (module, taken): (Vec<Sym>, Taken),
    local: Option<Sym>,
) {
    let id = ImportId(index(lower.facts.imports.len()));
    let (scope, line) = (lower.at.scope, index(node.start_position().row) + 1);
    lower.push_import(Import { module, level: 1, taken, local, scope, line, public: true });
    if let Some(local) = local {
        lower.bind(local, 0, Bound::Import(id));
    }
}

fn lambda<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = Body::Lambda(id);
    if let Some(captures) = lower.in_field(node, "captures") {
        lower.node(captures);
    }
    if let Some(head) = lower.in_field(node, "declarator") {
        let found = declarator(lower, head);
        if let Some(params) = found.params {
            parameters(lower, Owner::Lambda(id), params);
        }
    }
    if let Some(body) = lower.in_field(node, "body") {
        lower.node(body);
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}

/// Whether a type inside a container's is that of its elements, or of what points to them.
pub(crate) fn is_iterated(name: &str) -> bool {
    matches!(
        name,
        "iterator"
            | "const_iterator"
            | "reverse_iterator"
            | "const_reverse_iterator"
            | "value_type"
            | "reference"
            | "const_reference"
    )
}

/// Calls have the arguments of templates inside of what is called.
fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>, args: Option<Node<'t>>) -> ExprId {
    let mut named = lower.in_field(node, "function");
    while let Some(inner) = named
        && let Some(field) = match lower.kind(inner) {
            "qualified_identifier" => Some("name"),
            "field_expression" => Some("field"),
            _ => None,
        }
    {
        named = inner.field(field);
    }
    let list = named
        .filter(|named| matches!(named.kind(), "template_function" | "template_method"))
        .and_then(|named| lower.in_field(named, "arguments"));
    let Some(callee) = lower.in_field(node, "function") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let target = match lower.in_field(callee, "field") {
        Some(field) if field.kind() == "template_method" => {
            let object = lower.in_field(callee, "argument");
            let object = object.map_or(ExprId::UNKNOWN, |object| lower.node(object));
            let name = lower.in_field(field, "name").unwrap_or(field);
            let name = lower.sym_of(name);
            lower.push(Expr::Member { object, name })
        }
        _ => lower.node(callee),
    };
    let types = list.map(|list| lower.type_list(list)).unwrap_or_default();
    let row = callee.end_position().row;
    lower.invoke(RefKind::Call, target, types, args, row)
}

/// `auto [a, b]`: binds the parts of a value; says whether it is that.
pub(crate) fn bindings<'t>(lower: &mut Lower<'t>, head: Node<'t>, value: ExprId) -> bool {
    let mut head = head;
    while lower.kind(head) == "reference_declarator"
        && let Some(inner) = head.named_child(0)
    {
        head = inner;
    }
    if lower.kind(head) != "structured_binding_declarator" {
        return false;
    }
    let names: Vec<Node<'t>> =
        head.named_children().filter(|child| lower.kind(*child) == "identifier").collect();
    for (place, name) in (0..).zip(names) {
        let item = lower.push(Expr::Item(value, place));
        lower.bind_local(name, TypeId::UNKNOWN, item);
    }
    true
}

fn qualified<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    let mut object = match lower.in_field(node, "scope") {
        Some(scope) if lower.table.role(scope) == Role::Ident => lower.node(scope),
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
        match lower.kind(name) {
            "qualified_identifier" => {
                let (Some(scope), Some(next)) =
                    (lower.in_field(name, "scope"), lower.in_field(name, "name"))
                else {
                    return ExprId::UNKNOWN;
                };
                let text = lower.text(scope);
                let part = lower.sym(text.split('<').next().unwrap_or(text));
                object = lower.push(Expr::Member { object, name: part });
                name = next;
            }
            "template_function" | "template_method" | "dependent_name" => {
                match lower.in_field(name, "name").or(name.named_child(0)) {
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
