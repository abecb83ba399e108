//! Packages by declared name, for languages whose files say which package they are part of.

use crate::{
    facts::{Sym, summary::FileSummary},
    index::resolve::world::{FileId, ModId, World},
    languages::Family,
};

use super::{files_of, namespaces};

/// The package that all others are in, by family.
#[derive(Debug, Default, Hash)]
pub(crate) struct Packages {
    roots: Vec<(Family, ModId)>,
}

pub(crate) fn lay_out(
    world: &mut World<'_>,
    outlines: &[FileSummary],
    family: Family,
    found: &mut Packages,
) {
    let files = files_of(world, family);
    if files.is_empty() {
        return;
    }
    let separator = family.separator();
    let root = world.add_module(String::new(), None);
    found.roots.push((family, root));
    for file in files {
        let mut at = root;
        let outline = &outlines[file.index()];
        for part in &outline.package {
            at = namespaces::child(world, at, outline.text(*part), separator);
        }
        world.modules[at.index()].files.push(file);
        world.module_of[file.index()] = at;
    }
}

impl Packages {
    pub(crate) fn root(&self, family: Family) -> Option<ModId> {
        self.roots.iter().find(|(known, _)| *known == family).map(|(_, root)| *root)
    }

    /// The package that the longest start of a path names, and the rest of the path.
    pub(crate) fn longest<'a>(
        &self,
        world: &World<'_>,
        file: FileId,
        path: &'a [Sym],
    ) -> Option<(ModId, &'a [Sym])> {
        let mut at = self.root(world.family(file))?;
        for (place, part) in path.iter().enumerate() {
            match world.module(at).children.get(&world.sym(file, *part)) {
                Some(child) => at = *child,
                None => return Some((at, &path[place..])),
            }
        }
        Some((at, &[]))
    }
}
