//! Ruby's classes, modules and methods.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, ExprId, Param, ScopeKind, SupertypeKind, TypeId,
    },
    languages::ruby::{
        enclosing_class::on_class,
        local_variables::bind,
        macros::{self, symbol},
    },
    lowering::{LoweringContext, ReturnTarget, index, kids},
    syntax::SyntaxNode,
};

pub(crate) fn class_definition<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let above = lower.in_field(node, "superclass").and_then(|s| s.named_child(0));
    class(lower, node, DefKind::Class, above);
}

pub(crate) fn alias<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let names = (lower.in_field(node, "name"), lower.in_field(node, "alias"));
    if let (Some(name), Some(old)) = names {
        let (name, old) = (lower.text(name), lower.text(old));
        macros::alias(lower, node, symbol(name), symbol(old));
    }
}

/// Opens a class or module. `A::B` is kept as `B`, attached to `A`.
pub(crate) fn class<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    kind: DefKind,
    above: Option<SyntaxNode<'t>>,
) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let own = lower.in_field(name, "name").unwrap_or(name);
    let sym = lower.sym_of(own);
    let outside = lower.in_field(name, "scope");
    let receiver = outside.map_or(TypeId::UNKNOWN, |outside| lower.ty(outside));
    let base = above.map_or(TypeId::UNKNOWN, |above| superclass(lower, above));
    let id = lower.new_def(kind, sym, node, Some(own));
    let inner = lower.in_field(node, "body");
    lower.sign(id, node, inner);
    lower.def_mut(id).receiver = receiver;
    if base.is_known() {
        lower.def_mut(id).supers.push((SupertypeKind::Inherits, base));
    }
    let outer = lower.enter(id, ScopeKind::Type);
    lower.at.body = ReturnTarget::File;
    if let Some(above) = above {
        macros::members_of_superclass(lower, above);
    }
    body(lower, node);
    lower.at = outer;
}

pub(crate) fn superclass<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    match lower.kind(node) {
        "constant" | "scope_resolution" => lower.annotation(node),
        "element_reference" => {
            lower.in_field(node, "object").map_or(TypeId::UNKNOWN, |o| lower.annotation(o))
        }
        _ => {
            lower.node(node);
            TypeId::UNKNOWN
        }
    }
}

/// A class's body, in which `private` holds for what follows.
pub(crate) fn body<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(list) = lower.in_field(node, "body") else { return };
    let mut hidden = false;
    for child in list.named_children() {
        if lower.kind(child) == "identifier" {
            match lower.text(child) {
                "private" | "protected" => hidden = true,
                "public" => hidden = false,
                "module_function" => macros::extend_self(lower),
                _ => {
                    lower.node(child);
                }
            }
            continue;
        }
        let first = lower.facts.defs.len();
        lower.node(child);
        if hidden && lower.kind(child) == "method" && first < lower.facts.defs.len() {
            lower.mark(DefId(index(first)), DefFlags::PRIVATE);
        }
    }
}

pub(crate) fn method<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(name) = lower.in_field(node, "name") else { return };
    let sym = lower.sym_of(name);
    let object = lower.in_field(node, "object");
    if object.is_some_and(|object| lower.kind(object) == "identifier") {
        // A method of one single object.
        lower.in_block(|lower| lower.children(node));
        return;
    }
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    let inner = lower.in_field(node, "body");
    lower.sign(id, node, inner);
    if object.is_some() || on_class(node) {
        lower.mark(id, DefFlags::STATIC);
    }
    if lower.text(name) == "initialize" {
        lower.mark(id, DefFlags::CONSTRUCTOR);
    }
    let outer = lower.enter(id, ScopeKind::Function);
    for param in lower.in_field(node, "parameters").map(kids).unwrap_or_default() {
        parameter(lower, id, param);
    }
    if let Some(inner) = inner {
        let value = lower.node(inner);
        if value.is_known() {
            lower.def_mut(id).returns.push(value);
        }
    }
    lower.at = outer;
}

pub(crate) fn parameter<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let name = lower.in_field(node, "name").or((lower.kind(node) == "identifier").then_some(node));
    let default = lower.child(node, "value");
    let optional = !matches!(lower.kind(node), "identifier" | "destructured_parameter");
    let variadic = lower.kind(node).contains("splat") || lower.kind(node).starts_with("keyword");
    let sym = name.map(|name| lower.sym_of(name));
    if let Some(sym) = sym {
        let place = u16::try_from(lower.facts.def(id).params.len()).unwrap_or(u16::MAX);
        lower.bind(sym, 0, BindingTarget::Param(id, place));
    } else {
        bind(lower, node, ExprId::UNKNOWN);
    }
    let name = sym.unwrap_or_else(|| lower.sym(""));
    let default = match default {
        ExprId::UNKNOWN if optional => lower.literal("default"),
        known => known,
    };
    lower.def_mut(id).params.push(Param { name, ty: TypeId::UNKNOWN, default, variadic });
}
