//! The publication of a repository: its graph at one commit, in rows that every database can store.

use std::{
    borrow::Cow,
    collections::{BTreeMap, HashSet},
    fmt,
};

use retriever_graph::{
    Edge, EdgeKind, Graph, Node, NodeKind,
    indexing::{ImportedNameUse, PackageExport},
};

use crate::packages::{Ecosystem, PackageMention, ecosystem_of, may_be_of};

/// The key of a repository: a hash of its name, which is the same for every program and server.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepositoryId(pub i64);

impl RepositoryId {
    /// Returns the key of the repository with the name `name`.
    pub fn of(name: &str) -> Self {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&blake3::hash(name.as_bytes()).as_bytes()[..8]);
        Self(i64::from_be_bytes(bytes))
    }
}

impl fmt::Display for RepositoryId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

/// A repository's graph at one commit.
#[derive(Clone, Debug, Default)]
pub struct RepositorySnapshot {
    /// The repository's name, such as `github.com/acme/store`. A publication under the same name replaces the earlier
    /// one.
    pub repository: String,
    /// The commit of the graph; empty if it is not known.
    pub commit: String,
    /// Paths of source files; nodes refer to them by index.
    pub files: Vec<String>,
    /// The file of each node.
    pub file_of: Vec<u32>,
    /// The nodes, by number.
    pub nodes: Vec<Node>,
    /// The edges; their ends are indexes of nodes.
    pub edges: Vec<Edge>,
    /// The packages that manifests publish and require.
    pub packages: Vec<PackageMention>,
    /// Uses of imports that may belong to required packages; they refer to nodes by index. Also the names under which
    /// packages export nodes: [`RepositorySnapshot::add_exports`].
    pub uses: Vec<(Ecosystem, ImportedNameUse)>,
}

impl RepositorySnapshot {
    /// Copies the content of `graph`.
    pub fn new(repository: impl Into<String>, commit: impl Into<String>, graph: &Graph) -> Self {
        let mut snapshot = Self {
            repository: repository.into(),
            commit: commit.into(),
            nodes: graph.nodes().cloned().collect(),
            edges: graph.edges().copied().collect(),
            ..Self::default()
        };
        for (place, (path, nodes)) in (0..).zip(graph.files()) {
            snapshot.files.push(path.to_owned());
            snapshot.file_of.extend(nodes.map(|_| place));
        }
        snapshot
    }

    /// Adds the uses of required packages by file path; set [`RepositorySnapshot::packages`] before. Uses that are
    /// resolved within the repository are left out.
    pub fn add_uses(&mut self, uses: impl IntoIterator<Item = (String, Vec<ImportedNameUse>)>) {
        let first_nodes = self.first_nodes();
        let name = |node: u32| self.nodes.get(node as usize).map_or("", |node| node.name.as_str());
        let resolved: HashSet<(u32, u32, &str)> =
            self.edges.iter().map(|edge| (edge.from.0, edge.line, name(edge.to.0))).collect();
        let required: Vec<&PackageMention> =
            self.packages.iter().filter(|package| package.requires.is_some()).collect();
        let mut found = Vec::new();
        for (path, uses) in uses {
            let first = first_nodes.get(path.as_str());
            let (Some(first), Some(ecosystem)) = (first, ecosystem_of(&path)) else { continue };
            let may_be_required = |site: &ImportedNameUse| {
                required.iter().any(|package| {
                    package.ecosystem == ecosystem && may_be_of(package, &site.module, &site.names)
                })
            };
            for mut site in uses.into_iter().filter(may_be_required) {
                site.from += first;
                let last = site.names.last().map(String::as_str);
                if last.is_some_and(|last| !resolved.contains(&(site.from, site.line, last))) {
                    found.push((ecosystem, site));
                }
            }
        }
        self.uses.extend(found);
    }

    /// Adds the names under which packages export definitions. They are stored among the uses of imports, since both
    /// map a name to a node: an export is of the kind `imports`, and its last name is [`export_key`].
    pub fn add_exports(&mut self, exports: impl IntoIterator<Item = PackageExport>) {
        let first_nodes = self.first_nodes();
        let mut found = Vec::new();
        for PackageExport { path, node, module, mut names, is_of_value } in exports {
            let first = first_nodes.get(path.as_str());
            let (Some(first), Some(ecosystem)) = (first, ecosystem_of(&path)) else { continue };
            let Some(last) = names.last_mut() else { continue };
            *last = export_key(&module, last);
            let from = first + node;
            let (module, kind, line) = (vec![module], EdgeKind::Imports, 0);
            found.push((
                ecosystem,
                ImportedNameUse {
                    from,
                    kind,
                    line,
                    module,
                    names,
                    word: String::new(),
                    is_of_value,
                    is_of_all: false,
                    arguments: None,
                },
            ));
        }
        self.uses.extend(found);
    }

    /// Returns the first node of each file, by path.
    fn first_nodes(&self) -> BTreeMap<String, u32> {
        let mut first_nodes = BTreeMap::new();
        for (node, file) in (0_u32..).zip(&self.file_of) {
            if let Some(path) = self.files.get(*file as usize) {
                first_nodes.entry(path.clone()).or_insert(node);
            }
        }
        first_nodes
    }

    /// Returns the key of the repository.
    pub fn id(&self) -> RepositoryId {
        RepositoryId::of(&self.repository)
    }
}

/// Returns the last name of an export, which distinguishes it from other names of the repository. No import writes such
/// a name.
pub(crate) fn export_key(module: &str, name: &str) -> String {
    format!("{module}#{name}")
}

/// Whether a node belongs to a type.
pub(crate) fn is_member(node: &Node) -> bool {
    node.is_method || matches!(node.kind, NodeKind::Field | NodeKind::Variant)
}

/// Returns a text that every database can store: texts of PostgreSQL cannot contain NUL.
pub(crate) fn without_nul(text: &str) -> Cow<'_, str> {
    if text.contains('\0') { Cow::Owned(text.replace('\0', "")) } else { Cow::Borrowed(text) }
}
