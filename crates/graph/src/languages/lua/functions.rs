//! Lua's functions: those that are declared, and those that are assigned to a name or to a member of a table.

use super::{
    expressions::string,
    lowering_dialect::SELF,
    table_members::{member_key, receiver, type_key},
    variables::{is_top, make_global, open_local},
};
use crate::{
    facts::{BindingTarget, DefFlags, DefKind},
    lowering::{LoweringContext, Slot, SyntaxNodeFields, index},
    syntax::SyntaxNode,
};

/// `function name() end` with all that the name may be.
pub(super) fn declared_function<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let Some(name) = parts.get(Slot::Name) else { return lower.children(node) };
    let is_local = node.child(0).is_some_and(|first| first.kind() == "local");
    match name.kind() {
        "identifier" if is_local => {
            let id = lower.function(node, Some(name), parts);
            if is_top(lower) {
                let sym = lower.facts.def(id).name;
                lower.globals.insert(sym, id);
            }
        }
        "identifier" => named_function(lower, name, node, node, parts),
        kind => {
            let Some(table) = name.field("table") else { return lower.children(node) };
            let member = name.field("field").or(name.field("method"));
            let Some(member) = member else { return lower.children(node) };
            let is_method = kind == "method_index_expression";
            let flags = if is_method { DefFlags::SELF_PARAM } else { DefFlags::default() };
            let syntax = FunctionSyntax { node, function: node, parts };
            member_function(lower, table, member, syntax, flags);
        }
    }
}

/// Lowers a function that is assigned to a name: to a local that has no value yet, or to a global.
pub(super) fn named_function<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    node: SyntaxNode<'t>,
    function: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let sym = lower.sym_of(name);
    let open = lower.globals.get(&sym).copied().filter(|id| {
        let def = lower.facts.def(*id);
        def.kind == DefKind::Variable && !def.value.is_known()
    });
    if let Some(id) = open {
        let (start, end) = (node.start_position().row, node.end_position().row);
        let doc = lower.take_doc(node);
        let def = lower.def_mut(id);
        (def.kind, def.name_line) = (DefKind::Function, index(name.start_position().row) + 1);
        (def.start, def.end) = (index(start) + 1, index(end) + 1);
        if !doc.is_empty() {
            def.doc = doc;
        }
        lower.function_parts(id, function, parts);
        lower.sign(id, node, parts.get(Slot::Body));
        return;
    }
    let is_global = is_top(lower) && !lower.globals.contains_key(&sym);
    let id = lower.new_def(DefKind::Function, sym, node, Some(name));
    match open_local(lower, sym) {
        Some(open) => lower.facts.bindings[open].what = BindingTarget::Def(id),
        None if is_top(lower) => lower.declare(id),
        // Above it the name has its earlier value.
        None => lower.bind(sym, index(node.end_byte()), BindingTarget::Def(id)),
    }
    if is_global {
        make_global(lower, id);
    }
    lower.function_parts(id, function, parts);
    lower.sign(id, node, parts.get(Slot::Body));
}

/// A function, and the statement or assignment that defines it.
#[derive(Clone, Copy)]
pub(super) struct FunctionSyntax<'a, 't> {
    pub(super) node: SyntaxNode<'t>,
    pub(super) function: SyntaxNode<'t>,
    pub(super) parts: &'a SyntaxNodeFields<'t>,
}

/// A function that becomes a member of a table.
pub(super) fn member_function<'t>(
    lower: &mut LoweringContext<'t>,
    table: SyntaxNode<'t>,
    member: SyntaxNode<'t>,
    syntax: FunctionSyntax<'_, 't>,
    flags: DefFlags,
) {
    let FunctionSyntax { node, function, parts } = syntax;
    let outer = lower.at;
    let receiver = receiver(lower, table);
    let name = string(lower, member).unwrap_or(lower.text(member));
    let name = lower.sym(name);
    let id = lower.new_def(DefKind::Function, name, node, Some(member));
    let takes_self = flags.has(DefFlags::SELF_PARAM)
        || parts
            .get(Slot::Params)
            .and_then(|params| params.named_child(0))
            .is_some_and(|first| lower.text(first) == SELF);
    lower.mark(id, DefFlags::ASSIGNED);
    if takes_self {
        lower.mark(id, DefFlags::SELF_PARAM);
    }
    lower.def_mut(id).receiver = receiver;
    lower.function_parts(id, function, parts);
    lower.sign(id, node, parts.get(Slot::Body));
    lower.at = outer;
    if let Some(key) = type_key(lower, receiver) {
        let key = member_key(lower, &key, name);
        lower.globals.entry(key).or_insert(id);
    }
}
