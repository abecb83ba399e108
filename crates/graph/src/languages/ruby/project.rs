//! Ruby: one tree of constants for all files, and classes and modules that are opened again and again.

use std::collections::BTreeMap;
use std::hash::Hash;

use rustc_hash::FxHasher;

use crate::{
    facts::{
        Import,
        top_level_summary::{FileSummary, SummarizedDef},
    },
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel},
        program_facts::{DefRef, FileId, ModId, Name, ProgramFacts},
        project_layout::{folder, join},
    },
};

/// Files as `require` names them.
#[derive(Debug, Default, Hash)]
pub(crate) struct RubyRequireTargets {
    /// Each file by its path, without the extension.
    modules: BTreeMap<String, ModId>,
}

impl RubyRequireTargets {
    /// The file that a `require` loads: beside the asking one, or below a folder that is on the load path by its name.
    pub(crate) fn module(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        import: &Import,
    ) -> Option<ModId> {
        let wanted = program.facts(file).text(*import.module.first()?);
        let wanted = wanted.strip_suffix(".rb").unwrap_or(wanted);
        if import.level > 0 {
            let path = join(folder(program.path(file)), wanted)?;
            return self.modules.get(&path).copied();
        }
        let mut found = ["lib/", ""]
            .iter()
            .filter_map(|root| self.modules.get(&format!("{root}{wanted}")).copied());
        found.next().or_else(|| {
            let end = format!("/lib/{wanted}");
            let mut ending = self.modules.iter().filter(|(path, _)| path.ends_with(&end));
            match (ending.next(), ending.next()) {
                (Some((_, only)), None) => Some(*only),
                _ => None,
            }
        })
    }
}

pub(crate) fn lay_out(
    program: &mut ProgramFacts<'_>,
    project: ProjectFiles<'_>,
) -> RubyRequireTargets {
    let mut found = RubyRequireTargets::default();
    let files = project.files;
    if files.is_empty() {
        return found;
    }
    let root = program.add_module(String::new(), None);
    // Parts that are attached to another module by their names come after parts that are declared in place.
    let mut paths: BTreeMap<Vec<Name>, Vec<(bool, DefRef)>> = BTreeMap::new();
    let mut qualified = Vec::new();
    for file in files.iter().copied() {
        program.modules[root.index()].files.push(file);
        if let Some(path) = program.path(file).strip_suffix(".rb") {
            let module = program.add_module(String::new(), None);
            program.modules[module.index()].files.push(file);
            found.modules.insert(path.to_owned(), module);
        }
        program.module_of[file.index()] = root;
        let outline = &project.summaries[file.index()];
        for def in &outline.defs {
            if !def.kind.is_type() || !outline.is_named(def) {
                continue;
            }
            let this = DefRef { file, def: def.id };
            let chain = outline.chain(def);
            if chain.iter().any(|def| def.has_receiver) {
                qualified.push((this, outline, chain));
            } else {
                let path = chain.iter().map(|def| program.intern(outline.text(def.name))).collect();
                paths.entry(path).or_default().push((def.has_receiver, this));
            }
        }
    }
    for (this, outline, chain) in qualified {
        let is_attached = chain.last().is_some_and(|def| def.has_receiver);
        let path = attached_path(program, outline, &chain, |path| paths.contains_key(path));
        paths.entry(path).or_default().push((is_attached, this));
    }
    for mut parts in paths.into_values() {
        // One that stands where its name says comes first: it is found without a look at others.
        parts.sort_unstable();
        program.join_type_parts(parts.into_iter().map(|(_, part)| part).collect());
    }
    found
}

/// Returns the path of the last definition of `chain`, which lie inside one another. `class A::B` stands below what `A` is at its
/// place, else at the top.
fn attached_path(
    program: &mut ProgramFacts<'_>,
    outline: &FileSummary,
    chain: &[&SummarizedDef],
    is_known: impl Fn(&[Name]) -> bool,
) -> Vec<Name> {
    let mut path: Vec<Name> = Vec::new();
    for def in chain {
        if !def.receiver.is_empty() {
            let above = def.receiver.iter().map(|part| outline.text(*part));
            let above = above.filter(|part| !part.is_empty());
            let above: Vec<Name> = above.map(|part| program.intern(part)).collect();
            while !path.is_empty() {
                let inner: Vec<Name> = path.iter().chain(&above).copied().collect();
                if is_known(&inner) {
                    break;
                }
                path.pop();
            }
            path.extend(above);
        }
        path.push(program.intern(outline.text(def.name)));
    }
    path
}

impl ProjectModel for RubyRequireTargets {
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        self.module(program, file, import).into_iter().collect()
    }

    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.hash(hasher);
    }
}
