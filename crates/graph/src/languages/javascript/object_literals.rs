//! JavaScript's object literals and the names of what they have.

use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, ExprId, ReferenceKind, ScopeKind, Sym, TypeExpr},
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

/// Lowers a method that is declared without a body. What computes its name is part of the class.
pub(crate) fn method_signature<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> DefId {
    let name = parts.get(Slot::Name);
    computed_name(lower, name);
    lower.function(node, name, parts)
}

/// Lowers a field of an interface or of an object's type.
pub(crate) fn property_signature<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let Some(name) = parts.get(Slot::Name) else { return };
    computed_name(lower, Some(name));
    let sym = lower.sym_of(name);
    lower.valued(DefKind::Field, (sym, Some(name)), node, parts.get(Slot::Type), None);
}

fn computed_name<'t>(lower: &mut LoweringContext<'t>, name: Option<SyntaxNode<'t>>) {
    if let Some(name) = name
        && lower.kind(name) == "computed_property_name"
    {
        lower.children(name);
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
    lower.decorators(node);
    let id = method_signature(lower, node, parts);
    if parts.get(Slot::Name).is_some_and(|name| lower.text(name) == "constructor") {
        lower.mark(id, DefFlags::CONSTRUCTOR);
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
