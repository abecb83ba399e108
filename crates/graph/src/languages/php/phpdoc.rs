//! Types in PHP's documentation comments: `@param`, `@return` and `@var`, used where the code itself declares none.

use crate::{
    facts::{DefId, DefKind, TypeExpr, TypeId},
    languages::php::class_names::class_named,
    lowering::{DocumentedTypes, LoweringContext},
    syntax::SyntaxNode,
};

/// Sets the types of a function's parameters and result from its comment.
pub(crate) fn function<'t>(
    lower: &mut LoweringContext<'t>,
    id: DefId,
    raw: &str,
    node: SyntaxNode<'t>,
) {
    for (tag, rest) in tags(raw) {
        match tag {
            "return" if !lower.facts.def(id).ty.is_known() => {
                let ty = read(lower, rest, node);
                lower.def_mut(id).ty = ty;
            }
            "param" => {
                let Some(name) = variable_in(rest) else { continue };
                let name = lower.sym(name);
                let Some(at) = lower.facts.def(id).params.iter().position(|p| p.name == name)
                else {
                    continue;
                };
                if lower.facts.def(id).params[at].ty.is_known() {
                    continue;
                }
                let ty = read(lower, rest, node);
                lower.def_mut(id).params[at].ty = ty;
                // A promoted parameter is a field as well.
                let field = lower.facts.def(id).parent;
                let field = field.and_then(|class| lower.members.get(&(class, name)).copied());
                if let Some(field) = field.filter(|field| {
                    let def = lower.facts.def(*field);
                    def.kind == DefKind::Field
                        && !def.ty.is_known()
                        && def.start >= lower.facts.def(id).start
                }) {
                    lower.def_mut(field).ty = ty;
                }
            }
            _ => {}
        }
    }
}

/// The type that a comment declares for a variable: the one that it names, or the one below it.
pub(crate) fn variable<'t>(
    lower: &mut LoweringContext<'t>,
    raw: &str,
    name: &str,
    node: SyntaxNode<'t>,
) -> TypeId {
    for (tag, rest) in tags(raw) {
        if tag == "var" && variable_in(rest).is_none_or(|said| said == name || name.is_empty()) {
            return read(lower, rest, node);
        }
    }
    TypeId::UNKNOWN
}

/// The variable that a comment inside a body declares, and its type.
pub(crate) fn declared<'t>(
    lower: &mut LoweringContext<'t>,
    raw: &str,
    node: SyntaxNode<'t>,
) -> Option<(String, TypeId)> {
    let (_, rest) = tags(raw).find(|(tag, _)| *tag == "var")?;
    let name = variable_in(rest)?.to_owned();
    let ty = read(lower, rest, node);
    ty.is_known().then_some((name, ty))
}

/// The tags of a documentation comment that say types.
fn tags(raw: &str) -> impl Iterator<Item = (&str, &str)> {
    let doc = raw.strip_prefix("/**").unwrap_or_default();
    doc.lines().filter_map(|line| {
        let line = line.trim().trim_start_matches('*').trim_start().strip_prefix('@')?;
        let (tag, rest) = line.split_once(char::is_whitespace)?;
        let rest = rest.trim_end_matches("*/").trim();
        ["param", "return", "var"].contains(&tag).then_some((tag, rest))
    })
}

fn variable_in(rest: &str) -> Option<&str> {
    let at = rest.find('$').filter(|at| !rest[*at..].starts_with("$this"))?;
    let name = &rest[at..];
    let end =
        name[1..].find(|c: char| !c.is_alphanumeric() && c != '_').map_or(name.len(), |e| e + 1);
    (end > 1).then_some(&name[..end])
}

fn read<'t>(lower: &mut LoweringContext<'t>, text: &str, node: SyntaxNode<'t>) -> TypeId {
    DocumentedTypes { is_name, named }.read(lower, text, node)
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '\\' | '-' | '$')
}

fn named<'t>(
    lower: &mut LoweringContext<'t>,
    name: &str,
    args: Vec<TypeId>,
    node: SyntaxNode<'t>,
) -> TypeId {
    match name.strip_prefix('\\').unwrap_or(name) {
        "array" | "list" | "iterable" | "non-empty-array" | "non-empty-list" | "Traversable"
        | "Iterator" | "Generator" | "IteratorAggregate" => {
            let item = if name.ends_with("Generator") {
                args.get(1).or(args.first())
            } else {
                args.last()
            };
            match item.copied() {
                Some(item) => lower.push_type(TypeExpr::Array(item)),
                None => TypeId::UNKNOWN,
            }
        }
        "self" | "static" | "$this" => class_named(lower, name, node),
        "class-string" | "callable" | "Closure" => TypeId::UNKNOWN,
        _ if !name.starts_with(|c: char| c.is_uppercase() || c == '\\') => TypeId::UNKNOWN,
        _ => {
            let ty = class_named(lower, name, node);
            if let TypeExpr::Named { args: given, .. } = &mut lower.facts.types[ty.index()] {
                *given = args;
            }
            ty
        }
    }
}
