//! A language: the language of a file by its path and text, its name, and what generic code may ask of it.

use std::{collections::HashMap, sync::LazyLock};

use super::{
    LanguageDefinition, c, definition, javascript, languages_added_at_runtime,
    manifest_file_names::is_manifest, outlined_languages,
};
use crate::{facts::language_capabilities::LanguageCapabilities, graph_model::Language};

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
            let all = languages_added_at_runtime::outlined().into_iter().rev().chain(all.rev());
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
            .or_else(|| languages_added_at_runtime::of_extension(extension))
    }

    /// The language of a source file with this path and text. A manifest is none, also where it is written in the language:
    /// `Package.swift`; nor is XML under the same extension: `translations/de.ts`.
    pub fn of_source(path: &str, text: &str) -> Option<Self> {
        Self::of_path(path).filter(|it| {
            !is_manifest(path, text)
                && !it.is_markup(text)
                && (*it != Self::C || c::may_be_code(path, text))
        })
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
        languages_added_at_runtime::outlined().into_iter().map(|(language, _)| language).collect()
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
    #[doc(hidden)]
    pub fn has_sound_tags(self) -> bool {
        definition(self).tags().is_some()
    }

    /// Lines of the table that don't fit the grammar; none in a sound build.
    #[doc(hidden)]
    pub fn table_faults(self) -> &'static [String] {
        &definition(self).table().faults
    }
}
