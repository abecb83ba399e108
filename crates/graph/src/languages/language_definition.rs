//! What the program knows of a language before it reads a file: its grammar, its tables, and what only it has. Each folder of
//! [`crate::languages`] gives one; [`Language::register`](crate::languages::Language::register) takes further ones.

use std::{
    hash::{Hash, Hasher},
    sync::OnceLock,
};

use rustc_hash::FxHasher;
use tree_sitter::{Language as Grammar, Query};

use crate::{
    facts::language_capabilities::LanguageCapabilities,
    languages::{Language, embedded_code::EmbeddedCodeFormat},
    lowering::{CommentTypes, GrammarTable, LoweringDialect},
    resolve::language_resolution_rules::{ProjectLayout, ResolutionRules},
};

/// Returns what the comments of a text tell of types, if anything.
pub(crate) type CommentTypeReader = fn(&str) -> Option<CommentTypes>;

/// A language, in parts. Only the name and the grammar are required; whatever else is missing has the behaviour of a
/// language without anything special.
#[expect(missing_debug_implementations, reason = "made of functions")]
pub struct LanguageDefinition {
    pub(crate) name: &'static str,
    version: &'static str,
    pub(crate) extensions: &'static [&'static str],
    pub(crate) manifests: &'static [&'static str],
    pub(crate) grammar: Grammar,
    pub(crate) outline: &'static str,
    pub(crate) library: &'static str,
    pub(crate) dialect: &'static dyn LoweringDialect,
    pub(crate) rules: &'static dyn ResolutionRules,
    pub(crate) layout: Option<ProjectLayout>,
    pub(crate) host: Option<&'static dyn EmbeddedCodeFormat>,
    pub(crate) comment_types: Option<(CommentTypeReader, Language)>,
    table_lines: String,
    table: OnceLock<GrammarTable>,
    tags: &'static str,
    tags_query: OnceLock<Option<Query>>,
}

impl LanguageDefinition {
    /// Starts the definition of the language `name`, in lower case, that `grammar` parses.
    pub fn new(name: &'static str, grammar: impl Into<Grammar>) -> Self {
        Self {
            name,
            version: "",
            extensions: &[],
            manifests: &[],
            grammar: grammar.into(),
            outline: "",
            library: "",
            dialect: &Plain,
            rules: &Plain,
            layout: None,
            host: None,
            comment_types: None,
            table_lines: String::new(),
            table: OnceLock::new(),
            tags: "",
            tags_query: OnceLock::new(),
        }
    }

    /// The version of its grammar's scanner. Graphs of other versions are made anew; for the rest of the definition and of
    /// the grammar that is found out.
    #[must_use]
    pub fn version(mut self, version: &'static str) -> Self {
        self.version = version;
        self
    }

    /// The extensions of its files, in lower case, the most common one first.
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

    /// Sets the table of the types and functions of its standard library: `library.table`. The table of a language that is
    /// registered after the first graph was made is not read.
    #[must_use]
    pub fn library_table(mut self, lines: &'static str) -> Self {
        self.library = lines;
        self
    }

    /// Makes the language one that is outlined only: the query captures its definitions, and the table is not used.
    #[must_use]
    pub fn tags_query(mut self, query: &'static str) -> Self {
        self.tags = query;
        self
    }

    /// Sets the part of its lowering that the grammar table can't say.
    #[must_use]
    pub(crate) fn dialect(mut self, dialect: &'static dyn LoweringDialect) -> Self {
        self.dialect = dialect;
        self
    }

    /// Its capabilities, and the rules of resolution that differ.
    #[must_use]
    pub(crate) fn rules(mut self, rules: &'static dyn ResolutionRules) -> Self {
        self.rules = rules;
        self
    }

    /// Sets what gives its files, and those of the other languages of its family, their modules.
    #[must_use]
    pub(crate) fn layout(mut self, layout: ProjectLayout) -> Self {
        self.layout = Some(layout);
        self
    }

    /// Lets comments tell types in the notation of another language: `read` finds them in a text.
    #[must_use]
    pub(crate) fn comment_types(mut self, read: CommentTypeReader, notation: Language) -> Self {
        self.comment_types = Some((read, notation));
        self
    }

    /// Makes the language one whose files hold code of another, which has the grammar and the lowering.
    #[must_use]
    pub(crate) fn host(mut self, host: &'static dyn EmbeddedCodeFormat) -> Self {
        self.host = Some(host);
        self
    }

    /// Its table, made when the first file of the language is read.
    pub(crate) fn table(&self) -> &GrammarTable {
        self.table.get_or_init(|| GrammarTable::compile(&self.grammar, &self.table_lines))
    }

    /// Whether its files are outlined and nothing is resolved in them.
    pub(crate) fn is_outlined(&self) -> bool {
        !self.tags.is_empty()
    }

    /// Its tags query, made when the first file of the language is read; none for a language that is read as a whole, or a
    /// query that does not fit the grammar.
    pub(crate) fn tags(&self) -> Option<&Query> {
        let make = || Query::new(&self.grammar, self.tags).ok();
        self.tags_query.get_or_init(|| self.is_outlined().then(make).flatten()).as_ref()
    }

    /// Returns a hash that tells this definition from others of the same name.
    pub(crate) fn identity(&self) -> u64 {
        let mut hasher = FxHasher::default();
        (self.name, self.version, self.extensions, self.manifests).hash(&mut hasher);
        (&self.table_lines, self.outline, self.library, self.tags).hash(&mut hasher);
        let grammar = &self.grammar;
        (grammar.abi_version(), grammar.parse_state_count()).hash(&mut hasher);
        let ids = 0..u16::try_from(grammar.node_kind_count()).unwrap_or(u16::MAX);
        ids.for_each(|id| grammar.node_kind_for_id(id).hash(&mut hasher));
        let ids = 1..=u16::try_from(grammar.field_count()).unwrap_or(u16::MAX);
        ids.for_each(|id| grammar.field_name_for_id(id).hash(&mut hasher));
        hasher.finish()
    }

    /// Whether a text in a file with the name of a manifest is one.
    pub(crate) fn is_manifest(&self, text: &str) -> bool {
        self.dialect.is_manifest(text)
    }
}

/// Whether a name is one of a manifest: `pattern` with anything in the place of its `*`.
pub(super) fn fits_manifest(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((start, end)) => {
            name.len() >= pattern.len() - 1 && name.starts_with(start) && name.ends_with(end)
        }
        None => name == pattern,
    }
}

/// A language without anything special.
struct Plain;

impl LoweringDialect for Plain {}

impl ResolutionRules for Plain {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &LanguageCapabilities::NONE
    }
}
