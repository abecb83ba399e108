//! C and C++: includes, calls, lambdas, qualified names. Declarations are [`crate::languages::c::declarations`]'s.

pub(crate) mod brace_initializers;
pub(crate) mod constructor_calls;
pub(crate) mod declarations;
pub(crate) mod declarators;
pub(crate) mod expressions;
pub(crate) mod includes;
mod lowering_dialect;
pub(crate) mod preprocessor_blanking;
pub(crate) mod project;
pub(crate) mod resolution;
pub(crate) mod resolution_rules;
mod specifier_macros;
mod standard_library;
pub(crate) mod statements;
pub(crate) mod types;
pub(crate) mod using_declarations;

use crate::languages::LanguageDefinition;

pub(crate) struct C;

/// C.
pub(super) fn c() -> LanguageDefinition {
    LanguageDefinition::new("c", tree_sitter_c::LANGUAGE)
        .extensions(&["c", "h"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .dialect(&C)
        .rules(&C)
}

/// C++.
pub(super) fn cpp() -> LanguageDefinition {
    LanguageDefinition::new("cpp", tree_sitter_cpp::LANGUAGE)
        .extensions(&["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "inl", "ipp", "tpp"])
        .grammar_table(include_str!("grammar.table"))
        .grammar_table(include_str!("grammar_cpp.table"))
        .outline_table(include_str!("outline.table"))
        .dialect(&C)
        .rules(&C)
}

/// What lines begin with that aren't C's.
const CPP_ONLY: &[&str] = &[
    "class ",
    "namespace ",
    "template ",
    "template<",
    "public:",
    "private:",
    "using ",
    "virtual ",
    "explicit ",
    "constexpr ",
    "friend ",
];

/// Whether a header holds C++.
pub(crate) fn looks_like_cpp(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        (CPP_ONLY.iter().any(|word| line.starts_with(word)) || line.contains("std::"))
            && !line.ends_with("*/")
            && !line.starts_with("//")
    })
}

/// Whether a nested type of a container is its element type or an iterator.
pub(crate) fn is_iterated(name: &str) -> bool {
    matches!(
        name,
        "iterator"
            | "const_iterator"
            | "reverse_iterator"
            | "const_reverse_iterator"
            | "value_type"
            | "reference"
            | "const_reference"
    )
}
