//! From a use of a package to the definition that it means. A name alone proves nothing: the user requires the package, the
//! import leads into it, and the qualified name fits one definition of it.

use retriever_graph::{NodeKind, Resolution};

use super::{Ecosystem, PackageMention, ecosystem_of};
use crate::database::{StoredNode, StoredUse};

/// Returns whether a use may be one of a required package: what it imports is in the package, as far as names tell.
pub(crate) fn may_be_of(required: &PackageMention, module: &[String], names: &[String]) -> bool {
    let name = required.alias.as_deref().unwrap_or(&required.name);
    let is_below = |path: &str| {
        path.strip_prefix(name).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    };
    match required.ecosystem {
        Ecosystem::Cargo => module.first().or(names.first()).is_some_and(|root| root == name),
        Ecosystem::Go | Ecosystem::Npm => module.first().is_some_and(|path| is_below(path)),
        Ecosystem::Pypi | Ecosystem::Maven | Ecosystem::Composer => !module.is_empty(),
        Ecosystem::Nuget | Ecosystem::Gem | Ecosystem::Swift => names.len() > 1,
    }
}

/// Returns the definition among `candidates`, all nodes of its name in the repository that publishes the package.
pub(crate) fn resolve<'n>(
    site: &StoredUse,
    required: &PackageMention,
    published: &PackageMention,
    candidates: &'n [StoredNode],
) -> Option<(&'n StoredNode, Resolution)> {
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
    let is_exact = |node: &&&StoredNode| full == parts(&node.qname);
    if let Some(exact) = inside.iter().find(is_exact) {
        let resolution = if site.is_of_value { Resolution::Inferred } else { Resolution::Exact };
        return Some((exact, resolution));
    }
    if matches!(published.ecosystem, Ecosystem::Go | Ecosystem::Maven | Ecosystem::Composer) {
        // Their imports name definitions where they stand.
        return None;
    }
    let mut fitting = inside.into_iter().filter(|node| is_offered(node, site, &full));
    let first = fitting.next()?;
    // What a package offers under another path than its own has to be the only one of its name.
    fitting.all(|other| other.qname == first.qname).then_some((first, Resolution::Inferred))
}

/// The full name that a use spells.
fn full_name<'s>(site: &'s StoredUse, published: &'s PackageMention) -> Vec<&'s str> {
    let module = site.module.iter().flat_map(|part| parts(part));
    let mut full: Vec<&str> = module.chain(site.names.iter().map(String::as_str)).collect();
    if let (Ecosystem::Cargo, Some(root)) = (published.ecosystem, full.first_mut()) {
        // The user may have given the crate another name.
        *root = published.alias.as_deref().unwrap_or(&published.name);
    }
    full
}

/// Whether a package may offer `node` under a name that is not its own full name, as by a re-export.
fn is_offered(node: &StoredNode, site: &StoredUse, full: &[&str]) -> bool {
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
    has_root && fits && !node.is_private && !is_test(&node.path)
}

/// Whether a path is in a folder.
pub(crate) fn is_below(path: &str, folder: &str) -> bool {
    folder.is_empty() || path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn is_test(path: &str) -> bool {
    let folders =
        ["test", "tests", "__tests__", "spec", "testing", "fixtures", "examples", "example"];
    path.split('/').any(|part| {
        folders.contains(&part)
            || part.contains(".test.")
            || part.contains(".spec.")
            || part.starts_with("test_")
    })
}

/// The parts of a full name, however its language separates them.
pub(crate) fn parts(name: &str) -> Vec<&str> {
    let separators = ['.', ':', '#', '/', '\\'];
    let parts = name.trim().split(separators).map(|part| part.trim_end_matches("()"));
    parts.filter(|part| !part.is_empty()).collect()
}
