//! Metatables: what `setmetatable` makes of a table. A table with a metatable inside of a function is an object of the class
//! that the metatable is; at the top of a file it is a class that builds on another.

use super::{expressions, table_members};
use crate::{
    facts::{
        BindingTarget, DefId, DefKind, Expr, ExprId, ReferenceKind, SupertypeKind, TypeExpr, TypeId,
    },
    lowering::{LoweringContext, ReturnTarget, Slot, SyntaxNodeFields, index, kids},
    syntax::SyntaxNode,
};

/// Lowers a call of `setmetatable` and returns the table that it gives.
pub(super) fn set<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let args = parts.get(Slot::Args).map(kids).unwrap_or_default();
    let [table, metatable] = args[..] else {
        return lower.call(node, parts, ReferenceKind::Call);
    };
    let callee = lower.part(parts, Slot::Object);
    lower.resolve_expr(ReferenceKind::Call, callee, 2, node.start_position().row);
    let is_class = matches!(lower.at.body, ReturnTarget::File);
    let made = if table.kind() == "table_constructor" {
        let object = expressions::object(lower, table);
        lower.push(Expr::Def(object))
    } else {
        lower.node(table)
    };
    let metatable = lower.node(metatable);
    let Some(class) = index_of(lower, metatable) else { return made };
    let class_type = lower.push_type(TypeExpr::TypeOf(class));
    if is_class {
        if let Some(object) = object_of(lower, made) {
            lower.def_mut(object).supers.push((SupertypeKind::Inherits, class_type));
        }
        return made;
    }
    match *lower.facts.expr(made) {
        Expr::Def(object) => attach_fields(lower, object, class_type),
        Expr::Name { name, .. } => {
            // From here on it is an object of the class.
            let value = class;
            let from = index(node.end_byte());
            lower.bind(name, from, BindingTarget::Local { ty: TypeId::UNKNOWN, value });
        }
        _ => {}
    }
    class
}

/// Returns what a metatable says that a table has besides its own: its `__index`, or the metatable itself when that is a
/// class. `None` when it says nothing.
fn index_of(lower: &mut LoweringContext<'_>, metatable: ExprId) -> Option<ExprId> {
    match *lower.facts.expr(metatable) {
        Expr::Def(literal) => {
            let name = lower.sym("__index");
            let index = lower.members.get(&(literal, name)).copied()?;
            let held = lower.facts.def(index).value;
            held.is_known().then_some(held)
        }
        _ => metatable.is_known().then_some(metatable),
    }
}

/// Returns the object that an expression is: a literal, or the one that a name of the file's top holds.
fn object_of(lower: &LoweringContext<'_>, value: ExprId) -> Option<DefId> {
    match *lower.facts.expr(value) {
        Expr::Def(object) if lower.facts.def(object).kind == DefKind::Object => Some(object),
        Expr::Name { name, .. } => {
            let holder = lower.globals.get(&name)?;
            match *lower.facts.expr(lower.facts.def(*holder).value) {
                Expr::Def(object) if lower.facts.def(object).kind == DefKind::Object => {
                    Some(object)
                }
                _ => None,
            }
        }
        _ => None,
    }
}

/// Makes the fields that a new object is given fields of its class.
fn attach_fields(lower: &mut LoweringContext<'_>, object: DefId, class: TypeId) {
    let key = table_members::type_key(lower, class);
    for at in object.index() + 1..lower.facts.defs.len() {
        let id = DefId(index(at));
        if lower.facts.def(id).parent != Some(object) {
            continue;
        }
        let name = lower.facts.def(id).name;
        lower.def_mut(id).receiver = class;
        if let Some(key) = &key {
            let member = table_members::member_key(lower, key, name);
            lower.globals.entry(member).or_insert(id);
        }
    }
}
