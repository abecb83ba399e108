//! JavaScript and TypeScript: modules, object literals, destructuring, JSX.

pub(crate) mod modules;
pub(crate) mod objects;
pub(crate) mod project;
pub(crate) mod rules;

use crate::{
    facts::{
        DefKind, Export, Expr, ExprId, Flags, RefKind, ScopeKind, Sym, Taken, TypeExpr, TypeId,
    },
    languages::javascript::{
        modules::{export, import, push_import},
        objects::{key_name, method, object},
    },
    lowering::{Dialect, Lower, Parts, Role, Slot},
    syntax::Node,
};

pub(crate) struct JavaScript;

impl Dialect for JavaScript {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "import_statement" => import(lower, node),
            "export_statement" => export(lower, node),
            "object" => return object(lower, node),
            "call_expression" => return call(lower, node, &parts),
            "class" => {
                let id = lower.type_like(DefKind::Class, node, &parts);
                return lower.push(Expr::Def(id));
            }
            "method_definition" => {
                if let Some(name) = parts.get(Slot::Name) {
                    method(lower, node, name);
                }
            }
            "as_expression" => {
                let Some(value) = node.named_child(0) else { return ExprId::UNKNOWN };
                let value = lower.node(value);
                let ty = node.named_child(1).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                let is_const = node.named_child(1).is_none_or(|ty| lower.text(ty) == "const");
                return if is_const || !ty.is_known() {
                    value
                } else {
                    lower.push(Expr::Typed(ty))
                };
            }
            "binary_expression" => return binary(lower, node, &parts),
            "subscript_expression" => {
                let object = lower.part(&parts, Slot::Object);
                if let Some(key) = parts.get(Slot::Args)
                    && lower.kind(key) == "string"
                {
                    let name = string(lower, key);
                    return lower.push(Expr::Member { object, name });
                }
                lower.part(&parts, Slot::Args);
                return lower.push(Expr::Index(object));
            }
            "spread_element" => {
                let value = lower.last_child(node);
                return if value.is_known() { lower.push(Expr::Elem(value)) } else { value };
            }
            "for_statement" => {
                lower.in_block(|lower| lower.children(node));
            }
            "catch_clause" => {
                lower.in_block(|lower| {
                    if let Some(name) = parts.get(Slot::Name) {
                        lower.local_pattern(name, TypeId::UNKNOWN, ExprId::UNKNOWN);
                    }
                    lower.part(&parts, Slot::Body);
                });
            }
            "if_statement" | "ternary_expression" => {
                let condition = parts.get(Slot::Object);
                lower.part(&parts, Slot::Object);
                let branch = |lower: &mut Lower<'t>, slot| {
                    lower.in_block(|lower| {
                        if let (Slot::Value, Some(condition)) = (slot, condition) {
                            lower.dialect.narrow(lower, condition);
                        }
                        lower.part(&parts, slot)
                    })
                };
                let then = branch(lower, Slot::Value);
                let other = branch(lower, Slot::Alt);
                if lower.kind(node) == "ternary_expression" {
                    return lower.push(Expr::Either(vec![then, other]));
                }
            }
            "module" => {
                // `declare module "x"` is about another module.
                if parts.get(Slot::Name).is_some_and(|name| lower.kind(name) != "string") {
                    lower.type_like(DefKind::Namespace, node, &parts);
                }
            }
            "jsx_opening_element" | "jsx_self_closing_element" => {
                if let Some(name) = parts.get(Slot::Name) {
                    element(lower, name);
                }
                lower.children(node);
            }
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn pattern<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>, ty: TypeId, value: ExprId) {
        let value = if ty.is_known() { lower.push(Expr::Typed(ty)) } else { value };
        let none = TypeId::UNKNOWN;
        match lower.kind(node) {
            "object_pattern" => {
                for child in node.named_children() {
                    match lower.kind(child) {
                        "shorthand_property_identifier_pattern" => {
                            let name = lower.sym_of(child);
                            let member = lower.push(Expr::Member { object: value, name });
                            lower.pattern(child, none, member);
                        }
                        "pair_pattern" => {
                            let (Some(key), Some(inner)) =
                                (lower.in_field(child, "key"), lower.in_field(child, "value"))
                            else {
                                continue;
                            };
                            let name = key_name(lower, key);
                            let member = match name {
                                Some(name) => lower.push(Expr::Member { object: value, name }),
                                None => ExprId::UNKNOWN,
                            };
                            lower.pattern(inner, none, member);
                        }
                        "object_assignment_pattern" | "assignment_pattern" => {
                            let (Some(left), Some(right)) =
                                (lower.in_field(child, "left"), lower.in_field(child, "right"))
                            else {
                                continue;
                            };
                            lower.node(right);
                            let name = lower.sym_of(left);
                            let member = lower.push(Expr::Member { object: value, name });
                            lower.pattern(left, none, member);
                        }
                        _ => {
                            if let Some(rest) = child.named_child(0) {
                                lower.pattern(rest, none, value);
                            }
                        }
                    }
                }
            }
            "array_pattern" => {
                let mut place = 0u16;
                for child in node.children() {
                    if lower.kind(child) == "," {
                        place += 1;
                    } else if lower.kind(child) == "rest_pattern" {
                        if let Some(rest) = child.named_child(0) {
                            lower.pattern(rest, none, value);
                        }
                    } else if child.is_named() && !child.is_extra() {
                        let item = lower.push(Expr::Item(value, place));
                        lower.pattern(child, none, item);
                    }
                }
            }
            "assignment_pattern" => {
                let (Some(left), Some(right)) =
                    (lower.in_field(node, "left"), lower.in_field(node, "right"))
                else {
                    return;
                };
                let default = lower.node(right);
                let either = lower.push(Expr::Either(vec![value, default]));
                lower.pattern(left, none, either);
            }
            _ => {
                lower.node(node);
            }
        }
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "object_type" => {
                let name = lower.sym("");
                let id = lower.new_def(DefKind::Object, name, node, None);
                let outer = lower.enter(id, ScopeKind::Type);
                lower.children(node);
                lower.at = outer;
                lower.push_type(TypeExpr::Object(id))
            }
            "type_query" => {
                let value = node.named_child(0).map_or(ExprId::UNKNOWN, |value| lower.node(value));
                lower.push_type(TypeExpr::TypeOf(value))
            }
            "lookup_type" => {
                let base = node.named_child(0).map_or(TypeId::UNKNOWN, |base| lower.ty(base));
                let key = node.named_child(1).filter(|key| lower.kind(*key) == "literal_type");
                match key
                    .and_then(|key| key.named_child(0))
                    .filter(|key| lower.kind(*key) == "string")
                {
                    Some(key) => {
                        let name = string(lower, key);
                        lower.push_type(TypeExpr::Member(base, name))
                    }
                    None => {
                        let name = lower.sym("[]");
                        lower.push_type(TypeExpr::Member(base, name))
                    }
                }
            }
            "conditional_type"
            | "mapped_type_clause"
            | "index_type_query"
            | "template_literal_type"
            | "infer_type"
            | "type_predicate" => TypeId::UNKNOWN,
            "interface_body" => TypeId::UNKNOWN,
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let mut flags = Flags::default();
        for child in node.children() {
            match lower.kind(child) {
                "static" => flags = flags.with(Flags::STATIC),
                "async" => flags = flags.with(Flags::ASYNC),
                "abstract" => flags = flags.with(Flags::ABSTRACT),
                "get" => flags = flags.with(Flags::PROPERTY),
                "*" => flags = flags.with(Flags::GENERATOR),
                "accessibility_modifier" if lower.text(child) != "public" => {
                    flags = flags.with(Flags::PRIVATE);
                }
                "private_property_identifier" => flags = flags.with(Flags::PRIVATE),
                // Marks stand in front of the name.
                "identifier"
                | "property_identifier"
                | "type_identifier"
                | "formal_parameters"
                | "statement_block"
                | "class_body"
                | "object_type" => break,
                _ => {}
            }
        }
        flags
    }

    fn param<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) {
        // `constructor(private x: T)` declares a field.
        let marked = node.children().any(|child| {
            matches!(lower.kind(child), "accessibility_modifier" | "readonly" | "override_modifier")
        });
        let Some(name) = marked.then(|| lower.in_field(node, "pattern")).flatten() else { return };
        let ty = lower
            .at
            .owner
            .and_then(|id| lower.facts.def(id).params.last().map(|param| param.ty))
            .unwrap_or_default();
        let value = lower.name_expr(name);
        lower.assigned_field(node, name, ty, value);
    }

    fn assign<'t>(
        &self,
        lower: &mut Lower<'t>,
        node: Node<'t>,
        left: Node<'t>,
        right: Option<Node<'t>>,
    ) -> bool {
        let (Some(right), "member_expression") = (right, lower.kind(left)) else {
            // `[a, b] = …` and `({a} = …)` assign to what exists.
            return false;
        };
        let (Some(object), Some(name)) =
            (lower.in_field(left, "object"), lower.in_field(left, "property"))
        else {
            return false;
        };
        let base = lower.text(object);
        let own = lower.text(name);
        if base == "module" && own == "exports" {
            let value = lower.node(right);
            let default = lower.sym("default");
            lower.push_export(Export::Value { name: default, value });
            return true;
        }
        let exports = base == "exports" || base == "module.exports";
        let functional = lower.table.role(right) == Role::Lambda;
        if !(exports || functional && lower.kind(object) != "this") {
            return false;
        }
        if !exports && !matches!(lower.kind(object), "identifier" | "member_expression") {
            return false;
        }
        let sym = lower.sym_of(name);
        if exports && !functional {
            let value = lower.node(right);
            lower.push_export(Export::Value { name: sym, value });
            return true;
        }
        // `x.name = function …`: a member of what `x` is.
        let host = lower.kind(object) == "member_expression" && own_prototype(lower, object);
        let host_node =
            if host { lower.in_field(object, "object").unwrap_or(object) } else { object };
        let host_value = if exports { ExprId::UNKNOWN } else { lower.node(host_node) };
        let outer = lower.at;
        let id = lower.new_def(DefKind::Function, sym, node, Some(name));
        lower.mark(id, Flags::ASSIGNED);
        if let Some(parts) = lower.parts(right) {
            lower.function_parts(id, right, &parts);
            lower.sign(id, node, parts.get(Slot::Body));
        }
        lower.at = outer;
        let value = lower.push(Expr::Def(id));
        if exports {
            lower.push_export(Export::Value { name: sym, value });
        } else {
            let ty = lower.push_type(TypeExpr::TypeOf(host_value));
            lower.def_mut(id).receiver = ty;
        }
        true
    }

    fn narrow<'t>(&self, lower: &mut Lower<'t>, condition: Node<'t>) {
        let mut node = condition;
        while lower.kind(node) == "parenthesized_expression" {
            let Some(inner) = node.named_child(0) else { return };
            node = inner;
        }
        if lower.kind(node) != "binary_expression" {
            return;
        }
        let (Some(left), Some(right)) =
            (lower.in_field(node, "left"), lower.in_field(node, "right"))
        else {
            return;
        };
        match lower.in_field(node, "operator").map(|operator| operator.kind()) {
            Some("&&") => {
                self.narrow(lower, left);
                self.narrow(lower, right);
            }
            Some("instanceof") if lower.kind(left) == "identifier" => {
                let ty = lower.ty(right);
                lower.bind_local(left, ty, ExprId::UNKNOWN);
            }
            _ => {}
        }
    }
}

fn own_prototype(lower: &Lower<'_>, node: Node<'_>) -> bool {
    lower.in_field(node, "property").is_some_and(|name| lower.text(name) == "prototype")
}

/// The text of a string literal.
pub(crate) fn string(lower: &mut Lower<'_>, node: Node<'_>) -> Sym {
    let text = lower.text(node);
    lower.sym(text.trim_matches(['"', '\'', '`']))
}

fn binary<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
    let operator = lower.in_field(node, "operator").map(|operator| lower.kind(operator));
    let left = lower.part(parts, Slot::Name);
    match operator {
        Some("&&") => {
            let condition = parts.get(Slot::Name);
            lower.in_block(|lower| {
                if let Some(condition) = condition {
                    lower.dialect.narrow(lower, condition);
                }
                lower.part(parts, Slot::Value)
            })
        }
        Some("||" | "??") => {
            let right = lower.part(parts, Slot::Value);
            lower.push(Expr::Either(vec![left, right]))
        }
        _ => {
            lower.part(parts, Slot::Value);
            ExprId::UNKNOWN
        }
    }
}

fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
    let (callee, args) = (parts.get(Slot::Object), parts.get(Slot::Args));
    if let (Some(callee), Some(args)) = (callee, args)
        && (lower.kind(callee) == "import"
            || lower.kind(callee) == "identifier" && lower.text(callee) == "require")
        && let Some(path) = args.named_child(0).filter(|path| path.kind() == "string")
    {
        let module = string(lower, path);
        let import = push_import(lower, node, module, Taken::Module, None, false);
        return lower.push(Expr::Module(import));
    }
    if let (Some(callee), Some(args)) = (callee, args)
        && args.kind() == "template_string"
    {
        let target = lower.node(callee);
        lower.node(args);
        lower.resolve_expr(RefKind::Call, target, 1, callee.end_position().row);
        return lower.push(Expr::Call { callee: target, args: Vec::new(), type_args: Vec::new() });
    }
    if let (Some(callee), Some(args)) = (callee, args) {
        // A type assertion doesn't change what is called: `(f as Function)()`.
        let named = lower.bare(callee);
        if named != callee && matches!(lower.table.role(named), Role::Ident | Role::Member) {
            let target = lower.node(named);
            let row = callee.end_position().row;
            return lower.invoke(RefKind::Call, target, Vec::new(), Some(args), row);
        }
    }
    lower.call(node, parts, RefKind::Call)
}

fn element<'t>(lower: &mut Lower<'t>, name: Node<'t>) {
    let text = lower.text(name);
    // A small letter is a host element.
    if lower.kind(name) == "identifier"
        && !text.starts_with(|c: char| c.is_uppercase() || c == '_' || c == '$')
    {
        return;
    }
    let target = lower.node(name);
    lower.resolve_expr(RefKind::Element, target, 0, name.start_position().row);
}
