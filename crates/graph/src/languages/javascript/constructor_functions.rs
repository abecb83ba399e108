//! Functions that construct objects: what their `this` is, and the members that are given to them through their prototype or
//! by assignment. Classes are read by the common walk.

use crate::{
    facts::{DefFlags, DefId, DefKind, Expr, ExprId, ModuleExport, TypeExpr, TypeId},
    languages::javascript::object_literals::object,
    lowering::{LoweringContext, Slot},
    syntax::SyntaxNode,
};

/// `x.name = function …` and `X.prototype.name = function …`: the function is a member of what `x` is, or of what `X` constructs.
pub(crate) struct MemberAssignment<'t> {
    /// The whole assignment.
    pub(crate) node: SyntaxNode<'t>,
    /// What gets the member; `None` for the exports of the module.
    pub(crate) object: Option<SyntaxNode<'t>>,
    pub(crate) name: SyntaxNode<'t>,
    pub(crate) function: SyntaxNode<'t>,
}

impl<'t> MemberAssignment<'t> {
    /// Returns the function as a value.
    pub(crate) fn lower(&self, lower: &mut LoweringContext<'t>) -> ExprId {
        let receiver = self.object.map_or(TypeId::UNKNOWN, |object| constructed_by(lower, object));
        let outer = lower.at;
        let sym = lower.sym_of(self.name);
        let id = lower.new_def(DefKind::Function, sym, self.node, Some(self.name));
        lower.mark(id, DefFlags::ASSIGNED);
        lower.def_mut(id).receiver = receiver;
        if let Some(parts) = lower.parts(self.function) {
            lower.function_parts(id, self.function, &parts);
            lower.sign(id, self.node, parts.get(Slot::Body));
        }
        lower.at = outer;
        let value = lower.push(Expr::Def(id));
        if self.object.is_none() {
            lower.push_export(ModuleExport::Value { name: sym, value });
        }
        value
    }
}

/// Lowers the literal in `X.prototype = {…}`: its members are those of what `X` constructs.
pub(crate) fn prototype_literal<'t>(
    lower: &mut LoweringContext<'t>,
    prototype: SyntaxNode<'t>,
    literal: SyntaxNode<'t>,
) -> ExprId {
    let constructed = constructed_by(lower, prototype);
    object(lower, literal, constructed)
}

/// Says what `this` is in the body of a function that is no arrow function.
pub(crate) fn bind_this(lower: &mut LoweringContext<'_>, id: DefId, node: SyntaxNode<'_>) {
    let def = lower.facts.def(id);
    let (receiver, outer) = (def.receiver, def.outer);
    if def.kind != DefKind::Function || lower.kind(node) == "arrow_function" {
        return;
    }
    if receiver.is_known() {
        (lower.at.this, lower.at.constructor) = (receiver, None);
    } else if lower.type_around(outer).is_none() {
        (lower.at.this, lower.at.constructor) = (TypeId::UNKNOWN, Some(id));
    }
}

/// Whether a member expression names the prototype of its object.
fn is_prototype(lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
    lower.kind(node) == "member_expression"
        && lower.in_field(node, "property").is_some_and(|name| lower.text(name) == "prototype")
}

/// Returns the type of an object, or of what a function constructs where its prototype is named.
fn constructed_by<'t>(lower: &mut LoweringContext<'t>, object: SyntaxNode<'t>) -> TypeId {
    let host = match lower.in_field(object, "object") {
        Some(constructor) if is_prototype(lower, object) => constructor,
        _ => object,
    };
    let value = lower.node(host);
    lower.push_type(TypeExpr::TypeOf(value))
}
