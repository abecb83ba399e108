//! JavaScript and TypeScript modules: relative paths, `tsconfig.json` paths, workspace packages and what their
//! `package.json` exports.

use std::collections::BTreeMap;
use std::hash::Hash;

use serde_json::Value;

use rustc_hash::{FxHashMap, FxHasher};

use crate::{
    facts::Import,
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{FileId, ModId, ProgramFacts, project_model::PackageEntryPoint},
        project_layout::{folder, join},
    },
};

pub(super) const EXTENSIONS: &[&str] =
    &["ts", "tsx", "mts", "cts", "js", "jsx", "mjs", "cjs", "d.ts", "vue", "svelte"];

/// Packages and path aliases of the repository.
#[derive(Debug, Default, Hash)]
pub(crate) struct JavaScriptPackages {
    /// Package folder by package name.
    packages: BTreeMap<String, Package>,
    /// Compiler options by the folder of their `tsconfig.json`.
    configs: BTreeMap<String, Config>,
}

#[derive(Debug, Default, Hash)]
pub(super) struct Package {
    pub(super) folder: String,
    /// Targets of the exports map by subpath (`.`, `./x`, `./x/*`), best first.
    pub(super) exports: Vec<(String, Vec<String>)>,
    pub(super) entries: Vec<String>,
    imports: Vec<(String, Vec<String>)>,
}

#[derive(Clone, Debug, Default, Hash)]
struct Config {
    base: Option<String>,
    /// Pattern, and targets relative to the root.
    paths: Vec<(String, Vec<String>)>,
}

pub(crate) fn lay_out(
    program: &mut ProgramFacts<'_>,
    project: ProjectFiles<'_>,
) -> JavaScriptPackages {
    let mut found = JavaScriptPackages::default();
    let read: BTreeMap<&str, Value> = project
        .manifests
        .iter()
        .filter(|(path, _)| path.ends_with(".json"))
        .filter_map(|(path, text)| Some((path.as_str(), lenient(text)?)))
        .collect();
    for (path, json) in &read {
        let name = path.rsplit('/').next().unwrap_or_default();
        if name == "package.json" {
            if let Some(name) = json["name"].as_str() {
                found
                    .packages
                    .entry(name.to_owned())
                    .or_insert_with(|| package(folder(path), json));
            }
        } else if name == "tsconfig.json" || name == "jsconfig.json" {
            let config = config(path, &read, 0);
            found.configs.insert(folder(path).to_owned(), config);
        }
    }
    let packages = found.packages.iter().filter(|(_, package)| !package.folder.is_empty());
    let by_folder: FxHashMap<&str, &str> =
        packages.map(|(name, package)| (package.folder.as_str(), name.as_str())).collect();
    for file in project.files.iter().copied() {
        let path = program.path(file);
        let stem = stem(path);
        // The innermost package.
        let mut folders = path.rmatch_indices('/').map(|(end, _)| &path[..end]);
        let owner = folders.find_map(|folder| by_folder.get_key_value(folder));
        let name = match owner {
            Some((folder, name)) => format!("{name}/{}", &stem[folder.len() + 1..]),
            None => stem.to_owned(),
        };
        let module = program.add_module(name, None);
        program.modules[module.index()].files.push(file);
        program.module_of[file.index()] = module;
    }
    found
}

fn stem(path: &str) -> &str {
    EXTENSIONS.iter().find_map(|end| path.strip_suffix(end)?.strip_suffix('.')).unwrap_or(path)
}

/// Reads JSON that may have comments and trailing commas.
fn lenient(text: &str) -> Option<Value> {
    if let Ok(value) = serde_json::from_str(text) {
        return Some(value);
    }
    let mut clean = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    let mut quoted = false;
    while let Some(c) = chars.next() {
        match c {
            '\\' if quoted => {
                clean.push(c);
                clean.extend(chars.next());
            }
            '"' => {
                quoted = !quoted;
                clean.push(c);
            }
            '/' if !quoted && chars.peek() == Some(&'/') => {
                while chars.peek().is_some_and(|c| *c != '\n') {
                    chars.next();
                }
            }
            '/' if !quoted && chars.peek() == Some(&'*') => {
                chars.next();
                let mut last = ' ';
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            '}' | ']' if !quoted => {
                let end = clean.trim_end().len();
                if clean[..end].ends_with(',') {
                    clean.truncate(end - 1);
                }
                clean.push(c);
            }
            c => clean.push(c),
        }
    }
    serde_json::from_str(&clean).ok()
}

fn package(folder: &str, json: &Value) -> Package {
    let mut found = Package { folder: folder.to_owned(), ..Package::default() };
    match &json["exports"] {
        Value::Object(map) if map.keys().any(|key| key.starts_with('.')) => {
            for (key, value) in map {
                found.exports.push((key.clone(), targets(value)));
            }
        }
        Value::Null => {}
        value => found.exports.push((".".to_owned(), targets(value))),
    }
    if let Value::Object(map) = &json["imports"] {
        for (key, value) in map {
            found.imports.push((key.clone(), targets(value)));
        }
    }
    for key in ["source", "types", "typings", "module", "main"] {
        if let Some(entry) = json[key].as_str() {
            found.entries.push(entry.to_owned());
        }
    }
    found
}

/// All files that a condition tree can lead to.
fn targets(value: &Value) -> Vec<String> {
    match value {
        Value::String(path) => vec![path.clone()],
        Value::Array(values) => values.iter().flat_map(targets).collect(),
        Value::Object(map) => map.values().flat_map(targets).collect(),
        _ => Vec::new(),
    }
}

fn config(path: &str, read: &BTreeMap<&str, Value>, depth: u32) -> Config {
    let Some(json) = read.get(path).filter(|_| depth < 8) else { return Config::default() };
    let here = folder(path);
    let mut config_found = Config::default();
    let above = match &json["extends"] {
        Value::String(one) => vec![one.as_str()],
        Value::Array(many) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    };
    for above in above.into_iter().filter(|above| above.starts_with('.')) {
        let Some(target) = join(here, above) else { continue };
        for candidate in
            [target.clone(), format!("{target}.json"), format!("{target}/tsconfig.json")]
        {
            if read.contains_key(candidate.as_str()) {
                config_found = config(&candidate, read, depth + 1);
                break;
            }
        }
    }
    let options = &json["compilerOptions"];
    if let Some(base) = options["baseUrl"].as_str() {
        config_found.base = join(here, base);
    }
    if let Value::Object(map) = &options["paths"] {
        let base = config_found.base.clone().unwrap_or_else(|| here.to_owned());
        config_found.paths = map
            .iter()
            .map(|(pattern, value)| {
                let targets =
                    targets(value).iter().filter_map(|target| join(&base, target)).collect();
                (pattern.clone(), targets)
            })
            .collect();
        // The longest pattern wins.
        config_found
            .paths
            .sort_by_key(|(pattern, _)| std::cmp::Reverse(pattern.trim_end_matches('*').len()));
    }
    config_found
}

impl JavaScriptPackages {
    pub(crate) fn module(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        import: &Import,
    ) -> Option<ModId> {
        let facts = program.facts(file);
        let specifier = facts.text(*import.module.first()?);
        let specifier = specifier.split(['?']).next().unwrap_or(specifier);
        let from = program.path(file);
        let target = if specifier.starts_with('.') {
            find_file(program, &join(folder(from), specifier)?)
        } else {
            self.bare(program, from, specifier)
        }?;
        (target != file).then(|| program.module_of[target.index()])
    }

    fn bare(&self, program: &ProgramFacts<'_>, from: &str, specifier: &str) -> Option<FileId> {
        let mut here = folder(from);
        loop {
            if let Some(config) = self.configs.get(here) {
                for (pattern, targets) in &config.paths {
                    let Some(rest) = matched(pattern, specifier) else { continue };
                    for target in targets {
                        if let Some(found) = find_file(program, &target.replacen('*', rest, 1)) {
                            return Some(found);
                        }
                    }
                }
                if let Some(base) = &config.base
                    && let Some(found) =
                        join(base, specifier).and_then(|target| find_file(program, &target))
                {
                    return Some(found);
                }
                if !config.paths.is_empty() || config.base.is_some() {
                    break;
                }
            }
            if here.is_empty() {
                break;
            }
            here = folder(here);
        }
        if specifier.starts_with('#') {
            let package = self
                .packages
                .values()
                .filter(|p| from.starts_with(&p.folder))
                .max_by_key(|p| p.folder.len())?;
            return self.mapped(program, package, &package.imports, specifier);
        }
        let cut = specifier
            .match_indices('/')
            .nth(usize::from(specifier.starts_with('@')))
            .map(|(at, _)| at);
        let (name, rest) = specifier.split_at(cut.unwrap_or(specifier.len()));
        let package = self.packages.get(name)?;
        if let Some(found) = self.mapped(program, package, &package.exports, &format!(".{rest}")) {
            return Some(found);
        }
        if rest.is_empty() {
            let entries = package.entries.iter().map(String::as_str);
            return entries
                .chain(["src/index", "index", "lib/index"])
                .find_map(|entry| self.built(program, package, entry));
        }
        self.built(program, package, &rest[1..])
            .or_else(|| self.built(program, package, &format!("src{rest}")))
    }

    fn mapped(
        &self,
        program: &ProgramFacts<'_>,
        package: &Package,
        map: &[(String, Vec<String>)],
        path: &str,
    ) -> Option<FileId> {
        let mut fitting: Vec<_> = map
            .iter()
            .filter_map(|(pattern, targets)| Some((pattern, matched(pattern, path)?, targets)))
            .collect();
        fitting
            .sort_by_key(|(pattern, ..)| (pattern.contains('*'), std::cmp::Reverse(pattern.len())));
        for (_, rest, targets) in fitting {
            for target in targets {
                if let Some(found) = self.built(program, package, &target.replacen('*', rest, 1)) {
                    return Some(found);
                }
            }
        }
        None
    }

    /// A file of a package, or the source that a built file comes from.
    fn built(&self, program: &ProgramFacts<'_>, package: &Package, path: &str) -> Option<FileId> {
        let target = join(&package.folder, path)?;
        if let Some(found) = find_file(program, &target) {
            return Some(found);
        }
        let inner = target.strip_prefix(&package.folder)?.trim_start_matches('/');
        let stem = inner.trim_end_matches(".d.ts");
        let stem = stem
            .strip_suffix(".js")
            .or(stem.strip_suffix(".mjs"))
            .or(stem.strip_suffix(".cjs"))
            .unwrap_or(stem);
        let parts: Vec<&str> = stem.split('/').collect();
        // `dist/types/a/b` may come from `src/a/b` or `a/b`: drop leading folders one by one.
        for skip in 1..parts.len().min(5) {
            let rest = parts[skip..].join("/");
            for candidate in [format!("src/{rest}"), rest] {
                if let Some(found) =
                    join(&package.folder, &candidate).and_then(|target| find_file(program, &target))
                {
                    return Some(found);
                }
            }
        }
        None
    }
}

/// Returns the file that a path without its extension, or that of a folder, means.
pub(super) fn find_file(program: &ProgramFacts<'_>, target: &str) -> Option<FileId> {
    let find = |path: &str| program.by_path.get(path).copied();
    if let Some(found) = find(target) {
        return Some(found);
    }
    // A compiled name stands for its source.
    if let Some((stem, "js" | "jsx" | "mjs" | "cjs")) = target.rsplit_once('.') {
        for extension in EXTENSIONS {
            if let Some(found) = find(&format!("{stem}.{extension}")) {
                return Some(found);
            }
        }
    }
    for extension in EXTENSIONS {
        if let Some(found) = find(&format!("{target}.{extension}")) {
            return Some(found);
        }
    }
    let prefix = if target.is_empty() { String::new() } else { format!("{target}/") };
    EXTENSIONS.iter().find_map(|extension| find(&format!("{prefix}index.{extension}")))
}

/// Returns what `*` stands for when `pattern` fits; the empty text for a pattern without one.
fn matched<'a>(pattern: &str, path: &'a str) -> Option<&'a str> {
    match pattern.split_once('*') {
        Some((start, end)) => {
            let rest = path.strip_prefix(start)?;
            rest.strip_suffix(end)
        }
        None => (pattern == path).then_some(""),
    }
}

impl ProjectModel for JavaScriptPackages {
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        self.module(program, file, import).into_iter().collect()
    }

    fn entry_points(&self, program: &ProgramFacts<'_>) -> Vec<PackageEntryPoint> {
        self.packages
            .iter()
            .flat_map(|(name, package)| package.entry_points(program, name))
            .collect()
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
