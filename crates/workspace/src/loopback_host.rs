//! Which hosts are this machine. What is sent there needs no encryption and no proxy.

use std::net::IpAddr;

/// Whether a host, as a name or an IP address (in brackets or not), is this machine.
pub fn is_loopback_host(host: &str) -> bool {
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host);
    host.eq_ignore_ascii_case("localhost")
        || address.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}
