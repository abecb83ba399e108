//! Go: packages, receivers, embedding, several results at once, type switches.

pub(crate) mod implementations;
pub(crate) mod project;
pub(crate) mod rules;

use crate::{
    facts::{
        Bound, DefId, DefKind, Expr, ExprId, FieldAt, Flags, Import, ImportId, RefKind, ScopeKind,
        SuperKind, Taken, TypeExpr, TypeId,
    },
    lowering::{Body, Dialect, Lower, Parts, Role, Slot, index, kids},
    syntax::Node,
};

pub(crate) struct Go;

impl Dialect for Go {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "package_clause" => {
                if let Some(name) = node.named_child(0) {
                    let name = lower.sym_of(name);
                    lower.facts.package = vec![name];
                }
            }
            "import_declaration" => imports(lower, node),
            "type_spec" => type_spec(lower, node),
            "field_declaration" => fields(lower, node),
            "const_spec" | "var_spec" => variables(lower, node),
            "short_var_declaration" => {
                let names = parts.get(Slot::Name).map(kids).unwrap_or_default();
                let values = parts.get(Slot::Value).map(kids).unwrap_or_default();
                let values = values.into_iter().map(|value| lower.node(value)).collect::<Vec<_>>();
                bind_all(lower, &names, TypeId::UNKNOWN, &values, node);
            }
            "assignment_statement" => {
                let names = parts.get(Slot::Name).map(kids).unwrap_or_default();
                let values = parts.get(Slot::Value).map(kids).unwrap_or_default();
                let targets: Vec<ExprId> = names.into_iter().map(|name| lower.node(name)).collect();
                for (place, node) in values.into_iter().enumerate() {
                    let value = lower.node(node);
                    if let Some(target) = targets.get(place) {
                        lower.fill_member(*target, value);
                        lower.put(*target, value);
                    }
                    if matches!(lower.facts.expr(value), Expr::Name { .. } | Expr::Member { .. }) {
                        lower.resolve_expr(RefKind::Value, value, 0, node.start_position().row);
                    }
                }
            }
            "if_statement" | "for_statement" | "expression_switch_statement" => {
                lower.in_block(|lower| lower.children(node));
            }
            "range_clause" => {
                let value = node.field("right").map_or(ExprId::UNKNOWN, |right| lower.node(right));
                let names = lower.in_field(node, "left").map(kids).unwrap_or_default();
                // The first is a place or a key, the second what stands there; a channel gives only values.
                for (place, name) in names.into_iter().enumerate() {
                    let item = if place == 1 { Expr::Index(value) } else { Expr::Key(value) };
                    let item = lower.push(item);
                    lower.local_pattern(name, TypeId::UNKNOWN, item);
                }
            }
            "method_declaration" => {
                // Methods have names of their own: a type or function may have the same.
                let name = parts.get(Slot::Name);
                let sym = match name {
                    Some(name) => lower.sym_of(name),
                    None => lower.sym(""),
                };
                let id = lower.new_def(DefKind::Function, sym, node, name);
                lower.function_parts(id, node, &parts);
            }
            "type_switch_statement" => type_switch(lower, node),
            "return_statement" => lower.children(node),
            "call_expression" => return call(lower, node, &parts),
            "type_conversion_expression" => {
                let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
                if let Some(value) = lower.in_field(node, "operand") {
                    lower.node(value);
                }
                // `f[T](x)` reads the same whether `f` is a type or a function.
                let callee = lower.push(Expr::Type(ty));
                lower.resolve_expr(RefKind::Call, callee, 1, node.start_position().row);
                return lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() });
            }
            "composite_literal" => {
                let ty = parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                if let Some(body) = parts.get(Slot::Body) {
                    elements(lower, body, ty);
                }
                return lower.push(Expr::Typed(ty));
            }
            "literal_value" => elements(lower, node, TypeId::UNKNOWN),
            "index_expression" => {
                let (Some(object), Some(at)) =
                    (lower.in_field(node, "operand"), lower.in_field(node, "index"))
                else {
                    return ExprId::UNKNOWN;
                };
                let object = lower.node(object);
                lower.node(at);
                return lower.push(Expr::Index(object));
            }
            "type_instantiation_expression" => {
                return lower.in_field(node, "type").map_or(ExprId::UNKNOWN, |ty| {
                    let ty = lower.ty(ty);
                    lower.push(Expr::Type(ty))
                });
            }
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "map_type" => {
                let mut args = Vec::new();
                for field in ["key", "value"] {
                    args.push(node.field(field).map_or(TypeId::UNKNOWN, |ty| lower.ty(ty)));
                }
                let name = lower.sym("map");
                lower.named(vec![name], args, node)
            }
            // Results: one stands for itself.
            "parameter_list" => {
                let types = param_types(lower, node);
                match types.as_slice() {
                    [one] => *one,
                    _ => lower.push_type(TypeExpr::Tuple(types)),
                }
            }
            "parameter_declaration" => {
                lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty))
            }
            "struct_type" | "interface_type" => {
                let empty = lower.sym("");
                let id = lower.new_def(DefKind::Object, empty, node, None);
                let outer = lower.enter(id, ScopeKind::Type);
                lower.children(node);
                lower.at = outer;
                lower.push_type(TypeExpr::Object(id))
            }
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let name = lower.in_field(node, "name").map_or("", |name| lower.text(name));
        if name.starts_with(char::is_lowercase) { Flags::PRIVATE } else { Flags::EXPORTED }
    }

    fn define<'t>(&self, lower: &mut Lower<'t>, id: DefId, node: Node<'t>) {
        let Some(receiver) = lower.in_field(node, "receiver").and_then(|list| list.named_child(0))
        else {
            return;
        };
        let Some(ty) = lower.in_field(receiver, "type") else { return };
        let ty = lower.annotation(ty);
        lower.def_mut(id).receiver = ty;
        if let Some(name) = lower.in_field(receiver, "name") {
            let name = lower.sym_of(name);
            lower.bind(name, 0, Bound::Local { ty, value: ExprId::UNKNOWN });
        }
    }

    fn extra_params<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> Vec<(Node<'t>, TypeId)> {
        // `a, b int` declares two; without a name only the type counts.
        if lower.kind(node) != "parameter_declaration" {
            return Vec::new();
        }
        let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        let names: Vec<Node<'t>> = node.fields("name").collect();
        if names.is_empty() {
            vec![(node, ty)]
        } else {
            names.into_iter().map(|name| (name, ty)).collect()
        }
    }
}

fn param_types<'t>(lower: &mut Lower<'t>, list: Node<'t>) -> Vec<TypeId> {
    let mut types = Vec::new();
    for child in kids(list) {
        let names = child.fields("name").count().max(1);
        let ty = lower.in_field(child, "type").map_or(TypeId::UNKNOWN, |ty| lower.ty(ty));
        types.extend(std::iter::repeat_n(ty, names));
    }
    types
}

/// Binds names to values: one each, or the parts of one call.
fn bind_all<'t>(
    lower: &mut Lower<'t>,
    names: &[Node<'t>],
    ty: TypeId,
    values: &[ExprId],
    node: Node<'t>,
) {
    let first = lower.facts.bindings.len();
    for (place, name) in names.iter().enumerate() {
        let bound = match values {
            [one] if names.len() > 1 => match lower.facts.expr(*one) {
                Expr::Call { .. } => {
                    lower.push(Expr::Item(*one, u16::try_from(place).unwrap_or(u16::MAX)))
                }
                // `v, ok := x.(T)`, `v, ok := m[k]`, `v, ok := <-c`
                _ if place == 0 => *one,
                _ => ExprId::UNKNOWN,
            },
            values => values.get(place).copied().unwrap_or(ExprId::UNKNOWN),
        };
        if lower.table.role(*name) == Role::Ident {
            lower.bind_local(*name, ty, bound);
        }
    }
    for binding in &mut lower.facts.bindings[first..] {
        binding.from = index(node.end_byte());
    }
}

fn imports<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    for child in kids(node) {
        if lower.kind(child) == "import_spec_list" {
            imports(lower, child);
            continue;
        }
        let Some(path) = lower.in_field(child, "path") else { continue };
        let text = lower.text(path).trim_matches(['"', '`']);
        let mut last = text.rsplit('/').next().unwrap_or(text);
        if last.len() > 1 && last.starts_with('v') && last[1..].chars().all(|c| c.is_ascii_digit())
        {
            last = text.rsplit('/').nth(1).unwrap_or(last);
        }
        let module = lower.sym(text);
        let (taken, local) = match lower.in_field(child, "name") {
            Some(name) if lower.kind(name) == "dot" => (Taken::All, None),
            Some(name) if lower.kind(name) == "blank_identifier" => (Taken::Module, None),
            Some(name) => (Taken::Module, Some(lower.sym_of(name))),
            None => (Taken::Module, Some(lower.sym(last))),
        };
        let id = ImportId(index(lower.facts.imports.len()));
        let (scope, line) = (lower.at.scope, index(child.start_position().row) + 1);
        lower.push_import(Import {
            module: vec![module],
            level: 0,
            taken,
            local,
            scope,
            line,
            public: false,
        });
        if let Some(local) = local {
            lower.bind(local, 0, Bound::Import(id));
        }
    }
}

fn type_spec<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(parts) = lower.parts(node) else { return };
    let (Some(name), Some(ty)) = (parts.get(Slot::Name), parts.get(Slot::Type)) else { return };
    let kind = match lower.kind(ty) {
        "struct_type" => DefKind::Struct,
        "interface_type" => DefKind::Interface,
        _ => DefKind::Alias,
    };
    let sym = lower.sym_of(name);
    let id = lower.new_def(kind, sym, node, Some(name));
    lower.declare(id);
    let outer =
        lower.enter(id, if kind == DefKind::Alias { ScopeKind::Block } else { ScopeKind::Type });
    lower.type_params(id, parts.get(Slot::TypeParams));
    if kind == DefKind::Alias {
        lower.mark(id, Flags::OPAQUE);
        lower.sign(id, node, None);
        let ty = lower.annotation(ty);
        lower.def_mut(id).ty = ty;
    } else {
        lower.sign(id, node, ty.named_child(0).filter(|_| kind == DefKind::Struct).or(ty.child(1)));
        for child in kids(ty) {
            if lower.kind(child) == "type_elem" {
                for up in kids(child) {
                    let up = lower.annotation(up);
                    lower.def_mut(id).supers.push((SuperKind::Inherits, up));
                }
            } else {
                lower.node(child);
            }
        }
    }
    lower.at = outer;
}

fn fields<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(ty_node) = lower.in_field(node, "type") else { return };
    let ty = lower.annotation(ty_node);
    let names: Vec<Node<'t>> = node.fields("name").collect();
    let owner = lower.at.owner;
    if names.is_empty() {
        // Embedded: a field by the type's name whose members are promoted.
        let TypeExpr::Named { path, .. } = lower.facts.ty(ty) else { return };
        let Some(name) = path.last().copied() else { return };
        let field = lower.new_def(DefKind::Field, name, node, None);
        lower.def_mut(field).ty = ty;
        if let Some(owner) = owner {
            lower.def_mut(owner).supers.push((SuperKind::Inherits, ty));
        }
    }
    for name in names {
        let sym = lower.sym_of(name);
        let field = lower.new_def(DefKind::Field, sym, node, Some(name));
        lower.sign(field, node, None);
        lower.def_mut(field).ty = ty;
    }
}

fn variables<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let names: Vec<Node<'t>> = node.fields("name").collect();
    let values = lower.in_field(node, "value").map(kids).unwrap_or_default();
    if !matches!(lower.at.body, Body::File) {
        let values = values.into_iter().map(|value| lower.node(value)).collect::<Vec<_>>();
        bind_all(lower, &names, ty, &values, node);
        return;
    }
    if let ([name], [value]) = (names.as_slice(), values.as_slice())
        && lower.table.role(*value) == Role::Lambda
    {
        let sym = lower.sym_of(*name);
        lower.valued(DefKind::Variable, sym, node, Some(*name), None, Some(*value));
        return;
    }
    let lowered: Vec<ExprId> = values.into_iter().map(|value| lower.node(value)).collect();
    for (place, name) in names.iter().enumerate() {
        let sym = lower.sym_of(*name);
        let id = lower.new_def(DefKind::Variable, sym, node, Some(*name));
        lower.declare(id);
        lower.sign(id, node, None);
        let value = match lowered.as_slice() {
            [one] if names.len() > 1 => {
                lower.push(Expr::Item(*one, u16::try_from(place).unwrap_or(u16::MAX)))
            }
            values => values.get(place).copied().unwrap_or(ExprId::UNKNOWN),
        };
        let def = lower.def_mut(id);
        (def.ty, def.value) = (ty, value);
    }
}

fn type_switch<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    lower.in_block(|lower| {
        let alias = lower.in_field(node, "alias").and_then(|list| list.named_child(0));
        let value = lower.in_field(node, "value");
        let subject = value.map_or(ExprId::UNKNOWN, |value| lower.node(value));
        if let Some(initializer) = lower.in_field(node, "initializer") {
            lower.node(initializer);
        }
        for case in kids(node) {
            if !matches!(case.kind(), "type_case" | "default_case") {
                continue;
            }
            let types: Vec<Node<'t>> = case.fields("type").collect();
            lower.in_block(|lower| {
                let lowered: Vec<TypeId> = types.iter().map(|ty| lower.annotation(*ty)).collect();
                if let Some(alias) = alias {
                    match lowered.as_slice() {
                        [one] => lower.bind_local(alias, *one, ExprId::UNKNOWN),
                        _ => lower.bind_local(alias, TypeId::UNKNOWN, subject),
                    }
                }
                for child in kids(case) {
                    if !types.contains(&child) {
                        lower.node(child);
                    }
                }
            });
        }
    });
}

fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
    if let (Some(callee), Some(args)) = (parts.get(Slot::Object), parts.get(Slot::Args))
        && lower.kind(callee) == "identifier"
    {
        match (lower.text(callee), args.named_child(0)) {
            ("new" | "make", Some(first)) => {
                let ty = lower.annotation(first);
                for rest in kids(args).into_iter().skip(1) {
                    lower.node(rest);
                }
                return lower.push(Expr::Typed(ty));
            }
            ("append", Some(_)) => {
                let values = lower.values(args);
                let Some((list, rest)) = values.split_first() else { return ExprId::UNKNOWN };
                for (value, node) in rest.iter().zip(kids(args).into_iter().skip(1)) {
                    if matches!(lower.facts.expr(*value), Expr::Name { .. } | Expr::Member { .. }) {
                        lower.resolve_expr(RefKind::Value, *value, 0, node.start_position().row);
                    }
                    lower.put(*list, *value);
                }
                return *list;
            }
            _ => {}
        }
    }
    lower.call(node, parts, RefKind::Call)
}

fn elements<'t>(lower: &mut Lower<'t>, body: Node<'t>, ty: TypeId) {
    for child in kids(body) {
        let (key, value) = match lower.kind(child) {
            "keyed_element" => (lower.in_field(child, "key"), lower.in_field(child, "value")),
            _ => (None, Some(child)),
        };
        if let Some(key) = key.and_then(|key| key.named_child(0))
            && lower.kind(key) != "identifier"
        {
            lower.node(key);
        }
        let Some(value) = value.map(|value| {
            value.named_child(0).filter(|_| lower.kind(value) == "literal_element").unwrap_or(value)
        }) else {
            continue;
        };
        if lower.kind(value) == "literal_value" {
            // The type is that of the elements: `[]T{{…}}`.
            let element = match lower.facts.ty(ty) {
                TypeExpr::Array(element) => *element,
                _ => TypeId::UNKNOWN,
            };
            elements(lower, value, element);
            continue;
        }
        let lowered = lower.node(value);
        if matches!(lower.facts.expr(lowered), Expr::Name { .. } | Expr::Member { .. }) {
            lower.resolve_expr(RefKind::Value, lowered, 0, value.start_position().row);
            if let Some(key) = key {
                let field = lower.sym_of(key);
                lower.fill(ty, FieldAt::Named(field), lowered);
            }
        } else if let (Some(key), Expr::Lambda(_)) = (key, lower.facts.expr(lowered)) {
            let field = lower.sym_of(key);
            lower.fill(ty, FieldAt::Named(field), lowered);
        }
    }
}
