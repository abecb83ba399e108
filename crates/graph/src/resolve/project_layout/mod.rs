//! Where modules are: how imports lead to files, from paths and from manifests. What a language's projects look like is
//! said by its [`ProjectModel`](crate::resolve::program_facts::project_model::ProjectModel).

pub(crate) mod module_layout_fingerprint;
pub(crate) mod namespaces;
pub(crate) mod packages;

use crate::{
    facts::top_level_summary::FileSummary,
    graph_model::LanguageFamily,
    resolve::{
        language_resolution_rules::LanguageRules,
        program_facts::project_model::ProjectFiles,
        program_facts::{FileId, ProgramFacts, number},
    },
};

/// Gives every file its module.
pub(crate) fn lay_out(
    program: &mut ProgramFacts<'_>,
    languages: LanguageRules,
    summaries: &[FileSummary],
    manifests: &[(String, String)],
) {
    let root = program.add_module(String::new(), None);
    program.module_of = vec![root; program.len()];
    for language in languages.families.iter().copied().chain((languages.outlined)()) {
        let family = language.family();
        let files = files_of(program, family);
        let mut packages = std::mem::take(&mut program.layout.packages);
        if (languages.of)(language).capabilities().declares_packages {
            packages.lay_out(program, &files, summaries, family);
        }
        let project = ProjectFiles { files: &files, summaries, manifests, packages: &packages };
        let model = (languages.layout)(language).and_then(|lay_out| lay_out(program, project));
        program.layout.packages = packages;
        if let Some(model) = model {
            program.layout.models.insert(family, model);
        }
    }
}

/// The files of one family.
fn files_of(program: &ProgramFacts<'_>, family: LanguageFamily) -> Vec<FileId> {
    (0..program.len())
        .map(|at| FileId(number(at)))
        .filter(|file| program.family(*file) == family)
        .collect()
}

pub(crate) fn folder(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Joins a folder and a path relative to it; `None` when it leads out of the root.
pub(crate) fn join(folder: &str, relative: &str) -> Option<String> {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
