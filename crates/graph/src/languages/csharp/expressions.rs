//! C#'s names, members, calls, initial values and the objects that are made.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, Sym, TypeExpr, TypeId},
    lowering::{LoweringContext, ReturnTarget, find, kids},
    syntax::SyntaxNode,
};

pub(crate) fn member<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    if lower.kind(node) == "conditional_access_expression" {
        let object = part(lower, node, "condition");
        if let Some(binding) = find(node, "member_binding_expression")
            && let Some(name) = lower.in_field(binding, "name")
        {
            let name = lower.sym_of(plain(name));
            return lower.push(Expr::Member { object, name });
        }
        for child in kids(node).into_iter().skip(1) {
            lower.children(child);
        }
        return lower.push(Expr::Index(object));
    }
    let object = part(lower, node, "expression");
    match lower.in_field(node, "name") {
        Some(name) => {
            let name = lower.sym_of(plain(name));
            lower.push(Expr::Member { object, name })
        }
        None => ExprId::UNKNOWN,
    }
}

/// The name without type arguments.
fn plain(name: SyntaxNode<'_>) -> SyntaxNode<'_> {
    if name.kind() == "generic_name" { name.named_child(0).unwrap_or(name) } else { name }
}

pub(crate) fn invocation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(function) = lower.in_field(node, "function") else { return ExprId::UNKNOWN };
    if lower.text(function) == "nameof" {
        if let Some(list) = lower.in_field(node, "arguments") {
            generic_in_name(lower, list);
        }
        return lower.literal("string");
    }
    let named = match lower.kind(function) {
        "member_access_expression" => lower.in_field(function, "name"),
        "conditional_access_expression" => find(function, "member_binding_expression")
            .and_then(|binding| lower.in_field(binding, "name")),
        _ => Some(function),
    };
    let types = named.filter(|name| lower.kind(*name) == "generic_name");
    let callee = match lower.kind(function) {
        "generic_name" => lower.name_expr(plain(function)),
        _ => lower.node(function),
    };
    let types = types
        .and_then(|name| find(name, "type_argument_list"))
        .map(|list| kids(list).into_iter().map(|ty| lower.annotation(ty)).collect())
        .unwrap_or_default();
    let row = function.end_position().row;
    lower.invoke(ReferenceKind::Call, callee, types, lower.in_field(node, "arguments"), row)
}

/// The type with arguments in `nameof(Type<T>.Member)`; a plain name there may be anything's.
fn generic_in_name<'t>(lower: &mut LoweringContext<'t>, list: SyntaxNode<'t>) {
    let named = find(list, "argument").and_then(|argument| argument.named_child(0));
    let held = |name: &SyntaxNode<'t>| name.field("expression");
    let generic = std::iter::successors(named, held).find(|it| it.kind() == "generic_name");
    if let Some(generic) = generic {
        lower.annotation(generic);
    }
}

/// The arguments of a type; `Type<,>` leaves them open.
pub(crate) fn type_arguments<'t>(
    lower: &mut LoweringContext<'t>,
    list: SyntaxNode<'t>,
) -> Vec<TypeId> {
    let given = lower.type_list(list);
    if !given.is_empty() {
        return given;
    }
    let commas = list.children().filter(|child| lower.kind(*child) == ",").count();
    vec![TypeId::UNKNOWN; commas + 1]
}

/// A copy of an object, with other values for some of its members.
pub(crate) fn with<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let mut parts = kids(node).into_iter();
    let copied = parts.next().map_or(ExprId::UNKNOWN, |copied| value(lower, copied));
    for part in parts {
        lower.children(part);
    }
    copied
}

pub(crate) fn creation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(ty_node) = lower.in_field(node, "type") else { return ExprId::UNKNOWN };
    let ty = lower.annotation(ty_node);
    let is_delegate = matches!(lower.facts.ty(ty), TypeExpr::Function { .. });
    let callee = if is_delegate {
        // `new Func<T>(function)` is called by its name.
        let name = lower.sym_of(plain(ty_node));
        let ty = lower.named(vec![name], Vec::new(), ty_node);
        lower.push(Expr::Type(ty))
    } else {
        lower.push(Expr::Type(ty))
    };
    let row = ty_node.end_position().row;
    let args = lower.in_field(node, "arguments");
    let mut made = lower.invoke(ReferenceKind::New, callee, Vec::new(), args, row);
    if is_delegate {
        made = lower.push(Expr::Typed(ty));
    }
    if let Some(list) = lower.in_field(node, "initializer") {
        lower.kept_values(list);
    }
    made
}

pub(crate) fn anonymous<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    lower.in_block(|lower| {
        for child in lower.in_field(node, "parameters").map(kids).unwrap_or_default() {
            declared(lower, child);
        }
        // What it returns isn't what the function around it does.
        lower.at.body = ReturnTarget::File;
        if let Some(block) = find(node, "block") {
            lower.node(block);
        }
    });
    ExprId::UNKNOWN
}

pub(crate) fn type_operand<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    if let Some(ty) = lower.in_field(node, "type") {
        lower.annotation(ty);
    }
}

/// `is One or Two`: constants, or types.
pub(crate) fn constant_pattern<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    lower.children(node);
    let named = node.named_child(0);
    if let Some(ty) = named.filter(|it| matches!(lower.kind(*it), "identifier" | "qualified_name"))
    {
        lower.annotation(ty);
    }
}

pub(crate) fn type_test<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    part(lower, node, "left");
    if let Some(ty) = lower.in_field(node, "right") {
        lower.annotation(ty);
    }
}

pub(crate) fn generic_name<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let ty = lower.annotation(node);
    lower.push(Expr::Type(ty))
}

pub(crate) fn binary<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let (left, right) = (part(lower, node, "left"), part(lower, node, "right"));
    let operator = lower.in_field(node, "operator");
    if operator.is_some_and(|operator| operator.kind() == "??") {
        return lower.push(Expr::Either(vec![left, right]));
    }
    ExprId::UNKNOWN
}

pub(crate) fn part<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    field: &str,
) -> ExprId {
    node.field(field).map_or(ExprId::UNKNOWN, |node| value(lower, node))
}

/// The value that stands last in a node.
pub(crate) fn last<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let counts = |c: &SyntaxNode<'t>| {
        !c.is_extra() && (c.is_named() || matches!(lower.kind(*c), "this" | "base"))
    };
    let found = node.children().filter(counts).last();
    found.map_or(ExprId::UNKNOWN, |child| value(lower, child))
}

/// The parts of a dotted name, without type arguments.
pub(crate) fn dotted(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>) -> Vec<Sym> {
    let text = lower.text(node);
    let text = text.strip_prefix("global::").unwrap_or(text);
    let plain = text.split('<').next().unwrap_or_default();
    lower.dotted(plain)
}

pub(crate) fn this_word<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let word = node.children().find(|child| lower.kind(*child) == "this");
    word.map_or(ExprId::UNKNOWN, |word| value(lower, word))
}

/// A declared value; `new()` makes what was declared.
pub(crate) fn initial<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    ty: TypeId,
) -> ExprId {
    if lower.kind(node) != "implicit_object_creation_expression" || !ty.is_known() {
        return lower.kept_value(node);
    }
    let callee = lower.push(Expr::Type(ty));
    let row = node.start_position().row;
    let made =
        lower.invoke(ReferenceKind::New, callee, Vec::new(), find(node, "argument_list"), row);
    if let Some(list) = find(node, "initializer_expression") {
        lower.kept_values(list);
    }
    made
}

/// Binds the name that a node declares, with its type if one is written.
pub(crate) fn declared<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let ty = lower.in_field(node, "type").map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    if let Some(name) = lower.in_field(node, "name")
        && lower.kind(name) == "identifier"
    {
        lower.bind_local(name, ty, ExprId::UNKNOWN);
    }
}

/// Lowers a value; `this` and `base` are words of the grammar and not nodes with a name.
pub(super) fn value<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    match lower.kind(node) {
        "this" => lower.push(Expr::This(lower.at.scope)),
        "base" => lower.push(Expr::Super(lower.at.scope)),
        "predefined_type" => {
            let ty = lower.ty(node);
            lower.push(Expr::Type(ty))
        }
        _ => lower.node(node),
    }
}
