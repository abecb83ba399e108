//! Dependencies that a manifest gives a name of its own: `store = { path = "../store", package = "acme-store" }`.

use std::collections::BTreeMap;

use retriever_workspace::is_within;
use toml::{Table, Value};

use crate::resolve::project_layout::join;

/// The tables of a manifest that list dependencies.
const TABLES: &[&str] = &["dependencies", "dev-dependencies", "build-dependencies"];

/// Returns what the package in `folder` calls its renamed dependencies, as code writes it, each with the folder of its package;
/// `None` where no manifest is that package's.
pub(super) fn renamed_dependencies(
    folder: &str,
    manifests: &BTreeMap<&str, Table>,
) -> Vec<(String, Option<String>)> {
    let Some(manifest) = manifests.get(folder) else { return Vec::new() };
    let platforms = manifest.get("target").and_then(Value::as_table).into_iter().flatten();
    let platforms = platforms.filter_map(|(_, platform)| platform.as_table());
    let tables = std::iter::once(manifest).chain(platforms);
    let tables = tables.flat_map(|table| TABLES.iter().filter_map(|name| table.get(*name)));
    let mut found = Vec::new();
    for (name, dependency) in tables.filter_map(Value::as_table).flatten() {
        let (folder, dependency) = match dependency.get("workspace").and_then(Value::as_bool) {
            Some(true) => match shared_dependency(folder, name, manifests) {
                Some(shared) => shared,
                None => continue,
            },
            _ => (folder, dependency),
        };
        if let Some(package) = dependency.get("package").and_then(Value::as_str) {
            let path = dependency.get("path").and_then(Value::as_str);
            let place = path
                .and_then(|path| join(folder, path))
                .or_else(|| folder_of(package, manifests).map(str::to_owned));
            found.push((name.replace('-', "_"), place));
        }
    }
    found
}

/// A dependency that members of a workspace take over from its manifest, with the folder of that manifest.
fn shared_dependency<'m>(
    folder: &str,
    name: &str,
    manifests: &'m BTreeMap<&str, Table>,
) -> Option<(&'m str, &'m Value)> {
    let around = manifests.iter().filter(|(outer, _)| is_within(folder, outer));
    around
        .filter_map(|(outer, manifest)| {
            Some((*outer, manifest.get("workspace")?.get("dependencies")?.get(name)?))
        })
        .max_by_key(|(outer, _)| outer.len())
}

fn folder_of<'m>(package: &str, manifests: &BTreeMap<&'m str, Table>) -> Option<&'m str> {
    let is_named = |manifest: &Table| {
        manifest.get("package").and_then(|table| table.get("name")?.as_str()) == Some(package)
    };
    manifests.iter().find(|(_, manifest)| is_named(manifest)).map(|(folder, _)| *folder)
}
