//! Globs over workspace paths, the one reading of them everywhere: `*` stays inside one folder, `**` crosses folders,
//! and a glob without `/` is about file names in any folder.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

use super::RepoPath;

/// A set of globs: a path is in when one glob takes it and no `!glob` does. Only `!globs`: everything else is in.
#[derive(Clone, Debug)]
pub struct PathPattern {
    taken: GlobSet,
    refused: GlobSet,
}

impl PathPattern {
    /// Compiles `globs`.
    ///
    /// # Errors
    ///
    /// [`PatternError`] that names the first glob that can't be used.
    pub fn new<S: AsRef<str>>(globs: &[S]) -> Result<Self, PatternError> {
        let (mut taken, mut refused) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        for glob in globs.iter().map(AsRef::as_ref) {
            match glob.strip_prefix('!') {
                Some(rest) => refused.add(compile(rest)?),
                None => taken.add(compile(glob)?),
            };
        }
        let build = |builder: GlobSetBuilder| {
            builder.build().map_err(|error| PatternError::new(&error, &error.to_string()))
        };
        Ok(Self { taken: build(taken)?, refused: build(refused)? })
    }

    /// Whether `path` is in.
    pub fn takes(&self, path: &RepoPath) -> bool {
        self.takes_text(path.as_str())
    }

    pub(super) fn takes_text(&self, path: &str) -> bool {
        (self.taken.is_match(path) || (self.taken.is_empty() && !self.refused.is_empty()))
            && !self.refused.is_match(path)
    }
}

/// Compiles one glob in the common reading: `./` and a leading `/` mean the root, a trailing `/` the whole folder.
fn compile(glob: &str) -> Result<Glob, PatternError> {
    let spelled = glob.trim().replace('\\', "/");
    let rooted = spelled.strip_prefix("./").or_else(|| spelled.strip_prefix('/'));
    let text = match rooted {
        Some(rest) => rest.to_owned(),
        None if spelled.trim_end_matches('/').contains('/') => spelled.clone(),
        None => format!("**/{spelled}"),
    };
    let text = if text.ends_with('/') { format!("{text}**") } else { text };
    GlobBuilder::new(&text)
        .literal_separator(true)
        .backslash_escape(false)
        .empty_alternates(true)
        .build()
        .map_err(|error| PatternError::new(&error, glob))
}

/// Why a glob can't be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{glob}\": {reason}")]
pub struct PatternError {
    /// The glob as it was given.
    pub glob: String,
    /// What is wrong with it.
    pub reason: String,
}

impl PatternError {
    fn new(error: &globset::Error, glob: &str) -> Self {
        Self { glob: glob.to_owned(), reason: error.kind().to_string() }
    }
}
