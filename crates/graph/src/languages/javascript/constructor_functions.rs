//! Functions that construct objects: what their `this` is, the members that are given to them through their prototype or by
//! assignment, and what they build on. Classes are read by the common walk.

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, ModuleExport, SupertypeKind, Sym,
        TypeExpr, TypeId,
    },
    lowering::{LoweringContext, Role, Slot},
    syntax::SyntaxNode,
};

/// The member of a function or class that has what the objects made by it have.
pub(crate) const PROTOTYPE: &str = "prototype";
/// Functions that give the members of further arguments to the first one.
const COPYING: &[&str] = &["assign", "extend", "mixin"];
/// Functions that let the first constructor build on the second.
const INHERITING: &[&str] = &["inherits", "_inherits", "_inheritsLoose", "__extends"];

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
        let name = lower.sym_of(self.name);
        self.lower_as(lower, name)
    }

    /// Does the same for a member that is called otherwise than it is written.
    pub(crate) fn lower_as(&self, lower: &mut LoweringContext<'t>, name: Sym) -> ExprId {
        let receiver = self.object.map_or(TypeId::UNKNOWN, |object| type_of(lower, object));
        let id = lower.new_def(DefKind::Function, name, self.node, Some(self.name));
        lower.mark(id, DefFlags::ASSIGNED);
        lower.def_mut(id).receiver = receiver;
        fill(lower, id, self.node, self.function);
        let value = lower.push(Expr::Def(id));
        if self.object.is_none() {
            lower.push_export(ModuleExport::Value { name, value });
        }
        value
    }
}

/// Lowers the whole export of a module. A function has its own name there, or `usual`.
pub(crate) fn exported_value<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    value: SyntaxNode<'t>,
    usual: &str,
) -> ExprId {
    if lower.table.role(value) != Role::Lambda {
        return lower.kept_value(value);
    }
    let own = lower.in_field(value, "name");
    let name = match own {
        Some(own) => lower.sym_of(own),
        None => lower.sym(usual),
    };
    let id = lower.new_def(DefKind::Function, name, node, own);
    fill(lower, id, node, value);
    lower.push(Expr::Def(id))
}

/// Fills in a definition at `node` that is the value of a function expression.
fn fill<'t>(
    lower: &mut LoweringContext<'t>,
    id: DefId,
    node: SyntaxNode<'t>,
    function: SyntaxNode<'t>,
) {
    let outer = lower.at;
    if let Some(parts) = lower.parts(function) {
        lower.function_parts(id, function, &parts);
        lower.sign(id, node, parts.get(Slot::Body));
    }
    lower.at = outer;
}

/// Lowers `X.prototype = value`: a literal's members are those of what `X` constructs, and what is made from another prototype
/// builds on that.
pub(crate) fn prototype<'t>(
    lower: &mut LoweringContext<'t>,
    prototype: SyntaxNode<'t>,
    value: SyntaxNode<'t>,
) -> ExprId {
    let constructed = type_of(lower, prototype);
    let given = lower.node(value);
    let source = match lower.facts.expr(given) {
        // `Object.create(Y.prototype)`
        Expr::Call { callee, args, .. } => match (lower.facts.expr(*callee), args.first()) {
            (Expr::Member { name, .. }, Some(first)) if lower.facts.text(*name) == "create" => {
                *first
            }
            _ => given,
        },
        _ => given,
    };
    attach(lower, prototype, constructed, source);
    given
}

/// Reads a call that gives the members of objects to a prototype, or lets a constructor build on another:
/// `Object.assign(X.prototype, {…})`, `Object.assign(X, {…})`, `inherits(X, Y)`.
pub(crate) fn attached_by_call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    call: ExprId,
) {
    let Expr::Call { callee, args, .. } = lower.facts.expr(call) else { return };
    let (Expr::Name { name, .. } | Expr::Member { name, .. }) = lower.facts.expr(*callee) else {
        return;
    };
    let [first, second, ..] = args[..] else { return };
    let name = lower.facts.text(*name);
    if INHERITING.contains(&name) {
        let (made, base) = (prototype_of(lower, first), prototype_of(lower, second));
        let made = lower.push_type(TypeExpr::TypeOf(made));
        attach(lower, node, made, base);
        return;
    }
    let is_prototype = names_prototype(lower, first);
    let copies = COPYING.contains(&name) && is_named(lower, first);
    if copies || is_prototype && name == "setPrototypeOf" {
        let mut sources = args[1..].to_vec();
        // Only a prototype builds on what its members come from; another object gets those of literals.
        sources.retain(|source| is_prototype || matches!(lower.facts.expr(*source), Expr::Def(_)));
        let made = lower.push_type(TypeExpr::TypeOf(first));
        sources.into_iter().for_each(|source| attach(lower, node, made, source));
    }
}

/// Lets objects of the type `made` have the members of `source`.
fn attach<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, made: TypeId, source: ExprId) {
    match *lower.facts.expr(source) {
        Expr::Def(object) if lower.facts.def(object).kind == DefKind::Object => {
            lower.def_mut(object).receiver = made;
        }
        Expr::Name { .. } | Expr::Member { .. } | Expr::Call { .. } | Expr::New { .. } => {
            let nameless = lower.sym("");
            let id = lower.new_def(DefKind::Object, nameless, node, None);
            let ty = lower.push_type(TypeExpr::TypeOf(source));
            let def = lower.def_mut(id);
            (def.receiver, def.supers) = (made, vec![(SupertypeKind::Inherits, ty)]);
        }
        _ => {}
    }
}

/// Sets the type of `this` in the body of a function other than an arrow function, and binds the name that a function
/// expression has inside its own body.
pub(crate) fn bind_this(lower: &mut LoweringContext<'_>, id: DefId, node: SyntaxNode<'_>) {
    let def = lower.facts.def(id);
    let (receiver, outer) = (def.receiver, def.outer);
    if def.kind != DefKind::Function || lower.kind(node) == "arrow_function" {
        return;
    }
    if lower.table.role(node) == Role::Lambda
        && let Some(own) = lower.in_field(node, "name")
    {
        let own = lower.sym(lower.text(own));
        lower.bind(own, 0, BindingTarget::Def(id));
    }
    if receiver.is_known() {
        (lower.at.this, lower.at.constructor) = (receiver, None);
    } else if lower.type_around(outer).is_none() {
        (lower.at.this, lower.at.constructor) = (TypeId::UNKNOWN, Some(id));
    }
}

fn is_named(lower: &LoweringContext<'_>, value: ExprId) -> bool {
    matches!(lower.facts.expr(value), Expr::Name { .. } | Expr::Member { .. })
}

fn names_prototype(lower: &LoweringContext<'_>, value: ExprId) -> bool {
    matches!(lower.facts.expr(value), Expr::Member { name, .. } if lower.facts.text(*name) == PROTOTYPE)
}

/// Returns the prototype of a constructor as a value.
pub(crate) fn prototype_of(lower: &mut LoweringContext<'_>, constructor: ExprId) -> ExprId {
    let name = lower.sym(PROTOTYPE);
    lower.push(Expr::Member { object: constructor, name })
}

fn type_of<'t>(lower: &mut LoweringContext<'t>, object: SyntaxNode<'t>) -> TypeId {
    let value = receiver(lower, object);
    lower.push_type(TypeExpr::TypeOf(value))
}

/// Returns what is given a member: `x`, `X.prototype`.
fn receiver<'t>(lower: &mut LoweringContext<'t>, object: SyntaxNode<'t>) -> ExprId {
    match (lower.in_field(object, "object"), lower.in_field(object, "property")) {
        (Some(constructor), Some(name)) if lower.text(name) == PROTOTYPE => {
            let constructor = exported_or_named(lower, constructor);
            prototype_of(lower, constructor)
        }
        _ => exported_or_named(lower, object),
    }
}

/// `module.exports` is what the module exports so far.
fn exported_or_named<'t>(lower: &mut LoweringContext<'t>, object: SyntaxNode<'t>) -> ExprId {
    let is_default = |name| lower.facts.text(name) == "default";
    let exported = lower.facts.exports.iter().rev().find_map(|export| match *export {
        ModuleExport::Value { name, value } if is_default(name) => Some(value),
        _ => None,
    });
    match exported.filter(|_| lower.text(object) == "module.exports") {
        Some(exported) => exported,
        None => lower.node(object),
    }
}
