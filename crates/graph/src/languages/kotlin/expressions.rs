//! Kotlin's calls with their lambdas, operators, references, constructor calls and anonymous functions and objects.

use crate::{
    facts::{
        BindingTarget, Expr, ExprId, LambdaId, Param, RECEIVER, ReferenceKind, ScopeKind, TypeId,
    },
    languages::kotlin::declarations::{declared_names, supers},
    lowering::{LoweringContext, ReturnTarget, find, kids},
    syntax::SyntaxNode,
};

pub(crate) fn this<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let known = lower.at.this;
    if let Some((_, label)) = lower.text(node).split_once('@') {
        if let Some(this) = lower.this_in(label.trim()) {
            return this;
        }
        // `this@name` is rarely that of a function literal.
        let function = lower.at.owner.map(|owner| lower.facts.def(owner).scope);
        return lower.push(Expr::This(function.unwrap_or(lower.at.scope)));
    }
    lower.push(if known.is_known() { Expr::Typed(known) } else { Expr::This(lower.at.scope) })
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
    let body = find(node, "class_body");
    lower.anonymous_class(node, name, body, |lower, class| supers(lower, class, node))
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

/// What may take the callee with it.
const OPERATIONS: [&str; 3] = ["binary_expression", "infix_expression", "range_expression"];

struct GenericCall<'t> {
    callee: SyntaxNode<'t>,
    ty: SyntaxNode<'t>,
    argument: SyntaxNode<'t>,
    /// Operands before the call.
    before: Vec<SyntaxNode<'t>>,
    /// Whether the call is made where their value is missing.
    is_alternative: bool,
}

impl<'t> GenericCall<'t> {
    /// Returns the call that a comparison is; `None` if it compares.
    pub(super) fn of(node: SyntaxNode<'t>) -> Option<Self> {
        let (left, argument) = operands(node, ">")?;
        let (whole, ty) = operands(left, "<")?;
        let (callee, before) = last_operand(whole);
        let is_name =
            |node: SyntaxNode<'_>| ["identifier", "navigation_expression"].contains(&node.kind());
        // Who compares leaves spaces.
        let is_written_as_call = is_name(callee)
            && is_name(ty)
            && argument.kind() == "parenthesized_expression"
            && callee.end_byte() + 1 == ty.start_byte()
            && ty.end_byte() + 1 == argument.start_byte();
        let is_alternative = whole.child(1).is_some_and(|operator| operator.kind() == "?:");
        let call = Self { callee, ty, argument, before, is_alternative };
        is_written_as_call.then_some(call)
    }

    pub(super) fn lower(self, lower: &mut LoweringContext<'t>) -> ExprId {
        let mut values: Vec<ExprId> = self.before.iter().map(|node| lower.node(*node)).collect();
        let callee = lower.node(self.callee);
        let path = self.ty.text().split('.').map(|part| lower.sym(part.trim())).collect();
        let types = vec![lower.named(path, Vec::new(), self.ty)];
        let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: types });
        let argument = lower.argument(self.argument, call, 0);
        lower.resolve_expr(ReferenceKind::Call, callee, 1, self.callee.end_position().row);
        if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
            args.push(argument);
        }
        if self.is_alternative {
            values.push(call);
            return lower.push(Expr::Either(values));
        }
        if values.is_empty() { call } else { ExprId::UNKNOWN }
    }
}

/// The operand that stands right before a call, and those before it.
fn last_operand(mut node: SyntaxNode<'_>) -> (SyntaxNode<'_>, Vec<SyntaxNode<'_>>) {
    let mut before = Vec::new();
    while OPERATIONS.contains(&node.kind()) {
        let mut parts = kids(node);
        let Some(last) = parts.pop() else { break };
        before.append(&mut parts);
        node = last;
    }
    (node, before)
}

/// The operands of a binary expression with this operator.
fn operands<'t>(node: SyntaxNode<'t>, operator: &str) -> Option<(SyntaxNode<'t>, SyntaxNode<'t>)> {
    let is_wanted = node.child(1).is_some_and(|child| child.kind() == operator);
    match kids(node).as_slice() {
        [left, right] if node.kind() == "binary_expression" && is_wanted => Some((*left, *right)),
        _ => None,
    }
}

/// The node and the parts of a call: the grammar may read `f(x) { … }` as a call of `f(x)`.
fn whole_call(node: SyntaxNode<'_>) -> (SyntaxNode<'_>, Vec<SyntaxNode<'_>>) {
    let parts = kids(node);
    if let [inner, lambda] = parts.as_slice()
        && inner.kind() == "call_expression"
        && lambda.kind() == "annotated_lambda"
    {
        let mut all = kids(*inner);
        if all.last().is_some_and(|last| last.kind() == "value_arguments") {
            all.push(*lambda);
            return (*inner, all);
        }
    }
    (node, parts)
}

pub(crate) fn call<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let (node, parts) = whole_call(node);
    let Some(mut callee_node) = parts.first().copied() else { return ExprId::UNKNOWN };
    if callee_node.kind() == "binary_expression" {
        // The grammar reads `a + b<T>(c)` as a call of `a + b`.
        let (last, before) = last_operand(callee_node);
        for operand in before {
            lower.node(operand);
        }
        callee_node = last;
    }
    let mut callee = lower.node(callee_node);
    if callee_node.kind() == "infix_expression"
        && let Expr::Call { args, .. } = lower.facts.expr(callee)
    {
        // The grammar reads `a to b<T>()` as a call of `a to b`.
        callee = args.first().copied().unwrap_or_default();
    }
    if lower.at.this.is_known()
        && let Expr::Name { name, .. } = *lower.facts.expr(callee)
    {
        // A member of the narrowed type of `this`, else whatever the name stands for in scope.
        let object = lower.push(Expr::Typed(lower.at.this));
        let own = lower.push(Expr::Member { object, name });
        callee = lower.push(Expr::Either(vec![own, callee]));
    }
    let row = callee_node.end_position().row;
    let types = find(node, "type_arguments").map(|list| lower.type_list(list)).unwrap_or_default();
    let call = lower.push(Expr::Call { callee, args: Vec::new(), type_args: types });
    let mut values = Vec::new();
    for part in &parts[1..] {
        match lower.kind(*part) {
            "value_arguments" => {
                for argument in kids(*part) {
                    values.push(lower.argument(argument, call, values.len()));
                }
            }
            "annotated_lambda" | "lambda_literal" => {
                values.push(lower.argument(*part, call, values.len()));
            }
            _ => {}
        }
    }
    lower.resolve_expr(ReferenceKind::Call, callee, values.len(), row);
    if let Expr::Call { args, .. } = &mut lower.facts.exprs[call.index()] {
        *args = values;
    }
    call
}

pub(crate) fn lambda_param<'t>(
    lower: &mut LoweringContext<'t>,
    id: LambdaId,
    node: SyntaxNode<'t>,
) {
    let parts = kids(node);
    let Some(name) = parts.iter().find(|c| lower.kind(**c) == "identifier") else { return };
    let sym = lower.sym_of(*name);
    let ty = parts
        .iter()
        .find(|c| lower.kind(**c).ends_with("_type"))
        .map_or(TypeId::UNKNOWN, |ty| lower.annotation(*ty));
    let place = u16::try_from(lower.facts.lambdas[id.index()].params.len()).unwrap_or(u16::MAX);
    lower.bind(sym, 0, BindingTarget::LambdaParam(id, place));
    let param = Param { name: sym, ty, default: ExprId::UNKNOWN, variadic: false };
    lower.facts.lambdas[id.index()].params.push(param);
}

pub(crate) fn lambda<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let id = lower.new_lambda(node);
    let outer = lower.at;
    lower.at.scope = lower.push_scope(ScopeKind::Function, outer.owner);
    lower.at.body = ReturnTarget::Lambda(id);
    let scope = lower.at.scope;
    let this = lower.sym("\u{0}this");
    lower.bind(this, 0, BindingTarget::LambdaParam(id, RECEIVER));
    let this = lower.push(Expr::Name { name: this, scope, pos: 0 });
    lower.allocate(48);
    lower.facts.receivers.insert(scope, this);
    match find(node, "lambda_parameters") {
        Some(list) => {
            for child in kids(list) {
                if lower.kind(child) == "multi_variable_declaration" {
                    let place = lower.facts.lambdas[id.index()].params.len();
                    let hidden = lower.sym(&format!("\u{0}{place}"));
                    let place = u16::try_from(place).unwrap_or(u16::MAX);
                    lower.bind(hidden, 0, BindingTarget::LambdaParam(id, place));
                    let value = lower.push(Expr::Name { name: hidden, scope, pos: 0 });
                    let param = Param {
                        name: hidden,
                        ty: TypeId::UNKNOWN,
                        default: ExprId::UNKNOWN,
                        variadic: false,
                    };
                    lower.facts.lambdas[id.index()].params.push(param);
                    declared_names(lower, child, value);
                } else {
                    lambda_param(lower, id, child);
                }
            }
        }
        None => {
            let it = lower.sym("it");
            lower.bind(it, 0, BindingTarget::LambdaParam(id, 0));
            let param =
                Param { name: it, ty: TypeId::UNKNOWN, default: ExprId::UNKNOWN, variadic: false };
            lower.facts.lambdas[id.index()].params.push(param);
        }
    }
    let mut value = ExprId::UNKNOWN;
    for child in kids(node) {
        if lower.kind(child) != "lambda_parameters" {
            value = lower.node(child);
        }
    }
    if value.is_known() {
        lower.facts.lambdas[id.index()].returns.push(value);
    }
    lower.at = outer;
    lower.push(Expr::Lambda(id))
}
