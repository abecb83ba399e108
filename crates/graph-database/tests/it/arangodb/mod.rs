//! ArangoDB: the contract on a stand-in that checks each request and statement against the documentation, and on a real server
//! where `RETRIEVER_TEST_ARANGODB` is the address of an empty database; what a server refuses, and what follows.

mod aql;
mod server;

use std::{collections::BTreeMap, env, sync::Arc, time::Duration};

use pretty_assertions::assert_eq;
use retriever_graph::NodeQuery;
use retriever_graph_database::{
    ArangoDatabase, DatabaseError, GraphDatabase, GraphDatabaseServers,
};
use serde_json::{Value, json};
use wiremock::ResponseTemplate;

use self::{
    aql::Store,
    server::{StandIn, refused},
};
use crate::{
    database_contract,
    fixture::{ALL, named, run, snapshot, unique},
};

const PROJECT: &str = "//- /a.py\ndef ship():\n    pack()\n\ndef pack():\n    pass\n";

fn start(role: &'static str) -> (StandIn, GraphDatabaseServers) {
    let stand_in = run(StandIn::start(role));
    let servers = GraphDatabaseServers::from_addresses(&stand_in.address()).unwrap();
    (stand_in, servers)
}

/// How many callers `pack` has, and the servers that are lost.
fn callers_of_pack(servers: &GraphDatabaseServers) -> (usize, Vec<DatabaseError>) {
    run(async {
        let question = servers.question();
        let (found, _) = question.search(&Default::default(), named("pack"), 100).await;
        let page = question.related(NodeQuery::Callers, &found, 3, ALL).await;
        (page.total, question.lost().into_iter().map(|it| it.error).collect())
    })
}

#[test]
fn the_stand_in_keeps_the_contract() {
    let (stand_in, servers) = start("SINGLE");
    database_contract::check_all(&servers);
    assert_eq!(stand_in.faults(), Vec::<String>::new());
    assert_eq!(stand_in.graph().get("isSmart"), None);
    let database = ArangoDatabase::new(&stand_in.address()).unwrap();
    run(database_contract::filters_come_before_limits(&database));
}

#[test]
fn repositories_are_found_where_they_are_after_the_list_of_servers_changed() {
    let ((first, _), (second, _)) = (start("SINGLE"), start("SINGLE"));
    database_contract::lists_of_servers_change(&first.address(), &second.address());
    assert_eq!((first.faults(), second.faults()), (Vec::new(), Vec::new()));
}

#[test]
fn a_cluster_keeps_each_repository_on_one_machine_where_its_edition_can() {
    for (refused_first, is_smart) in [(false, true), (true, false)] {
        let (stand_in, servers) = start("COORDINATOR");
        if refused_first {
            stand_in.refuse_smart_graphs();
        }
        run(async { servers.publish(&snapshot(&unique("sharded"), PROJECT)).await }).unwrap();
        assert_eq!(callers_of_pack(&servers), (1, Vec::new()));
        let graph = stand_in.graph();
        assert_eq!(
            (graph["isSmart"] == json!(true), graph["isDisjoint"] == json!(true)),
            (is_smart, is_smart)
        );
        assert_eq!(graph["options"]["smartGraphAttribute"] == json!("repository"), is_smart);
        assert_eq!(graph["options"]["numberOfShards"], json!(16));
        assert_eq!(stand_in.faults(), Vec::<String>::new());
    }
}

#[test]
#[expect(
    clippy::disallowed_methods,
    clippy::print_stderr,
    reason = "the server is the tester's, and a skipped test says so"
)]
fn a_real_server_keeps_the_contract() {
    match env::var("RETRIEVER_TEST_ARANGODB") {
        Ok(address) => {
            let servers = GraphDatabaseServers::from_addresses(&address).unwrap();
            // The contract prunes everything.
            let published = run(async { servers.question().repositories().await });
            assert_eq!(published, [], "RETRIEVER_TEST_ARANGODB has to name an empty database");
            database_contract::check_all(&servers);
        }
        Err(_) => eprintln!("SKIPPED: RETRIEVER_TEST_ARANGODB names no ArangoDB server"),
    }
}

#[test]
fn a_database_to_which_nothing_was_published_is_empty() {
    let (_stand_in, servers) = start("SINGLE");
    run(async {
        let question = servers.question();
        assert_eq!(question.repositories().await, []);
        assert_eq!(
            question.search(&Default::default(), named("anything"), 9).await,
            (Vec::new(), 0)
        );
        assert_eq!(question.lost(), []);
        assert_eq!(servers.prune(Duration::ZERO).await, Ok(0));
    });
}

#[test]
fn publishers_of_one_repository_and_of_many_do_not_disturb_each_other() {
    let (stand_in, servers) = start("SINGLE");
    let shared = database_contract::publishers_do_not_disturb_each_other(&servers);
    run(async { servers.publish(&snapshot(&shared, "")).await }).unwrap();
    run(async { servers.publish(&snapshot(&shared, "")).await }).unwrap();
    // Nothing is left of the four, whoever came first.
    assert_eq!(stand_in.documents("functions").len(), 8);
    assert_eq!(stand_in.faults(), Vec::<String>::new());
}

#[test]
fn what_passes_is_asked_again_and_what_does_not_is_told() {
    let (stand_in, servers) = start("SINGLE");
    let name = unique("busy");
    run(async { servers.publish(&snapshot(&name, PROJECT)).await }).unwrap();
    for (status, number) in
        [(503, 503), (503, 1495), (412, 1200), (409, 1200), (409, 1210), (500, 18)]
    {
        stand_in.answer_first(refused(status, number, "not now"));
        assert_eq!(callers_of_pack(&servers), (1, Vec::new()), "{status} {number}");
        stand_in.answer_first(refused(status, number, "not now"));
        run(async { servers.publish(&snapshot(&name, PROJECT)).await }).unwrap();
    }
    let server = stand_in.address().replace("reader:s%20p%40ss@", "");
    for (status, number, message, told) in [
        (401, 11, "no", "it refused the user or the password (401)"),
        (403, 11, "no access", "no access (status 403, error 11)"),
        (500, 32, "resource limit exceeded", "resource limit exceeded (status 500, error 32)"),
        (409, 1600, "cursor is busy", "cursor is busy (status 409, error 1600)"),
    ] {
        stand_in.answer_first(refused(status, number, message));
        let error = DatabaseError::Failed { server: server.clone(), reason: told.to_owned() };
        assert_eq!(callers_of_pack(&servers), (0, vec![error]), "{status} {number}");
    }
    stand_in.answer_first(ResponseTemplate::new(200).set_body_string("<html>"));
    let (_, lost) = callers_of_pack(&servers);
    assert!(lost[0].to_string().contains("its answer can't be read"), "{lost:?}");
    assert_eq!(callers_of_pack(&servers), (1, Vec::new()));
}

#[test]
fn documents_that_are_not_imported_fail_the_publication_and_nothing_of_it_is_seen() {
    let (stand_in, servers) = start("SINGLE");
    let name = unique("half");
    run(async { servers.publish(&snapshot(&name, PROJECT)).await }).unwrap();
    let failed = ResponseTemplate::new(201).set_body_json(json!({
        "created": 1, "errors": 1, "empty": 0, "updated": 0, "ignored": 0, "details": ["at position 1: bad key"]
    }));
    stand_in.answer_import("calls", failed);
    let error = run(async {
        servers
            .publish(&snapshot(&name, "//- /b.py\ndef a():\n    b()\n\ndef b():\n    pass\n"))
            .await
    });
    let error = error.unwrap_err().to_string();
    assert!(error.contains("1 documents of calls") && error.contains("bad key"), "{error}");
    assert_eq!(callers_of_pack(&servers), (1, Vec::new()));
}

fn repositories(store: &mut Store) -> &mut BTreeMap<String, Value> {
    &mut store.collections.get_mut("repositories").unwrap().documents
}

#[test]
fn a_publication_that_nobody_will_see_has_failed() {
    let (stand_in, servers) = start("SINGLE");
    let publish = || run(async { servers.publish(&snapshot(&unique("late"), PROJECT)).await });
    publish().unwrap();
    let kept = stand_in.documents("functions").len();
    let pruned = |store: &mut Store| {
        for document in repositories(store).values_mut() {
            document["snapshot"] = Value::Null;
            document["pruned"] = document["last"].clone();
        }
    };
    for happens in [pruned, |store: &mut Store| repositories(store).clear()] {
        stand_in.meanwhile("names", happens);
        let error = publish().unwrap_err().to_string();
        assert!(error.contains("pruned while it was published"), "{error}");
        assert_eq!(stand_in.documents("functions").len(), kept, "nothing is left of it");
    }
    // One that began before the document of its repository was lost has a number that is given out again.
    stand_in.meanwhile("names", |store| {
        for document in repositories(store).values_mut() {
            document["last"] = json!(0);
        }
    });
    let error = publish().unwrap_err().to_string();
    assert!(error.contains("pruned while it was published"), "{error}");
    publish().unwrap();
    // A publisher who began later was faster: its publication is the one to be seen.
    stand_in.meanwhile("names", |store| {
        for document in repositories(store).values_mut() {
            (document["snapshot"], document["last"]) = (json!(7), json!(7));
        }
    });
    publish().unwrap();
    stand_in.meanwhile("names", |store| drop(store.collections.remove("repositories")));
    let error = publish().unwrap_err().to_string();
    assert!(error.contains("error 1203"), "{error}");
}

#[test]
fn a_new_leader_is_followed_as_far_as_it_is_as_safe() {
    let (stand_in, servers) = start("SINGLE");
    let (old, _) = start("SINGLE");
    let name = unique("leader");
    run(async { servers.publish(&snapshot(&name, PROJECT)).await }).unwrap();
    let followers = GraphDatabaseServers::from_addresses(&old.address()).unwrap();
    let not_leader = |leader: &str| {
        refused(503, 1496, "not a leader").insert_header("X-Arango-Endpoint", leader)
    };
    old.answer_first(not_leader(&stand_in.uri()));
    assert_eq!(callers_of_pack(&followers), (1, Vec::new()));
    let asked = old.requests().len();
    assert_eq!(callers_of_pack(&followers), (1, Vec::new()));
    assert_eq!(old.requests().len(), asked, "the leader is remembered");
    // Another machine would get the password unencrypted: the server itself is asked again.
    stand_in.answer_first(not_leader("http://leader.invalid:8529"));
    stand_in.answer_first(not_leader("https://leader.invalid:8529"));
    assert_eq!(callers_of_pack(&servers), (1, Vec::new()));
}

#[test]
fn addresses_are_checked_and_no_message_holds_a_password() {
    for (address, shown) in [
        ("arangodb+https://me:hunter2@db.example", "arangodb+https://db.example:8529/_system"),
        (
            "arangodb+https://me:hunter2@db.example:443/graphs",
            "arangodb+https://db.example:443/graphs",
        ),
        ("arangodb+http://me:hunter2@127.0.0.1:9/graphs", "arangodb+http://127.0.0.1:9/graphs"),
        ("arangodb+http://me:hunter2@[::1]/graphs", "arangodb+http://[::1]:8529/graphs"),
        (
            "arangodb+http://me:hunter2@db.example/graphs?insecure=true",
            "arangodb+http://db.example:8529/graphs",
        ),
    ] {
        assert_eq!(ArangoDatabase::new(address).unwrap().address(), shown, "{address}");
    }
    for address in [
        "arangodb+http://me:hunter2@db.example/graphs",
        "arangodb+http://me:hunter2@db.example/graphs?insecure=false",
        "arangodb+https://me:hunter2@db.example/graphs?ssl=hunter2",
        "arangodb+https://me:hunter2@db.example/a/hunter2",
        "arangodb+ftp://me:hunter2@db.example",
        "arangodb://me:hunter2@db.example",
        "arangodb+https://",
    ] {
        let error = GraphDatabaseServers::from_addresses(address).err().unwrap();
        assert!(matches!(error, DatabaseError::Address(_)), "{address}: {error:?}");
        assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    }
    let nowhere: Arc<dyn GraphDatabase> =
        Arc::new(ArangoDatabase::new("arangodb+http://me:hunter2@127.0.0.1:9/db").unwrap());
    let error = run(async { nowhere.repositories().await }).unwrap_err();
    assert!(matches!(&error, DatabaseError::Unreachable { .. }), "{error:?}");
    assert!(!format!("{error} {error:?}").contains("hunter2"), "{error}");
    let (stand_in, _) = start("SINGLE");
    let wrong = stand_in.address().replace("s%20p%40ss", "hunter2");
    let error =
        run(async { ArangoDatabase::new(&wrong).unwrap().repositories().await }).unwrap_err();
    assert!(error.to_string().contains("401") && !error.to_string().contains("hunter2"), "{error}");
}
