//! What a repository publishes and what it requires, as its manifests say. Nothing is installed or fetched: a manifest that
//! only a program can read says less.

mod manifest_syntax;
mod package_manifests;
mod package_names;

use retriever_graph::indexing::Language;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, VariantArray};

pub(crate) use self::package_names::{is_below, may_be_of};

/// Names of manifests.
const MANIFESTS: [&str; 11] = [
    "Cargo.toml",
    "go.mod",
    "package.json",
    "pyproject.toml",
    "requirements.txt",
    "composer.json",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "Gemfile",
    "Package.swift",
];

/// Where packages of some languages are published.
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
    /// Its name there, in the spelling that all mentions share.
    pub name: String,
    /// The folder of the manifest; empty for the root.
    pub folder: String,
    /// The versions that are required; `None` when the repository publishes the package.
    pub requires: Option<String>,
    /// The name that code uses, where the manifest gives the package another one.
    pub alias: Option<String>,
}

/// Returns whether [`packages_of`] reads a file of this path.
pub fn is_manifest_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.contains(&name) || name.ends_with(".csproj") || name.ends_with(".gemspec")
}

/// Returns what the manifest at `path` publishes and requires; nothing for other files.
pub fn packages_of(path: &str, text: &str) -> Vec<PackageMention> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut manifest = package_manifests::PackageManifest { folder, mentions: Vec::new() };
    match name {
        "Cargo.toml" => manifest.cargo(text),
        "go.mod" => manifest.go(text),
        "package.json" => manifest.npm(text),
        "pyproject.toml" => manifest.pyproject(text),
        "requirements.txt" => manifest.requirements(text),
        "composer.json" => manifest.composer(text),
        "pom.xml" => manifest.maven(text),
        "build.gradle" | "build.gradle.kts" => manifest.gradle(text),
        "Gemfile" => manifest.gems(text),
        "Package.swift" => manifest.swift(text),
        _ if name.ends_with(".csproj") => manifest.nuget(name, text),
        _ if name.ends_with(".gemspec") => manifest.gems(text),
        _ => {}
    }
    let mut mentions = manifest.mentions;
    mentions.sort();
    mentions.dedup();
    mentions
}

/// Returns where packages of a language are published; `None` for languages without such a place.
pub(crate) fn ecosystem_of(path: &str) -> Option<Ecosystem> {
    Some(match Language::of_path(path)? {
        Language::Rust => Ecosystem::Cargo,
        Language::Go => Ecosystem::Go,
        Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Vue
        | Language::Svelte => Ecosystem::Npm,
        Language::Python | Language::Notebook => Ecosystem::Pypi,
        Language::Java | Language::Kotlin | Language::Scala => Ecosystem::Maven,
        Language::CSharp => Ecosystem::Nuget,
        Language::Ruby => Ecosystem::Gem,
        Language::Php => Ecosystem::Composer,
        Language::Swift => Ecosystem::Swift,
        _ => return None,
    })
}
