//! The kind of a file: test, test support, generated, documentation, vendored, and the kinds that its path suggests.
//! Decided by tables of general conventions, by configured globs and by notes of generators and banners of releases in its first
//! lines.

mod file_trait_table;
mod path_conventions;
mod path_kind;
mod release_banner;

pub(super) use self::file_trait_table::{FileTraitTable, path_kinds};
pub use self::{
    file_trait_table::{FileTraits, is_lock_file, is_secondary},
    path_kind::PathKind,
};
