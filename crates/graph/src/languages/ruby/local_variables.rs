//! Ruby's local variables and the parameters of blocks.

use crate::{
    facts::{BindingTarget, Expr, ExprId, Param, ReferenceKind, Sym, TypeId},
    lowering::{LoweringContext, index, kids},
    syntax::SyntaxNode,
};

/// Bindings that are looked through for a local name.
const MAX_LOCALS: usize = 2_000;

/// Whether a name is a local variable here: bindings of the method being read are the last ones.
pub(crate) fn is_local(lower: &LoweringContext<'_>, name: Sym) -> bool {
    let around = lower.shared_scopes();
    let bindings = lower.facts.bindings.iter().rev().take(MAX_LOCALS);
    bindings
        .take_while(|binding| around.last().is_some_and(|home| binding.scope >= *home))
        .any(|binding| binding.name == name && around.contains(&binding.scope))
}

/// Binds the names of a left side or of block parameters.
pub(crate) fn bind<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, value: ExprId) {
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
            let default = lower.child(node, "value");
            if let Some(name) = lower.in_field(node, "name").or(node.named_child(0)) {
                bind(lower, name, default);
            }
        }
        _ => {
            lower.node(node);
        }
    }
}

/// `&:name`: a block that calls the method of that name on what it is given.
pub(crate) fn symbol_block<'t>(
    lower: &mut LoweringContext<'t>,
    method: SyntaxNode<'t>,
    call: Option<ExprId>,
) -> ExprId {
    let id = lower.new_lambda(method);
    lower.facts.lambdas[id.index()].context = call.map(|call| (call, 0));
    lower.in_block(|lower| {
        let (name, ty, default) = (lower.sym("&"), TypeId::UNKNOWN, ExprId::UNKNOWN);
        lower.facts.lambdas[id.index()].params.push(Param { name, ty, default, variadic: false });
        lower.bind(name, 0, BindingTarget::LambdaParam(id, 0));
        let (scope, pos) = (lower.at.scope, index(method.start_byte()));
        let object = lower.push(Expr::Name { name, scope, pos });
        let name = lower.sym(lower.text(method).trim_start_matches(':'));
        let callee = lower.push(Expr::Member { object, name });
        lower.resolve_expr(ReferenceKind::Call, callee, 0, method.start_position().row);
        let value = lower.push(Expr::Call { callee, args: Vec::new(), type_args: Vec::new() });
        lower.facts.lambdas[id.index()].returns.push(value);
    });
    lower.push(Expr::Lambda(id))
}

/// A block: the call that it belongs to decides the types of its parameters.
pub(crate) fn block<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    call: Option<ExprId>,
) -> ExprId {
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
                lower.bind(name, 0, BindingTarget::LambdaParam(id, place));
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
