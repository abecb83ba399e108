//! Whether a module that an import names may be one of the repository, by its paths and by the full names of its definitions.

use std::{
    cell::{OnceCell, RefCell},
    collections::{BTreeMap, BTreeSet},
};

use retriever_graph::{
    Graph, NodeId,
    indexing::{ImportedNameUse, Language},
    name_parts,
};

/// Parts of module names by which a project means its own modules.
const OWN_MODULES: &[&str] = &["@", "crate", "self", "super", "~"];

/// The modules of a repository.
pub(super) struct RepositoryModules<'a> {
    graph: &'a Graph,
    /// The names of folders and files, up to their first dot.
    path_parts: OnceCell<BTreeSet<String>>,
    /// What definitions are in, with what is around that: `org`, `org.acme`, `org.acme.Store`.
    packages: OnceCell<BTreeSet<String>>,
    /// The whole names of the modules that files belong to.
    modules: OnceCell<BTreeSet<String>>,
    /// What was asked, by whether an import names the whole path of a module.
    known: RefCell<BTreeMap<(bool, Vec<String>), bool>>,
}

impl<'a> RepositoryModules<'a> {
    pub(super) const fn new(graph: &'a Graph) -> Self {
        Self {
            graph,
            path_parts: OnceCell::new(),
            packages: OnceCell::new(),
            modules: OnceCell::new(),
            known: RefCell::new(BTreeMap::new()),
        }
    }

    /// Whether a module, as an import of the file at `path` writes it, is surely none of the repository.
    pub(super) fn is_outside(&self, path: &str, module: &[String]) -> bool {
        let is_whole = Language::of_path(path).is_some_and(Language::imports_name_whole_paths);
        let asked = (is_whole, module.to_vec());
        if let Some(known) = self.known.borrow().get(&asked) {
            return *known;
        }
        let parts = module.iter().flat_map(|part| part.split(['/', '.', ':', '\\']));
        let parts: Vec<String> = parts.filter(|part| !part.is_empty()).map(same_spelling).collect();
        let may_be_here =
            || if is_whole { self.has_module(module) } else { self.may_be_here(module, &parts) };
        let is_outside = !parts.is_empty() && !may_be_here();
        self.known.borrow_mut().insert(asked, is_outside);
        is_outside
    }

    /// Whether an import of the file at `path` proves that a name comes from outside of the repository: it takes the name
    /// itself, or its module.
    pub(super) fn is_from_outside(&self, path: &str, site: &ImportedNameUse) -> bool {
        !site.is_of_all && self.is_outside(path, &site.module)
    }

    /// Whether files belong to a module of that whole name, or to a copy of it in a folder for those of others.
    fn has_module(&self, module: &[String]) -> bool {
        self.modules.get_or_init(|| modules(self.graph)).contains(&module.join("/"))
    }

    fn may_be_here(&self, module: &[String], parts: &[String]) -> bool {
        let path_parts = self.path_parts.get_or_init(|| path_parts(self.graph));
        let is_path = parts.len() == 1 || module.iter().any(|part| part.contains(['/', '\\']));
        if parts.iter().any(|part| OWN_MODULES.contains(&part.as_str()))
            || is_path && parts.iter().any(|part| path_parts.contains(part))
        {
            return true;
        }
        // A package need not lie in folders of its name; what holds a nested one may be a package or a type.
        let packages = self.packages.get_or_init(|| packages(self.graph));
        let around = &parts[..parts.len() - 1];
        packages.contains(&parts.join("."))
            || around.len() > 1 && packages.contains(&around.join("."))
            || !is_path && self.has_folders(parts)
    }

    /// Whether folders, and a file at their end, are named like the parts.
    fn has_folders(&self, parts: &[String]) -> bool {
        let wanted = format!("/{}/", parts.join("/"));
        self.graph.files().iter().any(|(path, _)| {
            let stem = path.rsplit_once('.').map_or(*path, |(stem, _)| stem);
            format!("/{}/", same_spelling(stem)).contains(&wanted)
        })
    }
}

/// A package may be written with dashes where the code has to write an underline.
fn same_spelling(part: &str) -> String {
    part.replace('-', "_")
}

/// Returns the whole names of the modules that files belong to, and those of copies without the folder that they are in.
fn modules(graph: &Graph) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (_, nodes) in graph.files() {
        let Some(file) = graph.heading(NodeId(nodes.start)) else { continue };
        names.extend(file.qname.rsplit_once("/vendor/").map(|(_, name)| name.to_owned()));
        names.insert(file.qname.to_string());
    }
    names
}

fn path_parts(graph: &Graph) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (path, _) in graph.files() {
        for part in path.split('/').filter_map(|part| part.split('.').next()) {
            names.insert(same_spelling(part));
        }
    }
    names
}

/// Returns the packages of the first definition in each file.
fn packages(graph: &Graph) -> BTreeSet<String> {
    let mut packages = BTreeSet::new();
    for (_, nodes) in graph.files().into_iter().filter(|(_, nodes)| nodes.len() > 1) {
        let Some(first) = graph.heading(NodeId(nodes.start + 1)) else { continue };
        let parts: Vec<String> = name_parts(first.qname).into_iter().map(same_spelling).collect();
        for end in 1..parts.len() {
            packages.insert(parts[..end].join("."));
        }
    }
    packages
}
