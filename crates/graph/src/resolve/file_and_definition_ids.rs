//! Numbers of files, names, modules and definitions. They hold for one resolution: they differ from run to run.

use crate::facts::DefId;

macro_rules! numbers {
    ($($name:ident),+) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

numbers!(FileId, Name, ModId);

impl Name {
    /// The empty string.
    pub(crate) const EMPTY: Self = Self(0);
}

/// A definition of any file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct DefRef {
    pub(crate) file: FileId,
    pub(crate) def: DefId,
}

pub(crate) fn number(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}
