//! The languages: one folder for each, with its grammar's table, its lowering and its rules, all named by its
//! [`LanguageDefinition`]. `docs/adding-a-language.md` says how to add one.

mod audited_call_sites;
pub(crate) mod c;
pub(crate) mod csharp;
pub(crate) mod embedded_code;
mod file_facts_extraction;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod javascript;
mod jvm_resolution_rules;
pub(crate) mod kotlin;
mod language;
mod language_definition;
mod languages_added_at_runtime;
mod line_numbers;
pub(crate) mod lua;
mod manifest_file_names;
mod outlined_languages;
pub(crate) mod php;
pub(crate) mod python;
pub(crate) mod ruby;
pub(crate) mod rust;
mod same_length_rewriting;
pub(crate) mod scala;
pub(crate) mod swift;

use std::sync::LazyLock;

use crate::resolve::{
    language_resolution_rules::LanguageRules, library_api_table::LibraryApiTable,
};

pub(crate) use self::{
    audited_call_sites::{CallExclusionReason, CallSite, call_sites},
    manifest_file_names::may_be_manifest,
};
pub use self::{
    file_facts_extraction::{extract, extract_within, parse_alone},
    language_definition::LanguageDefinition,
    languages_added_at_runtime::LanguageRegistrationError,
    manifest_file_names::is_manifest,
};
pub use crate::graph_model::Language;

/// What languages decide themselves in resolution.
pub(crate) const RULES: LanguageRules = LanguageRules {
    families: &[
        Language::JavaScript,
        Language::Python,
        Language::C,
        Language::Java,
        Language::CSharp,
        Language::Php,
        Language::Ruby,
        Language::Go,
        Language::Rust,
        Language::Swift,
        Language::Lua,
    ],
    outlined: Language::outlined,
    of: |language| definition(language).rules,
    layout: |language| definition(language).layout,
    library,
};

/// Returns the library tables of all languages, which are parsed when the first graph is made.
fn library() -> &'static LibraryApiTable {
    static TABLE: LazyLock<LibraryApiTable> = LazyLock::new(|| {
        let mut table = LibraryApiTable::default();
        let built_in = Language::ALL.iter().map(|language| definition(*language));
        for definition in built_in.chain(languages_added_at_runtime::definitions()) {
            table.add(definition.library);
        }
        table
    });
    &TABLE
}

/// The definition of a language, made when it is first asked for.
pub(crate) fn definition(language: Language) -> &'static LanguageDefinition {
    macro_rules! made_once {
        ($definition:expr) => {{
            static DEFINITION: LazyLock<LanguageDefinition> = LazyLock::new($definition);
            &DEFINITION
        }};
    }
    match language {
        Language::JavaScript => made_once!(javascript::javascript),
        Language::TypeScript => made_once!(javascript::typescript),
        Language::Tsx => made_once!(javascript::tsx),
        Language::Vue => made_once!(javascript::vue),
        Language::Svelte => made_once!(javascript::svelte),
        Language::Python => made_once!(python::definition),
        Language::Notebook => made_once!(python::notebook),
        Language::Rust => made_once!(rust::definition),
        Language::Go => made_once!(go::definition),
        Language::C => made_once!(c::c),
        Language::Cpp => made_once!(c::cpp),
        Language::Java => made_once!(java::definition),
        Language::Kotlin => made_once!(kotlin::definition),
        Language::Swift => made_once!(swift::definition),
        Language::Scala => made_once!(scala::definition),
        Language::CSharp => made_once!(csharp::definition),
        Language::Php => made_once!(php::definition),
        Language::Ruby => made_once!(ruby::definition),
        Language::Lua => made_once!(lua::definition),
        Language::Registered(language) => languages_added_at_runtime::definition(language),
    }
}
