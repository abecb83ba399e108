//! Gives the store a version: a hash of the code that makes graphs and of the packages that parse and encode for it, so that
//! nothing kept outlives them.
#![expect(clippy::disallowed_methods, reason = "a build script reads the sources it is built from")]

use std::{
    collections::BTreeSet,
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io,
    path::{Path, PathBuf},
};

fn main() -> io::Result<()> {
    // SQLite keeps 32 bits, signed.
    println!(
        "cargo::rustc-env=RETRIEVER_STORE_VERSION={}",
        hash(&["src", "../workspace/src", "Cargo.toml"], "../../Cargo.lock")? as u32 >> 1
    );
    Ok(())
}

fn hash(sources: &[&str], lockfile: &str) -> io::Result<u64> {
    let mut files = BTreeSet::new();
    for source in sources {
        println!("cargo::rerun-if-changed={source}");
        collect(Path::new(source), &mut files)?;
    }
    let mut hasher = DefaultHasher::new();
    // Which languages there are.
    let features = env::vars_os().map(|(name, _)| name.to_string_lossy().into_owned());
    let features = features.filter(|name| name.starts_with("CARGO_FEATURE_"));
    features.collect::<BTreeSet<String>>().hash(&mut hasher);
    for file in files {
        file.hash(&mut hasher);
        fs::read(&file)?.hash(&mut hasher);
    }
    // Without the workspace around it the crate has no lockfile.
    if Path::new(lockfile).exists() {
        println!("cargo::rerun-if-changed={lockfile}");
        shaping_packages(&fs::read_to_string(lockfile)?).hash(&mut hasher);
    }
    Ok(hasher.finish())
}

/// The packages of a lockfile that shape a store, because they parse or encode: names, versions and checksums, as resolved.
fn shaping_packages(lockfile: &str) -> Vec<&str> {
    const NAMES: &[&str] =
        &["postcard", "regex", "regex-automata", "regex-syntax", "serde_json", "toml"];
    let packages = lockfile.split("[[package]]").map(str::trim);
    let shapes = |package: &&str| {
        let name = package.strip_prefix("name = \"").and_then(|rest| rest.split('"').next());
        name.is_some_and(|name| name.starts_with("tree-sitter") || NAMES.contains(&name))
    };
    packages.filter(shapes).collect()
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
