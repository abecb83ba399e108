//! JavaScript and TypeScript: modules, object literals, destructuring, JSX, and the components of Vue and Svelte, whose scripts
//! are written in them.

pub(crate) mod binding_patterns;
mod component_markup;
mod constructor_functions;
mod entry_points;
pub(crate) mod expressions;
mod grammar_workarounds;
pub(crate) mod imports_and_exports;
mod jsdoc;
mod lowering_dialect;
pub(crate) mod project;
pub(crate) mod resolution_rules;
mod single_file_components;
pub(crate) mod statements;
mod types;

use crate::languages::{Language, LanguageDefinition};
use single_file_components::{Svelte, Vue};

pub(crate) struct JavaScript;

/// Lines at the top of a file in which Flow looks for its mark.
const FLOW_LINES: usize = 40;

/// Whether JavaScript has types that Flow checks: the comment at its top says so.
pub(super) fn has_flow_types(text: &str) -> bool {
    let is_comment = |line: &&str| line.is_empty() || line.starts_with(['/', '*', '\'', '"', '#']);
    let mut top = text.lines().take(FLOW_LINES).map(str::trim).take_while(is_comment);
    top.any(|line| line.split_whitespace().any(|word| word == "@flow"))
}

/// JavaScript, with or without JSX.
pub(super) fn javascript() -> LanguageDefinition {
    LanguageDefinition::new("javascript", tree_sitter_javascript::LANGUAGE)
        .extensions(&["js", "jsx", "mjs", "cjs"])
        .manifests(&["package.json", "jsconfig.json", "tsconfig*.json"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .comment_types(jsdoc::comment_types, Language::TypeScript)
        .dialect(&JavaScript)
        .rules(&JavaScript)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}

/// TypeScript.
pub(super) fn typescript() -> LanguageDefinition {
    LanguageDefinition::new("typescript", tree_sitter_typescript::LANGUAGE_TYPESCRIPT)
        .extensions(&["ts", "mts", "cts"])
        .grammar_table(include_str!("grammar.table"))
        .grammar_table(include_str!("grammar_typescript.table"))
        .outline_table(include_str!("outline.table"))
        .dialect(&JavaScript)
        .rules(&JavaScript)
}

/// TypeScript with JSX.
pub(super) fn tsx() -> LanguageDefinition {
    LanguageDefinition::new("tsx", tree_sitter_typescript::LANGUAGE_TSX)
        .extensions(&["tsx"])
        .grammar_table(include_str!("grammar.table"))
        .grammar_table(include_str!("grammar_typescript.table"))
        .outline_table(include_str!("outline.table"))
        .dialect(&JavaScript)
        .rules(&JavaScript)
}

/// Components of Vue.
pub(super) fn vue() -> LanguageDefinition {
    LanguageDefinition::new("vue", tree_sitter_typescript::LANGUAGE_TYPESCRIPT)
        .extensions(&["vue"])
        .host(&Vue)
        .rules(&JavaScript)
}

/// Components of Svelte.
pub(super) fn svelte() -> LanguageDefinition {
    LanguageDefinition::new("svelte", tree_sitter_typescript::LANGUAGE_TYPESCRIPT)
        .extensions(&["svelte"])
        .host(&Svelte)
        .rules(&JavaScript)
}
