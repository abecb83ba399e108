//! Python: imports, decorated definitions, comprehensions, narrowing by `isinstance`, types written as strings.

pub(crate) mod imports;
pub(crate) mod project;
pub(crate) mod resolution;
pub(crate) mod rules;

use crate::{
    facts::{Bound, DefId, DefKind, Expr, ExprId, Flags, RefKind, Sym, TypeId},
    languages::python::imports::{import, import_from},
    lowering::{Body, Dialect, Lower, Parts, Role, Slot, index},
    syntax::Node,
};

pub(crate) struct Python;

impl Dialect for Python {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
        match lower.kind(node) {
            "import_statement" => import(lower, node),
            "import_from_statement" => import_from(lower, node),
            "expression_statement" => {
                lower.last_child(node);
            }
            "decorated_definition" => decorated(lower, node),
            "call" => return call(lower, node, &parts),
            "if_statement" | "elif_clause" => {
                let condition = parts.get(Slot::Object);
                lower.part(&parts, Slot::Object);
                // The scope is Python's own notion only as far as narrowing goes: names bound inside stay visible.
                branch(lower, condition, parts.get(Slot::Value));
                for other in node.fields("alternative") {
                    lower.node(other);
                }
            }
            "conditional_expression" => {
                let values = lower.values(node);
                if let [then, _, other] = values[..] {
                    return lower.push(Expr::Either(vec![then, other]));
                }
            }
            "for_statement" | "for_in_clause" => {
                let value = lower.part(&parts, Slot::Value);
                let item = lower.push(Expr::Elem(value));
                if let Some(name) = parts.get(Slot::Name) {
                    lower.pattern(name, TypeId::UNKNOWN, item);
                }
                lower.part(&parts, Slot::Body);
                lower.part(&parts, Slot::Alt);
            }
            "list_comprehension"
            | "set_comprehension"
            | "generator_expression"
            | "dictionary_comprehension" => {
                return comprehension(lower, node);
            }
            "as_pattern" => {
                let value = node.named_child(0).map_or(ExprId::UNKNOWN, |value| lower.node(value));
                if let Some(alias) = lower.in_field(node, "alias") {
                    let in_with =
                        node.parent().is_some_and(|parent| lower.kind(parent) == "with_item");
                    let bound = if in_with {
                        lower.push(Expr::Enter(value))
                    } else {
                        // `except E as e`: an instance of what is named.
                        instance_of(lower, value)
                    };
                    if let Some(name) = alias.named_child(0) {
                        lower.pattern(name, TypeId::UNKNOWN, bound);
                    }
                }
                return value;
            }
            "binary_operator" => {
                lower.part(&parts, Slot::Name);
                lower.part(&parts, Slot::Value);
            }
            "type_alias_statement" => {
                let (Some(left), Some(right)) =
                    (lower.in_field(node, "left"), lower.in_field(node, "right"))
                else {
                    return ExprId::UNKNOWN;
                };
                let name = lower.sym_of(left);
                let id = lower.new_def(DefKind::Alias, name, node, Some(left));
                lower.declare(id);
                let ty = lower.annotation(right);
                lower.def_mut(id).ty = ty;
            }
            "case_pattern" | "list_splat_pattern" | "dictionary_splat_pattern" => {
                lower.children(node);
            }
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn pattern<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>, _ty: TypeId, value: ExprId) {
        match lower.kind(node) {
            "pattern_list" | "tuple_pattern" | "list_pattern" | "tuple" | "list" => {
                for (place, child) in node.named_children().enumerate() {
                    let item =
                        lower.push(Expr::Item(value, u16::try_from(place).unwrap_or(u16::MAX)));
                    lower.pattern(child, TypeId::UNKNOWN, item);
                }
            }
            "attribute" => {
                if let (Some(object), Some(name)) =
                    (lower.in_field(node, "object"), lower.in_field(node, "attribute"))
                {
                    if lower.text(object) == "self" {
                        lower.assigned_field(node, name, TypeId::UNKNOWN, value);
                    } else {
                        lower.node(object);
                    }
                }
            }
            _ => {
                lower.node(node);
            }
        }
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "string" => forward(lower, node),
            "none" => TypeId::UNKNOWN,
            "binary_operator" => {
                let left = lower.in_field(node, "left").map(|side| lower.ty(side));
                let right = lower.in_field(node, "right").map(|side| lower.ty(side));
                lower.push_type(crate::facts::TypeExpr::Union(
                    left.into_iter().chain(right).collect(),
                ))
            }
            "member_type" => {
                let (Some(object), Some(name)) = (node.named_child(0), node.named_child(1)) else {
                    return TypeId::UNKNOWN;
                };
                let base = lower.ty(object);
                let name = lower.sym_of(name);
                if let crate::facts::TypeExpr::Named { path, .. } =
                    &mut lower.facts.types[base.index()]
                {
                    path.push(name);
                }
                base
            }
            "keyword_argument" | "call" => {
                lower.node(node);
                TypeId::UNKNOWN
            }
            _ => lower.only_child_type(node),
        }
    }

    fn flags(&self, lower: &Lower<'_>, node: Node<'_>) -> Flags {
        let mut flags = Flags::default();
        if node.child(0).is_some_and(|first| lower.kind(first) == "async") {
            flags = flags.with(Flags::ASYNC);
        }
        if let Some(name) = lower.in_field(node, "name") {
            let name = lower.text(name);
            if name.starts_with('_') && !name.ends_with("__") {
                flags = flags.with(Flags::PRIVATE);
            }
            if name == "__init__" || name == "__new__" {
                flags = flags.with(Flags::CONSTRUCTOR);
            }
        }
        flags
    }

    fn define<'t>(&self, lower: &mut Lower<'t>, id: DefId, node: Node<'t>) {
        let Some(body) = lower.in_field(node, "body") else { return };
        let first =
            body.named_child(0).filter(|first| lower.kind(*first) == "expression_statement");
        if let Some(text) =
            first.and_then(|first| first.named_child(0)).filter(|text| text.kind() == "string")
        {
            let text = lower.text(text).trim_start_matches(['r', 'R', 'u', 'b', 'f']);
            let doc = crate::lowering::summary(text);
            lower.def_mut(id).doc = doc;
        }
        let def = lower.facts.def(id);
        let in_type = def.parent.is_some_and(|parent| lower.facts.def(parent).kind.is_type());
        if def.kind == DefKind::Function && in_type && !def.flags.has(Flags::STATIC) {
            lower.mark(id, Flags::SELF_PARAM);
        }
        if lower.facts.def(id).kind == DefKind::Function && is_generator(body) {
            lower.mark(id, Flags::GENERATOR);
        }
    }

    fn is_param(&self, lower: &Lower<'_>, node: Node<'_>) -> bool {
        lower.table.role(node) == Role::Ident
            || matches!(lower.kind(node), "list_splat_pattern" | "dictionary_splat_pattern")
    }

    fn assignment_declares(&self) -> bool {
        true
    }

    fn receiver_param(&self) -> Option<&'static str> {
        Some("self")
    }
}

/// Whether a function's own body yields: looked for in its statements, not in functions inside.
fn is_generator(body: Node<'_>) -> bool {
    let mut open = vec![body];
    while let Some(node) = open.pop() {
        for child in node.children() {
            match child.kind() {
                "yield" => return true,
                "function_definition" | "class_definition" | "lambda" => {}
                _ => open.push(child),
            }
        }
    }
    body.kind() == "yield"
}

fn instance_of(lower: &mut Lower<'_>, class: ExprId) -> ExprId {
    match lower.facts.expr(class).clone() {
        Expr::Tuple(classes) => {
            let values = classes.into_iter().map(|class| instance_of(lower, class)).collect();
            lower.push(Expr::Either(values))
        }
        Expr::Unknown => ExprId::UNKNOWN,
        _ => lower.push(Expr::New { callee: class, args: Vec::new(), type_args: Vec::new() }),
    }
}

/// Visits a branch; what its condition proves holds inside.
fn branch<'t>(lower: &mut Lower<'t>, condition: Option<Node<'t>>, body: Option<Node<'t>>) {
    let Some(body) = body else { return };
    let proofs = condition.map(|condition| proofs(lower, condition)).unwrap_or_default();
    if proofs.is_empty() {
        lower.node(body);
        return;
    }
    let from = index(body.start_byte());
    for (name, value) in &proofs {
        lower.bind(*name, from, Bound::Local { ty: TypeId::UNKNOWN, value: *value });
    }
    lower.node(body);
    // Behind the branch the name is again what it was.
    let end = index(body.end_byte());
    let scope = lower.at.scope;
    for (name, _) in proofs {
        let before = lower
            .facts
            .bindings
            .iter()
            .rev()
            .find(|b| b.scope == scope && b.name == name && b.from < from)
            .map(|b| b.what);
        if let Some(what) = before {
            lower.bind(name, end, what);
        }
    }
}

fn proofs<'t>(lower: &mut Lower<'t>, condition: Node<'t>) -> Vec<(Sym, ExprId)> {
    match lower.kind(condition) {
        "boolean_operator"
            if lower.in_field(condition, "operator").is_some_and(|o| o.kind() == "and") =>
        {
            let mut found = Vec::new();
            for side in ["left", "right"] {
                if let Some(side) = condition.field(side) {
                    found.extend(proofs(lower, side));
                }
            }
            found
        }
        "parenthesized_expression" => {
            condition.named_child(0).map(|inner| proofs(lower, inner)).unwrap_or_default()
        }
        "call" => {
            let (Some(function), Some(args)) =
                (lower.in_field(condition, "function"), lower.in_field(condition, "arguments"))
            else {
                return Vec::new();
            };
            let (Some(subject), Some(class)) = (args.named_child(0), args.named_child(1)) else {
                return Vec::new();
            };
            if lower.text(function) != "isinstance" || subject.kind() != "identifier" {
                return Vec::new();
            }
            let class = lower.node(class);
            let value = instance_of(lower, class);
            vec![(lower.sym_of(subject), value)]
        }
        _ => Vec::new(),
    }
}

fn comprehension<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    lower.in_block(|lower| {
        // Names of the `for` parts are seen by the body that stands before them.
        let body_scope = lower.at.body;
        if matches!(body_scope, Body::File) {
            lower.at.body = Body::File;
        }
        for child in node.named_children() {
            if lower.kind(child) != "for_in_clause" {
                continue;
            }
            let parts = lower.parts(child);
            let Some(parts) = parts else { continue };
            let value = lower.part(&parts, Slot::Value);
            let item = lower.push(Expr::Elem(value));
            if let Some(name) = parts.get(Slot::Name) {
                let first = lower.facts.bindings.len();
                lower.local_pattern(name, TypeId::UNKNOWN, item);
                for binding in &mut lower.facts.bindings[first..] {
                    binding.from = 0;
                }
            }
        }
        let mut value = ExprId::UNKNOWN;
        for child in node.named_children() {
            if lower.kind(child) != "for_in_clause" {
                let item = lower.node(child);
                if !value.is_known() {
                    value = item;
                }
            }
        }
        lower.push(Expr::Array(vec![value]))
    })
}

fn decorated<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(definition) = lower.in_field(node, "definition") else { return };
    let mut marks = Flags::default();
    let mut values = Vec::new();
    for child in node.named_children() {
        if lower.kind(child) != "decorator" {
            continue;
        }
        let text = lower.text(child).trim_start_matches('@').trim();
        let last =
            text.split('(').next().unwrap_or_default().rsplit('.').next().unwrap_or_default();
        marks = marks.with(match last {
            "staticmethod" => Flags::STATIC,
            "property" | "cached_property" | "setter" | "getter" => Flags::PROPERTY,
            "abstractmethod" => Flags::ABSTRACT,
            "overload" => Flags::DECLARATION,
            _ => Flags::default(),
        });
        values.push(child);
    }
    // A decorator stands outside what it decorates, but is the business of it.
    for child in values {
        lower.node(child);
    }
    lower.doc_reaches(node);
    lower.at.marks = marks;
    lower.node(definition);
}

fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>, parts: &Parts<'t>) -> ExprId {
    if let Some(callee) = parts.get(Slot::Object)
        && lower.kind(callee) == "identifier"
        && lower.text(callee) == "super"
        && parts.get(Slot::Args).is_none_or(|args| args.named_child_count() <= 2)
    {
        return lower.push(Expr::Super(lower.at.scope));
    }
    lower.call(node, parts, RefKind::Call)
}

/// A type written as a string: `"pkg.Name"`, `"Name[Arg]"`.
fn forward<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
    let text = lower.text(node).trim_matches(['"', '\'']);
    text_type(lower, text, node, 0)
}

fn text_type(lower: &mut Lower<'_>, text: &str, node: Node<'_>, depth: u32) -> TypeId {
    let text = text.trim();
    if depth > 8 || text.is_empty() || text == "None" {
        return TypeId::UNKNOWN;
    }
    if let Some(parts) = split_outside(text, '|') {
        let types = parts.into_iter().map(|part| text_type(lower, part, node, depth + 1)).collect();
        return lower.push_type(crate::facts::TypeExpr::Union(types));
    }
    let (name, args) = match text.split_once('[') {
        Some((name, rest)) => (name, rest.strip_suffix(']').unwrap_or(rest)),
        None => (text, ""),
    };
    if !name.chars().all(|c| c.is_alphanumeric() || c == '_' || c == '.') {
        return TypeId::UNKNOWN;
    }
    let path = name.split('.').map(|part| lower.sym(part.trim())).collect();
    let args = if args.is_empty() {
        Vec::new()
    } else {
        split_outside(args, ',').unwrap_or_else(|| vec![args])
    };
    let args = args.into_iter().map(|arg| text_type(lower, arg, node, depth + 1)).collect();
    lower.named(path, args, node)
}

/// Splits at `at` where no bracket is open; `None` when it isn't there.
fn split_outside(text: &str, at: char) -> Option<Vec<&str>> {
    let (mut open, mut start, mut parts) = (0i32, 0, Vec::new());
    for (place, c) in text.char_indices() {
        match c {
            '[' | '(' => open += 1,
            ']' | ')' => open -= 1,
            c if c == at && open == 0 => {
                parts.push(&text[start..place]);
                start = place + c.len_utf8();
            }
            _ => {}
        }
    }
    if parts.is_empty() {
        return None;
    }
    parts.push(&text[start..]);
    Some(parts)
}
