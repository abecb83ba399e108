//! Platforms that a question and a path name: code for one is not what a question about another asks for.

/// Names of platforms in lower case; a family is those that share much of their code.
const FAMILIES: &[&[&str]] = &[
    &["windows", "win32", "winapi"],
    &[
        "unix", "posix", "linux", "macos", "darwin", "osx", "freebsd", "netbsd", "openbsd", "bsd",
        "ios", "tvos", "watchos", "android",
    ],
    &["wasm", "wasm32", "wasi"],
];

/// The families of the platforms that are named, one bit each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NamedPlatforms(u8);

impl NamedPlatforms {
    /// Returns those that `words`, in lower case, name.
    pub(super) fn of<'a>(words: impl Iterator<Item = &'a str>) -> Self {
        let family = |word: &str| FAMILIES.iter().position(|names| names.contains(&word));
        Self(words.filter_map(family).fold(0, |all, at| all | (1 << at)))
    }

    /// Whether `path` names platforms, and none of a family of these; never if there are none.
    pub(super) fn is_for_another(self, path: &str) -> bool {
        if self.0 == 0 {
            return false;
        }
        let path = path.to_lowercase();
        let of_path = Self::of(path.split(|letter: char| !letter.is_alphanumeric()));
        of_path.0 != 0 && of_path.0 & self.0 == 0
    }
}
