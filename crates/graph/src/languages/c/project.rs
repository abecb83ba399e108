//! C and C++: which files a file includes, directly and through others, and the namespaces of all files together.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use retriever_workspace::shared_folders;
use rustc_hash::FxHasher;

use crate::{
    facts::{DefFlags, DefKind, top_level_summary::FileSummary},
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{DefRef, FileId, ModId, ProgramFacts},
        project_layout::{folder, join},
    },
};

/// The files whose declarations a file sees.
#[derive(Debug, Default, Hash)]
pub(crate) struct IncludedFiles {
    /// By file, itself included, in order.
    seen: Vec<Box<[FileId]>>,
    /// By file, those that see it, in order.
    seen_by: Vec<Vec<FileId>>,
    /// Hashes of the paths of what each file sees.
    seen_hashes: Vec<u64>,
    /// Namespaces that macros open, by their full names.
    opened: BTreeSet<String>,
}

pub(crate) fn lay_out(program: &mut ProgramFacts<'_>, project: ProjectFiles<'_>) -> IncludedFiles {
    let files = project.files;
    if files.is_empty() {
        return IncludedFiles::default();
    }
    let root = program.add_module(String::new(), None);
    let mut by_name: BTreeMap<&str, Vec<FileId>> = BTreeMap::new();
    for file in files {
        program.modules[root.index()].files.push(*file);
        program.module_of[file.index()] = root;
        let path = program.path(*file);
        by_name.entry(path.rsplit('/').next().unwrap_or(path)).or_default().push(*file);
    }
    let included = |file: &FileId| {
        let outline = &project.summaries[file.index()];
        (*file, included(program, *file, outline, &by_name))
    };
    let direct: BTreeMap<FileId, Vec<FileId>> = files.iter().map(included).collect();
    let mut found = IncludedFiles {
        seen: vec![Box::default(); program.len()],
        seen_by: vec![Vec::new(); program.len()],
        seen_hashes: vec![0; program.len()],
        opened: BTreeSet::new(),
    };
    let path_hash = |file: &FileId| {
        let mut hasher = FxHasher::default();
        program.path(*file).hash(&mut hasher);
        hasher.finish()
    };
    let path_hashes: BTreeMap<FileId, u64> =
        files.iter().map(|file| (*file, path_hash(file))).collect();
    for file in files {
        let mut seen = BTreeSet::from([*file]);
        let mut open = vec![*file];
        while let Some(at) = open.pop() {
            for next in direct.get(&at).into_iter().flatten() {
                if seen.insert(*next) {
                    open.push(*next);
                }
            }
        }
        seen.iter().for_each(|other| found.seen_by[other.index()].push(*file));
        let mut hasher = FxHasher::default();
        seen.iter().for_each(|other| path_hashes.get(other).hash(&mut hasher));
        found.seen_hashes[file.index()] = hasher.finish();
        found.seen[file.index()] = seen.into_iter().collect();
    }
    for file in files.iter().copied() {
        namespaces(program, file, &project.summaries[file.index()], root, &mut found.opened);
    }
    found
}

fn included(
    program: &ProgramFacts<'_>,
    file: FileId,
    outline: &FileSummary,
    by_name: &BTreeMap<&str, Vec<FileId>>,
) -> Vec<FileId> {
    let here = folder(program.path(file));
    let mut found = Vec::new();
    for path in outline.imports.iter().filter_map(|import| import.includes) {
        let path = outline.text(path);
        let beside = join(here, path).and_then(|path| program.by_path.get(path.as_str()).copied());
        let target = beside.or_else(|| {
            // Include folders aren't known: the file whose path ends so, nearest first.
            let name = path.rsplit('/').next().unwrap_or(path);
            let clean = path.trim_start_matches("../").trim_start_matches("./");
            let fits = |file: &&FileId| {
                let full = program.path(**file);
                full == clean || full.ends_with(&format!("/{clean}"))
            };
            let candidates = by_name.get(name).map_or(&[][..], Vec::as_slice).iter().filter(fits);
            candidates.copied().max_by_key(|file| {
                (shared_folders(here, program.path(*file)), std::cmp::Reverse(*file))
            })
        });
        found.extend(target);
    }
    found
}

/// Joins the namespaces of a file into the tree that all files share, from `root` on; notes in `opened` those of macros.
fn namespaces(
    program: &mut ProgramFacts<'_>,
    file: FileId,
    outline: &FileSummary,
    root: ModId,
    opened: &mut BTreeSet<String>,
) {
    for def in &outline.defs {
        if def.kind != DefKind::Namespace {
            continue;
        }
        let this = DefRef { file, def: def.id };
        let parent = match def.parent {
            Some(parent) => {
                program.inline.get(&DefRef { file, def: parent }).copied().unwrap_or(root)
            }
            None => root,
        };
        let text = outline.text(def.name);
        let name = program.intern(text);
        if text.is_empty() || text == "inline" {
            // An unnamed namespace is the one around it.
            program.inline.insert(this, parent);
            continue;
        }
        let module = match program.module(parent).children.get(&name) {
            Some(module) => *module,
            None => {
                let above = &program.module(parent).name;
                let full =
                    if above.is_empty() { text.to_owned() } else { format!("{above}::{text}") };
                let module = program.add_module(full, Some(parent));
                program.modules[parent.index()].children.insert(name, module);
                module
            }
        };
        if def.flags.has(DefFlags::DECLARATION) {
            opened.insert(program.module(module).name.clone());
        }
        program.modules[module.index()].files.push(file);
        program.inline.insert(this, module);
    }
}

impl IncludedFiles {
    /// No file sees another.
    pub(crate) const NONE: &Self = &Self {
        seen: Vec::new(),
        seen_by: Vec::new(),
        seen_hashes: Vec::new(),
        opened: BTreeSet::new(),
    };

    /// Whether a macro opens the namespace of that full name, so that what is in it seems to be outside.
    pub(crate) fn is_opened(&self, namespace: &str) -> bool {
        self.opened.contains(namespace)
    }

    /// Whether `file` includes a header of the folder that `other` is in.
    pub(crate) fn near(&self, program: &ProgramFacts<'_>, file: FileId, other: FileId) -> bool {
        let home = folder(program.path(other));
        self.seen(file)
            .iter()
            .any(|seen| folder(program.path(*seen)) == home && program.path(*seen).ends_with(".h"))
    }

    /// Whether `file` sees what `other` declares.
    pub(crate) fn sees(&self, file: FileId, other: FileId) -> bool {
        file == other || self.seen(file).binary_search(&other).is_ok()
    }

    /// Whether a file that includes `file` sees what `other` declares.
    pub(crate) fn meets(&self, file: FileId, other: FileId) -> bool {
        let around = self.seen_by.get(file.index()).map_or(&[][..], Vec::as_slice);
        around.iter().any(|around| self.sees(*around, other))
    }

    fn seen(&self, file: FileId) -> &[FileId] {
        self.seen.get(file.index()).map_or(&[], |seen| seen)
    }
}

impl ProjectModel for IncludedFiles {
    fn hash_file(&self, program: &ProgramFacts<'_>, file: FileId, hasher: &mut FxHasher) {
        for around in self.seen_by.get(file.index()).into_iter().flatten() {
            program.path(*around).hash(hasher);
            self.seen_hashes.get(around.index()).hash(hasher);
        }
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
