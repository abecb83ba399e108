//! `index --publish` and `graph --everywhere`, with a real PostgreSQL server.

use std::{
    net::{TcpListener, TcpStream},
    sync::OnceLock,
};

use assert_cmd::Command;
use pretty_assertions::assert_eq;
use retriever::{
    config::GraphConfig,
    evidence_ledger::EvidenceLedger,
    indexing::GraphIndex,
    tools::{ToolContext, ToolRegistry},
    workspace::{Cancellation, Workspace},
};
use retriever_test_support::PostgresServer;
use serde_json::{Value, json};

use crate::support::machine::Machine;

const REPOSITORIES: &str = "\
//- /store/store.py
class Store:
    def save(self, item):
        return pack(item)


def pack(item):
    return item
//- /store/pyproject.toml
[project]
name = \"store\"
//- /shop/pyproject.toml
[project]
name = \"shop\"
dependencies = [\"store>=2\"]
//- /shop/shop.py
from store import Store


def order(item):
    store = Store()
    store.save(item)
    return wrap(item)


def wrap(item):
    return item
//- /elsewhere/note.txt
nothing
//- /home/x
";

fn server() -> Option<&'static PostgresServer> {
    static SERVER: OnceLock<Option<PostgresServer>> = OnceLock::new();
    SERVER.get_or_init(PostgresServer::start).as_ref()
}

fn json_of(mut command: Command) -> Value {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// Publishes both repositories.
fn publish(machine: &Machine, database: &str) {
    for (folder, name) in [("store", "example.com/store"), ("shop", "")] {
        let publish = ["index", "--publish", "--database", database, "--repository", name];
        let mut command = machine.command_in(folder, &publish);
        let said = String::from_utf8(command.output().unwrap().stderr).unwrap();
        assert_eq!(said.contains("the name of its folder"), name.is_empty(), "{said}");
        let done = json_of(command);
        let expected = if name.is_empty() { folder } else { name };
        assert_eq!(done["published"]["repository"], expected, "{done}");
    }
}

fn answers(found: &Value) -> Vec<String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let line = |answer: &Value| {
        let definition = &answer["definition"];
        format!("{} {}", text(&definition["repository"]), text(&definition["qname"]))
    };
    found["answers"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn every_published_repository_is_asked_from_anywhere() {
    let Some(server) = server() else { return };
    let machine = Machine::new(REPOSITORIES, "");
    let database = server.database();
    publish(&machine, &database);
    for (arguments, expected) in [
        (&["callers", "pack"][..], &["example.com/store store.Store.save"][..]),
        (&["callers", "wrap"], &["shop shop.order"]),
        (&["callers", "Store.save"], &["shop shop.order"]),
        (&["methods", "Store"], &["example.com/store store.Store.save"]),
        (&["search", "pa"], &["example.com/store store.pack"]),
        (
            &["trace", "Store.save", "--to", "pack"],
            &["example.com/store store.Store.save", "example.com/store store.pack"],
        ),
        (&["search", "pa", "--kind", "class"], &[]),
        (&["callers", "nowhere"], &[]),
    ] {
        let mut asked = vec!["graph", "--everywhere"];
        asked.extend(arguments);
        let mut command = machine.command_in("elsewhere", &asked);
        command.env("RETRIEVER_GRAPH_DATABASE", &database);
        assert_eq!(answers(&json_of(command)), expected, "{arguments:?}");
    }
    let asked =
        ["graph", "callers", "pack", "--everywhere", "--format", "text", "--database", &database];
    let output = machine.command_in("elsewhere", &asked).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("example.com/store:store.py:2-3"), "{text}");
    assert!(text.contains("def save(self, item)") && text.contains("at store.py:3"), "{text}");
    let asked = ["graph", "callees", "order", "--everywhere", "--database", &database];
    let found = json_of(machine.command_in("elsewhere", &asked));
    assert_eq!(found["answers"][0]["site"], "shop.py", "{found}");
    let asked = ["graph", "search", "pa", "--offset", "9", "--everywhere", "--database", &database];
    let output = machine.command_in("elsewhere", &asked).output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("behind the last"), "{output:?}");
    let asked = ["graph", "callers", "Store.save", "--everywhere", "--database", &database];
    let found = json_of(machine.command_in("elsewhere", &asked));
    let link = json!({"ecosystem": "pypi", "name": "store", "requires": ">=2"});
    assert_eq!(found["answers"][0]["package"], link, "{found}");
    let asked = [&asked[..], &["--format", "text"]].concat();
    let output = machine.command_in("elsewhere", &asked).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("by pypi package store >=2"), "{text}");
}

#[test]
fn the_tool_asks_everywhere_where_that_is_allowed_and_adds_no_evidence() {
    let Some(server) = server() else { return };
    let machine = Machine::new(REPOSITORIES, "");
    let database = server.database();
    publish(&machine, &database);
    let root = machine.files.root().join("elsewhere");
    let workspace = Workspace::open(&root, &Default::default(), &Default::default()).unwrap();
    let workspace = std::sync::Arc::new(workspace);
    let index = std::sync::Arc::new(GraphIndex::new(workspace.clone(), None));
    let config = GraphConfig { database, everywhere: true };
    let registry = ToolRegistry::configured(&index, &config);
    let context = ToolContext::new(workspace, &EvidenceLedger::new(), Cancellation::new());
    let arguments = json!({"operation": "callers", "target": "wrap", "everywhere": true});
    let result = registry.call("graph", &context, &arguments).unwrap();
    assert_eq!(answers(&result.typed), ["shop shop.order"]);
    assert!(result.observation.excerpts.is_empty());
    let offers = |config: &GraphConfig| {
        let specs = ToolRegistry::configured(&index, config).specs();
        let graph = specs.iter().find(|spec| spec.name == "graph").unwrap();
        graph.parameters["properties"].get("everywhere").is_some()
    };
    let database = config.database.clone();
    let refused = GraphConfig { database, everywhere: false };
    assert_eq!(
        (offers(&config), offers(&refused), offers(&GraphConfig::default())),
        (true, false, false)
    );
    let result =
        ToolRegistry::configured(&index, &refused).call("graph", &context, &arguments).unwrap();
    assert_eq!(result.typed["headline"], "graph.everywhere is off", "{:?}", result.typed);
    // From a task of a runtime, too.
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let again = runtime.block_on(async { registry.call("graph", &context, &arguments) });
    assert_eq!(answers(&again.unwrap().typed), ["shop shop.order"]);
}

#[test]
fn a_server_that_says_nothing_holds_no_call_that_is_cancelled() {
    let machine = Machine::new(REPOSITORIES, "");
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let database = format!("postgres://{}/silent", silent.local_addr().unwrap());
    let root = machine.files.root().join("elsewhere");
    let workspace = Workspace::open(&root, &Default::default(), &Default::default()).unwrap();
    let workspace = std::sync::Arc::new(workspace);
    let index = std::sync::Arc::new(GraphIndex::new(workspace.clone(), None));
    let registry = ToolRegistry::configured(&index, &GraphConfig { database, everywhere: true });
    let cancellation = Cancellation::new();
    let context = ToolContext::new(workspace, &EvidenceLedger::new(), cancellation.clone());
    let arguments = json!({"operation": "callers", "target": "wrap", "everywhere": true});
    let result = std::thread::scope(|threads| {
        threads.spawn(|| {
            let _connection = silent.accept().unwrap();
            cancellation.cancel();
            // Open until the call has come back.
            silent.accept().ok();
        });
        let result = registry.call("graph", &context, &arguments).unwrap();
        drop(TcpStream::connect(silent.local_addr().unwrap()));
        result
    });
    let headline = result.typed["headline"].to_string();
    assert!(headline.contains("did not answer in time"), "{headline}");
}

#[test]
fn a_clone_is_published_by_the_address_of_its_remote_and_its_commit() {
    let Some(server) = server() else { return };
    let machine = Machine::new(REPOSITORIES, "");
    let database = server.database();
    let commit = "c0ffee".repeat(7)[..40].to_owned();
    for (file, text) in [
        ("HEAD", commit.as_str()),
        ("config", "[remote \"origin\"]\n\turl = git@example.com:acme/shop.git\n"),
    ] {
        machine.files.write(&format!("shop/.git/{file}"), text);
    }
    let done =
        json_of(machine.command_in("shop", &["index", "--publish", "--database", &database]));
    let published = &done["published"];
    assert_eq!(
        (&published["repository"], &published["commit"]),
        (&json!("example.com/acme/shop"), &json!(commit))
    );
    let nobody = ["graph", "callers", "nowhere", "--everywhere", "--database", &database];
    let found = json_of(machine.command_in("elsewhere", &nobody));
    assert!(found["notes"].to_string().contains("example.com/acme/shop"), "{found}");
    let gone = ["index", "--prune-remote", "--keep", "30d", "--database", &database];
    let pruned = json_of(machine.command_in("elsewhere", &gone));
    assert_eq!(pruned, json!({"database_repositories": 0}));
}

#[test]
fn only_a_command_that_names_the_graph_database_prunes_it() {
    let machine = Machine::new(REPOSITORIES, "");
    let (folder, gone) = (machine.files.root(), "postgres://127.0.0.1:9/gone");
    machine.files.write("shop/.git/HEAD", "c0ffee".repeat(7).get(..40).unwrap());
    machine.files.write("remote/x", "");
    let remote = format!("file://{}", folder.join("remote").display());
    machine.files.write(
        "config.toml",
        format!("[index]\nremote = \"{remote}\"\nrepository = \"shop\"\n[graph]\ndatabase = \"{gone}\"\n"),
    );
    let config = folder.join("config.toml").display().to_string();
    for (arguments, code, said, lost) in [
        (&["--repository", "other"][..], 0, "\"manifests\":0", false),
        (&["--remote", &remote], 0, "\"manifests\":0", false),
        (&[], 0, "\"manifests\":0", false),
        (&["--repository", "other", "--database", gone], 2, "prunes every repository", false),
        (&["--remote", &remote, "--database", gone], 2, "prunes every repository", false),
        // A database that is gone does not keep the remote from being pruned.
        (&["--database", gone], 3, "\"manifests\":0", true),
    ] {
        let all = [&["index", "--prune-remote", "--config", &config], arguments].concat();
        let output = machine.command_in("shop", &all).output().unwrap();
        let text = [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap());
        let text = text.concat();
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {text}");
        assert!(text.contains(said), "{arguments:?}: {text}");
        assert_eq!(text.contains("can't be reached"), lost, "{arguments:?}: {text}");
    }
}

#[test]
fn a_remote_of_no_definite_kind_is_an_error_and_one_that_is_only_read_is_not_pruned() {
    let gone = "postgres://127.0.0.1:9/gone";
    let (prune, publish) = (["index", "--prune-remote"], ["index", "--publish"]);
    for (remote, verb, remote_said, database_said) in [
        ("gcs://bucket", publish, true, false),
        ("gcs://bucket", prune, true, true),
        ("https://127.0.0.1:9/x", prune, false, true),
    ] {
        let machine = Machine::new(REPOSITORIES, "");
        machine.files.write("shop/.git/HEAD", "c0ffee".repeat(7).get(..40).unwrap());
        let config = format!("[index]\nremote = \"{remote}\"\nrepository = \"shop\"\n");
        machine.files.write("config.toml", config);
        let config = machine.files.root().join("config.toml").display().to_string();
        let all = [&verb[..], &["--config", &config, "--database", gone]].concat();
        let output = machine.command_in("shop", &all).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(3), "{all:?}: {said}");
        let error = said.lines().find(|line| line.starts_with("error")).unwrap();
        assert_eq!(error.contains("the remote index can't be"), remote_said, "{all:?}: {said}");
        assert_eq!(error.contains("can't be reached"), database_said, "{all:?}: {said}");
    }
}

#[test]
fn a_lost_server_is_named_and_the_others_answer() {
    let Some(server) = server() else { return };
    let machine = Machine::new(REPOSITORIES, "");
    let database = server.database();
    publish(&machine, &database);
    let both = format!("{database},postgres://me:hunter2@127.0.0.1:9/gone");
    let asked = ["graph", "search", "pack", "--everywhere", "--database", &both];
    let found = json_of(machine.command_in("elsewhere", &asked));
    assert_eq!(answers(&found), ["example.com/store store.pack"]);
    let notes = found["notes"].to_string();
    assert!(notes.contains("postgres://127.0.0.1:9/gone can't be reached"), "{notes}");
    assert!(!notes.contains("hunter2"), "{notes}");
    // Without any server nothing is known, which is not to say that there is nothing.
    let gone = "postgres://me:hunter2@127.0.0.1:9/gone";
    for asked in [["search", "pack"], ["callers", "pack"]] {
        let asked = [&["graph"][..], &asked, &["--everywhere", "--database", gone]].concat();
        let output = machine.command_in("elsewhere", &asked).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(3), Vec::new()), "{said}");
        assert!(said.contains("postgres://127.0.0.1:9/gone can't be reached"), "{said}");
        assert!(said.contains("this is no answer") && !said.contains("hunter2"), "{said}");
    }
}

#[test]
fn users_in_other_repositories_come_first_and_are_counted() {
    let Some(server) = server() else { return };
    let machine = Machine::new(REPOSITORIES, "");
    machine.files.write(
        "store/tests/test_store.py",
        "from store import Store\n\ndef test_save():\n    Store().save(1)\n",
    );
    machine
        .files
        .write("store/a.py", "from store import Store\n\ndef zip_all():\n    Store().save(1)\n");
    machine.files.write(
        "shop/tests/test_shop.py",
        "from store import Store\n\ndef test_order():\n    Store().save(1)\n",
    );
    let database = server.database();
    publish(&machine, &database);
    let asked = ["graph", "callers", "Store.save", "--everywhere", "--database", &database];
    let found = json_of(machine.command_in("elsewhere", &asked));
    assert_eq!(
        answers(&found),
        [
            "shop shop.order",
            "shop test_shop.test_order",
            "example.com/store a.zip_all",
            "example.com/store test_store.test_save",
        ]
    );
    let headline = found["headline"].as_str().unwrap();
    assert!(headline.ends_with("; 2 in shop, 2 in example.com/store"), "{headline}");
}

#[test]
fn without_a_database_the_sentence_says_what_to_do() {
    let machine = Machine::new(REPOSITORIES, "");
    for (arguments, error) in [
        (&["graph", "callers", "x", "--everywhere"][..], "no graph database is configured"),
        (&["index", "--publish"], "no graph database is configured"),
        (&["index", "--publish", "--database", "mysql://h/x"], "postgres://"),
        (&["graph", "callers", "x", "--database", "postgres://h/x"], "--everywhere"),
        (&["index", "--database", "postgres://h/x"], "--publish"),
        (&["index", "--status", "--database", "postgres://h/x"], "--publish"),
    ] {
        let output = machine.command_in("store", arguments).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(!output.status.success() && said.contains(error), "{arguments:?}: {said}");
    }
}

#[test]
fn a_repository_chooses_no_database_and_nothing_prints_its_password() {
    let machine = Machine::new(REPOSITORIES, "");
    machine.files.write("store/retriever.toml", "[graph]\ndatabase = \"postgres://evil/x\"\n");
    let mut config = machine.command_in("store", &["config"]);
    let output = config
        .env("RETRIEVER_GRAPH_DATABASE", "postgres://me:hunter2@127.0.0.1:9/db")
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("graph.database is refused"), "{said}");
    assert!(!shown.contains("hunter2") && !shown.contains("evil"), "{shown}");
}
