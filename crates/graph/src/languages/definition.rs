//! What the program knows of a language before it reads a file: its grammar, its tables, and what only it has. Each folder of
//! [`crate::languages`] gives one; [`Language::register`](crate::languages::Language::register) takes further ones.

use std::sync::OnceLock;

use tree_sitter::Language as Grammar;

use crate::{
    facts::capabilities::Capabilities,
    lowering::{Dialect, GrammarTable},
    resolve::rules::ResolutionRules,
};

/// A language, in parts. Only the name and the grammar are required; whatever else is missing has the behaviour of a
/// language without anything special.
#[expect(missing_debug_implementations, reason = "made of functions")]
pub struct LanguageDefinition {
    pub(crate) name: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) manifests: &'static [&'static str],
    pub(crate) grammar: Grammar,
    pub(crate) outline: &'static str,
    pub(crate) dialect: &'static dyn Dialect,
    pub(crate) rules: &'static dyn ResolutionRules,
    table_lines: String,
    table: OnceLock<GrammarTable>,
}

impl LanguageDefinition {
    /// Starts the definition of the language `name`, in lower case, that `grammar` parses.
    pub fn new(name: &'static str, grammar: impl Into<Grammar>) -> Self {
        Self {
            name,
            extensions: &[],
            manifests: &[],
            grammar: grammar.into(),
            outline: "",
            dialect: &Plain,
            rules: &Plain,
            table_lines: String::new(),
            table: OnceLock::new(),
        }
    }

    /// The extensions of its files, the most common one first.
    #[must_use]
    pub fn extensions(mut self, extensions: &'static [&'static str]) -> Self {
        self.extensions = extensions;
        self
    }

    /// The names of the build files that say how a project is laid out; one `*` stands for anything.
    #[must_use]
    pub fn manifests(mut self, names: &'static [&'static str]) -> Self {
        self.manifests = names;
        self
    }

    /// Adds lines that say what the node kinds of the grammar are: `grammar.table`.
    #[must_use]
    pub fn grammar_table(mut self, lines: &'static str) -> Self {
        self.table_lines += lines;
        self
    }

    /// The words by which declarations begin, for files that are over the budget: `outline.table`.
    #[must_use]
    pub fn outline_table(mut self, lines: &'static str) -> Self {
        self.outline = lines;
        self
    }

    /// What the lowering of a file has to know beyond the table.
    #[must_use]
    pub(crate) fn dialect(mut self, dialect: &'static dyn Dialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Its capabilities, and the rules of resolution that differ.
    #[must_use]
    pub(crate) fn rules(mut self, rules: &'static dyn ResolutionRules) -> Self {
        self.rules = rules;
        self
    }

    /// Its table, made when the first file of the language is read.
    pub(crate) fn table(&self) -> &GrammarTable {
        self.table.get_or_init(|| GrammarTable::compile(&self.grammar, &self.table_lines))
    }

    /// What tells this definition from others of the same name.
    pub(crate) fn identity(&self) -> (&str, &[&str], &[&str], &str, &str) {
        (self.name, self.extensions, self.manifests, &self.table_lines, self.outline)
    }

    /// Whether a text in a file with the name of a manifest is one.
    pub(crate) fn is_manifest(&self, text: &str) -> bool {
        self.dialect.is_manifest(text)
    }

    /// Whether a file of this name says how a project is laid out.
    pub(crate) fn names_manifest(&self, name: &str) -> bool {
        self.manifests.iter().any(|pattern| match pattern.split_once('*') {
            Some((start, end)) => {
                name.len() >= pattern.len() - 1 && name.starts_with(start) && name.ends_with(end)
            }
            None => name == *pattern,
        })
    }
}

/// A language without anything special.
struct Plain;

impl Dialect for Plain {}

impl ResolutionRules for Plain {
    fn capabilities(&self) -> &'static Capabilities {
        &Capabilities::NONE
    }
}
