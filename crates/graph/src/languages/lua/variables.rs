//! Lua's variables: `local`, those of a file's top, and globals, which all files see.

use super::{
    annotations,
    assignments::{names, sides},
    expressions::{bind_behind, guarded_module},
    table_members::{is_instance, note_instance},
};
use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, ScopeId, ScopeKind, SupertypeKind,
        Sym, TypeExpr,
    },
    lowering::{LoweringContext, ReturnTarget, Role, index},
    syntax::SyntaxNode,
};

/// Stands for the table of globals among the names of a file's top; no text can name it.
const GLOBALS: &str = "\u{0}globals";
/// Bindings that are looked at for the one of a local that has no value yet.
const MAX_LOOKED_BACK: usize = 500;

/// `local a, b = c, d`.
pub(super) fn local_variables<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let Some(inner) = node.named_child(0) else { return };
    let (names, values) = match inner.kind() {
        "assignment_statement" => sides(inner),
        _ => (names(inner), Vec::new()),
    };
    let second = values.first().and_then(|value| guarded_module(lower, *value));
    for (place, name) in names.iter().enumerate() {
        let value = values.get(place).copied();
        if is_top(lower) {
            top_variable(lower, *name, node, value);
            continue;
        }
        let function = value.filter(|value| lower.table.role(*value) == Role::Lambda);
        if function.is_some() {
            let sym = lower.sym_of(*name);
            lower.valued(DefKind::Variable, (sym, Some(*name)), node, None, value);
            continue;
        }
        let ty = annotations::variable(lower, node);
        let mut held = value.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
        if value.is_some_and(|value| is_instance(lower, value)) {
            note_instance(lower, *name);
        }
        if let Some(module) = second.filter(|_| place == 1) {
            held = module;
        }
        lower.bind_local(*name, ty, held);
        bind_behind(lower, node);
    }
    for value in values.iter().skip(names.len()) {
        lower.node(*value);
    }
    if let (Some(module), Some(name), true) = (second, names.get(1), is_top(lower)) {
        let sym = lower.sym_of(*name);
        if let Some(id) = lower.globals.get(&sym).copied() {
            lower.def_mut(id).value = module;
        }
    }
}

/// A variable of the file's top, local or global.
pub(super) fn top_variable<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    node: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
) -> DefId {
    let sym = lower.sym_of(name);
    let class = annotations::class_above(lower, node);
    let ty = annotations::variable(lower, node);
    let wraps = value.filter(|value| wraps_function(*value));
    let plain = value.filter(|_| wraps.is_none());
    let id = lower.valued(DefKind::Variable, (sym, Some(name)), node, None, plain);
    lower.globals.insert(sym, id);
    if let Some(value) = wraps {
        wrapped(lower, id, value);
    }
    if ty.is_known() && lower.facts.def(id).kind == DefKind::Variable {
        lower.def_mut(id).ty = ty;
    }
    let held = lower.facts.def(id).value;
    if let Some((class, ty)) = class {
        let base = lower.push_type(TypeExpr::TypeOf(held));
        if held.is_known() {
            lower.def_mut(class).supers.push((SupertypeKind::Inherits, base));
        }
        lower.def_mut(id).ty = ty;
    }
    id
}

/// The binding of a local that has no value yet, seen from here: its place in the list.
pub(super) fn open_local(lower: &LoweringContext<'_>, name: Sym) -> Option<usize> {
    let facts = &lower.facts;
    let sees = |scope: ScopeId| {
        let mut next = Some(lower.at.scope);
        while let Some(at) = next.filter(|at| *at != scope) {
            next = facts.scopes[at.index()].parent;
        }
        next.is_some()
    };
    let mut recent = facts.bindings.iter().enumerate().rev().take(MAX_LOOKED_BACK);
    let (place, binding) =
        recent.find(|(_, binding)| binding.name == name && sees(binding.scope))?;
    let is_open = matches!(binding.what, BindingTarget::Local { ty, value } if !ty.is_known() && !value.is_known());
    is_open.then_some(place)
}

/// Whether a value is a call that is given a function: `wrap(2, function() end)`.
pub(super) fn wraps_function(value: SyntaxNode<'_>) -> bool {
    let args = value.field("arguments").filter(|_| value.kind() == "function_call");
    args.is_some_and(|args| args.named_children().any(|arg| arg.kind() == "function_definition"))
}

/// Makes the function that a call wraps the body of a definition: calls inside it are the definition's.
pub(super) fn wrapped<'t>(lower: &mut LoweringContext<'t>, id: DefId, value: SyntaxNode<'t>) {
    let outer = lower.at;
    let first = lower.facts.refs.len();
    lower.mark(id, DefFlags::WRAPPED);
    lower.at.owner = Some(id);
    let held = lower.node(value);
    lower.at = outer;
    if let Expr::Call { callee, .. } = *lower.facts.expr(held) {
        // The call that wraps is made by what stands around.
        let calls = lower.facts.refs[first..].iter_mut().filter(|it| it.target == callee);
        calls.for_each(|call| call.from = outer.owner);
    }
    lower.def_mut(id).value = held;
}

/// Whether the walk stands at the top of the file, in no function and no block.
pub(super) fn is_top(lower: &LoweringContext<'_>) -> bool {
    matches!(lower.at.body, ReturnTarget::File) && lower.at.scope == ScopeId(0)
}

/// Makes a definition of the file's top one that all files see.
pub(super) fn make_global(lower: &mut LoweringContext<'_>, id: DefId) {
    let globals = globals(lower);
    let def = lower.def_mut(id);
    def.parent = Some(globals);
    let name = def.name;
    lower.globals.insert(name, id);
}

/// The namespace without a name that holds what all files see.
pub(super) fn globals(lower: &mut LoweringContext<'_>) -> DefId {
    let key = lower.sym(GLOBALS);
    if let Some(id) = lower.globals.get(&key) {
        return *id;
    }
    let name = lower.sym("");
    let scope = lower.push_scope(ScopeKind::Block, None);
    let id = DefId(index(lower.facts.defs.len()));
    lower.facts.scopes[scope.index()].owner = Some(id);
    let outer = ScopeId(0);
    lower.facts.defs.push(crate::facts::LoweredDefinition {
        kind: DefKind::Namespace,
        name,
        scope,
        outer,
        ..crate::facts::LoweredDefinition::empty().clone()
    });
    lower.globals.insert(key, id);
    id
}
