//! Resolves a use of a package to a definition. A name alone proves nothing: the user requires the package, the import
//! leads into it, and the qualified name fits one definition of it. [`super::package_exports`] resolves packages that
//! list their exports.

use retriever_graph::{EdgeResolution, NodeKind, is_test_path, name_parts as parts};
use retriever_workspace::is_within;

use super::overload_choice::narrowed;
use crate::{
    graph_database::{StoredExternalUse, StoredNode},
    packages::{Ecosystem, PackageMention, ecosystem_of, may_be_of},
};

/// Returns the definition among `candidates`, all nodes of its name in the repository that publishes the package.
pub(super) fn resolve<'n>(
    site: &StoredExternalUse,
    required: &PackageMention,
    published: &PackageMention,
    candidates: &'n [StoredNode],
) -> Option<(&'n StoredNode, EdgeResolution)> {
    if !may_be_of(required, &site.module, &site.names) {
        return None;
    }
    let last = site.names.last()?;
    let is_inside = |node: &&StoredNode| {
        node.name == *last
            && is_within(&node.path, &published.folder)
            && ecosystem_of(&node.path) == Some(published.ecosystem)
            && node.kind != NodeKind::File
    };
    let inside: Vec<&StoredNode> = candidates.iter().filter(is_inside).collect();
    let full = full_name(site, published);
    let is_exact = |node: &&&StoredNode| full == parts(&node.qname) || is_in_module(node, &full);
    let exact = with_body(narrowed(inside.iter().filter(is_exact).copied().collect(), site));
    if let [first, others @ ..] = exact.as_slice() {
        // Nothing tells which of several that take the arguments is meant.
        let is_inferred = site.is_of_value || !others.is_empty();
        let resolution = if is_inferred { EdgeResolution::Inferred } else { EdgeResolution::Exact };
        return Some((first, resolution));
    }
    let names_places = match published.ecosystem {
        Ecosystem::Go | Ecosystem::Maven | Ecosystem::Composer | Ecosystem::Nuget => true,
        // If no module of a name is known, any module of the file may have it.
        Ecosystem::Swift => !site.module.is_empty(),
        _ => false,
    };
    if names_places {
        // Imports of these languages name definitions by their own path.
        return None;
    }
    let offered = inside.into_iter().filter(|node| is_offered(node, site, &full)).collect();
    let fitting = narrowed(offered, site);
    // A name that the package offers under another path must be the only one of its name.
    let is_one = fitting.windows(2).all(|pair| pair[0].qname == pair[1].qname);
    let first = with_body(fitting).into_iter().next();
    first.filter(|_| is_one).map(|first| (first, EdgeResolution::Inferred))
}

/// Returns the nodes with a body, or all nodes if none has one.
pub(super) fn with_body(mut nodes: Vec<&StoredNode>) -> Vec<&StoredNode> {
    if nodes.iter().any(|node| !node.is_declaration) {
        nodes.retain(|node| !node.is_declaration);
    }
    nodes
}

/// Returns the full name that a use spells.
fn full_name<'s>(site: &'s StoredExternalUse, published: &'s PackageMention) -> Vec<&'s str> {
    let module = site.module.iter().flat_map(|part| parts(part));
    let mut full: Vec<&str> = module.chain(site.names.iter().map(String::as_str)).collect();
    if let (Ecosystem::Cargo, Some(root)) = (published.ecosystem, full.first_mut()) {
        // The user may have renamed the crate.
        *root = published.alias.as_deref().unwrap_or(&published.name);
    }
    full
}

/// Whether a full name starts with the source folder of a Swift definition: its module, which is not part of the
/// definition's own name.
fn is_in_module(node: &StoredNode, full: &[&str]) -> bool {
    let Some((module, names)) = full.split_first() else { return false };
    ecosystem_of(&node.path) == Some(Ecosystem::Swift)
        && parts(&node.qname) == names
        && node.path.split('/').any(|folder| folder == *module)
}

/// Whether a package may offer `node` under a name that is not its own full name, for example by a re-export.
fn is_offered(node: &StoredNode, site: &StoredExternalUse, full: &[&str]) -> bool {
    let have = parts(&node.qname);
    let has_root = match ecosystem_of(&node.path) {
        Some(Ecosystem::Pypi | Ecosystem::Cargo) => have.first() == full.first(),
        _ => true,
    };
    let names: Vec<&str> = match (site.module.is_empty(), ecosystem_of(&node.path)) {
        // The first name is that of the crate.
        (true, Some(Ecosystem::Cargo)) => full.iter().skip(1).copied().collect(),
        _ => site.names.iter().map(String::as_str).collect(),
    };
    let fits = match names.as_slice() {
        [.., holder, name] => have.ends_with(&[holder, name]),
        _ => !node.is_member,
    };
    has_root && fits && !node.is_private && !is_aside(&node.path)
}

/// Whether a file is an example or a test of what a package offers.
fn is_aside(path: &str) -> bool {
    is_test_path(path) || path.split('/').any(|part| matches!(part, "examples" | "example"))
}
