//! Ruby: classes and modules, methods on both sides of a class, mixins, and the calls that define methods: accessors,
//! delegation, aliases, `define_method`, `class_methods`; RSpec's groups of examples.

pub(crate) mod declarations;
mod define_method;
mod delegation;
pub(crate) mod enclosing_class;
pub(crate) mod expressions;
mod framework_calls;
mod grammar_workarounds;
pub(crate) mod local_variables;
mod lowering_dialect;
pub(crate) mod macros;
mod member_lookup;
mod name_lookup;
pub(crate) mod project;
pub(crate) mod resolution_rules;
pub(crate) mod rspec;
pub(crate) mod statements;
pub(crate) mod type_narrowing;

use crate::languages::LanguageDefinition;

pub(crate) struct Ruby;

/// Ruby.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("ruby", tree_sitter_ruby::LANGUAGE)
        .extensions(&["rb", "rake", "gemspec", "ru"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&Ruby)
        .rules(&Ruby)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}
