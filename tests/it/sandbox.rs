//! What the kernel refuses to a thread in the sandbox, whatever the program tries.
#![cfg(target_os = "linux")]

use std::{
    fs,
    net::{TcpListener, TcpStream},
    process::Command,
    thread,
};

use retriever::sandbox::{NetworkAccess, Sandbox, SandboxEnforcement};

use retriever_test_support::left_out;

use crate::support::fixture::Fixture;

#[test]
fn a_thread_in_the_sandbox_reads_the_root_writes_the_cache_and_starts_nothing() {
    let place =
        Fixture::new("//- /root/a.txt\ninside\n//- /cache/b.txt\nkept\n//- /home/c.txt\nprivate\n");
    let at = |path: &str| place.root().join(path);
    let sandbox = Sandbox {
        reads: vec![at("root"), at("not there")],
        writes: vec![at("cache")],
        network: NetworkAccess::None,
    };
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    thread::scope(|threads| {
        threads.spawn(|| {
            if sandbox.enter().unwrap() == SandboxEnforcement::None {
                left_out("landlock", "this kernel has no landlock");
                return;
            }
            assert_eq!(fs::read_to_string(at("root/a.txt")).unwrap(), "inside\n");
            assert!(fs::read_to_string("/etc/hosts").is_ok());
            fs::write(at("cache/new.txt"), "x").unwrap();
            fs::create_dir_all(at("cache/deep/er")).unwrap();
            fs::rename(at("cache/new.txt"), at("cache/deep/new.txt")).unwrap();
            for refused in [
                fs::read_to_string(at("home/c.txt")).map(drop),
                fs::read_dir(at("home")).map(drop),
                fs::write(at("root/a.txt"), "changed"),
                fs::write(at("root/new.txt"), "new"),
                fs::remove_file(at("root/a.txt")),
                fs::rename(at("cache/b.txt"), at("home/b.txt")),
                fs::hard_link(at("home/c.txt"), at("cache/c.txt")),
                Command::new("/bin/true").status().map(drop),
                TcpStream::connect(address).map(drop),
                // A thread that it starts is no way out.
                thread::spawn({
                    let file = at("home/c.txt");
                    move || fs::read_to_string(file).map(drop)
                })
                .join()
                .unwrap(),
            ] {
                assert!(refused.is_err(), "{refused:?}");
            }
        });
    });
    // Another thread is as it was.
    assert_eq!(fs::read_to_string(at("home/c.txt")).unwrap(), "private\n");
    assert_eq!(fs::read_to_string(at("root/a.txt")).unwrap(), "inside\n");
}

#[test]
fn a_sandbox_with_one_port_connects_there_only() {
    let [allowed, refused] = [(); 2].map(|()| TcpListener::bind("127.0.0.1:0").unwrap());
    let address = |listener: &TcpListener| listener.local_addr().unwrap();
    let network = NetworkAccess::Port(address(&allowed).port());
    Sandbox { network, ..Sandbox::default() }.run(|entered| {
        assert!(TcpStream::connect(address(&allowed)).is_ok());
        // Older kernels know no rules for ports.
        if entered.unwrap() == SandboxEnforcement::Full {
            assert!(TcpStream::connect(address(&refused)).is_err());
        }
    });
}

#[test]
fn a_sandbox_with_a_network_connects() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let sandbox = Sandbox { network: NetworkAccess::Any, ..Sandbox::default() };
    assert!(sandbox.run(|entered| entered.is_ok() && TcpStream::connect(address).is_ok()));
}
