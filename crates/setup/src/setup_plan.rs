//! Plans all changes before anything is written: the files with their texts before and after, the parts that stay
//! unchanged, and refusals.

use std::{
    collections::BTreeSet,
    io, iter,
    path::{Path, PathBuf},
};

use crate::{
    HostAgent, SetupJournal, SetupPart, SetupScope, StandardPaths, TextInsertion, WrittenFile,
    host_agent_files,
    setup_files::{SetupTarget, targets},
    setup_journal::hash,
    splice::{self, AddedText},
};

/// What to set up.
#[derive(Clone, Debug)]
pub struct SetupOptions {
    /// The agents.
    pub agents: Vec<HostAgent>,
    /// The scope; `None` means the user's files when adding, and all known files when removing.
    pub scope: Option<SetupScope>,
    /// The parts.
    pub parts: Vec<SetupPart>,
}

/// A file that would change.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PlannedChange {
    /// The agents that read the file.
    pub agents: Vec<HostAgent>,
    /// The part of retriever that it holds.
    pub part: SetupPart,
    /// The file.
    pub path: PathBuf,
    /// Its text now; `None` if there is no such file.
    pub before: Option<String>,
    /// Its text afterwards; `None` if it would be removed.
    pub after: Option<String>,
    #[serde(skip)]
    project: Option<PathBuf>,
    #[serde(skip)]
    step: Step,
}

/// What the journal records of a change.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Add { insertions: Vec<TextInsertion>, made: usize, made_file: bool },
    Remove,
}

/// A part that stays unchanged.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct UnchangedSetupPart {
    /// The agent.
    pub agent: HostAgent,
    /// The part.
    pub part: SetupPart,
    /// Its file, if it has one.
    pub path: Option<PathBuf>,
    /// The reason, as a clause.
    pub reason: String,
}

/// Everything that would change.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct SetupPlan {
    /// Files that would be written or removed.
    pub changes: Vec<PlannedChange>,
    /// Parts that are already up to date, or that the agent does not have.
    pub kept: Vec<UnchangedSetupPart>,
    /// Parts whose file can't be changed.
    pub refused: Vec<UnchangedSetupPart>,
    /// Agents that read a file which was written for other agents before.
    #[serde(skip)]
    joining: Vec<(PathBuf, HostAgent)>,
    /// Agents that no longer use a file which others still read.
    #[serde(skip)]
    leaving: Vec<(PathBuf, HostAgent)>,
}

/// Why a plan was carried out only in part.
#[derive(Debug, thiserror::Error)]
#[error("{path} was not written: {source}")]
pub struct SetupError {
    /// The file.
    pub path: PathBuf,
    source: io::Error,
}

/// Returns the changes that add the parts. The journal has the agents for which a file was written before.
pub fn plan(
    journal: &SetupJournal,
    options: &SetupOptions,
    surroundings: &StandardPaths,
) -> SetupPlan {
    let mut plan = SetupPlan::default();
    let scope = options.scope.unwrap_or(SetupScope::User);
    for target in plan.targets(options, scope, surroundings) {
        plan.add(&target, journal);
    }
    plan
}

/// Returns the changes that remove the parts. Other changes of the files since then are kept.
pub fn removal(
    journal: &SetupJournal,
    options: &SetupOptions,
    surroundings: &StandardPaths,
) -> SetupPlan {
    let mut plan = SetupPlan::default();
    let targets = match options.scope {
        Some(scope) => plan.targets(options, scope, surroundings),
        None => everywhere(journal, options, surroundings),
    };
    for target in targets {
        plan.remove(&target, journal, &options.agents);
    }
    plan
}

/// Returns the existing files of the parts: the user's, those of the project, and those of the projects in the journal.
fn everywhere(
    journal: &SetupJournal,
    options: &SetupOptions,
    surroundings: &StandardPaths,
) -> Vec<SetupTarget> {
    let named = journal.written().iter().filter_map(|written| written.project.as_ref());
    let projects: BTreeSet<&PathBuf> = surroundings.project.iter().chain(named).collect();
    let of_project =
        |root: &PathBuf| StandardPaths { project: Some(root.clone()), ..surroundings.clone() };
    let places = iter::once((SetupScope::User, surroundings.clone()))
        .chain(projects.into_iter().map(|root| (SetupScope::Project, of_project(root))));
    let mut all = Vec::new();
    for (scope, surroundings) in places {
        all.extend(SetupPlan::default().targets(options, scope, &surroundings));
    }
    all.retain(|target| host_agent_files::exists(&target.path));
    all
}

impl SetupPlan {
    /// Returns whether there is nothing to write, including to the journal.
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.joining.is_empty() && self.leaving.is_empty()
    }

    /// Writes the changes and records each in the journal as it is made.
    ///
    /// # Errors
    ///
    /// [`SetupError`] at the first file that can't be written or was changed by another program since the plan was made.
    /// What was written before it is in the journal.
    pub fn apply(&self, journal: &mut SetupJournal) -> Result<(), SetupError> {
        for (path, agent) in &self.joining {
            journal.join(path, *agent);
        }
        for (path, agent) in &self.leaving {
            journal.leave(path, *agent);
        }
        for change in &self.changes {
            change
                .apply(journal)
                .map_err(|source| SetupError { path: change.path.clone(), source })?;
        }
        Ok(())
    }

    /// Returns the steps that are left to the user, by agent.
    pub fn next_steps(&self) -> Vec<(HostAgent, &'static str)> {
        let mut told = BTreeSet::new();
        for change in &self.changes {
            for agent in &change.agents {
                let spec = agent.spec();
                let in_project = change.project.iter().flat_map(|_| spec.afterwards_in_project);
                told.extend(spec.afterwards.iter().chain(in_project).map(|text| (*agent, *text)));
            }
        }
        told.into_iter().collect()
    }

    fn targets(
        &mut self,
        options: &SetupOptions,
        scope: SetupScope,
        surroundings: &StandardPaths,
    ) -> Vec<SetupTarget> {
        let mut all = Vec::new();
        for &agent in &options.agents {
            for &part in &options.parts {
                let own = targets(agent, part, scope, surroundings);
                if own.is_empty() {
                    let reason = format!("{} has none for this scope", agent.title());
                    self.kept.push(UnchangedSetupPart { agent, part, path: None, reason });
                }
                all.extend(own);
            }
        }
        all
    }

    fn add(&mut self, target: &SetupTarget, journal: &SetupJournal) {
        if self.joins(target) {
            return;
        }
        let before = match host_agent_files::read(&target.path) {
            Ok(before) => before,
            Err(error) => return self.refuse(target, error.to_string()),
        };
        let written = journal.find(&target.path);
        match target.add(before.as_deref().unwrap_or_default()) {
            Err(refusal) => match before
                .zip(written)
                .and_then(|(before, own)| rewritten(target, before, own))
            {
                Some((before, after, step)) => self.push(target, Some(before), Some(after), step),
                None => self.refuse(target, refusal.to_string()),
            },
            Ok(None) => {
                if let Some(written) = written
                    && !written.agents.contains(&target.agent)
                {
                    self.joining.push((written.path.clone(), target.agent));
                }
                self.keep(target, "it is set up");
            }
            Ok(Some(addition)) => {
                let after =
                    splice::insert(before.as_deref().unwrap_or_default(), &addition.insertions);
                let AddedText { insertions, made } = addition;
                let step = Step::Add { insertions, made, made_file: before.is_none() };
                self.push(target, before, Some(after), step);
            }
        }
    }

    fn remove(&mut self, target: &SetupTarget, journal: &SetupJournal, leaving: &[HostAgent]) {
        if self.joins(target) {
            return;
        }
        let written = journal.find(&target.path);
        // The journal has the file under the name by which it was written.
        let path = written.map_or(&target.path, |written| &written.path);
        let target = &target.at(path);
        let mut readers = written.into_iter().flat_map(|written| &written.agents);
        if let Some(stays) = readers.find(|agent| !leaving.contains(agent)) {
            if let Some(written) = written.filter(|written| written.agents.contains(&target.agent))
            {
                self.leaving.push((written.path.clone(), target.agent));
            }
            return self.keep(target, &format!("{} still reads it", stays.title()));
        }
        let before = match host_agent_files::read(&target.path) {
            Ok(Some(before)) => before,
            Ok(None) => return self.keep(target, "it is not there"),
            Err(error) => return self.refuse(target, error.to_string()),
        };
        let made_file = written.is_some_and(|written| written.made_file);
        let exact = written
            .filter(|written| written.after == hash(&before))
            .and_then(|written| splice::undo(&before, &written.insertions));
        let after = match exact {
            Some(after) => Ok(Some(after)),
            None => target.remove(&before, written.map_or(0, |written| written.made)),
        };
        match after {
            Err(refusal) => self.refuse(target, refusal.to_string()),
            Ok(None) => self.keep(target, "it is not there"),
            Ok(Some(after)) => {
                let own_file = matches!(target.part, SetupPart::Subagent | SetupPart::Skill);
                let gone = (made_file || own_file) && ["", "{}"].contains(&after.trim());
                let after = (!gone).then_some(after);
                self.push(target, Some(before), after, Step::Remove);
            }
        }
    }

    /// Adds the agent to a change or record of the same file. Returns whether there is one.
    fn joins(&mut self, target: &SetupTarget) -> bool {
        let resolved = host_agent_files::resolved(&target.path);
        let same =
            |path: &Path| path == target.path || host_agent_files::resolved(path) == resolved;
        if let Some(change) = self.changes.iter_mut().find(|change| same(&change.path)) {
            if !change.agents.contains(&target.agent) {
                change.agents.push(target.agent);
            }
            return true;
        }
        false
    }

    fn push(
        &mut self,
        target: &SetupTarget,
        before: Option<String>,
        after: Option<String>,
        step: Step,
    ) {
        self.changes.push(PlannedChange {
            agents: vec![target.agent],
            part: target.part,
            path: target.path.clone(),
            before,
            after,
            project: target.project.clone(),
            step,
        });
    }

    fn keep(&mut self, target: &SetupTarget, reason: &str) {
        self.kept.push(note(target, reason.to_owned()));
    }

    fn refuse(&mut self, target: &SetupTarget, reason: String) {
        self.refused.push(note(target, reason));
    }
}

impl PlannedChange {
    fn apply(&self, journal: &mut SetupJournal) -> io::Result<()> {
        match (&self.step, &self.after) {
            (Step::Add { insertions, made, made_file }, Some(after)) => {
                let folders = host_agent_files::replace(&self.path, self.before.as_deref(), after)?;
                let written = WrittenFile {
                    agents: self.agents.clone(),
                    part: self.part,
                    path: self.path.clone(),
                    project: self.project.clone(),
                    after: hash(after),
                    made_file: *made_file,
                    insertions: insertions.clone(),
                    made: *made,
                };
                journal.add(written, folders);
            }
            (Step::Remove, Some(after)) => {
                host_agent_files::replace(&self.path, self.before.as_deref(), after)?;
                journal.forget(&self.path);
            }
            (Step::Remove, None) => {
                host_agent_files::remove(&self.path, self.before.as_deref().unwrap_or_default())?;
                journal.forget(&self.path);
                journal.remove_empty_folders();
            }
            (Step::Add { .. }, None) => {}
        }
        Ok(())
    }
}

/// Returns a file's text before and after replacing what an earlier version wrote; `None` if another program changed it
/// since.
fn rewritten(
    target: &SetupTarget,
    before: String,
    written: &WrittenFile,
) -> Option<(String, String, Step)> {
    if written.after != hash(&before) {
        return None;
    }
    let without = splice::undo(&before, &written.insertions)?;
    let AddedText { insertions, made } = target.add(&without).ok()??;
    let after = splice::insert(&without, &insertions);
    Some((before, after, Step::Add { insertions, made, made_file: written.made_file }))
}

fn note(target: &SetupTarget, reason: String) -> UnchangedSetupPart {
    UnchangedSetupPart {
        agent: target.agent,
        part: target.part,
        path: Some(target.path.clone()),
        reason,
    }
}
