//! Packages by declared name, for languages whose files say which package they are part of.

use crate::{
    facts::{Sym, top_level_summary::FileSummary},
    graph_model::LanguageFamily,
    resolve::{
        program_facts::{FileId, ModId, ProgramFacts, project_model::RootPackages},
        project_layout::namespaces,
    },
};

impl RootPackages {
    /// Makes the packages that the files of a family declare.
    pub(super) fn lay_out(
        &mut self,
        program: &mut ProgramFacts<'_>,
        files: &[FileId],
        summaries: &[FileSummary],
        family: LanguageFamily,
    ) {
        let Some(first) = files.first() else { return };
        let separator = program.capabilities(*first).separator;
        let root = program.add_module(String::new(), None);
        self.roots.push((family, root));
        for file in files {
            let mut at = root;
            let summary = &summaries[file.index()];
            for part in &summary.package {
                at = namespaces::child(program, at, summary.text(*part), separator);
            }
            program.modules[at.index()].files.push(*file);
            program.module_of[file.index()] = at;
        }
    }

    /// The package that the longest start of a path names, and the rest of the path.
    pub(crate) fn longest<'a>(
        &self,
        program: &ProgramFacts<'_>,
        file: FileId,
        path: &'a [Sym],
    ) -> Option<(ModId, &'a [Sym])> {
        let mut at = self.root(program.family(file))?;
        for (place, part) in path.iter().enumerate() {
            match program.child(at, program.name_of(file, *part)) {
                Some(child) => at = child,
                None => return Some((at, &path[place..])),
            }
        }
        Some((at, &[]))
    }
}
