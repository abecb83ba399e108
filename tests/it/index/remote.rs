//! A first index from another machine: over real files and real HTTP, whatever the remote does, what is answered is what this
//! machine's own index gives.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    path::{Path, PathBuf},
    sync::Arc,
    thread,
};

use pretty_assertions::assert_eq;
use proptest::prelude::*;
use retriever::{
    Retriever,
    config::{Config, FileTraitsConfig, IndexConfig, WorkspaceConfig},
    configured_remote,
    configured_remote::PublishedCommit,
    explore::{ExplorationTextFormat, ExploreOptions, text},
    indexing::{GraphIndex, RefreshSummary},
    open_index,
    workspace::{Cancellation, RootSpec, Workspace},
};

use super::{Machine, edits, exported};

const COMMIT: &str = "1111111111111111111111111111111111111111";
const OTHER_COMMIT: &str = "2222222222222222222222222222222222222222";
const GIT: &str =
    "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = git@example.com:shop/shop.git\n";

/// A machine with a working tree of the repository, and an empty cache.
fn machine(commit: &str) -> Machine {
    let machine = Machine::new();
    machine.write(".git/config", GIT);
    machine.write(".git/HEAD", format!("{commit}\n"));
    machine
}

fn config(address: &str) -> IndexConfig {
    // A machine under load is no slow remote.
    IndexConfig { remote: address.to_owned(), remote_patience_ms: 60_000, ..IndexConfig::default() }
}

fn open(machine: &Machine, config: &IndexConfig) -> retriever::OpenIndex {
    let root = machine.root();
    let workspace =
        Workspace::open(&root, &WorkspaceConfig::default(), &FileTraitsConfig::default()).unwrap();
    open_index(Some(&machine.store()), Arc::new(workspace), config)
}

fn refresh(index: &GraphIndex) -> RefreshSummary {
    index.refresh(&Cancellation::new(), &|_, _| {}).unwrap()
}

/// Publishes a machine's index.
fn publish(machine: &Machine, address: &str) -> PublishedCommit {
    let open = open(machine, &config(address));
    open.index
        .refresh_beside(&Cancellation::new(), &|_, _| {}, |hashes| {
            open.full_text.snapshot_of(hashes, &Cancellation::new());
        })
        .unwrap();
    configured_remote::publish(
        &open.index,
        &open.full_text,
        open.remote.as_ref().unwrap().reader().unwrap(),
    )
    .unwrap()
}

/// What a machine says of its graph, which has to be that of its files.
fn answer(machine: &Machine, config: &IndexConfig) -> (RefreshSummary, Vec<String>) {
    let open = open(machine, config);
    let summary = refresh(&open.index);
    assert_eq!(exported(&open.index), exported(&machine.index(None)));
    (summary, open.index.warnings())
}

/// A folder as a remote, and its address.
struct FileRemote(tempfile::TempDir);

impl FileRemote {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn address(&self) -> String {
        format!("file://{}", self.0.path().display())
    }

    /// The files of a kind: `objects`, `manifests`, `latest`.
    fn files(&self, kind: &str) -> Vec<PathBuf> {
        let all = walkdir::WalkDir::new(self.0.path()).sort_by_file_name();
        let files = all.into_iter().map(Result::unwrap).filter(|entry| entry.file_type().is_file());
        let of_kind = |path: &PathBuf| path.iter().any(|part| part == kind);
        files.map(walkdir::DirEntry::into_path).filter(of_kind).collect()
    }
}

#[test]
fn a_machine_begins_with_what_another_one_has_published() {
    let (ci, laptop, remote) = (machine(COMMIT), machine(COMMIT), FileRemote::new());
    let published = publish(&ci, &remote.address());
    assert_eq!(published.repository, "example.com/shop/shop");
    assert_eq!((published.commit.as_str(), published.uploaded), (COMMIT, published.objects));
    let (summary, warnings) = answer(&laptop, &config(&remote.address()));
    assert_eq!((summary.files, summary.changed, summary.resolved), (4, 0, 0));
    assert_eq!(warnings, Vec::<String>::new());
    // The next process needs no remote, and neither does one that has none.
    let gone = config("file:///nowhere/at/all");
    assert_eq!(answer(&laptop, &gone).0.changed, 0);
    // A shallow clone of another commit takes what was published last, and reads what differs.
    let branch = machine(OTHER_COMMIT);
    branch.write(
        "src/more.ts",
        "import { trim } from \"./util\";\nexport const more = trim(\"c\");\n",
    );
    branch.write(
        "src/util.ts",
        "export function trim(text: string) { return cut(text); }\nfunction cut(t) { return t; }\n",
    );
    let (summary, warnings) = answer(&branch, &config(&remote.address()));
    assert_eq!((summary.changed, warnings), (2, Vec::new()));
    assert!(summary.resolved < summary.files, "{summary:?}");
    // An edit after that needs facts of the published content, which are fetched when they are needed.
    laptop.write("app/models.py", "class Model:\n    def save(self):\n        return 1\n");
    let (summary, warnings) = answer(&laptop, &config(&remote.address()));
    assert_eq!((summary.changed, warnings), (1, Vec::new()));
    assert!(summary.resolved < summary.files, "{summary:?}");
}

#[test]
fn publishing_again_writes_nothing_and_a_change_writes_little() {
    let (ci, remote) = (machine(COMMIT), FileRemote::new());
    let first = publish(&ci, &remote.address());
    let files = remote.files("objects");
    assert_eq!(
        publish(&ci, &remote.address()),
        PublishedCommit { uploaded: 0, uploaded_bytes: 0, ..first }
    );
    assert_eq!(remote.files("objects"), files);
    ci.write(".git/HEAD", OTHER_COMMIT);
    ci.write("lib.py", "def help():\n    pass\n");
    publish(&ci, &remote.address());
    assert_eq!(remote.files("manifests").len(), 2);
    // What the first machine has never had is taken over by name.
    let other = machine(COMMIT);
    let again = publish(&other, &remote.address());
    assert!(again.uploaded < again.objects / 2, "{again:?}");
    assert_eq!(answer(&machine(OTHER_COMMIT), &config(&remote.address())).1, Vec::<String>::new());
}

#[test]
fn what_is_damaged_or_anothers_is_refused_said_once_and_made_here() {
    type Harm = fn(&FileRemote);
    fn overwrite(files: &[PathBuf], change: impl Fn(Vec<u8>) -> Vec<u8>) {
        for file in files {
            fs::write(file, change(fs::read(file).unwrap())).unwrap();
        }
    }
    let harms: [(&str, Harm); 8] = [
        ("an object does not match its hash", |remote| {
            overwrite(&remote.files("objects"), |mut bytes| {
                let at = bytes.len() / 2;
                bytes[at] ^= 1;
                bytes
            });
        }),
        ("an object does not match its hash", |remote| {
            overwrite(&remote.files("objects"), |bytes| bytes[..bytes.len() / 2].to_vec());
        }),
        ("an object is longer than it may be", |remote| {
            overwrite(&remote.files("objects"), |bytes| [bytes, vec![0; 9]].concat());
        }),
        ("an object is gone", |remote| {
            remote.files("objects").iter().for_each(|file| fs::remove_file(file).unwrap());
        }),
        ("an object ", |remote| {
            // Each has the bytes of another one.
            let files = remote.files("objects");
            let bytes: Vec<Vec<u8>> = files.iter().map(|file| fs::read(file).unwrap()).collect();
            for (file, bytes) in files.iter().zip(bytes.iter().cycle().skip(1)) {
                fs::write(file, bytes).unwrap();
            }
        }),
        ("a manifest is damaged", |remote| {
            overwrite(&remote.files("manifests"), |bytes| bytes[..bytes.len() - 1].to_vec());
        }),
        ("a manifest belongs to another repository", |remote| {
            let (ci, other) = (machine(COMMIT), FileRemote::new());
            ci.write(".git/config", GIT.replace("shop/shop", "other/other"));
            publish(&ci, &other.address());
            fs::copy(&other.files("manifests")[0], &remote.files("manifests")[0]).unwrap();
        }),
        ("a manifest belongs to another commit", |remote| {
            let (ci, other) = (machine(OTHER_COMMIT), FileRemote::new());
            publish(&ci, &other.address());
            fs::copy(&other.files("manifests")[0], &remote.files("manifests")[0]).unwrap();
        }),
    ];
    for (reason, harm) in harms {
        let remote = FileRemote::new();
        publish(&machine(COMMIT), &remote.address());
        harm(&remote);
        let (summary, warnings) = answer(&machine(COMMIT), &config(&remote.address()));
        assert_eq!((summary.files, summary.changed), (4, 5), "{reason}");
        let [warning] = warnings.as_slice() else { panic!("{reason}: {warnings:?}") };
        assert!(warning.contains(reason), "{reason}: {warning}");
        assert!(warning.ends_with("this machine builds what is missing"), "{warning}");
    }
}

#[test]
fn another_versions_index_is_not_found() {
    let remote = FileRemote::new();
    publish(&machine(COMMIT), &remote.address());
    for file in remote.files("manifests").iter().chain(&remote.files("latest")) {
        let text = file.to_string_lossy().replace("/manifests/", "/manifests/old-");
        let old = PathBuf::from(text.replace("/latest/", "/latest/old-"));
        fs::create_dir_all(old.parent().unwrap()).unwrap();
        fs::rename(file, old).unwrap();
    }
    let (summary, warnings) = answer(&machine(COMMIT), &config(&remote.address()));
    assert_eq!((summary.changed, warnings), (5, Vec::new()));
}

#[test]
fn pages_are_the_same_with_fetched_words() {
    let (ci, remote) = (machine(COMMIT), FileRemote::new());
    ci.write("docs/guide.md", "# Guide\n\nA model is checked before it is saved.\n");
    ci.write("yarn.lock", "many names\n");
    publish(&ci, &remote.address());
    let page = |machine: &Machine, index: IndexConfig, query: &str| {
        let config = Config { index, ..Config::default() };
        let retriever =
            Retriever::builder(machine.root()).config(config).cache(Some(machine.store())).build();
        let retriever = retriever.unwrap();
        let found = retriever.explore(query, &ExploreOptions::default()).unwrap();
        assert_eq!(retriever.warnings(), Vec::<String>::new());
        text(&found, ExplorationTextFormat::Plain { program: "retriever" })
    };
    for query in ["how is a model checked before it is saved", "trim", "Page save", "many names"] {
        let (laptop, alone) = (machine(COMMIT), machine(COMMIT));
        for machine in [&laptop, &alone] {
            machine.write("docs/guide.md", "# Guide\n\nA page is trimmed, a model is checked.\n");
            machine.write("yarn.lock", "many names\n");
        }
        let fetched = page(&laptop, config(&remote.address()), query);
        assert_eq!(fetched, page(&alone, IndexConfig::default(), query));
        // What was fetched and confirmed is stored.
        assert_eq!(fetched, page(&laptop, config("file:///nowhere/at/all"), query));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, ..ProptestConfig::default() })]

    #[test]
    fn any_edits_after_a_publication_give_the_graph_of_a_full_rebuild(
        published in edits(),
        later in edits(),
    ) {
        let (ci, laptop, remote) = (machine(COMMIT), machine(COMMIT), FileRemote::new());
        for edit in published.iter().flatten() {
            edit.apply(&ci);
            edit.apply(&laptop);
        }
        publish(&ci, &remote.address());
        for round in later {
            round.iter().for_each(|edit| edit.apply(&laptop));
            let open = open(&laptop, &config(&remote.address()));
            let kept = exported(&open.index);
            prop_assert_eq!(open.index.warnings(), Vec::<String>::new());
            prop_assert_eq!(kept, exported(&laptop.index(None)), "{:?}", round);
        }
    }
}

/// What a web server does to the objects that it is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Nothing is answered, not even for manifests.
    Hangs,
    /// The headers come, and no body.
    HangsInside,
    /// Fewer bytes than promised.
    Truncates,
    /// More bytes than the object has.
    Inflates,
    /// An error.
    Fails,
}

/// Serves the files of a folder; returns the address.
fn serve(folder: &Path, fault: Fault) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let folder = folder.to_owned();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let (stream, folder) = (stream.unwrap(), folder.clone());
            thread::spawn(move || serve_connection(&stream, &folder, fault));
        }
    });
    address
}

fn serve_connection(mut stream: &TcpStream, folder: &Path, fault: Fault) {
    let mut lines = BufReader::new(stream).lines();
    loop {
        let Some(Ok(request)) = lines.next() else { return };
        while lines.next().is_some_and(|line| line.is_ok_and(|line| !line.is_empty())) {}
        let path = request.split(' ').nth(1).unwrap().trim_start_matches('/');
        let is_object = path.contains("objects");
        if fault == Fault::Hangs {
            thread::park();
        }
        let Ok(mut body) = fs::read(folder.join(path)) else {
            let _ = stream.write_all(b"HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n");
            continue;
        };
        let mut length = body.len();
        match fault {
            Fault::Truncates if is_object => drop(body.split_off(length / 2)),
            Fault::Inflates if is_object => {
                body.extend([0; 100]);
                length = body.len();
            }
            Fault::Fails if is_object => {
                let _ = stream.write_all(b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n");
                continue;
            }
            _ => {}
        }
        let _ = write!(stream, "HTTP/1.1 200 OK\r\ncontent-length: {length}\r\n\r\n");
        if fault == Fault::HangsInside && is_object {
            thread::park();
        }
        let _ = stream.write_all(&body);
        if body.len() < length {
            return;
        }
    }
}

#[test]
fn a_web_server_is_read_and_its_faults_cost_no_answer() {
    let (ci, remote) = (machine(COMMIT), FileRemote::new());
    publish(&ci, &remote.address());
    let faults = [
        Fault::None,
        Fault::Hangs,
        Fault::HangsInside,
        Fault::Truncates,
        Fault::Inflates,
        Fault::Fails,
    ];
    for fault in faults {
        let address = serve(remote.0.path(), fault);
        let waits = matches!(fault, Fault::Hangs | Fault::HangsInside);
        let config = config(&address);
        let patience = if waits { 300 } else { config.remote_patience_ms };
        let config = IndexConfig { remote_patience_ms: patience, ..config };
        let (summary, warnings) = answer(&machine(COMMIT), &config);
        let changed = if fault == Fault::None { 0 } else { 5 };
        assert_eq!(summary.changed, changed, "{fault:?} {warnings:?}");
        assert_eq!(warnings.len(), usize::from(fault != Fault::None), "{fault:?} {warnings:?}");
    }
    // Nobody listens.
    let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let (summary, warnings) = answer(&machine(COMMIT), &config(&format!("http://{free}")));
    assert_eq!((summary.changed, warnings.len()), (5, 1), "{warnings:?}");
}

#[test]
fn a_killed_publication_leaves_nothing_that_is_wrong() {
    let (ci, remote) = (machine(COMMIT), FileRemote::new());
    for at in 0..200 {
        ci.write(&format!("gen/m{at}.py"), format!("def f{at}():\n    return f{at}()\n"));
    }
    let address = remote.address();
    let arguments = ["index", "--publish", "--remote", &address];
    for objects in [0, 1, 2] {
        let mut child = ci.program(&arguments).spawn().unwrap();
        while remote.files("objects").len() <= objects && child.try_wait().unwrap().is_none() {}
        child.kill().unwrap();
        child.wait().unwrap();
        let (_, warnings) = answer(&machine(COMMIT), &config(&address));
        assert_eq!(warnings, Vec::<String>::new());
    }
    assert_eq!(ci.run(&arguments).json()["published_index"]["commit"], COMMIT);
    assert_eq!(answer(&ci, &config(&address)).0.resolved, 0);
}

/// The settings of who publishes are no part of what is published: every reader has the graph of its own files.
#[test]
fn a_machine_with_other_settings_has_the_graph_of_its_own_files() {
    let (ci, remote) = (machine(COMMIT), FileRemote::new());
    publish(&ci, &remote.address());
    for ignore in ["src/util.ts", "**/*.ts", "nothing"] {
        let files = WorkspaceConfig { ignore: vec![ignore.to_owned()], ..Default::default() };
        let (laptop, traits) = (machine(COMMIT), FileTraitsConfig::default());
        let workspace = || Arc::new(Workspace::open(&laptop.root(), &files, &traits).unwrap());
        let open = open_index(Some(&laptop.store()), workspace(), &config(&remote.address()));
        let summary = refresh(&open.index);
        assert_eq!(summary.changed, 0, "{ignore}");
        assert_eq!(
            exported(&open.index),
            exported(&GraphIndex::new(workspace(), None)),
            "{ignore}"
        );
    }
}

#[test]
fn many_processes_publish_and_read_at_once() {
    let remote = FileRemote::new();
    let address = remote.address();
    let machines: Vec<Machine> = (0..16).map(|_| machine(COMMIT)).collect();
    thread::scope(|threads| {
        for (at, machine) in machines.iter().enumerate() {
            let address = &address;
            threads.spawn(move || {
                let publishes: &[&str] = &["index", "--publish", "--remote", address];
                let reads: &[&str] = &["index", "--remote", address];
                let done = machine.run(if at % 2 == 0 { publishes } else { reads });
                assert_eq!(done.json()["files"], 4, "{}", done.err);
                // On a busy machine the remote may be late, and work goes on without it.
                let is_late = done.err.contains("too slowly or not at all");
                assert!(done.err.is_empty() || is_late, "{}", done.err);
            });
        }
    });
    assert_eq!(remote.files("manifests").len(), 1);
    let (summary, warnings) = answer(&machine(COMMIT), &config(&address));
    assert_eq!((summary.changed, warnings), (0, Vec::new()));
}

#[test]
fn old_publications_are_pruned_and_young_ones_stay() {
    let (ci, remote) = (machine(COMMIT), FileRemote::new());
    let address = remote.address();
    publish(&ci, &address);
    let prune = ["index", "--prune-remote", "--remote", &address];
    let kept = ci.run(&prune).json();
    assert_eq!((&kept["manifests"], &kept["objects"]), (&0.into(), &0.into()));
    assert_eq!(kept["kept_manifests"], 1);
    // The store's clock counts, not this machine's.
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(90 * 24 * 3_600);
    for file in remote.files("objects").iter().chain(&remote.files("manifests")) {
        fs::File::options().write(true).open(file).unwrap().set_modified(old).unwrap();
    }
    ci.write(".git/HEAD", OTHER_COMMIT);
    publish(&ci, &address);
    let pruned = ci.run(&prune).json();
    assert_eq!((&pruned["manifests"], &pruned["kept_manifests"]), (&1.into(), &1.into()));
    assert_eq!(answer(&machine(OTHER_COMMIT), &config(&address)).0.changed, 0);
}

#[test]
fn a_store_whose_clock_is_ahead_loses_nothing() {
    let (ci, remote) = (machine(COMMIT), FileRemote::new());
    let address = remote.address();
    publish(&ci, &address);
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(90 * 24 * 3_600);
    for kind in ["objects", "manifests", "latest"] {
        for file in remote.files(kind) {
            fs::File::options().write(true).open(file).unwrap().set_modified(later).unwrap();
        }
    }
    ci.write(".git/HEAD", OTHER_COMMIT);
    publish(&ci, &address);
    let pruned = ci.run(&["index", "--prune-remote", "--remote", &address]).json();
    assert_eq!((&pruned["manifests"], &pruned["objects"]), (&0.into(), &0.into()));
    for commit in [COMMIT, OTHER_COMMIT] {
        assert_eq!(answer(&machine(commit), &config(&address)).0.changed, 0);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_remote_keeps_what_was_published() {
    let remote = FileRemote::new();
    // Only root may mount.
    let Some(_small) = super::damage::Small::mount(remote.0.path().to_owned(), 400) else { return };
    let address = remote.address();
    publish(&machine(COMMIT), &address);
    let ci = machine(OTHER_COMMIT);
    for file in 0..20_u64 {
        // Names that don't compress.
        let name = |at: u64| (file * 1_000 + at).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let functions = (0..1_000).map(|at| format!("def f{:x}():\n    pass\n", name(at)));
        ci.write(&format!("gen/m{file}.py"), functions.collect::<String>());
    }
    let done = ci.run(&["index", "--publish", "--remote", &address]);
    assert!(done.code == Some(3) && done.err.contains("No space left"), "{done:?}");
    let (summary, warnings) = answer(&machine(COMMIT), &config(&address));
    assert_eq!((summary.changed, warnings), (0, Vec::new()));
    // The commit is not there; what was published before it is of help.
    let (summary, warnings) = answer(&machine(OTHER_COMMIT), &config(&address));
    assert_eq!((summary.changed, warnings), (0, Vec::new()));
}

#[test]
fn several_roots_and_folders_of_a_working_tree_take_the_facts_of_their_files() {
    let (shop, other) = (machine(COMMIT), machine(OTHER_COMMIT));
    other.write(".git/config", GIT.replace("shop/shop", "shop/other"));
    other.write("lib.py", "def help():\n    pass\n");
    let plain = Machine::new();
    let whole: [Vec<PathBuf>; 3] = [
        vec![shop.root().join("src")],
        vec![shop.root(), other.root(), plain.root()],
        vec![shop.root().join("app"), shop.root().join("src"), other.root()],
    ];
    for roots in whole {
        let workspace = || {
            let (trees, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
            let named = |(at, root): (usize, &PathBuf)| RootSpec {
                name: format!("r{at}"),
                ..RootSpec::new(root)
            };
            let roots: Vec<RootSpec> = roots.iter().enumerate().map(named).collect();
            Arc::new(Workspace::open_roots(&roots, &trees, &traits).unwrap())
        };
        let alone = GraphIndex::new(workspace(), None);
        for is_sound in [true, false] {
            let (remote, cache) = (FileRemote::new(), tempfile::tempdir().unwrap());
            publish(&shop, &remote.address());
            publish(&other, &remote.address());
            if !is_sound {
                let objects = remote.files("objects");
                objects.iter().for_each(|object| fs::write(object, b"nothing").unwrap());
            }
            let open = open_index(Some(cache.path()), workspace(), &config(&remote.address()));
            assert_eq!(exported(&open.index), exported(&alone));
            let warnings = open.index.warnings();
            // What is damaged is said once, whatever the number of repositories; so it was asked for.
            let refused = warnings.iter().filter(|warning| warning.contains("match its hash"));
            assert_eq!((refused.count(), warnings.len()), if is_sound { (0, 0) } else { (1, 1) });
        }
    }
}

#[test]
fn a_publication_that_is_impossible_says_what_to_do() {
    let alone = Machine::new();
    let remote = FileRemote::new();
    let address = remote.address();
    for (arguments, reason) in [
        (["index", "--prune-remote", "--remote", ""], "no remote is configured"),
        (["index", "--publish", "--remote", &address], "index.repository"),
        (["index", "--prune-remote", "--remote", &address], "index.repository"),
        (["index", "--prune-remote", "--remote", "ftp://example.com"], "can't be used"),
    ] {
        let done = alone.run(&arguments);
        assert_eq!(done.code, Some(3), "{done:?}");
        assert!(done.err.contains(reason), "{done:?}");
    }
    let inner = machine(COMMIT);
    let (tree, folder) = (inner.root(), inner.root().join("src"));
    let (tree, folder) = (tree.to_str().unwrap(), folder.to_str().unwrap());
    let other = alone.root();
    for (roots, reason) in [
        (&[tree, other.to_str().unwrap()][..], "only the index of one repository can be published"),
        (&[folder], "a folder inside a git working tree"),
    ] {
        let roots: Vec<&str> = roots.iter().flat_map(|root| ["--root", root]).collect();
        // Every verb takes the flag, and a reader goes on.
        let explore = [&roots[..], &["--remote", &address, "explore", "trim"]].concat();
        let done = inner.run(&explore);
        assert!(done.code == Some(0) && done.err.is_empty(), "{done:?}");
        let publish = [&roots[..], &["index", "--publish", "--remote", &address]].concat();
        let done = inner.run(&publish);
        assert!(done.code == Some(3) && done.err.contains(reason), "{done:?}");
        assert!(done.err.contains("top of a git working tree"), "{done:?}");
    }
    let done = alone.run(&["index", "--remote", &address]);
    assert!(done.json()["files"] == 4 && done.err.contains("no remote address"), "{done:?}");
    // A reader goes on, with a warning about what the user wrote.
    let done = machine(COMMIT).run(&["index", "--remote", "ftp://example.com"]);
    assert!(done.json()["files"] == 4 && done.err.contains("ftp://example.com"), "{done:?}");
}
