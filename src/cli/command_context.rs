//! What every verb receives: flags, environment, configuration and output.

use std::path::PathBuf;

use retriever::{
    config::{ConfigSources, LoadedConfig, ProcessEnvironment, Setting, find_roots, load},
    workspace::Workspace,
};

use super::{
    args::GlobalArgs, command_error::CommandError, console_output::ConsoleOutput, location,
};

/// What every verb receives: the environment, the roots and the output.
pub(super) struct CommandContext<'a> {
    pub(super) environment: &'a ProcessEnvironment,
    pub(super) config_file: Option<PathBuf>,
    /// The values of `--root`.
    pub(super) named_roots: Vec<PathBuf>,
    /// The value of `--remote`.
    pub(super) remote: Option<String>,
    pub(super) output: ConsoleOutput,
}

impl<'a> CommandContext<'a> {
    pub(super) fn new(args: &GlobalArgs, environment: &'a ProcessEnvironment) -> Self {
        Self {
            environment,
            config_file: args.config.clone(),
            named_roots: args.roots.clone(),
            remote: args.remote.clone(),
            output: ConsoleOutput::new(args, environment),
        }
    }

    /// Returns the folder of the project that the command works on: the first root.
    pub(super) fn project(&self) -> PathBuf {
        let roots = find_roots::find(self.environment, &self.named_roots, &[]);
        roots.into_iter().next().map(|root| root.path).unwrap_or_default()
    }

    /// Loads the configuration, with `flags` above everything else, and prints a warning for each refused key.
    pub(super) fn load(&self, flags: &[Setting]) -> Result<LoadedConfig, CommandError> {
        let remote = self.remote.as_deref();
        let remote = remote.map(|it| Setting::flag("--remote", "index.remote", it));
        let flags: Vec<Setting> = remote.into_iter().chain(flags.iter().cloned()).collect();
        let loaded = load(&ConfigSources {
            environment: self.environment,
            config_file: self.config_file.as_deref(),
            roots: &self.named_roots,
            flags: &flags,
        })?;
        for warning in &loaded.warnings {
            self.output.warn(warning);
        }
        Ok(loaded)
    }

    /// Returns the cache folder, which holds the graphs of all roots; `None` when the system has none.
    pub(super) fn cache(&self, loaded: &LoadedConfig) -> Option<PathBuf> {
        match loaded.config.index.dir.trim() {
            "" => self.environment.cache_folder(),
            folder => Some(self.environment.folder().join(folder)),
        }
    }

    /// Returns the address of a line of the workspace, if the terminal supports links.
    pub(super) fn address(&self, workspace: &Workspace, path: &str, line: u32) -> Option<String> {
        self.output.terminal.as_ref()?.address(&location(workspace, path)?, line)
    }

    pub(super) fn open(&self, loaded: &LoadedConfig) -> Result<Workspace, CommandError> {
        let config = &loaded.config;
        Ok(Workspace::open_roots(&loaded.roots, &config.workspace, &config.traits)?)
    }
}
