//! The packages that a repository publishes and requires, from its manifests. Nothing is installed or fetched, so a
//! manifest that is a program is only read in part.

mod ecosystem;
mod manifest_syntax;
mod package_manifests;
mod package_mentions;
mod package_names;

pub(crate) use self::package_mentions::ecosystem_of;
pub(crate) use self::package_names::may_be_of;
pub use self::{
    ecosystem::{Ecosystem, PackageMention},
    package_mentions::{is_manifest_path, packages_of},
};
