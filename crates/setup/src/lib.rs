//! Adds retriever to the configuration files of the agents on a machine: finds the installed agents, plans the changes
//! to their files, and writes them without changing another byte. Nothing is written before [`SetupPlan::apply`], and
//! [`removal`] restores the files.

mod host_agent;
mod host_agent_config_entry;
mod host_agent_files;
mod host_agent_specs;
mod installed_agents;
mod launch_command;
mod setup_files;
mod setup_journal;
mod setup_plan;
mod splice;
mod standard_paths;

pub use host_agent::HostAgent;
pub use installed_agents::{InstallEvidence, InstalledAgent, detect};
pub use launch_command::LaunchCommand;
pub use setup_files::{SetupPart, SetupScope};
pub use setup_journal::{SetupJournal, WrittenFile};
pub use setup_plan::{
    PlannedChange, SetupError, SetupOptions, SetupPlan, UnchangedSetupPart, plan, removal,
};
pub use splice::{SpliceRefusal, TextInsertion};
pub use standard_paths::{Platform, StandardPaths};
