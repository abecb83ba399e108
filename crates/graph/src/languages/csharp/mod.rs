//! C#: calls, members, extension methods, patterns, queries. Declarations are
//! [`crate::languages::csharp::declarations`]'s; what is declared in parts is joined by the resolver.

mod conditionals;
pub(crate) mod declarations;
pub(crate) mod expressions;
mod extension_methods;
mod grammar_workarounds;
mod lowering_dialect;
mod name_lookup;
mod overloads;
pub(crate) mod project;
pub(crate) mod resolution_rules;
pub(crate) mod statements;
mod xml_doc_comments;
pub(crate) use self::expressions::{declared, dotted, initial, last, part, this_word};

use crate::languages::LanguageDefinition;

pub(crate) struct CSharp;

/// C#.
pub(super) fn definition() -> LanguageDefinition {
    LanguageDefinition::new("csharp", tree_sitter_c_sharp::LANGUAGE)
        .extensions(&["cs"])
        .manifests(&["Directory.Build.props", "Directory.Build.targets", "*.csproj"])
        .grammar_table(include_str!("grammar.table"))
        .outline_table(include_str!("outline.table"))
        .library_table(include_str!("library.table"))
        .dialect(&CSharp)
        .rules(&CSharp)
        .layout(|program, project| Some(Box::new(project::lay_out(program, project))))
}
