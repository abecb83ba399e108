//! JavaScript's object literals and the names of what they have.

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, ReferenceKind, ScopeKind, Sym, TypeExpr},
    languages::javascript::expressions::string,
    lowering::{LoweringContext, Role, Slot, SyntaxNodeFields, index},
    syntax::SyntaxNode,
};

pub(crate) fn key_name<'t>(lower: &mut LoweringContext<'t>, key: SyntaxNode<'t>) -> Option<Sym> {
    match lower.kind(key) {
        "property_identifier" | "private_property_identifier" | "identifier" => {
            Some(lower.sym_of(key))
        }
        "string" => Some(string(lower, key)),
        _ => {
            lower.node(key);
            None
        }
    }
}

pub(crate) fn method<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    name: SyntaxNode<'t>,
) {
    let Some(parts) = lower.parts(node) else { return };
    if lower.kind(name) == "computed_property_name" {
        lower.children(name);
    }
    let id = lower.function(node, Some(name), &parts);
    if lower.text(name) == "constructor" {
        lower.mark(id, DefFlags::CONSTRUCTOR);
    }
}

pub(crate) fn object<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let empty = lower.sym("");
    let id = lower.new_def(DefKind::Object, empty, node, None);
    let outer = lower.at;
    let body = outer.body;
    lower.enter(id, ScopeKind::Type);
    // Values of an object literal stand in the function around it.
    lower.at.body = body;
    for child in node.named_children() {
        match lower.kind(child) {
            "pair" => pair(lower, child),
            "shorthand_property_identifier" => {
                let name = lower.sym_of(child);
                let field = lower.new_def(DefKind::Field, name, child, Some(child));
                let (scope, pos) = (outer.scope, index(child.start_byte()));
                let value = lower.push(Expr::Name { name, scope, pos });
                lower.def_mut(field).value = value;
                lower.resolve_expr(ReferenceKind::Value, value, 0, child.start_position().row);
            }
            "spread_element" => {
                let value = child.named_child(0).map_or(ExprId::UNKNOWN, |value| lower.node(value));
                if value.is_known() {
                    let ty = lower.push_type(TypeExpr::TypeOf(value));
                    lower.def_mut(id).supers.push((crate::facts::SupertypeKind::Inherits, ty));
                }
            }
            _ => {
                lower.node(child);
            }
        }
    }
    lower.at = outer;
    lower.push(Expr::Def(id))
}

pub(crate) fn method_definition<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    if let Some(name) = parts.get(Slot::Name) {
        method(lower, node, name);
    }
}

/// `key: value` of an object literal.
fn pair<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let (Some(key), value) = (lower.in_field(node, "key"), lower.in_field(node, "value")) else {
        return;
    };
    let Some(name) = key_name(lower, key) else {
        if let Some(value) = value {
            lower.node(value);
        }
        return;
    };
    let field = lower.valued(DefKind::Field, (name, Some(key)), node, None, value);
    if let Some(value) = value
        && matches!(lower.table.role(value), Role::Ident | Role::Member)
    {
        let target = lower.facts.def(field).value;
        lower.resolve_expr(ReferenceKind::Value, target, 0, value.start_position().row);
    }
}
