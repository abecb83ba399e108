//! Rust's operators, struct expressions, paths and `match`.

use crate::{
    facts::{Expr, ExprId, PATH_START, ReferenceKind, StructFieldSelector, Sym, TypeExpr, TypeId},
    lowering::{LoweringContext, Slot, SyntaxNodeFields, find, index},
    syntax::SyntaxNode,
};

pub(crate) fn generic_function<'t>(
    lower: &mut LoweringContext<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    if let Some(args) = parts.get(Slot::Args) {
        lower.type_list(args);
    }
    lower.part(parts, Slot::Object)
}

pub(crate) fn struct_expression<'t>(
    lower: &mut LoweringContext<'t>,
    parts: &SyntaxNodeFields<'t>,
) -> ExprId {
    let ty = parts.get(Slot::Name).map_or(TypeId::UNKNOWN, |name| lower.constructed(name));
    if let Some(body) = parts.get(Slot::Body) {
        initializers(lower, body, ty);
    }
    lower.push(Expr::Typed(ty))
}

pub(crate) fn index_expression<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> ExprId {
    let object = node.named_child(0).map_or(ExprId::UNKNOWN, |object| lower.node(object));
    if let Some(at) = node.named_child(1) {
        lower.node(at);
        if at.kind() == "range_expression" {
            return object;
        }
    }
    lower.push(Expr::Index(object))
}

/// What stands in parentheses before arguments is a value that is called, and no method: `(self.run)(1)`.
pub(crate) fn parenthesized<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let value = lower.last_child(node);
    let is_called = lower.syntax.source().as_bytes().get(node.end_byte()) == Some(&b'(');
    if is_called && matches!(lower.facts.expr(value), Expr::Member { .. }) {
        return lower.push(Expr::Either(vec![value]));
    }
    value
}

pub(crate) fn initializers<'t>(lower: &mut LoweringContext<'t>, body: SyntaxNode<'t>, ty: TypeId) {
    for part in body.named_children() {
        match lower.kind(part) {
            "field_initializer" => {
                let (Some(field), Some(value)) =
                    (lower.in_field(part, "field"), lower.in_field(part, "value"))
                else {
                    continue;
                };
                lower.name_field(ty, field);
                let field = lower.sym_of(field);
                let node = value;
                let value = if is_default(lower, node) {
                    let ty = lower.push_type(TypeExpr::Member(ty, field));
                    valued(lower, node, ty)
                } else {
                    lower.node(node)
                };
                lower.hand_on(value, node);
                lower.set_field(ty, StructFieldSelector::Named(field), value);
            }
            // `Name { field }` puts a variable of that name into the field.
            "shorthand_field_initializer" => {
                let Some(field) = part.named_child(0) else { continue };
                lower.name_field(ty, field);
                let name = lower.sym_of(field);
                let value = lower.node(field);
                lower.hand_on(value, field);
                lower.set_field(ty, StructFieldSelector::Named(name), value);
            }
            "base_field_initializer" => {
                if let Some(base) = part.named_child(0) {
                    valued(lower, base, ty);
                }
            }
            _ => lower.children(part),
        }
    }
}

/// Whether an expression is a default whose type only its place says.
pub(crate) fn is_default(lower: &LoweringContext<'_>, node: SyntaxNode<'_>) -> bool {
    lower.kind(node) == "call_expression" && lower.text(node) == "Default::default()"
}

/// Lowers an expression that has to be of type `ty`, if that is known.
pub(crate) fn valued<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
    ty: TypeId,
) -> ExprId {
    if !ty.is_known() || !is_default(lower, node) {
        return lower.node(node);
    }
    let object = lower.push(Expr::Type(ty));
    let name = lower.sym("default");
    let callee = lower.push(Expr::Member { object, name });
    lower.invoke(ReferenceKind::Call, callee, Vec::new(), None, node.start_position().row)
}

/// Lowers an operator as a call of its method; the call gets no reference.
pub(crate) fn operation<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let side = |lower: &mut LoweringContext<'t>, field| {
        node.field(field).map_or(ExprId::UNKNOWN, |side| lower.node(side))
    };
    let (left, right) = (side(lower, "left"), side(lower, "right"));
    let method = match lower.in_field(node, "operator").map(|operator| operator.kind()) {
        Some("+") => "add",
        Some("-") => "sub",
        Some("*") => "mul",
        Some("/") => "div",
        Some("%") => "rem",
        Some("&") => "bitand",
        Some("|") => "bitor",
        Some("^") => "bitxor",
        _ => return ExprId::UNKNOWN,
    };
    let name = lower.sym(method);
    let callee = lower.push(Expr::Member { object: left, name });
    lower.push(Expr::Call { callee, args: vec![right], type_args: Vec::new() })
}

pub(crate) fn matching<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let subject = lower.in_field(node, "value").map_or(ExprId::UNKNOWN, |value| lower.node(value));
    let Some(body) = lower.in_field(node, "body") else { return ExprId::UNKNOWN };
    let mut values = Vec::new();
    for arm in body.named_children() {
        if arm.kind() != "match_arm" {
            lower.node(arm);
            continue;
        }
        let value = lower.in_block(|lower| {
            if let Some(pattern) = lower.in_field(arm, "pattern") {
                for part in pattern.named_children() {
                    if lower.in_field(pattern, "condition") == Some(part) {
                        lower.node(part);
                    } else {
                        lower.local_pattern(part, TypeId::UNKNOWN, subject);
                    }
                }
            }
            lower.in_field(arm, "value").map_or(ExprId::UNKNOWN, |value| lower.node(value))
        });
        values.push(value);
    }
    lower.push(Expr::Either(values))
}

pub(crate) fn path<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let Some(name) = lower.in_field(node, "name") else { return ExprId::UNKNOWN };
    let by = lower.in_field(node, "path").and_then(|path| interface_named(lower, path));
    let object = match lower.in_field(node, "path") {
        Some(path) if path.kind() == "self" => module_word(lower, path, "self::"),
        Some(path) if matches!(path.kind(), "crate" | "super") => {
            let word = lower.text(path);
            module_word(lower, path, word)
        }
        Some(path)
            if matches!(
                path.kind(),
                "generic_type" | "bracketed_type" | "scoped_type_identifier" | "type_identifier"
            ) =>
        {
            let ty = lower.ty(path);
            lower.push(Expr::Type(ty))
        }
        Some(path) if path.kind() == "identifier" => path_start(lower, path),
        Some(path) => lower.node(path),
        // `::name`
        None => return lower.name_expr(name),
    };
    let name = lower.sym_of(name);
    let member = member_of_path(lower, object, name);
    if let Some(by) = by.filter(|by| by.is_known()) {
        lower.allocate(size_of::<(ExprId, TypeId)>());
        lower.facts.interfaces.insert(member, by);
    }
    member
}

/// The trait of `<Type as Trait>`.
fn interface_named<'t>(lower: &mut LoweringContext<'t>, path: SyntaxNode<'t>) -> Option<TypeId> {
    let qualified = find(path, "qualified_type").filter(|_| path.kind() == "bracketed_type")?;
    let by = lower.in_field(qualified, "alias")?;
    Some(lower.ty(by))
}

/// What a path ends with, behind a type: `a::Type::member` names the type, too.
pub(crate) fn member_of_path(lower: &mut LoweringContext<'_>, object: ExprId, name: Sym) -> ExprId {
    let member = lower.push(Expr::Member { object, name });
    if let Expr::Member { object: above, name } = *lower.facts.expr(object)
        && matches!(lower.facts.expr(above), Expr::Name { .. } | Expr::Member { .. })
        && lower.facts.text(name).starts_with(char::is_uppercase)
    {
        lower.use_member(member);
    }
    member
}

/// The first name of a path, which no variable can be.
pub(crate) fn path_start<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> ExprId {
    let name = lower.sym_of(node);
    lower.push(Expr::Name { name, scope: lower.at.scope, pos: PATH_START })
}

pub(crate) fn module_word(
    lower: &mut LoweringContext<'_>,
    node: SyntaxNode<'_>,
    word: &str,
) -> ExprId {
    let name = lower.sym(word);
    let (scope, pos) = (lower.at.scope, index(node.start_byte()));
    lower.push(Expr::Name { name, scope, pos })
}
