//! Calls, created objects and initialisers, lambdas and qualified names of C and C++.

use crate::{
    facts::{
        Expr, ExprId, PATH_START, ReferenceKind, ScopeKind, StructFieldSelector, TypeId, TypeUse,
    },
    languages::c::{
        declarations::{DeclarationOwner, parameters},
        declarators::declarator,
    },
    lowering::{LoweringContext, ReturnTarget, Role},
    syntax::SyntaxNode,
};

/// Functions of the standard library that make a value of their first type.
const MAKERS: &[&str] = &["make_optional", "make_shared", "make_unique"];
/// Casts, which the grammar reads as calls.
pub(crate) const CASTS: &[&str] =
    &["const_cast", "dynamic_cast", "reinterpret_cast", "static_cast"];

pub(crate) fn subscript<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let object = node.field("argument").map_or(ExprId::UNKNOWN, |object| lower.node(object));
    for field in ["index", "indices"] {
        if let Some(at) = node.field(field) {
            lower.node(at);
        }
    }
    lower.push(Expr::Index(object))
}

/// `sizeof(T)`, `sizeof value`
pub(crate) fn size_of<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if let Some(ty) = lower.in_field(node, "type") {
        lower.annotation(ty);
    }
    // The grammar takes the name of a type for a value.
    let value = lower.child(node, "value");
    if matches!(lower.facts.expr(value), Expr::Name { .. }) {
        lower.hand_on(value, node);
    }
}

pub(crate) fn compound_literal<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let ty = node.field("type").map_or(TypeId::UNKNOWN, |ty| lower.constructed(ty));
    if let Some(value) = lower.in_field(node, "value") {
        made_of(lower, ty, value, node.start_position().row);
    }
    lower.push(Expr::Typed(ty))
}

pub(crate) fn new_object<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let ty = node.field("type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    lower.child(node, "placement");
    lower.child(node, "declarator");
    if node.next_sibling().is_some_and(|next| lower.text(next).starts_with('*')) {
        // `new T*[n]` makes pointers, which the grammar doesn't know.
        return ExprId::UNKNOWN;
    }
    let callee = lower.push(Expr::Type(ty));
    let row = node.field("type").map_or(node.start_position().row, |ty| ty.end_position().row);
    lower.invoke(ReferenceKind::New, callee, Vec::new(), lower.in_field(node, "arguments"), row)
}

pub(crate) fn template_function<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let args = lower.in_field(node, "arguments");
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    if let Some(args) = args {
        lower.type_list(args);
    }
    lower.node(name)
}

pub(crate) fn lambda<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = ReturnTarget::Lambda(id);
    if let Some(captures) = lower.in_field(node, "captures") {
        lower.node(captures);
    }
    if let Some(head) = lower.in_field(node, "declarator") {
        let found = declarator(lower, head);
        if let Some(params) = found.params {
            parameters(lower, DeclarationOwner::Lambda(id), params);
        }
        if let Some(result) = found.trailing.and_then(|result| result.named_child(0)) {
            let ty = lower.annotation(result);
            lower.facts.lambdas[id.index()].ty = ty;
        }
        found.visit_values(lower);
    }
    if let Some(body) = lower.in_field(node, "body") {
        lower.node(body);
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}

/// The name at the end of what is called, with the arguments of a template.
fn last_name(mut callee: SyntaxNode<'_>) -> Option<SyntaxNode<'_>> {
    loop {
        callee = match callee.kind() {
            "qualified_identifier" => callee.field("name")?,
            "field_expression" => callee.field("field")?,
            "dependent_name" => callee.named_child(0)?,
            _ => return Some(callee),
        };
    }
}

/// Whether the member is named with its class: `a.Base::method`.
fn is_qualified(callee: SyntaxNode<'_>) -> bool {
    callee.field("field").is_some_and(|field| field.kind() == "qualified_identifier")
}

/// The member in `a.Base::method`: that of the class that is named, whatever class the object has.
fn class_member<'t>(lower: &mut LoweringContext<'t>, callee: SyntaxNode<'t>) -> ExprId {
    lower.child(callee, "argument");
    let Some(member) = lower.in_field(callee, "field") else { return ExprId::UNKNOWN };
    qualified_name(lower, member)
}

/// Calls have the arguments of templates inside of what is called.
pub(crate) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    args: Option<SyntaxNode<'t>>,
) -> ExprId {
    let Some(callee) = lower.in_field(node, "function") else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let template = last_name(callee)
        .filter(|name| matches!(name.kind(), "template_function" | "template_method"));
    let target = match (lower.kind(callee), template) {
        ("field_expression", _) if is_qualified(callee) => class_member(lower, callee),
        ("field_expression", Some(method)) => {
            let object = lower.child(callee, "argument");
            let name = lower.sym_of(lower.in_field(method, "name").unwrap_or(method));
            lower.push(Expr::Member { object, name })
        }
        ("template_function", Some(function)) => lower.child(function, "name"),
        ("qualified_identifier", _) => qualified_name(lower, callee),
        _ => lower.node(callee),
    };
    let list = template.and_then(|name| lower.in_field(name, "arguments"));
    let types = list.map(|list| lower.type_list(list)).unwrap_or_default();
    if let Expr::Name { name, .. } = *lower.facts.expr(target)
        && CASTS.contains(&lower.facts.text(name))
    {
        if let Some(args) = args {
            lower.kept_values(args);
        }
        return types.first().map_or(ExprId::UNKNOWN, |ty| lower.push(Expr::Typed(*ty)));
    }
    if let (Expr::Member { name, .. } | Expr::Name { name, .. }, Some(made)) =
        (lower.facts.expr(target), types.first())
        && MAKERS.contains(&lower.facts.text(*name))
    {
        lower.type_use(TypeUse::Construction, *made, callee);
    }
    let row = callee.end_position().row;
    lower.invoke(ReferenceKind::Call, target, types, args, row)
}

pub(crate) fn qualified<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    if let Some(list) = last_name(node).and_then(|name| lower.in_field(name, "arguments")) {
        lower.type_list(list);
    }
    qualified_name(lower, node)
}

/// The qualified name without the template arguments at its end.
fn qualified_name<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    let mut object = match lower.in_field(node, "scope") {
        // Neither a variable nor a function has members: `Store::open` in a class with a method `Store`.
        Some(scope) if lower.table.role(scope) == Role::Ident => {
            let name = lower.sym_of(scope);
            lower.push(Expr::Name { name, scope: lower.at.scope, pos: PATH_START })
        }
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
                if let Some(list) = lower.in_field(scope, "arguments") {
                    lower.type_list(list);
                }
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

/// Lowers the brace initialiser of a value of type `ty`, or of an array of it with the given dimensions. Returns the values.
pub(crate) fn initializers<'t>(
    lower: &mut LoweringContext<'t>,
    list: SyntaxNode<'t>,
    ty: TypeId,
    arrays: u32,
) -> Vec<ExprId> {
    let mut values = Vec::new();
    for (place, child) in list.named_children().enumerate() {
        let designator = lower.in_field(child, "designator");
        let node = match lower.kind(child) {
            "initializer_pair" => lower.in_field(child, "value"),
            _ => Some(child),
        };
        let Some(node) = node else { continue };
        if lower.kind(node) == "initializer_list" {
            let element = if arrays > 0 { ty } else { TypeId::UNKNOWN };
            initializers(lower, node, element, arrays.saturating_sub(1));
            values.push(ExprId::UNKNOWN);
            continue;
        }
        let value = lower.node(node);
        lower.hand_on(value, node);
        values.push(value);
        let field = match designator {
            Some(name) if lower.kind(name) == "field_designator" => {
                let name = name.named_child(0);
                name.filter(|_| arrays == 0)
                    .into_iter()
                    .for_each(|name| lower.name_field(ty, name));
                name.map(|name| StructFieldSelector::Named(lower.sym_of(name)))
            }
            Some(_) => None,
            None => u16::try_from(place).ok().map(StructFieldSelector::Nth),
        };
        if let (0, Some(field)) = (arrays, field) {
            lower.set_field(ty, field, value);
        }
    }
    values
}

/// A variable of type `ty` that is declared by `head`, with its value or with what looks like the parameters of a function.
/// Returns what makes it, where that is written.
pub(crate) fn variable<'t>(
    lower: &mut LoweringContext<'t>,
    ty: TypeId,
    head: SyntaxNode<'t>,
) -> ExprId {
    let row = head.start_position().row;
    let value = match lower.kind(head) {
        "init_declarator" => lower.in_field(head, "value"),
        "function_declarator" => lower.in_field(head, "parameters"),
        _ => None,
    };
    match value {
        Some(list) if matches!(lower.kind(list), "argument_list" | "initializer_list") => {
            return made_of(lower, ty, list, row);
        }
        Some(list) if lower.kind(list) == "parameter_list" => {
            // `Lock held(mutex);`: arguments, when each could be one.
            let list: Vec<SyntaxNode<'t>> =
                list.named_children().filter(|child| !child.is_extra()).collect();
            if list.is_empty() || !list.iter().all(|child| is_argument(lower, *child)) {
                return ExprId::UNKNOWN;
            }
            let callee = lower.push(Expr::Type(ty));
            let call = made(lower, callee, list.len(), row);
            let values = list.into_iter().map(|child| argument(lower, child)).collect();
            if let Expr::New { args, .. } = &mut lower.facts.exprs[call.index()] {
                *args = values;
            }
            return call;
        }
        // `T x = value;` copies or converts.
        Some(_) => {}
        None => {
            let callee = lower.push(Expr::Type(ty));
            made(lower, callee, 0, row);
        }
    }
    ExprId::UNKNOWN
}

/// Whether what is read as a parameter without a name can be a value: `x`, `a::X`, `f()`, `sizeof(x)`.
fn is_argument(lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
    let Some(ty) = lower.in_field(node, "type") else { return false };
    matches!(lower.kind(ty), "type_identifier" | "qualified_identifier")
        && lower.in_field(node, "declarator").is_none_or(|declarator| {
            lower.kind(declarator) == "abstract_function_declarator" || lower.text(ty) == "sizeof"
        })
}

fn argument<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(ty) = lower.in_field(node, "type") else { return ExprId::UNKNOWN };
    let name = match lower.kind(ty) {
        "type_identifier" if lower.text(ty) == "sizeof" => return lower.literal("number"),
        "type_identifier" => lower.name_expr(ty),
        _ => lower.node(ty),
    };
    let Some(call) = lower.in_field(node, "declarator") else { return name };
    let count = lower.in_field(call, "parameters").map_or(0, |list| list.named_child_count());
    lower.resolve_expr(ReferenceKind::Call, name, count, ty.end_position().row);
    lower.push(Expr::Call {
        callee: name,
        args: vec![ExprId::UNKNOWN; count],
        type_args: Vec::new(),
    })
}

/// A value of type `ty` that is made of what stands in parentheses or braces.
fn made_of<'t>(
    lower: &mut LoweringContext<'t>,
    ty: TypeId,
    list: SyntaxNode<'t>,
    row: usize,
) -> ExprId {
    let callee = lower.push(Expr::Type(ty));
    filled(lower, callee, ty, list, row)
}

/// `: Base(x)`, `: member{x}`.
pub(crate) fn initializer<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let parts: Vec<SyntaxNode<'t>> =
        node.named_children().filter(|child| !child.is_extra()).collect();
    let [name, list] = parts[..] else {
        lower.children(node);
        return;
    };
    let row = name.start_position().row;
    if lower.kind(name) == "field_identifier" {
        let callee = lower.name_expr(name);
        filled(lower, callee, TypeId::UNKNOWN, list, row);
        return;
    }
    let text = lower.text(name);
    let parts = text.split('<').next().unwrap_or(text).split("::").map(str::trim);
    let path = parts.filter(|part| !part.is_empty()).map(|part| lower.sym(part)).collect();
    let ty = lower.named(path, Vec::new(), name);
    made_of(lower, ty, list, row);
}

fn filled<'t>(
    lower: &mut LoweringContext<'t>,
    callee: ExprId,
    ty: TypeId,
    list: SyntaxNode<'t>,
    row: usize,
) -> ExprId {
    if lower.kind(list) == "argument_list" {
        return lower.invoke(ReferenceKind::Made, callee, Vec::new(), Some(list), row);
    }
    let count = list.named_children().filter(|child| !child.is_extra()).count();
    let call = made(lower, callee, count, row);
    let values = initializers(lower, list, ty, 0);
    if let Expr::New { args, .. } = &mut lower.facts.exprs[call.index()]
        && args.len() == values.len()
    {
        *args = values;
    }
    call
}

fn made(lower: &mut LoweringContext<'_>, callee: ExprId, count: usize, row: usize) -> ExprId {
    let args = vec![ExprId::UNKNOWN; count];
    let call = lower.push(Expr::New { callee, args, type_args: Vec::new() });
    lower.resolve_expr(ReferenceKind::Made, callee, count, row);
    call
}
