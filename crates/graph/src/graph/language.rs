//! The languages that a graph can hold. How each is read is [`crate::index`]'s.

use serde::{Deserialize, Serialize};

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
    /// Python.
    Python,
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
}

/// Languages whose files can name each other's definitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Family {
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
}

impl Language {
    /// The languages whose files can name this one's definitions.
    pub(crate) const fn family(self) -> Family {
        match self {
            Self::JavaScript | Self::TypeScript | Self::Tsx => Family::EcmaScript,
            Self::Python => Family::Python,
            Self::Rust => Family::Rust,
            Self::Go => Family::Go,
            Self::C | Self::Cpp => Family::C,
            Self::Java | Self::Kotlin | Self::Scala => Family::Jvm,
            Self::Swift => Family::Swift,
            Self::CSharp => Family::CSharp,
            Self::Php => Family::Php,
            Self::Ruby => Family::Ruby,
        }
    }
}
