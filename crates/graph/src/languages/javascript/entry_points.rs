//! The modules that other repositories import a package by: the paths that its `exports` list, else its `main` and `types`. They
//! may name built files, which lead to the sources that they come from.

use crate::{
    languages::javascript::project::{EXTENSIONS, Package, find_file},
    resolve::{
        program_facts::{FileId, ProgramFacts, project_model::PackageEntryPoint},
        project_layout::join,
    },
};

/// Where a package without `exports` may begin when its manifest names no file that is there.
const DEFAULTS: [&str; 3] = ["src/index", "index", "lib/index"];
/// Folders of a built file that its source may not have.
const MAX_BUILD_FOLDERS: usize = 5;

impl Package {
    /// Returns the entry points of the package called `name`.
    pub(super) fn entry_points(
        &self,
        program: &ProgramFacts<'_>,
        name: &str,
    ) -> Vec<PackageEntryPoint> {
        let default: Vec<String> =
            self.entries.iter().cloned().chain(DEFAULTS.map(str::to_owned)).collect();
        let whole = (".".to_owned(), default);
        let listed =
            if self.exports.is_empty() { std::slice::from_ref(&whole) } else { &self.exports };
        // A pattern stands for files that nothing lists.
        let listed = listed.iter().filter(|(path, _)| !path.contains('*'));
        let entry = |(path, targets): &(String, Vec<String>)| {
            let mut files = Vec::new();
            for file in targets.iter().flat_map(|target| self.sources(program, target)) {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
            // A declaration file repeats what a source says, and says what no source does.
            files.sort_by_key(|file| program.path(*file).contains(".d."));
            let modules = files.iter().map(|file| program.module_of[file.index()]).collect();
            PackageEntryPoint {
                specifier: format!("{name}{}", path.trim_start_matches('.')),
                modules,
            }
        };
        listed.map(entry).collect()
    }

    /// Returns the file of a package, and the source that it comes from if it is a built one.
    fn sources(&self, program: &ProgramFacts<'_>, target: &str) -> Vec<FileId> {
        let Some(path) = join(&self.folder, target) else { return Vec::new() };
        let own = find_file(program, &path);
        if own.is_some_and(|file| !program.path(file).contains(".d.")) {
            return own.into_iter().collect();
        }
        let inner = path.strip_prefix(&self.folder).unwrap_or(&path).trim_start_matches('/');
        let name_at = inner.rfind('/').map_or(0, |at| at + 1);
        let stem =
            inner[name_at..].split('.').next().map_or(inner, |stem| &inner[..name_at + stem.len()]);
        let parts: Vec<&str> = stem.split('/').collect();
        // `dist/types/a/b` may come from `src/a/b` or `a/b`: leading folders are dropped one by one.
        let rests: Vec<String> =
            (1..parts.len().min(MAX_BUILD_FOLDERS)).map(|skip| parts[skip..].join("/")).collect();
        let at = |path: &str| join(&self.folder, path).and_then(|path| find_file(program, &path));
        let source = rests
            .iter()
            .find_map(|rest| at(&format!("src/{rest}")))
            .or_else(|| self.only_source(program, parts.last().copied().unwrap_or_default()))
            .or_else(|| rests.iter().find_map(|rest| at(rest)));
        source.into_iter().chain(own).collect()
    }

    /// The file called `stem` in a folder of `src`, if only one folder has such a file.
    fn only_source(&self, program: &ProgramFacts<'_>, stem: &str) -> Option<FileId> {
        let src = join(&self.folder, "src")?;
        let is_one = |path: &str| {
            let rest = path.strip_prefix(&src)?.strip_prefix('/')?;
            let (folder, name) = rest.split_once('/')?;
            let extension = name.strip_prefix(stem)?.strip_prefix('.')?;
            (!folder.is_empty() && EXTENSIONS.contains(&extension)).then_some(())
        };
        let mut all = program.by_path.iter().filter(|(path, _)| is_one(path).is_some());
        let (_, file) = all.next()?;
        all.next().is_none().then_some(*file)
    }
}
