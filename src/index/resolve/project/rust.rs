//! Rust modules: crates from `Cargo.toml` and the conventional folders, the module tree from paths and inline `mod`s.

use std::collections::BTreeMap;

use super::{files_of, folder, join};
use crate::index::{
    facts::DefKind,
    languages::Family,
    outline::Outline,
    resolve::world::{DefRef, FileId, ModId, World},
};

#[derive(Debug, Default, Hash)]
pub(crate) struct Crates {
    /// Library crates by the name that code uses.
    libraries: BTreeMap<String, ModId>,
}

/// A file's place: the folder that its crate's tree starts in, and the path of its module below.
struct Place<'p> {
    base: String,
    below: Vec<&'p str>,
    root: bool,
}

pub(crate) fn lay_out(
    world: &mut World<'_>,
    outlines: &[Outline],
    manifests: &[(String, String)],
) -> Crates {
    let mut found = Crates::default();
    let packages: BTreeMap<&str, toml::Table> = manifests
        .iter()
        .filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"))
        .filter_map(|(path, text)| Some((folder(path), text.parse().ok()?)))
        .collect();
    let files = files_of(world, Family::Rust);
    // Roots first, so that what lies below finds them.
    let mut roots: BTreeMap<String, Vec<ModId>> = BTreeMap::new();
    let mut rest = Vec::new();
    for file in files {
        let path = world.path(file);
        let package = package_of(path, &packages);
        let place = place(path, package, packages.get(package));
        if !place.root {
            rest.push((file, place));
            continue;
        }
        let name = crate_name(path, package, packages.get(package));
        let module = world.add_module(name.clone(), None);
        assign(world, module, file);
        let list = roots.entry(place.base).or_default();
        if path.ends_with("lib.rs") || is_library(path, package, packages.get(package)) {
            found.libraries.entry(name).or_insert(module);
            list.insert(0, module);
        } else {
            list.push(module);
        }
    }
    rest.sort_by_key(|(_, place)| place.below.len());
    let mut placed: BTreeMap<(String, Vec<&str>), ModId> = BTreeMap::new();
    for (file, place) in rest {
        let module = ensure(world, &mut placed, &roots, &place.base, &place.below);
        assign(world, module, file);
    }
    for file in files_of(world, Family::Rust) {
        inline_modules(world, file, &outlines[file.index()]);
    }
    found
}

fn assign(world: &mut World<'_>, module: ModId, file: FileId) {
    world.modules[module.index()].files.push(file);
    world.module_of[file.index()] = module;
}

fn ensure<'p>(
    world: &mut World<'p>,
    placed: &mut BTreeMap<(String, Vec<&'p str>), ModId>,
    roots: &BTreeMap<String, Vec<ModId>>,
    base: &str,
    below: &[&'p str],
) -> ModId {
    let key = (base.to_owned(), below.to_vec());
    if let Some(known) = placed.get(&key) {
        return *known;
    }
    let Some((last, above)) = below.split_last() else {
        // No root file: a tree of its own.
        let module = match roots.get(base).and_then(|roots| roots.first()) {
            Some(root) => *root,
            None => world.add_module(base.rsplit('/').next().unwrap_or(base).to_owned(), None),
        };
        placed.insert(key, module);
        return module;
    };
    let parent = ensure(world, placed, roots, base, above);
    let name = format!("{}::{last}", world.module(parent).name);
    let module = world.add_module(name, Some(parent));
    let number = world.written(last);
    world.modules[parent.index()].children.insert(number, module);
    if above.is_empty() {
        for root in roots.get(base).into_iter().flatten().skip(1) {
            world.modules[root.index()].children.entry(number).or_insert(module);
        }
    }
    placed.insert(key, module);
    module
}

fn package_of<'m>(path: &str, packages: &BTreeMap<&'m str, toml::Table>) -> &'m str {
    packages
        .keys()
        .filter(|folder| folder.is_empty() || path.starts_with(&format!("{folder}/")))
        .max_by_key(|folder| folder.len())
        .copied()
        .unwrap_or_default()
}

fn is_library(path: &str, package: &str, manifest: Option<&toml::Table>) -> bool {
    let lib = manifest.and_then(|m| m.get("lib")?.get("path")?.as_str());
    lib.and_then(|lib| join(package, lib)).is_some_and(|lib| lib == path)
}

fn crate_name(path: &str, package: &str, manifest: Option<&toml::Table>) -> String {
    let named = |section: &str| manifest.and_then(|m| m.get(section)?.get("name")?.as_str());
    let inner = path[package.len()..].trim_start_matches('/');
    let name = match inner {
        "src/lib.rs" => named("lib").or(named("package")),
        "src/main.rs" | "build.rs" => named("package"),
        _ if is_library(path, package, manifest) => named("lib").or(named("package")),
        _ => None,
    };
    let stem = inner.trim_end_matches(".rs").trim_end_matches("/main");
    let fallback = stem.rsplit('/').next().unwrap_or(stem);
    name.unwrap_or(fallback).replace('-', "_")
}

fn place<'p>(path: &'p str, package: &str, manifest: Option<&toml::Table>) -> Place<'p> {
    let inner = path[package.len()..].trim_start_matches('/');
    let parts: Vec<&str> = inner.split('/').collect();
    let within = |folders: usize| {
        let base: Vec<&str> = [package]
            .into_iter()
            .filter(|p| !p.is_empty())
            .chain(parts[..folders].iter().copied())
            .collect();
        let mut below: Vec<&'p str> = parts[folders..].to_vec();
        if let Some(last) = below.last_mut() {
            *last = last.trim_end_matches(".rs");
        }
        if below.last() == Some(&"mod") {
            below.pop();
        }
        (base.join("/"), below)
    };
    let root = |folders: usize, below: &[&str]| {
        let programs = ["bin", "tests", "examples", "benches", "fuzz_targets"];
        let top = parts[folders - 1];
        top == "src" && matches!(below, ["lib" | "main"])
            || programs.contains(&top) && matches!(below, [_] | [_, "main"])
    };
    if is_library(path, package, manifest) || parts.len() == 1 {
        let base = folder(path).to_owned();
        return Place { base, below: Vec::new(), root: true };
    }
    let folders = match parts.as_slice() {
        ["src", "bin", ..] => 2,
        _ => 1,
    };
    let (base, below) = within(folders);
    if below.is_empty() || root(folders, &below) && !path.ends_with("/mod.rs") {
        // `tests/x/main.rs` has its modules beside it.
        let base = if below.len() == 2 { format!("{base}/{}", below[0]) } else { base };
        return Place { base, below: Vec::new(), root: true };
    }
    Place { base, below, root: false }
}

/// Gives the inline modules of a file their places.
fn inline_modules(world: &mut World<'_>, file: FileId, outline: &Outline) {
    for def in &outline.defs {
        if def.kind != DefKind::Namespace {
            continue;
        }
        let this = DefRef { file, def: def.id };
        let parent = match def.parent {
            Some(parent) => world.inline.get(&DefRef { file, def: parent }).copied(),
            None => Some(world.module_of[file.index()]),
        };
        let Some(parent) = parent else { continue };
        let name = outline.text(def.name);
        let full = format!("{}::{name}", world.module(parent).name);
        let name = world.written(name);
        let module = world.add_module(full, Some(parent));
        world.modules[module.index()].defs.push(this);
        world.modules[parent.index()].children.entry(name).or_insert(module);
        world.inline.insert(this, module);
    }
}

impl Crates {
    pub(crate) fn library(&self, name: &str) -> Option<ModId> {
        self.libraries.get(name).copied()
    }
}
