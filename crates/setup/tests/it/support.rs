//! A home and a project in a temporary folder, filled from a fixture.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use retriever_setup::{
    HostAgent, LaunchCommand, Platform, SetupJournal, SetupOptions, SetupPart, SetupScope,
    StandardPaths,
};
use strum::IntoEnumIterator;
use tempfile::TempDir;

/// A machine of its own.
pub(crate) struct Machine {
    pub(crate) folder: TempDir,
    pub(crate) surroundings: StandardPaths,
}

impl Machine {
    /// Returns a machine without any file.
    pub(crate) fn empty() -> Self {
        let folder = TempDir::new().unwrap();
        let (home, project) = (folder.path().join("home"), folder.path().join("project"));
        fs::create_dir_all(&home).unwrap();
        fs::create_dir_all(&project).unwrap();
        let surroundings = StandardPaths {
            platform: Platform::Linux,
            home,
            project: Some(project),
            variables: BTreeMap::new(),
            launch: LaunchCommand::default(),
        };
        Self { folder, surroundings }
    }

    /// Returns a machine with the files of a fixture.
    pub(crate) fn of(fixture: &Path) -> Self {
        let machine = Self::empty();
        for (path, text) in files(fixture) {
            let target = machine.folder.path().join(path);
            fs::create_dir_all(target.parent().unwrap()).unwrap();
            fs::write(target, text).unwrap();
        }
        machine
    }

    /// Returns every file with its bytes.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        files(self.folder.path())
    }

    /// Returns every folder.
    pub(crate) fn folders(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        walk(self.folder.path(), &mut |path| {
            if path.is_dir() {
                folders.push(path.to_owned());
            }
        });
        folders.sort();
        folders
    }

    /// Returns the journal as it stands.
    pub(crate) fn written(&self) -> SetupJournal {
        SetupJournal::load(&self.journal()).unwrap()
    }

    /// Returns where the journal lies: outside of what [`Self::files`] sees.
    pub(crate) fn journal(&self) -> PathBuf {
        std::env::temp_dir()
            .join(format!("{}.journal", self.folder.path().file_name().unwrap().display()))
    }
}

/// Returns the fixtures of agents as (agent, folder).
pub(crate) fn fixtures() -> Vec<(HostAgent, PathBuf)> {
    let mut all = Vec::new();
    for agent in HostAgent::iter() {
        let name: &str = agent.into();
        for case in sorted(&root().join(name)) {
            all.push((agent, case));
        }
    }
    all
}

/// Returns the folder of fixtures.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures")
}

/// Returns the entries of a folder by name; none if there is no folder.
pub(crate) fn sorted(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut entries: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    entries
}

/// Returns options for every part.
pub(crate) fn everything(agents: &[HostAgent], scope: SetupScope) -> SetupOptions {
    SetupOptions { agents: agents.to_vec(), scope: Some(scope), parts: SetupPart::iter().collect() }
}

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    walk(folder, &mut |path| {
        if path.is_file() {
            files.insert(path.strip_prefix(folder).unwrap().to_owned(), fs::read(path).unwrap());
        }
    });
    files
}

fn walk(folder: &Path, visit: &mut impl FnMut(&Path)) {
    for path in sorted(folder) {
        visit(&path);
        if path.is_dir() {
            walk(&path, visit);
        }
    }
}
