//! PHP's calls, members, constants, created objects and arrays.

use crate::{
    facts::{
        EVENT_BY_DEFINITION, Expr, ExprId, ImportSelection, NamedEventAction, ReferenceKind,
        SupertypeKind, TypeExpr, TypeId,
    },
    lowering::{LoweringContext, ReturnTarget, find, index, kids},
    syntax::SyntaxNode,
};

/// The method that says which methods of its class listen for which events.
const SUBSCRIPTIONS: &str = "getSubscribedEvents";

pub(crate) fn call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
                let id =
                    lower.push_import(lower.import_at(node, module, ImportSelection::Name(last)));
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
    invoke(lower, callee, node, function)
}

/// Lowers a call of `callee`, whose name is the node `named`; `f(...)` names a function without calling it.
fn invoke<'t>(
    lower: &mut LoweringContext<'t>,
    callee: ExprId,
    call: SyntaxNode<'t>,
    named: SyntaxNode<'t>,
) -> ExprId {
    let arguments = lower.in_field(call, "arguments");
    let only = arguments.and_then(|list| list.named_child(0));
    if only.is_some_and(|only| lower.kind(only) == "variadic_placeholder") {
        lower.hand_on(callee, named);
        return callee;
    }
    let row = named.end_position().row;
    lower.invoke(ReferenceKind::Call, callee, Vec::new(), arguments, row)
}

pub(crate) fn method_call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
        // A class named by a value is unknown.
        lower.node(name);
        ExprId::UNKNOWN
    };
    invoke(lower, callee, node, name)
}

pub(crate) fn property<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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

pub(crate) fn constant<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let parts = kids(node);
    let [scope, name] = parts.as_slice() else { return ExprId::UNKNOWN };
    let object = scope_value(lower, *scope);
    if lower.text(*name) == "class" {
        return object;
    }
    let name = lower.sym_of(*name);
    lower.push(Expr::Member { object, name })
}

pub(crate) fn creation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
    lower.invoke(ReferenceKind::New, callee, Vec::new(), find(node, "arguments"), row)
}

pub(crate) fn anonymous<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
    let body = lower.in_field(node, "body");
    lower.anonymous_class(node, name, body, |lower, class| {
        lower.def_mut(class).supers =
            above.into_iter().map(|ty| (SupertypeKind::Inherits, ty)).collect();
        lower.dialect.define(lower, class, node);
    })
}

/// An array; one of an object and a method's name is that method.
pub(crate) fn array<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let mut items = Vec::new();
    let elements = kids(node);
    for element in &elements {
        items.push(match kids(*element).as_slice() {
            [key, value] => {
                let event = lower.node(*key);
                subscription(lower, *key, event, *value);
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
        lower.resolve_expr(ReferenceKind::Value, target, 0, node.start_position().row);
    }
    lower.push(Expr::Array(items))
}

/// An entry of what a function gives back that says which methods listen for an event: `Saved::class => 'onSaved'`,
/// `Events::SAVED => [['onSaved', 1], ['log']]`.
fn subscription<'t>(
    lower: &mut LoweringContext<'t>,
    key: SyntaxNode<'t>,
    event: ExprId,
    value: SyntaxNode<'t>,
) {
    let ReturnTarget::Def(function) = lower.at.body else { return };
    let name = lower.facts.text(lower.facts.def(function).name);
    let Some(class) = lower.facts.def(function).parent else { return };
    if name != SUBSCRIPTIONS {
        return;
    }
    let key = match (lower.kind(key), kids(key).as_slice()) {
        ("class_constant_access_expression", [scope, name]) => {
            let named = if lower.text(*name) == "class" { *scope } else { *name };
            let named = lower.text(named).rsplit('\\').next().unwrap_or_default();
            format!("{EVENT_BY_DEFINITION}{named}")
        }
        ("string", [text]) => lower.text(*text).to_owned(),
        _ => return,
    };
    let this = lower.facts.def(class).scope;
    let ty = lower.push_type(TypeExpr::This(this));
    let object = lower.push(Expr::Typed(ty));
    let mut args = vec![event];
    for method in listening_methods(value) {
        let name = lower.sym_of(method);
        args.push(lower.push(Expr::Member { object, name }));
    }
    let key = lower.sym(&key);
    let callee = ExprId::UNKNOWN;
    let call = lower.push(Expr::Call { callee, args, type_args: Vec::new() });
    lower.push_event(NamedEventAction::Listens, key, call, value.start_position().row);
}

/// The names of methods in `'a'`, `['a', 1]`, `[['a', 1], ['b']]`.
fn listening_methods<'t>(value: SyntaxNode<'t>) -> Vec<SyntaxNode<'t>> {
    let text = |value: SyntaxNode<'t>| find(value, "string_content");
    let first = |list: SyntaxNode<'t>| list.named_child(0).and_then(|item| item.named_child(0));
    let is_list = |value: &SyntaxNode<'_>| value.kind() == "array_creation_expression";
    match value.kind() {
        "string" => text(value).into_iter().collect(),
        "array_creation_expression" => {
            let items = kids(value).into_iter().filter_map(|item| item.named_child(0));
            let lists: Vec<_> = items.filter(is_list).collect();
            let lists = if lists.is_empty() { vec![value] } else { lists };
            lists.into_iter().filter_map(first).filter_map(text).collect()
        }
        _ => Vec::new(),
    }
}

/// The value that stands before `::`.
pub(crate) fn scope_value<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
