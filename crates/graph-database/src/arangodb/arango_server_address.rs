//! The address of an ArangoDB server in a configuration.

use reqwest::Url;
use retriever_workspace::is_loopback_host;

use crate::graph_database::DatabaseError;

/// The default port.
const PORT: u16 = 8529;
/// The default database.
const DATABASE: &str = "_system";

/// A server and a database on it.
pub(super) struct ArangoServerAddress {
    /// The root of the database's HTTP API, with the user and the password.
    pub(super) api: Url,
    /// The server's address for messages, without user and password.
    pub(super) shown: String,
    /// Whether unencrypted connections to other machines are allowed.
    insecure: bool,
}

impl ArangoServerAddress {
    /// Parses `arangodb+https://user:password@host:port/database`.
    ///
    /// # Errors
    ///
    /// Errors if it is not such an address. The message does not repeat it.
    pub(super) fn parse(address: &str) -> Result<Self, DatabaseError> {
        let bad = |reason: &str| DatabaseError::Address(reason.to_owned());
        let url = address
            .strip_prefix("arangodb+")
            .and_then(|url| Url::parse(url).ok())
            .filter(|url| matches!(url.scheme(), "http" | "https"))
            .ok_or_else(|| bad("it is not arangodb+https://user:password@host:port/database"))?;
        let mut insecure = false;
        for (name, value) in url.query_pairs() {
            match (&*name, &*value) {
                ("insecure", "true") => insecure = true,
                ("insecure", "false") => insecure = false,
                _ => return Err(bad("its only parameter is insecure=true")),
            }
        }
        let database = match url.path().trim_matches('/') {
            "" => DATABASE,
            name if name.contains('/') => return Err(bad("it names more than one database")),
            name => name,
        };
        // A URL omits the default port of its scheme, which is not the default here.
        let port = Url::parse(address).ok().and_then(|url| url.port()).unwrap_or(PORT);
        let mut api = url.clone();
        api.set_path(&format!("_db/{database}/"));
        api.set_query(None);
        api.set_fragment(None);
        api.set_port(Some(port)).map_err(|()| bad("it names no host"))?;
        let host = url.host_str().unwrap_or_default();
        let shown = format!("arangodb+{}://{host}:{port}/{database}", url.scheme());
        let address = Self { api, shown, insecure };
        if !address.allows(&url) {
            return Err(bad(
                "it would send everything unencrypted to another machine; use arangodb+https://, or end it with ?insecure=true",
            ));
        }
        Ok(address)
    }

    /// Returns whether connections to the server at `url` are as safe as this address requires.
    pub(super) fn allows(&self, url: &Url) -> bool {
        url.scheme() == "https" || self.insecure || is_loopback(url)
    }
}

/// Returns whether a server is on this machine.
pub(super) fn is_loopback(url: &Url) -> bool {
    url.host_str().is_some_and(is_loopback_host)
}
