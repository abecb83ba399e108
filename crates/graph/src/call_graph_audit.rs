//! Counts the call expressions of a tree that have neither an edge nor an unresolved call and match no listed exclusion.
//! Lowering or resolution lost them, and no answer shows it.

use std::collections::{BTreeMap, BTreeSet};

use retriever_workspace::{Cancellation, RepoPath, WorkBudgetExhausted, Workspace};
use serde::Serialize;

use crate::{
    graph_model::{EdgeKind, NodeId},
    incremental::workspace_graph_index::{GraphIndex, IndexError},
    languages::{self, CallExclusionReason, CallSite, Language},
    store::Graph,
};

/// Examples of each class of holes that are kept.
const MAX_EXAMPLES: usize = 5;

/// What became of the call expressions of a tree.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CallGraphAudit {
    /// Source files whose calls were looked at; those of outlined languages have no calls for the graph.
    pub files: usize,
    /// Call expressions.
    pub calls: usize,
    /// Those on whose lines edges start.
    pub edges: usize,
    /// Those that are open calls: their target is not known, or outside.
    pub open: usize,
    /// Those whose callee has no name: the result of a call, an item of a list, a function literal.
    pub computed: usize,
    /// Those that decorate a declaration with a type from outside.
    pub annotations: usize,
    /// Those that are read as imports.
    pub imports: usize,
    /// Words of a language that look like calls, and square brackets.
    pub words: usize,
    /// Those in parts of files that the grammar can't read.
    pub broken: usize,
    /// Lines of which the grammar read nothing, since it lost its way before them: neither definitions nor calls of them are known.
    pub skipped: usize,
    /// The files with the most of them: `path:line`, with the first.
    pub skipped_in: Vec<String>,
    /// Those in files that are too large or too deep to be read in full.
    pub omitted: usize,
    /// Those that are nothing of this.
    pub holes: usize,
    /// The holes by class, the largest first.
    pub classes: Vec<UnresolvedCallGroup>,
}

/// Lost calls of one kind.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct UnresolvedCallGroup {
    /// The language.
    pub language: &'static str,
    /// What the grammar calls the expressions.
    pub kind: &'static str,
    /// Whether a reference was read that resolution made nothing of; else nothing was read.
    pub was_read: bool,
    /// How many there are.
    pub calls: usize,
    /// The first of some names: `path:line name`.
    pub examples: Vec<String>,
}

impl GraphIndex {
    /// Refreshes the graph and looks for call expressions that it lost.
    ///
    /// # Errors
    ///
    /// [`IndexError`].
    pub fn audit(&self, cancellation: &Cancellation) -> Result<CallGraphAudit, IndexError> {
        let workspace = self.workspace();
        let audited = self.ask(cancellation, |graph| audit(graph, workspace, cancellation))?;
        audited.map_err(|_| IndexError::Cancelled)
    }
}

fn audit(
    graph: &Graph,
    workspace: &Workspace,
    cancellation: &Cancellation,
) -> Result<CallGraphAudit, WorkBudgetExhausted> {
    let mut audit = CallGraphAudit::default();
    let (mut classes, mut skipped) = (BTreeMap::new(), Vec::new());
    let omissions: BTreeSet<&str> = graph.omissions().iter().map(|(path, _)| *path).collect();
    for (path, nodes) in graph.files() {
        let file = RepoPath::parse(path, "").ok().and_then(|path| workspace.read(&path).ok());
        let Some(file) = file else { continue };
        let Some(language) = Language::of_source(path, file.text()) else { continue };
        if language.is_outlined() {
            continue;
        }
        let facts = languages::extract_within(language, file.text(), cancellation)?;
        let text = languages::call_sites(language, file.text(), &facts, cancellation)?;
        let sites = text.calls;
        audit.files += 1;
        audit.calls += sites.len();
        if omissions.contains(path) {
            audit.omitted += sites.len();
            continue;
        }
        if let Some(first) = text.skipped.iter().min() {
            audit.skipped += text.skipped.len();
            skipped.push((std::cmp::Reverse(text.skipped.len()), format!("{path}:{first}")));
        }
        let known = KnownLines::of(graph, nodes.map(NodeId));
        for site in sites {
            if site.exclusion == Some(CallExclusionReason::Computed) {
                audit.computed += 1;
            } else if site.is_referred && known.open.contains(&(site.line, site.name.clone())) {
                audit.open += 1;
            } else if site.is_referred && known.edges.contains(&site.line) {
                audit.edges += 1;
            } else {
                match site.exclusion {
                    Some(CallExclusionReason::Annotation) => audit.annotations += 1,
                    Some(CallExclusionReason::Broken) => audit.broken += 1,
                    Some(CallExclusionReason::Import) => audit.imports += 1,
                    Some(_) => audit.words += 1,
                    None => note(&mut classes, path, language, &site),
                }
            }
        }
    }
    skipped.sort();
    audit.skipped_in = skipped.into_iter().take(MAX_EXAMPLES).map(|(_, at)| at).collect();
    audit.classes = classes.into_values().collect();
    audit.classes.sort_by_key(|class| std::cmp::Reverse(class.calls));
    audit.holes = audit.classes.iter().map(|class| class.calls).sum();
    Ok(audit)
}

/// The lines of a file that edges and open calls start on.
struct KnownLines {
    edges: BTreeSet<u32>,
    open: BTreeSet<(u32, String)>,
}

impl KnownLines {
    fn of(graph: &Graph, nodes: impl Iterator<Item = NodeId>) -> Self {
        let mut known = Self { edges: BTreeSet::new(), open: BTreeSet::new() };
        for node in nodes {
            let of_calls = graph.outgoing(node).iter().filter(|edge| {
                matches!(
                    edge.kind,
                    EdgeKind::Calls
                        | EdgeKind::Triggers
                        | EdgeKind::References
                        | EdgeKind::DecoratedBy
                        | EdgeKind::Constructs
                )
            });
            known.edges.extend(of_calls.map(|edge| edge.line));
            known.open.extend(graph.open_calls(node).iter().map(|it| (it.line, it.name.clone())));
        }
        known
    }
}

type Class = (&'static str, &'static str, bool);

fn note(
    classes: &mut BTreeMap<Class, UnresolvedCallGroup>,
    path: &str,
    language: Language,
    site: &CallSite,
) {
    let (language, kind, was_read) = (language.name(), site.kind, site.is_referred);
    let class = classes.entry((language, kind, was_read)).or_insert_with(|| UnresolvedCallGroup {
        language,
        kind,
        was_read,
        calls: 0,
        examples: Vec::new(),
    });
    class.calls += 1;
    let name = format!(" {}", site.name);
    if class.examples.len() < MAX_EXAMPLES && !class.examples.iter().any(|it| it.ends_with(&name)) {
        class.examples.push(format!("{path}:{}{name}", site.line));
    }
}
