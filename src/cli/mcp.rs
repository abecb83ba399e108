//! `mcp`: serves MCP on stdin and stdout, and opens the roots that the client names.

use std::path::PathBuf;

use retriever::{
    Retriever,
    config::{Environment, Setting},
    mcp::{Server, serve_stdio},
};

use super::{
    CommandContext,
    args::McpArgs,
    error::{CommandError, Kind},
    exit::Exit,
    output::Output,
    setup::{self, ModelArgs},
};

pub(super) fn run(context: &CommandContext<'_>, args: &McpArgs) -> Result<Exit, CommandError> {
    let opener = RootOpener {
        environment: context.environment.clone(),
        file: context.file.clone(),
        roots: context.named_roots.clone(),
        output: context.output,
        flags: [
            args.model.as_ref().map(|name| Setting::flag("--model", "model.name", name.as_str())),
            args.base_url
                .as_ref()
                .map(|url| Setting::flag("--base-url", "model.base_url", url.as_str())),
        ]
        .into_iter()
        .flatten()
        .collect(),
        offline: args.offline,
    };
    let server = if context.named_roots.is_empty() {
        Server::of_roots(move |roots| {
            opener.open(roots).map_err(|error| {
                let hints = error.hints.iter().map(|hint| format!("; {hint}"));
                format!("{}{}", error.message, hints.collect::<String>())
            })
        })
    } else {
        // The roots are fixed, so an unusable one is an error at the start.
        Server::new(opener.open(&[])?)
    };
    let runtime = setup::runtime()?;
    let served = runtime.block_on(serve_stdio(server));
    // A read of stdin cannot be cancelled, and after the client is gone nothing is left to read.
    runtime.shutdown_background();
    served.map(|()| Exit::Done).map_err(|error| {
        CommandError::new(Kind::Usage, error.to_string())
            .hint("an MCP client starts this command and speaks first; README has examples")
    })
}

/// Opens roots with the configuration and the flags of the command.
struct RootOpener {
    environment: Environment,
    file: Option<PathBuf>,
    roots: Vec<PathBuf>,
    output: Output,
    flags: Vec<Setting>,
    offline: bool,
}

impl RootOpener {
    /// Opens `roots`, or those of the command when there are none.
    fn open(&self, roots: &[PathBuf]) -> Result<Retriever, CommandError> {
        let named_roots = if roots.is_empty() { &self.roots } else { roots };
        let context = CommandContext {
            environment: &self.environment,
            file: self.file.clone(),
            named_roots: named_roots.to_vec(),
            output: self.output,
        };
        let loaded = context.load(&self.flags)?;
        let model_args = ModelArgs { offline: self.offline, ..ModelArgs::default() };
        Ok(setup::build(&context, &loaded, &model_args)?.0)
    }
}
