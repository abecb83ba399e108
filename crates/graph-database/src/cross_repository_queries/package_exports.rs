//! Uses of packages that list their exports: the exported name leads to the definition behind it, in any file of the
//! repository. Publication resolved the exports; here they are only looked up.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{EdgeKind, EdgeResolution, NodeKind, name_parts as parts};

use super::package_resolution::with_body;
use crate::{
    graph_database::{NodeKey, SnapshotKey, StoredExternalUse, StoredNode, StoredPackage},
    packages::{Ecosystem, may_be_of},
    query_all_servers::DatabaseQuery,
    repository_snapshot::export_key,
};

/// Whether packages of an ecosystem list their exports.
pub(super) fn lists_exports(ecosystem: Ecosystem) -> bool {
    ecosystem == Ecosystem::Npm
}

/// The exports of packages that some uses need.
#[derive(Default)]
pub(super) struct PackageExports {
    /// By the publication and the names, the last of which is an [`export_key`].
    nodes: BTreeMap<(SnapshotKey, Vec<String>), Vec<ExportedNode>>,
}

/// An exported definition, and whether it is a member of a value.
type ExportedNode = (StoredNode, bool);

/// Returns the entry point of `package` that a use imports, under the package's own name.
fn module_of(
    site: &StoredExternalUse,
    user: &StoredPackage,
    package: &StoredPackage,
) -> Option<String> {
    let is_used = may_be_of(&user.mention, &site.module, &site.names);
    let written = site.module.first().filter(|_| is_used)?;
    let name = user.mention.alias.as_deref().unwrap_or(&user.mention.name);
    Some(format!("{}{}", package.mention.name, written.strip_prefix(name)?))
}

/// Returns the names by which an export is found.
fn keyed(module: &str, names: &[String]) -> Vec<String> {
    let mut names = names.to_vec();
    if let Some(last) = names.last_mut() {
        *last = export_key(module, last);
    }
    names
}

impl PackageExports {
    /// Returns the definition of a use; `candidates` are the nodes of its last name in the repository of `package`.
    pub(super) fn resolve<'n>(
        &'n self,
        site: &StoredExternalUse,
        user: &StoredPackage,
        package: &StoredPackage,
        candidates: &'n [StoredNode],
    ) -> Option<(&'n StoredNode, EdgeResolution)> {
        let module = module_of(site, user, package)?;
        let snapshot = package.snapshot;
        if !site.is_of_value
            && let Some((node, is_of_value)) =
                self.offered(snapshot, &module, &site.names, site.kind)
        {
            let is_sure = !is_of_value;
            return Some((
                node,
                if is_sure { EdgeResolution::Exact } else { EdgeResolution::Inferred },
            ));
        }
        // A member of an exported type.
        let (last, holders) = site.names.split_last()?;
        let (holder, _) = self.offered(snapshot, &module, holders, EdgeKind::FieldType)?;
        let mut qname = parts(&holder.qname);
        qname.push(last);
        let is_member = |node: &&StoredNode| {
            node.path == holder.path
                && node.is_member
                && !node.is_private
                && parts(&node.qname) == qname
        };
        let members = with_body(candidates.iter().filter(is_member).collect());
        members.first().filter(|_| is_type(holder)).map(|node| (*node, EdgeResolution::Inferred))
    }

    /// Returns the definition that a package exports under some names for a use of a kind, and whether it is a member
    /// of a value.
    fn offered(
        &self,
        snapshot: SnapshotKey,
        module: &str,
        names: &[String],
        kind: EdgeKind,
    ) -> Option<(&StoredNode, bool)> {
        let all = self.nodes.get(&(snapshot, keyed(module, names)))?;
        let is_of_value = all.iter().all(|(_, is_of_value)| *is_of_value);
        // A type and a value may have the same name.
        let wants_type = !matches!(kind, EdgeKind::Calls | EdgeKind::DecoratedBy);
        let fits = |node: &StoredNode| if wants_type { is_type(node) } else { is_value(node) };
        let mut nodes: Vec<&StoredNode> = all.iter().map(|(node, _)| node).collect();
        if nodes.iter().any(|node| fits(node)) {
            nodes.retain(|node| fits(node));
        }
        let nodes = with_body(nodes);
        let first = nodes.first()?;
        let is_one = nodes.iter().all(|node| node.qname == first.qname && node.path == first.path);
        is_one.then_some((first, is_of_value))
    }
}

fn is_type(node: &StoredNode) -> bool {
    use NodeKind::{Alias, Class, Enum, Interface, Struct};
    matches!(node.kind, Class | Interface | Struct | Enum | Alias)
}

fn is_value(node: &StoredNode) -> bool {
    use NodeKind::{Class, Enum, Field, Function, Variable};
    matches!(node.kind, Class | Enum | Field | Function | Variable)
}

impl DatabaseQuery<'_> {
    /// Returns the exports of the packages in `pairs`, users with packages, under the names of `uses`.
    pub(super) async fn exports_for(
        &self,
        uses: &[&StoredExternalUse],
        pairs: &[(&StoredPackage, &StoredPackage)],
    ) -> PackageExports {
        let mut wanted: BTreeMap<SnapshotKey, BTreeSet<String>> = BTreeMap::new();
        for (user, package) in
            pairs.iter().filter(|(user, _)| lists_exports(user.mention.ecosystem))
        {
            let of_user = uses.iter().filter(|site| site.from.snapshot == user.snapshot);
            for site in of_user {
                let Some(module) = module_of(site, user, package) else { continue };
                let keys = site.names.iter().map(|name| export_key(&module, name));
                wanted.entry(package.snapshot).or_default().extend(keys);
            }
        }
        let mut parts = Vec::new();
        for (snapshot, names) in wanted {
            let names: Vec<String> = names.into_iter().collect();
            let servers = self.by_server(&[snapshot], |snapshot| snapshot.repository).await;
            parts.extend(servers.into_iter().map(|(server, part)| (server, part, names.clone())));
        }
        let ask = parts.iter().map(|(server, part, names)| (*server, server.uses_of(part, names)));
        let exports: Vec<StoredExternalUse> = self.gather(ask).await;
        let keys: BTreeSet<NodeKey> = exports.iter().map(|export| export.from).collect();
        let nodes = self.nodes(&keys.into_iter().collect::<Vec<_>>()).await;
        let mut found = PackageExports::default();
        for export in exports.into_iter().filter(StoredExternalUse::is_export) {
            let Some(node) = nodes.get(&export.from) else { continue };
            let key = (export.from.snapshot, export.names);
            found.nodes.entry(key).or_default().push((node.clone(), export.is_of_value));
        }
        found
    }

    /// Returns the last names under which packages export these nodes.
    pub(super) async fn exported_names(&self, ends: &[NodeKey]) -> BTreeSet<String> {
        let parts = self.by_server(ends, |end| end.snapshot.repository).await;
        let ask = parts.iter().map(|(server, part)| (*server, server.uses_at(part)));
        let exports: Vec<StoredExternalUse> = self.gather(ask).await;
        let exports = exports.iter().filter(|export| export.is_export());
        let last =
            |export: &StoredExternalUse| Some(export.names.last()?.rsplit_once('#')?.1.to_owned());
        exports.filter_map(last).collect()
    }
}
