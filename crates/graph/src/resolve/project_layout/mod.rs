//! Where modules are: how a language's imports lead to files, from paths and from manifests (`package.json`,
//! `tsconfig.json`, `go.mod`, `Cargo.toml` …).

pub(crate) mod namespaces;
pub(crate) mod packages;

use crate::{
    facts::{Import, summary::FileSummary},
    languages::{
        Family, c::project as c, csharp::project as csharp, go::project as go,
        javascript::project as ecmascript, python::project as python, ruby::project as ruby,
        rust::project as rust, swift::project as swift,
    },
    resolve::program::{FileId, ModId, Program, number},
};

/// Where each language's modules are. Its hash tells whether an import may lead elsewhere than before.
#[derive(Debug, Default, Hash)]
pub(crate) struct Layout {
    ecmascript: ecmascript::Packages,
    python: python::Roots,
    go: go::Packages,
    pub(crate) packages: packages::Packages,
    ruby: ruby::Files,
    pub(crate) c: c::Includes,
    pub(crate) csharp: csharp::Projects,
    pub(crate) rust: rust::Crates,
    swift: swift::Targets,
}

/// Whether a file says how the project is laid out.
pub fn is_manifest(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(
        name,
        "package.json"
            | "jsconfig.json"
            | "go.mod"
            | "Cargo.toml"
            | "pyproject.toml"
            | "composer.json"
            | "Package.swift"
            | "Directory.Build.props"
            | "Directory.Build.targets"
    ) || name.ends_with(".csproj")
        || name.starts_with("tsconfig") && name.ends_with(".json")
}

/// Gives every file its module.
pub(crate) fn lay_out(
    program: &mut Program<'_>,
    outlines: &[FileSummary],
    manifests: &[(String, String)],
) -> Layout {
    let mut layout = Layout::default();
    let root = program.add_module(String::new(), None);
    program.module_of = vec![root; program.len()];
    layout.ecmascript = ecmascript::lay_out(program, manifests);
    layout.python = python::lay_out(program);
    layout.c = c::lay_out(program, outlines);
    packages::lay_out(program, outlines, Family::Jvm, &mut layout.packages);
    packages::lay_out(program, outlines, Family::CSharp, &mut layout.packages);
    packages::lay_out(program, outlines, Family::Php, &mut layout.packages);
    for file in files_of(program, Family::Php) {
        namespaces::join(program, file, &outlines[file.index()]);
    }
    layout.ruby = ruby::lay_out(program, outlines);
    layout.csharp = csharp::lay_out(program, outlines, &layout.packages, manifests);
    layout.go = go::lay_out(program, outlines, manifests);
    layout.rust = rust::lay_out(program, outlines, manifests);
    layout.swift = swift::lay_out(program, manifests);
    layout
}

impl Layout {
    /// The modules that an import may mean, best first; none when it is from outside.
    pub(crate) fn module(
        &self,
        program: &Program<'_>,
        file: FileId,
        import: &Import,
    ) -> Vec<ModId> {
        match program.family(file) {
            Family::EcmaScript => {
                self.ecmascript.module(program, file, import).into_iter().collect()
            }
            Family::Python => self.python.module(program, file, import).into_iter().collect(),
            Family::Go => self.go.module(program, file, import).into_iter().collect(),
            Family::Swift => self.swift.module(program, file, import),
            Family::Ruby => self.ruby.module(program, file, import).into_iter().collect(),
            Family::Rust | Family::C | Family::Jvm | Family::CSharp | Family::Php => Vec::new(),
        }
    }
}

/// The files of one family.
pub(crate) fn files_of(program: &Program<'_>, family: Family) -> Vec<FileId> {
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
