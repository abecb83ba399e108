//! The languages that a graph can hold. How each is read is [`crate::indexing`]'s.

use std::sync::{LazyLock, PoisonError, RwLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer, de::Error};

/// A language that facts can be taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Language {
    /// JavaScript, with or without JSX.
    JavaScript,
    /// TypeScript.
    TypeScript,
    /// TypeScript with JSX.
    Tsx,
    /// Components of Vue: their scripts, and what their templates name.
    Vue,
    /// Components of Svelte.
    Svelte,
    /// Python.
    Python,
    /// Jupyter notebooks: their code cells in Python.
    Notebook,
    /// Rust.
    Rust,
    /// Go.
    Go,
    /// C.
    C,
    /// C++.
    Cpp,
    /// Java.
    Java,
    /// Kotlin.
    Kotlin,
    /// Swift.
    Swift,
    /// Scala.
    Scala,
    /// C#.
    CSharp,
    /// PHP.
    Php,
    /// Ruby.
    Ruby,
    /// Lua.
    Lua,
    /// One that was added while the program runs.
    Registered(RegisteredLanguage),
}

/// A language that was added while the program runs. It is kept by its name, so that other programs understand it or know
/// that they don't.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RegisteredLanguage(u8);

/// The languages that the program may have a tags query for; that they are always known makes a stored graph readable before
/// the first query is made.
const OUTLINED: [&str; 14] = [
    "bash",
    "dart",
    "elixir",
    "graphql",
    "haskell",
    "hcl",
    "julia",
    "objective-c",
    "ocaml",
    "perl",
    "protobuf",
    "r",
    "sql",
    "zig",
];

/// The names of registered languages by their number, and the hashes of their definitions.
static REGISTERED: LazyLock<RwLock<Vec<(&'static str, u64)>>> =
    LazyLock::new(|| RwLock::new(OUTLINED.map(|name| (name, 0)).into()));

impl RegisteredLanguage {
    /// Returns the language of a new definition; `None` when there are as many as there can be.
    pub(crate) fn new(name: &'static str, definition_hash: u64) -> Option<Self> {
        let mut known = REGISTERED.write().unwrap_or_else(PoisonError::into_inner);
        let place = known.iter().position(|(known, _)| *known == name);
        let number = u8::try_from(place.unwrap_or(known.len())).ok()?;
        match place {
            Some(place) => known[place].1 = definition_hash,
            None => known.push((name, definition_hash)),
        }
        Some(Self(number))
    }
}

/// A hash of what is registered, as what is kept of files depends on it; zero without any.
pub(crate) fn registrations_hash() -> u64 {
    let known = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
    known.iter().fold(0, |all: u64, (_, hash)| all.rotate_left(5) ^ hash)
}

impl Serialize for RegisteredLanguage {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
        names.get(usize::from(self.0)).map_or("", |(name, _)| name).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for RegisteredLanguage {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let names = REGISTERED.read().unwrap_or_else(PoisonError::into_inner);
        let number = names.iter().position(|(known, _)| *known == name);
        let number = number.and_then(|number| u8::try_from(number).ok());
        number.map(Self).ok_or_else(|| D::Error::custom(format!("unknown language `{name}`")))
    }
}

/// Languages whose files can name each other's definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum LanguageFamily {
    EcmaScript,
    Python,
    Rust,
    Go,
    C,
    Jvm,
    Swift,
    CSharp,
    Php,
    Ruby,
    Lua,
    /// A registered language by itself.
    Registered(RegisteredLanguage),
}

impl Language {
    /// Whether an import names the whole path of a module, so that one that is not called so is another module.
    pub fn imports_name_whole_paths(self) -> bool {
        self.capabilities().imports_name_whole_paths
    }

    /// The languages whose files can name this one's definitions.
    pub(crate) const fn family(self) -> LanguageFamily {
        match self {
            Self::JavaScript | Self::TypeScript | Self::Tsx | Self::Vue | Self::Svelte => {
                LanguageFamily::EcmaScript
            }
            Self::Python | Self::Notebook => LanguageFamily::Python,
            Self::Rust => LanguageFamily::Rust,
            Self::Go => LanguageFamily::Go,
            Self::C | Self::Cpp => LanguageFamily::C,
            Self::Java | Self::Kotlin | Self::Scala => LanguageFamily::Jvm,
            Self::Swift => LanguageFamily::Swift,
            Self::CSharp => LanguageFamily::CSharp,
            Self::Php => LanguageFamily::Php,
            Self::Ruby => LanguageFamily::Ruby,
            Self::Lua => LanguageFamily::Lua,
            Self::Registered(language) => LanguageFamily::Registered(language),
        }
    }
}
