//! `mcp`: the verbs over MCP on stdin and stdout. How a root is opened is decided here; the protocol is the library's.

use std::path::{Path, PathBuf};

use retriever::{
    Retriever,
    config::{Environment, Setting},
    mcp::{Server, serve_stdio},
};

use super::{
    Session,
    args::McpArgs,
    engine::{self, Wanted},
    error::{CommandError, Kind},
    exit::Exit,
    output::Output,
};

pub(super) fn run(session: &Session<'_>, args: &McpArgs) -> Result<Exit, CommandError> {
    let opener = Opener {
        environment: session.environment.clone(),
        file: session.file.clone(),
        root: session.root.clone(),
        output: session.output,
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
    let server = if session.root_is_named {
        // A root that can't be used is told at once, since no client can name a better one.
        Server::new(opener.open(None)?)
    } else {
        Server::of_roots(move |root| {
            opener.open(root).map_err(|error| {
                let hints = error.hints.iter().map(|hint| format!("; {hint}"));
                format!("{}{}", error.message, hints.collect::<String>())
            })
        })
    };
    let runtime = engine::runtime()?;
    let served = runtime.block_on(serve_stdio(server));
    // Reading stdin can't be called off; the client is gone, so nothing is left to read.
    runtime.shutdown_background();
    served.map(|()| Exit::Done).map_err(|error| {
        CommandError::new(Kind::Usage, error.to_string())
            .hint("an MCP client starts this command and speaks first; README has examples")
    })
}

/// What it takes to open a root once its client is known.
struct Opener {
    environment: Environment,
    file: Option<PathBuf>,
    root: PathBuf,
    output: Output,
    flags: Vec<Setting>,
    offline: bool,
}

impl Opener {
    fn open(&self, root: Option<&Path>) -> Result<Retriever, CommandError> {
        let session = Session {
            environment: &self.environment,
            file: self.file.clone(),
            root: root.unwrap_or(&self.root).to_owned(),
            root_is_named: true,
            output: self.output,
        };
        let loaded = session.load(&self.flags)?;
        let wanted = Wanted { offline: self.offline, ..Wanted::default() };
        Ok(engine::build(&session, &loaded, &wanted)?.0)
    }
}
