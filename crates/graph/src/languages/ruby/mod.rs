//! Ruby: classes and modules, methods on both sides of a class, mixins, and the calls that define methods: accessors,
//! delegation, aliases, `define_method`, `class_methods`.

pub(crate) mod macros;
pub(crate) mod narrowing;
pub(crate) mod project;
pub(crate) mod resolution;
pub(crate) mod rules;

use crate::{
    facts::{
        Bound, DefId, DefKind, Expr, ExprId, Flags, Param, RefKind, ScopeId, ScopeKind, SuperKind,
        Sym, TypeId,
    },
    languages::ruby::macros::symbol,
    lowering::{Body, Dialect, Lower, index, kids},
    syntax::Node,
};

/// Bindings that are looked through for a local name.
const MAX_LOCALS: usize = 2_000;

pub(crate) struct Ruby;

impl Dialect for Ruby {
    fn special<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
        match lower.kind(node) {
            "class" => {
                let above = lower.in_field(node, "superclass").and_then(|s| s.named_child(0));
                class(lower, node, DefKind::Class, above);
            }
            "module" => class(lower, node, DefKind::Trait, None),
            "singleton_class" => body(lower, node),
            "method" | "singleton_method" => method(lower, node),
            "alias" => {
                let names = (lower.in_field(node, "name"), lower.in_field(node, "alias"));
                if let (Some(name), Some(old)) = names {
                    let (name, old) = (lower.text(name), lower.text(old));
                    macros::alias(lower, node, symbol(name), symbol(old));
                }
            }
            "call" => return call(lower, node),
            "super" => return above(lower, node, None),
            "identifier" => {
                let sym = lower.sym_of(node);
                let row = node.start_position().row;
                if lower.text(node) == "new" && !is_local(lower, sym) {
                    let callee = lower.push(Expr::This(lower.at.scope));
                    return lower.invoke(RefKind::New, callee, Vec::new(), None, row);
                }
                let name = lower.name_expr(node);
                if !is_local(lower, sym) {
                    lower.resolve_expr(RefKind::Call, name, 0, row);
                }
                return name;
            }
            "instance_variable" | "class_variable" => {
                let (object, name) = (lower.push(Expr::This(lower.at.scope)), lower.sym_of(node));
                return lower.push(Expr::Member { object, name });
            }
            "scope_resolution" => return scoped(lower, node),
            "assignment" | "operator_assignment" => return assign(lower, node),
            "block" | "do_block" | "lambda" => {
                block(lower, node, None);
            }
            "if" | "if_modifier" => return narrowing::branch(lower, node),
            "unless" | "unless_modifier" => {
                let condition = lower.in_field(node, "condition");
                if let Some(condition) = condition {
                    lower.node(condition);
                }
                let rest: Vec<_> =
                    kids(node).into_iter().filter(|c| Some(*c) != condition).collect();
                let values = rest.into_iter().map(|child| lower.node(child)).collect();
                return lower.push(Expr::Either(values));
            }
            "case" => return narrowing::case(lower, node),
            "begin" | "body_statement" | "block_body" | "then" | "else" => {
                return narrowing::sequence(lower, node);
            }
            "rescue" => return narrowing::rescue(lower, node),
            "for" => {
                let value = lower.child(node, "value");
                let item = lower.push(Expr::Elem(value));
                if let Some(name) = lower.in_field(node, "pattern") {
                    bind(lower, name, item);
                }
                lower.child(node, "body");
            }
            "return" => {
                let value = node.named_child(0).map_or(ExprId::UNKNOWN, |list| {
                    match kids(list).as_slice() {
                        [] => lower.node(list),
                        [one] => lower.node(*one),
                        _ => {
                            lower.children(list);
                            ExprId::UNKNOWN
                        }
                    }
                });
                if let (Body::Def(id), true) = (lower.at.body, value.is_known()) {
                    lower.def_mut(id).returns.push(value);
                }
            }
            "binary" => {
                let operator = lower.in_field(node, "operator").map_or("", |o| o.kind());
                let (left, right) = (lower.child(node, "left"), lower.child(node, "right"));
                if operator == "<<"
                    && right.is_known()
                    && let Some(list) = lower.in_field(node, "left")
                    && lower.kind(list) == "instance_variable"
                {
                    // What is put into a list says what it holds.
                    let held = lower.push(Expr::Array(vec![right]));
                    bind(lower, list, held);
                }
                return match operator {
                    "||" | "or" => lower.push(Expr::Either(vec![left, right])),
                    "&&" | "and" => right,
                    _ => ExprId::UNKNOWN,
                };
            }
            _ => lower.children(node),
        }
        ExprId::UNKNOWN
    }

    fn special_type<'t>(&self, lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
        match lower.kind(node) {
            "scope_resolution" => {
                let text = lower.text(node);
                if text.contains(['(', '.', ' ', '@']) {
                    return TypeId::UNKNOWN;
                }
                // A leading `::` is an empty first part: the top.
                let path = text.split("::").map(|part| lower.sym(part)).collect();
                lower.named(path, Vec::new(), node)
            }
            _ => TypeId::UNKNOWN,
        }
    }
}

/// Whether a name is a local variable here: bindings of the method being read are the last ones.
fn is_local(lower: &Lower<'_>, name: Sym) -> bool {
    let mut home = lower.at.scope;
    let mut around = vec![home];
    while lower.facts.scopes[home.index()].kind == ScopeKind::Block {
        match lower.facts.scopes[home.index()].parent {
            Some(parent) => home = parent,
            None => break,
        }
        around.push(home);
    }
    lower
        .facts
        .bindings
        .iter()
        .rev()
        .take(MAX_LOCALS)
        .take_while(|binding| binding.scope >= home)
        .any(|binding| binding.name == name && around.contains(&binding.scope))
}

/// Opens a class or module. `A::B` is kept as `B`, attached to `A`.
pub(crate) fn class<'t>(
    lower: &mut Lower<'t>,
    node: Node<'t>,
    kind: DefKind,
    above: Option<Node<'t>>,
) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let own = lower.in_field(name, "name").unwrap_or(name);
    let sym = lower.sym_of(own);
    let outside = lower.in_field(name, "scope");
    let receiver = outside.map_or(TypeId::UNKNOWN, |outside| lower.ty(outside));
    let base = above.map_or(TypeId::UNKNOWN, |above| superclass(lower, above));
    let id = lower.new_def(kind, sym, node, Some(own));
    let inner = lower.in_field(node, "body");
    lower.sign(id, node, inner);
    lower.def_mut(id).receiver = receiver;
    if base.is_known() {
        lower.def_mut(id).supers.push((SuperKind::Inherits, base));
    }
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = Body::File;
    body(lower, node);
    lower.at = outer;
}

fn superclass<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> TypeId {
    match lower.kind(node) {
        "constant" | "scope_resolution" => lower.annotation(node),
        "element_reference" => {
            lower.in_field(node, "object").map_or(TypeId::UNKNOWN, |o| lower.annotation(o))
        }
        _ => {
            lower.node(node);
            TypeId::UNKNOWN
        }
    }
}

/// A class's body, in which `private` holds for what follows.
fn body<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(list) = lower.in_field(node, "body") else { return };
    let mut hidden = false;
    for child in list.named_children() {
        if lower.kind(child) == "identifier" {
            match lower.text(child) {
                "private" | "protected" => hidden = true,
                "public" => hidden = false,
                "module_function" => macros::extend_self(lower),
                _ => {
                    lower.node(child);
                }
            }
            continue;
        }
        let first = lower.facts.defs.len();
        lower.node(child);
        if hidden && lower.kind(child) == "method" && first < lower.facts.defs.len() {
            lower.mark(DefId(index(first)), Flags::PRIVATE);
        }
    }
}

/// Whether a place is directly inside `class << self`.
pub(crate) fn on_class(node: Node<'_>) -> bool {
    let mut next = node.parent();
    while let Some(at) = next {
        match at.kind() {
            "singleton_class" => return true,
            "class" | "module" | "method" | "singleton_method" | "do_block" | "block" => {
                return false;
            }
            _ => next = at.parent(),
        }
    }
    false
}

fn method<'t>(lower: &mut Lower<'t>, node: Node<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let sym = lower.sym_of(name);
    let object = lower.in_field(node, "object");
    if object.is_some_and(|object| lower.kind(object) == "identifier") {
        // A method of one single object.
        lower.in_block(|lower| lower.children(node));
        return;
    }
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    let inner = lower.in_field(node, "body");
    lower.sign(id, node, inner);
    if object.is_some() || on_class(node) {
        lower.mark(id, Flags::STATIC);
    }
    if lower.text(name) == "initialize" {
        lower.mark(id, Flags::CONSTRUCTOR);
    }
    let outer = lower.enter(id, ScopeKind::Function);
    for param in lower.in_field(node, "parameters").map(kids).unwrap_or_default() {
        parameter(lower, id, param);
    }
    if let Some(inner) = inner {
        let value = lower.node(inner);
        if value.is_known() {
            lower.def_mut(id).returns.push(value);
        }
    }
    lower.at = outer;
}

fn parameter<'t>(lower: &mut Lower<'t>, id: DefId, node: Node<'t>) {
    let name = lower.in_field(node, "name").or((lower.kind(node) == "identifier").then_some(node));
    let default = lower.child(node, "value");
    let optional = !matches!(lower.kind(node), "identifier" | "destructured_parameter");
    let variadic = lower.kind(node).contains("splat") || lower.kind(node).starts_with("keyword");
    let sym = name.map(|name| lower.sym_of(name));
    if let Some(sym) = sym {
        let place = u16::try_from(lower.facts.def(id).params.len()).unwrap_or(u16::MAX);
        lower.bind(sym, 0, Bound::Param(id, place));
    } else {
        bind(lower, node, ExprId::UNKNOWN);
    }
    let name = sym.unwrap_or_else(|| lower.sym(""));
    let default = match default {
        ExprId::UNKNOWN if optional => lower.literal("default"),
        known => known,
    };
    lower.def_mut(id).params.push(Param { name, ty: TypeId::UNKNOWN, default, variadic });
}

/// Binds the names of a left side or of block parameters.
fn bind<'t>(lower: &mut Lower<'t>, node: Node<'t>, value: ExprId) {
    match lower.kind(node) {
        "identifier" => lower.bind_local(node, TypeId::UNKNOWN, value),
        "left_assignment_list" | "destructured_parameter" | "destructured_left_assignment" => {
            for (place, child) in kids(node).into_iter().enumerate() {
                let place = u16::try_from(place).unwrap_or(u16::MAX);
                let item = match value {
                    ExprId::UNKNOWN => value,
                    value => lower.push(Expr::Item(value, place)),
                };
                bind(lower, child, item);
            }
        }
        "instance_variable" | "class_variable" => {
            let sym = lower.sym_of(node);
            lower.assigned_member(node, sym, node, TypeId::UNKNOWN, value);
        }
        kind if kind.ends_with("_parameter") || kind == "rest_assignment" => {
            if let Some(name) = lower.in_field(node, "name").or(node.named_child(0)) {
                bind(lower, name, ExprId::UNKNOWN);
            }
        }
        _ => {
            lower.node(node);
        }
    }
}

/// A block: what it is called with follows from the call that it belongs to.
pub(crate) fn block<'t>(lower: &mut Lower<'t>, node: Node<'t>, call: Option<ExprId>) -> ExprId {
    let id = lower.new_lambda(node);
    lower.facts.lambdas[id.index()].context = call.map(|call| (call, 0));
    lower.in_block(|lower| {
        for (place, param) in
            node.field("parameters").map(kids).unwrap_or_default().into_iter().enumerate()
        {
            let name = lower.sym(if param.kind() == "identifier" { lower.text(param) } else { "" });
            let made =
                Param { name, ty: TypeId::UNKNOWN, default: ExprId::UNKNOWN, variadic: false };
            lower.facts.lambdas[id.index()].params.push(made);
            if param.kind() == "identifier" {
                let place = u16::try_from(place).unwrap_or(u16::MAX);
                lower.bind(name, 0, Bound::LambdaParam(id, place));
            } else {
                bind(lower, param, ExprId::UNKNOWN);
            }
        }
        let value = lower.child(node, "body");
        if value.is_known() {
            lower.facts.lambdas[id.index()].returns.push(value);
        }
    });
    lower.push(Expr::Lambda(id))
}

fn scoped<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    match lower.in_field(node, "scope") {
        Some(object) => {
            let object = lower.node(object);
            let name_sym = lower.sym_of(name);
            let target = lower.push(Expr::Member { object, name: name_sym });
            if lower.kind(name) == "identifier" {
                lower.resolve_expr(RefKind::Call, target, 0, name.start_position().row);
            }
            target
        }
        None => {
            let ty = lower.annotation(node);
            lower.push(Expr::Type(ty))
        }
    }
}

fn assign<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let Some(left) = lower.in_field(node, "left") else { return ExprId::UNKNOWN };
    let right = lower.in_field(node, "right");
    if lower.kind(left) == "constant" {
        return macros::constant(lower, node, left, right);
    }
    let mut value = right.map_or(ExprId::UNKNOWN, |right| lower.node(right));
    if lower.kind(node) == "operator_assignment" && lower.kind(left) == "identifier" {
        let old = lower.name_expr(left);
        value = lower.push(Expr::Either(vec![old, value]));
    }
    match (lower.kind(left), lower.in_field(left, "receiver")) {
        ("call", Some(object)) => {
            let object = lower.node(object);
            let name = lower.in_field(left, "method").map_or("", |name| lower.text(name));
            let name = lower.sym(&format!("{name}="));
            let target = lower.push(Expr::Member { object, name });
            lower.resolve_expr(RefKind::Call, target, 1, left.end_position().row);
        }
        _ => bind(lower, left, value),
    }
    value
}

/// `super`: the method of the same name above.
fn above<'t>(lower: &mut Lower<'t>, node: Node<'t>, args: Option<Node<'t>>) -> ExprId {
    let count = args.map_or(0, |args| {
        lower.children(args);
        args.named_child_count()
    });
    let Body::Def(id) = lower.at.body else { return ExprId::UNKNOWN };
    let name = lower.facts.def(id).name;
    let object = lower.push(Expr::Super(lower.at.scope));
    let target = lower.push(Expr::Member { object, name });
    lower.resolve_expr(RefKind::Call, target, count, node.start_position().row);
    target
}

fn call<'t>(lower: &mut Lower<'t>, node: Node<'t>) -> ExprId {
    let receiver = lower.in_field(node, "receiver");
    let args = lower.in_field(node, "arguments");
    let given = lower.in_field(node, "block");
    let Some(name) = lower.in_field(node, "method") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    if lower.kind(name) == "super" {
        let target = above(lower, name, args);
        if let Some(given) = given {
            block(lower, given, None);
        }
        return target;
    }
    if receiver.is_none() && macros::run(lower, node, lower.text(name)) {
        return ExprId::UNKNOWN;
    }
    let made = lower.text(name) == "new";
    let callee = match receiver {
        Some(receiver) => {
            let object = lower.node(receiver);
            if made {
                object
            } else {
                let name = lower.sym_of(name);
                lower.push(Expr::Member { object, name })
            }
        }
        None if made => lower.push(Expr::This(lower.at.scope)),
        None => lower.name_expr(name),
    };
    let nothing = Vec::new;
    let call = lower.push(if made {
        Expr::New { callee, args: nothing(), type_args: Vec::new() }
    } else {
        Expr::Call { callee, args: nothing(), type_args: Vec::new() }
    });
    let mut values: Vec<ExprId> = Vec::new();
    for arg in args.map(kids).unwrap_or_default() {
        values.push(lower.node(arg));
    }
    let count = values.len();
    let first = match lower.text(name) {
        "insert" => 1,
        "push" | "append" | "unshift" | "prepend" => 0,
        _ => count,
    };
    if let Some(list) = receiver.filter(|list| lower.kind(*list) == "instance_variable")
        && let Some(items) = values.get(first..).filter(|items| !items.is_empty())
    {
        // What is put into a list says what it holds.
        let held = lower.push(Expr::Array(items.to_vec()));
        bind(lower, list, held);
    }
    if let Some(given) = given {
        // A thread's block gets what the thread is made with.
        let thread = made && receiver.is_some_and(|class| lower.text(class) == "Thread");
        values.push(block(lower, given, (count == 0 || thread).then_some(call)));
    }
    let kind = if made { RefKind::New } else { RefKind::Call };
    lower.resolve_expr(kind, callee, count, name.start_position().row);
    if let Expr::Call { args, .. } | Expr::New { args, .. } = &mut lower.facts.exprs[call.index()] {
        *args = values;
    }
    call
}

/// The scope that a class opened, for what is added to it from inside.
pub(crate) fn class_around(lower: &Lower<'_>) -> Option<(DefId, ScopeId)> {
    let mut next = Some(lower.at.scope);
    while let Some(id) = next {
        let scope = &lower.facts.scopes[id.index()];
        if scope.kind == ScopeKind::Type {
            return scope.owner.map(|class| (class, id));
        }
        next = scope.parent;
    }
    None
}
