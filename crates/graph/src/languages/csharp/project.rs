//! C#: namespaces of all files together, types in several parts, projects with the namespaces that they import
//! everywhere, and extension methods by name.

use std::{
    collections::BTreeMap,
    hash::{Hash, Hasher},
};

use rustc_hash::FxHasher;

use crate::{
    facts::{DefFlags, DefKind, ImportId, ImportSelection, Sym, top_level_summary::ImportScope},
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{DefRef, FileId, ModId, Name, ProgramFacts},
        project_layout::{folder, module_layout_fingerprint::path_hash},
    },
};
use retriever_workspace::is_within;

/// The parts of projects that belong to no single file.
#[derive(Debug, Default)]
pub(crate) struct CSharpProjects {
    /// Methods whose first parameter is the value that they are called on.
    pub(crate) extensions: BTreeMap<Name, Vec<DefRef>>,
    /// For each file, the imports that its project makes everywhere.
    pub(crate) global: BTreeMap<FileId, Vec<(FileId, ImportId)>>,
    /// The same, of namespaces that a project file names.
    pub(crate) named: BTreeMap<FileId, Vec<ModId>>,
    /// The same, of types whose members it names.
    pub(crate) named_types: BTreeMap<FileId, Vec<DefRef>>,
    /// The same, of what is in no file of the repository.
    outside: BTreeMap<FileId, Vec<String>>,
}

impl Hash for CSharpProjects {
    /// Leaves out extension methods, which are looked up by name, and what is outside.
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        (&self.global, &self.named, &self.named_types).hash(hasher);
    }
}

pub(crate) fn lay_out(program: &mut ProgramFacts<'_>, project: ProjectFiles<'_>) -> CSharpProjects {
    let mut found = CSharpProjects::default();
    let files = project.files;
    let Some(root) = files.first().and_then(|file| project.packages.root(program.family(*file)))
    else {
        return found;
    };
    let mut types: BTreeMap<(ModId, Vec<Name>, u32), Vec<DefRef>> = BTreeMap::new();
    for file in files {
        let outline = &project.summaries[file.index()];
        crate::resolve::project_layout::namespaces::join(program, *file, outline);
        for def in &outline.defs {
            let this = DefRef { file: *file, def: def.id };
            if def.flags.has(DefFlags::SELF_PARAM) {
                let name = program.intern(outline.text(def.name));
                found.extensions.entry(name).or_default().push(this);
            }
            if def.kind.is_type() && def.kind != DefKind::Enum {
                let chain = outline.chain(def).into_iter();
                let path = chain.map(|def| program.intern(outline.text(def.name))).collect();
                let module = match def.home {
                    ImportScope::Inside(def) => {
                        program.inline.get(&DefRef { file: *file, def }).copied()
                    }
                    ImportScope::File | ImportScope::Nowhere => None,
                };
                let module = module.unwrap_or(program.module_of[file.index()]);
                types.entry((module, path, def.type_params)).or_default().push(this);
            }
        }
    }
    let mut outer_types = BTreeMap::new();
    for ((module, path, _), mut parts) in types {
        // The part in the file that is named like the type comes first: the other parts only add to it.
        if let Some(name) = path.last() {
            let name = program.text(*name);
            parts.sort_by_key(|part| {
                let file = program.path(part.file).rsplit('/').next().unwrap_or_default();
                let stem = file.strip_suffix(".cs").unwrap_or(file);
                stem.strip_suffix(name).is_none_or(|rest| !rest.is_empty() && !rest.ends_with('.'))
            });
        }
        if let ([name], Some(part)) = (path.as_slice(), parts.first()) {
            outer_types.entry((module, *name)).or_insert(*part);
        }
        program.join_type_parts(parts);
    }
    globals(program, project, root, &outer_types, &mut found);
    found
}

fn globals(
    program: &ProgramFacts<'_>,
    project: ProjectFiles<'_>,
    root: ModId,
    types: &BTreeMap<(ModId, Name), DefRef>,
    found: &mut CSharpProjects,
) {
    let ProjectFiles { files, manifests, .. } = project;
    let mut homes: Vec<&str> = manifests
        .iter()
        .filter(|(path, _)| path.ends_with(".csproj"))
        .map(|(path, _)| folder(path))
        .collect();
    homes.sort_unstable_by_key(|home| std::cmp::Reverse(home.len()));
    let module_of_scope =
        |path: &str| homes.iter().copied().find(|home| is_within(path, home)).unwrap_or("");
    let mut imports: BTreeMap<&str, Vec<(FileId, ImportId)>> = BTreeMap::new();
    for file in files {
        for import in project.summaries[file.index()].imports.iter().filter(|import| import.public)
        {
            let home = module_of_scope(program.path(*file));
            imports.entry(home).or_default().push((*file, import.id));
        }
    }
    for file in files {
        let path = program.path(*file);
        if let Some(given) = imports.get(module_of_scope(path)) {
            found.global.insert(*file, given.clone());
        }
        let above = manifests.iter().filter(|(manifest, _)| {
            let project =
                manifest.ends_with(".csproj") && folder(manifest) == module_of_scope(path);
            let shared = manifest.ends_with("Directory.Build.props")
                || manifest.ends_with("Directory.Build.targets");
            project || shared && is_within(path, folder(manifest))
        });
        let above: Vec<&str> = above.map(|(_, text)| text.as_str()).collect();
        if above.iter().any(|text| IMPLICIT.iter().any(|sign| text.contains(sign))) {
            let opened = IMPLICIT_USINGS.iter().filter_map(|name| walk(program, root, name));
            found.named.entry(*file).or_default().extend(opened);
        }
        for name in above.into_iter().flat_map(included) {
            let named_type = || {
                let (space, name) = name.rsplit_once('.')?;
                types.get(&(walk(program, root, space)?, program.intern(name))).copied()
            };
            if let Some(module) = walk(program, root, name) {
                found.named.entry(*file).or_default().push(module);
            } else if let Some(named) = named_type() {
                found.named_types.entry(*file).or_default().push(named);
            } else {
                found.outside.entry(*file).or_default().push(name.to_owned());
            }
        }
    }
}

/// How a project file asks for [`IMPLICIT_USINGS`].
const IMPLICIT: [&str; 2] =
    ["<ImplicitUsings>enable</ImplicitUsings>", "<ImplicitUsings>true</ImplicitUsings>"];
/// What the build opens in each file then. A repository may add types to these namespaces.
const IMPLICIT_USINGS: [&str; 7] = [
    "System",
    "System.Collections.Generic",
    "System.IO",
    "System.Linq",
    "System.Net.Http",
    "System.Threading",
    "System.Threading.Tasks",
];

/// The namespaces and types in `<Using Include="…" />`.
fn included(text: &str) -> impl Iterator<Item = &str> {
    text.split("<Using Include=\"").skip(1).filter_map(|rest| rest.split('"').next())
}

fn walk(program: &ProgramFacts<'_>, root: ModId, path: &str) -> Option<ModId> {
    path.split('.')
        .try_fold(root, |at, part| program.module(at).children.get(&program.intern(part)).copied())
}

impl ProjectModel for CSharpProjects {
    fn opened_modules(&self, program: &ProgramFacts<'_>) -> Vec<(FileId, Vec<String>)> {
        let mut opened = Vec::new();
        for (file, imports) in &self.global {
            for (home, id) in imports {
                let import = program.facts(*home).import(*id);
                if import.taken == ImportSelection::All {
                    let text = |part: &Sym| program.text(program.name_of(*home, *part)).to_owned();
                    opened.push((*file, import.module.iter().map(text).collect()));
                }
            }
        }
        for (file, names) in &self.outside {
            let parts = |name: &String| name.split('.').map(str::to_owned).collect();
            opened.extend(names.iter().map(|name| (*file, parts(name))));
        }
        opened
    }

    fn hash_file(&self, program: &ProgramFacts<'_>, file: FileId, hasher: &mut FxHasher) {
        for (from, import) in self.global.get(&file).into_iter().flatten() {
            (program.path(*from), import.0).hash(hasher);
        }
        for module in self.named.get(&file).into_iter().flatten() {
            path_hash(program, *module).hash(hasher);
        }
        for named in self.named_types.get(&file).into_iter().flatten() {
            (program.path(named.file), named.def.0).hash(hasher);
        }
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
