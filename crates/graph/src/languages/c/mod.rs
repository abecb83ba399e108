//! C and C++: includes, calls, lambdas, qualified names. Declarations are [`crate::languages::c::declarations`]'s.

mod constructor_resolution;
pub(crate) mod declarations;
mod declarator_macros;
pub(crate) mod declarators;
pub(crate) mod expressions;
mod header_language;
mod lowering_dialect;
mod macro_functions;
pub(crate) mod name_lookup;
pub(crate) mod namespaces_and_templates;
pub(crate) mod preprocessor_blanking;
pub(crate) mod project;
pub(crate) mod resolution_rules;
mod specifier_macros;
mod standard_library;
pub(crate) mod statements;
pub(crate) mod types;
pub(crate) mod using_declarations;

pub(super) use self::header_language::{looks_like_cpp, may_be_code};
use crate::languages::LanguageDefinition;

pub(crate) struct C;

/// C.
pub(super) fn c() -> LanguageDefinition {
    LanguageDefinition::new("c", tree_sitter_c::LANGUAGE)
        .extensions(&["c", "h", "def", "inc"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .dialect(&C)
        .rules(&C)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}

/// C++.
pub(super) fn cpp() -> LanguageDefinition {
    LanguageDefinition::new("cpp", tree_sitter_cpp::LANGUAGE)
        .extensions(&["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "inl", "ipp", "tpp", "tcc"])
        .grammar_table(include_str!("grammar.table"))
        .grammar_table(include_str!("grammar_cpp.table"))
        .outline_table(include_str!("outline.table"))
        .dialect(&C)
        .rules(&C)
}
