//! Constructions that C++ writes without `new` and without a call: `Lock held(&mutex);`, `T{x}`, `: Base(x), member(y)`.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, TypeId},
    languages::c::brace_initializers::initializers,
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// A variable of type `ty` that is declared by `head`, with its value or with what looks like the parameters of a function.
pub(crate) fn variable<'t>(lower: &mut LoweringContext<'t>, ty: TypeId, head: SyntaxNode<'t>) {
    let row = head.start_position().row;
    let value = match lower.kind(head) {
        "init_declarator" => lower.in_field(head, "value"),
        "function_declarator" => lower.in_field(head, "parameters"),
        _ => None,
    };
    match value {
        Some(list) if matches!(lower.kind(list), "argument_list" | "initializer_list") => {
            made_of(lower, ty, list, row);
        }
        Some(list) if lower.kind(list) == "parameter_list" => {
            // `Lock held(mutex);`: arguments, when each could be one.
            let list: Vec<SyntaxNode<'t>> =
                list.named_children().filter(|child| !child.is_extra()).collect();
            if list.is_empty() || !list.iter().all(|child| is_argument(lower, *child)) {
                return;
            }
            let callee = lower.push(Expr::Type(ty));
            let call = made(lower, callee, list.len(), row);
            let values = list.into_iter().map(|child| argument(lower, child)).collect();
            if let Expr::New { args, .. } = &mut lower.facts.exprs[call.index()] {
                *args = values;
            }
        }
        // `T x = value;` copies or converts.
        Some(_) => {}
        None => {
            let callee = lower.push(Expr::Type(ty));
            made(lower, callee, 0, row);
        }
    }
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
pub(crate) fn made_of<'t>(
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
    initializers(lower, list, ty, 0);
    call
}

fn made(lower: &mut LoweringContext<'_>, callee: ExprId, count: usize, row: usize) -> ExprId {
    let args = vec![ExprId::UNKNOWN; count];
    let call = lower.push(Expr::New { callee, args, type_args: Vec::new() });
    lower.resolve_expr(ReferenceKind::Made, callee, count, row);
    call
}
