//! Packages by declared name, for languages whose files say which package they are part of.

use crate::{
    facts::{Sym, summary::FileSummary},
    languages::Family,
    resolve::{
        program::{FileId, ModId, Program},
        project_layout::{files_of, namespaces},
    },
};

/// The package that all others are in, by family.
#[derive(Debug, Default, Hash)]
pub(crate) struct Packages {
    roots: Vec<(Family, ModId)>,
}

pub(crate) fn lay_out(
    program: &mut Program<'_>,
    outlines: &[FileSummary],
    family: Family,
    found: &mut Packages,
) {
    let files = files_of(program, family);
    if files.is_empty() {
        return;
    }
    let separator = family.separator();
    let root = program.add_module(String::new(), None);
    found.roots.push((family, root));
    for file in files {
        let mut at = root;
        let outline = &outlines[file.index()];
        for part in &outline.package {
            at = namespaces::child(program, at, outline.text(*part), separator);
        }
        program.modules[at.index()].files.push(file);
        program.module_of[file.index()] = at;
    }
}

impl Packages {
    pub(crate) fn root(&self, family: Family) -> Option<ModId> {
        self.roots.iter().find(|(known, _)| *known == family).map(|(_, root)| *root)
    }

    /// The package that the longest start of a path names, and the rest of the path.
    pub(crate) fn longest<'a>(
        &self,
        program: &Program<'_>,
        file: FileId,
        path: &'a [Sym],
    ) -> Option<(ModId, &'a [Sym])> {
        let mut at = self.root(program.family(file))?;
        for (place, part) in path.iter().enumerate() {
            match program.module(at).children.get(&program.name_of(file, *part)) {
                Some(child) => at = *child,
                None => return Some((at, &path[place..])),
            }
        }
        Some((at, &[]))
    }
}
