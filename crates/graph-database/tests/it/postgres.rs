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
    database_contract,
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
    database_contract::check_all(&servers);
}

#[test]
fn filters_come_before_limits() {
    let Some(server) = server() else { return };
    let database = PostgresDatabase::new(&server.database()).unwrap();
    run(database_contract::filters_come_before_limits(&database));
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
            "calls implements inherits returns param_of parent imports decorated_by references field_type triggers constructs",
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
    database_contract::publishers_do_not_disturb_each_other(&servers);
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
fn a_server_is_called_by_its_host_else_by_its_address_and_none_is_named_twice() {
    for (url, shown) in [
        ("postgres://me@db.example/graphs?sslmode=disable", "postgres://db.example:5432/graphs"),
        ("postgres:///graphs?hostaddr=10.0.0.1&sslmode=disable", "postgres://10.0.0.1:5432/graphs"),
        ("postgres:///graphs?hostaddr=10.0.0.2&sslmode=disable", "postgres://10.0.0.2:5432/graphs"),
    ] {
        assert_eq!(PostgresDatabase::new(url).unwrap().address(), shown);
    }
    let twice = "postgres://a@127.0.0.1/graphs,postgres://b@127.0.0.1/graphs";
    let error = GraphDatabaseServers::from_addresses(twice).err().unwrap();
    assert!(error.to_string().contains("two servers are called postgres://127.0.0.1:5432/graphs"));
}

#[test]
fn statements_end_after_the_time_of_the_address_else_of_the_program() {
    let Some(server) = server() else { return };
    let address = server.database();
    let servers = GraphDatabaseServers::from_addresses(&address).unwrap();
    run(async {
        servers.publish(&snapshot(&unique("slow"), "//- /a.py\ndef ship():\n    pass\n")).await
    })
    .unwrap();
    // Whatever reads the names has to wait.
    let slow = "ALTER TABLE retriever_graph_2.repositories RENAME TO kept; \
                CREATE VIEW retriever_graph_2.repositories AS SELECT * FROM retriever_graph_2.kept \
                WHERE pg_sleep(0.5) IS NOT NULL";
    run(async { server_client(&address).await.batch_execute(slow).await }).unwrap();
    let ask = |address: &str| {
        let servers = GraphDatabaseServers::from_addresses(address).unwrap();
        run(async {
            let question = servers.question();
            let found = question.repositories().await.len();
            (
                found,
                question.lost().into_iter().map(|lost| lost.error.to_string()).collect::<Vec<_>>(),
            )
        })
    };
    assert_eq!(ask(&address), (1, Vec::new()));
    let (found, lost) = ask(&format!("{address}?options=-c%20statement_timeout%3D20"));
    assert!(found == 0 && lost[0].contains("statement timeout"), "{lost:?}");
}

#[test]
fn names_are_found_by_their_parts_with_an_index_and_without() {
    let Some(server) = server() else { return };
    const PROJECT: &str = "//- /a.py\ndef ship_parcels():\n    pass\n\ndef unship():\n    pass\n\ndef pack():\n    pass\n";
    for (obstacle, has_index) in [
        ("SELECT 1", true),
        // The extension can't be created where its functions are another's.
        (
            "CREATE FUNCTION similarity(text, text) RETURNS float4 LANGUAGE sql AS 'SELECT 1::float4'",
            false,
        ),
    ] {
        let address = server.database();
        let index = run(async {
            let client = server_client(&address).await;
            client.batch_execute(obstacle).await.unwrap();
            let servers = GraphDatabaseServers::from_addresses(&address).unwrap();
            for _ in 0..2 {
                servers.publish(&snapshot(&unique("names"), PROJECT)).await.unwrap();
            }
            let question = servers.question();
            for (words, total) in [("SHIP", 4), ("ship parc", 2), ("s", 4), ("zzz", 0), ("p_", 2)] {
                let found = question.search(&Default::default(), named(words), 9).await;
                assert_eq!((found.1, question.lost()), (total, Vec::new()), "{words}");
            }
            let sql = "SELECT to_regclass('retriever_graph_2.names_by_trigram') IS NOT NULL";
            client.query_one(sql, &[]).await.unwrap().get::<_, bool>(0)
        });
        assert_eq!(index, has_index);
    }
}

#[test]
fn repositories_are_found_where_they_are_after_the_list_of_servers_changed() {
    let Some(server) = server() else { return };
    database_contract::lists_of_servers_change(&server.database(), &server.database());
}

#[test]
fn a_server_that_lets_nobody_in_is_waited_for_once() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!(
        "postgres://me@{}/graphs?connect_timeout=1&sslmode=disable",
        silent.local_addr().unwrap()
    );
    let servers = GraphDatabaseServers::from_addresses(&address).unwrap();
    let mut said = Vec::new();
    for _ in 0..3 {
        run(async {
            let question = servers.question();
            assert_eq!(question.repositories().await, []);
            assert!(question.is_all_lost());
            said.push(question.lost()[0].error.to_string());
        });
    }
    assert!(said[0].contains("accepts no connection"), "{said:?}");
    assert!(said[1..].iter().all(|said| said.contains("a moment ago")), "{said:?}");
    silent.set_nonblocking(true).unwrap();
    let connections = std::iter::from_fn(|| silent.accept().ok()).count();
    assert_eq!(connections, 1);
}

#[test]
fn a_graph_of_a_newer_program_is_said_and_not_guessed() {
    let Some(server) = server() else { return };
    let address = server.database();
    let servers = GraphDatabaseServers::from_addresses(&address).unwrap();
    run(async {
        servers.publish(&snapshot(&unique("newer"), "//- /a.py\ndef ship():\n    pass\n")).await
    })
    .unwrap();
    let newer = "UPDATE retriever_graph_2.nodes SET kind = 99";
    run(async { server_client(&address).await.batch_execute(newer).await }).unwrap();
    let lost = run(async {
        let question = servers.question();
        assert_eq!(question.search(&Default::default(), named("ship"), 9).await.0, []);
        question.lost()
    });
    let error = lost[0].error.to_string();
    assert!(error.contains("newer version of this program (kind 99)"), "{error}");
    assert!(!error.contains("can't be reached"), "{error}");
}

/// A connection beside those of the program.
async fn server_client(address: &str) -> tokio_postgres::Client {
    let (client, connection) =
        tokio_postgres::connect(address, tokio_postgres::NoTls).await.unwrap();
    tokio::spawn(connection);
    client
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
