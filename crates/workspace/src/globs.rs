//! Globs over workspace paths, with one meaning everywhere: `*` stays inside one folder, `**` crosses folders, and a
//! glob without `/` matches file names in any folder.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use crate::RepoPath;

/// Longest glob, in bytes.
const MAX_GLOB_BYTES: usize = 4 * 1024;
/// Deepest nesting of braces, since compiling a glob recurses into them.
const MAX_BRACE_DEPTH: usize = 32;

/// A set of globs. It matches a path when one glob does and no `!glob` does; with `!globs` only, every other path matches.
#[derive(Clone, Debug)]
pub struct PathGlobs {
    included: GlobsByPlace,
    excluded: GlobsByPlace,
}

/// Globs by what they are matched against. Most globs are of names, and matching a name is cheaper than a path.
#[derive(Clone, Debug)]
struct GlobsByPlace {
    names: GlobSet,
    paths: GlobSet,
}

impl GlobsByPlace {
    fn new<'g>(globs: impl Iterator<Item = &'g str>) -> Result<Self, GlobError> {
        let (mut names, mut paths) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for glob in globs {
            match compile(glob)? {
                CompiledGlob::OfNames(glob) => names.add(glob),
                CompiledGlob::OfPaths(glob) => paths.add(glob),
            };
        }
        let build = |builder: GlobSetBuilder| {
            builder.build().map_err(|error| GlobError::new(&error.to_string(), &error))
        };
        Ok(Self { names: build(names)?, paths: build(paths)? })
    }

    fn is_match(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.names.is_match(name) || self.paths.is_match(path)
    }

    fn is_empty(&self) -> bool {
        self.names.is_empty() && self.paths.is_empty()
    }
}

enum CompiledGlob {
    OfNames(Glob),
    OfPaths(Glob),
}

impl PathGlobs {
    /// Compiles `globs`.
    ///
    /// # Errors
    ///
    /// [`GlobError`] for the first glob that can't be used.
    pub fn new<S: AsRef<str>>(globs: &[S]) -> Result<Self, GlobError> {
        let globs = || globs.iter().map(S::as_ref);
        let included = globs().filter(|glob| !glob.starts_with('!'));
        let excluded = globs().filter_map(|glob: &str| glob.strip_prefix('!'));
        Ok(Self { included: GlobsByPlace::new(included)?, excluded: GlobsByPlace::new(excluded)? })
    }

    /// Whether the set matches `path`.
    pub fn matches(&self, path: &RepoPath) -> bool {
        self.matches_str(path.as_str())
    }

    pub(crate) fn matches_str(&self, path: &str) -> bool {
        (self.included.is_match(path) || (self.included.is_empty() && !self.excluded.is_empty()))
            && !self.excluded.is_match(path)
    }
}

/// Compiles one glob: `./` and a leading `/` mean the root, a trailing `/` the whole folder.
fn compile(glob: &str) -> Result<CompiledGlob, GlobError> {
    if !is_bounded(glob.as_bytes()) {
        let start = &glob[..glob.floor_char_boundary(40)];
        return Err(GlobError {
            glob: format!("{start}…"),
            reason: format!(
                "a glob has at most {MAX_GLOB_BYTES} bytes and braces nested {MAX_BRACE_DEPTH} deep"
            ),
        });
    }
    let spelled = glob.trim().replace('\\', "/");
    let rooted = spelled.strip_prefix("./").or_else(|| spelled.strip_prefix('/'));
    let is_of_names = rooted.is_none() && !spelled.contains('/');
    let text = match rooted {
        Some(rest) => rest.to_owned(),
        None if is_of_names || spelled.trim_end_matches('/').contains('/') => spelled.clone(),
        None => format!("**/{spelled}"),
    };
    let text = if text.ends_with('/') { format!("{text}**") } else { text };
    let compiled = GlobBuilder::new(&text)
        .literal_separator(true)
        .backslash_escape(false)
        .empty_alternates(true)
        .build()
        .map_err(|error| GlobError::new(glob, &error))?;
    Ok(if is_of_names { CompiledGlob::OfNames(compiled) } else { CompiledGlob::OfPaths(compiled) })
}

/// Whether a glob is short enough to be compiled and its braces are not nested too deeply.
pub(crate) fn is_bounded(glob: &[u8]) -> bool {
    let mut depth = 0_usize;
    glob.len() <= MAX_GLOB_BYTES
        && glob.iter().all(|byte| {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            depth <= MAX_BRACE_DEPTH
        })
}

/// Why a glob can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{glob}\": {reason}")]
pub struct GlobError {
    /// The glob as it was given.
    pub glob: String,
    /// The reason.
    pub reason: String,
}

impl GlobError {
    fn new(glob: &str, error: &globset::Error) -> Self {
        Self { glob: glob.to_owned(), reason: error.kind().to_string() }
    }
}
