//! What comments say of types: `---@class`, `---@field`, `---@param`, `---@return`, `---@type`. Classes are known by their
//! names in all files.

use super::variables::globals;
use crate::{
    facts::{DefFlags, DefId, DefKind, SupertypeKind, TypeExpr, TypeId},
    lowering::{DocumentedTypes, LoweringContext, index},
    syntax::SyntaxNode,
};

/// Lines of a comment that are read.
const MAX_LINES: usize = 100;
/// Bytes before a statement on its line; one that stands behind more has no comment of its own.
const MAX_INDENT: usize = 200;
/// Stands for the class that the comment above the walk declares.
const OPEN_CLASS: &str = "\u{0}class";

/// A comment: a part of what documents the next definition, a class, or a field of one.
pub(super) fn comment<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) {
    let text = lower.text(node);
    let Some((tag, rest)) = tag(text) else { return lower.comment(node) };
    lower.doc_reaches(node);
    match tag {
        "class" => class(lower, node, rest),
        "field" => field(lower, node, rest),
        _ => {}
    }
}

/// The tag of a line of a comment, and what stands behind it.
fn tag(line: &str) -> Option<(&str, &str)> {
    let rest = line.trim_start().strip_prefix("---")?.trim_start().strip_prefix('@')?;
    let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
    Some((&rest[..end], rest[end..].trim()))
}

fn class<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, rest: &str) {
    // `(exact) Name`.
    let rest = rest.strip_prefix('(').and_then(|it| it.split_once(')')).map_or(rest, |it| it.1);
    let (name, rest) = word(rest.trim_start());
    if name.is_empty() {
        return;
    }
    let globals = globals(lower);
    let sym = lower.sym(name);
    let outer = lower.at;
    lower.at.owner = Some(globals);
    let id = lower.new_def(DefKind::Class, sym, node, None);
    lower.at = outer;
    lower.sign(id, node, None);
    let rest = rest.trim_start();
    for base in rest.strip_prefix(':').into_iter().flat_map(|bases| bases.split(',')) {
        let ty = read(lower, base.trim(), node);
        if ty.is_known() {
            lower.def_mut(id).supers.push((SupertypeKind::Inherits, ty));
        }
    }
    let key = class_key(lower, name);
    lower.globals.insert(key, id);
    let key = lower.sym(OPEN_CLASS);
    lower.globals.insert(key, id);
}

fn class_key(lower: &mut LoweringContext<'_>, name: &str) -> crate::facts::Sym {
    let key = format!("{OPEN_CLASS} {name}");
    lower.sym(&key)
}

fn field<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>, rest: &str) {
    let key = lower.sym(OPEN_CLASS);
    let Some(class) = lower.globals.get(&key).copied() else { return };
    let line = index(node.start_position().row) + 1;
    if lower.facts.def(class).end + 1 < line {
        return;
    }
    lower.def_mut(class).end = line;
    let visibility = ["private ", "protected ", "public ", "package "];
    let rest = visibility.iter().find_map(|it| rest.strip_prefix(it)).unwrap_or(rest).trim_start();
    let (name, rest) = word(rest);
    if name.is_empty() {
        return;
    }
    let ty = read(lower, rest.trim_start_matches('?').trim_start(), node);
    let name = lower.sym(name);
    let outer = lower.at;
    lower.at.owner = Some(class);
    let id = lower.new_def(DefKind::Field, name, node, None);
    lower.at = outer;
    lower.sign(id, node, None);
    lower.def_mut(id).ty = ty;
    if rest.trim_start().starts_with("fun(") {
        // It announces the function that the table is given.
        lower.mark(id, DefFlags::DECLARATION);
    }
}

/// The class that the comment above a statement declares, and the type of its objects.
pub(super) fn class_above<'t>(
    lower: &mut LoweringContext<'t>,
    node: SyntaxNode<'t>,
) -> Option<(DefId, TypeId)> {
    let lines = lines_above(lower, node);
    let rest = lines.iter().find_map(|line| tag(line).filter(|(tag, _)| *tag == "class"))?.1;
    let rest = rest.strip_prefix('(').and_then(|it| it.split_once(')')).map_or(rest, |it| it.1);
    let (name, _) = word(rest.trim_start());
    let key = class_key(lower, name);
    let class = lower.globals.get(&key).copied()?;
    let ty = read(lower, name, node);
    Some((class, ty))
}

/// The type that the comment above a statement, or behind it, declares for its variable.
pub(super) fn variable<'t>(lower: &mut LoweringContext<'t>, node: SyntaxNode<'t>) -> TypeId {
    let lines = lines_above(lower, node);
    let behind = &lower.source[node.end_byte()..];
    let behind = &behind[..behind.floor_char_boundary(MAX_INDENT)];
    let behind = behind.split('\n').next().unwrap_or_default();
    let mut lines = lines.into_iter().chain([behind]);
    let declared = lines.find_map(|line| tag(line).filter(|(tag, _)| *tag == "type"));
    declared.map_or(TypeId::UNKNOWN, |(_, rest)| read(lower, rest, node))
}

/// Sets the types of a function's parameters and result from the comment above its statement.
pub(super) fn function<'t>(lower: &mut LoweringContext<'t>, id: DefId, node: SyntaxNode<'t>) {
    let is_statement = |kind: &str| {
        ["function_declaration", "variable_declaration", "assignment_statement", "field"]
            .contains(&kind)
    };
    let mut statement = node;
    for _ in 0..3 {
        match statement.parent() {
            Some(above) if is_statement(above.kind()) || above.kind() == "expression_list" => {
                statement = above;
            }
            _ => break,
        }
    }
    for line in lines_above(lower, statement) {
        match tag(line) {
            Some(("param", rest)) => {
                let (name, rest) = word(rest);
                let name = lower.sym(name);
                let params = &lower.facts.def(id).params;
                if let Some(at) = params.iter().position(|param| param.name == name) {
                    let ty = read(lower, rest.trim_start_matches('?').trim_start(), node);
                    lower.def_mut(id).params[at].ty = ty;
                }
            }
            Some(("return", rest)) if !lower.facts.def(id).ty.is_known() => {
                let ty = read(lower, rest, node);
                lower.def_mut(id).ty = ty;
            }
            _ => {}
        }
    }
}

/// The lines of the comment right above a statement, from the first to the last.
fn lines_above<'t>(lower: &LoweringContext<'t>, node: SyntaxNode<'t>) -> Vec<&'t str> {
    let mut found = Vec::new();
    if node.start_position().column > MAX_INDENT {
        return found;
    }
    let above = &lower.source[..node.start_byte()];
    let Some((mut above, own)) = above.rsplit_once('\n') else { return found };
    if !own.trim().is_empty() {
        return found;
    }
    while found.len() < MAX_LINES {
        let (rest, line) = above.rsplit_once('\n').unwrap_or(("", above));
        if !line.trim_start().starts_with("--") || !lower.syntax.look_at(line.len()) {
            break;
        }
        found.push(line);
        above = rest;
    }
    found.reverse();
    found
}

/// The name that a text starts with, and what follows.
fn word(text: &str) -> (&str, &str) {
    text.split_at(text.find(|c| !is_name(c)).unwrap_or(text.len()))
}

fn is_name(c: char) -> bool {
    c.is_alphanumeric() || "_.-".contains(c)
}

fn read<'t>(lower: &mut LoweringContext<'t>, text: &str, node: SyntaxNode<'t>) -> TypeId {
    DocumentedTypes { is_name, named }.read(lower, text, node)
}

fn named<'t>(
    lower: &mut LoweringContext<'t>,
    name: &str,
    args: Vec<TypeId>,
    node: SyntaxNode<'t>,
) -> TypeId {
    match name {
        "" | "nil" | "any" | "unknown" | "boolean" | "number" | "integer" | "string"
        | "function" | "fun" | "thread" | "userdata" | "lightuserdata" | "true" | "false"
        | "self" => TypeId::UNKNOWN,
        "table" => match args.last() {
            Some(item) => lower.push_type(TypeExpr::Array(*item)),
            None => TypeId::UNKNOWN,
        },
        _ => {
            let (scope, pos) = (lower.at.scope, index(node.start_byte()));
            let path = vec![lower.sym(name)];
            lower.push_type(TypeExpr::Named { path, args, scope, pos })
        }
    }
}
