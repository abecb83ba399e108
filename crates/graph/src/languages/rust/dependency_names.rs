//! What code calls the libraries that a manifest names: `store = { path = "../store", package = "acme-store" }`, and the package's
//! own. Several packages of a repository may call their libraries the same.

use std::collections::BTreeMap;

use toml::{Table, Value};

use crate::resolve::project_layout::join;

/// The tables of a manifest that list dependencies.
const TABLES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Returns what the package in `folder` calls its own library, its dependencies by path and its renamed ones, as code writes it,
/// each with the folder of its package; none where no package here has the name. Of one name the last counts.
pub(super) fn dependency_names(
    folder: &str,
    manifests: &BTreeMap<&str, Table>,
) -> Vec<(String, Option<String>)> {
    let Some(manifest) = manifests.get(folder) else { return Vec::new() };
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let platforms = platforms.filter_map(|(_, platform)| platform.as_table());
    let tables = std::iter::once(manifest).chain(platforms);
    let tables = tables.flat_map(|table| TABLES.iter().filter_map(|name| table.get(*name)));
    let own = library_name(folder, manifests).map(|name| (name, Some(folder.to_owned())));
    let mut found = Vec::from_iter(own);
    for (name, dependency) in tables.filter_map(Value::as_table).flatten() {
        let (folder, dependency) = match dependency.get("workspace").and_then(Value::as_bool) {
            Some(true) => match shared_dependency(folder, name, manifests) {
                Some(shared) => shared,
                None => continue,
            },
            _ => (folder, dependency),
        };
        let path = dependency.get("path").and_then(Value::as_str);
        let by_path = path.and_then(|path| join(folder, path));
        if let Some(package) = dependency.get("package").and_then(Value::as_str) {
            let place =
                by_path.or_else(|| folder_of(package, dependency, manifests).map(str::to_owned));
            found.push((name.replace('-', "_"), place));
        } else if let Some(place) = by_path
            && let Some(name) = library_name(&place, manifests)
        {
            found.push((name, Some(place)));
        }
    }
    found
}

/// What code calls the library of the package in a folder.
fn library_name(folder: &str, manifests: &BTreeMap<&str, Table>) -> Option<String> {
    let manifest = manifests.get(folder)?;
    let name = |table: &str| manifest.get(table)?.get("name")?.as_str();
    Some(name("lib").or_else(|| name("package"))?.replace('-', "_"))
}

/// A dependency that members of a workspace take over from its manifest, with the folder of that manifest.
fn shared_dependency<'m>(
    folder: &str,
    name: &str,
    manifests: &'m BTreeMap<&str, Table>,
) -> Option<(&'m str, &'m Value)> {
    let mut around = Some(folder);
    while let Some(outer) = around {
        let shared =
            |manifest: &'m Table| manifest.get("workspace")?.get("dependencies")?.get(name);
        if let Some((outer, manifest)) = manifests.get_key_value(outer)
            && let Some(shared) = shared(manifest)
        {
            return Some((*outer, shared));
        }
        around = (!outer.is_empty()).then(|| outer.rsplit_once('/').map_or("", |(up, _)| up));
    }
    None
}

/// The folder of a package of the repository, of a version that the dependency takes.
fn folder_of<'m>(
    package: &str,
    dependency: &Value,
    manifests: &BTreeMap<&'m str, Table>,
) -> Option<&'m str> {
    let taken = dependency.get("version").and_then(Value::as_str);
    let is_meant = |manifest: &Table| {
        let Some(table) = manifest.get("package") else { return false };
        let version = table.get("version").and_then(Value::as_str);
        table.get("name").and_then(Value::as_str) == Some(package)
            && taken.zip(version).is_none_or(|(taken, version)| is_compatible(taken, version))
    };
    manifests.iter().find(|(_, manifest)| is_meant(manifest)).map(|(folder, _)| *folder)
}

/// Whether two versions agree in their first numbers up to one that is not 0. A requirement of another form takes any.
fn is_compatible(taken: &str, version: &str) -> bool {
    let taken = taken.trim_start_matches(['^', '=', '~', ' ']);
    if !taken.starts_with(|first: char| first.is_ascii_digit()) {
        return true;
    }
    for (taken, own) in taken.split('.').zip(version.split('.')) {
        if taken != own {
            return false;
        }
        if taken != "0" {
            break;
        }
    }
    true
}
