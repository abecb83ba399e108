//! Members of Lua's tables. A member that is assigned is attached to the type of the table.

use super::{annotations, expressions::string, lowering_dialect::SELF, variables::add_value};
use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, ScopeId, ScopeKind, SupertypeKind, Sym, TypeExpr,
        TypeId,
    },
    lowering::LoweringContext,
    syntax::SyntaxNode,
};

/// Words in the names of functions that make a class of others.
const MAKES_CLASSES: &[&str] = &["class", "derive", "extend", "inherit"];

/// The type of the table that something is attached to. What a call gave to a name of the file's top becomes a table of its
/// own, since calls that make classes may give one table to all of them.
pub(super) fn receiver<'t>(lower: &mut LoweringContext<'t>, table: SyntaxNode<'t>) -> TypeId {
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

/// Whether assigning to members of a table declares them: those of the method's own, of a table of the file's top, and of
/// an object that the function around has just made.
pub(super) fn declares_fields(lower: &mut LoweringContext<'_>, table: SyntaxNode<'_>) -> bool {
    if table.kind() != "identifier" {
        return false;
    }
    let sym = lower.sym(table.text());
    lower.text(table) == SELF
        || lower.globals.contains_key(&sym)
        || instance_key(lower, table).is_some_and(|key| lower.globals.contains_key(&key))
}

/// Declares a field of a table, or adds a value to one that is declared. Returns the one that is new.
pub(super) fn field<'t>(
    lower: &mut LoweringContext<'t>,
    table: SyntaxNode<'t>,
    member: SyntaxNode<'t>,
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

/// Whether a value is an object that a metatable makes one.
pub(super) fn is_instance(lower: &LoweringContext<'_>, value: SyntaxNode<'_>) -> bool {
    value.field("name").is_some_and(|callee| lower.text(callee) == "setmetatable")
}

pub(super) fn note_instance<'t>(lower: &mut LoweringContext<'t>, name: SyntaxNode<'t>) {
    if let Some(key) = instance_key(lower, name)
        && let Some(owner) = lower.at.owner
    {
        lower.globals.insert(key, owner);
    }
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

/// The name under which it is noted that a local of the function around is an object.
fn instance_key(lower: &mut LoweringContext<'_>, name: SyntaxNode<'_>) -> Option<Sym> {
    let owner = lower.at.owner?.0;
    let key = format!("\u{0}{owner} {}", lower.text(name));
    Some(lower.sym(&key))
}
