//! The sandbox that questions are answered in: what a verb may read, write and connect to, as the configuration says.

use std::path::PathBuf;

use retriever::{
    config::{LoadedConfig, endpoint},
    sandbox::{NetworkAccess, Sandbox},
    workspace::{Workspace, cache_file_io::create_private_folder},
};

use super::command_context::CommandContext;

/// Variables that name proxies.
const PROXIES: &[&str] = &["http_proxy", "https_proxy", "all_proxy"];

/// Returns the sandbox of a verb that reads `reads` and the system's folders, and writes the cache and the state
/// folder. `None` if the sandbox is disabled.
pub(super) fn sandbox(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    reads: impl IntoIterator<Item = PathBuf>,
    network: NetworkAccess,
) -> Option<Sandbox> {
    let kept = [context.cache(loaded), context.environment.state_folder()];
    let writes: Vec<PathBuf> = kept.into_iter().flatten().collect();
    // A rule needs an existing folder. A folder that cannot be created cannot be written either.
    writes.iter().for_each(|folder| drop(create_private_folder(folder)));
    let certificates = ["SSL_CERT_FILE", "SSL_CERT_DIR"].into_iter();
    let certificates =
        certificates.filter_map(|name| context.environment.get(name)).map(PathBuf::from);
    let index = &loaded.config.index;
    let remote = index.remote.strip_prefix("file://").map(PathBuf::from);
    let model = Some(&loaded.config.embedding.folder).filter(|folder| !folder.is_empty());
    let model = model.map(PathBuf::from);
    let reads = reads.into_iter().chain(certificates).chain(remote).chain(model).collect();
    let is_server = |address: &str| !address.is_empty() && !address.starts_with("file://");
    let has_servers = !loaded.config.graph.database.is_empty() || is_server(&index.remote);
    let network = if has_servers { NetworkAccess::Any } else { network };
    let network = allow_embedding_endpoint(context, loaded, network);
    loaded.config.sandbox.enabled.then_some(Sandbox { reads, writes, network })
}

/// Returns `network` with the port of the embedding model's endpoint added. With a proxy any port may be needed.
fn allow_embedding_endpoint(
    context: &CommandContext<'_>,
    loaded: &LoadedConfig,
    network: NetworkAccess,
) -> NetworkAccess {
    let has_proxy = PROXIES.iter().any(|name| {
        let upper = context.environment.get(&name.to_ascii_uppercase());
        upper.or_else(|| context.environment.get(name)).is_some()
    });
    let address = endpoint::parse(&loaded.config.embedding.base_url).ok();
    let port = address.and_then(|address| address.port_or_known_default());
    match (network, port) {
        (NetworkAccess::None, Some(_)) if has_proxy => NetworkAccess::Any,
        (NetworkAccess::None, Some(port)) => NetworkAccess::Port(port),
        (network, _) => network,
    }
}

/// Returns the folders that questions about a workspace read: its roots, and git's folder, which tells which trees are
/// of the same repository.
pub(super) fn read_folders(workspace: &Workspace) -> Vec<PathBuf> {
    workspace.roots().map(|(_, path)| PathBuf::from(path)).chain(workspace.repository()).collect()
}

/// Runs the part of a verb that answers questions, in the sandbox if there is one. If the kernel refuses the sandbox,
/// prints a warning and runs without it.
pub(super) fn confined<T: Send>(
    context: &CommandContext<'_>,
    sandbox: Option<&Sandbox>,
    work: impl FnOnce() -> T + Send,
) -> T {
    let Some(sandbox) = sandbox else { return work() };
    sandbox.run(|entered| {
        if let Err(error) = entered {
            context.output.warn(&format!("questions are answered without a sandbox: {error}"));
        }
        work()
    })
}
