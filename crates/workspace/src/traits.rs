//! What kind of file a path is: test, support, generated, docs, vendored, and the part that its place in the tree
//! suggests. Tables, no guesses about any one repository.

use std::{collections::BTreeSet, sync::LazyLock};

use globset::{Glob, GlobSet, GlobSetBuilder};
use regex::Regex;
use rustc_hash::FxHashMap;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use super::{
    ContentHash, PathPattern, RepoPath, WorkspaceError,
    trait_rules::{DOMAIN_NAMES, DOMAINS, KINDS, Mark, PACKAGE_ROOTS, RULES},
};
use crate::{TraitConfig, UnknownVariant};

/// The part that a file's path suggests by general convention.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<PathKind>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathKind {
    /// A route, page or screen.
    Route,
    /// A user-interface component.
    Component,
    /// A hook.
    Hook,
    /// A service.
    Service,
    /// An API boundary.
    Api,
    /// A store, reducer or model of state.
    Store,
    /// An action or command.
    Action,
    /// Types only.
    Type,
    /// Configuration.
    Config,
}

/// What is known of a file from its path and its first lines.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FileTraits {
    /// A test.
    pub test: bool,
    /// Test support: fixtures, mocks, snapshots, stories, helpers.
    pub support: bool,
    /// Made by a program.
    pub generated: bool,
    /// Documentation or an example.
    pub docs_example: bool,
    /// Somebody else's code, copied in.
    pub vendored: bool,
    /// The parts that the path suggests.
    pub path_kinds: BTreeSet<PathKind>,
}

impl FileTraits {
    /// Whether the file is kept out of a report's primary places unless the question asks for its kind.
    pub fn is_secondary(&self) -> bool {
        self.test || self.support || self.generated || self.docs_example || self.vendored
    }
}

/// Lines at the start of a file in which a generator names itself.
const HEADER_LINES: usize = 15;

/// The built-in tables and the configured globs, ready to be asked.
#[derive(Debug)]
pub(super) struct TraitTable {
    configured: Vec<(Mark, PathPattern)>,
    pub(super) key: ContentHash,
}

impl TraitTable {
    pub(super) fn new(config: &TraitConfig) -> Result<Self, WorkspaceError> {
        let configured = [
            (Mark::Test, "traits.test", &config.test),
            (Mark::Support, "traits.support", &config.support),
            (Mark::Generated, "traits.generated", &config.generated),
            (Mark::Docs, "traits.docs_example", &config.docs_example),
            (Mark::Vendored, "traits.vendored", &config.vendored),
        ]
        .into_iter()
        .filter(|(_, _, globs)| !globs.is_empty())
        .map(|(mark, key, globs)| match PathPattern::new(globs) {
            Ok(pattern) => Ok((mark, pattern)),
            Err(error) => Err(WorkspaceError::BadGlob(key, error)),
        })
        .collect::<Result<_, _>>()?;
        Ok(Self { configured, key: ContentHash::of(format!("{config:?}").as_bytes()) })
    }

    /// Returns the traits of `path`, whose text starts with `head`.
    pub(super) fn of(&self, path: &RepoPath, head: &str) -> FileTraits {
        let mut traits = FileTraits::default();
        let folders: Vec<String> = folders_of(path);
        for mark in folders.iter().filter_map(|folder| FOLDERS.get(folder.as_str())).flatten() {
            traits.mark(*mark);
        }
        for index in NAMES.set.matches(path.file_name()) {
            traits.mark(NAMES.marks[index]);
        }
        for index in PATHS.set.matches(path.as_str()) {
            traits.mark(PATHS.marks[index]);
        }
        for (mark, pattern) in &self.configured {
            if pattern.takes(path) {
                traits.mark(*mark);
            }
        }
        traits.generated |= head.lines().take(HEADER_LINES).any(says_generated);
        traits.path_kinds = kinds_of(path, &folders);
        traits
    }
}

impl FileTraits {
    fn mark(&mut self, mark: Mark) {
        match mark {
            Mark::Test => self.test = true,
            Mark::Support => self.support = true,
            Mark::Generated => self.generated = true,
            Mark::Docs => self.docs_example = true,
            Mark::Vendored => self.vendored = true,
        }
    }
}

/// The folders of `path` in lower case, without those that are a domain name's (`com/example`, `java/org/acme/samples`), which say
/// nothing.
fn folders_of(path: &RepoPath) -> Vec<String> {
    let lower = path.as_str().to_lowercase();
    let mut folders: Vec<String> = Vec::new();
    for folder in lower.split('/').take(lower.matches('/').count()) {
        let is_domain = |folder: &String| DOMAINS.contains(&folder.as_str());
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

struct MarkedGlobs {
    set: GlobSet,
    marks: Vec<Mark>,
}

impl MarkedGlobs {
    /// A table's globs are correct; a test asks for a path of each. One that weren't would be left out.
    fn new(globs: impl Iterator<Item = (Mark, &'static str)>) -> Self {
        let (mut builder, mut marks) = (GlobSetBuilder::new(), Vec::new());
        for (mark, glob) in globs {
            if let Ok(glob) = Glob::new(glob) {
                builder.add(glob);
                marks.push(mark);
            }
        }
        Self { set: builder.build().unwrap_or_default(), marks }
    }
}

/// What folders say of the files below them, by name.
static FOLDERS: LazyLock<FxHashMap<&str, Vec<Mark>>> =
    LazyLock::new(|| by_name(RULES.iter().map(|rule| (rule.mark, rule.folders))));

/// Which part a file is by its folders, and by the words of its name.
static KINDS_BY_FOLDER: LazyLock<FxHashMap<&str, Vec<PathKind>>> =
    LazyLock::new(|| by_name(KINDS.iter().map(|rule| (rule.kind, rule.folders))));
static KINDS_BY_WORD: LazyLock<FxHashMap<&str, Vec<PathKind>>> =
    LazyLock::new(|| by_name(KINDS.iter().map(|rule| (rule.kind, rule.words))));

/// A table the other way round.
fn by_name<T: Copy>(
    rules: impl Iterator<Item = (T, &'static [&'static str])>,
) -> FxHashMap<&'static str, Vec<T>> {
    let mut known: FxHashMap<&str, Vec<T>> = FxHashMap::default();
    for (rule, names) in rules {
        names.iter().for_each(|name| known.entry(name).or_default().push(rule));
    }
    known
}

static NAMES: LazyLock<MarkedGlobs> = LazyLock::new(|| {
    let globs =
        |rule: &'static super::trait_rules::Rule| rule.names.iter().map(|glob| (rule.mark, *glob));
    MarkedGlobs::new(RULES.iter().flat_map(globs))
});

static PATHS: LazyLock<MarkedGlobs> = LazyLock::new(|| {
    let globs =
        |rule: &'static super::trait_rules::Rule| rule.paths.iter().map(|glob| (rule.mark, *glob));
    MarkedGlobs::new(RULES.iter().flat_map(globs))
});

/// What generators write at the top: a comment line that names the fact.
static GENERATED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    Regex::new(
        r#"(?ix) ^ \s* (?: // | \# | /\* | \* | -- | <!-- | ; | % | "{3} | '{3} ) .* (?:
            @generated \b
          | \b code \s generated \b .* \b do \s not \s (?:edit|modify) \b
          | \b (?:auto[\ -]?|automatically\s|machine[\ -]) generated \s
            (?: by | from | file | code | with | using | on | do \s not | - )
          | \b generated \s by \b .* \b do \s not \s (?:edit|modify) \b
          | \b (?:scanner|lexer|parser) , ? \s (?:generated|made) \s by \b
          | \b (?:this \s (?:file|code) \s (?:is|was|has \s been)) \s
            (?: auto[\ -]? | automatically\s | machine[\ -] )? generated \b
        )"#,
    )
    .ok()
});

fn says_generated(line: &str) -> bool {
    let line = &line[..line.floor_char_boundary(300)];
    // All forms have one of two words; most lines are settled by that.
    let has = |word: &str| {
        let (bytes, word) = (line.as_bytes(), word.as_bytes());
        let is_first = |byte: u8| byte | 0x20 == word[0];
        let mut starts = (0..bytes.len()).filter(|at| is_first(bytes[*at]));
        starts.any(|at| {
            let part = bytes.get(at..at + word.len());
            part.is_some_and(|part| part.eq_ignore_ascii_case(word))
        })
    };
    (has("generated") || has("made"))
        && GENERATED.as_ref().is_some_and(|marker| marker.is_match(line))
}

/// The parts that `path` suggests.
pub(super) fn path_kinds(path: &RepoPath) -> BTreeSet<PathKind> {
    kinds_of(path, &folders_of(path))
}

/// The parts that the folders and the words of the file name suggest.
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
