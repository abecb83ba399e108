//! Python's calls, comprehensions, `as` and decorated definitions.

use crate::{
    facts::{Expr, ExprId, ReferenceKind, TypeId},
    lowering::{LoweringContext, ReturnTarget, Slot, SyntaxNodeFields, kids},
    syntax::SyntaxNode,
};

pub(crate) fn conditional_expression<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let values = lower.values(node);
    if let [then, _, other] = values[..] {
        return lower.push(Expr::Either(vec![then, other]));
    }
    ExprId::UNKNOWN
}

pub(crate) fn as_pattern<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let value = node.named_child(0).map_or(ExprId::UNKNOWN, |value| lower.node(value));
    if let Some(alias) = lower.in_field(node, "alias") {
        let in_with = node.parent().is_some_and(|parent| lower.kind(parent) == "with_item");
        let bound = if in_with {
            lower.push(Expr::Enter(value))
        } else {
            // `except E as e`: an instance of what is named.
            instance_of(lower, value)
        };
        if let Some(name) = alias.named_child(0) {
            lower.pattern(name, TypeId::UNKNOWN, bound);
        }
    }
    value
}

pub(crate) fn comprehension<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    lower.in_block(|lower| {
        // Names of the `for` parts are seen by the body that stands before them.
        for child in node.named_children() {
            if lower.kind(child) != "for_in_clause" {
                continue;
            }
            let parts = lower.parts(child);
            let Some(parts) = parts else { continue };
            let value = lower.part(&parts, Slot::Value);
            let item = lower.push(Expr::Elem(value));
            if let Some(name) = parts.get(Slot::Name) {
                let first = lower.facts.bindings.len();
                lower.local_pattern(name, TypeId::UNKNOWN, item);
                for binding in &mut lower.facts.bindings[first..] {
                    binding.from = 0;
                }
            }
        }
        let mut value = ExprId::UNKNOWN;
        for child in node.named_children() {
            if lower.kind(child) != "for_in_clause" {
                let item = lower.node(child);
                if !value.is_known() {
                    value = item;
                }
            }
        }
        lower.push(Expr::Array(vec![value]))
    })
}

pub(crate) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    if let Some(callee) = parts.get(Slot::Object)
        && lower.kind(callee) == "identifier"
        && lower.text(callee) == "super"
        && parts.get(Slot::Args).is_none_or(|args| args.named_child_count() <= 2)
    {
        return lower.push(Expr::Super(lower.at.scope));
    }
    let call = lower.call(node, parts, ReferenceKind::Call);
    told_type(lower, parts).unwrap_or(call)
}

/// The type that `TypeVar("T", bound="Base")` stands for where its values are used, or the value of `cast("Name", value)`.
fn told_type<'t>(lower: &mut LoweringContext<'t>, parts: &SyntaxNodeFields<'t>) -> Option<ExprId> {
    let (callee, args) = (parts.get(Slot::Object)?, parts.get(Slot::Args)?);
    match lower.text(callee) {
        text if text.rsplit('.').next() == Some("TypeVar") => {
            let is_bound = |argument: &SyntaxNode<'t>| {
                lower.in_field(*argument, "name").is_some_and(|name| lower.text(name) == "bound")
            };
            let bound = args.named_children().find(is_bound)?;
            let ty = lower.in_field(bound, "value").map(|bound| lower.annotation(bound))?;
            Some(lower.push(Expr::Type(ty)))
        }
        "cast" | "typing.cast" | "t.cast" => {
            let [named, _] = kids(args)[..] else { return None };
            if lower.kind(named) != "string" {
                return None;
            }
            let ty = lower.annotation(named);
            Some(lower.push(Expr::Typed(ty)))
        }
        _ => None,
    }
}

/// What a generator gives one after the other is what it returns.
pub(crate) fn yielded<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let passes_on = node.children().any(|child| child.kind() == "from");
    let values = lower.kept_values(node);
    let (&[value], ReturnTarget::Def(function)) = (values.as_slice(), lower.at.body) else {
        return;
    };
    let item = if passes_on { lower.push(Expr::Elem(value)) } else { value };
    let row = lower.push(Expr::Array(vec![item]));
    lower.def_mut(function).returns.push(row);
}

pub(crate) fn instance_of(lower: &mut LoweringContext<'_>, class: ExprId) -> ExprId {
    match lower.facts.expr(class).clone() {
        Expr::Tuple(classes) => {
            let values = classes.into_iter().map(|class| instance_of(lower, class)).collect();
            lower.push(Expr::Either(values))
        }
        Expr::Unknown => ExprId::UNKNOWN,
        _ => lower.push(Expr::New { callee: class, args: Vec::new(), type_args: Vec::new() }),
    }
}
