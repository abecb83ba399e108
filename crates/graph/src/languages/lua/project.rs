//! Lua modules: the files that `require` finds by the folders that programs and packages are searched from, and by what
//! rockspecs list; and the table of globals, which all files share.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hash;
use std::sync::LazyLock;

use regex::Regex;
use rustc_hash::FxHasher;

use crate::{
    facts::{DefKind, Import},
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{DefRef, FileId, ModId, ProgramFacts},
        project_layout::{folder, join},
    },
};

/// Names of folders that hold modules by their full names.
const ROOTS: &[&str] = &["lib", "lua", "src"];

/// Where modules are.
#[derive(Debug, Default, Hash)]
pub(super) struct LuaModules {
    /// Folders that the names of modules start from.
    roots: BTreeSet<String>,
    /// Files of modules that rockspecs list, by name.
    listed: BTreeMap<String, String>,
    /// The module of what files define without `local`.
    pub(super) globals: Option<ModId>,
}

pub(super) fn lay_out(program: &mut ProgramFacts<'_>, project: ProjectFiles<'_>) -> LuaModules {
    let mut found = LuaModules { listed: listed(project.manifests), ..LuaModules::default() };
    for file in project.files {
        let mut above = folder(program.path(*file));
        while !above.is_empty() {
            let name = above.rsplit('/').next().unwrap_or(above);
            if ROOTS.contains(&name) {
                found.roots.insert(above.to_owned());
            }
            above = folder(above);
        }
    }
    if project.files.is_empty() {
        return found;
    }
    let globals = program.add_module(String::new(), None);
    found.globals = Some(globals);
    for file in project.files.iter().copied() {
        let name = found.module_name(program.path(file));
        let module = program.add_module(name, None);
        program.modules[module.index()].files.push(file);
        program.module_of[file.index()] = module;
        let summary = &project.summaries[file.index()];
        for def in summary.defs.iter().filter(|def| def.kind == DefKind::Namespace) {
            program.inline.insert(DefRef { file, def: def.id }, globals);
            program.modules[globals.index()].files.push(file);
        }
    }
    found
}

/// Returns the modules that rockspecs list, with the paths of their files.
fn listed(manifests: &[(String, String)]) -> BTreeMap<String, String> {
    static ENTRY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?:\[\s*["']([\w.\-]+)["']\s*\]|\b(\w+))\s*=\s*["']([\w./\-]+\.lua)["']"#)
            .ok()
    });
    let mut listed = BTreeMap::new();
    for (path, text) in manifests.iter().filter(|(path, _)| path.ends_with(".rockspec")) {
        for entry in ENTRY.iter().flat_map(|entry| entry.captures_iter(text)) {
            let name = entry.get(1).or(entry.get(2)).map_or("", |name| name.as_str());
            if let Some(file) = join(folder(path), &entry[3]) {
                listed.entry(name.to_owned()).or_insert(file);
            }
        }
    }
    listed
}

impl LuaModules {
    /// The name by which a file is required, as far as its path says.
    fn module_name(&self, path: &str) -> String {
        let stem = path.strip_suffix(".lua").unwrap_or(path);
        let is_above = |root: &&String| {
            stem.strip_prefix(root.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        let root = self.roots.iter().filter(is_above).min_by_key(|root| root.len());
        let name = root.map_or(stem, |root| &stem[root.len() + 1..]);
        name.strip_suffix("/init").unwrap_or(name).replace('/', ".")
    }

    fn file(&self, program: &ProgramFacts<'_>, from: FileId, import: &Import) -> Option<FileId> {
        let facts = program.facts(from);
        let name = facts.text(*import.module.first()?);
        let path = program.path(from);
        let relative = if name.contains('/') { name.to_owned() } else { name.replace('.', "/") };
        let relative = relative.trim_start_matches("./").trim_matches('/');
        let find = |folder: &str| {
            let stem = join(folder, relative)?;
            let find = |path: String| program.by_path.get(path.as_str()).copied();
            let found = find(format!("{stem}.lua")).filter(|found| *found != from);
            found.or_else(|| find(format!("{stem}/init.lua")).filter(|found| *found != from))
        };
        if import.level > 0 {
            return find(folder(path));
        }
        if let Some(file) = self.listed.get(name).and_then(|it| program.by_path.get(it.as_str())) {
            return Some(*file);
        }
        let mut above = folder(path);
        loop {
            if let Some(file) = find(above)
                .or_else(|| ROOTS.iter().find_map(|root| find(join(above, root)?.as_str())))
            {
                return Some(file);
            }
            if above.is_empty() {
                break;
            }
            above = folder(above);
        }
        let mut elsewhere = self.roots.iter().filter_map(|root| find(root));
        let first = elsewhere.next()?;
        // The same name below several roots says nothing.
        elsewhere.all(|other| other == first).then_some(first)
    }
}

impl ProjectModel for LuaModules {
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        let found = self.file(program, file, import);
        found.map(|found| program.module_of[found.index()]).into_iter().collect()
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        (&self.roots, &self.listed).hash(hasher);
    }
}
