//! Checks the entries that `init` wrote: whether each is still there, and unchanged.

use retriever_setup::{
    HostAgent, SetupJournal, SetupOptions, SetupScope, StandardPaths, WrittenFile, detect, plan,
};

use super::super::{command_context::CommandContext, setup_locations};
use super::Check;

/// Checks the entries of agents. Returns `None` without a home folder.
pub(super) fn check(context: &CommandContext<'_>) -> Option<Check> {
    let surroundings = setup_locations::surroundings(context, None).ok()?;
    let path = setup_locations::journal_path(context).ok()?;
    let journal = match SetupJournal::load(&path) {
        Ok(journal) => journal,
        Err(error) => {
            let detail = format!("{} can't be read: {error}", path.display());
            return Some(Check::failed("agents", detail, "move the file away"));
        }
    };
    let (whole, changed): (Vec<&WrittenFile>, Vec<&WrittenFile>) =
        journal.written().iter().partition(|written| is_whole(written, &journal, &surroundings));
    let found = detect(&surroundings).into_iter().map(|found| found.agent);
    Some(match (whole.as_slice(), changed.as_slice()) {
        ([], []) => {
            let found = titles(found);
            let found =
                if found.is_empty() { "none found".to_owned() } else { format!("found: {found}") };
            Check::passed("agents", format!("none set up; {found}"))
        }
        (whole, []) => {
            let agents = whole.iter().flat_map(|written| written.agents.iter().copied());
            Check::passed("agents", format!("set up: {}", titles(agents)))
        }
        (_, changed) => {
            let paths: Vec<String> =
                changed.iter().map(|written| written.path.display().to_string()).collect();
            let detail = format!("changed or gone since they were written: {}", paths.join(", "));
            Check::failed(
                "agents",
                detail,
                "retriever init writes them again, --remove forgets them",
            )
        }
    })
}

/// Returns whether writing an entry again would change nothing.
fn is_whole(written: &WrittenFile, journal: &SetupJournal, surroundings: &StandardPaths) -> bool {
    let options = SetupOptions {
        agents: written.agents.clone(),
        scope: Some(if written.project.is_some() { SetupScope::Project } else { SetupScope::User }),
        parts: vec![written.part],
    };
    let surroundings = StandardPaths { project: written.project.clone(), ..surroundings.clone() };
    plan(journal, &options, &surroundings).changes.iter().all(|change| change.path != written.path)
}

fn titles(agents: impl Iterator<Item = HostAgent>) -> String {
    let mut agents: Vec<HostAgent> = agents.collect();
    agents.sort_unstable();
    agents.dedup();
    agents.iter().map(|agent| agent.title()).collect::<Vec<_>>().join(", ")
}
