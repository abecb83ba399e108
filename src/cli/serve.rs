//! `serve`: opens the configured repositories, listens, and stops on a signal once running calls have ended.

use std::{collections::BTreeMap, net::SocketAddr, path::PathBuf, sync::Arc};

use retriever::{
    Retriever,
    config::{RootConfig, ServeConfig},
    sandbox::NetworkAccess,
    server::{HttpServer, RootName, RootNameError},
};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::{
    args::ServeArgs,
    async_runtime,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
    interrupts::{self, InterruptSignals},
    question_sandbox,
    root_opener::RootOpener,
};

pub(super) fn run(context: &CommandContext<'_>, args: &ServeArgs) -> Result<Exit, CommandError> {
    let loaded = context.load(&[])?;
    let config = loaded.config.serve.clone();
    let token = context.environment.get(&config.token_env).map(|token| token.trim().into());
    if token.is_none() && !args.listen.ip().is_loopback() {
        let message =
            format!("{} can be reached from other machines, and no token is set", args.listen);
        let hint = format!(
            "set {} to a long random text that clients send, or listen on 127.0.0.1",
            config.token_env
        );
        return Err(CommandError::new(CommandErrorKind::Setup, message).hint(hint));
    }
    let output = context.output.clone();
    let server = HttpServer {
        roots: open_roots(context, args, &config)?,
        config,
        token,
        log: Arc::new(move |record| output.log(record)),
    };
    let reads: Vec<PathBuf> = server
        .roots
        .values()
        .flat_map(|root| question_sandbox::read_folders(root.workspace()))
        .collect();
    let sandbox = question_sandbox::sandbox(context, &loaded, reads, NetworkAccess::Any);
    question_sandbox::confined(context, sandbox.as_ref(), || {
        let runtime = async_runtime::runtime()?;
        let served = runtime.block_on(listen(context, args.listen, server));
        // Calls that did not end in time are not waited for.
        runtime.shutdown_background();
        served
    })
}

async fn listen(
    context: &CommandContext<'_>,
    address: SocketAddr,
    server: HttpServer,
) -> Result<Exit, CommandError> {
    let failed = |error: std::io::Error| {
        CommandError::new(CommandErrorKind::Setup, format!("cannot listen on {address}: {error}"))
            .hint("another program may use the port; --listen takes another, 0 is any free one")
    };
    let listener = TcpListener::bind(address).await.map_err(failed)?;
    let bound = listener.local_addr().map_err(failed)?;
    let mut signals = InterruptSignals::new()?;
    context.output.print(&format!("http://{bound}"))?;
    let stop = CancellationToken::new();
    let serving = server.serve(listener, stop.clone());
    tokio::pin!(serving);
    let exit = tokio::select! {
        served = &mut serving => return served.map(|()| Exit::Done).map_err(failed),
        exit = signals.next() => exit,
    };
    stop.cancel();
    tokio::select! {
        served = serving => served.map(|()| Exit::Done).map_err(failed),
        _ = signals.next() => interrupts::exit_now(exit),
    }
}

/// Opens the repositories, by name.
fn open_roots(
    context: &CommandContext<'_>,
    args: &ServeArgs,
    config: &ServeConfig,
) -> Result<BTreeMap<RootName, Retriever>, CommandError> {
    let opener = RootOpener::new(context, &args.model);
    if !context.named_roots.is_empty() || config.roots.is_empty() {
        let retriever = opener.open(&[])?;
        let roots: Vec<(&str, &str)> = retriever.workspace().roots().collect();
        let name = match roots.as_slice() {
            [(_, path)] => RootName::of_folder(path),
            _ => RootName::of_folder("workspace"),
        };
        return Ok(BTreeMap::from([(name, retriever)]));
    }
    let mut opened = BTreeMap::new();
    for RootConfig { name, path } in &config.roots {
        let name = match name.as_str() {
            "" => RootName::of_folder(path),
            name => name.parse().map_err(|error: RootNameError| {
                CommandError::new(CommandErrorKind::Setup, error.to_string())
                    .hint("a name is part of an address: letters, digits, '-', '_' and '.'")
            })?,
        };
        if opened.insert(name.clone(), opener.open(&[path.into()])?).is_some() {
            let message = format!("two served roots are named \"{name}\"");
            return Err(CommandError::new(CommandErrorKind::Setup, message)
                .hint("give each of [[serve.roots]] a name of its own"));
        }
    }
    Ok(opened)
}
