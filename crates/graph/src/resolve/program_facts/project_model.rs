//! Where modules are, as data: the packages that files declare, and the model of each family's projects. How a language's
//! projects look is said by its [`ProjectModel`].

use std::{any::Any, hash::Hash};

use rustc_hash::FxHasher;

use crate::{
    facts::{Import, top_level_summary::FileSummary},
    graph_model::LanguageFamily,
    resolve::{
        file_and_definition_ids::{FileId, ModId},
        program_facts::ProgramFacts,
    },
};

/// Where modules are. Its fingerprint tells whether an import may lead elsewhere than before.
#[derive(Default)]
pub(crate) struct ModuleLayout {
    pub(crate) models: ProjectModels,
    /// The packages that files declare.
    pub(crate) packages: RootPackages,
}

impl ModuleLayout {
    pub(crate) fn fingerprint(&self, hasher: &mut FxHasher) {
        self.models.fingerprint(hasher);
        self.packages.hash(hasher);
    }
}

/// The input of a project's layout.
#[derive(Clone, Copy)]
pub(crate) struct ProjectFiles<'a> {
    /// The files of the family.
    pub(crate) files: &'a [FileId],
    /// One a file of the program.
    pub(crate) summaries: &'a [FileSummary],
    /// The texts of manifests by path.
    pub(crate) manifests: &'a [(String, String)],
    /// The packages that the files declare.
    pub(crate) packages: &'a RootPackages,
}

/// Gives every file of a family its module, and returns the model of its projects.
pub(crate) type ProjectLayout =
    fn(&mut ProgramFacts<'_>, ProjectFiles<'_>) -> Option<Box<dyn ProjectModel>>;

/// A name that other repositories import a package by, and the modules behind it.
pub(crate) struct PackageEntryPoint {
    /// The name, as an import writes it.
    pub(crate) specifier: String,
    /// The modules that it may lead to, best first.
    pub(crate) modules: Vec<ModId>,
}

/// Where the modules of a family's projects are.
#[expect(unused_variables, reason = "the default is that of a language without projects")]
pub(crate) trait ProjectModel: Any + Send + Sync {
    /// Returns the modules that an import may mean, best first; none when it is from outside.
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        Vec::new()
    }

    /// Returns the entry points of the packages, where manifests list them.
    fn entry_points(&self, program: &ProgramFacts<'_>) -> Vec<PackageEntryPoint> {
        Vec::new()
    }

    /// Returns the modules of which projects open everything to files that do not import them.
    fn opened_modules(&self, program: &ProgramFacts<'_>) -> Vec<(FileId, Vec<String>)> {
        Vec::new()
    }

    /// Calls `add` with the modules that names lead to without an import.
    fn named_modules(&self, add: &mut dyn FnMut(&str, ModId)) {}

    /// Hashes what the model keeps of one file, except for what only [`ProjectModel::modules`] reads. Hashes no numbers
    /// of files or modules.
    fn hash_file(&self, program: &ProgramFacts<'_>, file: FileId, hasher: &mut FxHasher) {}

    /// Hashes the whole model.
    fn fingerprint(&self, hasher: &mut FxHasher);
}

/// The package that all others are in, by family.
#[derive(Debug, Default, Hash)]
pub(crate) struct RootPackages {
    pub(in crate::resolve) roots: Vec<(LanguageFamily, ModId)>,
}

impl RootPackages {
    pub(crate) fn root(&self, family: LanguageFamily) -> Option<ModId> {
        self.roots.iter().find(|(known, _)| *known == family).map(|(_, root)| *root)
    }
}

/// The project models of all families.
#[derive(Default)]
pub(crate) struct ProjectModels {
    models: Vec<(LanguageFamily, Box<dyn ProjectModel>)>,
}

impl ProjectModels {
    pub(crate) fn insert(&mut self, family: LanguageFamily, model: Box<dyn ProjectModel>) {
        self.models.push((family, model));
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = &dyn ProjectModel> {
        self.models.iter().map(|(_, model)| model.as_ref())
    }

    /// The model of a family.
    pub(crate) fn of(&self, family: LanguageFamily) -> Option<&dyn ProjectModel> {
        let model = self.models.iter().find(|(known, _)| *known == family);
        model.map(|(_, model)| model.as_ref())
    }

    /// The model of a type; `None` when the program has no files of that family.
    pub(crate) fn get<M: ProjectModel>(&self) -> Option<&M> {
        self.models.iter().find_map(|(_, model)| (model.as_ref() as &dyn Any).downcast_ref())
    }

    pub(crate) fn fingerprint(&self, hasher: &mut FxHasher) {
        self.models.iter().for_each(|(_, model)| model.fingerprint(hasher));
    }
}
