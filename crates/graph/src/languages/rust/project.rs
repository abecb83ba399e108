//! Rust modules: crates from `Cargo.toml` and the conventional folders, the module tree from paths and inline `mod`s.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;

use rustc_hash::FxHasher;

use crate::{
    facts::{DefKind, top_level_summary::FileSummary},
    languages::rust::dependency_names::dependency_names,
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{DefRef, FileId, ModId, ProgramFacts},
        project_layout::{folder, join},
    },
};
use retriever_workspace::is_within;

#[derive(Debug, Default, Hash)]
pub(crate) struct CargoCrates {
    /// Library crates by the name that code uses.
    libraries: BTreeMap<String, ModId>,
    /// What a manifest calls the libraries of packages, where it is not the only one of that name in `libraries`, by the root of a
    /// crate; `None` where no package here has the name.
    renamed: BTreeMap<ModId, BTreeMap<String, Option<ModId>>>,
}

/// A package: its folder, and the crates that its manifest declares.
struct Package<'m> {
    folder: &'m str,
    name: Option<&'m str>,
    /// The name of the library, where it isn't the package's.
    library: Option<&'m str>,
    targets: Vec<Target<'m>>,
    /// Folders in which no crate starts, although one would by convention.
    closed: Vec<&'static str>,
}

/// The root file of a crate, where a manifest says which it is.
struct Target<'m> {
    path: String,
    name: Option<&'m str>,
    is_library: bool,
}

/// Where a file is in its crate: the folder of the crate's root module, and the path of the file's module below it.
struct Place<'p> {
    base: String,
    below: Vec<&'p str>,
    root: bool,
}

pub(crate) fn lay_out(program: &mut ProgramFacts<'_>, project: ProjectFiles<'_>) -> CargoCrates {
    let mut found = CargoCrates::default();
    let parsed: BTreeMap<&str, toml::Table> = project
        .manifests
        .iter()
        .filter(|(path, _)| path.rsplit('/').next() == Some("Cargo.toml"))
        .filter_map(|(path, text)| Some((folder(path), text.parse().ok()?)))
        .collect();
    let nowhere =
        Package { folder: "", name: None, library: None, targets: Vec::new(), closed: Vec::new() };
    let files = project.files;
    let paths: BTreeSet<&str> = files.iter().map(|file| program.path(*file)).collect();
    let packages: BTreeMap<&str, Package<'_>> = parsed
        .iter()
        .map(|(folder, manifest)| (*folder, Package::of(folder, manifest, &paths)))
        .collect();
    // Roots first, so that what lies below finds them.
    let mut roots: BTreeMap<String, Vec<ModId>> = BTreeMap::new();
    let mut rest = Vec::new();
    let mut root_folders = Vec::new();
    let mut libraries = BTreeMap::new();
    for file in files.iter().copied() {
        let path = program.path(file);
        let package = package_of(path, &packages).unwrap_or(&nowhere);
        let place = place(path, package, &paths);
        if !place.root {
            rest.push((file, place));
            continue;
        }
        let name = package.crate_name(path);
        let module = program.add_module(name.clone(), None);
        assign(program, module, file);
        let list = roots.entry(place.base).or_default();
        if path.ends_with("lib.rs") || package.target(path).is_some_and(|target| target.is_library)
        {
            found.libraries.entry(name).or_insert(module);
            libraries.entry(package.folder).or_insert(module);
            list.insert(0, module);
        } else {
            list.push(module);
        }
        root_folders.push((module, package.folder));
    }
    found.rename(&root_folders, &parsed, &libraries);
    rest.sort_by_key(|(_, place)| place.below.len());
    let mut placed: BTreeMap<(String, Vec<&str>), ModId> = BTreeMap::new();
    for (file, place) in rest {
        let module = ensure(program, &mut placed, &roots, &place.base, &place.below);
        assign(program, module, file);
    }
    for file in files.iter().copied() {
        inline_modules(program, file, &project.summaries[file.index()]);
    }
    found
}

fn assign(program: &mut ProgramFacts<'_>, module: ModId, file: FileId) {
    program.modules[module.index()].files.push(file);
    program.module_of[file.index()] = module;
}

fn ensure<'p>(
    program: &mut ProgramFacts<'p>,
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
            None => program.add_module(base.rsplit('/').next().unwrap_or(base).to_owned(), None),
        };
        placed.insert(key, module);
        return module;
    };
    let parent = ensure(program, placed, roots, base, above);
    let name = format!("{}::{last}", program.module(parent).name);
    let module = program.add_module(name, Some(parent));
    let number = program.intern(last);
    program.modules[parent.index()].children.insert(number, module);
    if above.is_empty() {
        for root in roots.get(base).into_iter().flatten().skip(1) {
            program.modules[root.index()].children.entry(number).or_insert(module);
        }
    }
    placed.insert(key, module);
    module
}

fn package_of<'a, 'm>(
    path: &str,
    packages: &'a BTreeMap<&'m str, Package<'m>>,
) -> Option<&'a Package<'m>> {
    packages
        .values()
        .filter(|package| is_within(path, package.folder))
        .max_by_key(|package| package.folder.len())
}

impl<'m> Package<'m> {
    /// `paths` are those of the files that there are.
    fn of(folder: &'m str, manifest: &'m toml::Table, paths: &BTreeSet<&str>) -> Self {
        let text = |table: &'m toml::Value, key: &str| table.get(key)?.as_str();
        let library = manifest.get("lib");
        let library_path = library.and_then(|table| join(folder, text(table, "path")?));
        let mut targets: Vec<Target<'_>> = library_path
            .map(|path| Target { path, name: None, is_library: true })
            .into_iter()
            .collect();
        let mut closed = Vec::new();
        for (kind, auto, home) in KINDS {
            let tables = manifest.get(*kind).and_then(toml::Value::as_array).into_iter().flatten();
            for table in tables {
                let name = text(table, "name");
                let written = text(table, "path").map(str::to_owned);
                let usual = || {
                    let name = name?;
                    [format!("{home}/{name}.rs"), format!("{home}/{name}/main.rs")]
                        .into_iter()
                        .find(|path| join(folder, path).is_some_and(|path| paths.contains(&*path)))
                };
                let path = written.or_else(usual).and_then(|path| join(folder, &path));
                targets.extend(path.map(|path| Target { path, name, is_library: false }));
            }
            let package = manifest.get("package");
            if package.and_then(|package| package.get(*auto)?.as_bool()) == Some(false) {
                closed.extend(home.rsplit('/').next());
            }
        }
        Self {
            folder,
            name: manifest.get("package").and_then(|package| text(package, "name")),
            library: library.and_then(|table| text(table, "name")),
            targets,
            closed,
        }
    }

    fn target(&self, path: &str) -> Option<&Target<'m>> {
        self.targets.iter().find(|target| target.path == path)
    }

    fn crate_name(&self, path: &str) -> String {
        let inner = path[self.folder.len()..].trim_start_matches('/');
        let name = match (inner, self.target(path)) {
            ("src/lib.rs", _) | (_, Some(Target { is_library: true, .. })) => {
                self.library.or(self.name)
            }
            (_, Some(target)) => target.name,
            ("src/main.rs" | "build.rs", None) => self.name,
            _ => None,
        };
        let stem = inner.trim_end_matches(".rs").trim_end_matches("/main");
        let fallback = stem.rsplit('/').next().unwrap_or(stem);
        name.unwrap_or(fallback).replace('-', "_")
    }

    /// Whether a file in the package's own folder is a module: a crate that starts there has its modules beside it.
    fn has_module(&self, path: &str) -> bool {
        path.rsplit('/').next() != Some("build.rs")
            && self.targets.iter().any(|target| folder(&target.path) == self.folder)
    }

    /// The innermost folder around a file in which a crate starts that the manifest declares. One that is a module of the crate
    /// around it is no such folder.
    fn declared_base(&self, path: &str, paths: &BTreeSet<&str>) -> Option<&str> {
        let is_module = |base: &str| {
            [format!("{base}/mod.rs"), format!("{base}.rs")]
                .iter()
                .any(|path| paths.contains(path.as_str()))
        };
        let bases = self.targets.iter().map(|target| folder(&target.path));
        let around = bases.filter(|base| is_within(path, base) && !is_module(base));
        around.max_by_key(|base| base.len())
    }
}

/// Programs that a manifest may list, the key that says that only those are meant, and where they are by convention.
const KINDS: &[(&str, &str, &str)] = &[
    ("bin", "autobins", "src/bin"),
    ("test", "autotests", "tests"),
    ("example", "autoexamples", "examples"),
    ("bench", "autobenches", "benches"),
];
/// Folders in which crates start by convention.
const PROGRAMS: &[&str] = &["bin", "tests", "examples", "benches", "fuzz_targets"];

fn place<'p>(path: &'p str, package: &Package<'_>, paths: &BTreeSet<&str>) -> Place<'p> {
    let inner = path[package.folder.len()..].trim_start_matches('/');
    let parts: Vec<&str> = inner.split('/').collect();
    if package.target(path).is_some() || parts.len() == 1 && !package.has_module(path) {
        return Place { base: folder(path).to_owned(), below: Vec::new(), root: true };
    }
    if parts.len() == 1 {
        let base = package.folder;
        return Place { base: base.to_owned(), below: modules(path, base), root: false };
    }
    let folders = match parts.as_slice() {
        ["src", "bin", ..] => 2,
        _ => 1,
    };
    let outer = [package.folder].into_iter().filter(|folder| !folder.is_empty());
    let base = outer.chain(parts[..folders].iter().copied()).collect::<Vec<_>>().join("/");
    let below = modules(path, &base);
    let is_root = parts[folders - 1] == "src" && matches!(below[..], ["lib" | "main"])
        || PROGRAMS.contains(&parts[folders - 1])
            && !package.closed.contains(&parts[folders - 1])
            && matches!(below[..], [_] | [_, "main"]);
    if below.is_empty() || is_root && !path.ends_with("/mod.rs") {
        // `tests/x/main.rs` has its modules beside it.
        let base = if below.len() == 2 { format!("{base}/{}", below[0]) } else { base };
        return Place { base, below: Vec::new(), root: true };
    }
    if let Some(base) = program_folder(&base, &below, package, paths) {
        let below = modules(path, &base);
        return Place { base, below, root: false };
    }
    let by_convention = parts[0] == "src" || PROGRAMS.contains(&parts[0]);
    let declared = package.declared_base(path, paths);
    match declared.filter(|declared| !by_convention || declared.len() > base.len()) {
        Some(declared) => {
            Place { base: declared.to_owned(), below: modules(path, declared), root: false }
        }
        None => Place { base, below, root: false },
    }
}

/// The folder of a program of several files, `tests/x` with `tests/x/main.rs`, around the module `below` the folder of programs.
fn program_folder(
    base: &str,
    below: &[&str],
    package: &Package<'_>,
    paths: &BTreeSet<&str>,
) -> Option<String> {
    let home = base.rsplit('/').next().filter(|home| PROGRAMS.contains(home))?;
    let [first, _, ..] = below else { return None };
    let around = format!("{base}/{first}");
    let has = |path: String| paths.contains(path.as_str());
    let is_program = has(format!("{around}/main.rs")) && !has(format!("{around}/mod.rs"));
    (is_program && !package.closed.contains(&home)).then_some(around)
}

/// The names of the modules from the folder `base` to a file.
fn modules<'p>(path: &'p str, base: &str) -> Vec<&'p str> {
    let mut below: Vec<&str> = path[base.len()..].trim_start_matches('/').split('/').collect();
    if let Some(last) = below.last_mut() {
        *last = last.trim_end_matches(".rs");
    }
    below.pop_if(|last| *last == "mod");
    below
}

/// Gives the inline modules of a file their places.
fn inline_modules(program: &mut ProgramFacts<'_>, file: FileId, outline: &FileSummary) {
    for def in &outline.defs {
        if def.kind != DefKind::Namespace {
            continue;
        }
        let this = DefRef { file, def: def.id };
        let parent = match def.parent {
            Some(parent) => program.inline.get(&DefRef { file, def: parent }).copied(),
            None => Some(program.module_of[file.index()]),
        };
        let Some(parent) = parent else { continue };
        let name = outline.text(def.name);
        let full = format!("{}::{name}", program.module(parent).name);
        let name = program.intern(name);
        let module = program.add_module(full, Some(parent));
        program.modules[module.index()].defs.push(this);
        program.modules[parent.index()].children.entry(name).or_insert(module);
        program.inline.insert(this, module);
    }
}

impl CargoCrates {
    /// The library that a crate, given by its root, knows by a name.
    pub(crate) fn library(&self, root: ModId, name: &str) -> Option<ModId> {
        let renamed = self.renamed.get(&root).and_then(|renamed| renamed.get(name));
        renamed.copied().unwrap_or_else(|| self.libraries.get(name).copied())
    }

    /// Notes what the manifests call libraries, for the crates whose roots and packages are given. `libraries` are by folder.
    fn rename(
        &mut self,
        roots: &[(ModId, &str)],
        manifests: &BTreeMap<&str, toml::Table>,
        libraries: &BTreeMap<&str, ModId>,
    ) {
        let mut by_folder = BTreeMap::new();
        for (root, folder) in roots {
            let renamed: &BTreeMap<String, Option<ModId>> =
                by_folder.entry(*folder).or_insert_with(|| {
                    let named = dependency_names(folder, manifests).into_iter();
                    let module = |(name, at): (String, Option<String>)| match at {
                        Some(at) => Some((name, Some(*libraries.get(&*at)?))),
                        None => Some((name, None)),
                    };
                    let mut renamed: BTreeMap<_, _> = named.filter_map(module).collect();
                    renamed.retain(|name, module| *module != self.libraries.get(name).copied());
                    renamed
                });
            if !renamed.is_empty() {
                self.renamed.insert(*root, renamed.clone());
            }
        }
    }
}

impl ProjectModel for CargoCrates {
    fn named_modules(&self, add: &mut dyn FnMut(&str, ModId)) {
        self.libraries.iter().for_each(|(name, module)| add(name, *module));
    }

    fn hash_file(&self, program: &ProgramFacts<'_>, file: FileId, hasher: &mut FxHasher) {
        let root = program.root_module(program.module_of[file.index()]);
        for (name, library) in self.renamed.get(&root).into_iter().flatten() {
            // Two packages may have one name: the file of the library tells them apart.
            let file = library.and_then(|library| program.module(library).files.first());
            (name, file.map(|file| program.path(*file))).hash(hasher);
        }
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
