//! Languages that are added while the program runs. A registration cannot be undone: files and graphs refer to it.

use std::sync::{
    LazyLock, PoisonError, RwLock,
    atomic::{AtomicBool, Ordering},
};

use super::language_definition::fits_manifest;
use crate::{
    graph_model::RegisteredLanguage,
    languages::{Language, LanguageDefinition},
    resolve::library_api_table::LibraryApiTable,
};

type Registered = (RegisteredLanguage, &'static LanguageDefinition);

/// The outlined languages that are built in come first.
static DEFINITIONS: LazyLock<RwLock<Vec<Registered>>> = LazyLock::new(|| {
    let built_in = super::outlined_languages::definitions().into_iter();
    // The version of the store has their queries and grammars already.
    RwLock::new(built_in.filter_map(|definition| keep(definition, 0)).collect())
});
/// Whether there are others beside those that are built in, so that without any no file waits for the lock.
static HAS_DEFINITIONS: AtomicBool = AtomicBool::new(false);

/// Why a language can't be registered.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LanguageRegistrationError {
    /// Another language has the name or the extension.
    #[error("`{0}` belongs to another language")]
    Taken(&'static str),
    /// No file can have the extension, or the name is empty.
    #[error("`{0}` is no name and no extension; an extension has no dot and no slash")]
    Malformed(&'static str),
    /// Lines of the tables that can't be read or don't fit the grammar.
    #[error("lines of the tables can't be read: {}", .0.join("; "))]
    Table(Vec<String>),
    /// As many languages are registered as there can be.
    #[error("no further language can be registered")]
    Full,
}

impl Language {
    /// Adds a language. Files with its extensions belong to it from now on, whatever their case; the store of an index tells
    /// programs apart that know other languages.
    ///
    /// # Errors
    ///
    /// [`LanguageRegistrationError`] when its name or an extension is taken or malformed, or its table does not fit its
    /// grammar.
    pub fn register(definition: LanguageDefinition) -> Result<Self, LanguageRegistrationError> {
        let is_malformed =
            |extension: &&&str| extension.is_empty() || extension.contains(['.', '/']);
        let name = Some(&definition.name).filter(|name| name.is_empty());
        if let Some(word) = name.or_else(|| definition.extensions.iter().find(is_malformed)) {
            return Err(LanguageRegistrationError::Malformed(word));
        }
        let mut faults = definition.table().faults.clone();
        let unread = LibraryApiTable::default().add(definition.library);
        faults.extend(unread.into_iter().map(str::to_owned));
        if !faults.is_empty() {
            return Err(LanguageRegistrationError::Table(faults));
        }
        if definition.is_outlined() && definition.tags().is_none() {
            return Err(LanguageRegistrationError::Table(vec!["the tags query".to_owned()]));
        }
        let mut known = DEFINITIONS.write().unwrap_or_else(PoisonError::into_inner);
        let all = Self::ALL.iter().map(|language| super::definition(*language));
        for other in all.chain(known.iter().map(|(_, definition)| *definition)) {
            if other.name == definition.name {
                return Err(LanguageRegistrationError::Taken(definition.name));
            }
            let is_taken = |extension: &&&str| has_extension(other, extension);
            if let Some(extension) = definition.extensions.iter().find(is_taken) {
                return Err(LanguageRegistrationError::Taken(extension));
            }
        }
        let identity = definition.identity();
        let registered = keep(definition, identity).ok_or(LanguageRegistrationError::Full)?;
        known.push(registered);
        HAS_DEFINITIONS.store(true, Ordering::Release);
        Ok(Self::Registered(registered.0))
    }
}

/// Stores a definition for the life of the process; `None` when the table is full.
fn keep(definition: LanguageDefinition, identity: u64) -> Option<Registered> {
    let language = RegisteredLanguage::new(definition.name, identity)?;
    Some((language, Box::leak(Box::new(definition))))
}

/// The languages that are outlined only, and their definitions.
pub(super) fn outlined() -> Vec<(Language, &'static LanguageDefinition)> {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    let outlined = known.iter().filter(|(_, definition)| definition.is_outlined());
    outlined.map(|(language, definition)| (Language::Registered(*language), *definition)).collect()
}

fn has_extension(definition: &LanguageDefinition, extension: &str) -> bool {
    definition.extensions.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

/// Whether a file of this name says how a project in a registered language is laid out.
pub(super) fn has_manifest(name: &str) -> bool {
    find(|definition| definition.manifests.iter().any(|pattern| fits_manifest(pattern, name)))
        .is_some()
}

/// The definitions of all registered languages.
pub(super) fn definitions() -> Vec<&'static LanguageDefinition> {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    known.iter().map(|(_, definition)| *definition).collect()
}

pub(super) fn of_extension(extension: &str) -> Option<Language> {
    find(|definition| has_extension(definition, extension)).map(Language::Registered)
}

/// Returns the first registered language that `fits`.
fn find(fits: impl Fn(&LanguageDefinition) -> bool) -> Option<RegisteredLanguage> {
    if !HAS_DEFINITIONS.load(Ordering::Acquire) {
        return None;
    }
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    known.iter().find(|(_, definition)| fits(definition)).map(|(language, _)| *language)
}

pub(super) fn definition(language: RegisteredLanguage) -> &'static LanguageDefinition {
    let known = DEFINITIONS.read().unwrap_or_else(PoisonError::into_inner);
    let found = known.iter().find(|(registered, _)| *registered == language);
    // A stored graph may name a language that another build of the program outlines; no file of a tree is read as one.
    found.map_or_else(|| super::definition(Language::C), |(_, definition)| definition)
}
