//! Where the sources of Python projects are: the folder of a manifest, or those below it that the manifest names or that
//! build backends take when none is named (`src`).

use std::collections::{BTreeMap, BTreeSet};

use retriever_workspace::is_within;

use crate::resolve::project_layout::{folder, join};

/// Where `pyproject.toml` says which folders hold the sources, by the tools that read it. A list or a string, each a folder.
const FOLDERS: &[&[&str]] = &[
    &["tool", "setuptools", "packages", "find", "where"],
    &["tool", "setuptools", "package-dir", ""],
    &["tool", "pdm", "build", "package-dir"],
    &["tool", "uv", "build-backend", "module-root"],
    &["tool", "maturin", "python-source"],
    &["tool", "hatch", "build", "sources"],
    &["tool", "hatch", "build", "targets", "wheel", "sources"],
    &["tool", "pytest", "ini_options", "pythonpath"],
];
/// Where it lists packages by their folders: the sources are in the folder above.
const PACKAGES: &[&[&str]] = &[
    &["tool", "hatch", "build", "packages"],
    &["tool", "hatch", "build", "targets", "wheel", "packages"],
];

/// Folders with sources by the folder of the manifest that they belong to.
#[derive(Default)]
pub(super) struct SourceFolders<'m>(BTreeMap<&'m str, Vec<String>>);

impl<'m> SourceFolders<'m> {
    /// Returns those of a tree with these files and manifests; `packages` are the folders with an `__init__.py`.
    pub(super) fn of(
        paths: &BTreeSet<&'m str>,
        packages: &BTreeSet<&str>,
        manifests: &'m [(String, String)],
    ) -> Self {
        let mut found = Self::default();
        for path in paths.iter().filter(|path| path.rsplit('/').next() == Some("setup.py")) {
            found.0.entry(folder(path)).or_default();
        }
        for (path, text) in manifests {
            let folders = match path.rsplit('/').next() {
                Some("pyproject.toml") => in_pyproject(text),
                Some("setup.cfg") => in_setup_cfg(text),
                _ => continue,
            };
            let here = folder(path);
            let folders = folders.iter().filter_map(|named| join(here, named));
            found.0.entry(here).or_default().extend(folders);
        }
        let folders: BTreeSet<&str> = paths.iter().map(|path| folder(path)).collect();
        for (home, named) in &mut found.0 {
            named.sort();
            named.dedup();
            named.retain(|it| it != home && !packages.contains(it.as_str()));
            let usual = join(home, "src").unwrap_or_default();
            // Scripts in it import what stands beside them.
            let is_usual = !folders.contains(usual.as_str());
            if named.is_empty() && is_usual {
                named.push(usual);
            }
        }
        found
    }

    /// Returns the folder with sources that a file is in, unless it is that of the manifest.
    pub(super) fn around(&self, path: &str) -> Option<&str> {
        let mut here = folder(path);
        loop {
            if let Some(named) = self.0.get(here) {
                let around = named.iter().filter(|named| is_within(path, named));
                return around.max_by_key(|named| named.len()).map(String::as_str);
            }
            if here.is_empty() {
                return None;
            }
            here = folder(here);
        }
    }
}

fn in_pyproject(text: &str) -> Vec<String> {
    let Ok(table) = text.parse::<toml::Table>() else { return Vec::new() };
    let at = |keys: &[&str]| {
        let (first, rest) = keys.split_first()?;
        rest.iter().try_fold(table.get(*first)?, |at, key| at.get(*key))
    };
    let strings = |value: &toml::Value| -> Vec<String> {
        let one = value.as_str().map(str::to_owned);
        let many = value.as_array().into_iter().flatten();
        one.into_iter().chain(many.filter_map(|it| Some(it.as_str()?.to_owned()))).collect()
    };
    let mut found: Vec<String> =
        FOLDERS.iter().filter_map(|keys| at(keys)).flat_map(strings).collect();
    let packages = PACKAGES.iter().filter_map(|keys| at(keys)).flat_map(strings);
    found.extend(packages.map(|package| folder(package.trim_end_matches('/')).to_owned()));
    let included = at(&["tool", "poetry", "packages"]).and_then(toml::Value::as_array);
    let included = included.into_iter().flatten();
    found.extend(included.filter_map(|it| Some(it.get("from")?.as_str()?.to_owned())));
    found
}

/// Reads `package_dir` of `[options]` and `where` of `[options.packages.find]`.
fn in_setup_cfg(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let (mut section, mut key) = ("", "");
    for line in text.lines().filter(|line| !line.trim_start().starts_with(['#', ';'])) {
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, key) = (name, "");
            continue;
        }
        let mut value = trimmed;
        if !line.starts_with(char::is_whitespace)
            && let Some((name, rest)) = trimmed.split_once('=')
        {
            (key, value) = (name.trim_end(), rest.trim_start());
        }
        let named = match (section, key) {
            // A line is `package = folder`; all packages have no name.
            ("options", "package_dir" | "package-dir") => value.strip_prefix('=').map(str::trim),
            ("options.packages.find" | "options.packages.find_namespace", "where") => Some(value),
            _ => None,
        };
        found.extend(named.filter(|named| !named.is_empty()).map(str::to_owned));
    }
    found
}
