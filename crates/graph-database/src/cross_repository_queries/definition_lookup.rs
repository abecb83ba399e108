//! Finds definitions by name, and names by words, in all repositories.

use std::collections::BTreeMap;

use retriever_graph::{LookupTarget, NodeKind, is_qualified_by, name_parts as parts};

use crate::{
    graph_database::{NameFilter, RepositoryScope, StoredNode},
    query_all_servers::DatabaseQuery,
};

/// Most candidates for an ambiguous name.
const CANDIDATES: usize = 5;
/// Most nodes of one name that are read.
const MAX_NAMED: u32 = 10_000;
/// Most names that a search reads.
const MAX_NAMES: u32 = 1_000;

/// The result of looking up a name in all repositories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CrossRepositoryLookup {
    /// One definition: all its nodes, the one with a body first.
    One(Vec<StoredNode>),
    /// Several definitions.
    Several {
        /// At most five, best first.
        candidates: Vec<StoredNode>,
        /// Number of all matches.
        total: usize,
    },
    /// No definition.
    Nothing,
}

impl DatabaseQuery<'_> {
    /// Finds the definition that `target` names. Its `file` is part of `repository:path`.
    pub async fn lookup(
        &self,
        scope: &RepositoryScope,
        target: LookupTarget<'_>,
    ) -> CrossRepositoryLookup {
        let wanted = parts(target.name.trim());
        let Some(last) = wanted.last() else { return CrossRepositoryLookup::Nothing };
        let folded = [last.to_lowercase()];
        let wanted_nodes = NameFilter { folded: &folded, kind: target.kind, place: target.file };
        let mut found = self.named(scope, wanted_nodes).await;
        prefer(&mut found, |node| node.name == *last);
        let mut fitting: Vec<StoredNode> = found
            .iter()
            .filter(|node| is_qualified_by(&node.qname, &wanted, str::eq))
            .cloned()
            .collect();
        if fitting.is_empty() {
            fitting = found;
            fitting.retain(|node| is_qualified_by(&node.qname, &wanted, str::eq_ignore_ascii_case));
        }
        // Names that end with the query rank before names with other parts in between.
        prefer(&mut fitting, |node| parts(&node.qname).ends_with(&wanted));
        prefer(&mut fitting, |node| node.qname == target.name.trim());
        let mut sets = definitions(fitting);
        match sets.len() {
            0 => CrossRepositoryLookup::Nothing,
            1 => CrossRepositoryLookup::One(sets.remove(0)),
            total => {
                let first = sets.into_iter().filter_map(|set| set.into_iter().next());
                let mut candidates: Vec<StoredNode> = first.collect();
                candidates
                    .sort_by_cached_key(|node| (node.is_declaration, place(node), node.start));
                candidates.truncate(CANDIDATES);
                CrossRepositoryLookup::Several { candidates, total }
            }
        }
    }

    /// Returns at most `limit` definitions whose name contains every word of `target`, best first, and the number of
    /// all.
    pub async fn search(
        &self,
        scope: &RepositoryScope,
        target: LookupTarget<'_>,
        limit: usize,
    ) -> (Vec<StoredNode>, u64) {
        let words: Vec<String> = target
            .name
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .filter(|word| !word.is_empty())
            .map(str::to_lowercase)
            .collect();
        if words.is_empty() {
            return (Vec::new(), 0);
        }
        // A name may have no node that passes the filter.
        let is_filtered = target.kind.is_some() || target.file.is_some();
        let limit_names = if is_filtered { usize::MAX } else { limit };
        let limit_names = u32::try_from(limit_names).unwrap_or(MAX_NAMES).min(MAX_NAMES);
        let scopes = self.scopes(scope).await;
        let matches = self
            .all(&scopes, |server, scope| {
                let names = server.names(scope, &words, limit_names);
                Box::pin(async { names.await.map(|matches| vec![matches]) })
            })
            .await;
        let total = matches.iter().map(|matches| matches.total).sum();
        let mut folded: Vec<String> =
            matches.into_iter().flat_map(|matches| matches.folded).collect();
        let rank = |name: &String| (!words.contains(name), name.chars().count());
        folded.sort_by(|a, b| rank(a).cmp(&rank(b)).then_with(|| a.cmp(b)));
        folded.dedup();
        folded.truncate(limit_names as usize);
        if is_filtered && folded.len() >= limit_names as usize {
            self.note_cut();
        }
        let wanted = NameFilter { folded: &folded, kind: target.kind, place: target.file };
        let mut found = self.named(scope, wanted).await;
        found.sort_by_cached_key(|node| {
            let name = node.name.to_lowercase();
            (rank(&name), name, place(node), node.start)
        });
        let total = if is_filtered { found.len() as u64 } else { total };
        found.truncate(limit);
        (found, total)
    }

    /// Returns the nodes of some names, up to the limit.
    pub(super) async fn named(
        &self,
        scope: &RepositoryScope,
        wanted: NameFilter<'_>,
    ) -> Vec<StoredNode> {
        let scopes = self.scopes(scope).await;
        let of_servers = self
            .all(&scopes, |server, scope| {
                let named = server.named(scope, wanted, MAX_NAMED);
                Box::pin(async { named.await.map(|nodes| vec![nodes]) })
            })
            .await;
        if of_servers.iter().any(|nodes| nodes.len() >= MAX_NAMED as usize) {
            self.note_cut();
        }
        of_servers.into_iter().flatten().collect()
    }
}

/// Returns the place of a node, in the form of a question's filter.
fn place(node: &StoredNode) -> String {
    format!("{}:{}", node.repository, node.path)
}

/// Keeps only the nodes for which `is_better` holds, if there are any.
fn prefer(nodes: &mut Vec<StoredNode>, is_better: impl Fn(&StoredNode) -> bool) {
    if nodes.iter().any(&is_better) {
        nodes.retain(is_better);
    }
}

/// Groups the nodes of one definition: overloads and prototypes in one file; nodes with a body come first.
fn definitions(nodes: Vec<StoredNode>) -> Vec<Vec<StoredNode>> {
    let mut sets: BTreeMap<(String, String, String, NodeKind), Vec<StoredNode>> = BTreeMap::new();
    for node in nodes {
        let key = (node.repository.clone(), node.path.clone(), node.qname.clone(), node.kind);
        sets.entry(key).or_default().push(node);
    }
    let mut sets: Vec<_> = sets.into_values().collect();
    sets.iter_mut().for_each(|set| set.sort_by_key(|node| (node.is_declaration, node.key)));
    sets
}
