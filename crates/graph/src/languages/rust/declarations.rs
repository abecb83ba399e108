//! Rust's `mod`, `impl`, macros by example and bounds.

use super::{imports::has_attribute, macro_expansion, macro_implementations};
use crate::{
    facts::{BindingTarget, DefFlags, DefId, DefKind, ScopeKind, TypeExpr},
    lowering::{LoweringContext, Slot, SyntaxNodeFields},
    syntax::SyntaxNode,
};

pub(crate) fn module<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    if parts.get(Slot::Body).is_some() {
        lower.type_like(DefKind::Namespace, node, parts);
    }
}

pub(crate) fn macro_definition<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    if let Some(name) = parts.get(Slot::Name) {
        let sym = lower.sym_of(name);
        let id = lower.new_def(DefKind::Macro, sym, node, Some(name));
        lower.sign(id, node, node.named_child(1));
        let spelled = format!("{}!", lower.text(name));
        let spelled = lower.sym(&spelled);
        lower.bind(spelled, 0, BindingTarget::Def(id));
        if has_attribute(lower, node, "macro_export") {
            lower.mark(id, DefFlags::EXPORTED);
        }
        macro_implementations::implementations(lower, node, 0);
        macro_expansion::keep(lower, sym, node);
    }
}

/// `where T: A + B` adds to what `<T>` says.
pub(crate) fn bounds<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let Some(clause) = node.named_children().find(|child| lower.kind(*child) == "where_clause")
    else {
        return;
    };
    for predicate in clause.named_children() {
        let (Some(left), Some(bound)) =
            (lower.in_field(predicate, "left"), lower.in_field(predicate, "bounds"))
        else {
            continue;
        };
        let name = lower.sym_of(left);
        let bound = lower.annotation(bound);
        // A method can say more of what stands for its `impl`'s parameters.
        let mut next = Some(id);
        while let Some(owner) = next {
            let def = lower.facts.def(owner);
            next = def.parent;
            let Some(place) = def.type_params.iter().position(|param| param.name == name) else {
                continue;
            };
            let old = def.type_params[place].bound;
            let both = if old.is_known() {
                lower.push_type(TypeExpr::Union(vec![old, bound]))
            } else {
                bound
            };
            lower.def_mut(owner).type_params[place].bound = both;
            break;
        }
    }
}

pub(crate) fn implementation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(parts) = lower.parts(node) else { return };
    let empty = lower.sym("");
    let id = lower.new_def(DefKind::Impl, empty, node, None);
    let outer = lower.enter(id, ScopeKind::Type);
    lower.type_params(id, parts.get(Slot::TypeParams));
    bounds(lower, id, node);
    if let Some(ty) = parts.get(Slot::Name) {
        let ty = lower.annotation(ty);
        lower.def_mut(id).receiver = ty;
    }
    if let Some(up) = parts.get(Slot::Supers) {
        let up = lower.annotation(up);
        lower.def_mut(id).supers.push((crate::facts::SupertypeKind::Implements, up));
    }
    if let Some(body) = parts.get(Slot::Body) {
        lower.children(body);
    }
    lower.at = outer;
}
