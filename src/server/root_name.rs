//! The name of a served root. It is a part of addresses, where some characters have another meaning.

use std::{borrow::Borrow, fmt, str::FromStr};

/// A name that can stand in an address: ASCII letters, digits, `-`, `_` and `.`, and not dots alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RootName(String);

/// A text that is no [`RootName`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} can't be the name of a served root")]
pub struct RootNameError(pub String);

impl RootName {
    /// Returns the name of the folder at `path`, with `-` for what can't stand in an address.
    pub fn of_folder(path: &str) -> Self {
        let last = path.rsplit(['/', '\\']).find(|part| !is_dots(part)).unwrap_or("root");
        Self(last.chars().map(|c| if fits(c) { c } else { '-' }).collect())
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for RootName {
    type Err = RootNameError;

    fn from_str(text: &str) -> Result<Self, RootNameError> {
        if is_dots(text) || !text.chars().all(fits) {
            return Err(RootNameError(text.to_owned()));
        }
        Ok(Self(text.to_owned()))
    }
}

impl Borrow<str> for RootName {
    fn borrow(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for RootName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

const fn fits(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.')
}

/// Whether a part of a path names no folder, or one that is above.
fn is_dots(part: &str) -> bool {
    part.chars().all(|c| c == '.')
}
