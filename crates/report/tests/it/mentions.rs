//! What of a text is looked up in its lines: names, calls, commands, hyphenated words and paths, and what is only prose.

use serde_json::json;

use crate::{cases::check, evidence::Evidence};

/// Every word that the facts of [`SPANS`] and [`PROSE`] take from code, none of them joined as they join it.
const WORDS: &str = "\
def make(test, release, dist, and, new); Store store; store.save(user); order.load(x, role, role2)
Make2 = id; router.get(keep); x-user-id: 'the-only-one'
";

/// (the fact about [`WORDS`], whether all of it stays)
const SPANS: &[(&str, bool)] = &[
    // A call behind an object or a module is looked up as a whole, others by their names.
    ("`store.save(user)` runs.", true),
    ("`store.save( \"user\" )` runs.", true),
    ("`store.save(…)` runs.", true),
    ("`store.load(…)` runs.", false),
    ("`store.save(order)` runs.", false),
    ("`store.load(user)` runs.", false),
    ("`store->save(order)` runs.", false),
    ("`Store::save(order)` runs.", false),
    ("`Store.save(order)` runs.", true),
    ("`save(order)` runs.", true),
    ("`order.save()` runs.", true),
    ("`store order.save(user)` runs.", true),
    ("`order.save` runs.", true),
    ("`store(user/role.c)` runs.", false),
    // A path is looked up as a whole, whether or not there is a grammar for it; a letter behind a dot is a member.
    ("`store/save.jl` runs.", false),
    ("`save.tfvars` is kept.", false),
    ("`store.id` is kept.", true),
    ("`store.r` is kept.", true),
    // A command line is looked up as a whole.
    ("`make test` runs.", false),
    ("`make` runs.", true),
    ("`Make test` runs.", true),
    ("`make(test)` runs.", true),
    ("`make test and` runs.", true),
    ("`make 'test' dist` runs.", true),
    ("`make 'test' - dist` runs.", true),
    ("`make 'test' -dist` runs.", false),
    ("`make 'test' --dist` runs.", false),
    ("`make 'test' && dist` runs.", false),
    ("`make 'test' | dist` runs.", false),
    ("`def make dist` runs.", true),
    ("`def make --dist` runs.", false),
    // The case counts where the spelling is one of code.
    ("`MAKE` runs.", true),
    ("`Make2` is kept.", true),
    ("`make2` is kept.", false),
    ("`roleX` is kept.", false),
    ("`Makes` runs.", true),
    // Words that are joined by hyphens are one.
    ("`x-user-id` is kept.", true),
    ("`x-user-role` is kept.", false),
    ("`$x-user-role` is kept.", false),
    ("`/x-user-role` is kept.", true),
    ("`x-user-role/` is kept.", true),
    ("`1x-user-role` is kept.", true),
    ("`x-user-role2` is kept.", true),
    ("`a-b` is kept in `store`.", true),
    ("The `X-User-Id` is kept.", true),
    ("The header X-User-Id is kept.", true),
    ("The header X-User-Role is kept.", false),
    ("`make` takes --dry-run.", false),
];

/// (the fact about [`WORDS`], whether all of it stays)
const PROSE: &[(&str, bool)] = &[
    ("save(order) runs in `store`.", true),
    ("drop(order) runs in `store`.", false),
    ("The function(s) run in `store`.", true),
    ("The `user` is saved (drop_it).", false),
    ("The `user` is saved (role2).", true),
    ("The user.total is kept in `store`.", false),
    ("The id.total is kept in `store`.", false),
    ("The x.total is kept in `store`.", true),
    ("The user.role is kept in `store`.", true),
    ("The user::total is kept in `store`.", false),
    ("The user's role is kept in `store`.", true),
    ("The store runs on iOS, macOS and gRPC with APIs.", true),
    ("The store runs on getX.", false),
    ("The `store` runs on isX.", true),
    ("The store keeps userName.", false),
    ("The store keeps user_name.", false),
    ("The `store` keeps _it_.", true),
    ("The store keeps $total.", false),
    ("The `store` speaks GraphQL, JavaScript and OAuth.", true),
    ("The `router` handles GET.", true),
    ("The `router` handles PUT.", false),
    ("The `router` handles A.", true),
    ("The code of src/words.txt keeps `store`.", true),
    ("The code of words.txt:2 keeps `store`.", true),
    ("The code of words.md keeps `store`.", false),
    ("The code of other/words.json keeps `store`.", false),
    ("`store` speaks HTTP/2 and UTF-8.", true),
];

#[test]
fn names_calls_and_commands_are_looked_up_as_they_are_written() {
    let source = format!("//- /src/words.txt read=1-2\n{WORDS}");
    let mut wrong = Vec::new();
    for (fact, wanted) in SPANS.iter().chain(PROSE) {
        let submitted = json!({"findings": [{"fact": fact, "refs": ["src/words.txt:1-2"]}]});
        let validation = check(&mut Evidence::new(&source), &submitted);
        let stays = validation.map.findings.iter().any(|finding| finding.fact == *fact);
        if stays != *wanted {
            wrong.push((fact, wanted, validation.reasons));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
