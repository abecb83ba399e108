//! What every kind of database has to do, through the questions that people ask.

use std::{collections::BTreeMap, time::Duration};

use pretty_assertions::assert_eq;
use retriever_graph::{LookupTarget, NodeId, NodeKind, NodeQuery};
use retriever_graph_database::{
    CrossRepositoryLookup, GraphDatabase, GraphDatabaseServers, NameFilter, PageRange,
    RepositoryId, RepositoryScope, RepositorySnapshot,
};

use strum::VariantArray;

use crate::fixture::{ALL, graph, line_of, lines, named, one, related, run, snapshot, unique};
use crate::packages;

const STORE: &str = "\
//- /store.py
class Store:
    def save(self, item: Item) -> Receipt:
        return self.write(item)

    def write(self, item):
        return pack(item)


class DiskStore(Store):
    def write(self, item):
        return pack(item)


class Item:
    pass


class Receipt:
    item: Item


def pack(item):
    return item


def logged(function):
    return function


@logged
def main():
    Store().save(Item())
";

const BUTTON: &str = "\
//- /button.ts
export interface Drawable { draw(): void }

export class Button implements Drawable {
  onPress: (() => void) | undefined;
  press(): void { this.onPress?.(); }
  draw(): void { paint(this); }
}

export function paint(what: Drawable): void { what.draw(); }
//- /app.ts
import { Button, paint } from \"./button\";

function greet(): void { log(); }
function log(): void {}

export function boot(): Button {
  const button = new Button();
  button.onPress = greet;
  [button].forEach(paint);
  button.press();
  return button;
}
";

/// Runs all parts. The servers may hold other repositories.
pub(crate) fn check_all(servers: &GraphDatabaseServers) {
    run(async {
        answers_are_those_of_the_graph(servers).await;
        the_same_name_in_several_repositories(servers).await;
        pages_and_depth(servers).await;
        a_new_publication_replaces_the_old_one_at_once(servers).await;
        odd_texts(servers).await;
        packages::edges_cross_repositories(servers).await;
        what_is_old_is_pruned(servers).await;
    });
}

/// Every question about every node has the answer that the graph in memory gives.
async fn answers_are_those_of_the_graph(servers: &GraphDatabaseServers) {
    for (language, project) in [("python", STORE), ("typescript", BUTTON)] {
        let name = unique(language);
        let graph = graph(project);
        servers.publish(&RepositorySnapshot::new(&name, "", &graph)).await.unwrap();
        let scope = RepositoryScope::Only(vec![RepositoryId::of(&name)]);
        let question = servers.question();
        let mut answers = 0;
        for (number, node) in (0..).zip(graph.nodes()) {
            let file = format!("{name}:{}", node.path);
            let target =
                LookupTarget { name: &node.qname, file: Some(&file), kind: Some(node.kind) };
            let CrossRepositoryLookup::One(stored) = question.lookup(&scope, target).await else {
                assert_eq!(node.kind, NodeKind::File, "{}", node.qname);
                continue;
            };
            for operation in NodeQuery::VARIANTS {
                let expected = graph.related(*operation, &[NodeId(number)], 3, 0, 1_000);
                let mut expected: Vec<String> =
                    expected.items.iter().map(|item| line_of(&graph, item)).collect();
                let page = question.related(*operation, &stored, 3, ALL).await;
                let mut found = lines(&page);
                expected.sort();
                found.sort();
                assert_eq!(found, expected, "{operation} of {}", node.qname);
                answers += found.len();
            }
            for (other, to) in (0..).zip(graph.nodes()).filter(|(_, to)| to.kind != NodeKind::File)
            {
                let expected = graph.trace_any(&[NodeId(number)], &[NodeId(other)]);
                let to = one(&question, &scope, &to.qname).await;
                let trace = question.trace(&stored, &to).await;
                let (found, exists) = (!trace.steps.is_empty(), !expected.hops.is_empty());
                assert_eq!(found, exists, "{} to {}", node.qname, to[0].qname);
            }
        }
        assert!(answers > 20, "{answers}");
        assert_eq!(question.lost(), []);
    }
}

async fn the_same_name_in_several_repositories(servers: &GraphDatabaseServers) {
    let (a, b) = (unique("alpha"), unique("beta"));
    let word = unique("ship").replace('-', "_");
    let project = |file: &str| {
        format!("//- /{file}.py\ndef {word}():\n    pass\n\ndef un{word}():\n    {word}()\n")
    };
    for (repository, file) in [(&a, "one"), (&b, "two")] {
        servers.publish(&snapshot(repository, &project(file))).await.unwrap();
    }
    let question = servers.question();
    let lookup = |target| question.lookup(&RepositoryScope::All, target);
    let several = lookup(LookupTarget { name: &word, ..LookupTarget::default() }).await;
    let CrossRepositoryLookup::Several { candidates, total } = several else {
        panic!("{several:?}")
    };
    let repositories: Vec<&str> = candidates.iter().map(|node| node.repository.as_str()).collect();
    assert_eq!((repositories, total), (vec![a.as_str(), b.as_str()], 2));
    let place = format!("{b}:two");
    let (loud, full) = (word.to_uppercase(), format!("two.{word}"));
    for target in [
        LookupTarget { name: &word, file: Some(&place), ..LookupTarget::default() },
        LookupTarget { name: &loud, file: Some(&place), ..LookupTarget::default() },
        LookupTarget { name: &full, ..LookupTarget::default() },
    ] {
        let CrossRepositoryLookup::One(set) = lookup(target).await else { panic!("{target:?}") };
        assert_eq!(set[0].repository, b);
    }
    for target in [
        LookupTarget { name: &word, kind: Some(NodeKind::Class), ..LookupTarget::default() },
        LookupTarget { name: "no such name anywhere", ..LookupTarget::default() },
        LookupTarget { name: "", ..LookupTarget::default() },
    ] {
        assert_eq!(lookup(target).await, CrossRepositoryLookup::Nothing, "{target:?}");
    }
    let (found, total) = question.search(&RepositoryScope::All, named(&word), 3).await;
    let names: Vec<&str> = found.iter().map(|node| node.name.as_str()).collect();
    assert_eq!((names, total), (vec![word.as_str(), &word, &format!("un{word}")], 4));
    let only = RepositoryScope::Only(vec![RepositoryId::of(&a)]);
    assert_eq!(question.search(&only, named(&word), 9).await.1, 2);
    let there = LookupTarget { file: Some(&place), ..named(&word) };
    let (found, total) = question.search(&RepositoryScope::All, there, 1).await;
    assert_eq!((found.len(), found[0].repository.as_str(), total), (1, b.as_str(), 2));
    let class = LookupTarget { kind: Some(NodeKind::Class), ..named(&word) };
    assert_eq!(question.search(&RepositoryScope::All, class, 9).await, (Vec::new(), 0));
    assert!(!question.is_cut());
}

/// A name that many definitions have hides none that is asked for by its place or kind.
pub(crate) async fn filters_come_before_limits(database: &dyn GraphDatabase) {
    let name = unique("many");
    let word = name.replace('-', "_");
    let files = ["a", "b", "c"];
    let function = |file: &str| format!("//- /{file}.py\ndef {word}():\n    pass\n");
    let project: String = files.iter().map(|file| function(file)).collect();
    let project = format!("{project}//- /d.py\nclass {word}:\n    pass\n");
    database.publish(&snapshot(&name, &project)).await.unwrap();
    let folded = [word];
    let place = format!("{name}:c");
    for (wanted, path) in [
        (NameFilter { place: Some(&place), ..NameFilter::default() }, "c.py"),
        (NameFilter { kind: Some(NodeKind::Class), ..NameFilter::default() }, "d.py"),
    ] {
        let wanted = NameFilter { folded: &folded, ..wanted };
        let found = database.named(&RepositoryScope::All, wanted, 1).await.unwrap();
        let paths: Vec<&str> = found.iter().map(|node| node.path.as_str()).collect();
        assert_eq!(paths, [path], "{wanted:?}");
    }
}

async fn pages_and_depth(servers: &GraphDatabaseServers) {
    let name = unique("chain");
    let next = |number| format!("def f{number}():\n    f{}()\n", number - 1);
    let rest: String = (1..40).map(next).collect();
    let project = format!("//- /chain.py\ndef f0():\n    pass\n{rest}");
    servers.publish(&snapshot(&name, &project)).await.unwrap();
    let scope = RepositoryScope::Only(vec![RepositoryId::of(&name)]);
    let question = servers.question();
    let target = one(&question, &scope, "f0").await;
    let page = question.related(NodeQuery::Callers, &target, 3, ALL).await;
    assert_eq!(
        lines(&page),
        ["1 calls chain.f1:[4] exact", "2 calls chain.f2:[6] exact", "3 calls chain.f3:[8] exact"]
    );
    let second = PageRange { offset: 1, limit: 1 };
    let part = question.related(NodeQuery::Callers, &target, 3, second).await;
    assert_eq!((part.items.as_slice(), part.total), (&page.items[1..2], 3));
    // No question goes farther than ten steps, and no way is longer than 24.
    assert_eq!(question.related(NodeQuery::Callers, &target, 99, ALL).await.total, 10);
    let far = one(&question, &scope, "f30").await;
    let trace = question.trace(&far, &target).await;
    assert!(trace.steps.is_empty() && trace.cut, "{trace:?}");
}

async fn a_new_publication_replaces_the_old_one_at_once(servers: &GraphDatabaseServers) {
    let name = unique("moving");
    let scope = RepositoryScope::Only(vec![RepositoryId::of(&name)]);
    let project =
        |caller: &str| format!("//- /m.py\ndef {caller}():\n    ship()\n\ndef ship():\n    pass\n");
    servers.publish(&snapshot(&name, &project("first"))).await.unwrap();
    let question = servers.question();
    let before = one(&question, &scope, "ship").await;
    servers.publish(&snapshot(&name, &project("second"))).await.unwrap();
    assert_eq!(
        related(servers, &scope, NodeQuery::Callers, "ship", 1).await,
        ["1 calls m.second:[2] exact"]
    );
    // A question that has begun goes on with what it has seen.
    let page = question.related(NodeQuery::Callers, &before, 1, ALL).await;
    assert_eq!(lines(&page), ["1 calls m.first:[2] exact"]);
    servers.publish(&snapshot(&name, &project("third"))).await.unwrap();
    assert_eq!(question.related(NodeQuery::Callers, &before, 1, ALL).await.items, []);
    let listed = question.repositories().await;
    let of_name: Vec<_> = listed.iter().filter(|it| it.name == name).collect();
    assert_eq!(of_name.len(), 1, "{listed:?}");
    assert_eq!((of_name[0].commit.as_str(), of_name[0].nodes), ("c0ffee", 3));
    servers.publish(&snapshot(&name, "")).await.unwrap();
    assert_eq!(question.search(&scope, named("ship"), 9).await, (Vec::new(), 0));
}

async fn odd_texts(servers: &GraphDatabaseServers) {
    let name = unique("o'dd \"näme\" $1 %_");
    let mut odd = snapshot(
        &name,
        "//- /näme's.py\nfrom other import odd\n\ndef grüße_der_welt():\n    odd()\n\
         //- /pyproject.toml\n[project]\nname = \"o'dd\"\ndependencies = [\"other\"]\n",
    );
    odd.nodes[1].signature = "def \0 '); DROP TABLE x; --\u{1f600}".to_owned();
    odd.packages[0].folder = "a\0b".to_owned();
    odd.uses[0].1.names = vec!["o\0dd".to_owned()];
    servers.publish(&odd).await.unwrap();
    let scope = RepositoryScope::Only(vec![RepositoryId::of(&name)]);
    let question = servers.question();
    let found = one(&question, &scope, "grüße_der_welt").await;
    assert_eq!(found[0].signature, "def  '); DROP TABLE x; --\u{1f600}");
    assert_eq!(
        (found[0].path.as_str(), found[0].repository.as_str()),
        ("näme's.py", name.as_str())
    );
    assert_eq!(question.search(&scope, named("grüße welt"), 9).await.1, 1);
    assert_eq!(question.search(&scope, named("der%welt"), 9).await.1, 1, "signs separate words");
    assert_eq!(question.search(&scope, named("e_der"), 9).await.1, 1, "an underscore is itself");
    assert_eq!(
        question.search(&scope, named("e_e"), 9).await.1,
        0,
        "an underscore stands for nothing else"
    );
}

async fn what_is_old_is_pruned(servers: &GraphDatabaseServers) {
    let name = unique("old");
    let first = servers.publish(&snapshot(&name, STORE)).await.unwrap();
    let listed = |names: Vec<retriever_graph_database::PublishedRepository>| {
        names.iter().any(|it| it.name == name)
    };
    servers.prune(Duration::from_secs(3_600)).await.unwrap();
    assert!(listed(servers.question().repositories().await));
    assert!(servers.prune(Duration::ZERO).await.unwrap() > 0);
    assert!(!listed(servers.question().repositories().await));
    let question = servers.question();
    assert_eq!(
        question.search(&RepositoryScope::All, named("diskstore"), 9).await,
        (Vec::new(), 0)
    );
    // Who still asks about the first publication must not be answered from the second.
    let second = servers.publish(&snapshot(&name, STORE)).await.unwrap();
    assert_ne!(first, second);
    assert!(servers.prune(Duration::ZERO).await.unwrap() > 0);
}

/// Repositories are found where they are, whatever servers are named beside, and once, with the newest of their graphs.
pub(crate) fn lists_of_servers_change(first: &str, second: &str) {
    let project =
        |caller: &str| format!("//- /a.py\ndef {caller}():\n    pack()\n\ndef pack():\n    pass\n");
    let names: Vec<String> = (0..16).map(|_| unique("moved")).collect();
    let one = GraphDatabaseServers::from_addresses(first).unwrap();
    let both = GraphDatabaseServers::from_addresses(&format!("{first},{second}")).unwrap();
    let publish = |servers: &GraphDatabaseServers, names: &[String], caller: &str| {
        run(async {
            for name in names {
                servers.publish(&snapshot(name, &project(caller))).await.unwrap();
            }
        });
    };
    // The callers of all definitions of `pack`, with how many have that name and how many repositories are displaced.
    let ask = |servers: &GraphDatabaseServers| {
        run(async {
            let question = servers.question();
            let (found, total) = question.search(&RepositoryScope::All, named("pack"), 100).await;
            let mut callers = BTreeMap::new();
            for node in &found {
                let page =
                    question.related(NodeQuery::Callers, std::slice::from_ref(node), 1, ALL).await;
                for caller in &page.items {
                    *callers.entry(caller.node.name.clone()).or_insert(0) += 1;
                }
            }
            let listed: Vec<String> =
                question.repositories().await.into_iter().map(|it| it.name).collect();
            let mut sorted = names.clone();
            sorted.sort();
            assert_eq!((listed, question.lost()), (sorted, Vec::new()));
            (found.len(), total, callers, question.displaced().len())
        })
    };
    let counts = |counts: &[(&str, i32)]| -> BTreeMap<String, i32> {
        counts.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect()
    };
    publish(&one, &names, "old");
    assert_eq!(ask(&one), (16, 16, counts(&[("old", 16)]), 0));
    let (found, total, callers, displaced) = ask(&both);
    assert_eq!((found, total, callers), (16, 16, counts(&[("old", 16)])));
    assert!((1..16).contains(&displaced), "{displaced} of 16 names lead to the new server");
    publish(&both, &names[..8], "new");
    let (found, total, callers, fewer) = ask(&both);
    assert_eq!((found, total, callers), (16, 16, counts(&[("new", 8), ("old", 8)])));
    assert!(fewer <= displaced, "{fewer} of {displaced}");
    publish(&both, &names[8..], "new");
    assert_eq!(ask(&both), (16, 16, counts(&[("new", 16)]), 0));
}

/// Eight publishers at once, four of them of one repository, in an empty database. Returns the name of that one.
pub(crate) fn publishers_do_not_disturb_each_other(servers: &GraphDatabaseServers) -> String {
    const PROJECT: &str = "//- /a.py\ndef ship():\n    pack()\n\ndef pack():\n    pass\n";
    let shared = unique("shared");
    let publish = |repository: String| {
        let servers = servers.clone();
        std::thread::spawn(move || {
            run(async { servers.publish(&snapshot(&repository, PROJECT)).await }).unwrap();
        })
    };
    let own = (0..4).map(|_| unique("own"));
    let threads: Vec<_> = own.chain((0..4).map(|_| shared.clone())).map(publish).collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    let published = run(async { servers.question().repositories().await });
    assert_eq!(published.len(), 5);
    assert!(published.iter().all(|it| (it.nodes, it.edges) == (3, 3)), "{published:?}");
    shared
}
