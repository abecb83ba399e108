//! What Lua's declarations and assignments define: locals, globals, and the members of tables. A member that is assigned is
//! attached to the type of the table; what a file defines without `local` is seen by all files.

use super::{
    annotations,
    expressions::{bind_behind, guarded_module, string},
    lowering_dialect::SELF,
};
use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, ScopeId, ScopeKind, SupertypeKind,
        Sym, TypeExpr, TypeId,
    },
    lowering::{LoweringContext, ReturnTarget, Role, Slot, SyntaxNodeFields, index, kids},
    syntax::SyntaxNode,
};

/// Stands for the table of globals among the names of a file's top; no text can name it.
const GLOBALS: &str = "\u{0}globals";
/// Words in the names of functions that make a class of others.
const MAKES_CLASSES: &[&str] = &["class", "derive", "extend", "inherit"];
/// Values that a field that is assigned several times is known to have.
const MAX_VALUES: usize = 8;
/// Bindings that are looked at for the one of a local that has no value yet.
const MAX_LOOKED_BACK: usize = 500;

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
        "identifier" => named_function(lower, name, node, (node, parts)),
        kind => {
            let Some(table) = name.field("table") else { return lower.children(node) };
            let member = name.field("field").or(name.field("method"));
            let Some(member) = member else { return lower.children(node) };
            let is_method = kind == "method_index_expression";
            let flags = if is_method { DefFlags::SELF_PARAM } else { DefFlags::default() };
            member_function(lower, (table, member), (node, node, parts), flags);
        }
    }
}

/// A function that is given to a name: that of a local which has no value yet, or a global one.
fn named_function<'t>(
    lower: &mut LoweringContext<'t>,
    name: SyntaxNode<'t>,
    node: SyntaxNode<'t>,
    (function, parts): (SyntaxNode<'t>, &SyntaxNodeFields<'t>),
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

/// The binding of a local that has no value yet, seen from here: its place in the list.
fn open_local(lower: &LoweringContext<'_>, name: Sym) -> Option<usize> {
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

/// A function that becomes a member of a table.
fn member_function<'t>(
    lower: &mut LoweringContext<'t>,
    (table, member): (SyntaxNode<'t>, SyntaxNode<'t>),
    (node, function, parts): (SyntaxNode<'t>, SyntaxNode<'t>, &SyntaxNodeFields<'t>),
    flags: DefFlags,
) {
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

/// The type of the table that something is attached to. What a call gave to a name of the file's top becomes a table of its
/// own, since calls that make classes may give one table to all of them.
fn receiver<'t>(lower: &mut LoweringContext<'t>, table: SyntaxNode<'t>) -> TypeId {
    let value = lower.node(table);
    if let Expr::Name { name, .. } = *lower.facts.expr(value)
        && lower.text(table) != SELF
        && let Some(holder) = lower.globals.get(&name).copied()
    {
        let def = lower.facts.def(holder);
        let held = def.value;
        let is_open = !held.is_known() || matches!(lower.facts.expr(held), Expr::Call { .. });
        if def.kind == DefKind::Variable && !def.ty.is_known() && is_open {
            own_table(lower, holder, table);
        }
    }
    if lower.text(table) == SELF
        && let Some(ty) = own_receiver(lower)
    {
        return ty;
    }
    lower.push_type(TypeExpr::TypeOf(value))
}

/// Makes the value of a variable an object that builds on what the value was, and on what made it.
fn own_table<'t>(lower: &mut LoweringContext<'t>, holder: DefId, node: SyntaxNode<'t>) {
    let held = lower.facts.def(holder).value;
    let outer = lower.at;
    (lower.at.owner, lower.at.scope) = (Some(holder), ScopeId(0));
    let empty = lower.sym("");
    let doc = lower.doc.take();
    let object = lower.new_def(DefKind::Object, empty, node, None);
    lower.doc = doc;
    lower.enter(object, ScopeKind::Type);
    lower.at = outer;
    let mut bases = vec![held];
    if let Expr::Call { callee, args, .. } = lower.facts.expr(held) {
        let (name, object) = match *lower.facts.expr(*callee) {
            Expr::Member { object, name } => (Some(name), object),
            Expr::Name { name, .. } => (Some(name), ExprId::UNKNOWN),
            _ => (None, ExprId::UNKNOWN),
        };
        let name = name.map(|name| lower.facts.text(name).to_lowercase()).unwrap_or_default();
        if MAKES_CLASSES.iter().any(|word| name.contains(word)) {
            bases.extend(args.iter().copied());
            bases.push(object);
        }
    }
    for base in bases.into_iter().filter(|base| base.is_known()) {
        let ty = lower.push_type(TypeExpr::TypeOf(base));
        lower.def_mut(object).supers.push((SupertypeKind::Inherits, ty));
    }
    let value = lower.push(Expr::Def(object));
    lower.def_mut(holder).value = value;
}

/// The type that the method around is attached to.
fn own_receiver(lower: &LoweringContext<'_>) -> Option<TypeId> {
    let mut next = lower.at.owner;
    while let Some(id) = next {
        let def = lower.facts.def(id);
        if def.receiver.is_known() && def.flags.has(DefFlags::SELF_PARAM) {
            return Some(def.receiver);
        }
        next = def.parent;
    }
    None
}

/// The name of the table that a receiver is the type of, where it is a bare name.
pub(super) fn type_key(lower: &LoweringContext<'_>, receiver: TypeId) -> Option<String> {
    let TypeExpr::TypeOf(value) = *lower.facts.ty(receiver) else { return None };
    match *lower.facts.expr(value) {
        Expr::Name { name, .. } => Some(lower.facts.text(name).to_owned()),
        _ => None,
    }
}

/// The name under which a member of a table is kept among those of the file's top.
pub(super) fn member_key(lower: &mut LoweringContext<'_>, table: &str, name: Sym) -> Sym {
    let key = format!("{table}.{}", lower.facts.text(name));
    lower.sym(&key)
}

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

/// Whether a value is a call that is given a function: `wrap(2, function() end)`.
fn wraps_function(value: SyntaxNode<'_>) -> bool {
    let args = value.field("arguments").filter(|_| value.kind() == "function_call");
    args.is_some_and(|args| args.named_children().any(|arg| arg.kind() == "function_definition"))
}

/// Gives a definition the function that a call wraps: it runs what is inside.
fn wrapped<'t>(lower: &mut LoweringContext<'t>, id: DefId, value: SyntaxNode<'t>) {
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

/// Whether assigning to members of a table declares them: those of the method's own, of a table of the file's top, and of
/// an object that the function around has just made.
fn declares_fields(lower: &mut LoweringContext<'_>, table: SyntaxNode<'_>) -> bool {
    if table.kind() != "identifier" {
        return false;
    }
    let sym = lower.sym(table.text());
    lower.text(table) == SELF
        || lower.globals.contains_key(&sym)
        || instance_key(lower, table).is_some_and(|key| lower.globals.contains_key(&key))
}

/// Declares a field of a table, or adds a value to one that is declared. Returns the one that is new.
fn field<'t>(
    lower: &mut LoweringContext<'t>,
    (table, member): (SyntaxNode<'t>, SyntaxNode<'t>),
    node: SyntaxNode<'t>,
    value: ExprId,
) -> Option<DefId> {
    let name = string(lower, member).unwrap_or(lower.text(member));
    if name.starts_with("__") {
        return None;
    }
    let name = lower.sym(name);
    let receiver = receiver(lower, table);
    let key = type_key(lower, receiver);
    let key = key.map(|key| member_key(lower, &key, name));
    if let Some(id) = key.and_then(|key| lower.globals.get(&key).copied()) {
        add_value(lower, id, value);
        return None;
    }
    let ty = annotations::variable(lower, node);
    let outer = lower.at;
    lower.at.owner = None;
    let id = lower.new_def(DefKind::Field, name, node, Some(member));
    lower.at = outer;
    lower.sign(id, node, None);
    lower.mark(id, DefFlags::ASSIGNED);
    if let Expr::Def(object) = *lower.facts.expr(value) {
        // What a table has goes by the name that holds it.
        lower.def_mut(object).parent = Some(id);
    }
    let def = lower.def_mut(id);
    (def.receiver, def.value, def.ty) = (receiver, value, ty);
    if let Some(key) = key {
        lower.globals.insert(key, id);
    }
    Some(id)
}

fn add_value(lower: &mut LoweringContext<'_>, id: DefId, value: ExprId) {
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

/// Whether the walk stands at the top of the file, in no function and no block.
fn is_top(lower: &LoweringContext<'_>) -> bool {
    matches!(lower.at.body, ReturnTarget::File) && lower.at.scope == ScopeId(0)
}

/// Makes a definition of the file's top one that all files see.
fn make_global(lower: &mut LoweringContext<'_>, id: DefId) {
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

/// Whether a value is an object that a metatable makes one.
fn is_instance(lower: &LoweringContext<'_>, value: SyntaxNode<'_>) -> bool {
    value.field("name").is_some_and(|callee| lower.text(callee) == "setmetatable")
}

fn note_instance<'t>(lower: &mut LoweringContext<'t>, name: SyntaxNode<'t>) {
    if let Some(key) = instance_key(lower, name)
        && let Some(owner) = lower.at.owner
    {
        lower.globals.insert(key, owner);
    }
}

/// The name under which it is noted that a local of the function around is an object.
fn instance_key(lower: &mut LoweringContext<'_>, name: SyntaxNode<'_>) -> Option<Sym> {
    let owner = lower.at.owner?.0;
    let key = format!("\u{0}{owner} {}", lower.text(name));
    Some(lower.sym(&key))
}

/// The targets and the values of an assignment.
fn sides<'t>(node: SyntaxNode<'t>) -> (Vec<SyntaxNode<'t>>, Vec<SyntaxNode<'t>>) {
    let list = |kind: &str| node.named_children().find(|child| child.kind() == kind);
    let targets = list("variable_list").map(names).unwrap_or_default();
    (targets, list("expression_list").map(kids).unwrap_or_default())
}

/// The names of a list, without their attributes.
fn names(list: SyntaxNode<'_>) -> Vec<SyntaxNode<'_>> {
    kids(list).into_iter().filter(|name| name.kind() != "attribute").collect()
}
