//! The languages: for each one its grammar, its table (`grammar.table`) and what only it has (a [`Dialect`]). Adding one is a
//! file here, a table, a line in [`Language`] and in [`entry`], and a fixture in the tests.

pub(crate) mod c;
pub(crate) mod csharp;
pub(crate) mod go;
pub(crate) mod java;
pub(crate) mod javascript;
pub(crate) mod kotlin;
pub(crate) mod php;
pub(crate) mod python;
pub(crate) mod ruby;
pub(crate) mod rust;
pub(crate) mod scala;
pub(crate) mod swift;

pub(crate) use self::c::is_iterated;
use std::{
    collections::HashMap,
    sync::{LazyLock, OnceLock},
};

use tree_sitter::Language as Grammar;

pub use crate::graph::Language;
use crate::lowering::{Dialect, GrammarTable};

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

impl Family {
    /// Whether a function attached to a type from outside is also found by its bare name.
    pub(crate) const fn binds_extensions(self) -> bool {
        matches!(self, Self::Jvm)
    }

    /// Whether a function attached to a type from outside has that type's value as its own.
    pub(crate) const fn receiver_is_this(self) -> bool {
        matches!(self, Self::C | Self::Jvm)
    }

    /// Whether a type name stands for the type around it.
    pub(crate) fn names_own_type(self, name: &str) -> bool {
        match self {
            Self::Rust | Self::Swift => name == "Self",
            Self::Php => name == "static",
            _ => false,
        }
    }

    /// Whether functions of one name are told apart by what their arguments are called.
    pub(crate) const fn labels_arguments(self) -> bool {
        matches!(self, Self::Swift)
    }

    /// Whether functions of one name are told apart by what they take, in one type and in those that it builds on.
    pub(crate) const fn overloads(self) -> bool {
        matches!(self, Self::Jvm | Self::CSharp)
    }

    /// Whether names may be used above the line that binds them.
    pub(crate) const fn hoists(self) -> bool {
        matches!(self, Self::EcmaScript | Self::Python)
    }

    /// Whether a type's members are found by their bare names inside it.
    pub(crate) const fn members_in_scope(self) -> bool {
        matches!(self, Self::C | Self::Jvm | Self::CSharp | Self::Swift)
    }

    /// Whether a type is made by calling its name.
    pub(crate) const fn calls_types(self) -> bool {
        !matches!(self, Self::CSharp | Self::Php | Self::Ruby)
    }

    /// What stands between the parts of a qualified name.
    pub(crate) const fn separator(self) -> &'static str {
        match self {
            Self::EcmaScript | Self::Python | Self::Go | Self::Jvm | Self::CSharp | Self::Swift => {
                "."
            }
            Self::Rust | Self::C | Self::Ruby => "::",
            Self::Php => "\\",
        }
    }

    /// Whether a function without a declared result gives back what its body says.
    pub(crate) const fn infers_results(self) -> bool {
        matches!(self, Self::EcmaScript | Self::Python | Self::Jvm | Self::Php | Self::Ruby)
    }
}

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

    pub(crate) fn family(self) -> Family {
        entry(self).family
    }

    /// Lines of the table that don't fit the grammar; none in a sound build.
    pub fn table_faults(self) -> &'static [String] {
        &entry(self).table().faults
    }
}

pub(crate) struct Entry {
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) family: Family,
    pub(crate) grammar: Grammar,
    /// The lines of its table.
    tables: &'static [&'static str],
    table: OnceLock<GrammarTable>,
    pub(crate) dialect: &'static dyn Dialect,
}

impl Entry {
    fn new(
        name: &'static str,
        extensions: &'static [&'static str],
        family: Family,
        grammar: impl Into<Grammar>,
        tables: &'static [&'static str],
        dialect: &'static dyn Dialect,
    ) -> Self {
        let grammar = grammar.into();
        Self { name, extensions, family, grammar, tables, table: OnceLock::new(), dialect }
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
            Family::EcmaScript,
            tree_sitter_javascript::LANGUAGE,
            &[JS],
            &javascript::JavaScript,
        ),
        Language::TypeScript => lazy!(
            "typescript",
            &["ts", "mts", "cts"],
            Family::EcmaScript,
            tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
            &[JS, TS],
            &javascript::JavaScript,
        ),
        Language::Tsx => lazy!(
            "tsx",
            &["tsx"],
            Family::EcmaScript,
            tree_sitter_typescript::LANGUAGE_TSX,
            &[JS, TS],
            &javascript::JavaScript,
        ),
        Language::Python => lazy!(
            "python",
            &["py", "pyi"],
            Family::Python,
            tree_sitter_python::LANGUAGE,
            &[include_str!("python/grammar.table")],
            &python::Python,
        ),
        Language::Rust => lazy!(
            "rust",
            &["rs"],
            Family::Rust,
            tree_sitter_rust::LANGUAGE,
            &[include_str!("rust/grammar.table")],
            &rust::Rust,
        ),
        Language::Go => lazy!(
            "go",
            &["go"],
            Family::Go,
            tree_sitter_go::LANGUAGE,
            &[include_str!("go/grammar.table")],
            &go::Go,
        ),
        Language::C => lazy!(
            "c",
            &["c", "h"],
            Family::C,
            tree_sitter_c::LANGUAGE,
            &[include_str!("c/grammar.table")],
            &c::C,
        ),
        Language::Cpp => lazy!(
            "cpp",
            &["cpp", "cc", "cxx", "c++", "hpp", "hh", "hxx", "inl", "ipp", "tpp"],
            Family::C,
            tree_sitter_cpp::LANGUAGE,
            &[include_str!("c/grammar.table"), include_str!("c/grammar_cpp.table")],
            &c::C,
        ),
        Language::Java => lazy!(
            "java",
            &["java"],
            Family::Jvm,
            tree_sitter_java::LANGUAGE,
            &[include_str!("java/grammar.table")],
            &java::Java,
        ),
        Language::Kotlin => lazy!(
            "kotlin",
            &["kt", "kts"],
            Family::Jvm,
            tree_sitter_kotlin_ng::LANGUAGE,
            &[include_str!("kotlin/grammar.table")],
            &kotlin::Kotlin,
        ),
        Language::Swift => lazy!(
            "swift",
            &["swift"],
            Family::Swift,
            tree_sitter_swift::LANGUAGE,
            &[include_str!("swift/grammar.table")],
            &swift::Swift,
        ),
        Language::Scala => lazy!(
            "scala",
            &["scala", "sc"],
            Family::Jvm,
            tree_sitter_scala::LANGUAGE,
            &[include_str!("scala/grammar.table")],
            &scala::Scala,
        ),
        Language::CSharp => lazy!(
            "csharp",
            &["cs"],
            Family::CSharp,
            tree_sitter_c_sharp::LANGUAGE,
            &[include_str!("csharp/grammar.table")],
            &csharp::CSharp,
        ),
        Language::Php => lazy!(
            "php",
            &["php", "phtml"],
            Family::Php,
            tree_sitter_php::LANGUAGE_PHP,
            &[include_str!("php/grammar.table")],
            &php::Php,
        ),
        Language::Ruby => lazy!(
            "ruby",
            &["rb", "rake", "gemspec", "ru"],
            Family::Ruby,
            tree_sitter_ruby::LANGUAGE,
            &[include_str!("ruby/grammar.table")],
            &ruby::Ruby,
        ),
    }
}
