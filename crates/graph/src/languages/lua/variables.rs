//! Lua's variables: `local`, those of a file's top, globals, which all files see, and assignments to them and to members
//! of tables.

use super::{
    annotations,
    expressions::{bind_behind, guarded_module, string},
    functions::{FunctionSyntax, member_function, named_function},
    table_members::{declares_fields, field, is_instance, note_instance},
};
use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, LoweredDefinition, ScopeId,
        ScopeKind, SupertypeKind, Sym, TypeExpr, TypeId,
    },
    lowering::{DeclaredName, LoweringContext, ReturnTarget, Role, index, kids},
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
            lower.valued(DefKind::Variable, DeclaredName::at(sym, *name), node, None, value);
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
fn top_variable<'t>(
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
    let id = lower.valued(DefKind::Variable, DeclaredName::at(sym, name), node, None, plain);
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
    lower.facts.defs.push(LoweredDefinition {
        kind: DefKind::Namespace,
        name,
        scope,
        outer,
        ..LoweredDefinition::EMPTY
    });
    lower.globals.insert(key, id);
    id
}

/// Values that a field that is assigned several times is known to have.
const MAX_VALUES: usize = 8;

/// `a.b, c = d, e`.
pub(super) fn assignment<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let (targets, values) = sides(node);
    for (place, target) in targets.iter().enumerate() {
        let value = values.get(place).copied();
        match target.kind() {
            "identifier" => assigned_name(lower, *target, node, value),
            _ => assigned_member(lower, *target, node, value),
        }
    }
    for value in values.iter().skip(targets.len()) {
        lower.node(*value);
    }
}

pub(super) fn add_value(lower: &mut LoweringContext<'_>, id: DefId, value: ExprId) {
    let def = lower.facts.def(id);
    if !value.is_known() || !matches!(def.kind, DefKind::Field | DefKind::Variable) {
        return;
    }
    let old = def.value;
    if let Expr::Either(values) = &mut lower.facts.exprs[old.index()] {
        if values.len() < MAX_VALUES {
            values.push(value);
        }
        return;
    }
    let value = if old.is_known() { lower.push(Expr::Either(vec![old, value])) } else { value };
    lower.def_mut(id).value = value;
}

/// The targets and the values of an assignment.
pub(super) fn sides<'t>(node: SyntaxNode<'t>) -> (Vec<SyntaxNode<'t>>, Vec<SyntaxNode<'t>>) {
    let list = |kind: &str| node.named_children().find(|child| child.kind() == kind);
    let targets = list("variable_list").map(names).unwrap_or_default();
    (targets, list("expression_list").map(kids).unwrap_or_default())
}

/// The names of a list, without their attributes.
pub(super) fn names(list: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    kids(list).into_iter().filter(|name| name.kind() != "attribute").collect()
}

fn assigned_name<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    node: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
) {
    let function = value.filter(|value| lower.table.role(*value) == Role::Lambda);
    if let Some(function) = function
        && let Some(parts) = lower.parts(function)
    {
        return named_function(lower, name, node, function, &parts);
    }
    let sym = lower.sym_of(name);
    if is_top(lower) && !lower.globals.contains_key(&sym) {
        let id = top_variable(lower, name, node, value);
        return make_global(lower, id);
    }
    let held = value.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
    let target = lower.node(name);
    lower.write_field(target, held);
    if let Some(open) = open_local(lower, sym) {
        let ty = TypeId::UNKNOWN;
        lower.facts.bindings[open].what = BindingTarget::Local { ty, value: held };
    } else if let Some(id) = lower.globals.get(&sym).copied() {
        add_value(lower, id, held);
    }
}

fn assigned_member<'t>(
    lower: &mut LoweringContext<'t>,
    target: SyntaxNode<'t>,
    node: SyntaxNode<'t>,
    value: Option<SyntaxNode<'t>>,
) {
    let table = target.field("table");
    let member = target
        .field("field")
        .filter(|field| target.kind() == "dot_index_expression" || string(lower, *field).is_some());
    let (Some(table), Some(member)) = (table, member) else {
        let held = value.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
        let target = lower.node(target);
        lower.write_field(target, held);
        return;
    };
    let function = value.filter(|value| lower.table.role(*value) == Role::Lambda);
    if let Some(function) = function
        && let Some(parts) = lower.parts(function)
    {
        let syntax = FunctionSyntax { node, function, parts: &parts };
        return member_function(lower, table, member, syntax, DefFlags::default());
    }
    let declares = declares_fields(lower, table);
    if let Some(value) = value.filter(|value| declares && wraps_function(*value))
        && let Some(id) = field(lower, table, member, node, ExprId::UNKNOWN)
    {
        return wrapped(lower, id, value);
    }
    let held = value.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
    let written = lower.node(target);
    lower.set_member(written, held);
    lower.write_field(written, held);
    if declares {
        field(lower, table, member, node, held);
    }
}
