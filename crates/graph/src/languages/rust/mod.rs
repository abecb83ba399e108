//! Rust: `impl` blocks, patterns, paths and bounds. Macro calls and `use` trees are read by the siblings.

pub(crate) mod binding_patterns;
mod blanket_traits;
pub(crate) mod declarations;
mod dependency_names;
pub(crate) mod expressions;
pub(crate) mod imports;
mod lowering_dialect;
mod macro_expansion;
mod macro_implementations;
pub(crate) mod macros;
mod name_lookup;
pub(crate) mod project;
pub(crate) mod resolution_rules;
pub(crate) mod statements;
mod trait_results;

use crate::languages::LanguageDefinition;

pub(crate) struct Rust;

/// Rust.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("rust", tree_sitter_rust::LANGUAGE)
        .extensions(&["rs"])
        .manifests(&["Cargo.toml"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Rust)
        .rules(&Rust)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}
