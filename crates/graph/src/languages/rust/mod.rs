//! Rust: `impl` blocks, patterns, paths and bounds. Macro calls and `use` trees are read by the siblings.

pub(crate) mod imports;
pub(crate) mod macros;
pub(crate) mod project;
pub(crate) mod resolution;
pub(crate) mod rules;

use retriever_workspace::Exhausted;

use crate::{
    facts::{
        Bound, DefId, DefKind, Expr, ExprId, FieldAt, Flags, RefKind, ScopeKind, TypeExpr, TypeId,
    },
    lowering::{Dialect, Lower, Role, Slot, index},
    syntax::Node,
};

pub(crate) struct Rust;

impl Dialect for Rust {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "attribute_item" => lower.doc_reaches(node),
            "use_declaration" => {
                let public = node
                    .named_child(0)
                    .is_some_and(|first| lower.kind(first) == "visibility_modifier");
                if let Some(tree) = lower.in_field(node, "argument") {
                    imports::tree(lower, tree, &[], public);
                }
            }
            "mod_item" => {
                if parts.get(Slot::Body).is_some() {
                    lower.type_like(DefKind::Namespace, node, &parts);
                }
            }
            "impl_item" => implementation(lower, node),
            "macro_definition" => {
                if let Some(name) = parts.get(Slot::Name) {
                    let sym = lower.sym_of(name);
                    let id = lower.new_def(DefKind::Macro, sym, node, Some(name));
                    lower.sign(id, node, node.named_child(1));
                    let spelled = format!("{}!", lower.text(name));
                    let spelled = lower.sym(&spelled);
                    lower.bind(spelled, 0, Bound::Def(id));
                }
            }
            "macro_invocation" => return macros::call(lower, node),
            "let_declaration" => {
                let ty = parts.get(Slot::Type).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                let value = match parts.get(Slot::Value) {
                    Some(value) => valued(lower, value, ty),
                    None => ExprId::UNKNOWN,
                };
                lower.part(&parts, Slot::Alt);
                if let Some(name) = parts.get(Slot::Name) {
                    let first = lower.facts.bindings.len();
                    lower.local_pattern(name, ty, value);
                    // Visible behind the whole statement: `let x = x.next()` reads the old one.
                    for binding in &mut lower.facts.bindings[first..] {
                        binding.from = index(node.end_byte());
                    }
                }
            }
            "let_condition" => {
                let value = lower.part(&parts, Slot::Value);
                if let Some(name) = parts.get(Slot::Name) {
                    let first = lower.facts.bindings.len();
                    lower.local_pattern(name, TypeId::UNKNOWN, value);
                    for binding in &mut lower.facts.bindings[first..] {
                        binding.from = index(node.end_byte());
                    }
                }
            }
            "if_expression" => {
                let then = lower.in_block(|lower| {
                    lower.part(&parts, Slot::Object);
                    lower.part(&parts, Slot::Value)
                });
                let other = lower.part(&parts, Slot::Alt);
                return lower.push(Expr::Either(vec![then, other]));
            }
            "while_expression" => {
                lower.in_block(|lower| {
                    lower.part(&parts, Slot::Object);
                    lower.part(&parts, Slot::Body);
                });
            }
            "match_expression" => return matching(lower, node),
            "generic_function" => {
                if let Some(args) = parts.get(Slot::Args) {
                    lower.type_list(args);
                }
                return lower.part(&parts, Slot::Object);
            }
            "scoped_identifier" => return path(lower, node),
            "struct_expression" => {
                let ty =
                    parts.get(Slot::Name).map_or(TypeId::UNKNOWN, |name| lower.annotation(name));
                if let Some(body) = parts.get(Slot::Body) {
                    initializers(lower, body, ty);
                }
                return lower.push(Expr::Typed(ty));
            }
            "binary_expression" => return operation(lower, node),
            "index_expression" => {
                let object =
                    node.named_child(0).map_or(ExprId::UNKNOWN, |object| lower.node(object));
                if let Some(at) = node.named_child(1) {
                    lower.node(at);
                    if at.kind() == "range_expression" {
                        return object;
                    }
                }
                return lower.push(Expr::Index(object));
            }
            "ordered_field_declaration_list" => {}
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn pattern<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>, ty: TypeId, value: ExprId) {
        let value = if ty.is_known() { lower.push(Expr::Typed(ty)) } else { value };
        let none = TypeId::UNKNOWN;
        let children: Vec<Node<'t>> =
            node.named_children().filter(|child| !child.is_extra()).collect();
        match lower.kind(node) {
            "tuple_struct_pattern" => {
                let Some(name) = lower.in_field(node, "type") else { return };
                let text = lower.text(name);
                let parts = children.iter().filter(|child| **child != name);
                let payload = match text {
                    "Some" | "Ok" | "Poll::Ready" | "Ready" => {
                        Some(lower.push(Expr::Unwrap(value)))
                    }
                    "Err" => Some(ExprId::UNKNOWN),
                    _ => None,
                };
                let owner =
                    if payload.is_some() { TypeId::UNKNOWN } else { variant_type(lower, name) };
                for (place, part) in parts.enumerate() {
                    let bound =
                        payload.unwrap_or_else(|| member_of(lower, owner, &place.to_string()));
                    lower.local_pattern(*part, none, bound);
                }
            }
            "struct_pattern" => {
                let Some(name) = lower.in_field(node, "type") else { return };
                let owner = variant_type(lower, name);
                for part in children.iter().filter(|child| child.kind() == "field_pattern") {
                    let Some(field) = lower.in_field(*part, "name") else { continue };
                    let text = lower.text(field);
                    let bound = member_of(lower, owner, text);
                    lower.local_pattern(
                        lower.in_field(*part, "pattern").unwrap_or(field),
                        none,
                        bound,
                    );
                }
            }
            "tuple_pattern" => {
                for (place, part) in children.into_iter().enumerate() {
                    let item =
                        lower.push(Expr::Item(value, u16::try_from(place).unwrap_or(u16::MAX)));
                    lower.local_pattern(part, none, item);
                }
            }
            "slice_pattern" => {
                for part in children {
                    let item = lower.push(Expr::Elem(value));
                    lower.local_pattern(part, none, item);
                }
            }
            "scoped_identifier" | "range_pattern" | "string_literal" | "integer_literal"
            | "negative_literal" | "boolean_literal" | "char_literal" | "macro_invocation" => {}
            _ => {
                for part in children {
                    if lower.kind(part) != "mutable_specifier" {
                        lower.local_pattern(part, none, value);
                    }
                }
            }
        }
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "crate" | "super" => {
                let name = lower.sym_of(node);
                lower.named(vec![name], Vec::new(), node)
            }
            "self" => {
                let name = lower.sym("self::");
                lower.named(vec![name], Vec::new(), node)
            }
            "scoped_identifier" => {
                let (Some(path), Some(name)) =
                    (lower.in_field(node, "path"), lower.in_field(node, "name"))
                else {
                    return TypeId::UNKNOWN;
                };
                let base = lower.ty(path);
                let name = lower.sym_of(name);
                if let TypeExpr::Named { path, .. } = &mut lower.facts.types[base.index()] {
                    path.push(name);
                }
                base
            }
            "type_binding" => match lower.in_field(node, "type") {
                // `Iterator<Item = T>`: the binding is what it holds.
                Some(ty) => lower.ty(ty),
                None => TypeId::UNKNOWN,
            },
            "bracketed_type" | "qualified_type" => lower.only_child_type(node),
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let mut flags = Flags::default();
        let mut public = false;
        for child in node.named_children() {
            match lower.kind(child) {
                "visibility_modifier" => public = true,
                "function_modifiers" if lower.text(child).contains("async") => {
                    flags = flags.with(Flags::ASYNC);
                }
                "block" | "parameters" | "declaration_list" => break,
                _ => {}
            }
        }
        if public { flags.with(Flags::EXPORTED) } else { flags.with(Flags::PRIVATE) }
    }

    fn define<'t>(&self, lower: &mut Lower<'t>, id: DefId, node: Node<'t>) {
        bounds(lower, id, node);
        if (lower.kind(node) == "struct_item" || lower.kind(node) == "enum_variant")
            && let Some(list) =
                node.field("body").filter(|b| b.kind() == "ordered_field_declaration_list")
        {
            let types = list.fields("type").collect::<Vec<_>>();
            for (place, ty) in types.into_iter().enumerate() {
                let name = lower.sym(&place.to_string());
                let field = lower.new_def(DefKind::Field, name, ty, None);
                let ty = lower.annotation(ty);
                lower.def_mut(field).ty = ty;
            }
        }
        let own = lower.facts.def(id).params.first().map(|param| param.name);
        if own.is_some_and(|own| lower.facts.text(own) == "self") {
            lower.mark(id, Flags::SELF_PARAM);
        } else if lower.facts.def(id).kind == DefKind::Function {
            lower.mark(id, Flags::STATIC);
        }
    }

    fn is_param(&self, lower: &Lower<'_>, node: Node<'_>) -> bool {
        lower.table.role(node) == Role::Ident
            || matches!(
                lower.kind(node),
                "tuple_pattern"
                    | "tuple_struct_pattern"
                    | "struct_pattern"
                    | "reference_pattern"
                    | "mut_pattern"
                    | "ref_pattern"
                    | "captured_pattern"
            )
    }

    fn rewrite(&self, source: &str, root: Node<'_>) -> Result<Option<String>, Exhausted> {
        Ok(macros::unwrap_items(source, root))
    }

    fn body_is_value(&self) -> bool {
        true
    }
}

/// `where T: A + B` adds to what `<T>` says.
fn bounds<'t>(lower: &mut Lower<'t>, id: DefId, node: Node<'t>) {
    let Some(clause) = node.named_children().find(|child| lower.kind(*child) == "where_clause")
    else {
        return;
    };
    for predicate in clause.named_children() {
        let (Some(left), Some(bound)) =
            (lower.in_field(predicate, "left"), lower.in_field(predicate, "bounds"))
        else {
            continue;
        };
        let name = lower.sym_of(left);
        let bound = lower.annotation(bound);
        // A method can say more of what stands for its `impl`'s parameters.
        let mut next = Some(id);
        while let Some(owner) = next {
            let def = lower.facts.def(owner);
            next = def.parent;
            let Some(place) = def.type_params.iter().position(|param| param.name == name) else {
                continue;
            };
            let old = def.type_params[place].bound;
            let both = if old.is_known() {
                lower.push_type(TypeExpr::Union(vec![old, bound]))
            } else {
                bound
            };
            lower.def_mut(owner).type_params[place].bound = both;
            break;
        }
    }
}

fn variant_type<'t>(lower: &mut Lower<'t>, name: Node<'t>) -> TypeId {
    lower.ty(name)
}

fn member_of(lower: &mut Lower<'_>, owner: TypeId, field: &str) -> ExprId {
    if !owner.is_known() {
        return ExprId::UNKNOWN;
    }
    let name = lower.sym(field);
    let object = lower.push(Expr::Typed(owner));
    lower.push(Expr::Member { object, name })
}

fn initializers<'t>(lower: &mut Lower<'t>, body: Node<'t>, ty: TypeId) {
    for part in body.named_children() {
        match lower.kind(part) {
            "field_initializer" => {
                let (Some(field), Some(value)) =
                    (lower.in_field(part, "field"), lower.in_field(part, "value"))
                else {
                    continue;
                };
                let field = lower.sym_of(field);
                let node = value;
                let value = if is_default(lower, node) {
                    let ty = lower.push_type(TypeExpr::Member(ty, field));
                    valued(lower, node, ty)
                } else {
                    lower.node(node)
                };
                if matches!(lower.facts.expr(value), Expr::Name { .. } | Expr::Member { .. }) {
                    lower.resolve_expr(RefKind::Value, value, 0, node.start_position().row);
                }
                lower.fill(ty, FieldAt::Named(field), value);
            }
            "base_field_initializer" => {
                if let Some(base) = part.named_child(0) {
                    valued(lower, base, ty);
                }
            }
            _ => lower.children(part),
        }
    }
}

/// Whether an expression is a default whose type only its place says.
fn is_default(lower: &Lower<'_>, node: Node<'_>) -> bool {
    lower.kind(node) == "call_expression" && lower.text(node) == "Default::default()"
}

/// Lowers an expression that has to be of type `ty`, if that is known.
fn valued<'t>(lower: &mut Lower<'t>, node: Node<'t>, ty: TypeId) -> ExprId {
    if !ty.is_known() || !is_default(lower, node) {
        return lower.node(node);
    }
    let object = lower.push(Expr::Type(ty));
    let name = lower.sym("default");
    let callee = lower.push(Expr::Member { object, name });
    lower.invoke(RefKind::Call, callee, Vec::new(), None, node.start_position().row)
}

/// What an operator gives is what its method gives; nothing is called by name.
fn operation<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let side = |lower: &mut Lower<'t>, field| {
        node.field(field).map_or(ExprId::UNKNOWN, |side| lower.node(side))
    };
    let (left, right) = (side(lower, "left"), side(lower, "right"));
    let method = match lower.in_field(node, "operator").map(|operator| operator.kind()) {
        Some("+") => "add",
        Some("-") => "sub",
        Some("*") => "mul",
        Some("/") => "div",
        Some("%") => "rem",
        Some("&") => "bitand",
        Some("|") => "bitor",
        Some("^") => "bitxor",
        _ => return ExprId::UNKNOWN,
    };
    let name = lower.sym(method);
    let callee = lower.push(Expr::Member { object: left, name });
    lower.push(Expr::Call { callee, args: vec![right], type_args: Vec::new() })
}

fn implementation<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(parts) = lower.parts(node) else { return };
    let empty = lower.sym("");
    let id = lower.new_def(DefKind::Impl, empty, node, None);
    let outer = lower.enter(id, ScopeKind::Type);
    lower.type_params(id, parts.get(Slot::TypeParams));
    bounds(lower, id, node);
    if let Some(ty) = parts.get(Slot::Name) {
        let ty = lower.annotation(ty);
        lower.def_mut(id).receiver = ty;
    }
    if let Some(up) = parts.get(Slot::Supers) {
        let up = lower.annotation(up);
        lower.def_mut(id).supers.push((crate::facts::SuperKind::Implements, up));
    }
    if let Some(body) = parts.get(Slot::Body) {
        lower.children(body);
    }
    lower.at = outer;
}

fn matching<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let subject = lower.in_field(node, "value").map_or(ExprId::UNKNOWN, |value| lower.node(value));
    let Some(body) = lower.in_field(node, "body") else { return ExprId::UNKNOWN };
    let mut values = Vec::new();
    for arm in body.named_children() {
        if arm.kind() != "match_arm" {
            lower.node(arm);
            continue;
        }
        let value = lower.in_block(|lower| {
            if let Some(pattern) = lower.in_field(arm, "pattern") {
                for part in pattern.named_children() {
                    if lower.in_field(pattern, "condition") == Some(part) {
                        lower.node(part);
                    } else {
                        lower.local_pattern(part, TypeId::UNKNOWN, subject);
                    }
                }
            }
            lower.in_field(arm, "value").map_or(ExprId::UNKNOWN, |value| lower.node(value))
        });
        values.push(value);
    }
    lower.push(Expr::Either(values))
}

fn path<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    let object = match lower.in_field(node, "path") {
        Some(path) if path.kind() == "self" => module_word(lower, path, "self::"),
        Some(path) if matches!(path.kind(), "crate" | "super") => {
            let word = lower.text(path);
            module_word(lower, path, word)
        }
        Some(path)
            if matches!(
                path.kind(),
                "generic_type" | "bracketed_type" | "scoped_type_identifier" | "type_identifier"
            ) =>
        {
            let ty = lower.ty(path);
            lower.push(Expr::Type(ty))
        }
        Some(path) => lower.node(path),
        // `::name`
        None => return lower.name_expr(name),
    };
    let name = lower.sym_of(name);
    lower.push(Expr::Member { object, name })
}

pub(crate) fn module_word(lower: &mut Lower<'_>, node: Node<'_>, word: &str) -> ExprId {
    let name = lower.sym(word);
    let (scope, pos) = (lower.at.scope, index(node.start_byte()));
    lower.push(Expr::Name { name, scope, pos })
}
