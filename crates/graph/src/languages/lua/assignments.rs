//! Lua's assignments to names and to members of tables.

use super::{
    expressions::string,
    functions::{member_function, named_function},
    table_members::{declares_fields, field},
    variables::{is_top, make_global, open_local, top_variable, wrapped, wraps_function},
};
use crate::{
    facts::{BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, TypeId},
    lowering::{LoweringContext, Role, kids},
    syntax::SyntaxNode,
};

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
        return named_function(lower, name, node, (function, &parts));
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
        return member_function(
            lower,
            (table, member),
            (node, function, &parts),
            DefFlags::default(),
        );
    }
    let declares = declares_fields(lower, table);
    if let Some(value) = value.filter(|value| declares && wraps_function(*value))
        && let Some(id) = field(lower, (table, member), node, ExprId::UNKNOWN)
    {
        return wrapped(lower, id, value);
    }
    let held = value.map_or(ExprId::UNKNOWN, |value| lower.kept_value(value));
    let written = lower.node(target);
    lower.set_member(written, held);
    lower.write_field(written, held);
    if declares {
        field(lower, (table, member), node, held);
    }
}
