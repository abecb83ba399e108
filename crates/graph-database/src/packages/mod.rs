//! What a repository publishes and what it requires, as its manifests say. Nothing is installed or fetched: a manifest that
//! only a program can read says less.

mod ecosystem;
mod manifest_syntax;
mod package_manifests;
mod package_mentions;
mod package_names;

pub(crate) use self::package_mentions::ecosystem_of;
pub(crate) use self::package_names::{is_below, may_be_of};
pub use self::{
    ecosystem::{Ecosystem, PackageMention},
    package_mentions::{is_manifest_path, packages_of},
};
