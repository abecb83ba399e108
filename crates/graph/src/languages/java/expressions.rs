//! Java's calls, created objects, method references and operators.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, ScopeKind, SupertypeKind, TypeExpr, TypeId},
    lowering::{LoweringContext, Slot, SyntaxNodeFields},
    syntax::SyntaxNode,
};

pub(crate) fn integer<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let is_long = lower.text(node).ends_with(['l', 'L']);
    lower.literal(if is_long { "long" } else { "int" })
}

pub(crate) fn floating_point<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let is_float = lower.text(node).ends_with(['f', 'F']);
    lower.literal(if is_float { "float" } else { "double" })
}

pub(crate) fn unary<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let value = node.field("operand").map_or(ExprId::UNKNOWN, |operand| lower.node(operand));
    if lower.text(node).starts_with('!') { lower.literal("boolean") } else { value }
}

pub(crate) fn new_array<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
    lower.push(Expr::Typed(ty))
}

pub(crate) fn class_literal<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let ty = node.named_child(0).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    let class = lower.sym("Class");
    let class = lower.named(vec![class], vec![ty], node);
    lower.push(Expr::Typed(class))
}

/// `this(…)` and `super(…)`.
pub(crate) fn constructor_call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let target = match parts.get(Slot::Object) {
        Some(target) if lower.kind(target) == "this" => own_constructor(lower, node, target),
        Some(target) => lower.node(target),
        None => ExprId::UNKNOWN,
    };
    lower.invoke(
        ReferenceKind::New,
        target,
        Vec::new(),
        parts.get(Slot::Args),
        node.start_position().row,
    )
}

pub(crate) fn method_reference<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let Some(object) = node.named_child(0) else { return ExprId::UNKNOWN };
    let Some(name) = node.named_child(1) else {
        // `T::new`.
        return lower.kept_value(object);
    };
    let object = lower.node(object);
    let name = lower.sym_of(name);
    let target = lower.push(Expr::Member { object, name });
    lower.resolve_expr(ReferenceKind::Value, target, 0, node.start_position().row);
    target
}

pub(crate) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
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
    lower.invoke(ReferenceKind::Call, callee, types, parts.get(Slot::Args), name.end_position().row)
}

/// `this(…)`: another constructor of the class, which is named like it.
pub(crate) fn own_constructor<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    target: SyntaxNode<'t>,
) -> ExprId {
    let object = lower.node(target);
    let constructor = node.parent().and_then(|body| body.parent());
    let Some(name) = constructor.and_then(|found| lower.in_field(found, "name")) else {
        return object;
    };
    let name = lower.sym_of(name);
    lower.push(Expr::Member { object, name })
}

/// Returns what operators make of numbers and texts.
pub(crate) fn computed<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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

pub(crate) fn is_text(lower: &LoweringContext<'_>, value: ExprId) -> bool {
    matches!(lower.facts.expr(value), Expr::Literal(name) if matches!(lower.facts.text(*name), "string" | "String"))
}

pub(crate) fn creation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(parts) = lower.parts(node) else { return ExprId::UNKNOWN };
    let Some(ty_node) = parts.get(Slot::Type) else { return ExprId::UNKNOWN };
    let ty = lower.annotation(ty_node);
    let callee = lower.push(Expr::Type(ty));
    let made = lower.invoke(
        ReferenceKind::New,
        callee,
        Vec::new(),
        parts.get(Slot::Args),
        ty_node.end_position().row,
    );
    let Some(body) = parts.get(Slot::Body) else { return made };
    let name = lower.text(ty_node);
    lower.anonymous_class(node, name, Some(body), |lower, class| {
        lower.def_mut(class).supers.push((SupertypeKind::Inherits, ty));
    })
}
