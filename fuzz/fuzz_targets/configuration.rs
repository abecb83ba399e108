//! Text of any kind as the user's configuration and as that of an untrusted workspace: loading never panics, and the
//! workspace's file never stops the program nor names an endpoint.
#![no_main]

use std::fs;

use libfuzzer_sys::fuzz_target;
use retriever::config::{Config, ConfigSources, ProcessEnvironment, load};

fuzz_target!(|texts: (&str, &str)| {
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().join("tree");
    fs::create_dir(&root).expect("a folder");
    let (user, own) = (folder.path().join("user.toml"), root.join("retriever.toml"));
    fs::write(&user, texts.0).expect("a file");
    let environment = ProcessEnvironment::default();
    let roots = [root];
    let sources = ConfigSources {
        environment: &environment,
        config_file: Some(&user),
        roots: &roots,
        flags: &[],
    };
    let _ = load(&sources);
    fs::write(&own, texts.1).expect("a file");
    let loaded =
        load(&ConfigSources { config_file: None, ..sources }).expect("a workspace stops nothing");
    assert_eq!(loaded.config.model, Config::default().model);
});
