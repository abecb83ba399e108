//! Languages that are added while the program runs. A registration is for good: files and graphs refer to it.

use std::{
    hash::{Hash, Hasher},
    sync::{PoisonError, RwLock},
};

use rustc_hash::FxHasher;

use crate::{
    graph::RegisteredLanguage,
    languages::{Language, LanguageDefinition},
};

static DEFINITIONS: RwLock<Vec<(RegisteredLanguage, &'static LanguageDefinition)>> =
    RwLock::new(Vec::new());

/// Why a language can't be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistrationError {
    /// Another language has the name or the extension.
    #[error("`{0}` belongs to another language")]
    Taken(&'static str),
    /// Lines of the table that don't fit the grammar.
    #[error("the table does not fit the grammar: {}", .0.join("; "))]
    Table(Vec<String>),
    /// As many languages are registered as there can be.
    #[error("no further language can be registered")]
    Full,
}

impl Language {
    /// Adds a language. Files with its extensions belong to it from now on; the store of an index tells programs apart that
    /// know other languages.
    ///
    /// # Errors
    ///
    /// [`RegistrationError`] when its name or an extension is taken, or its table does not fit its grammar.
    pub fn register(definition: LanguageDefinition) -> Result<Self, RegistrationError> {
        let faults = &definition.table().faults;
        if !faults.is_empty() {
            return Err(RegistrationError::Table(faults.clone()));
        }
        let mut known = DEFINITIONS.write().unwrap_or_else(PoisonError::into_inner);
        let all = Self::ALL.iter().map(|language| super::definition(*language));
        for other in all.chain(known.iter().map(|(_, definition)| *definition)) {
            let is_taken = |extension: &&&str| other.extensions.contains(extension);
            if other.name == definition.name {
                return Err(RegistrationError::Taken(definition.name));
            }
            if let Some(extension) = definition.extensions.iter().find(is_taken) {
                return Err(RegistrationError::Taken(extension));
            }
        }
        let mut hasher = FxHasher::default();
        definition.identity().hash(&mut hasher);
        let language = RegisteredLanguage::new(definition.name, hasher.finish());
        let language = language.ok_or(RegistrationError::Full)?;
        known.push((language, Box::leak(Box::new(definition))));
        Ok(Self::Registered(language))
    }
}

/// The definitions of all registered languages.
pub(super) fn definitions() -> Vec<&'static LanguageDefinition> {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    known.iter().map(|(_, definition)| *definition).collect()
}

pub(super) fn of_extension(extension: &str) -> Option<Language> {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    let mut found = known.iter().filter(|(_, it)| it.extensions.contains(&extension));
    found.next().map(|(language, _)| Language::Registered(*language))
}

pub(super) fn definition(language: RegisteredLanguage) -> &'static LanguageDefinition {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|(registered, _)| *registered == language);
    // A value exists only once its definition does.
    found.map_or_else(|| super::definition(Language::C), |(_, definition)| definition)
}
