//! The languages: for each one its grammar, its table (`grammar.table`) and what only it has (a [`Dialect`]). Adding one is a
//! file here, a table, a line in [`Language`] and in [`entry`], and a fixture in the tests.

pub(crate) mod c;
pub(crate) mod csharp;
mod extraction;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod javascript;
mod jvm;
pub(crate) mod kotlin;
pub(crate) mod php;
pub(crate) mod python;
pub(crate) mod ruby;
pub(crate) mod rust;
pub(crate) mod scala;
pub(crate) mod swift;

use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

use tree_sitter::Language as Grammar;

pub use self::extraction::{extract, extract_within, parse_alone};
pub use crate::graph::Language;
use crate::{
    facts::capabilities::Capabilities,
    lowering::{Dialect, GrammarTable},
    resolve::rules::{LanguageRules, ResolutionRules},
};

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
    ],
    of: |language| entry(language).rules,
};

impl Language {
    /// Every language, in a fixed order.
    pub const ALL: &'static [Self] = &[
        Self::JavaScript,
        Self::TypeScript,
        Self::Tsx,
        Self::Python,
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
    ];

    /// Returns the extension that most files of the language have.
    pub fn extension(self) -> &'static str {
        entry(self).extensions.first().copied().unwrap_or_default()
    }

    /// The language of a file with this path, by its extension.
    pub fn of_path(path: &str) -> Option<Self> {
        static BY_EXTENSION: LazyLock<HashMap<&str, Language>> = LazyLock::new(|| {
            let of = |language: Language| {
                entry(language).extensions.iter().map(move |extension| (*extension, language))
            };
            Language::ALL.iter().rev().copied().flat_map(of).collect()
        });
        let name = path.rsplit('/').next().unwrap_or(path);
        let (_, extension) = name.rsplit_once('.')?;
        match BY_EXTENSION.get(extension) {
            Some(language) => Some(*language),
            None => BY_EXTENSION.get(extension.to_ascii_lowercase().as_str()).copied(),
        }
    }

    /// The language of a file of this language with this text: a C header may hold C++.
    pub(crate) fn of_text(self, text: &str) -> Self {
        if self == Self::C && c::looks_like_cpp(text) { Self::Cpp } else { self }
    }

    /// Its name in lower case.
    pub fn name(self) -> &'static str {
        entry(self).name
    }

    /// What generic code may ask of it.
    pub(crate) fn capabilities(self) -> &'static Capabilities {
        entry(self).rules.capabilities()
    }

    /// Lines of the table that don't fit the grammar; none in a sound build.
    pub fn table_faults(self) -> &'static [String] {
        &entry(self).table().faults
    }
}

pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) grammar: Grammar,
    /// The words by which declarations begin, and what they declare.
    pub(crate) outline: &'static str,
    /// The lines of its table.
    tables: &'static [&'static str],
    table: OnceLock<GrammarTable>,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) rules: &'static dyn ResolutionRules,
}

impl Entry {
    fn new(
        name: &'static str,
        extensions: &'static [&'static str],
        grammar: impl Into<Grammar>,
        (tables, outline): (&'static [&'static str], &'static str),
        dialect: &'static dyn Dialect,
        rules: &'static dyn ResolutionRules,
    ) -> Self {
        let grammar = grammar.into();
        Self { name, extensions, grammar, outline, tables, table: OnceLock::new(), dialect, rules }
    }

    /// Its table, made when the first file of the language is read.
    pub(crate) fn table(&self) -> &GrammarTable {
        self.table.get_or_init(|| GrammarTable::compile(&self.grammar, &self.tables.concat()))
    }
}

macro_rules! lazy {
    ($($argument:expr),+ $(,)?) => {{
        static ENTRY: LazyLock<Entry> = LazyLock::new(|| Entry::new($($argument),+));
        &ENTRY
    }};
}

pub(crate) fn entry(language: Language) -> &'static Entry {
    const JS: &str = include_str!("javascript/grammar.table");
    const TS: &str = include_str!("javascript/grammar_typescript.table");
    match language {
        Language::JavaScript => lazy!(
            "javascript",
            &["js", "jsx", "mjs", "cjs"],
            tree_sitter_javascript::LANGUAGE,
            (&[JS], include_str!("javascript/outline.table")),
            &javascript::JavaScript,
            &javascript::JavaScript,
        ),
        Language::TypeScript => lazy!(
            "typescript",
            &["ts", "mts", "cts"],
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            (&[JS, TS], include_str!("javascript/outline.table")),
            &javascript::JavaScript,
            &javascript::JavaScript,
        ),
        Language::Tsx => lazy!(
            "tsx",
            &["tsx"],
            tree_sitter_typescript::LANGUAGE_TSX,
            (&[JS, TS], include_str!("javascript/outline.table")),
            &javascript::JavaScript,
            &javascript::JavaScript,
        ),
        Language::Python => lazy!(
            "python",
            &["py", "pyi"],
            tree_sitter_python::LANGUAGE,
            (&[include_str!("python/grammar.table")], include_str!("python/outline.table")),
            &python::Python,
            &python::Python,
        ),
        Language::Rust => lazy!(
            "rust",
            &["rs"],
            tree_sitter_rust::LANGUAGE,
            (&[include_str!("rust/grammar.table")], include_str!("rust/outline.table")),
            &rust::Rust,
            &rust::Rust,
        ),
        Language::Go => lazy!(
            "go",
            &["go"],
            tree_sitter_go::LANGUAGE,
            (&[include_str!("go/grammar.table")], include_str!("go/outline.table")),
            &go::Go,
            &go::Go,
        ),
        Language::C => lazy!(
            "c",
            &["c", "h"],
            tree_sitter_c::LANGUAGE,
            (&[include_str!("c/grammar.table")], include_str!("c/outline.table")),
            &c::C,
            &c::C,
        ),
        Language::Cpp => lazy!(
            "cpp",
            &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "inl", "ipp", "tpp"],
            tree_sitter_cpp::LANGUAGE,
            (
                &[include_str!("c/grammar.table"), include_str!("c/grammar_cpp.table")],
                include_str!("c/outline.table")
            ),
            &c::C,
            &c::C,
        ),
        Language::Java => lazy!(
            "java",
            &["java"],
            tree_sitter_java::LANGUAGE,
            (&[include_str!("java/grammar.table")], include_str!("java/outline.table")),
            &java::Java,
            &java::rules::RULES,
        ),
        Language::Kotlin => lazy!(
            "kotlin",
            &["kt", "kts"],
            tree_sitter_kotlin_ng::LANGUAGE,
            (&[include_str!("kotlin/grammar.table")], include_str!("kotlin/outline.table")),
            &kotlin::Kotlin,
            &kotlin::rules::RULES,
        ),
        Language::Swift => lazy!(
            "swift",
            &["swift"],
            tree_sitter_swift::LANGUAGE,
            (&[include_str!("swift/grammar.table")], include_str!("swift/outline.table")),
            &swift::Swift,
            &swift::Swift,
        ),
        Language::Scala => lazy!(
            "scala",
            &["scala", "sc"],
            tree_sitter_scala::LANGUAGE,
            (&[include_str!("scala/grammar.table")], include_str!("scala/outline.table")),
            &scala::Scala,
            &scala::rules::RULES,
        ),
        Language::CSharp => lazy!(
            "csharp",
            &["cs"],
            tree_sitter_c_sharp::LANGUAGE,
            (&[include_str!("csharp/grammar.table")], include_str!("csharp/outline.table")),
            &csharp::CSharp,
            &csharp::CSharp,
        ),
        Language::Php => lazy!(
            "php",
            &["php", "phtml"],
            tree_sitter_php::LANGUAGE_PHP,
            (&[include_str!("php/grammar.table")], include_str!("php/outline.table")),
            &php::Php,
            &php::Php,
        ),
        Language::Ruby => lazy!(
            "ruby",
            &["rb", "rake", "gemspec", "ru"],
            tree_sitter_ruby::LANGUAGE,
            (&[include_str!("ruby/grammar.table")], include_str!("ruby/outline.table")),
            &ruby::Ruby,
            &ruby::Ruby,
        ),
    }
}

/// Whether a file says how a project is laid out.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "package.json"
            | "jsconfig.json"
            | "go.mod"
            | "Cargo.toml"
            | "pyproject.toml"
            | "composer.json"
            | "Package.swift"
            | "Directory.Build.props"
            | "Directory.Build.targets"
    ) || name.ends_with(".csproj")
        || name.starts_with("tsconfig") && name.ends_with(".json")
}
