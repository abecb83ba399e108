//! Qualified names of definitions.

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, FileFacts, ModuleExport, Sym, TypeExpr},
    resolve::{
        library_api_table::LibraryTypeShape,
        program_facts::{DefRef, ProgramFacts},
    },
};

/// Values inside of one another that lead to a member.
const MAX_HOLDERS: usize = 8;

/// Returns the qualified name of a definition: its module, the types around it, and its own name.
pub(super) fn qualified_name(program: &ProgramFacts<'_>, at: DefRef) -> String {
    let capabilities = program.capabilities(at.file);
    let separator = capabilities.separator;
    if capabilities.reopens_types
        && let Some(holder) = program.parent(at).and_then(|parent| program.named(parent))
    {
        // By its first part's name, wherever it was opened again.
        return format!(
            "{}{separator}{}",
            qualified_name(program, program.canonical(holder)),
            program.text(program.def_name(at))
        );
    }
    let mut name = program.module(program.module_of[at.file.index()]).name.clone();
    let mut around: Vec<&str> = Vec::new();
    for def in program.chain(at) {
        let types = attached_to(program, def);
        let known = if capabilities.names_outer_types { repeated(&around, &types) } else { 0 };
        around.extend(&types[known..]);
        around.push(program.text(program.def_name(def)));
    }
    for part in around {
        if !name.is_empty() {
            name.push_str(separator);
        }
        name.push_str(part);
    }
    name
}

/// How many of the outer names before the last of `path` are those at the end of `around`.
fn repeated(around: &[&str], path: &[&str]) -> usize {
    let most = path.len().saturating_sub(1);
    (1..=most).rev().find(|count| around.ends_with(&path[..*count])).unwrap_or(0)
}

/// The name of the function or object that a member is assigned to, as it is written there.
fn constructor_name<'p>(
    program: &'p ProgramFacts<'_>,
    at: DefRef,
    prototype: &str,
) -> Option<&'p str> {
    let facts = program.facts(at.file);
    let def = program.def(at);
    let around = program.parent(at).map(|around| program.def(around));
    let written = match around {
        Some(object) if object.kind == DefKind::Object => object.receiver,
        _ if def.flags.has(DefFlags::ASSIGNED) => def.receiver,
        _ => return None,
    };
    let TypeExpr::TypeOf(value) = *facts.ty(written) else { return None };
    let host = match facts.expr(value) {
        Expr::Member { object, name } if facts.text(*name) == prototype => facts.expr(*object),
        host => host,
    };
    match host {
        Expr::Name { name, .. } | Expr::Member { name, .. } => Some(facts.text(*name)),
        Expr::Def(host) => Some(facts.text(facts.def(*host).name)).filter(|name| !name.is_empty()),
        _ => None,
    }
}

/// The names that lead to the value that a member is put into, without that of the value that the file gives back.
fn holders(facts: &FileFacts, mut value: ExprId) -> Vec<&str> {
    let mut names = Vec::new();
    while names.len() < MAX_HOLDERS
        && let Expr::Member { object, name } = *facts.expr(value)
    {
        names.push(facts.text(name));
        value = object;
    }
    let Expr::Name { name, .. } = *facts.expr(value) else { return Vec::new() };
    let is_it =
        |value: &ExprId| matches!(*facts.expr(*value), Expr::Name { name: it, .. } if it == name);
    let is_returned = |export: &ModuleExport| match export {
        ModuleExport::Value { value, .. } => match facts.expr(*value) {
            // `return merged(common, M)`.
            Expr::Call { args, .. } => args.iter().any(is_it),
            _ => is_it(value),
        },
        _ => false,
    };
    if !facts.exports.iter().any(is_returned) {
        names.push(facts.text(name));
    }
    names.reverse();
    names
}

/// The name of the type that a member is attached to from outside, as it is written there.
fn attached_to<'p>(program: &'p ProgramFacts<'_>, at: DefRef) -> Vec<&'p str> {
    let def = program.def(at);
    let capabilities = program.capabilities(at.file);
    let written = match program.parent(at) {
        Some(block) if program.def(block).kind == DefKind::Impl => program.def(block).receiver,
        _ if def.kind == DefKind::Function
            || capabilities.reopens_types
            || capabilities.names_outer_types =>
        {
            def.receiver
        }
        _ => return Vec::new(),
    };
    let facts = program.facts(at.file);
    if let Some(prototype) = capabilities.prototype {
        return constructor_name(program, at, prototype).into_iter().collect();
    }
    if capabilities.returned_value_is_module && program.parent(at).is_none() {
        return match *facts.ty(written) {
            TypeExpr::TypeOf(value) if def.flags.has(DefFlags::ASSIGNED) => holders(facts, value),
            _ => Vec::new(),
        };
    }
    if !capabilities.receivers_own {
        return Vec::new();
    }
    let last = |path: &[Sym]| path.last().map(|name| facts.text(*name)).into_iter().collect();
    match facts.ty(written) {
        TypeExpr::Named { path, .. }
            if capabilities.reopens_types || capabilities.names_outer_types =>
        {
            path.iter().map(|name| facts.text(*name)).filter(|part| !part.is_empty()).collect()
        }
        // What implements a trait for `Box<T>` is a member of `T`; a type of the repository may have the name.
        TypeExpr::Named { path, args, .. }
            if capabilities.implements_for_outside_types
                && !args.is_empty()
                && path.last().is_some_and(|name| {
                    program.library.is(facts.text(*name), LibraryTypeShape::Transparent)
                }) =>
        {
            match args.first().map(|inner| facts.ty(*inner)) {
                Some(TypeExpr::Named { path, .. }) => last(path),
                _ => Vec::new(),
            }
        }
        TypeExpr::Named { path, .. } => last(path),
        _ => Vec::new(),
    }
}
