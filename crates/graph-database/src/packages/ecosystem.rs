//! Where packages are published, and a package that a manifest names.

use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, VariantArray};

/// A registry of packages for some languages.
#[derive(AsRefStr, Display, VariantArray)]
#[strum(serialize_all = "snake_case")]
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Ecosystem {
    /// Rust crates.
    Cargo,
    /// Go modules.
    Go,
    /// JavaScript and TypeScript packages.
    Npm,
    /// Python distributions.
    Pypi,
    /// Java, Kotlin and Scala artifacts, as `group:artifact`.
    Maven,
    /// .NET packages.
    Nuget,
    /// Ruby gems.
    Gem,
    /// PHP packages.
    Composer,
    /// Swift packages.
    Swift,
}

/// A package that a manifest names.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct PackageMention {
    /// Where it is published.
    pub ecosystem: Ecosystem,
    /// Its name there, normalised.
    pub name: String,
    /// The folder of the manifest; empty for the root.
    pub folder: String,
    /// The versions that are required; `None` when the repository publishes the package.
    pub requires: Option<String>,
    /// The name in code, if the manifest renames the package.
    pub alias: Option<String>,
}
