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
