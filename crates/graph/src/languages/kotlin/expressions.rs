//! Kotlin's operators, references, constructor calls and anonymous functions and objects.

use crate::{
    facts::{DefKind, Expr, ExprId, ReferenceKind, ScopeKind},
    languages::kotlin::{
        call_expressions::lambda_param, declarations::supers, generic_calls::GenericCall,
    },
    lowering::{LoweringContext, ReturnTarget, find, kids},
    syntax::SyntaxNode,
};

pub(crate) fn this<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let known = lower.at.this;
    lower.push(if known.is_known() && lower.text(node) == "this" {
        Expr::Typed(known)
    } else {
        Expr::This(lower.at.scope)
    })
}

pub(crate) fn constructor_invocation<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let Some(ty) = find(node, "user_type") else { return ExprId::UNKNOWN };
    let written = lower.annotation(ty);
    let callee = lower.push(Expr::Type(written));
    let row = ty.end_position().row;
    lower.invoke(ReferenceKind::New, callee, Vec::new(), find(node, "value_arguments"), row)
}

pub(crate) fn navigation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let parts = kids(node);
    let (Some(object), Some(name)) = (parts.first(), parts.last()) else {
        return ExprId::UNKNOWN;
    };
    if parts.len() < 2 {
        return lower.node(*object);
    }
    let object = lower.node(*object);
    let name = lower.sym_of(*name);
    lower.push(Expr::Member { object, name })
}

pub(crate) fn cast<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let parts = kids(node);
    if let [value, .., ty] = parts.as_slice() {
        lower.node(*value);
        let ty = lower.annotation(*ty);
        return lower.push(Expr::Typed(ty));
    }
    ExprId::UNKNOWN
}

pub(crate) fn unary<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let value = lower.last_child(node);
    if lower.text(node).ends_with("!!") {
        lower.push(Expr::Unwrap(value))
    } else {
        // The grammar reads `!ready()` as a call of `!ready`.
        value
    }
}

pub(crate) fn infix<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let parts = kids(node);
    if let [left, name, right] = parts.as_slice() {
        let object = lower.node(*left);
        let name_sym = lower.sym_of(*name);
        let callee = lower.push(Expr::Member { object, name: name_sym });
        let value = lower.node(*right);
        lower.resolve_expr(ReferenceKind::Call, callee, 1, name.start_position().row);
        return lower.push(Expr::Call { callee, args: vec![value], type_args: Vec::new() });
    }
    lower.children(node);
    ExprId::UNKNOWN
}

pub(crate) fn binary<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    if let Some(call) = GenericCall::of(node) {
        return call.lower(lower);
    }
    let elvis = node.child(1).is_some_and(|operator| operator.kind() == "?:");
    let both = node.child(1).is_some_and(|operator| operator.kind() == "&&");
    let parts = kids(node);
    let [left, right] = parts.as_slice() else {
        lower.children(node);
        return ExprId::UNKNOWN;
    };
    let first = lower.node(*left);
    let second = lower.in_block(|lower| {
        if both {
            lower.dialect.narrow(lower, *left);
        }
        lower.node(*right)
    });
    if elvis {
        return lower.push(Expr::Either(vec![first, second]));
    }
    ExprId::UNKNOWN
}

pub(crate) fn anonymous_function<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = ReturnTarget::Lambda(id);
    for child in kids(find(node, "function_value_parameters").unwrap_or(node)) {
        if lower.kind(child) == "parameter" {
            lambda_param(lower, id, child);
        }
    }
    if let Some(body) = find(node, "function_body") {
        lower.node(body);
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}

pub(crate) fn object_literal<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let list = find(node, "delegation_specifiers");
    let name = list.map_or("object", |list| lower.text(list));
    let name = name
        .split(['<', '(', ',', ' '])
        .next()
        .unwrap_or_default()
        .rsplit('.')
        .next()
        .unwrap_or_default();
    let name = lower.sym(&format!("<{}>", name.trim()));
    let id = lower.new_def(DefKind::Class, name, node, None);
    lower.sign(id, node, find(node, "class_body"));
    let outer = lower.enter(id, ScopeKind::Type);
    supers(lower, id, node);
    if let Some(body) = find(node, "class_body") {
        lower.at.body = ReturnTarget::File;
        lower.children(body);
    }
    lower.at = outer;
    let callee = lower.push(Expr::Def(id));
    lower.push(Expr::New { callee, args: Vec::new(), type_args: Vec::new() })
}

pub(crate) fn callable_reference<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let parts = kids(node);
    let (object, name) = match parts.as_slice() {
        [object, name] => (Some(*object), *name),
        [name] => (None, *name),
        _ => return ExprId::UNKNOWN,
    };
    let target = match object {
        Some(object) => {
            let object = if lower.kind(object) == "user_type" {
                let ty = lower.ty(object);
                lower.push(Expr::Type(ty))
            } else {
                lower.node(object)
            };
            let name = lower.sym_of(name);
            lower.push(Expr::Member { object, name })
        }
        None => lower.name_expr(name),
    };
    lower.resolve_expr(ReferenceKind::Value, target, 0, node.start_position().row);
    target
}
