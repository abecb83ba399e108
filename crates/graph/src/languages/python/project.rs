//! Python modules: packages, namespace packages and the folders that imports start from.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    hash::Hash,
};

use rustc_hash::FxHasher;

use super::source_folders::SourceFolders;
use crate::{
    facts::Import,
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{FileId, ModId, ProgramFacts},
        project_layout::folder,
    },
};

/// Folders as modules, and those that absolute imports start from.
#[derive(Debug, Default, Hash)]
pub(crate) struct ImportRoots {
    folders: BTreeMap<String, ModId>,
    /// Folders that hold packages, modules or sources: those of most files first.
    roots: Vec<String>,
    /// Folders above these: the rest of the path to a root may be a namespace package.
    above_roots: Vec<String>,
}

pub(crate) fn lay_out(program: &mut ProgramFacts<'_>, project: ProjectFiles<'_>) -> ImportRoots {
    let mut found = ImportRoots::default();
    let files = project.files;
    let packages: BTreeSet<&str> = files
        .iter()
        .map(|file| program.path(*file))
        .filter(|path| path.ends_with("__init__.py") || path.ends_with("__init__.pyi"))
        .map(folder)
        .collect();
    let paths = files.iter().map(|file| program.path(*file)).collect();
    let sources = SourceFolders::of(&paths, &packages, project.manifests);
    found.start_at(&paths, |path| match sources.around(path) {
        Some(sources) => sources,
        None => root_of(path, &packages),
    });
    for file in files.iter().copied() {
        let path = program.path(file);
        let holder = found.folder(program, folder(path), &packages);
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let module = if stem == "__init__" {
            holder
        } else {
            let number = program.intern(stem);
            let existing = program.module(holder).children.get(&number).copied();
            let is_imported = !is_notebook(path);
            match existing.filter(|it| is_imported && program.module(*it).files.is_empty()) {
                Some(module) => module,
                None => {
                    let above = &program.module(holder).name;
                    let full =
                        if above.is_empty() { stem.to_owned() } else { format!("{above}.{stem}") };
                    let module = program.add_module(full, Some(holder));
                    if is_imported {
                        program.modules[holder.index()].children.entry(number).or_insert(module);
                    }
                    module
                }
            }
        };
        program.modules[module.index()].files.push(file);
        program.module_of[file.index()] = module;
    }
    found
}

/// Whether a file is a notebook, which no import names.
fn is_notebook(path: &str) -> bool {
    path.ends_with(".ipynb")
}

/// The folder that a file's outermost package stands in.
fn root_of<'p>(path: &'p str, packages: &BTreeSet<&str>) -> &'p str {
    let mut here = folder(path);
    while packages.contains(here) && !here.is_empty() {
        here = folder(here);
    }
    here
}

/// Returns folders by the files that they count, most first.
fn by_files(files: BTreeMap<&str, u32>) -> Vec<String> {
    let mut order: Vec<(&str, u32)> = files.into_iter().collect();
    order.sort_by_key(|(folder, files)| (Reverse(*files), *folder));
    order.into_iter().map(|(folder, _)| folder.to_owned()).collect()
}

impl ImportRoots {
    /// Finds the folders that imports start from; `root_of` says it for each file.
    fn start_at<'p>(&mut self, paths: &BTreeSet<&'p str>, root_of: impl Fn(&'p str) -> &'p str) {
        let mut roots: BTreeMap<&str, u32> = BTreeMap::new();
        for path in paths {
            *roots.entry(root_of(path)).or_default() += u32::from(!is_notebook(path));
        }
        roots.entry("").or_default();
        let mut above: BTreeMap<&str, u32> = BTreeMap::new();
        for (root, files) in &roots {
            let mut here = *root;
            while !here.is_empty() {
                here = folder(here);
                if !roots.contains_key(here) {
                    *above.entry(here).or_default() += files;
                }
            }
        }
        (self.roots, self.above_roots) = (by_files(roots), by_files(above));
    }

    fn starts(&self) -> impl Iterator<Item = &str> {
        self.roots.iter().chain(&self.above_roots).map(String::as_str)
    }

    fn folder<'p>(
        &mut self,
        program: &mut ProgramFacts<'p>,
        path: &'p str,
        packages: &BTreeSet<&str>,
    ) -> ModId {
        if let Some(known) = self.folders.get(path) {
            return *known;
        }
        let parent = (!path.is_empty()).then(|| self.folder(program, folder(path), packages));
        let own = path.rsplit('/').next().unwrap_or(path);
        let above = parent.map(|parent| program.module(parent).name.clone()).unwrap_or_default();
        let is_root = !packages.contains(path) && self.roots.iter().any(|root| root == path);
        let name = match (is_root || path.is_empty(), above.is_empty()) {
            (true, _) => String::new(),
            (false, true) => own.to_owned(),
            (false, false) => format!("{above}.{own}"),
        };
        let module = program.add_module(name, parent);
        if let Some(parent) = parent {
            let number = program.intern(own);
            program.modules[parent.index()].children.insert(number, module);
        }
        self.folders.insert(path.to_owned(), module);
        module
    }

    pub(crate) fn module(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        import: &Import,
    ) -> Option<ModId> {
        let path = program.path(file);
        let here = folder(path);
        if import.level > 0 {
            let mut base = here;
            for _ in 1..import.level {
                if base.is_empty() {
                    return None;
                }
                base = folder(base);
            }
            return self.walk(program, file, *self.folders.get(base)?, import);
        }
        let first = program.name_of(file, *import.module.first()?);
        let mut starts: Vec<&str> = Vec::new();
        // A script's own folder comes first, unless it is part of a package.
        let own = self.roots.iter().find(|root| *root == here);
        let mut above = here;
        loop {
            if self.starts().any(|start| start == above) {
                starts.push(above);
            }
            if above.is_empty() {
                break;
            }
            above = folder(above);
        }
        if let Some(own) = own {
            starts.retain(|start| start != own);
            starts.insert(0, own);
        }
        starts.extend(self.starts());
        // A folder without `__init__.py` is only a portion of a namespace package: a package or module of that name
        // that another start holds comes before it (PEP 420, "Specification").
        let mut portion = None;
        for start in starts {
            let Some(root) = self.folders.get(start) else { continue };
            let Some(top) = program.child(*root, first) else { continue };
            let found = self.walk(program, file, *root, import);
            let Some(found) = found.filter(|found| program.module_of[file.index()] != *found)
            else {
                continue;
            };
            if !program.module(top).files.is_empty() {
                return Some(found);
            }
            portion = portion.or(Some(found));
        }
        portion.or_else(|| self.beside(program, file, import))
    }

    /// Returns the module of one file beside a script that isn't in a package.
    fn beside(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Option<ModId> {
        let here = folder(program.path(file));
        let holder = *self.folders.get(here)?;
        let [name] = import.module[..] else { return None };
        if !program.module(holder).files.is_empty() {
            return None;
        }
        let found = program.child(holder, program.name_of(file, name))?;
        let is_in_other_file_of_folder =
            |it: &FileId| folder(program.path(*it)) == here && *it != file;
        program.module(found).files.iter().any(is_in_other_file_of_folder).then_some(found)
    }

    fn walk(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        from: ModId,
        import: &Import,
    ) -> Option<ModId> {
        let mut at = from;
        for part in &import.module {
            at = program.child(at, program.name_of(file, *part))?;
        }
        Some(at)
    }
}

impl ProjectModel for ImportRoots {
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        self.module(program, file, import).into_iter().collect()
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
