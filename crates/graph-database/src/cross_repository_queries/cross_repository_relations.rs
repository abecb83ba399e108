//! The relations of one definition over all repositories: its callers, implementations and uses.

use std::collections::{BTreeMap, BTreeSet};

use retriever_graph::{
    EdgeKind, EdgeResolution, MAX_KEPT, NodeKind, NodeQuery, insert_line, is_test_path,
};

use crate::{
    graph_database::{CrossRepositoryEvidence, NodeKey, StoredEdge, StoredNode},
    query_all_servers::DatabaseQuery,
    repository_snapshot::RepositoryId,
};

/// Most nodes that one question visits.
const MAX_VISITED: usize = 20_000;
/// Most steps that a relation is followed.
const MAX_DEPTH: u32 = 10;
/// Most answers that are read to list tests last; above that only a page is read.
const MAX_SORTED_BY_PATH: usize = 1_000;

/// One answer: a node, the lines of the relation, and its distance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CrossRepositoryRelatedNode {
    /// The node.
    pub node: StoredNode,
    /// Steps from the target.
    pub depth: u32,
    /// The lines of the relation, in the file of the node that has it.
    pub lines: Vec<u32>,
    /// The certainty of the least certain line.
    pub resolution: EdgeResolution,
    /// The relation.
    pub kind: EdgeKind,
    /// The interface, base method or field in between, if the relation is indirect.
    pub through: Option<StoredNode>,
    /// The package that joins the repositories, if the relation leads from one to another.
    pub package: Option<CrossRepositoryEvidence>,
}

/// A page of an answer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrossRepositoryRelatedNodesPage {
    /// Sorted by depth, then other repositories before the target's, tests last unless there are too many answers, then
    /// by repository, path and line.
    pub items: Vec<CrossRepositoryRelatedNode>,
    /// Number of all items.
    pub total: usize,
    /// Numbers of related definitions by repository, in the order of the answer.
    pub repositories: Vec<(String, usize)>,
    /// Whether the question stopped at its limit.
    pub cut: bool,
}

/// The requested page of an answer.
#[derive(Clone, Copy, Debug)]
pub struct PageRange {
    /// Items to skip.
    pub offset: usize,
    /// Most items of the page.
    pub limit: usize,
}

/// A relation whose node is not read yet.
#[derive(Clone, Debug)]
struct Relation {
    depth: u32,
    lines: Vec<u32>,
    resolution: EdgeResolution,
    kind: EdgeKind,
    through: Option<NodeKey>,
    /// The ends of the first edge.
    ends: (NodeKey, NodeKey),
}

/// The results of one level.
#[derive(Default)]
struct Level {
    depth: u32,
    found: BTreeMap<NodeKey, Relation>,
}

impl DatabaseQuery<'_> {
    /// Answers `operation` for the nodes of one definition, up to `depth` steps (between 1 and 10).
    pub async fn related(
        &self,
        operation: NodeQuery,
        targets: &[StoredNode],
        depth: u32,
        page: PageRange,
    ) -> CrossRepositoryRelatedNodesPage {
        let mut frontier: Vec<(NodeKey, NodeKind)> =
            targets.iter().map(|node| (node.key, node.kind)).collect();
        let mut seen: BTreeSet<NodeKey> = frontier.iter().map(|(key, _)| *key).collect();
        let mut all: Vec<(NodeKey, Relation)> = Vec::new();
        let mut cut = false;
        for depth in 1..=depth.clamp(1, MAX_DEPTH) {
            let mut level = Level { depth, ..Level::default() };
            let kinds = self.step(operation, &frontier, &mut level).await;
            let fresh =
                level.found.into_iter().filter(|(key, _)| depth == 1 || !seen.contains(key));
            let fresh: Vec<(NodeKey, Relation)> = fresh.collect();
            let new = fresh.iter().map(|(key, _)| *key).filter(|key| seen.insert(*key));
            frontier = new.filter_map(|key| Some((key, *kinds.get(&key)?))).collect();
            all.extend(fresh);
            cut = seen.len() > MAX_VISITED;
            if cut || frontier.is_empty() {
                break;
            }
        }
        let home = targets.first().map(|node| node.key.snapshot.repository);
        CrossRepositoryRelatedNodesPage { cut, ..self.page_of(all, home, page).await }
    }

    /// Sorts the results, and reads the nodes of a page.
    async fn page_of(
        &self,
        mut all: Vec<(NodeKey, Relation)>,
        home: Option<RepositoryId>,
        page: PageRange,
    ) -> CrossRepositoryRelatedNodesPage {
        let keys: Vec<NodeKey> = all.iter().map(|(key, _)| *key).collect();
        let mut nodes = match all.len() {
            0..=MAX_SORTED_BY_PATH => self.nodes(&keys).await,
            _ => BTreeMap::new(),
        };
        all.sort_by_cached_key(|(key, relation)| {
            let is_test = nodes.get(key).is_some_and(|node| is_test_path(&node.path));
            let is_home = Some(key.snapshot.repository) == home;
            (relation.depth, is_home, is_test, *key)
        });
        let mut counts: Vec<(NodeKey, usize)> = Vec::new();
        for (key, _) in &all {
            let repository = key.snapshot.repository;
            match counts.iter_mut().find(|(it, _)| it.snapshot.repository == repository) {
                Some((_, count)) => *count += 1,
                None => counts.push((*key, 1)),
            }
        }
        let total = all.len();
        let shown: Vec<_> = all.into_iter().skip(page.offset).take(page.limit).collect();
        let through = shown.iter().filter_map(|(_, relation)| relation.through);
        let wanted = shown.iter().map(|(key, _)| *key).chain(through);
        let wanted: BTreeSet<NodeKey> = wanted.chain(counts.iter().map(|(key, _)| *key)).collect();
        let missing: Vec<NodeKey> =
            wanted.into_iter().filter(|key| !nodes.contains_key(key)).collect();
        nodes.extend(self.nodes(&missing).await);
        let repositories = counts
            .into_iter()
            .filter_map(|(key, count)| Some((nodes.get(&key)?.repository.clone(), count)))
            .collect();
        let items = self.with_nodes(shown, &nodes);
        CrossRepositoryRelatedNodesPage { items, total, repositories, cut: false }
    }

    /// Adds the nodes to the results.
    fn with_nodes(
        &self,
        found: Vec<(NodeKey, Relation)>,
        nodes: &BTreeMap<NodeKey, StoredNode>,
    ) -> Vec<CrossRepositoryRelatedNode> {
        let found = found.into_iter().filter_map(|(key, relation)| {
            Some(CrossRepositoryRelatedNode {
                node: nodes.get(&key)?.clone(),
                depth: relation.depth,
                lines: relation.lines,
                resolution: relation.resolution,
                kind: relation.kind,
                through: relation.through.and_then(|key| nodes.get(&key)).cloned(),
                package: self.evidence(relation.ends),
            })
        });
        found.collect()
    }

    /// Adds the nodes of the next step. Returns the kinds of the nodes at the ends of the edges.
    async fn step(
        &self,
        operation: NodeQuery,
        frontier: &[(NodeKey, NodeKind)],
        level: &mut Level,
    ) -> BTreeMap<NodeKey, NodeKind> {
        let keys: Vec<NodeKey> = frontier.iter().map(|(key, _)| *key).collect();
        let edges = match operation {
            NodeQuery::Callers => return self.callers(frontier, level).await,
            NodeQuery::Callees => return self.callees(&keys, level).await,
            NodeQuery::Usages => self.usages(&keys, level).await,
            NodeQuery::Implementations | NodeQuery::Inheritors | NodeQuery::Methods => {
                let kinds = match operation {
                    NodeQuery::Methods => &[EdgeKind::Parent][..],
                    _ => &[EdgeKind::Implements, EdgeKind::Inherits],
                };
                let edges = self.incoming(&keys, kinds).await;
                edges.iter().for_each(|edge| level.note(edge.from, edge, None));
                edges
            }
        };
        kinds_of(&edges)
    }

    /// Adds the uses of types. A type that extends one is its inheritor; an annotation adds its line to another use by
    /// the same node.
    async fn usages(&self, keys: &[NodeKey], level: &mut Level) -> Vec<StoredEdge> {
        const USES: [EdgeKind; 5] = [
            EdgeKind::Returns,
            EdgeKind::FieldType,
            EdgeKind::Constructs,
            EdgeKind::Calls,
            EdgeKind::DecoratedBy,
        ];
        const OTHERS: [EdgeKind; 3] =
            [EdgeKind::References, EdgeKind::Implements, EdgeKind::Inherits];
        let (parameters, mut uses, others) = futures::join!(
            self.outgoing(keys, &[EdgeKind::ParamOf]),
            self.incoming(keys, &USES),
            self.incoming(keys, &OTHERS)
        );
        parameters.iter().for_each(|edge| level.note(edge.to, edge, None));
        uses.retain(|edge| edge.kind != EdgeKind::Calls || edge.to_kind.is_type());
        // What makes an object of a type and names it otherwise, too, is told by the latter.
        uses.sort_by_key(|edge| edge.kind == EdgeKind::Calls);
        uses.iter().for_each(|edge| level.note(edge.from, edge, None));
        let builds = others.iter().filter(|edge| edge.kind != EdgeKind::References);
        let inheritors: BTreeSet<_> = builds.map(|edge| (edge.from, edge.to)).collect();
        let names: Vec<StoredEdge> = others
            .into_iter()
            .filter(|edge| {
                edge.kind == EdgeKind::References
                    && edge.resolution == EdgeResolution::Exact
                    && edge.from != edge.to
                    && edge.to_kind != NodeKind::Function
                    && !inheritors.contains(&(edge.from, edge.to))
            })
            .collect();
        for edge in &names {
            match level.found.get_mut(&edge.from) {
                Some(known) => insert_line(&mut known.lines, edge.line),
                None => level.note(edge.from, edge, None),
            }
        }
        parameters.into_iter().chain(uses).chain(names).collect()
    }

    async fn callers(
        &self,
        frontier: &[(NodeKey, NodeKind)],
        level: &mut Level,
    ) -> BTreeMap<NodeKey, NodeKind> {
        let functions = frontier.iter().filter(|(_, kind)| *kind == NodeKind::Function);
        let functions: Vec<NodeKey> = functions.map(|(key, _)| *key).collect();
        // A call of the interface's method may run the method.
        let above = self.outgoing(&functions, &[EdgeKind::Implements, EdgeKind::Inherits]).await;
        let direct: BTreeSet<NodeKey> = frontier.iter().map(|(key, _)| *key).collect();
        let above: BTreeSet<NodeKey> = above.iter().map(|edge| edge.to).collect();
        let ends: Vec<NodeKey> = direct.union(&above).copied().collect();
        let kinds = [
            EdgeKind::Calls,
            EdgeKind::Triggers,
            EdgeKind::References,
            EdgeKind::Constructs,
            EdgeKind::DecoratedBy,
        ];
        let mut edges = self.incoming(&ends, &kinds).await;
        let mut fields = BTreeSet::new();
        for edge in &edges {
            let through = (!direct.contains(&edge.to)).then_some(edge.to);
            match edge.kind {
                EdgeKind::Triggers if edge.from_kind.keeps_callbacks() => {
                    fields.insert(edge.from);
                }
                // A function that is passed as a value may be called under another name.
                EdgeKind::References if edge.from == edge.to => {}
                // Exact references to a type are annotations.
                EdgeKind::References
                    if edge.to_kind != NodeKind::Function
                        && edge.resolution != EdgeResolution::Dynamic => {}
                _ => level.note(edge.from, edge, through),
            }
        }
        let fields: Vec<NodeKey> = fields.into_iter().collect();
        let kept = self.triggered(&fields).await;
        let narrow: Vec<NodeKey> = kept
            .into_iter()
            .filter(|(_, kept)| kept.len() <= MAX_KEPT)
            .map(|(key, _)| key)
            .collect();
        let runs = self.incoming(&narrow, &[EdgeKind::Triggers]).await;
        runs.iter().for_each(|run| level.note(run.from, run, Some(run.to)));
        edges.extend(runs);
        kinds_of(&edges)
    }

    async fn callees(&self, keys: &[NodeKey], level: &mut Level) -> BTreeMap<NodeKey, NodeKind> {
        let mut edges = self.outgoing(keys, &[EdgeKind::Calls, EdgeKind::Triggers]).await;
        let fields = edges
            .iter()
            .filter(|edge| edge.kind == EdgeKind::Triggers && edge.to_kind.keeps_callbacks());
        let fields: BTreeSet<NodeKey> = fields.map(|edge| edge.to).collect();
        let kept = self.triggered(&fields.into_iter().collect::<Vec<_>>()).await;
        for edge in &edges {
            let kept = kept.get(&edge.to).filter(|_| edge.kind == EdgeKind::Triggers);
            match kept.filter(|kept| kept.len() <= MAX_KEPT) {
                Some(kept) => kept.iter().for_each(|kept| level.note(kept.to, edge, Some(edge.to))),
                None => level.note(edge.to, edge, None),
            }
        }
        edges.extend(kept.into_values().flatten());
        kinds_of(&edges)
    }

    /// Returns the targets that each of these fields triggers; fields without targets are left out.
    pub(super) async fn triggered(&self, fields: &[NodeKey]) -> BTreeMap<NodeKey, Vec<StoredEdge>> {
        let mut kept: BTreeMap<NodeKey, Vec<StoredEdge>> = BTreeMap::new();
        for edge in self.outgoing(fields, &[EdgeKind::Triggers]).await {
            kept.entry(edge.from).or_default().push(edge);
        }
        kept
    }
}

fn kinds_of(edges: &[StoredEdge]) -> BTreeMap<NodeKey, NodeKind> {
    let ends = edges.iter().flat_map(|edge| [(edge.from, edge.from_kind), (edge.to, edge.to_kind)]);
    ends.collect()
}

impl Level {
    fn note(&mut self, node: NodeKey, edge: &StoredEdge, through: Option<NodeKey>) {
        let resolution = if through.is_some() { EdgeResolution::Dynamic } else { edge.resolution };
        let lines = vec![edge.line];
        let ends = (edge.from, edge.to);
        let new = Relation { depth: self.depth, lines, resolution, kind: edge.kind, through, ends };
        let Some(known) = self.found.get_mut(&node) else {
            self.found.insert(node, new);
            return;
        };
        // A call takes precedence over a reference, and a direct relation over an indirect one.
        let is_mention = |kind| kind == EdgeKind::References;
        let rank = |it: &Relation| (is_mention(it.kind), it.through.is_some());
        match rank(&new).cmp(&rank(known)) {
            std::cmp::Ordering::Less => *known = new,
            std::cmp::Ordering::Greater => {}
            std::cmp::Ordering::Equal => {
                known.resolution = known.resolution.max(resolution);
                insert_line(&mut known.lines, edge.line);
            }
        }
    }
}
