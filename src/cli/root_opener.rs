//! Opens the roots that the clients of a server name, with the configuration and the flags of the command.

use std::path::PathBuf;

use retriever::{
    Retriever,
    config::{ProcessEnvironment, Setting},
};

use super::{
    args::ServerModelArgs, build_retriever::build, command_context::CommandContext,
    command_error::CommandError, console_output::ConsoleOutput, selected_model::ModelArgs,
};

/// What the roots of each client are opened with.
pub(super) struct RootOpener {
    environment: ProcessEnvironment,
    config_file: Option<PathBuf>,
    remote: Option<String>,
    roots: Vec<PathBuf>,
    output: ConsoleOutput,
    flags: Vec<Setting>,
    offline: bool,
}

impl RootOpener {
    pub(super) fn new(context: &CommandContext<'_>, args: &ServerModelArgs) -> Self {
        let text = |flag, key, value: &Option<String>| {
            value.as_ref().map(|value| Setting::flag(flag, key, value.as_str()))
        };
        let insecure = || Setting::flag("--insecure", "model.insecure", true);
        let flags = [
            text("--model", "model.name", &args.model),
            text("--base-url", "model.base_url", &args.base_url),
            args.insecure.then(insecure),
        ];
        Self {
            environment: context.environment.clone(),
            config_file: context.config_file.clone(),
            remote: context.remote.clone(),
            roots: context.named_roots.clone(),
            output: context.output.clone(),
            flags: flags.into_iter().flatten().collect(),
            offline: args.offline,
        }
    }

    /// Opens `roots` as one workspace, or those of the command when there are none.
    pub(super) fn open(&self, roots: &[PathBuf]) -> Result<Retriever, CommandError> {
        let named_roots = if roots.is_empty() { &self.roots } else { roots };
        let context = CommandContext {
            environment: &self.environment,
            config_file: self.config_file.clone(),
            named_roots: named_roots.to_vec(),
            remote: self.remote.clone(),
            output: self.output.clone(),
        };
        let loaded = context.load(&self.flags)?;
        let model_args = ModelArgs { offline: self.offline, ..ModelArgs::default() };
        Ok(build(&context, &loaded, &model_args)?.0)
    }
}
