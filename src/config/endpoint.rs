//! Addresses of model endpoints: parsing, whether one is on the local network, and printing without secrets.

use std::net::IpAddr;

use reqwest::{
    Url,
    header::{AUTHORIZATION, HeaderName, HeaderValue},
};

/// Last words of the names of secrets.
const SECRET_WORDS: [&str; 9] = [
    "key",
    "token",
    "secret",
    "password",
    "authorization",
    "credentials",
    "cookie",
    "sig",
    "signature",
];

/// Parses an endpoint's address.
///
/// # Errors
///
/// Returns what was expected, without the address itself, which may hold a secret.
pub fn parse(address: &str) -> Result<Url, String> {
    let expected = || {
        "an http or https address such as https://api.openai.com/v1 or http://localhost:8080/v1"
            .to_owned()
    };
    let url = Url::parse(address.trim()).map_err(|_| expected())?;
    if matches!(url.scheme(), "http" | "https") && url.host_str().is_some() {
        Ok(url)
    } else {
        Err(expected())
    }
}

/// Returns the header with the key: a bearer token in `Authorization`, the bare key in any other. `None` when the
/// header is not valid.
pub fn key_header(name: &str, key: &str) -> Option<(HeaderName, HeaderValue)> {
    let name = HeaderName::try_from(name.trim()).ok()?;
    let value = if name == AUTHORIZATION { format!("Bearer {key}") } else { key.to_owned() };
    let mut value = HeaderValue::try_from(value).ok()?;
    value.set_sensitive(true);
    Some((name, value))
}

/// Returns the values of the address's query whose names are those of secrets.
pub fn secrets_of(address: &str) -> Vec<String> {
    let Ok(url) = parse(address) else { return Vec::new() };
    url.query_pairs()
        .filter(|(name, _)| sounds_secret(name))
        .map(|(_, value)| value.into_owned())
        .collect()
}

/// Returns whether `name` is that of a secret.
pub(super) fn sounds_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    SECRET_WORDS.iter().any(|word| name.ends_with(word))
}

/// Returns whether the endpoint is on this machine or a private network, whose servers usually need no key.
pub fn is_local(address: &str) -> bool {
    let Ok(url) = parse(address) else { return false };
    let host = url.host_str().unwrap_or_default().trim_matches(['[', ']']).to_ascii_lowercase();
    match host.parse() {
        Ok(IpAddr::V4(ip)) => {
            ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified()
        }
        Ok(IpAddr::V6(ip)) => {
            ip.is_loopback()
                || ip.is_unique_local()
                || ip.is_unicast_link_local()
                || ip.is_unspecified()
        }
        Err(_) => {
            !host.contains('.')
                || [".localhost", ".local", ".internal", ".lan"]
                    .iter()
                    .any(|end| host.ends_with(end))
        }
    }
}

/// Returns whether the address is encrypted and one of OpenAI's own servers.
pub fn is_openai(address: &str) -> bool {
    parse(address).is_ok_and(|url| {
        let host = url.host_str().unwrap_or_default();
        url.scheme() == "https" && (host == "api.openai.com" || host.ends_with(".api.openai.com"))
    })
}

/// Returns the address without user, password and query, which may be secret.
pub fn shown(address: &str) -> String {
    let Ok(mut url) = parse(address) else { return "(not an address)".to_owned() };
    let hidden = !url.username().is_empty() || url.password().is_some() || url.query().is_some();
    if !hidden {
        return address.trim().to_owned();
    }
    // Neither can fail for an address with a host.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}
