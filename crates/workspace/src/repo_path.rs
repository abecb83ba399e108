//! Paths inside a workspace: one normal form, and parsing of every spelling that models and users write. Works on
//! strings only; [`Workspace`](crate::Workspace) decides whether a path exists.

use std::{borrow::Borrow, fmt, sync::Arc};

use serde::{Serialize, Serializer};

/// A path relative to the root: `/` between parts, no `.` or `..`, no leading slash, UTF-8, no control characters. The
/// root itself is the empty path. A clone shares the text, since a question copies the paths of a whole tree.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<str>);

/// Returns what a file's name begins with: its first part that is not empty, up to a dot. `index` of `index.test.js`, `bashrc` of
/// `.bashrc`.
pub fn base_name(file_name: &str) -> &str {
    file_name.split('.').find(|part| !part.is_empty()).unwrap_or(file_name)
}

impl RepoPath {
    /// Returns the root.
    pub fn root() -> Self {
        Self(Arc::from(""))
    }

    /// Normalises `raw` as a path below a root whose absolute spelling is `root` (empty when there is none).
    ///
    /// Accepted: `./a`, `a//b`, `a/x/../b`, `a\b`, `file://` addresses, and absolute paths inside `root`.
    ///
    /// # Errors
    ///
    /// [`PathError::Outside`] when the path climbs above the root or is absolute elsewhere, and
    /// [`PathError::Unprintable`] when it holds control characters.
    pub fn parse(raw: &str, root: &str) -> Result<Self, PathError> {
        if root.is_empty() && is_normal(raw) {
            return Ok(Self(raw.into()));
        }
        let spelled = raw.trim();
        let spelled = spelled.strip_prefix("file://").unwrap_or(spelled);
        if spelled.chars().any(char::is_control) {
            return Err(PathError::Unprintable(raw.to_owned()));
        }
        let spelled = spelled.replace('\\', "/");
        let root = root.replace('\\', "/");
        let root = root.trim_end_matches('/');
        let relative = match spelled.strip_prefix(root) {
            Some(rest) if !root.is_empty() && (rest.is_empty() || rest.starts_with('/')) => rest,
            _ if is_absolute(&spelled) => return Err(PathError::Outside(raw.to_owned())),
            _ => &spelled,
        };
        let mut parts: Vec<&str> = Vec::new();
        for part in relative.split('/') {
            match part {
                "" | "." => {}
                ".." => {
                    if parts.pop().is_none() {
                        return Err(PathError::Outside(raw.to_owned()));
                    }
                }
                part => parts.push(part),
            }
        }
        Ok(Self(parts.join("/").into()))
    }

    /// Returns a path that a walk found below the root, or `None` when its name cannot be printed, or when
    /// [`RepoPath::parse`] would not return it.
    pub(super) fn from_walk(relative: &str) -> Option<Self> {
        let odd = |letter: char| letter.is_control() || letter == '\\';
        let normal =
            !relative.contains(odd) && relative.trim() == relative && !is_absolute(relative);
        normal.then(|| Self(relative.into()))
    }

    /// Returns this path inside the folder `name`.
    pub(super) fn below(self, name: &str) -> Self {
        if self.0.is_empty() {
            Self(name.into())
        } else {
            Self(format!("{name}/{}", self.0).into())
        }
    }

    /// Returns the first part and the path below it; `None` for the empty path.
    pub(super) fn split_first(&self) -> Option<(&str, Self)> {
        let (first, rest) = self.0.split_once('/').unwrap_or((&self.0, ""));
        (!first.is_empty()).then(|| (first, Self(rest.into())))
    }

    /// The path as text, without a leading or trailing slash.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last part; empty for the root.
    pub fn file_name(&self) -> &str {
        // Names are short, so a search from the end is faster than one that is made for long texts.
        let slash = self.0.bytes().rposition(|byte| byte == b'/');
        &self.0[slash.map_or(0, |slash| slash + 1)..]
    }

    /// The part of the file name after its last dot, case preserved; empty when there is none.
    pub fn extension(&self) -> &str {
        match self.file_name().rsplit_once('.') {
            Some((stem, extension)) if !stem.is_empty() => extension,
            _ => "",
        }
    }

    /// The folder that holds this path, or `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        if self.0.is_empty() {
            return None;
        }
        Some(Self(self.0.rsplit_once('/').map_or("", |(parent, _)| parent).into()))
    }

    /// Whether this path is `folder` or lies below it; all lie below the root.
    pub fn is_within(&self, folder: &Self) -> bool {
        is_within(&self.0, &folder.0)
    }

    /// Returns the path of `name` inside this folder.
    ///
    /// # Errors
    ///
    /// As for [`RepoPath::parse`].
    pub fn join(&self, name: &str) -> Result<Self, PathError> {
        let below = if self.0.is_empty() { name.to_owned() } else { format!("{}/{name}", self.0) };
        Self::parse(&below, "")
    }
}

/// Whether `path` is `folder` or lies below it, both in the form of a [`RepoPath`]; all lie below the empty one.
pub fn is_within(path: &str, folder: &str) -> bool {
    let below = |rest: &str| rest.is_empty() || rest.starts_with('/');
    folder.is_empty() || path.strip_prefix(folder).is_some_and(below)
}

/// Returns how many parts two paths have in common from the start: the more, the nearer are their files.
pub fn shared_folders(one: &str, other: &str) -> usize {
    one.split('/').zip(other.split('/')).take_while(|(one, other)| one == other).count()
}

/// Whether a path is known to be in the normal form at a glance, as one that a question has read from the graph is.
fn is_normal(path: &str) -> bool {
    let is_plain = |byte: u8| (b' '..=b'~').contains(&byte) && byte != b'\\';
    let mut parts = path.as_bytes().split(|byte| *byte == b'/');
    path.bytes().all(is_plain)
        && !parts.any(|part| matches!(part, b"" | b"." | b".."))
        && path.trim() == path
        && !is_absolute(path)
}

fn is_absolute(path: &str) -> bool {
    let drive =
        |p: &str| matches!(p.as_bytes(), [letter, b':', b'/', ..] if letter.is_ascii_alphabetic());
    path.starts_with('/') || drive(path)
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(if self.0.is_empty() { "." } else { &self.0 })
    }
}

impl Borrow<str> for RepoPath {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl Serialize for RepoPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

/// Why a text is not a path of the workspace.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PathError {
    /// It leads out of the root.
    #[error("\"{0}\" is outside the workspace root")]
    Outside(String),
    /// It holds control characters, which tools do not print.
    #[error("{0:?} holds control characters")]
    Unprintable(String),
}
