//! Gives what is kept versions: hashes of the code that makes it, so that nothing kept outlives that code.
#![expect(clippy::disallowed_methods, reason = "a build script reads the sources it is built from")]

use std::{
    collections::BTreeSet,
    fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

/// What facts and graphs are made by. The lock file stands for the grammars.
const OF_GRAPHS: &[&str] = &["src/graph", "src/index", "Cargo.lock"];
/// What packed words, their senses, outlines and traits are made by.
const OF_WORDS: &[&str] = &[
    "src/recon/declarations",
    "src/recon/kin.txt",
    "src/recon/lexicon",
    "src/recon/outline.rs",
    "src/recon/patterns.rs",
    "src/recon/senses.bin",
    "src/recon/senses.rs",
    "src/recon/substance.rs",
    "src/recon/words.rs",
    "src/workspace",
    "Cargo.lock",
];
/// What code maps are made by.
const OF_MAPS: &[&str] = &["src", "prompts", "Cargo.lock"];

fn main() -> io::Result<()> {
    // SQLite keeps 32 bits, signed.
    println!("cargo::rustc-env=RETRIEVER_STORE_VERSION={}", hash(OF_GRAPHS)? as u32 >> 1);
    println!("cargo::rustc-env=RETRIEVER_WORDS_VERSION={:016x}", hash(OF_WORDS)?);
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
