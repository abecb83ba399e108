//! The languages: one folder for each, with its grammar's table, its lowering and its rules, all named by its
//! [`LanguageDefinition`]. `docs/adding-a-language.md` says how to add one.

pub(crate) mod c;
mod call_sites;
pub(crate) mod csharp;
pub(crate) mod embedded_code;
mod file_facts_extraction;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod javascript;
mod jvm_resolution_rules;
pub(crate) mod kotlin;
mod language_definition;
mod language_registration;
pub(crate) mod lua;
mod manifests;
mod outlined_languages;
pub(crate) mod php;
pub(crate) mod python;
pub(crate) mod ruby;
pub(crate) mod rust;
pub(crate) mod scala;
pub(crate) mod swift;

use std::{collections::HashMap, sync::LazyLock};

use crate::{
    facts::language_capabilities::LanguageCapabilities,
    resolve::{library_api_table::LibraryApiTable, resolution_rules::LanguageRules},
};

pub(crate) use self::{
    call_sites::{CallExclusionReason, CallSite, call_sites},
    manifests::may_be_manifest,
};
pub use self::{
    file_facts_extraction::{extract, extract_within, parse_alone},
    language_definition::LanguageDefinition,
    language_registration::LanguageRegistrationError,
    manifests::is_manifest,
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
    library,
};

/// Returns the library tables of all languages, which are parsed when the first graph is made.
fn library() -> &'static LibraryApiTable {
    static TABLE: LazyLock<LibraryApiTable> = LazyLock::new(|| {
        let mut table = LibraryApiTable::default();
        let built_in = Language::ALL.iter().map(|language| definition(*language));
        for definition in built_in.chain(language_registration::definitions()) {
            table.add(definition.library);
        }
        table
    });
    &TABLE
}

impl Language {
    /// Every language that is built in, in a fixed order.
    pub const ALL: &'static [Self] = &[
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Vue,
        Self::Svelte,
        Self::Python,
        Self::Notebook,
        Self::Rust,
        Self::Go,
        Self::C,
        Self::Cpp,
        Self::Java,
        Self::Kotlin,
        Self::Swift,
        Self::Scala,
        Self::CSharp,
        Self::Php,
        Self::Ruby,
        Self::Lua,
    ];

    /// Returns the extension that most files of the language have.
    pub fn extension(self) -> &'static str {
        definition(self).extensions.first().copied().unwrap_or_default()
    }

    /// The language of a file with this path, by its extension. A manifest may be written in one, too: see
    /// [`Language::of_source`].
    pub fn of_path(path: &str) -> Option<Self> {
        static BY_EXTENSION: LazyLock<HashMap<&str, Language>> = LazyLock::new(|| {
            let all = Language::ALL.iter().map(|language| (*language, definition(*language)));
            let all = language_registration::outlined().into_iter().rev().chain(all.rev());
            let of = |(language, definition): (Language, &'static LanguageDefinition)| {
                definition.extensions.iter().map(move |extension| (*extension, language))
            };
            all.flat_map(of).collect()
        });
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        let built_in = |extension: &str| BY_EXTENSION.get(extension).copied();
        built_in(extension)
            .or_else(|| built_in(&extension.to_ascii_lowercase()))
            .or_else(|| language_registration::of_extension(extension))
    }

    /// The language of a source file with this path and text. A manifest is none, also where it is written in the language:
    /// `Package.swift`; nor is XML under the same extension: `translations/de.ts`.
    pub fn of_source(path: &str, text: &str) -> Option<Self> {
        Self::of_path(path).filter(|it| !is_manifest(path, text) && !it.is_markup(text))
    }

    /// Whether a text is XML, which no language but PHP may begin with.
    fn is_markup(self, text: &str) -> bool {
        let text = text.trim_start_matches('\u{feff}').trim_start();
        self != Self::Php && (text.starts_with("<?xml") || text.starts_with("<!DOCTYPE"))
    }

    /// The language of a file of this language with this text: a C header may hold C++, and JavaScript may have the types of Flow,
    /// which TypeScript's grammar reads.
    pub(crate) fn of_text(self, text: &str) -> Self {
        match self {
            Self::C if c::looks_like_cpp(text) => Self::Cpp,
            Self::JavaScript if javascript::has_flow_types(text) => Self::Tsx,
            _ => self,
        }
    }

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        definition(self).name
    }

    /// The languages that are outlined only: what they declare is known, and nothing is resolved.
    pub fn outlined() -> Vec<Self> {
        language_registration::outlined().into_iter().map(|(language, _)| language).collect()
    }

    /// Whether it is outlined only.
    pub fn is_outlined(self) -> bool {
        definition(self).is_outlined()
    }

    /// Returns the name of the language of a file that this build has no grammar for, though another may.
    pub fn left_out(path: &str) -> Option<&'static str> {
        let (_, extension) = path.rsplit_once('.')?;
        let name = outlined_languages::language_of_extension(extension)?;
        let is_built_in = Self::outlined().into_iter().any(|known| known.name() == name);
        (!is_built_in).then_some(name)
    }

    /// Whether its files hold code of another language.
    pub(crate) fn is_host(self) -> bool {
        definition(self).host.is_some()
    }

    /// Returns what generic code may ask of it.
    pub(crate) fn capabilities(self) -> &'static LanguageCapabilities {
        definition(self).rules.capabilities()
    }

    /// Whether the tags query of an outlined language fits the grammar; it does in a sound build.
    pub fn has_sound_tags(self) -> bool {
        definition(self).tags().is_some()
    }

    /// Lines of the table that don't fit the grammar; none in a sound build.
    pub fn table_faults(self) -> &'static [String] {
        &definition(self).table().faults
    }
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
        Language::Registered(language) => language_registration::definition(language),
    }
}
