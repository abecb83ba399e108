//! JavaScript's object literals and the names of what they have.

use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, ExprId, ScopeKind, Sym, TypeExpr, TypeId},
    languages::javascript::expressions::string,
    lowering::{LoweringContext, Slot, SyntaxNodeFields, index},
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
    let around = this_around(lower);
    let body = outer.body;
    lower.enter(id, ScopeKind::Type);
    // Values of an object literal stand in the function around it.
    lower.at.body = body;
    for child in node.named_children() {
        match lower.kind(child) {
            "pair" => {
                let is_own =
                    child.field("value").is_some_and(|value| value.kind() == "function_expression");
                lower.at.this = if is_own { TypeId::UNKNOWN } else { around };
                pair(lower, child);
                lower.at.this = TypeId::UNKNOWN;
            }
            "shorthand_property_identifier" => {
                let name = lower.sym_of(child);
                let field = lower.new_def(DefKind::Field, name, child, Some(child));
                let (scope, pos) = (outer.scope, index(child.start_byte()));
                let value = lower.push(Expr::Name { name, scope, pos });
                lower.def_mut(field).value = value;
                lower.hand_on(value, child);
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

/// Returns the type of what `this` is where an object literal stands, if something around has one: it is that in the literal's
/// values, too.
fn this_around(lower: &mut LoweringContext<'_>) -> TypeId {
    let at = lower.at;
    if !at.this.is_known() && at.constructor.is_none() && lower.type_around(at.scope).is_none() {
        return TypeId::UNKNOWN;
    }
    let value = lower.this_value();
    lower.push_type(TypeExpr::TypeOf(value))
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
            lower.kept_value(value);
        }
        return;
    };
    lower.valued(DefKind::Field, (name, Some(key)), node, None, value);
}
