//! Lua: modules that are tables, methods that are assigned to tables, metatables as classes, and the types that annotations
//! in comments declare.

mod annotations;
mod expressions;
mod functions;
mod lowering_dialect;
mod metatables;
mod project;
mod resolution_rules;
mod statements;
mod table_members;
mod variables;

use crate::languages::LanguageDefinition;

pub(crate) struct Lua;

/// Lua.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("lua", tree_sitter_lua::LANGUAGE)
        .extensions(&["lua"])
        .manifests(&["*.rockspec"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Lua)
        .rules(&Lua)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}
