//! The words that are kept of a tree: whatever was kept, changed, damaged or shared, a survey is the one that reading every
//! file gives.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{Arc, LazyLock},
    thread,
    time::Duration,
};

use proptest::prelude::*;
use retriever::{
    config::Config,
    search::Question,
    search::{
        FullTextIndex, FullTextSnapshot, RoleCues, SearchCorpus, find_candidates, scan_candidates,
    },
    workspace::{Cancellation, RepoPath, Workspace, cache_folders::note_repository},
};
use tempfile::TempDir;

use crate::support::fixture::Fixture;

static NEVER: LazyLock<Cancellation> = LazyLock::new(Cancellation::new);
static CUES: LazyLock<RoleCues> = LazyLock::new(RoleCues::default);

const TREE: &str = r#"
//- /src/billing/invoice.ts


export class InvoiceService {
  /** Builds the invoice of a cart. */
  createInvoice(customer: string): Invoice {
    return render(customer, this.cart.lines);
  }
}
//- /src/session.py
class SessionStore:
    """Keeps who is signed in: a refresh token each."""

    def refresh_token(self, user):
        note = """doc inside""" + user.refresh
        return self.issue(user, note)

    def __init__(self): self._ = __all__
//- /src/net.c
#define MERGE_COOKIES 1
/* merges cookies */
int mergeCookies(struct jar *jar) { return merge_cookies(jar) + mergecookies; }
//- /server/routes.go
package server

// Register binds every route.
func Register(mux *Mux) {
	mux.Handle("/invoice", HTTPHandler_name2)
}
//- /docs/größe.md
# Größe der Rechnung
The invoice has a größe, and authentication configures auth.
//- /Cargo.lock
name = "invoice"
//- /data/min.js
"#;

const QUESTIONS: &[&str] = &[
    "how is an invoice created for a customer",
    "where does `mergeCookies` merge cookies of the jar",
    "SessionStore.refresh_token and auth configuration, größe",
    "src/session.py:5 doc inside user refresh",
    "HTTPHandler_name2 registers the invoice route",
];

/// Lines of which files are made anew.
const LINES: &[&str] = &[
    "def refresh_token(self, user):",
    "    \"\"\"Keeps who is signed in\"\"\" + invoice",
    "    \"\"\"",
    "// comment about createInvoice and cookies",
    "export function createInvoice(cart: Cart) {",
    "}",
    "",
    "func (s *Server) Register(mux *Mux) {",
    "mergecookies merge_cookies mergeCookies MERGE_COOKIES",
    "größe = Straße + HTTPHandler_name2",
    "# configuration of the session",
    "_ = __",
    "authentication of a customer, invoice invoice",
];

const PATHS: &[&str] = &[
    "src/billing/invoice.ts",
    "src/session.py",
    "src/net.c",
    "server/routes.go",
    "docs/größe.md",
    "more/cart.ts",
    "more/notes.txt",
    "Cargo.lock",
];

fn open(fixture: &Fixture) -> Workspace {
    let config = Config::default();
    Workspace::open(fixture.root(), &config.workspace, &config.traits).unwrap()
}

fn tree() -> Fixture {
    let fixture = Fixture::new(TREE);
    fixture.write("data/min.js", format!("invoice={};", "x,".repeat(30_000)));
    fixture.write("data/blob.bin", b"invoice\0\x01\x02");
    fixture
}

/// The survey of the tree as it is, from what `lexicon` has.
fn from(lexicon: &FullTextIndex, workspace: &Workspace, question: &str) -> String {
    let walk = Arc::new(workspace.walk(&RepoPath::root()));
    let words = lexicon.snapshot(workspace, &walk, &NEVER);
    let ground = SearchCorpus {
        workspace,
        walk: &walk,
        index: &words,
        graph: None,
        role_cues: &CUES,
        similar: None,
    };
    format!("{:#?}", find_candidates(&ground, &Question::new(question), &NEVER))
}

fn anew(workspace: &Workspace, question: &str) -> String {
    format!("{:#?}", scan_candidates(workspace, &Question::new(question), &CUES, None, &NEVER))
}

fn assert_same(lexicon: &FullTextIndex, workspace: &Workspace) {
    for question in QUESTIONS {
        assert_eq!(from(lexicon, workspace, question), anew(workspace, question), "{question}");
    }
}

/// The files that words are kept in, sorted.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder.join("words")).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = entries.filter(|path| !path.ends_with("lock")).collect();
    files.sort();
    files
}

fn kept(folder: &Path) -> Vec<u8> {
    files(folder).iter().flat_map(|file| fs::read(file).unwrap()).collect()
}

fn holds(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

/// Waits until the times of what was just written can be trusted.
fn grow_old() {
    thread::sleep(Duration::from_millis(50));
}

#[test]
fn kept_words_give_the_survey_that_reading_gives() {
    let (fixture, cache) = (tree(), TempDir::new().unwrap());
    grow_old();
    let workspace = open(&fixture);
    assert_same(&FullTextIndex::new(None), &workspace);
    assert_same(&FullTextIndex::new(Some(cache.path())), &workspace);
    let before = kept(cache.path());
    assert_same(&FullTextIndex::new(Some(cache.path())), &workspace);
    assert_eq!(before, kept(cache.path()));
    assert!(anew(&workspace, QUESTIONS[0]).contains("createInvoice"));
}

#[test]
fn a_file_that_changed_after_its_words_were_packed_is_read_as_it_is() {
    let fixture = tree();
    let workspace = open(&fixture);
    let old = FullTextSnapshot::read(&workspace, &workspace.walk(&RepoPath::root()), &NEVER);
    for path in &PATHS[..5] {
        let text = fs::read_to_string(fixture.root().join(path)).unwrap();
        // Another content of the same words.
        fixture.write(path, format!("{text} "));
    }
    let walk = Arc::new(workspace.walk(&RepoPath::root()));
    let ground = SearchCorpus {
        workspace: &workspace,
        walk: &walk,
        index: &old,
        graph: None,
        role_cues: &CUES,
        similar: None,
    };
    for question in QUESTIONS {
        let found = format!("{:#?}", find_candidates(&ground, &Question::new(*question), &NEVER));
        assert_eq!(found, anew(&workspace, question), "{question}");
    }
}

#[test]
fn words_that_cannot_be_trusted_are_made_anew() {
    let (fixture, cache) = (tree(), TempDir::new().unwrap());
    grow_old();
    let workspace = open(&fixture);
    let walk = Arc::new(workspace.walk(&RepoPath::root()));
    FullTextIndex::new(Some(cache.path())).snapshot(&workspace, &walk, &NEVER);
    let all = kept(cache.path());
    for file in files(cache.path()) {
        let good = fs::read(&file).unwrap();
        let flipped = |at: usize| {
            let mut bytes = good.clone();
            bytes[at] ^= 0x20;
            bytes
        };
        let damaged = [
            Vec::new(),
            b"no words at all".to_vec(),
            good[..good.len() / 2].to_vec(),
            flipped(0),
            flipped(20),
            flipped(good.len() / 2),
            flipped(good.len() - 1),
        ];
        for bytes in damaged {
            fs::write(&file, &bytes).unwrap();
            assert_same(&FullTextIndex::new(Some(cache.path())), &workspace);
            assert!(kept(cache.path()) == all, "{}", file.display());
        }
        fs::remove_file(&file).unwrap();
        assert_same(&FullTextIndex::new(Some(cache.path())), &workspace);
        assert!(kept(cache.path()) == all, "{}", file.display());
    }
}

#[cfg(unix)]
#[test]
fn working_trees_share_words_and_forget_secrets_each_for_itself() {
    use std::os::unix::fs::MetadataExt;
    let files_of = |fixture: &Fixture, tree: &str, text: &str, numbers: std::ops::Range<usize>| {
        for at in numbers {
            let text = format!("// {text} of invoice {at}\n").repeat(40);
            fixture.write(&format!("{tree}/more/f{at}.ts"), text);
        }
    };
    let fixture = Fixture::new("");
    for tree in ["one", "two"] {
        files_of(&fixture, tree, "createInvoice", 0..60);
        fixture.write(&format!("{tree}/plan.txt"), "the xylophoneplan");
    }
    fixture.write("one/.git/HEAD", "ref: refs/heads/main\n");
    fixture.write("one/.git/worktrees/two/commondir", "../..\n");
    let (root, git) = (fixture.root(), "one/.git/worktrees/two");
    fixture.write(&format!("{git}/gitdir"), format!("{}\n", root.join("two/.git").display()));
    fixture.write("two/.git", format!("gitdir: {}\n", root.join(git).display()));
    grow_old();
    let mut config = Config::default();
    let check = |tree: &str, config: &Config| {
        let path = root.join(tree);
        let workspace = Workspace::open(&path, &config.workspace, &config.traits).unwrap();
        let folder = root.join("cache").join(tree);
        fs::create_dir_all(&folder).unwrap();
        note_repository(&folder, &workspace.repository().unwrap()).unwrap();
        assert_same(&FullTextIndex::new(Some(&folder)), &workspace);
        assert_same(&FullTextIndex::new(Some(&folder)), &workspace);
        let links = files(&folder).into_iter().map(|path| fs::metadata(path).unwrap().nlink());
        (links.collect::<Vec<u64>>(), holds(&kept(&folder), "xylophoneplan"))
    };
    assert_eq!(check("one", &config), (vec![1, 1], true));
    assert_eq!(check("two", &config), (vec![2, 1], true));
    // What differs is a segment of its own.
    files_of(&fixture, "two", "mergeCookies", 0..20);
    let (mut links, _) = check("two", &config);
    links.sort_unstable();
    assert_eq!(links, [1, 1, 2]);
    config.workspace.secrets.push("*.txt".to_owned());
    assert_eq!(check("two", &config), (vec![1, 1], false));
    assert_eq!(check("one", &Config::default()), (vec![1, 1], true));
    // One of which little is left is made anew.
    files_of(&fixture, "one", "Register", 0..50);
    assert_eq!(check("one", &Config::default()), (vec![1, 1], true));
}

#[test]
fn a_place_that_cannot_be_written_costs_no_answer() {
    let (fixture, cache) = (tree(), TempDir::new().unwrap());
    let file = cache.path().join("file");
    fs::write(&file, "in the way").unwrap();
    assert_same(&FullTextIndex::new(Some(&file)), &open(&fixture));
}

#[test]
fn secrets_are_not_kept_and_what_becomes_one_is_forgotten() {
    let (fixture, cache) = (tree(), TempDir::new().unwrap());
    fixture.write(".env", "TOKEN=zanzibarkey");
    fixture.write("notes/plan.txt", "the xylophoneplan of invoices");
    let mut workspace = open(&fixture);
    let keep = |workspace: &Workspace| {
        let walk = Arc::new(workspace.walk(&RepoPath::root()));
        FullTextIndex::new(Some(cache.path())).snapshot(workspace, &walk, &NEVER);
        kept(cache.path())
    };
    let bytes = keep(&workspace);
    assert!(holds(&bytes, "xylophoneplan") && !holds(&bytes, "zanzibarkey"));
    let mut config = Config::default();
    config.workspace.secrets.push("notes/*.txt".to_owned());
    workspace = Workspace::open(fixture.root(), &config.workspace, &config.traits).unwrap();
    let bytes = keep(&workspace);
    assert!(!holds(&bytes, "xylophoneplan") && !holds(&bytes, "plan.txt"));
}

#[test]
fn other_traits_in_the_configuration_are_heard() {
    let (fixture, cache) = (tree(), TempDir::new().unwrap());
    let mut config = Config::default();
    let open = |config: &Config| {
        Workspace::open(fixture.root(), &config.workspace, &config.traits).unwrap()
    };
    assert_same(&FullTextIndex::new(Some(cache.path())), &open(&config));
    config.traits.vendored.push("src/billing/**".to_owned());
    assert_same(&FullTextIndex::new(Some(cache.path())), &open(&config));
}

#[test]
fn many_may_keep_words_of_one_tree_at_once() {
    let (fixture, cache) = (tree(), TempDir::new().unwrap());
    let workspace = open(&fixture);
    let expected = anew(&workspace, QUESTIONS[0]);
    let shared = FullTextIndex::new(Some(cache.path()));
    thread::scope(|scope| {
        for number in 0..8 {
            let (workspace, shared, expected, cache) = (&workspace, &shared, &expected, &cache);
            scope.spawn(move || {
                let own = FullTextIndex::new(Some(cache.path()));
                let lexicon = if number % 2 == 0 { shared } else { &own };
                assert_eq!(from(lexicon, workspace, QUESTIONS[0]), *expected);
            });
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    #[test]
    fn after_any_edits_the_words_are_those_of_the_tree(
        edits in prop::collection::vec(
            (0..PATHS.len(), prop::option::of(prop::collection::vec(0..LINES.len(), 0..12))),
            1..14,
        )
    ) {
        let (fixture, cache) = (tree(), TempDir::new().unwrap());
        let workspace = open(&fixture);
        let lasting = FullTextIndex::new(None);
        for (at, (path, lines)) in edits.into_iter().enumerate() {
            let path = PATHS[path];
            match lines {
                Some(lines) => {
                    let lines: Vec<&str> = lines.into_iter().map(|line| LINES[line]).collect();
                    fixture.write(path, lines.join("\n"));
                }
                None => drop(fs::remove_file(fixture.root().join(path))),
            }
            let question = QUESTIONS[at % QUESTIONS.len()];
            let expected = anew(&workspace, question);
            prop_assert_eq!(&from(&lasting, &workspace, question), &expected);
            let next_process = FullTextIndex::new(Some(cache.path()));
            prop_assert_eq!(&from(&next_process, &workspace, question), &expected);
        }
    }
}
