//! Finds the crates of a workspace and parses their files, following `mod` declarations from the crate's root.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use syn::{Item, ItemMod};

/// A crate cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", path.display())]
pub struct ReadError {
    path: PathBuf,
    reason: String,
}

/// One crate: a library or a program, without its tests.
pub struct Crate {
    /// `graph` for `crates/graph`, `retriever` for the package of the workspace's root, `program` for its `main.rs`.
    pub name: String,
    /// The modules, each after its parent; the first is the crate's root.
    pub modules: Vec<Module>,
}

/// One module. An inline module is a module of its own.
pub struct Module {
    /// Names from the crate's root, whose path is empty.
    pub path: Vec<String>,
    /// Index of the module that declares it.
    pub parent: Option<usize>,
    /// The file, relative to the workspace.
    pub file: String,
    /// The text of the whole file.
    pub text: String,
    /// Whether the module is declared `pub`.
    pub is_public: bool,
    /// Its items; child modules are separate modules.
    pub items: Vec<Item>,
}

impl Module {
    /// Returns the path as Rust writes it, for example `crate::store::records`.
    pub fn display(&self) -> String {
        let names = self.path.iter().map(String::as_str);
        std::iter::once("crate").chain(names).collect::<Vec<_>>().join("::")
    }

    /// Returns whether this is the module of a whole file.
    pub fn is_file(&self, all: &[Self]) -> bool {
        self.parent.is_none_or(|parent| all[parent].file != self.file)
    }
}

/// Reads every crate of the workspace at `root`: the root package, and `crates/*` where there are any.
pub fn read_workspace(root: &Path) -> Result<Vec<Crate>, ReadError> {
    let mut crates = Vec::new();
    for (name, file) in [("retriever", "src/lib.rs"), ("program", "src/main.rs")] {
        if root.join(file).is_file() {
            crates.push(Crate::read(name, root, Path::new(file))?);
        }
    }
    for name in packages(&root.join("crates"))? {
        let file = format!("crates/{name}/src/lib.rs");
        if root.join(&file).is_file() {
            crates.push(Crate::read(&name, root, Path::new(&file))?);
        }
    }
    Ok(crates)
}

/// Returns the names in a folder, sorted; none when there is no such folder.
#[expect(clippy::disallowed_methods, reason = "reads the workspace's own source")]
fn packages(folder: &Path) -> Result<Vec<String>, ReadError> {
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let entries = fs::read_dir(folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
    let entries = entries.map_err(|error| failed(folder, &error))?;
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.into_iter().map(name).collect();
    names.sort();
    Ok(names)
}

impl Crate {
    /// Reads the crate whose root file is `file`, a path below `root`.
    pub fn read(name: &str, root: &Path, file: &Path) -> Result<Self, ReadError> {
        let mut reader = Reader { root, modules: Vec::new() };
        let own = ModulePlace {
            path: Vec::new(),
            parent: None,
            is_public: true,
            children: file.parent().unwrap_or(file).to_owned(),
        };
        reader.file(file, &own)?;
        Ok(Self { name: name.to_owned(), modules: reader.modules })
    }

    /// Returns a crate with a single file that has this text.
    pub fn of_text(name: &str, text: &str) -> Result<Self, ReadError> {
        let mut reader = Reader { root: Path::new(""), modules: Vec::new() };
        let parsed = parse(Path::new("lib.rs"), text)?;
        let own = ModulePlace {
            path: Vec::new(),
            parent: None,
            is_public: true,
            children: PathBuf::new(),
        };
        reader.module(Path::new("lib.rs"), text, &own, parsed.items)?;
        Ok(Self { name: name.to_owned(), modules: reader.modules })
    }
}

/// The file of a module, and the folder of its child modules.
struct ModulePlace {
    path: Vec<String>,
    parent: Option<usize>,
    is_public: bool,
    children: PathBuf,
}

struct Reader<'a> {
    root: &'a Path,
    modules: Vec<Module>,
}

impl Reader<'_> {
    #[expect(clippy::disallowed_methods, reason = "reads the workspace's own source")]
    fn file(&mut self, file: &Path, place: &ModulePlace) -> Result<(), ReadError> {
        let text =
            fs::read_to_string(self.root.join(file)).map_err(|error| failed(file, &error))?;
        let items = parse(file, &text)?.items;
        self.module(file, &text, place, items)
    }

    fn module(
        &mut self,
        file: &Path,
        text: &str,
        place: &ModulePlace,
        items: Vec<Item>,
    ) -> Result<(), ReadError> {
        let index = self.modules.len();
        let (inner, items) =
            items.into_iter().partition::<Vec<_>, _>(|item| matches!(item, Item::Mod(_)));
        self.modules.push(Module {
            path: place.path.clone(),
            parent: place.parent,
            file: file.to_string_lossy().into_owned(),
            text: text.to_owned(),
            is_public: place.is_public,
            items,
        });
        for item in inner {
            let Item::Mod(item) = item else { continue };
            if !is_for_tests(&item) {
                self.child(file, text, index, place, item)?;
            }
        }
        Ok(())
    }

    fn child(
        &mut self,
        file: &Path,
        text: &str,
        parent: usize,
        place: &ModulePlace,
        item: ItemMod,
    ) -> Result<(), ReadError> {
        let name = item.ident.to_string();
        let child = ModulePlace {
            path: place.path.iter().cloned().chain([name.clone()]).collect(),
            parent: Some(parent),
            is_public: matches!(item.vis, syn::Visibility::Public(_)),
            children: place.children.join(&name),
        };
        if let Some((_, items)) = item.content {
            return self.module(file, text, &child, items);
        }
        let flat = place.children.join(format!("{name}.rs"));
        let nested = place.children.join(&name).join("mod.rs");
        let found = if self.root.join(&flat).is_file() { flat } else { nested };
        self.file(&found, &child)
    }
}

fn is_for_tests(item: &ItemMod) -> bool {
    item.attrs.iter().any(|attribute| {
        attribute.path().is_ident("cfg")
            && attribute.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

fn parse(file: &Path, text: &str) -> Result<syn::File, ReadError> {
    syn::parse_file(text).map_err(|error| ReadError {
        path: file.to_owned(),
        reason: format!("line {}: {error}", error.span().start().line),
    })
}

fn failed(path: &Path, error: &io::Error) -> ReadError {
    ReadError { path: path.to_owned(), reason: error.to_string() }
}
