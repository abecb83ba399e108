//! Answers about all repositories that are published to the graph database. Their files are not on this machine, so
//! answers have signatures in place of lines, and are not evidence.

use retriever_graph::{LookupTarget, NodeKind, NodeQuery};
use retriever_graph_database::{
    CallTraceStep, CrossRepositoryEvidence, CrossRepositoryLookup, CrossRepositoryRelatedNode,
    DatabaseQuery as Asked, GraphDatabaseServers, PageRange, RepositoryScope, StoredNode,
};
use retriever_workspace::truncate;

use super::{
    answer_pages::headline,
    graph_answer::{Definition, GraphAnswer, PackageLink},
    graph_output::GraphOutput,
    graph_question::{GraphOperation, GraphQuestion},
};
use crate::{configured_database::ConfiguredDatabase, tools::ToolOutcome};

/// Most published repositories that are named if none defines a name.
const SHOWN_REPOSITORIES: usize = 20;

/// Most repositories whose share of an answer is named.
const COUNTED_REPOSITORIES: usize = 8;

/// A question that owns its arguments.
struct OwnedQuestion {
    operation: GraphOperation,
    target: String,
    file: Option<String>,
    kind: Option<NodeKind>,
    depth: u32,
    to: String,
    page: PageRange,
    /// The call for the next page.
    next_page: String,
}

/// Answers `question` over all published repositories.
pub(super) fn answer(everywhere: &ConfiguredDatabase, question: &GraphQuestion<'_>) -> GraphOutput {
    let owned = OwnedQuestion {
        operation: question.operation,
        target: question.target.to_owned(),
        file: question.file.map(str::to_owned),
        kind: question.kind,
        depth: question.depth,
        to: question.to.unwrap_or_default().to_owned(),
        page: PageRange { offset: question.offset, limit: question.limit },
        next_page: question.call_from(question.offset + question.limit),
    };
    let cancellation = &question.context.cancellation;
    let answered =
        everywhere.run(cancellation, |servers| async move { answer_on(&servers, &owned).await });
    answered.unwrap_or_else(|error| {
        GraphOutput::sentence(ToolOutcome::Failed, error.to_string())
            .note("leave everywhere out to ask this repository alone")
    })
}

async fn answer_on(servers: &GraphDatabaseServers, owned: &OwnedQuestion) -> GraphOutput {
    let asked = servers.question();
    let operation = match owned.operation {
        GraphOperation::Callers => Some(NodeQuery::Callers),
        GraphOperation::Callees => Some(NodeQuery::Callees),
        GraphOperation::Implementations => Some(NodeQuery::Implementations),
        GraphOperation::Methods => Some(NodeQuery::Methods),
        GraphOperation::Usages => Some(NodeQuery::Usages),
        GraphOperation::Inheritors => Some(NodeQuery::Inheritors),
        GraphOperation::Symbols | GraphOperation::Search | GraphOperation::Trace => None,
    };
    let mut output = match (operation, owned.operation) {
        (Some(operation), _) => related(&asked, operation, owned).await,
        (None, GraphOperation::Trace) => trace(&asked, owned).await,
        (None, GraphOperation::Search) => search(&asked, owned).await,
        (None, _) => {
            GraphOutput::sentence(ToolOutcome::BadArguments, "symbols is about a file here")
                .note("search finds definitions of all repositories by words of their names")
        }
    };
    if asked.is_cut() {
        output.notes.push(
            "more definitions have these names than are looked at: give file or kind".to_owned(),
        );
    }
    if asked.is_all_lost() {
        let lost: Vec<String> =
            asked.lost().iter().map(|lost| truncate(&lost.error.to_string(), 400)).collect();
        return GraphOutput::sentence(ToolOutcome::Failed, lost.join("; "))
            .note("no server answered to the end: this is no answer")
            .note("leave everywhere out to ask this repository alone");
    }
    for lost in asked.lost() {
        let note = format!("{}: its repositories are missing from this answer", lost.error);
        output.notes.push(truncate(&note, 400));
    }
    output.notes.extend(displaced(&asked));
    output
}

/// Names the repositories that are on another server than their names assign.
fn displaced(asked: &Asked<'_>) -> Option<String> {
    let names = asked.displaced();
    let shown = names.iter().take(3).map(String::as_str).collect::<Vec<_>>().join(", ");
    let shown = if names.len() > 3 { format!("{shown}, …") } else { shown };
    let lie = match names.len() {
        0 => return None,
        1 => "repository lies on another server than its name leads",
        _ => "repositories lie on other servers than their names lead",
    };
    Some(format!(
        "{} {lie} to ({shown}), as after a change of the list of servers; the next publication moves each",
        names.len()
    ))
}

async fn related(asked: &Asked<'_>, operation: NodeQuery, owned: &OwnedQuestion) -> GraphOutput {
    let set = match find(asked, &owned.target, owned).await {
        Ok(set) => set,
        Err(answer) => return *answer,
    };
    let page = asked.related(operation, &set, owned.depth, owned.page).await;
    let target = set.first().map(definition);
    let of = target.as_ref().map(Definition::describe).unwrap_or_default();
    let answers = page.items.iter().map(|found| answer_of(operation, &set, found)).collect();
    let mut output = listed(answers, page.total, &format!("{operation} of {of}"), owned);
    if page.repositories.len() > 1 {
        output.headline = format!("{}; {}", output.headline, counted(&page.repositories));
    }
    let output = if page.cut {
        output.note("it reaches too much: what is farther away is not counted")
    } else {
        output
    };
    GraphOutput { target, ..output }
}

/// Returns the number of answers of each repository, as text.
fn counted(repositories: &[(String, usize)]) -> String {
    let counts = repositories.iter().take(COUNTED_REPOSITORIES);
    let counts: Vec<String> = counts.map(|(name, count)| format!("{count} in {name}")).collect();
    match repositories.len().saturating_sub(COUNTED_REPOSITORIES) {
        0 => counts.join(", "),
        1 => format!("{} and the others in 1 more repository", counts.join(", ")),
        more => format!("{} and the others in {more} more repositories", counts.join(", ")),
    }
}

async fn search(asked: &Asked<'_>, owned: &OwnedQuestion) -> GraphOutput {
    let wanted = owned.page.offset.saturating_add(owned.page.limit);
    let target =
        LookupTarget { name: &owned.target, file: owned.file.as_deref(), kind: owned.kind };
    let (found, total) = asked.search(&RepositoryScope::All, target, wanted).await;
    let answers = found
        .iter()
        .skip(owned.page.offset)
        .map(|node| GraphAnswer::of(definition(node)))
        .collect();
    let total = usize::try_from(total).unwrap_or(usize::MAX);
    let what = format!("definitions whose names hold {:?}", truncate(&owned.target, 120));
    listed(answers, total, &what, owned)
}

async fn trace(asked: &Asked<'_>, owned: &OwnedQuestion) -> GraphOutput {
    let (from, to) =
        futures::join!(find(asked, &owned.target, owned), find(asked, &owned.to, owned));
    let (from, to) = match (from, to) {
        (Ok(from), Ok(to)) => (from, to),
        (Err(answer), _) | (_, Err(answer)) => return *answer,
    };
    let trace = asked.trace(&from, &to).await;
    let ends = format!("{} to {}", describe(&from), describe(&to));
    if trace.steps.is_empty() {
        let why = if trace.cut {
            "none was found before the search got too large"
        } else {
            "nothing that is published leads there"
        };
        return GraphOutput::sentence(ToolOutcome::NoMatch, format!("no way from {ends}: {why}"));
    }
    let before = std::iter::once(None).chain(trace.steps.iter().map(Some));
    let answers: Vec<GraphAnswer> =
        before.zip(&trace.steps).map(|(before, it)| step(before, it)).collect();
    let headline = match answers.len() {
        2 => format!("1 step from {ends}"),
        length => format!("{} steps from {ends}", length - 1),
    };
    let total = answers.len();
    let target = from.first().map(definition);
    GraphOutput { target, answers, total, ..GraphOutput::sentence(ToolOutcome::Found, headline) }
}

/// Returns the definition of a name, or the answer that lists what it may mean.
async fn find(
    asked: &Asked<'_>,
    name: &str,
    owned: &OwnedQuestion,
) -> Result<Vec<StoredNode>, Box<GraphOutput>> {
    let is_target = name == owned.target;
    let target = LookupTarget {
        name,
        file: owned.file.as_deref().filter(|_| is_target),
        kind: owned.kind.filter(|_| is_target),
    };
    let shown = truncate(name, 120);
    match asked.lookup(&RepositoryScope::All, target).await {
        CrossRepositoryLookup::One(set) => Ok(set),
        CrossRepositoryLookup::Several { candidates, total } => {
            let sentence = format!("{total} definitions in all repositories may be {shown:?}");
            let output = GraphOutput::sentence(ToolOutcome::NoMatch, sentence)
                .note("give a full name, or part of repository:path as file");
            let candidates = candidates.iter().map(definition).collect();
            Err(Box::new(GraphOutput { candidates, total, ..output }))
        }
        CrossRepositoryLookup::Nothing => {
            let repositories = asked.repositories().await;
            let names: Vec<&str> =
                repositories.iter().take(SHOWN_REPOSITORIES).map(|it| it.name.as_str()).collect();
            let more = if repositories.len() > names.len() { ", …" } else { "" };
            let reached = if asked.lost().is_empty() { "" } else { " that were reached" };
            let sentence = format!(
                "none of the {} published repositories{reached} defines {shown:?}",
                repositories.len()
            );
            let published = format!("published are {}{more}", names.join(", "));
            let output = GraphOutput::sentence(ToolOutcome::NoMatch, sentence)
                .note("search finds definitions by words of their names");
            Err(Box::new(if names.is_empty() { output } else { output.note(published) }))
        }
    }
}

/// Returns a page of answers.
fn listed(
    answers: Vec<GraphAnswer>,
    total: usize,
    what: &str,
    owned: &OwnedQuestion,
) -> GraphOutput {
    let mut output = headline(what, total, owned.page.offset, answers.len());
    let end = owned.page.offset + answers.len();
    if !answers.is_empty() && end < total {
        output.outcome = ToolOutcome::Truncated;
        output.notes.push(format!("{} more: {}", total - end, owned.next_page));
    }
    GraphOutput { answers, total, ..output }
}

fn definition(node: &StoredNode) -> Definition {
    Definition {
        qname: node.qname.clone(),
        kind: node.kind,
        path: node.path.clone(),
        start: node.start,
        end: node.end,
        line: node.name_line,
        owner: None,
        repository: Some(node.repository.clone()),
        signature: Some(node.signature.clone()).filter(|signature| !signature.is_empty()),
    }
}

fn describe(set: &[StoredNode]) -> String {
    set.first().map(|node| definition(node).describe()).unwrap_or_default()
}

fn answer_of(
    operation: NodeQuery,
    target: &[StoredNode],
    found: &CrossRepositoryRelatedNode,
) -> GraphAnswer {
    // The lines are in the file of the relation's source, which is known only for the first step of callees.
    let maker = match operation {
        NodeQuery::Callees if found.depth == 1 => target.first(),
        NodeQuery::Callees | NodeQuery::Methods => None,
        _ => Some(&found.node),
    };
    GraphAnswer {
        relation: Some(found.kind),
        resolution: Some(found.resolution),
        depth: Some(found.depth),
        through: found.through.as_ref().map(|node| node.qname.clone()),
        package: link(found.package.as_ref()),
        site: maker.map(|node| node.path.clone()),
        lines: maker.map(|_| found.lines.clone()).unwrap_or_default(),
        ..GraphAnswer::of(definition(&found.node))
    }
}

fn link(package: Option<&CrossRepositoryEvidence>) -> Option<PackageLink> {
    package.map(|it| PackageLink {
        ecosystem: it.ecosystem.to_string(),
        name: it.package.clone(),
        requires: it.requires.clone(),
    })
}

/// Returns a step; the file of its line is that of the step before.
fn step(before: Option<&CallTraceStep>, step: &CallTraceStep) -> GraphAnswer {
    let site = before.filter(|_| step.line > 0).map(|before| before.node.path.clone());
    GraphAnswer {
        lines: site.iter().map(|_| step.line).collect(),
        site,
        relation: step.kind,
        resolution: step.kind.map(|_| step.resolution),
        package: link(step.package.as_ref()),
        ..GraphAnswer::of(definition(&step.node))
    }
}
