//! Which hosts are this machine.

use retriever_workspace::is_loopback_host;

#[test]
fn only_the_own_names_and_addresses_are_this_machine() {
    for host in ["localhost", "LocalHost", "127.0.0.1", "127.8.9.1", "::1", "[::1]"] {
        assert!(is_loopback_host(host), "{host}");
    }
    for host in [
        "",
        "example.com",
        "localhost.example.com",
        "127.0.0.1.example.com",
        "0.0.0.0",
        "10.0.0.1",
        "[::]",
        "::2",
        "[::1",
        "128.0.0.1",
    ] {
        assert!(!is_loopback_host(host), "{host}");
    }
}
