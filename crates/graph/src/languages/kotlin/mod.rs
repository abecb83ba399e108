//! Kotlin: primary constructors, properties, extension functions, lambdas behind calls, smart casts.

pub(crate) mod declarations;
pub(crate) mod expressions;
mod grammar_workarounds;
mod lowering_dialect;
pub(crate) mod resolution_rules;
pub(crate) mod statements;

use crate::languages::LanguageDefinition;

pub(crate) struct Kotlin;

/// Kotlin.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("kotlin", tree_sitter_kotlin_ng::LANGUAGE)
        .extensions(&["kt", "kts"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Kotlin)
        .rules(&resolution_rules::RULES)
}
