//! Scala: expressions and types. Declarations are in `declarations`.

mod binding_patterns;
pub(crate) mod declarations;
mod expressions;
mod lowering_dialect;
pub(crate) mod resolution_rules;
pub(crate) use self::binding_patterns::pattern;

use crate::languages::LanguageDefinition;

pub(crate) struct Scala;

/// Scala.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("scala", tree_sitter_scala::LANGUAGE)
        .extensions(&["scala", "sc"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Scala)
        .rules(&resolution_rules::RULES)
}
