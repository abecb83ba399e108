//! JavaScript's calls, operators, assertions, object literals and JSX elements.

use crate::{
    facts::{
        DefFlags, DefId, DefKind, Expr, ExprId, ImportSelection, ReferenceKind, ScopeKind, Sym,
        TypeExpr, TypeId,
    },
    languages::javascript::constructor_functions::{MemberAssignment, attached_by_call},
    lowering::{DeclaredName, LoweringContext, Role, Slot, SyntaxNodeFields, index},
    syntax::SyntaxNode,
};

/// The method of functions that gives one with its receiver and its first arguments.
const BIND: &str = "bind";
/// The name of what an interface says of the classes that it stands for: `new (x: A): B`.
pub(crate) const CONSTRUCT_SIGNATURE: &str = "new";

pub(crate) fn assertion<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(value) = node.named_child(0) else { return ExprId::UNKNOWN };
    let value = lower.kept_value(value);
    let ty = node.named_child(1).map_or(TypeId::UNKNOWN, |ty| lower.annotation(ty));
    lower.object_is(value, ty);
    let is_value_itself = lower.kind(node) == "satisfies_expression"
        || node.named_child(1).is_none_or(|ty| lower.text(ty) == "const");
    if is_value_itself || !ty.is_known() { value } else { lower.push(Expr::Typed(ty)) }
}

pub(crate) fn subscript<'t>(
    lower: &mut LoweringContext<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let object = lower.part(parts, Slot::Object);
    if let Some(key) = parts.get(Slot::Args)
        && lower.kind(key) == "string"
    {
        let name = string(lower, key);
        return lower.push(Expr::Member { object, name });
    }
    lower.part(parts, Slot::Args);
    let item = lower.push(Expr::Index(object));
    // `object[NAME]` may be a member that is declared as `[NAME]`.
    match parts.get(Slot::Args).and_then(|key| constant_name(lower, key)) {
        Some(name) => {
            let member = lower.push(Expr::Member { object, name });
            lower.push(Expr::Either(vec![member, item]))
        }
        None => item,
    }
}

/// Returns what a member is called that has a constant of the file as its name: `[NAME]`.
fn constant_name<'t>(lower: &mut LoweringContext<'t>, key: SyntaxNode<'t>) -> Option<Sym> {
    let is_constant = lower.kind(key) == "identifier" && lower.names_constant(key);
    is_constant.then(|| lower.sym(&format!("[{}]", lower.text(key))))
}

/// `object[NAME] = value` where `NAME` is a constant of the file: a member that is called `[NAME]`.
pub(crate) fn assigned_constant<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    left: SyntaxNode<'t>,
    right: SyntaxNode<'t>,
) -> Option<ExprId> {
    let (object, key) = (lower.in_field(left, "object")?, lower.in_field(left, "index")?);
    let name = constant_name(lower, key)?;
    let is_own = lower.kind(object) == "this";
    if !is_own && lower.table.role(right) == Role::Lambda && lower.kind(object) == "identifier" {
        let made = MemberAssignment { node, object: Some(object), name: key, function: right };
        return Some(made.lower_as(lower, name));
    }
    let value = lower.kept_value(right);
    let object = lower.node(object);
    let target = lower.push(Expr::Member { object, name });
    lower.set_member(target, value);
    lower.write_field(target, value);
    if is_own {
        lower.assigned_member(node, name, key, TypeId::UNKNOWN, value);
    }
    Some(value)
}

pub(crate) fn spread<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let value = lower.last_child(node);
    if value.is_known() { lower.push(Expr::Elem(value)) } else { value }
}

pub(crate) fn opening_element<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    if let Some(name) = parts.get(Slot::Name) {
        element(lower, name);
    }
    lower.children(node);
}

pub(crate) fn binary<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let operator = lower.in_field(node, "operator").map(|operator| lower.kind(operator));
    let left = lower.part(parts, Slot::Name);
    match operator {
        Some("&&") => {
            let condition = parts.get(Slot::Name);
            lower.in_block(|lower| {
                if let Some(condition) = condition {
                    lower.dialect.narrow(lower, condition);
                }
                lower.part(parts, Slot::Value)
            })
        }
        Some("||" | "??") => {
            let right = lower.part(parts, Slot::Value);
            lower.push(Expr::Either(vec![left, right]))
        }
        Some("instanceof") => {
            if let Some(class) = parts.get(Slot::Value) {
                lower.node(class);
                if matches!(lower.table.role(class), Role::Ident | Role::Member) {
                    lower.annotation(class);
                }
            }
            ExprId::UNKNOWN
        }
        _ => {
            lower.part(parts, Slot::Value);
            ExprId::UNKNOWN
        }
    }
}

pub(crate) fn call<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let (callee, args) = (parts.get(Slot::Object), parts.get(Slot::Args));
    if let (Some(callee), Some(args)) = (callee, args)
        && (lower.kind(callee) == "import"
            || lower.kind(callee) == "identifier" && lower.text(callee) == "require")
        && let Some(path) = args.named_child(0).filter(|path| path.kind() == "string")
    {
        let module = string(lower, path);
        let import =
            lower.push_import(lower.import_at(node, vec![module], ImportSelection::Module));
        return lower.push(Expr::Module(import));
    }
    if let (Some(callee), Some(args)) = (callee, args)
        && args.kind() == "template_string"
    {
        let target = lower.node(callee);
        lower.node(args);
        lower.resolve_expr(ReferenceKind::Call, target, 1, callee.end_position().row);
        return lower.push(Expr::Call { callee: target, args: Vec::new(), type_args: Vec::new() });
    }
    if let (Some(mut callee), Some(args)) = (callee, args)
        && lower.kind(callee) == "binary_expression"
    {
        // The grammar reads `a + f<T>(x)` as a call of `a + f`.
        while lower.kind(callee) == "binary_expression"
            && let Some(right) = lower.in_field(callee, "right")
        {
            lower.child(callee, "left");
            callee = right;
        }
        let target = lower.unread(callee);
        let row = callee.end_position().row;
        lower.invoke(ReferenceKind::Call, target, Vec::new(), Some(args), row);
        return ExprId::UNKNOWN;
    }
    if let (Some(callee), Some(args)) = (callee, args) {
        // A type assertion doesn't change what is called: `(f as Function)()`.
        let named = lower.bare(callee);
        if named != callee && matches!(lower.table.role(named), Role::Ident | Role::Member) {
            let target = lower.unread(named);
            let row = callee.end_position().row;
            return lower.invoke(ReferenceKind::Call, target, Vec::new(), Some(args), row);
        }
    }
    let call = lower.call(node, parts, ReferenceKind::Call);
    attached_by_call(lower, node, call);
    bound_function(lower, node, call);
    call
}

/// `f.bind(x)` is `f` as a value.
fn bound_function(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>, call: ExprId) {
    let Expr::Call { callee, .. } = *lower.facts.expr(call) else { return };
    if let Expr::Member { object, name } = *lower.facts.expr(callee)
        && lower.facts.text(name) == BIND
    {
        lower.hand_on(object, node);
    }
}

pub(crate) fn element<'t>(lower: &mut LoweringContext<'t>, name: SyntaxNode<'t>) {
    let text = lower.text(name);
    // A small letter is a host element.
    if lower.kind(name) == "identifier"
        && !text.starts_with(|c: char| c.is_uppercase() || c == '_' || c == '$')
    {
        return;
    }
    let target = lower.node(name);
    lower.resolve_expr(ReferenceKind::Element, target, 0, name.start_position().row);
}

/// Returns the text of a string literal.
pub(crate) fn string(lower: &mut LoweringContext<'_>, node: SyntaxNode<'_>) -> Sym {
    let text = lower.text(node);
    lower.sym(text.trim_matches(['"', '\'', '`']))
}

pub(crate) fn key_name<'t>(lower: &mut LoweringContext<'t>, key: SyntaxNode<'t>) -> Option<Sym> {
    match lower.kind(key) {
        "property_identifier" | "private_property_identifier" | "identifier" => {
            Some(lower.sym_of(key))
        }
        "string" => Some(string(lower, key)),
        kind => {
            let computed = key.named_child(0).filter(|_| kind == "computed_property_name");
            let name = computed.and_then(|name| constant_name(lower, name));
            lower.node(key);
            name
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

pub(crate) fn construct_signature<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    parts: &SyntaxNodeFields<'t>,
) {
    let name = lower.sym(CONSTRUCT_SIGNATURE);
    let id = lower.new_def(DefKind::Function, name, node, None);
    lower.function_parts(id, node, parts);
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
    lower.valued(DefKind::Field, DeclaredName::at(sym, name), node, parts.get(Slot::Type), None);
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
                lower.at.this = around;
                let value = child.named_child(0).map_or(ExprId::UNKNOWN, |value| lower.node(value));
                lower.at.this = TypeId::UNKNOWN;
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
    lower.valued(DefKind::Field, DeclaredName::at(name, key), node, None, value);
}
