//! Normal forms of package names and of used names.

use retriever_workspace::is_within;

use super::{Ecosystem, PackageMention};

/// Returns whether a use may belong to a required package, as far as its import tells.
pub(crate) fn may_be_of(required: &PackageMention, module: &[String], names: &[String]) -> bool {
    let name = required.alias.as_deref().unwrap_or(&required.name);
    match required.ecosystem {
        Ecosystem::Cargo => module.first().or(names.first()).is_some_and(|root| root == name),
        Ecosystem::Go | Ecosystem::Npm => module.first().is_some_and(|path| is_within(path, name)),
        Ecosystem::Pypi | Ecosystem::Maven | Ecosystem::Composer => !module.is_empty(),
        Ecosystem::Swift => !module.is_empty() || names.len() > 1,
        // What .NET itself has under System comes from no package that is called otherwise.
        Ecosystem::Nuget => {
            names.len() > 1
                && (module.first().is_none_or(|root| root != "System")
                    || name.starts_with("system"))
        }
        Ecosystem::Gem => names.len() > 1,
    }
}
