//! The folders of a workspace. Each is a separate capability, with its own ignore rules and secrets: a link from one
//! into another is refused like any other that leads out. With several, the first part of a path is the name of a
//! folder.

use std::{
    borrow::Cow,
    path::{Path, PathBuf},
};

use cap_std::{ambient_authority, fs::Dir};
use ignore::overrides::{Override, OverrideBuilder};

use crate::{
    GlobError, RepoPath, Workspace, WorkspaceConfig, WorkspaceError, secret_files::SecretFiles,
    tracked_files::TrackedFilesCache,
};

/// A folder to open.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootSpec {
    /// The first part of its paths when the workspace has several folders; when empty, the folder's own name.
    pub name: String,
    /// The folder.
    pub path: PathBuf,
    /// Globs of files of this folder that are excluded, besides those of the workspace.
    pub ignore: Vec<String>,
    /// Globs of secret files of this folder, besides those of the workspace.
    pub secrets: Vec<String>,
}

impl RootSpec {
    /// Returns the folder `path` under its own name.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), ..Self::default() }
    }
}

/// An open folder.
#[derive(Debug)]
pub(super) struct Root {
    /// First part of its paths; empty when it is the only folder.
    pub(super) name: String,
    /// Its absolute path, links resolved.
    pub(super) path: String,
    /// The path as the caller wrote it, if that differs; paths below it are also accepted.
    spelled: Option<String>,
    pub(super) dir: Dir,
    pub(super) ignored: Override,
    pub(super) secrets: SecretFiles,
    pub(super) tracked: TrackedFilesCache,
}

/// Opens the folders of a workspace.
pub(super) fn open(
    specs: &[RootSpec],
    files: &WorkspaceConfig,
) -> Result<Vec<Root>, WorkspaceError> {
    let mut roots: Vec<Root> = Vec::with_capacity(specs.len());
    for spec in specs {
        let mut root = Root::open(spec, files)?;
        if specs.len() > 1 {
            root.name = named(spec, &root.path, &roots)?;
        }
        let inside = |inner: &Root, outer: &Root| Path::new(&inner.path).starts_with(&outer.path);
        for other in &roots {
            if inside(&root, other) {
                return Err(WorkspaceError::Nested(root.path, other.path.clone()));
            }
            if inside(other, &root) {
                return Err(WorkspaceError::Nested(other.path.clone(), root.path));
            }
        }
        roots.push(root);
    }
    if roots.is_empty() { Err(WorkspaceError::NoRoot) } else { Ok(roots) }
}

/// Returns the name of a root among `others`: the configured one, or the folder's own with a number if it is taken.
fn named(spec: &RootSpec, path: &str, others: &[Root]) -> Result<String, WorkspaceError> {
    let is_taken = |name: &str| others.iter().any(|other| other.name == name);
    let bad = |reason| WorkspaceError::BadName(spec.name.clone(), reason);
    if !spec.name.is_empty() {
        let parsed = RepoPath::parse(&spec.name, "").ok();
        if parsed.is_none_or(|path| path.as_str() != spec.name || spec.name.contains('/')) {
            return Err(bad("it is not one part of a path"));
        }
        return if is_taken(&spec.name) {
            Err(bad("two roots have it"))
        } else {
            Ok(spec.name.clone())
        };
    }
    let own = path.rsplit(['/', '\\']).find(|part| !part.is_empty()).unwrap_or("root");
    let numbered = (2..).map(|number| format!("{own}-{number}"));
    let names = std::iter::once(own.to_owned()).chain(numbered);
    let free = names.take(others.len() + 1).find(|name| !is_taken(name));
    free.ok_or_else(|| bad("every number is taken"))
}

impl Root {
    fn open(spec: &RootSpec, files: &WorkspaceConfig) -> Result<Self, WorkspaceError> {
        let shown = || spec.path.display().to_string();
        #[expect(clippy::disallowed_methods, reason = "the only place that resolves the root")]
        let resolved = spec.path.canonicalize().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => WorkspaceError::NotFound(shown()),
            std::io::ErrorKind::NotADirectory => WorkspaceError::NotFolder(shown()),
            _ => WorkspaceError::NotReadable(shown(), error),
        })?;
        let path = resolved.to_str().ok_or_else(|| WorkspaceError::NotUtf8(shown()))?.to_owned();
        let dir = Dir::open_ambient_dir(&resolved, ambient_authority())
            .and_then(|dir| dir.entries().map(|_| dir))
            .map_err(|error| match error.kind() {
                std::io::ErrorKind::NotADirectory => WorkspaceError::NotFolder(shown()),
                _ => WorkspaceError::NotReadable(shown(), error),
            })?;
        let secrets = [files.secrets.as_slice(), &spec.secrets].concat();
        Ok(Self {
            name: String::new(),
            spelled: spec.path.to_str().filter(|spelled| *spelled != path).map(str::to_owned),
            ignored: ignore_globs(&resolved, &[files.ignore.as_slice(), &spec.ignore].concat())?,
            path,
            dir,
            secrets: SecretFiles::new(&secrets)
                .map_err(|error| WorkspaceError::BadGlob("workspace.secrets", error))?,
            tracked: TrackedFilesCache::default(),
        })
    }

    /// Returns the path of the workspace for an absolute one, if it lies in this folder.
    pub(super) fn normalize(&self, absolute: &str) -> Option<RepoPath> {
        let spelled = self.spelled.as_deref().filter(|spelled| spelled.starts_with('/'));
        let below = |root: &str| RepoPath::parse(absolute, root).ok();
        let inner = below(&self.path).or_else(|| spelled.and_then(below))?;
        Some(self.outer(inner))
    }

    /// Returns the path of the workspace for `inner`, a path below this folder.
    pub(super) fn outer(&self, inner: RepoPath) -> RepoPath {
        if self.name.is_empty() { inner } else { inner.below(&self.name) }
    }
}

impl Workspace {
    /// Returns the folder of `path`, and the path below it. `None` when its first part is not the name of a folder, and
    /// for the empty path when there are several.
    pub(super) fn root_of<'a>(
        &'a self,
        path: &'a RepoPath,
    ) -> Option<(&'a Root, Cow<'a, RepoPath>)> {
        if let [root] = self.roots.as_slice()
            && root.name.is_empty()
        {
            return Some((root, Cow::Borrowed(path)));
        }
        let (name, inner) = path.split_first()?;
        let root = self.roots.iter().find(|root| root.name == name)?;
        Some((root, Cow::Owned(inner)))
    }
}

/// Compiles the configured globs as overrides. They are negated, since a plain override would exclude every other file.
fn ignore_globs(root: &Path, globs: &[String]) -> Result<Override, WorkspaceError> {
    let bad = |glob: &str, reason: String| {
        WorkspaceError::BadGlob("workspace.ignore", GlobError { glob: glob.to_owned(), reason })
    };
    let mut builder = OverrideBuilder::new(root);
    for glob in globs {
        if glob.starts_with('!') {
            return Err(bad(glob, "an ignored path can't be brought back with \"!\"".to_owned()));
        }
        builder.add(&format!("!{glob}")).map_err(|error| bad(glob, error.to_string()))?;
    }
    builder.build().map_err(|error| bad(&globs.join(", "), error.to_string()))
}
