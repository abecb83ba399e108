//! Suites and checkouts that can't be used, or not as they stand.

use pretty_assertions::assert_eq;
use retriever_eval::{
    CheckoutCommitMatch, EvalCase, Suite, SuiteProblemKind, find, label_problems,
};
use retriever_test_support::Fixture;
use retriever_workspace::{FileTraitsConfig, Workspace, WorkspaceConfig};

const GOOD: &str = r#"{"id":"a","repo":"o/n","question":"how?","negative":true}"#;

#[test]
fn a_line_that_is_no_case_is_named_and_the_others_still_count() {
    for (line, kind, message) in [
        ("{", SuiteProblemKind::Malformed, "not a case: EOF while parsing an object"),
        ("{} {}", SuiteProblemKind::Malformed, "not a case: missing field `id`"),
        (
            r#"{"id":"b","repo":"o/n"}"#,
            SuiteProblemKind::Malformed,
            "not a case: missing field `question`",
        ),
        (
            r#"{"id":"b","repo":"o/n","question":"how?","evidence":[{"role":"cook","any_of":[]}]}"#,
            SuiteProblemKind::Malformed,
            "not a case: unknown variant `cook`",
        ),
        (
            r#"{"id":"b","repo":"o/n","question":"how?"}"#,
            SuiteProblemKind::Malformed,
            "it has no labels",
        ),
        (
            r#"{"id":"b","repo":"o/n","question":"how?","negative":true,"gold_files":["a"]}"#,
            SuiteProblemKind::Malformed,
            "it is negative and yet has labels",
        ),
        (
            r#"{"id":"b","repo":"n","question":"how?","negative":true}"#,
            SuiteProblemKind::Malformed,
            "\"repo\" is \"n\", not owner/name",
        ),
        (
            r#"{"id":"b","repo":"../n","question":"how?","negative":true}"#,
            SuiteProblemKind::Malformed,
            "\"repo\" is \"../n\", not owner/name",
        ),
        (
            r#"{"id":"b","repo":"o/n","commit":"abc","question":"how?","negative":true}"#,
            SuiteProblemKind::Malformed,
            "\"commit\" is \"abc\", not 40 hexadecimal digits",
        ),
        (
            r#"{"id":"b","repo":"o/n","question":"how?","gold_spans":[{"file":"a","start":9,"end":3}]}"#,
            SuiteProblemKind::Malformed,
            "a:9-3 is not a range of lines",
        ),
        (
            r#"{"id":"b","repo":"o/n","question":"how?","evidence":[{"role":"entry","any_of":[]}]}"#,
            SuiteProblemKind::Malformed,
            "a row of \"evidence\" has an empty \"any_of\"",
        ),
        (
            r#"{"id":"b","repo":"o/n","root":"a/../..","query":"how?","relevant":["a"]}"#,
            SuiteProblemKind::Malformed,
            "\"root\" leads out of the checkout",
        ),
        (
            r#"{"id":"b","repo":"o/n","root":"/etc","query":"how?","relevant":["a"]}"#,
            SuiteProblemKind::Malformed,
            "\"root\" leads out of the checkout",
        ),
        (GOOD, SuiteProblemKind::Duplicate, "the id \"a\" is line 1's already"),
    ] {
        let last = GOOD.replace("\"a\"", "\"z\"");
        let suite = Suite::parse("s", "dir/s.jsonl", &format!("{GOOD}\n\n{line}\n{last}\n"));
        let ids: Vec<&str> = suite.cases.iter().map(|case| case.id.as_str()).collect();
        assert_eq!(ids, ["a", "z"], "{line}");
        let [problem] = suite.problems.as_slice() else { panic!("{:?}", suite.problems) };
        assert_eq!((problem.kind, problem.place.as_str()), (kind, "dir/s.jsonl:3"), "{line}");
        assert!(problem.message.starts_with(message), "{line} said {}", problem.message);
    }
}

#[test]
fn keys_that_no_case_has_are_counted() {
    let line = r#"{"id":"a","repo":"o/n","query":"how?","base_commit":"0123456789012345678901234567890123456789","lang":"c","note":1,
        "evidence":[{"role":"entry","who":"x","any_of":[{"path":"a","start":1,"end":2,"who":1},{"path":"b","start":1,"end":2,"who":1}]}]}"#
        .replace('\n', "");
    let suite = Suite::parse("s", "s.jsonl", &line);
    assert_eq!(suite.problems, []);
    let counts: Vec<(&str, u32)> =
        suite.unknown_keys.iter().map(|(key, count)| (key.as_str(), *count)).collect();
    assert_eq!(counts, [("evidence.any_of.who", 2), ("evidence.who", 1), ("note", 1)]);
}

const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

fn pinned() -> EvalCase {
    let line = format!(
        r#"{{"id":"the-case","repo":"owner/name","commit":"{COMMIT}","question":"how?","gold_files":["a.rs"],
        "gold_spans":[{{"file":"a.rs","start":1,"end":2}},{{"file":"a.rs","start":2,"end":3}},{{"file":"gone.rs","start":1,"end":1}}]}}"#
    );
    Suite::parse("s", "s.jsonl", &line.replace('\n', "")).cases.remove(0)
}

#[test]
fn checkouts_are_looked_for_in_order_and_by_commit() {
    let other = "ffffffffffffffffffffffffffffffffffffffff";
    let head = |folder: &str, commit: &str| format!("//- /{folder}/.git/HEAD\n{commit}\n");
    let plain = |folder: &str| format!("//- /{folder}/a.rs\nx\n");
    let branch = |commit: &str| {
        format!(
            "//- /name/.git/HEAD\nref: refs/heads/main\n//- /name/.git/packed-refs\n# pack\n{commit} refs/heads/main\n"
        )
    };
    let worktree = format!(
        "//- /name/.git\ngitdir: ../git/worktrees/w\n//- /git/worktrees/w/HEAD\nref: refs/heads/main\n\
         //- /git/worktrees/w/commondir\n../..\n//- /git/refs/heads/main\n{other}\n"
    );
    let (exact, any) = (CheckoutCommitMatch::Exact, CheckoutCommitMatch::Any);
    for (tree, policy, found) in [
        (plain("the-case") + &plain("owner__name@0123456789ab"), exact, Ok("the-case")),
        (
            plain("owner__name@0123456789ab") + &plain("owner__name"),
            exact,
            Ok("owner__name@0123456789ab"),
        ),
        (plain("owner__name") + &plain("name"), exact, Ok("owner__name")),
        (plain("name"), exact, Ok("name")),
        (head("name", COMMIT), exact, Ok("name")),
        (branch(COMMIT), exact, Ok("name")),
        // The first that fits, not the first that is there.
        (head("owner__name", other) + &head("name", COMMIT), exact, Ok("name")),
        (head("name", other), exact, Err("is a checkout of owner/name at ffff")),
        (branch(other), exact, Err("is a checkout of owner/name at ffff")),
        (worktree, exact, Err("is a checkout of owner/name at ffff")),
        (
            plain("owner__name@ffffffffffff"),
            exact,
            Err("owner__name@ffffffffffff is a checkout of"),
        ),
        (head("name", other), any, Ok("name")),
        (plain("owner__name@ffffffffffff"), any, Ok("owner__name@ffffffffffff")),
        (
            plain("else"),
            exact,
            Err(
                "no checkout of owner/name: there is none of the-case, owner__name@0123456789ab, owner__name, name in",
            ),
        ),
    ] {
        let corpora = Fixture::new(&tree);
        match (find(corpora.root(), &pinned(), policy), found) {
            (Ok(folder), Ok(name)) => assert_eq!(folder, corpora.root().join(name), "{tree}"),
            (Err(error), Err(part)) => {
                assert!(error.to_string().contains(part), "{tree} said {error}");
            }
            (is, wanted) => panic!("{tree} gave {is:?}, not {wanted:?}"),
        }
    }
}

#[test]
fn an_id_is_a_folder_only_when_it_is_a_name() {
    let corpora = Fixture::new("//- /secret/a.rs\nx\n//- /corpora/name/a.rs\nx\n");
    let mut case = pinned();
    case.id = "../secret".to_owned();
    let folder = corpora.root().join("corpora");
    assert_eq!(find(&folder, &case, CheckoutCommitMatch::Exact).unwrap(), folder.join("name"));
}

#[test]
fn labels_that_lie_outside_of_their_files_are_named() {
    let checkout = Fixture::new("//- /a.rs\nfn a() {\n}\n");
    let (files, traits) = (WorkspaceConfig::default(), FileTraitsConfig::default());
    let workspace = Workspace::open(checkout.root(), &files, &traits).unwrap();
    let found = label_problems(&pinned(), &workspace);
    let [outside, missing] = found.as_slice() else { panic!("{found:?}") };
    assert_eq!(outside, "the label a.rs:2-3 is outside its file, which has 2 lines");
    assert!(missing.starts_with("the label gone.rs can't be read: "), "{missing}");
}
