//! The files that those of an outlined language import, by the text of the import alone: a path, the name of a module that
//! is laid out as a path, or a module that one file defines. Each file is a module of its own.

use std::{collections::BTreeMap, hash::Hash};

use rustc_hash::{FxHashMap, FxHasher};

use crate::{
    facts::{DefKind, Import, language_capabilities::LanguageCapabilities},
    resolve::{
        language_resolution_rules::{ProjectFiles, ProjectModel, ResolutionRules},
        program_facts::{FileId, ModId, ProgramFacts},
        project_layout::{folder, join},
    },
};

/// Marks around the text of an import in one grammar or another.
const QUOTES: [char; 4] = ['"', '\'', '<', '>'];
/// The scheme of a package's own files: its name follows, and stands for the folder `lib`.
const PACKAGE: &str = "package:";

/// Most files of one name that are compared with the end of a path.
const MAX_NAMESAKES: usize = 256;

/// The rules of a language that is outlined only.
pub(super) struct OutlinedImports;

impl ResolutionRules for OutlinedImports {
    fn capabilities(&self) -> &'static LanguageCapabilities {
        &LanguageCapabilities::NONE
    }
}

/// What imports can name.
#[derive(Debug, Default)]
struct ImportedFiles {
    /// Files by their names, in the order of their paths.
    by_name: FxHashMap<String, Vec<FileId>>,
    /// The path of the file that defines a module, by the module's whole name; none when several do.
    modules: BTreeMap<String, Option<String>>,
}

pub(super) fn lay_out(
    program: &mut ProgramFacts<'_>,
    project: ProjectFiles<'_>,
) -> Option<Box<dyn ProjectModel>> {
    if project.files.is_empty() {
        return None;
    }
    let mut found = ImportedFiles::default();
    for file in project.files.iter().copied() {
        let path = program.path(file).to_owned();
        let name = path.rsplit('/').next().unwrap_or(&path).to_owned();
        found.by_name.entry(name).or_default().push(file);
        // Its declarations are known by their own names.
        let module = program.add_module(String::new(), None);
        program.modules[module.index()].files.push(file);
        program.module_of[file.index()] = module;
        let summary = &project.summaries[file.index()];
        let defs = summary.defs.iter();
        for def in defs.filter(|def| def.kind == DefKind::Namespace && def.parent.is_none()) {
            let defined = found.modules.entry(summary.text(def.name).to_owned());
            let only = defined.or_insert_with(|| Some(path.clone()));
            *only = only.take().filter(|only| *only == path);
        }
    }
    Some(Box::new(found))
}

impl ImportedFiles {
    fn file(&self, program: &ProgramFacts<'_>, from: FileId, import: &Import) -> Option<FileId> {
        let facts = program.facts(from);
        let written = facts.text(*import.module.first()?);
        if let Some(defined) = self.modules.get(written) {
            return program.by_path.get(defined.as_deref()?).copied();
        }
        let extension = facts.language.extension();
        let relative = relative_path(written, extension)?;
        let with_extension = format!("{relative}.{extension}");
        let beside = |relative: &str| {
            let path = join(folder(program.path(from)), relative)?;
            program.by_path.get(path.as_str()).copied()
        };
        let named = [relative.as_str(), &with_extension].into_iter();
        let found = named.map(|path| beside(path).or_else(|| self.elsewhere(program, path)));
        // A folder stands for its main file.
        let main = std::iter::once_with(|| beside(&format!("{relative}/main.{extension}")));
        found.chain(main).flatten().find(|found| *found != from)
    }

    /// Returns the only file whose path ends with `relative`.
    fn elsewhere(&self, program: &ProgramFacts<'_>, relative: &str) -> Option<FileId> {
        let relative = join("", relative)?;
        let name = relative.rsplit('/').next()?;
        let ends = |file: &&FileId| {
            let above = program.path(**file).strip_suffix(relative.as_str());
            above.is_some_and(|above| above.is_empty() || above.ends_with('/'))
        };
        let namesakes = self.by_name.get(name).filter(|files| files.len() <= MAX_NAMESAKES)?;
        let mut files = namesakes.iter().filter(ends);
        files.next().copied().filter(|_| files.next().is_none())
    }
}

/// Returns the path that an import names: `Data.Map` and `Shop::List` are paths without an extension, and what a script puts
/// together at run time is known from its last variable on. None for a name that says no path.
fn relative_path(written: &str, extension: &str) -> Option<String> {
    let written = match written.trim_matches(QUOTES).strip_prefix(PACKAGE) {
        Some(package) => format!("lib/{}", package.split_once('/')?.1),
        None => match written.rfind(['$', '}', ')']) {
            Some(variable) => written[variable..].split_once('/')?.1.to_owned(),
            None => written.to_owned(),
        },
    };
    let path = written.trim_matches(QUOTES);
    let is_path = path.contains('/')
        || path.rsplit_once('.').is_some_and(|(_, end)| end.eq_ignore_ascii_case(extension));
    // What is quoted and no path is a package.
    let path = if is_path {
        path.to_owned()
    } else if path.len() == written.len() {
        path.replace("::", "/").replace('.', "/")
    } else {
        return None;
    };
    (!path.is_empty() && !path.contains(char::is_whitespace)).then_some(path)
}

impl ProjectModel for ImportedFiles {
    fn modules(&self, program: &ProgramFacts<'_>, file: FileId, import: &Import) -> Vec<ModId> {
        let found = self.file(program, file, import);
        found.map(|found| program.module_of[found.index()]).into_iter().collect()
    }

    // The paths of all files are in the hash of the layout.
    fn fingerprint(&self, hasher: &mut FxHasher) {
        self.modules.hash(hasher);
    }
}
