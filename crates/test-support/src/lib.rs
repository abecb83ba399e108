//! Small projects written as one string: `//- /path` starts a file, the text up to the next header is its content. Also
//! a PostgreSQL server, and the accessibility check of pages.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    reason = "a test may panic, and writes its own fixtures"
)]

mod left_out_tests;
#[cfg(unix)]
mod postgres;
mod web_accessibility;

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

pub use self::left_out_tests::left_out;
#[cfg(unix)]
pub use self::postgres::PostgresServer;
pub use self::web_accessibility::accessibility_faults;

/// A project in a temporary folder, which is removed when the value is dropped.
pub struct Fixture {
    dir: TempDir,
}

impl Fixture {
    /// Writes the files of `source`.
    ///
    /// # Panics
    ///
    /// When a file can't be written.
    pub fn new(source: &str) -> Self {
        let fixture = Self { dir: TempDir::new().unwrap() };
        for part in source.split("//- /").skip(1) {
            let (path, content) = part.split_once('\n').expect("a header ends with its line");
            fixture.write(path.trim(), content);
        }
        fixture
    }

    /// The root.
    pub fn root(&self) -> &Path {
        self.dir.path()
    }

    /// Every file with its bytes.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let (mut files, mut folders) = (BTreeMap::new(), vec![self.root().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    files.insert(path.clone(), fs::read(path).unwrap());
                }
            }
        }
        files
    }

    /// Writes one file, and its folders.
    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let target = self.dir.path().join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, content).unwrap();
    }
}
