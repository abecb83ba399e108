//! Java: packages, constructors, anonymous classes, method references, patterns in `instanceof`.

pub(crate) mod declarations;
pub(crate) mod expressions;
mod lowering_dialect;
pub(crate) mod resolution_rules;
pub(crate) mod statements;

use crate::languages::LanguageDefinition;

pub(crate) struct Java;

/// Java.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("java", tree_sitter_java::LANGUAGE)
        .extensions(&["java"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Java)
        .rules(&resolution_rules::RULES)
}
