//! Ruby's calls, names and operators.

use crate::{
    facts::{Expr, ExprId, ReferenceKind},
    languages::ruby::{
        framework_calls,
        local_variables::{bind, block, is_local, symbol_block},
        macros, rspec,
    },
    lowering::{LoweringContext, ReturnTarget, kids},
    syntax::SyntaxNode,
};

/// A local variable, or a call without arguments.
pub(crate) fn identifier<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let sym = lower.sym_of(node);
    let row = node.start_position().row;
    if lower.text(node) == "new" && !is_local(lower, sym) {
        let callee = lower.push(Expr::This(lower.at.scope));
        return lower.invoke(ReferenceKind::New, callee, Vec::new(), None, row);
    }
    let name = lower.name_expr(node);
    if !is_local(lower, sym) {
        lower.resolve_expr(ReferenceKind::Call, name, 0, row);
    }
    name
}

pub(crate) fn binary<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
    match operator {
        "||" | "or" => lower.push(Expr::Either(vec![left, right])),
        "&&" | "and" => right,
        _ => ExprId::UNKNOWN,
    }
}

pub(crate) fn scoped<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    match lower.in_field(node, "scope") {
        Some(object) => {
            let object = lower.node(object);
            let name_sym = lower.sym_of(name);
            let target = lower.push(Expr::Member { object, name: name_sym });
            if lower.kind(name) == "identifier" {
                lower.resolve_expr(ReferenceKind::Call, target, 0, name.start_position().row);
            }
            target
        }
        None => {
            let ty = lower.annotation(node);
            lower.push(Expr::Type(ty))
        }
    }
}

/// `super`: the method of the same name above.
pub(crate) fn above<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    args: Option<SyntaxNode<'t>>,
) -> ExprId {
    let count = args.map_or(0, |args| {
        lower.children(args);
        args.named_child_count()
    });
    let ReturnTarget::Def(id) = lower.at.body else { return ExprId::UNKNOWN };
    let name = lower.facts.def(id).name;
    let object = lower.push(Expr::Super(lower.at.scope));
    let target = lower.push(Expr::Member { object, name });
    lower.resolve_expr(ReferenceKind::Call, target, count, node.start_position().row);
    target
}

pub(crate) fn call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
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
    let imports = lower.facts.imports.len();
    let called = lower.text(name);
    if receiver.is_none() && (rspec::run(lower, node, called) || macros::run(lower, node, called)) {
        if lower.facts.imports.len() == imports {
            // What defines something is a method as well.
            let callee = lower.name_expr(name);
            let count = args.map_or(0, |args| args.named_child_count());
            lower.resolve_expr(ReferenceKind::Call, callee, count, name.start_position().row);
        }
        return ExprId::UNKNOWN;
    }
    let made = called == "new";
    let callee = callee(lower, receiver, name);
    let (none, type_args) = (Vec::new(), Vec::new());
    let call = lower.push(if made {
        Expr::New { callee, args: none, type_args }
    } else {
        Expr::Call { callee, args: none, type_args }
    });
    let mut values = arguments(lower, args, call);
    let count = values.len();
    if let Some(list) = receiver.filter(|list| lower.kind(*list) == "instance_variable") {
        added_items(lower, list, name, &values);
    }
    if let Some(given) = given {
        // A thread's block gets what the thread is made with.
        let thread = made && receiver.is_some_and(|class| lower.text(class) == "Thread");
        values.push(match values.first() {
            Some(class) if rspec::describes(lower, called, receiver, args) => {
                rspec::group(lower, given, *class)
            }
            _ => block(lower, given, (count == 0 || thread).then_some(call)),
        });
    }
    let kind = if made { ReferenceKind::New } else { ReferenceKind::Call };
    lower.resolve_expr(kind, callee, count, name.start_position().row);
    framework_calls::runs_job(lower, callee, name, count);
    if let Expr::Call { args, .. } | Expr::New { args, .. } = &mut lower.facts.exprs[call.index()] {
        *args = values;
    }
    call
}

/// Lowers the arguments of a call; `&:name` is a block.
fn arguments<'t>(
    lower: &mut LoweringContext<'t>,
    args: Option<SyntaxNode<'t>>,
    call: ExprId,
) -> Vec<ExprId> {
    let args = args.map(kids).unwrap_or_default();
    let call = (args.len() == 1).then_some(call);
    let lower_one = |arg: SyntaxNode<'t>| {
        let method = arg.named_child(0).filter(|it| it.kind() == "simple_symbol");
        match method.filter(|_| arg.kind() == "block_argument") {
            Some(method) => symbol_block(lower, method, call),
            None => lower.node(arg),
        }
    };
    args.into_iter().map(lower_one).collect()
}

/// Returns what is called: a class for `new`, else a method of the receiver, or one by its bare name.
fn callee<'t>(
    lower: &mut LoweringContext<'t>,
    receiver: Option<SyntaxNode<'t>>,
    name: SyntaxNode<'t>,
) -> ExprId {
    let made = lower.text(name) == "new";
    match receiver {
        Some(receiver) => {
            let object = lower.node(receiver);
            if made {
                return object;
            }
            let name = lower.sym_of(name);
            lower.push(Expr::Member { object, name })
        }
        None if made => lower.push(Expr::This(lower.at.scope)),
        None => lower.name_expr(name),
    }
}

/// Notes the elements that a call adds to a list, so that its element type is known.
fn added_items<'t>(
    lower: &mut LoweringContext<'t>,
    list: SyntaxNode<'t>,
    method: SyntaxNode<'t>,
    values: &[ExprId],
) {
    let first = match lower.text(method) {
        "insert" => 1,
        "push" | "append" | "unshift" | "prepend" => 0,
        _ => return,
    };
    if let Some(items) = values.get(first..).filter(|items| !items.is_empty()) {
        let held = lower.push(Expr::Array(items.to_vec()));
        bind(lower, list, held);
    }
}
