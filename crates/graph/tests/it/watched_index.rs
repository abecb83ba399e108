//! An index that takes the files of the tree from the system's events answers about the tree as it is.

use std::{fs, sync::Arc};

use pretty_assertions::assert_eq;
use retriever_graph::{LookupTarget, NameLookup, NodeQuery, indexing::GraphIndex};
use retriever_workspace::{Cancellation, FileTraitsConfig, Workspace, WorkspaceConfig};

/// The callers of `ship`, by place.
fn callers(index: &GraphIndex) -> Vec<String> {
    let ask = index.ask_on_walk(&Cancellation::new(), |_, graph| {
        let NameLookup::One(ship) =
            graph.lookup(LookupTarget { name: "ship", ..LookupTarget::default() })
        else {
            return vec!["no ship".to_owned()];
        };
        let page = graph.related(NodeQuery::Callers, &graph.overloads(ship), 1, 0, 100);
        let place = |id| {
            let node = graph.node(id);
            node.map_or_else(String::new, |node| format!("{}:{}", node.path, node.name))
        };
        page.items.iter().map(|item| place(item.node)).collect()
    });
    let mut callers = ask.unwrap();
    callers.sort();
    callers
}

#[test]
fn what_was_just_written_renamed_or_removed_is_known_at_once() {
    let files = tempfile::tempdir().unwrap();
    let root = files.path().canonicalize().unwrap().join("tree");
    fs::create_dir(&root).unwrap();
    fs::write(root.join("a.py"), "def ship():\n    pass\n\ndef first():\n    ship()\n").unwrap();
    let workspace =
        Workspace::open(&root, &WorkspaceConfig::default(), &FileTraitsConfig::default());
    let index = GraphIndex::in_cache(&files.path().join("cache"), Arc::new(workspace.unwrap()));
    index.watch();
    let caller = |name: &str| format!("from a import ship\n\ndef {name}():\n    ship()\n");
    assert_eq!(callers(&index), ["a.py:first"]);
    assert_eq!(callers(&index), ["a.py:first"]);
    for turn in 0..5 {
        fs::write(root.join("b.py"), caller(&format!("second{turn}"))).unwrap();
        assert_eq!(callers(&index), ["a.py:first".to_owned(), format!("b.py:second{turn}")]);
        fs::create_dir_all(root.join("c/d")).unwrap();
        fs::write(root.join("c/d/e.py"), caller("third")).unwrap();
        let second = format!("b.py:second{turn}");
        assert_eq!(callers(&index), ["a.py:first", &second, "c/d/e.py:third"]);
        fs::rename(root.join("c"), root.join("f")).unwrap();
        assert_eq!(callers(&index), ["a.py:first", &second, "f/d/e.py:third"]);
        fs::rename(root.join("b.py"), root.join("f/d/e.py")).unwrap();
        assert_eq!(callers(&index), ["a.py:first".to_owned(), format!("f/d/e.py:second{turn}")]);
        fs::write(root.join(".gitignore"), "f/\n").unwrap();
        assert_eq!(callers(&index), ["a.py:first"]);
        fs::remove_file(root.join(".gitignore")).unwrap();
        fs::remove_dir_all(root.join("f")).unwrap();
        assert_eq!(callers(&index), ["a.py:first"]);
    }
}

#[test]
fn without_a_folder_the_tree_is_walked_for_each_question() {
    let files = tempfile::tempdir().unwrap();
    let root = files.path().canonicalize().unwrap();
    fs::write(root.join("a.py"), "def ship():\n    pass\n\ndef first():\n    ship()\n").unwrap();
    let open = || Workspace::open(&root, &WorkspaceConfig::default(), &FileTraitsConfig::default());
    // The folder of the second can't be made: its place is a file.
    let in_a_file = GraphIndex::in_cache(&root.join("a.py"), Arc::new(open().unwrap()));
    for index in [GraphIndex::new(Arc::new(open().unwrap()), None), in_a_file] {
        index.watch();
        assert_eq!(callers(&index), ["a.py:first"]);
        fs::write(root.join("b.py"), "from a import ship\n\ndef second():\n    ship()\n").unwrap();
        assert_eq!(callers(&index), ["a.py:first", "b.py:second"]);
        fs::remove_file(root.join("b.py")).unwrap();
    }
}
