//! The contract on a real PostgreSQL server, and what only that server does.

use std::sync::{Arc, OnceLock};

use pretty_assertions::assert_eq;
use retriever_graph::{EdgeKind, EdgeResolution, NodeKind, NodeQuery};
use retriever_graph_database::{
    DatabaseError, Ecosystem, GraphDatabase, GraphDatabaseServers, PostgresDatabase,
};
use retriever_test_support::PostgresServer;
use strum::VariantArray;

use crate::{
    contract,
    fixture::{ALL, named, run, snapshot, unique},
};

/// An empty database on the server that all tests here share.
fn database() -> Option<GraphDatabaseServers> {
    Some(GraphDatabaseServers::from_addresses(&server()?.database()).unwrap())
}

fn server() -> Option<&'static PostgresServer> {
    static SERVER: OnceLock<Option<PostgresServer>> = OnceLock::new();
    SERVER.get_or_init(PostgresServer::start).as_ref()
}

#[test]
fn postgres_keeps_the_contract() {
    let Some(servers) = database() else { return };
    contract::check_all(&servers);
}

#[test]
fn filters_come_before_limits() {
    let Some(server) = server() else { return };
    let database = PostgresDatabase::new(&server.database()).unwrap();
    run(contract::filters_come_before_limits(&database));
}

/// Kinds are stored as their places in these lists: only the end of a list may change, or the number of the schema does.
#[test]
fn stored_numbers_keep_their_meaning() {
    fn names<T: AsRef<str>>(variants: &[T]) -> Vec<&str> {
        variants.iter().map(AsRef::as_ref).collect()
    }
    for (variants, expected) in [
        (
            names(NodeKind::VARIANTS),
            "file module function class struct interface trait enum variant alias field variable macro",
        ),
        (
            names(EdgeKind::VARIANTS),
            "calls implements inherits returns param_of parent imports decorated_by references field_type triggers",
        ),
        (names(EdgeResolution::VARIANTS), "exact inferred dynamic"),
        (names(Ecosystem::VARIANTS), "cargo go npm pypi maven nuget gem composer swift"),
    ] {
        assert_eq!(variants.join(" "), expected);
    }
}

#[test]
fn a_database_to_which_nothing_was_published_is_empty() {
    let Some(servers) = database() else { return };
    run(async {
        let question = servers.question();
        assert_eq!(question.repositories().await, []);
        assert_eq!(
            question.search(&Default::default(), named("anything"), 9).await,
            (Vec::new(), 0)
        );
        assert_eq!(question.lost(), []);
        assert_eq!(servers.prune(std::time::Duration::ZERO).await, Ok(0));
    });
}

#[test]
fn publishers_of_one_repository_and_of_many_do_not_disturb_each_other() {
    let Some(servers) = database() else { return };
    contract::publishers_do_not_disturb_each_other(&servers);
}

#[test]
fn what_a_message_says_of_an_address_holds_no_password() {
    let refused = PostgresDatabase::new("postgres://me:hunter2@h:port/db").err().unwrap();
    assert!(matches!(refused, DatabaseError::Address(_)));
    let nowhere: Arc<dyn GraphDatabase> =
        Arc::new(PostgresDatabase::new("postgres://me:hunter2@127.0.0.1:9/db").unwrap());
    let error = run(async { nowhere.repositories().await }).unwrap_err();
    assert!(
        matches!(&error, DatabaseError::Unreachable { server, .. } if server == "postgres://127.0.0.1:9/db")
    );
    for text in [refused.to_string(), error.to_string(), format!("{refused:?} {error:?}")] {
        assert!(!text.contains("hunter2") && !text.contains("me:"), "{text}");
    }
    let lost = run(async {
        let servers = GraphDatabaseServers::new([nowhere]);
        let question = servers.question();
        assert_eq!(question.repositories().await, []);
        question.lost()
    });
    assert_eq!(
        lost.iter().map(|it| it.address.as_str()).collect::<Vec<_>>(),
        ["postgres://127.0.0.1:9/db"]
    );
}

#[test]
fn when_one_of_two_servers_is_killed_the_other_goes_on_and_answers_name_the_lost_one() {
    let (Some(kept), Some(killed)) = (PostgresServer::start(), PostgresServer::start()) else {
        return;
    };
    let addresses = [kept.database(), killed.database()];
    let servers = GraphDatabaseServers::from_addresses(&addresses.join(",")).unwrap();
    let repositories: Vec<String> = (0..16).map(|_| unique("shard")).collect();
    let project = "//- /a.py\ndef ship():\n    pack()\n\ndef pack():\n    pass\n";
    run(async {
        for repository in &repositories {
            servers.publish(&snapshot(repository, project)).await.unwrap();
        }
    });
    // Every answer holds all repositories, or names the server that is lost.
    let ask = |servers: &GraphDatabaseServers| {
        run(async {
            let question = servers.question();
            let (found, _) = question.search(&Default::default(), named("pack"), 100).await;
            let mut callers = 0;
            for node in &found {
                let page =
                    question.related(NodeQuery::Callers, std::slice::from_ref(node), 3, ALL).await;
                callers += page.items.len();
            }
            let lost: Vec<String> = question.lost().into_iter().map(|it| it.address).collect();
            assert!(!found.is_empty() && callers > 0);
            assert!(lost.is_empty() == (callers == 16), "{callers} {lost:?}");
            (callers, lost)
        })
    };
    assert_eq!(ask(&servers), (16, Vec::new()));
    std::thread::scope(|threads| {
        threads.spawn(|| drop(killed));
        (0..20).for_each(|_| drop(ask(&servers)));
    });
    let (callers, lost) = ask(&servers);
    assert!((1..16).contains(&callers), "{callers}");
    assert_eq!(lost, [addresses[1].replace("test@", "")]);
}
