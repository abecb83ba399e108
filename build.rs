//! Computes the versions of stored data: hashes of the code that writes it, so that data of other code is not used.
#![expect(clippy::disallowed_methods, reason = "a build script reads the sources it is built from")]

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

/// The sources that code maps depend on.
const OF_MAPS: &[&str] = &["src", "crates", "prompts", "Cargo.lock"];

fn main() -> io::Result<()> {
    println!("cargo::rustc-env=RETRIEVER_MAP_VERSION={:016x}", hash(OF_MAPS)?);
    Ok(())
}

fn hash(sources: &[&str]) -> io::Result<u64> {
    let mut files = BTreeSet::new();
    for source in sources {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files)?;
    }
    let mut hasher = DefaultHasher::new();
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file)?.hash(&mut hasher);
    }
    Ok(hasher.finish())
}

fn collect(path: &Path, files: &mut BTreeSet<PathBuf>) -> io::Result<()> {
    if path.is_dir() {
        for entry in fs::read_dir(path)? {
            collect(&entry?.path(), files)?;
        }
    } else if path.is_file() {
        files.insert(path.to_owned());
    }
    Ok(())
}
