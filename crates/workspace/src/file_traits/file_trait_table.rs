//! Decides the traits of a file by tables of conventions, configured globs and notes of generators in its first lines.

use std::{collections::BTreeSet, sync::LazyLock};

use globset::{Glob, GlobSet, GlobSetBuilder};
use regex::Regex;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::Serialize;

use super::{
    path_conventions::{
        CONVENTIONS, DOMAIN_NAMES, KINDS, LOCK_FILES, PACKAGE_ROOTS, PathConvention,
        PathConventionCategory, TOP_LEVEL_DOMAINS,
    },
    path_kind::PathKind,
    release_banner::is_release,
};
use crate::{ContentHash, FileTraitsConfig, PathGlobs, RepoPath, WorkspaceError};

/// What the path and the first lines of a file tell of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileTraits {
    /// A test.
    pub test: bool,
    /// Test support: fixtures, mocks, snapshots, stories, helpers.
    pub support: bool,
    /// Written by a program.
    pub generated: bool,
    /// Documentation or an example.
    pub docs_example: bool,
    /// Copied in from another project.
    pub vendored: bool,
    /// The kinds that the path suggests.
    pub path_kinds: BTreeSet<PathKind>,
}

impl FileTraits {
    /// Whether a report has the file as a primary place only if the question asks for its kind.
    pub fn is_secondary(&self) -> bool {
        self.test || self.support || self.generated || self.docs_example || self.vendored
    }
}

/// Lines at the start of a file that are searched for the note of a generator.
const HEADER_LINES: usize = 15;

/// The built-in tables and the configured globs, compiled.
#[derive(Debug)]
pub(crate) struct FileTraitTable {
    configured: Vec<(PathConventionCategory, PathGlobs)>,
    /// Hash of the configuration.
    pub(crate) config_hash: ContentHash,
}

impl FileTraitTable {
    pub(crate) fn new(config: &FileTraitsConfig) -> Result<Self, WorkspaceError> {
        let configured = [
            (PathConventionCategory::Test, "traits.test", &config.test),
            (PathConventionCategory::Support, "traits.support", &config.support),
            (PathConventionCategory::Generated, "traits.generated", &config.generated),
            (PathConventionCategory::Docs, "traits.docs_example", &config.docs_example),
            (PathConventionCategory::Vendored, "traits.vendored", &config.vendored),
        ]
        .into_iter()
        .filter(|(_, _, globs)| !globs.is_empty())
        .map(|(category, key, globs)| match PathGlobs::new(globs) {
            Ok(globs) => Ok((category, globs)),
            Err(error) => Err(WorkspaceError::BadGlob(key, error)),
        })
        .collect::<Result<_, _>>()?;
        Ok(Self { configured, config_hash: ContentHash::of(format!("{config:?}").as_bytes()) })
    }

    /// Returns the traits of `path`, whose text starts with `head`.
    pub(crate) fn of(&self, path: &RepoPath, head: &str) -> FileTraits {
        let folders: Vec<String> = folders_of(path);
        let mut traits = by_convention(path, &folders);
        for (category, globs) in &self.configured {
            if globs.matches(path) {
                traits.set(*category);
            }
        }
        traits.generated |= head.lines().take(HEADER_LINES).any(is_generator_note);
        traits.vendored |= is_release(path, &folders, head);
        traits.path_kinds = kinds_of(path, &folders);
        traits
    }
}

impl FileTraits {
    fn set(&mut self, category: PathConventionCategory) {
        match category {
            PathConventionCategory::Test => self.test = true,
            PathConventionCategory::Support => self.support = true,
            PathConventionCategory::Generated => self.generated = true,
            PathConventionCategory::Docs => self.docs_example = true,
            PathConventionCategory::Vendored => self.vendored = true,
        }
    }
}

/// Returns the traits that the built-in tables give a path.
fn by_convention(path: &RepoPath, folders: &[String]) -> FileTraits {
    let mut traits = FileTraits::default();
    let packages = first_package(folders);
    for (at, folder) in folders.iter().enumerate() {
        let categories = FOLDERS.get(folder.as_str()).into_iter().flatten();
        for category in categories.filter(|it| at < packages || !it.is_name_of_package()) {
            traits.set(*category);
        }
    }
    for index in NAMES.set.matches(path.file_name()) {
        traits.set(NAMES.categories[index]);
    }
    for index in PATHS.set.matches(path.as_str()) {
        traits.set(PATHS.categories[index]);
    }
    traits
}

/// Whether the built-in conventions say of a path that the file stands beside the code that people work on: tests and what
/// supports them, documentation, examples, what is generated or copied in.
pub fn is_secondary(path: &RepoPath) -> bool {
    by_convention(path, &folders_of(path)).is_secondary()
}

/// Whether the name is that of a file that pins dependencies.
pub fn is_lock_file(path: &RepoPath) -> bool {
    static LOCKS: LazyLock<GlobSet> = LazyLock::new(|| {
        let mut builder = GlobSetBuilder::new();
        for glob in LOCK_FILES.iter().filter_map(|glob| Glob::new(glob).ok()) {
            builder.add(glob);
        }
        builder.build().unwrap_or_default()
    });
    LOCKS.is_match(path.file_name())
}

/// Returns the folders of `path` in lower case, without folders of a reversed domain name that are no convention there
/// (`com/example`, `java/org/acme/samples`).
fn folders_of(path: &RepoPath) -> Vec<String> {
    let lower = path.as_str().to_lowercase();
    let mut folders: Vec<String> = Vec::new();
    for folder in lower.split('/').take(lower.matches('/').count()) {
        let is_domain = |folder: &String| TOP_LEVEL_DOMAINS.contains(&folder.as_str());
        let in_domain = match folders.as_slice() {
            [.., last] if is_domain(last) => true,
            [.., root, domain, _] => is_domain(domain) && PACKAGE_ROOTS.contains(&root.as_str()),
            _ => false,
        };
        if !(in_domain && DOMAIN_NAMES.contains(&folder)) {
            folders.push(folder.to_owned());
        }
    }
    folders
}

/// Returns the place of the first folder that is a package of what is built: `src/main/java/org/…`.
fn first_package(folders: &[String]) -> usize {
    let is_root = |at: &[String]| {
        let [source, set, language] = at else { return false };
        source == "src" && set == "main" && PACKAGE_ROOTS.contains(&language.as_str())
    };
    folders.windows(3).position(is_root).map_or(usize::MAX, |at| at + 3)
}

/// Globs of several categories as one set.
struct CategoryGlobs {
    set: GlobSet,
    /// Category of each glob.
    categories: Vec<PathConventionCategory>,
}

impl CategoryGlobs {
    /// Compiles the globs that `select` takes from each convention. Globs that do not compile are left out; a test has
    /// a path for each.
    fn new(select: fn(&PathConvention) -> &'static [&'static str]) -> Self {
        let (mut builder, mut categories) = (GlobSetBuilder::new(), Vec::new());
        for convention in CONVENTIONS {
            for glob in select(convention).iter().filter_map(|glob| Glob::new(glob).ok()) {
                builder.add(glob);
                categories.push(convention.category);
            }
        }
        Self { set: builder.build().unwrap_or_default(), categories }
    }
}

/// Categories of the files below a folder, by its name.
static FOLDERS: LazyLock<FxHashMap<&str, Vec<PathConventionCategory>>> =
    LazyLock::new(|| by_name(CONVENTIONS.iter().map(|it| (it.category, it.folders))));

static NAMES: LazyLock<CategoryGlobs> = LazyLock::new(|| CategoryGlobs::new(|it| it.names));

static PATHS: LazyLock<CategoryGlobs> = LazyLock::new(|| CategoryGlobs::new(|it| it.paths));

/// Kinds of the files below a folder, by its name.
static KINDS_BY_FOLDER: LazyLock<FxHashMap<&str, Vec<PathKind>>> =
    LazyLock::new(|| by_name(KINDS.iter().map(|it| (it.kind, it.folders))));

/// Kinds of a file, by a word of its name.
static KINDS_BY_WORD: LazyLock<FxHashMap<&str, Vec<PathKind>>> =
    LazyLock::new(|| by_name(KINDS.iter().map(|it| (it.kind, it.words))));

/// Inverts a table of names.
fn by_name<T: Copy>(
    rows: impl Iterator<Item = (T, &'static [&'static str])>,
) -> FxHashMap<&'static str, Vec<T>> {
    let mut inverted: FxHashMap<&str, Vec<T>> = FxHashMap::default();
    for (value, names) in rows {
        names.iter().for_each(|name| inverted.entry(name).or_default().push(value));
    }
    inverted
}

/// Notes of generators: a comment line that says that the file was generated, or that webpack has bundled it.
static GENERATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?ix) ^ \s* (?: // | \# | /\* | \* | -- | <!-- | ; | % | "{3} | '{3} ) .* (?:
            @generated \b | < auto-?generated \b
          | \b webpackBootstrap \b
          | \b code \s generated \b .* \b do \s not \s (?:edit|modify) \b
          | \b (?:auto[\ -]?|automatically\s|machine[\ -]) generated \s
            (?: by | from | file | code | with | using | on | do \s not | - )
          | \b do \s not \s (?:edit|modify) \s this \s file \b
          | \b generated \s by \b .* \b do \s not \s (?:edit|modify) \b
          | \b (?:scanner|lexer|parser) , ? \s (?:generated|made) \s by \b
          | \b (?:this \s (?:file|code) \s (?:is|was|has \s been)) \s
            (?: auto[\ -]? | automatically\s | machine[\ -] )? generated \b
        )"#,
    )
    .ok()
});

/// Whether `line` is a comment with the note of a generator.
fn is_generator_note(line: &str) -> bool {
    /// Bytes of a line that are looked at.
    const MAX_NOTE_BYTES: usize = 300;
    let line = &line[..line.floor_char_boundary(MAX_NOTE_BYTES)];
    // Every form of the note contains one of these words; most lines contain none.
    let has = |word: &str| {
        let (bytes, word) = (line.as_bytes(), word.as_bytes());
        let is_first = |byte: u8| byte | 0x20 == word[0];
        let mut starts = (0..bytes.len()).filter(|at| is_first(bytes[*at]));
        starts.any(|at| {
            let part = bytes.get(at..at + word.len());
            part.is_some_and(|part| part.eq_ignore_ascii_case(word))
        })
    };
    (has("generated") || has("made") || has("this file") || has("webpackBootstrap"))
        && GENERATED.as_ref().is_some_and(|marker| marker.is_match(line))
}

/// Returns the kinds that `path` suggests.
pub(crate) fn path_kinds(path: &RepoPath) -> BTreeSet<PathKind> {
    kinds_of(path, &folders_of(path))
}

/// Returns the kinds that the folders, the words of the file name and its extension suggest.
fn kinds_of(path: &RepoPath, folders: &[String]) -> BTreeSet<PathKind> {
    let name = path.file_name();
    let words = words_of(name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    let by_folder = folders.iter().filter_map(|name| KINDS_BY_FOLDER.get(name.as_str())).flatten();
    let by_word = words.iter().filter_map(|word| KINDS_BY_WORD.get(word.as_str())).flatten();
    let by_extension = KINDS.iter().filter(|rule| rule.extensions.contains(&path.extension()));
    let mut kinds: BTreeSet<PathKind> =
        by_folder.chain(by_word).copied().chain(by_extension.map(|rule| rule.kind)).collect();
    let script = matches!(path.extension(), "js" | "jsx" | "ts" | "tsx" | "mjs" | "vue" | "svelte");
    let is_hook = |rest: &str| rest.starts_with(|first: char| first.is_uppercase() || first == '-');
    if script && name.strip_prefix("use").is_some_and(is_hook) {
        kinds.insert(PathKind::Hook);
    }
    if name.ends_with(".d.ts") {
        kinds.insert(PathKind::Type);
    }
    kinds
}

/// Splits a stem at case changes and at everything that isn't a letter or digit, in lower case.
fn words_of(stem: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    for letter in stem.chars() {
        let starts = letter.is_uppercase() && !before.is_uppercase();
        if starts || !letter.is_alphanumeric() {
            words.push(String::new());
        }
        if let (true, Some(word)) = (letter.is_alphanumeric(), words.last_mut()) {
            word.extend(letter.to_lowercase());
        }
        before = letter;
    }
    words.retain(|word| !word.is_empty());
    words
}
