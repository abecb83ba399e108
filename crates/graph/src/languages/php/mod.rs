//! PHP: calls, members, promoted and typed properties, `self`, `static` and `parent`. Declarations are
//! [`crate::languages::php::declarations`]'s, what conditions prove [`crate::languages::php::type_narrowing`]'s, types
//! in documentation comments [`crate::languages::php::phpdoc`]'s.

pub(crate) mod class_names;
pub(crate) mod declarations;
pub(crate) mod expressions;
mod lowering_dialect;
mod name_lookup;
pub(crate) mod phpdoc;
pub(crate) mod resolution_rules;
pub(crate) mod statements;
pub(crate) mod type_narrowing;

use crate::languages::LanguageDefinition;

pub(crate) struct Php;

/// PHP.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("php", tree_sitter_php::LANGUAGE_PHP)
        .extensions(&["php", "phtml"])
        .manifests(&["composer.json"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Php)
        .rules(&Php)
        .layout(name_lookup::lay_out)
}
