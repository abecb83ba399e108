//! Go: packages, receivers, embedding, several results at once, type switches.

pub(crate) mod declarations;
pub(crate) mod expressions;
pub(crate) mod interface_satisfaction;
mod lowering_dialect;
mod method_signatures;
pub(crate) mod project;
pub(crate) mod resolution_rules;
mod standard_interfaces;
pub(crate) mod statements;

use crate::languages::LanguageDefinition;

pub(crate) struct Go;

/// Go.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("go", tree_sitter_go::LANGUAGE)
        .extensions(&["go"])
        .manifests(&["go.mod"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Go)
        .rules(&Go)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}
