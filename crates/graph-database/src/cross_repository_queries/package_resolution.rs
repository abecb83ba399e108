//! Resolves a use of a package to a definition. A name alone proves nothing: the user requires the package, the import
//! leads into it, and the qualified name fits one definition of it. Packages that list what they offer are in
//! [`super::package_exports`].

use retriever_graph::{EdgeResolution, NodeKind, is_test_path, name_parts as parts};

use crate::{
    graph_database::{StoredExternalUse, StoredNode},
    packages::{Ecosystem, PackageMention, ecosystem_of, is_below, may_be_of},
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
            && is_below(&node.path, &published.folder)
            && ecosystem_of(&node.path) == Some(published.ecosystem)
            && node.kind != NodeKind::File
    };
    let inside: Vec<&StoredNode> = candidates.iter().filter(is_inside).collect();
    let full = full_name(site, published);
    let is_exact = |node: &&&StoredNode| full == parts(&node.qname) || is_in_module(node, &full);
    let exact = with_body(inside.iter().filter(is_exact).copied().collect());
    if let [first, others @ ..] = exact.as_slice() {
        // Nothing that is known of a use tells overloads apart.
        let is_inferred = site.is_of_value || !others.is_empty();
        let resolution = if is_inferred { EdgeResolution::Inferred } else { EdgeResolution::Exact };
        return Some((first, resolution));
    }
    let names_places = match published.ecosystem {
        Ecosystem::Go | Ecosystem::Maven | Ecosystem::Composer => true,
        // Any of the file's modules may have a name of which no module is known.
        Ecosystem::Swift => !site.module.is_empty(),
        _ => false,
    };
    if names_places {
        // Their imports name definitions where they stand.
        return None;
    }
    let fitting: Vec<_> = inside.into_iter().filter(|node| is_offered(node, site, &full)).collect();
    // What a package offers under another path than its own has to be the only one of its name.
    let is_one = fitting.windows(2).all(|pair| pair[0].qname == pair[1].qname);
    let first = with_body(fitting).into_iter().next();
    first.filter(|_| is_one).map(|first| (first, EdgeResolution::Inferred))
}

/// Leaves declarations without a body out if there is a definition with one.
pub(super) fn with_body(mut nodes: Vec<&StoredNode>) -> Vec<&StoredNode> {
    if nodes.iter().any(|node| !node.is_declaration) {
        nodes.retain(|node| !node.is_declaration);
    }
    nodes
}

/// The full name that a use spells.
fn full_name<'s>(site: &'s StoredExternalUse, published: &'s PackageMention) -> Vec<&'s str> {
    let module = site.module.iter().flat_map(|part| parts(part));
    let mut full: Vec<&str> = module.chain(site.names.iter().map(String::as_str)).collect();
    if let (Ecosystem::Cargo, Some(root)) = (published.ecosystem, full.first_mut()) {
        // The user may have given the crate another name.
        *root = published.alias.as_deref().unwrap_or(&published.name);
    }
    full
}

/// Whether a full name begins with the folder of sources in which a Swift definition stands: its module, which the definition's own
/// name does not say.
fn is_in_module(node: &StoredNode, full: &[&str]) -> bool {
    let Some((module, names)) = full.split_first() else { return false };
    ecosystem_of(&node.path) == Some(Ecosystem::Swift)
        && parts(&node.qname) == names
        && node.path.split('/').any(|folder| folder == *module)
}

/// Whether a package may offer `node` under a name that is not its own full name, as by a re-export.
fn is_offered(node: &StoredNode, site: &StoredExternalUse, full: &[&str]) -> bool {
    let have = parts(&node.qname);
    let has_root = match ecosystem_of(&node.path) {
        Some(Ecosystem::Pypi | Ecosystem::Cargo) => have.first() == full.first(),
        _ => true,
    };
    let names: Vec<&str> = match (site.module.is_empty(), ecosystem_of(&node.path)) {
        // The first name is the crate's.
        (true, Some(Ecosystem::Cargo)) => full.iter().skip(1).copied().collect(),
        _ => site.names.iter().map(String::as_str).collect(),
    };
    let fits = match names.as_slice() {
        [.., holder, name] => have.ends_with(&[holder, name]),
        _ => !node.is_member,
    };
    has_root && fits && !node.is_private && !is_aside(&node.path)
}

/// Whether a file shows or tests what a package offers.
fn is_aside(path: &str) -> bool {
    is_test_path(path) || path.split('/').any(|part| matches!(part, "examples" | "example"))
}
