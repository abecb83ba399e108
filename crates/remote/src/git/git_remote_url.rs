//! The address of a repository's remote: read from git's configuration, and normalised over protocols, so that all
//! clones of a repository have the same.

use url::Url;

/// Returns the address of the remote `origin`, or of the only remote.
pub(super) fn remote_url(config: &str) -> Option<String> {
    let mut remotes: Vec<(String, String)> = Vec::new();
    let mut section: Option<String> = None;
    for line in config.lines().map(str::trim) {
        if line.starts_with('[') {
            section = remote_name(line);
        } else if let Some(name) = &section
            && let Some((key, value)) = line.split_once('=')
            && key.trim().eq_ignore_ascii_case("url")
            && !remotes.iter().any(|(known, _)| known == name)
        {
            remotes.push((name.clone(), value.trim().trim_matches('"').to_owned()));
        }
    }
    let origin = remotes.iter().find(|(name, _)| name == "origin");
    let only = remotes.first().filter(|_| remotes.len() == 1);
    origin.or(only).map(|(_, url)| url.clone())
}

/// Returns the name in `[remote "name"]`.
fn remote_name(header: &str) -> Option<String> {
    let (kind, rest) = header.strip_prefix('[')?.split_once('"')?;
    let (name, _) = rest.split_once('"')?;
    kind.trim().eq_ignore_ascii_case("remote").then(|| name.to_owned())
}

/// Returns `host/path` of a repository's address, without protocol, user, port and `.git`; text that is not an address
/// stays unchanged. `None` if it is empty.
pub(crate) fn normalize(address: &str) -> Option<String> {
    let address = address.trim();
    let (host, path) = match Url::parse(address) {
        Ok(url) if url.has_host() || url.scheme() == "file" => {
            (url.host_str().unwrap_or_default().to_owned(), url.path().to_owned())
        }
        // The form `git@host:owner/name`.
        _ => match address.split_once(':') {
            Some((host, path)) if host.len() > 1 && !host.contains(['/', '\\']) => {
                (host.rsplit('@').next().unwrap_or(host).to_owned(), path.to_owned())
            }
            _ => (String::new(), address.to_owned()),
        },
    };
    let path = path.trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
    let whole = [host.to_lowercase().as_str(), path].join("/");
    let whole = whole.trim_matches('/');
    (!whole.is_empty()).then(|| whole.to_owned())
}
