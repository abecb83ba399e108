//! `mcp`: serves MCP on stdin and stdout, and opens the roots that the client names.

use std::path::PathBuf;

use retriever::{
    mcp::{Server, serve_stdio},
    sandbox::Network,
};

use super::{
    CommandContext,
    args::McpArgs,
    error::{CommandError, Kind},
    exit::Exit,
    setup::{self, RootOpener},
};

pub(super) fn run(context: &CommandContext<'_>, args: &McpArgs) -> Result<Exit, CommandError> {
    // The roots of a client are not known yet; without a configuration nothing is served.
    let reads = match context.named_roots.as_slice() {
        [] => vec![PathBuf::from("/")],
        roots => roots.to_vec(),
    };
    let loaded = context.load(&[]).ok();
    let sandbox = loaded.and_then(|loaded| setup::sandbox(context, &loaded, reads, Network::Any));
    setup::confined(sandbox.as_ref(), || serve(context, args))
}

fn serve(context: &CommandContext<'_>, args: &McpArgs) -> Result<Exit, CommandError> {
    let opener = RootOpener::new(context, &args.model);
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
        CommandError::new(Kind::Usage, error.to_string()).hint(
            "an MCP client starts this command and speaks first; docs/planners.md has examples",
        )
    })
}
