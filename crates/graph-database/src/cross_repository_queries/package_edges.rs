//! Edges between repositories: from a use of a package to the definition in the repository that publishes it. They are
//! computed when a question reaches one of their ends, so the order of publication does not matter.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::PoisonError,
};

use futures::stream::{self, StreamExt};
use retriever_graph::{EdgeKind, NodeKind};
use retriever_workspace::is_within;

use super::{package_exports::lists_exports, package_resolution::resolve};
use crate::{
    graph_database::{
        CrossRepositoryEvidence, EdgeDirection, NameFilter, NodeKey, RepositoryScope, SnapshotKey,
        StoredEdge, StoredExternalUse, StoredNode, StoredPackage,
    },
    packages::Ecosystem,
    query_all_servers::DatabaseQuery,
};

/// Names per look-up, so that frequent names do not crowd out the others.
const NAMES: usize = 50;
/// Most concurrent look-ups, since a server has few connections for all questions.
const LOOKUPS: usize = 4;

/// Nodes by repository and name.
type Named = BTreeMap<(SnapshotKey, String), Vec<StoredNode>>;

/// Whether edges of a kind lead from a definition to its user, as from the type of a parameter to the function.
fn leads_to_user(kind: EdgeKind) -> bool {
    kind == EdgeKind::ParamOf
}

/// Pairs the requirements of a repository with the packages of that name that other repositories publish.
fn users_and_packages<'p>(
    required: &'p [StoredPackage],
    published: &'p [StoredPackage],
) -> Vec<(&'p StoredPackage, &'p StoredPackage)> {
    let mut pairs = Vec::new();
    for user in required.iter().filter(|user| user.mention.requires.is_some()) {
        let packages = published.iter().filter(|package| {
            package.mention.requires.is_none()
                && package.name() == user.name()
                && package.snapshot.repository != user.snapshot.repository
        });
        pairs.extend(packages.map(|package| (user, package)));
    }
    pairs
}

impl DatabaseQuery<'_> {
    /// Returns the edges between these nodes and other repositories.
    pub(super) async fn package_edges(
        &self,
        ends: &[NodeKey],
        direction: EdgeDirection,
        kinds: &[EdgeKind],
    ) -> Vec<StoredEdge> {
        let (to_users, to_definitions): (Vec<EdgeKind>, Vec<EdgeKind>) =
            kinds.iter().partition(|kind| leads_to_user(**kind));
        let (at_definitions, at_users) = match direction {
            EdgeDirection::Incoming => (to_definitions, to_users),
            EdgeDirection::Outgoing => (to_users, to_definitions),
        };
        let (mut edges, of_users) = futures::join!(
            self.package_edges_of_definitions(ends, &at_definitions),
            self.package_edges_of_users(ends, &at_users)
        );
        edges.extend(of_users);
        edges
    }

    /// Returns the edges between these definitions and their users in other repositories.
    async fn package_edges_of_definitions(
        &self,
        ends: &[NodeKey],
        kinds: &[EdgeKind],
    ) -> Vec<StoredEdge> {
        if kinds.is_empty() {
            return Vec::new();
        }
        let (published, required) =
            self.packages_at(ends, |package| package.mention.requires.is_none()).await;
        let pairs = users_and_packages(&required, &published);
        if pairs.is_empty() {
            return Vec::new();
        }
        let targets = self.nodes(ends).await;
        let mut names: BTreeSet<String> = targets
            .values()
            .filter(|node| {
                let of_package = |it: &StoredPackage| is_within(&node.path, &it.mention.folder);
                node.kind != NodeKind::File && published.iter().any(of_package)
            })
            .map(|node| node.name.clone())
            .collect();
        if published.iter().any(|package| lists_exports(package.mention.ecosystem)) {
            names.extend(self.exported_names(ends).await);
        }
        let names: Vec<String> = names.into_iter().collect();
        let users: BTreeSet<SnapshotKey> = pairs.iter().map(|(user, _)| user.snapshot).collect();
        let users: Vec<SnapshotKey> = users.into_iter().collect();
        let parts = self.by_server(&users, |user| user.repository).await;
        let ask = parts.iter().map(|(server, part)| (*server, server.uses_of(part, &names)));
        let uses = self.gather(ask).await;
        let mut edges = self.resolve_uses(&uses, &pairs, kinds).await;
        edges.retain(|edge| {
            targets.contains_key(if leads_to_user(edge.kind) { &edge.from } else { &edge.to })
        });
        edges
    }

    /// Returns the edges between these users and definitions in other repositories.
    async fn package_edges_of_users(
        &self,
        ends: &[NodeKey],
        kinds: &[EdgeKind],
    ) -> Vec<StoredEdge> {
        if kinds.is_empty() {
            return Vec::new();
        }
        let (required, published) =
            self.packages_at(ends, |package| package.mention.requires.is_some()).await;
        let pairs = users_and_packages(&required, &published);
        if pairs.is_empty() {
            return Vec::new();
        }
        let parts = self.by_server(ends, |end| end.snapshot.repository).await;
        let ask = parts.iter().map(|(server, part)| (*server, server.uses_at(part)));
        let uses = self.gather(ask).await;
        self.resolve_uses(&uses, &pairs, kinds).await
    }

    /// Returns the packages of the repositories of `ends` that are `asked` for, and the packages by their names of all
    /// repositories.
    async fn packages_at(
        &self,
        ends: &[NodeKey],
        asked: fn(&StoredPackage) -> bool,
    ) -> (Vec<StoredPackage>, Vec<StoredPackage>) {
        let homes: BTreeSet<SnapshotKey> = ends.iter().map(|end| end.snapshot).collect();
        let mut own = self.packages_of(homes).await;
        own.retain(asked);
        if own.is_empty() {
            return (own, Vec::new());
        }
        let names = own.iter().map(|package| package.name()).collect();
        let named = self.packages_named(names).await;
        (own, named)
    }

    /// Resolves uses, given pairs of users and packages.
    async fn resolve_uses(
        &self,
        uses: &[StoredExternalUse],
        pairs: &[(&StoredPackage, &StoredPackage)],
        kinds: &[EdgeKind],
    ) -> Vec<StoredEdge> {
        let is_asked = |site: &&StoredExternalUse| kinds.contains(&site.kind) && !site.is_export();
        let uses: Vec<&StoredExternalUse> = uses.iter().filter(is_asked).collect();
        if uses.is_empty() {
            return Vec::new();
        }
        let named = self.named_in(&uses, pairs).await;
        let exports = self.exports_for(&uses, pairs).await;
        let paths = self.paths_of_users(&uses, pairs).await;
        let mut edges = BTreeSet::new();
        for site in uses {
            let Some(name) = site.names.last() else { continue };
            let path = paths.get(&site.from).map_or("", String::as_str);
            let mut of_user: Vec<_> = pairs
                .iter()
                .filter(|(user, _)| {
                    user.snapshot == site.from.snapshot && user.mention.ecosystem == site.ecosystem
                })
                .collect();
            // The manifest nearest to the file has the required versions.
            let depth = |folder: &str| is_within(path, folder).then_some(folder.len());
            of_user.sort_by_key(|(user, _)| std::cmp::Reverse(depth(&user.mention.folder)));
            let mut reached = BTreeSet::new();
            for (user, package) in of_user {
                let candidates = named.get(&(package.snapshot, name.to_lowercase()));
                let candidates = candidates.map(Vec::as_slice).unwrap_or_default();
                let found = if lists_exports(site.ecosystem) {
                    exports.resolve(site, user, package, candidates)
                } else {
                    resolve(site, &user.mention, &package.mention, candidates)
                };
                let Some((to, resolution)) = found else { continue };
                if !reached.insert(package.snapshot) {
                    continue;
                }
                let (user_end, definition) = ((site.from, site.from_kind), (to.key, to.kind));
                let ((from, from_kind), (to, to_kind)) = if leads_to_user(site.kind) {
                    (definition, user_end)
                } else {
                    (user_end, definition)
                };
                self.note_evidence((from, to), user);
                let StoredExternalUse { kind, line, .. } = *site;
                edges.insert(StoredEdge { from, from_kind, kind, to, to_kind, line, resolution });
            }
        }
        // Of several readings of a use, the most certain one counts, which is sorted first.
        let mut edges: Vec<StoredEdge> = edges.into_iter().collect();
        edges
            .dedup_by(|next, first| StoredEdge { resolution: first.resolution, ..*next } == *first);
        edges
    }

    /// Returns the files of uses, if several manifests of a repository require one package; else nothing.
    async fn paths_of_users(
        &self,
        uses: &[&StoredExternalUse],
        pairs: &[(&StoredPackage, &StoredPackage)],
    ) -> BTreeMap<NodeKey, String> {
        let distinct: BTreeSet<_> =
            pairs.iter().map(|(user, package)| (user.snapshot, package.snapshot)).collect();
        if distinct.len() == pairs.len() {
            return BTreeMap::new();
        }
        let keys: BTreeSet<NodeKey> = uses.iter().map(|site| site.from).collect();
        let nodes = self.nodes(&keys.into_iter().collect::<Vec<_>>()).await;
        nodes.into_iter().map(|(key, node)| (key, node.path)).collect()
    }

    /// Returns the nodes of the used names, in the repositories that publish the packages.
    async fn named_in(
        &self,
        uses: &[&StoredExternalUse],
        pairs: &[(&StoredPackage, &StoredPackage)],
    ) -> Named {
        let folded: BTreeSet<String> = uses
            .iter()
            .filter_map(|site| site.names.last())
            .map(|name| name.to_lowercase())
            .collect();
        let folded: Vec<String> = folded.into_iter().collect();
        let homes: BTreeSet<_> = pairs.iter().map(|(_, it)| it.snapshot.repository).collect();
        let scope = RepositoryScope::Only(homes.into_iter().collect());
        let mut named = Named::new();
        let filter = |folded| NameFilter { folded, ..NameFilter::default() };
        let lookups = folded.chunks(NAMES).map(|folded| self.named(&scope, filter(folded)));
        let lookups: Vec<_> = lookups.collect();
        let found: Vec<_> = stream::iter(lookups).buffered(LOOKUPS).collect().await;
        for node in found.into_iter().flatten() {
            named.entry((node.key.snapshot, node.name.to_lowercase())).or_default().push(node);
        }
        named
    }

    /// Returns why an edge leads from one repository to another; `None` for edges within one.
    pub(super) fn evidence(&self, ends: (NodeKey, NodeKey)) -> Option<CrossRepositoryEvidence> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.evidence.get(&ends).cloned()
    }

    fn note_evidence(&self, ends: (NodeKey, NodeKey), user: &StoredPackage) {
        let evidence = CrossRepositoryEvidence {
            ecosystem: user.mention.ecosystem,
            package: user.mention.name.clone(),
            requires: user.mention.requires.clone().unwrap_or_default(),
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.evidence.entry(ends).or_insert(evidence);
    }

    /// Returns the packages in the manifests of these publications.
    async fn packages_of(&self, snapshots: BTreeSet<SnapshotKey>) -> Vec<StoredPackage> {
        let missing: Vec<SnapshotKey> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            snapshots.iter().filter(|it| !known.of_snapshot.contains_key(it)).copied().collect()
        };
        let parts = self.by_server(&missing, |it| it.repository).await;
        let ask = parts.iter().map(|(server, part)| (*server, server.packages_of(part)));
        let found = self.gather(ask).await;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for snapshot in missing {
            let of_it = found.iter().filter(|package| package.snapshot == snapshot);
            let of_it = of_it.cloned().collect();
            known.of_snapshot.insert(snapshot, of_it);
        }
        snapshots.iter().filter_map(|it| known.of_snapshot.get(it)).flatten().cloned().collect()
    }

    /// Returns the repositories that publish or require these packages.
    async fn packages_named(&self, names: BTreeSet<(Ecosystem, String)>) -> Vec<StoredPackage> {
        let missing: Vec<(Ecosystem, String)> = {
            let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
            names.iter().filter(|it| !known.by_name.contains_key(it)).cloned().collect()
        };
        let found = if missing.is_empty() {
            Vec::new()
        } else {
            let scopes = self.scopes(&RepositoryScope::All).await;
            self.all(&scopes, |server, scope| server.packages_named(scope, &missing)).await
        };
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for name in missing {
            let of_it = found.iter().filter(|package| package.name() == name);
            let of_it = of_it.cloned().collect();
            known.by_name.insert(name, of_it);
        }
        names.iter().filter_map(|it| known.by_name.get(it)).flatten().cloned().collect()
    }
}
