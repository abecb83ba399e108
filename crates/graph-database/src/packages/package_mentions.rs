//! The packages that manifests mention: published and required ones.

use retriever_graph::indexing::Language;

use super::{
    ecosystem::{Ecosystem, PackageMention},
    package_manifests,
};

/// File names of manifests.
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

/// Returns whether [`packages_of`] parses files of this path.
pub fn is_manifest_path(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    MANIFESTS.contains(&name) || name.ends_with(".csproj") || name.ends_with(".gemspec")
}

/// Returns the packages that the manifest at `path` publishes and requires; empty for other files.
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

/// Returns where packages of a file's language are published; `None` for languages without packages.
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
