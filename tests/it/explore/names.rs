//! Queries that are nothing but a name: its declaration is what is printed first, and a flow only if it goes through it.

use super::{Fixture, explore, names, source};

/// A type whose words are in functions that call each other, and a class that is made for tests.
const PROJECT: &str = "\
//- /src/settings.rs
pub struct RetryPolicy {
    pub limit: u32,
}
//- /src/client.rs
use crate::settings::RetryPolicy;

pub struct Client {
    policy: RetryPolicy,
}

impl Client {
    pub fn retry_policy(&self) -> &RetryPolicy {
        let policy = load_retry_policy(&self.policy);
        policy
    }
}

pub fn load_retry_policy(policy: &RetryPolicy) -> &RetryPolicy {
    check_retry_policy(policy);
    policy
}

fn check_retry_policy(policy: &RetryPolicy) {
    assert!(policy.limit > 0, \"a retry policy tries once at least\");
}
//- /src/store.rs
use crate::settings::RetryPolicy;

pub struct Store {
    policy: RetryPolicy,
}

impl Store {
    pub fn retry_policy(&self) -> &RetryPolicy {
        &self.policy
    }
}
//- /lib/testing.py
class Sandbox:
    def isolate(self):
        return self
//- /lib/shell.py
def isolated(command):
    # Commands that isolate their output.
    return command
";

#[test]
fn a_name_is_answered_by_its_declaration() {
    let fixture = Fixture::new(PROJECT);
    for (query, path, declaration, flow) in [
        ("RetryPolicy", "src/settings.rs", "pub struct RetryPolicy {", &[][..]),
        (
            "check_retry_policy",
            "src/client.rs",
            "fn check_retry_policy(policy",
            &["Client.retry_policy", "load_retry_policy", "check_retry_policy"],
        ),
        ("isolate", "lib/testing.py", "    def isolate(self):", &[]),
        ("Sandbox", "lib/testing.py", "class Sandbox:", &[]),
    ] {
        let found = explore(&fixture, query);
        let paths: Vec<&str> = found.files.iter().map(|file| file.path.as_str()).collect();
        assert_eq!(paths.first(), Some(&path), "{query}: {paths:?}");
        assert!(source(&found, path).contains(declaration), "{query}: {}", source(&found, path));
        assert_eq!(names(&found), flow, "{query}");
    }
}

/// Without a graph, a method that is defined outside of its type has the name of that, and of no namespace.
#[test]
fn what_only_lines_declare_is_named_by_the_type_that_they_name() {
    let fixture = Fixture::new(
        "//- /list.cu\nnamespace n {\nint Box<K>::Cursor::SeekShelf(int n) {\n  return n;\n}\n\
         int CountShelves(int n) {\n  return n;\n}\n}\n",
    );
    for (query, expected) in [("SeekShelf", "Cursor.SeekShelf"), ("CountShelves", "CountShelves")] {
        let found = explore(&fixture, query);
        let names: Vec<&str> = found.results.iter().map(|it| it.place.name.as_str()).collect();
        assert_eq!(names.first(), Some(&expected), "{query}: {names:?}");
    }
}

#[test]
fn a_long_declaration_is_printed_from_its_first_line_on() {
    let filler = |from: u32| -> String {
        (from..from + 90).map(|n| format!("    let step_{n} = {n};\n")).collect()
    };
    let fixture = Fixture::new(&format!(
        "//- /src/adopt.rs\npub fn adopt(child: u32) {{\n{}    // Those whom we adopt stay adopted: adopt(child).\n{}}}\n",
        filler(0),
        filler(90),
    ));
    let found = explore(&fixture, "adopt");
    let first = &found.results[0];
    assert_eq!((first.place.start, first.place.end), (1, 40));
    assert!(source(&found, "src/adopt.rs").contains("step_179"), "it has room as a whole");
}
