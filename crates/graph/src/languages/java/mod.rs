//! Java: packages, constructors, anonymous classes, method references, patterns in `instanceof`.

pub(crate) mod rules;

use crate::{
    facts::{
        Bound, DefId, DefKind, Expr, ExprId, Flags, Import, ImportId, RefKind, ScopeKind,
        SuperKind, Taken, TypeExpr, TypeId,
    },
    lowering::{Body, Dialect, Lower, Parts, Slot, index, kids},
    syntax::Node,
};

pub(crate) struct Java;

impl Dialect for Java {
    fn reparses_errors(&self) -> bool {
        true
    }

    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "package_declaration" => {
                let name = node.named_children().last();
                lower.facts.package = name.map(|name| lower.dotted_of(name)).unwrap_or_default();
            }
            "import_declaration" => import(lower, node),
            "record_declaration" => record(lower, node),
            "enum_constant" => {
                let Some(name) = parts.get(Slot::Name) else { return ExprId::UNKNOWN };
                let sym = lower.sym_of(name);
                let id = lower.new_def(DefKind::Variant, sym, node, Some(name));
                lower.sign(id, node, parts.get(Slot::Body));
                if let Some(args) = parts.get(Slot::Args) {
                    lower.values(args);
                }
                let outer = lower.enter(id, ScopeKind::Type);
                if let Some(body) = parts.get(Slot::Body) {
                    lower.children(body);
                }
                lower.at = outer;
            }
            "field_declaration" | "local_variable_declaration" => variables(lower, node),
            "resource" => {
                let ty = node.field("type").map_or(TypeId::UNKNOWN, |ty| written(lower, ty));
                let value = node.field("value").map_or(ExprId::UNKNOWN, |value| lower.node(value));
                if let Some(name) = lower.in_field(node, "name") {
                    lower.bind_local(name, ty, value);
                }
            }
            "for_statement" => {
                lower.in_block(|lower| lower.children(node));
            }
            "decimal_integer_literal"
            | "hex_integer_literal"
            | "octal_integer_literal"
            | "binary_integer_literal" => {
                let is_long = lower.text(node).ends_with(['l', 'L']);
                return lower.literal(if is_long { "long" } else { "int" });
            }
            "decimal_floating_point_literal" | "hex_floating_point_literal" => {
                let is_float = lower.text(node).ends_with(['f', 'F']);
                return lower.literal(if is_float { "float" } else { "double" });
            }
            "character_literal" => return lower.literal("char"),
            "binary_expression" => return computed(lower, node),
            "unary_expression" => {
                let value =
                    node.field("operand").map_or(ExprId::UNKNOWN, |operand| lower.node(operand));
                return if lower.text(node).starts_with('!') {
                    lower.literal("boolean")
                } else {
                    value
                };
            }
            "array_creation_expression" => {
                lower.children(node);
                let Some(element) = lower.in_field(node, "type") else {
                    return ExprId::UNKNOWN;
                };
                let mut ty = lower.annotation(element);
                for dimension in node.fields("dimensions") {
                    for _ in lower.text(dimension).matches('[') {
                        ty = lower.push_type(TypeExpr::Array(ty));
                    }
                }
                return lower.push(Expr::Typed(ty));
            }
            "class_literal" => {
                let ty = node.named_child(0).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                let class = lower.sym("Class");
                let class = lower.named(vec![class], vec![ty], node);
                return lower.push(Expr::Typed(class));
            }
            "method_invocation" => return call(lower, node, &parts),
            "object_creation_expression" => return creation(lower, node),
            "explicit_constructor_invocation" => {
                let target = match parts.get(Slot::Object) {
                    Some(target) if lower.kind(target) == "this" => {
                        own_constructor(lower, node, target)
                    }
                    Some(target) => lower.node(target),
                    None => ExprId::UNKNOWN,
                };
                return lower.invoke(
                    RefKind::New,
                    target,
                    Vec::new(),
                    parts.get(Slot::Args),
                    node.start_position().row,
                );
            }
            "method_reference" => {
                let (Some(object), Some(name)) = (node.named_child(0), node.named_child(1)) else {
                    lower.children(node);
                    return ExprId::UNKNOWN;
                };
                let object = lower.node(object);
                let name = lower.sym_of(name);
                let target = lower.push(Expr::Member { object, name });
                lower.resolve_expr(RefKind::Value, target, 0, node.start_position().row);
                return target;
            }
            "instanceof_expression" => {
                lower.children(node);
                if let (Some(name), Some(ty)) =
                    (lower.in_field(node, "name"), lower.in_field(node, "right"))
                {
                    let ty = lower.annotation(ty);
                    lower.bind_local(name, ty, ExprId::UNKNOWN);
                }
            }
            "catch_clause" => {
                lower.in_block(|lower| {
                    for child in node.named_children() {
                        if lower.kind(child) == "catch_formal_parameter" {
                            let ty = child
                                .named_child(0)
                                .map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                            if let Some(name) = lower.in_field(child, "name") {
                                lower.bind_local(name, ty, ExprId::UNKNOWN);
                            }
                        } else {
                            lower.node(child);
                        }
                    }
                });
            }
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let mut flags = Flags::default();
        if let Some(modifiers) =
            node.named_child(0).filter(|first| lower.kind(*first) == "modifiers")
        {
            for word in lower.text(modifiers).split_whitespace() {
                flags = flags.with(match word {
                    "static" => Flags::STATIC,
                    "private" => Flags::PRIVATE,
                    "abstract" => Flags::ABSTRACT,
                    _ => Flags::default(),
                });
            }
        }
        if lower.kind(node).contains("constructor") {
            flags.with(Flags::CONSTRUCTOR)
        } else {
            flags
        }
    }

    fn define<'t>(&self, lower: &mut Lower<'t>, id: DefId, node: Node<'t>) {
        let params = lower.in_field(node, "parameters");
        let last = params.and_then(|params| kids(params).pop());
        if last.is_some_and(|last| lower.kind(last) == "spread_parameter")
            && let Some(param) = lower.def_mut(id).params.last_mut()
        {
            param.variadic = true;
        }
    }

    fn extra_params<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> Vec<(Node<'t>, TypeId)> {
        if lower.kind(node) != "spread_parameter" {
            return Vec::new();
        }
        let children: Vec<Node<'t>> = node.named_children().collect();
        let name = children
            .iter()
            .find(|c| lower.kind(**c) == "variable_declarator")
            .and_then(|d| lower.in_field(*d, "name"));
        let ty = children
            .iter()
            .find(|c| !matches!(lower.kind(**c), "modifiers" | "variable_declarator"))
            .copied();
        let ty = ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
        name.map(|name| (name, ty)).into_iter().collect()
    }
}

/// A declared type; `var` leaves it to the value.
fn written<'t>(lower: &mut Lower<'t>, ty: Node<'t>) -> TypeId {
    if lower.text(ty) == "var" { TypeId::UNKNOWN } else { lower.annotation(ty) }
}

fn import<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(name) = node.named_child(0) else { return };
    let all = node.named_children().any(|child| lower.kind(child) == "asterisk");
    let mut module = lower.dotted_of(name);
    let (taken, local) = if all {
        (Taken::All, None)
    } else {
        let Some(last) = module.pop() else { return };
        (Taken::Name(last), Some(last))
    };
    let id = ImportId(index(lower.facts.imports.len()));
    let (scope, line) = (lower.at.scope, index(node.start_position().row) + 1);
    lower.push_import(Import { module, level: 0, taken, local, scope, line, public: false });
    if let Some(local) = local {
        lower.bind(local, 0, Bound::Import(id));
    }
}

fn record<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(parts) = lower.parts(node) else { return };
    let id = lower.type_like(DefKind::Class, node, &parts);
    let Some(list) = parts.get(Slot::Params) else { return };
    let outer = lower.at;
    lower.at.owner = Some(id);
    lower.at.scope = lower.facts.def(id).scope;
    for child in list.named_children() {
        let (Some(name), Some(ty)) = (lower.in_field(child, "name"), lower.in_field(child, "type"))
        else {
            continue;
        };
        let sym = lower.sym_of(name);
        // A component is a field, and a method by its name.
        let field = lower.new_def(DefKind::Field, sym, child, Some(name));
        let ty = lower.annotation(ty);
        lower.def_mut(field).ty = ty;
    }
    lower.at = outer;
}

fn variables<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| written(lower, ty));
    let marks = lower.dialect.flags(lower, node);
    let heads: Vec<Node<'t>> = node.fields("declarator").collect();
    for head in heads {
        let Some(name) = lower.in_field(head, "name") else { continue };
        let value =
            lower.in_field(head, "value").map_or(ExprId::UNKNOWN, |value| lower.node(value));
        if lower.kind(node) == "field_declaration" && !matches!(lower.at.body, Body::Lambda(_)) {
            let sym = lower.sym_of(name);
            let id = lower.new_def(DefKind::Field, sym, node, Some(name));
            lower.sign(id, node, lower.in_field(head, "value"));
            lower.mark(id, marks);
            let def = lower.def_mut(id);
            (def.ty, def.value) = (ty, value);
        } else {
            lower.bind_local(name, ty, value);
        }
    }
}

fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
    let Some(name) = parts.get(Slot::Name) else { return ExprId::UNKNOWN };
    let is_super = node.named_children().any(|child| lower.kind(child) == "super");
    let callee = match parts.get(Slot::Object) {
        _ if is_super => {
            let object = lower.push(Expr::Super(lower.at.scope));
            let name = lower.sym_of(name);
            lower.push(Expr::Member { object, name })
        }
        Some(object) => {
            let object = lower.node(object);
            let name = lower.sym_of(name);
            lower.push(Expr::Member { object, name })
        }
        None => {
            // Variables have names of their own.
            let inner = lower.at.scope;
            while lower.facts.scopes[lower.at.scope.index()].kind != ScopeKind::Type {
                let Some(outer) = lower.facts.scopes[lower.at.scope.index()].parent else { break };
                lower.at.scope = outer;
            }
            let callee = lower.name_expr(name);
            lower.at.scope = inner;
            callee
        }
    };
    let types = parts.get(Slot::TypeParams).map(|list| lower.type_list(list)).unwrap_or_default();
    lower.invoke(RefKind::Call, callee, types, parts.get(Slot::Args), name.end_position().row)
}

/// `this(…)`: another constructor of the class, which is named like it.
fn own_constructor<'t>(lower: &mut Lower<'t>, node: Node<'t>, target: Node<'t>) -> ExprId {
    let object = lower.node(target);
    let constructor = node.parent().and_then(|body| body.parent());
    let Some(name) = constructor.and_then(|found| lower.in_field(found, "name")) else {
        return object;
    };
    let name = lower.sym_of(name);
    lower.push(Expr::Member { object, name })
}

/// What operators make of numbers and texts.
fn computed<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let operator = lower.in_field(node, "operator").map_or("", |operator| operator.kind());
    let (left, right) = (lower.in_field(node, "left"), lower.in_field(node, "right"));
    let left = left.map_or(ExprId::UNKNOWN, |left| lower.node(left));
    let right = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
    match operator {
        "<<" | ">>" | ">>>" => left,
        "+" if [left, right].into_iter().any(|side| is_text(lower, side)) => {
            lower.literal("String")
        }
        "+" | "-" | "*" | "/" | "%" | "&" | "|" | "^" => {
            lower.push(Expr::Either(vec![left, right]))
        }
        _ => lower.literal("boolean"),
    }
}

fn is_text(lower: &Lower<'_>, value: ExprId) -> bool {
    matches!(lower.facts.expr(value), Expr::Literal(name) if matches!(lower.facts.text(*name), "string" | "String"))
}

fn creation<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
    let Some(ty_node) = parts.get(Slot::Type) else { return ExprId::UNKNOWN };
    let ty = lower.annotation(ty_node);
    let callee = lower.push(Expr::Type(ty));
    let made = lower.invoke(
        RefKind::New,
        callee,
        Vec::new(),
        parts.get(Slot::Args),
        ty_node.end_position().row,
    );
    let Some(body) = parts.get(Slot::Body) else { return made };
    let name = lower
        .text(ty_node)
        .split(['<', '{'])
        .next()
        .unwrap_or_default()
        .rsplit('.')
        .next()
        .unwrap_or_default();
    let name = lower.sym(&format!("<{}>", name.trim()));
    let id = lower.new_def(DefKind::Class, name, node, None);
    lower.sign(id, node, Some(body));
    lower.def_mut(id).supers.push((SuperKind::Inherits, ty));
    let outer = lower.enter(id, ScopeKind::Type);
    lower.children(body);
    lower.at = outer;
    let callee = lower.push(Expr::Def(id));
    lower.push(Expr::New { callee, args: Vec::new(), type_args: Vec::new() })
}
