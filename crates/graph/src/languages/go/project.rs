//! Go packages: a folder is a package, its import path follows from the nearest `go.mod`.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHasher;

use crate::{
    facts::Import,
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{FileId, ModId, ProgramFacts},
        project_layout::folder,
    },
};

#[derive(Debug, Default, Hash)]
pub(crate) struct GoPackages {
    by_path: BTreeMap<String, ModId>,
}

pub(crate) fn lay_out(program: &mut ProgramFacts<'_>, project: ProjectFiles<'_>) -> GoPackages {
    let mut found = GoPackages::default();
    let roots: BTreeMap<&str, &str> = project
        .manifests
        .iter()
        .filter(|(path, _)| path.rsplit('/').next() == Some("go.mod"))
        .filter_map(|(path, text)| {
            let module = text.lines().find_map(|line| line.trim().strip_prefix("module"))?;
            Some((folder(path), module.split("//").next()?.trim().trim_matches('"')))
        })
        .collect();
    for file in project.files.iter().copied() {
        let path = program.path(file);
        let here = folder(path);
        let outline = &project.summaries[file.index()];
        let declared = outline.package.first().map_or("", |name| outline.text(*name));
        let mut import_path = import_path(here, &roots);
        if declared.ends_with("_test") && path.ends_with("_test.go") {
            // Tests from outside the package see it through an import.
            import_path.push_str("_test");
        }
        let module = match found.by_path.get(&import_path) {
            Some(module) => *module,
            None => {
                let module = program.add_module(import_path.clone(), None);
                found.by_path.insert(import_path, module);
                module
            }
        };
        program.modules[module.index()].files.push(file);
        program.module_of[file.index()] = module;
    }
    found
}

fn import_path(here: &str, roots: &BTreeMap<&str, &str>) -> String {
    let mut root = here;
    loop {
        if let Some(module) = roots.get(root) {
            let rest = here[root.len()..].trim_start_matches('/');
            return if rest.is_empty() { (*module).to_owned() } else { format!("{module}/{rest}") };
        }
        if root.is_empty() {
            return here.to_owned();
        }
        root = folder(root);
    }
}

impl GoPackages {
    pub(crate) fn module(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        import: &Import,
    ) -> Option<ModId> {
        let path = program.facts(file).text(*import.module.first()?);
        self.by_path.get(path).copied()
    }
}

impl ProjectModel for GoPackages {
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        self.module(program, file, import).into_iter().collect()
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
