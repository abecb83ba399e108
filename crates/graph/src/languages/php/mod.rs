//! PHP: calls, members, promoted and typed properties, `self`, `static` and `parent`. Declarations are
//! [`crate::languages::php::declarations`]'s, what conditions prove [`crate::languages::php::narrowing`]'s, types in documentation comments
//! [`crate::languages::php::doc_types`]'s.

pub(crate) mod declarations;
pub(crate) mod doc_types;
pub(crate) mod narrowing;
pub(crate) mod resolution;
pub(crate) mod rules;

use crate::{
    facts::{
        Bound, DefId, DefKind, Expr, ExprId, Flags, RefKind, ScopeKind, SuperKind, Taken, TypeExpr,
        TypeId,
    },
    languages::php::{
        declarations::{comment, constants, namespace, properties, push_import, traits, uses},
        narrowing::{binary, branch, choice},
    },
    lowering::{Body, Dialect, Lower, find, index, kids, summary},
    syntax::Node,
};

pub(crate) struct Php;

impl Dialect for Php {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        match lower.kind(node) {
            "comment" => comment(lower, node),
            "namespace_definition" => namespace(lower, node),
            "namespace_use_declaration" => uses(lower, node),
            "use_declaration" => traits(lower, node),
            "const_declaration" => constants(lower, node),
            "property_declaration" => properties(lower, node),
            "if_statement" => branch(lower, node),
            "foreach_statement" => foreach(lower, node),
            "catch_clause" => {
                let ty = lower.in_field(node, "type");
                let ty = ty.map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
                if let Some(name) = lower.in_field(node, "name") {
                    lower.bind_local(name, ty, ExprId::UNKNOWN);
                }
                lower.child(node, "body");
            }
            "static_variable_declaration" => {
                let value = lower.child(node, "value");
                if let Some(name) = lower.in_field(node, "name") {
                    lower.bind_local(name, TypeId::UNKNOWN, value);
                }
            }
            "function_call_expression" => return call(lower, node),
            "member_call_expression"
            | "nullsafe_member_call_expression"
            | "scoped_call_expression" => return method_call(lower, node),
            "member_access_expression"
            | "nullsafe_member_access_expression"
            | "scoped_property_access_expression" => return property(lower, node),
            "class_constant_access_expression" => return constant(lower, node),
            "object_creation_expression" => return creation(lower, node),
            "array_creation_expression" => return array(lower, node),
            "match_expression" => {
                lower.child(node, "condition");
                let arms = lower.in_field(node, "body").map(kids).unwrap_or_default();
                let mut values = Vec::new();
                for arm in arms {
                    lower.child(arm, "conditional_expressions");
                    values.push(lower.child(arm, "return_expression"));
                }
                return lower.push(Expr::Either(values));
            }
            "binary_expression" => return binary(lower, node),
            "conditional_expression" => return choice(lower, node),
            "attribute" => {
                if let Some(name) = node.named_child(0) {
                    let ty = class_type(lower, name);
                    let target = lower.push(Expr::Type(ty));
                    lower.resolve_expr(RefKind::Decorator, target, 0, node.start_position().row);
                }
                if let Some(args) = lower.in_field(node, "parameters") {
                    lower.children(args);
                }
            }
            // A constant, by its name alone.
            "name" => return lower.name_expr(node),
            _ => {}
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "named_type" => {
                node.named_child(0).map_or(TypeId::UNKNOWN, |name| class_type(lower, name))
            }
            "name" | "qualified_name" | "relative_name" => class_type(lower, node),
            _ => lower.only_child_type(node),
        }
    }

    fn pattern<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>, ty: TypeId, value: ExprId) {
        match lower.kind(node) {
            "list_literal" | "array_creation_expression" => {
                for (place, child) in kids(node).into_iter().enumerate() {
                    let child = match lower.kind(child) {
                        "array_element_initializer" => kids(child).last().copied().unwrap_or(child),
                        _ => child,
                    };
                    let place = u16::try_from(place).unwrap_or(u16::MAX);
                    let item = lower.push(Expr::Item(value, place));
                    lower.pattern(child, ty, item);
                }
            }
            "by_ref" => {
                if let Some(inner) = node.named_child(0) {
                    lower.pattern(inner, ty, value);
                }
            }
            _ => {
                lower.node(node);
            }
        }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let mut flags = Flags::default();
        for child in node.named_children() {
            flags = flags.with(match lower.kind(child) {
                "static_modifier" => Flags::STATIC,
                "abstract_modifier" => Flags::ABSTRACT,
                "visibility_modifier" if lower.text(child) == "private" => Flags::PRIVATE,
                _ => Flags::default(),
            });
        }
        match lower.in_field(node, "name") {
            Some(name) if lower.text(name) == "__construct" => flags.with(Flags::CONSTRUCTOR),
            _ => flags,
        }
    }

    fn define<'t>(&self, lower: &mut Lower<'t>, id: DefId, node: Node<'t>) {
        if let Some(list) = lower.in_field(node, "attributes") {
            lower.children(list);
        }
        let raw = std::mem::take(&mut lower.def_mut(id).doc);
        lower.def_mut(id).doc = summary(&raw);
        if lower.facts.def(id).kind == DefKind::Function {
            doc_types::function(lower, id, &raw, node);
        } else if lower.facts.def(id).kind.is_type() {
            let scope = lower.at.scope;
            let ty = lower.push_type(TypeExpr::This(scope));
            let this = lower.sym("$this");
            lower.bind(this, 0, Bound::Local { ty, value: ExprId::UNKNOWN });
        }
    }

    fn param<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) {
        if lower.kind(node) != "property_promotion_parameter" {
            return;
        }
        let Body::Def(function) = lower.at.body else { return };
        let Some(class) = lower.facts.def(function).parent else { return };
        let Some(param) = lower.facts.def(function).params.last().cloned() else { return };
        let outer = lower.at;
        lower.at.owner = Some(class);
        lower.at.scope = lower.facts.def(class).scope;
        let field = lower.new_def(DefKind::Field, param.name, node, None);
        lower.at = outer;
        lower.sign(field, node, None);
        lower.def_mut(field).ty = param.ty;
    }

    fn assign<'t>(
        &self,
        lower: &mut Lower<'t>,
        node: Node<'t>,
        left: Node<'t>,
        right: Option<Node<'t>>,
    ) -> bool {
        let row = node.start_position().row;
        let noted = match &lower.doc {
            Some((raw, last)) if *last + 1 == row || *last == row => raw.clone(),
            _ => String::new(),
        };
        let ty = doc_types::variable(lower, &noted, lower.text(left), node);
        let value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
        match lower.kind(left) {
            "variable_name" | "list_literal" | "array_creation_expression" => {
                let before = lower.facts.defs.len();
                lower.pattern(left, ty, value);
                for def in &mut lower.facts.defs[before..] {
                    def.doc = summary(&def.doc);
                }
            }
            "member_access_expression" => {
                lower.node(left);
                let object = lower.in_field(left, "object");
                if object.is_some_and(|object| lower.text(object) == "$this")
                    && let Some(name) = lower.in_field(left, "name")
                    && lower.kind(name) == "name"
                {
                    let sym = lower.sym(&format!("${}", lower.text(name)));
                    lower.assigned_member(node, sym, name, ty, value);
                }
            }
            _ => {
                lower.node(left);
            }
        }
        true
    }

    fn assignment_declares(&self) -> bool {
        true
    }
}

/// What a class name stands for, the words for the class around it included.
pub(crate) fn class_type<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
    let text = lower.text(node);
    named(lower, text, node)
}

pub(crate) fn named<'t>(lower: &mut Lower<'t>, text: &str, node: Node<'t>) -> TypeId {
    let mut next = Some(lower.at.scope);
    let mut around = None;
    while let Some(id) = next {
        let scope = &lower.facts.scopes[id.index()];
        if scope.kind == ScopeKind::Type {
            around = scope.owner.map(|class| (id, class));
            break;
        }
        next = scope.parent;
    }
    match (text.to_ascii_lowercase().as_str(), around) {
        ("self", Some((scope, _))) => return lower.push_type(TypeExpr::This(scope)),
        ("static" | "$this", Some((scope, _))) => {
            // Kept apart: on a subclass it is that subclass.
            let (path, pos) = (vec![lower.sym("static")], index(node.start_byte()));
            return lower.push_type(TypeExpr::Named { path, args: Vec::new(), scope, pos });
        }
        ("parent", Some((_, class))) => {
            let inherited = |(_, ty): &&(SuperKind, TypeId)| ty.is_known();
            return lower
                .facts
                .def(class)
                .supers
                .iter()
                .rfind(inherited)
                .map_or(TypeId::UNKNOWN, |(_, ty)| *ty);
        }
        ("self" | "static" | "parent" | "$this", None) => return TypeId::UNKNOWN,
        _ => {}
    }
    let text = text.strip_prefix("namespace\\").unwrap_or(text);
    // A leading separator is an empty first part: the root.
    let path = text.split('\\').map(|part| lower.sym(part.trim())).collect();
    lower.named(path, Vec::new(), node)
}

/// The value that stands before `::`.
pub(crate) fn scope_value<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    match lower.kind(node) {
        "relative_scope" if lower.text(node) == "parent" => lower.push(Expr::Super(lower.at.scope)),
        "relative_scope" => lower.push(Expr::This(lower.at.scope)),
        "name" | "qualified_name" | "relative_name" => {
            let ty = lower.annotation(node);
            lower.push(Expr::Type(ty))
        }
        _ => lower.node(node),
    }
}

fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(function) = lower.in_field(node, "function") else { return ExprId::UNKNOWN };
    let callee = match lower.kind(function) {
        "name" => lower.name_expr(function),
        "qualified_name" | "relative_name" => {
            let text = lower.text(function);
            let text = text.strip_prefix("namespace").unwrap_or(text);
            if text.starts_with('\\') && lower.text(function).starts_with('\\') {
                let mut module: Vec<_> =
                    text.split('\\').filter(|p| !p.is_empty()).map(|p| lower.sym(p)).collect();
                let Some(last) = module.pop() else { return ExprId::UNKNOWN };
                let id = push_import(lower, module, Taken::Name(last), None, node);
                lower.push(Expr::Module(id))
            } else {
                // From the namespace or an import on, part by part.
                let (scope, pos) = (lower.at.scope, index(function.start_byte()));
                let mut at = ExprId::UNKNOWN;
                for part in text.split('\\').filter(|part| !part.is_empty()) {
                    let name = lower.sym(part);
                    at = if at.is_known() {
                        lower.push(Expr::Member { object: at, name })
                    } else {
                        lower.push(Expr::Name { name, scope, pos })
                    };
                }
                at
            }
        }
        _ => lower.node(function),
    };
    let row = function.end_position().row;
    lower.invoke(RefKind::Call, callee, Vec::new(), lower.in_field(node, "arguments"), row)
}

fn method_call<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let object = match (lower.in_field(node, "object"), lower.in_field(node, "scope")) {
        (Some(object), _) => lower.node(object),
        (None, Some(scope)) => scope_value(lower, scope),
        _ => return ExprId::UNKNOWN,
    };
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    let callee = if lower.kind(name) == "name" {
        let name = lower.sym_of(name);
        lower.push(Expr::Member { object, name })
    } else {
        // Named by a value: nobody knows which.
        lower.node(name);
        ExprId::UNKNOWN
    };
    let row = name.end_position().row;
    lower.invoke(RefKind::Call, callee, Vec::new(), lower.in_field(node, "arguments"), row)
}

fn property<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let object = match (lower.in_field(node, "object"), lower.in_field(node, "scope")) {
        (Some(object), _) => lower.node(object),
        (None, Some(scope)) => scope_value(lower, scope),
        _ => return ExprId::UNKNOWN,
    };
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    let name = match lower.kind(name) {
        "name" => lower.sym(&format!("${}", lower.text(name))),
        "variable_name" if lower.kind(node) == "scoped_property_access_expression" => {
            lower.sym_of(name)
        }
        _ => {
            lower.node(name);
            return ExprId::UNKNOWN;
        }
    };
    lower.push(Expr::Member { object, name })
}

fn constant<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let parts = kids(node);
    let [scope, name] = parts.as_slice() else { return ExprId::UNKNOWN };
    let object = scope_value(lower, *scope);
    if lower.text(*name) == "class" {
        return object;
    }
    let name = lower.sym_of(*name);
    lower.push(Expr::Member { object, name })
}

fn creation<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    if let Some(class) = find(node, "anonymous_class") {
        return anonymous(lower, class);
    }
    let Some(made) = node.named_child(0) else { return ExprId::UNKNOWN };
    let callee = match made.kind() {
        "name" | "qualified_name" | "relative_name" => {
            let ty = lower.annotation(made);
            lower.push(Expr::Type(ty))
        }
        _ => lower.node(made),
    };
    let row = made.end_position().row;
    lower.invoke(RefKind::New, callee, Vec::new(), find(node, "arguments"), row)
}

fn anonymous<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    if let Some(args) = find(node, "arguments") {
        lower.children(args);
    }
    let lists = ["base_clause", "class_interface_clause"];
    let above: Vec<TypeId> = lists
        .iter()
        .filter_map(|kind| find(node, kind))
        .flat_map(kids)
        .map(|name| lower.annotation(name))
        .collect();
    let name = find(node, "base_clause").or(find(node, "class_interface_clause"));
    let name = name.and_then(|list| list.named_child(0)).map_or("class", |name| lower.text(name));
    let name = lower.sym(&format!("<{}>", name.rsplit('\\').next().unwrap_or(name)));
    let id = lower.new_def(DefKind::Class, name, node, None);
    let body = lower.in_field(node, "body");
    lower.sign(id, node, body);
    lower.def_mut(id).supers = above.into_iter().map(|ty| (SuperKind::Inherits, ty)).collect();
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = Body::File;
    lower.dialect.define(lower, id, node);
    if let Some(body) = body {
        lower.children(body);
    }
    lower.at = outer;
    let callee = lower.push(Expr::Def(id));
    lower.push(Expr::New { callee, args: Vec::new(), type_args: Vec::new() })
}

/// An array; one of an object and a method's name is that method.
fn array<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let mut items = Vec::new();
    let elements = kids(node);
    for element in &elements {
        items.push(match kids(*element).as_slice() {
            [key, value] => {
                lower.node(*key);
                lower.node(*value)
            }
            _ => lower.node(*element),
        });
    }
    if let ([_, method], [object, _]) = (elements.as_slice(), items.as_slice())
        && let Some(text) = method.named_child(0).filter(|text| text.kind() == "string")
        && let Some(name) = find(text, "string_content")
        && object.is_known()
    {
        let (object, name) = (*object, lower.sym_of(name));
        let target = lower.push(Expr::Member { object, name });
        lower.resolve_expr(RefKind::Value, target, 0, node.start_position().row);
    }
    lower.push(Expr::Array(items))
}

fn foreach<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let parts = kids(node);
    let Some(list) = parts.first() else { return };
    let list = lower.node(*list);
    let item = lower.push(Expr::Elem(list));
    match parts.get(1) {
        Some(pair) if pair.kind() == "pair" => {
            if let [key, value] = kids(*pair).as_slice() {
                lower.local_pattern(*key, TypeId::UNKNOWN, ExprId::UNKNOWN);
                lower.local_pattern(*value, TypeId::UNKNOWN, item);
            }
        }
        Some(name) if Some(*name) != lower.in_field(node, "body") => {
            lower.local_pattern(*name, TypeId::UNKNOWN, item);
        }
        _ => {}
    }
    lower.child(node, "body");
}
