//! Swift's targets: a package's manifest says which folders they are; what is in none of them belongs to the folder it is in.

use std::collections::BTreeMap;
use std::hash::Hash;

use regex::Regex;
use rustc_hash::FxHashMap;

use rustc_hash::FxHasher;

use crate::{
    facts::Import,
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{FileId, ModId, ProgramFacts},
        project_layout::{folder, join},
    },
};
use retriever_workspace::is_within;

/// The targets by name.
#[derive(Debug, Default, Hash)]
pub(crate) struct SwiftTargets {
    by_name: BTreeMap<String, Vec<ModId>>,
    /// The module of all files, where no manifest tells targets apart.
    whole: Option<ModId>,
}

struct Target {
    name: String,
    folder: String,
}

pub(crate) fn lay_out(program: &mut ProgramFacts<'_>, project: ProjectFiles<'_>) -> SwiftTargets {
    let files = project.files;
    let mut found = SwiftTargets::default();
    if files.is_empty() {
        return found;
    }
    let mut targets = Vec::new();
    for (path, text) in project.manifests.iter().filter(|(path, _)| path.ends_with("Package.swift"))
    {
        read(program, folder(path), text, files, &mut targets);
    }
    // The deepest folder decides.
    targets.sort_by(|a, b| b.folder.len().cmp(&a.folder.len()).then(a.name.cmp(&b.name)));
    let mut modules: FxHashMap<(String, String), ModId> = FxHashMap::default();
    for file in files.iter().copied() {
        let path = program.path(file);
        let target = targets.iter().find(|target| is_within(path, &target.folder));
        let (name, place) = match target {
            Some(target) => (target.name.clone(), target.folder.clone()),
            None => undeclared(path, &targets),
        };
        let module = match modules.get(&(name.clone(), place.clone())) {
            Some(module) => *module,
            None => {
                let module = program.add_module(name.clone(), None);
                modules.insert((name.clone(), place), module);
                found.by_name.entry(name.clone()).or_default().push(module);
                if name.is_empty() && targets.is_empty() {
                    found.whole = Some(module);
                }
                module
            }
        };
        program.modules[module.index()].files.push(file);
        program.module_of[file.index()] = module;
    }
    found
}

/// Without a manifest all is one program, and folders of tests are their own.
fn undeclared(path: &str, targets: &[Target]) -> (String, String) {
    let Some((first, _)) = path.split_once('/') else { return Default::default() };
    if targets.is_empty() && !first.ends_with("Tests") {
        return Default::default();
    }
    (first.replace(' ', "_"), first.to_owned())
}

/// Reads the targets that a manifest declares.
fn read(
    program: &ProgramFacts<'_>,
    root: &str,
    text: &str,
    files: &[FileId],
    targets: &mut Vec<Target>,
) {
    let Ok(opening) = Regex::new(r"\.(target|executableTarget|testTarget|macro|plugin)\s*\(")
    else {
        return;
    };
    let (Ok(name), Ok(path)) =
        (Regex::new(r#"\bname:\s*"([^"]+)""#), Regex::new(r#"\bpath:\s*"([^"]*)""#))
    else {
        return;
    };
    let mut from = 0;
    while let Some(hit) = opening.captures_at(text, from) {
        let (Some(whole), Some(kind)) = (hit.get(0), hit.get(1)) else { return };
        let span = balanced(&text[whole.end()..]);
        // What stands inside names other targets that this one depends on.
        from = whole.end() + span.len();
        let Some(name) = name.captures(span).map(|hit| hit[1].to_owned()) else { continue };
        let folders: Vec<String> = match path.captures(span) {
            Some(hit) => vec![hit[1].trim_matches('/').to_owned()],
            None => {
                let tests = kind.as_str() == "testTarget";
                let usual: &[&str] = if tests {
                    &["Tests"]
                } else {
                    &["Sources", "Source", "src", "srcs", "Plugins"]
                };
                usual.iter().map(|above| format!("{above}/{name}")).collect()
            }
        };
        let there = |folder: &String| {
            let folder = join(root, folder)?;
            files.iter().any(|file| is_within(program.path(*file), &folder)).then_some(folder)
        };
        if let Some(folder) = folders.iter().find_map(there) {
            targets.push(Target { name, folder });
        }
    }
}

/// The text up to the parenthesis that closes the one before it.
fn balanced(text: &str) -> &str {
    let mut depth = 0;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'(' => depth += 1,
            b')' if depth == 0 => return &text[..at],
            b')' => depth -= 1,
            _ => {}
        }
    }
    text
}

impl SwiftTargets {
    pub(crate) fn module(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        import: &Import,
    ) -> Vec<ModId> {
        let Some(name) = import.module.first() else { return Vec::new() };
        let name = program.facts(file).text(*name);
        match self.by_name.get(name) {
            Some(found) => found.clone(),
            None => {
                // Tests of a program that no manifest names.
                let own = program.module_of[file.index()];
                let tests = !program.module(own).name.is_empty();
                self.whole.filter(|whole| tests && *whole != own).into_iter().collect()
            }
        }
    }
}

impl ProjectModel for SwiftTargets {
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        self.module(program, file, import)
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
