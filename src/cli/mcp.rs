//! `mcp`: serves MCP on stdin and stdout, and opens the roots that the client names.

use std::path::PathBuf;

use retriever::{
    Retriever,
    mcp::{McpServer, serve_stdio},
    sandbox::NetworkAccess,
};

use super::{
    args::McpArgs,
    async_runtime,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
    question_sandbox,
    root_opener::RootOpener,
};

pub(super) fn run(context: &CommandContext<'_>, args: &McpArgs) -> Result<Exit, CommandError> {
    let opener = RootOpener::new(context, &args.model);
    let (server, reads) = if context.named_roots.is_empty() {
        // The roots of a client are not known yet.
        (McpServer::of_roots(move |roots| open_named(&opener, roots)), vec![PathBuf::from("/")])
    } else {
        // The roots are fixed, so an unusable one is an error at the start.
        let retriever = opener.open(&[])?;
        let reads = question_sandbox::read_folders(retriever.workspace());
        (McpServer::new(retriever), reads)
    };
    let server = server.listing(args.tools.clone());
    // Without a configuration no root can be opened.
    let loaded = context.load(&[]).ok();
    let sandbox = loaded
        .and_then(|loaded| question_sandbox::sandbox(context, &loaded, reads, NetworkAccess::Any));
    question_sandbox::confined(context, sandbox.as_ref(), || serve(server))
}

fn open_named(opener: &RootOpener, roots: &[PathBuf]) -> Result<Retriever, String> {
    opener.open(roots).map_err(|error| {
        let hints = error.hints.iter().map(|hint| format!("; {hint}"));
        format!("{}{}", error.message, hints.collect::<String>())
    })
}

fn serve(server: McpServer) -> Result<Exit, CommandError> {
    let runtime = async_runtime::runtime()?;
    let served = runtime.block_on(serve_stdio(server));
    // A read of stdin cannot be cancelled, and the client is gone, so nothing is left to read.
    runtime.shutdown_background();
    served.map(|()| Exit::Done).map_err(|error| {
        CommandError::new(CommandErrorKind::Usage, error.to_string()).hint(
            "an MCP client starts this command and speaks first; docs/planners.md has examples",
        )
    })
}
