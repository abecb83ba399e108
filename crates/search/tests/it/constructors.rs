//! A constructor stands behind the methods that do what is asked, unless it is what is asked for or they fit much less well.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the names of the places of an answer, the best first.
fn names(source: &str, question: &str) -> Vec<String> {
    let fixture = Fixture::new(source);
    let found = candidates(&fixture, &[Question::new(question)]).remove(0);
    found.candidates.iter().filter_map(|it| Some(it.symbols.first()?.name.clone())).collect()
}

const WORKS: &str = "for letter in list(self.failed):\n            if not self.post(letter):\n                queue.append(letter)\n        self.log(len(queue))";

/// Returns a class whose constructor has the words of what its method does.
fn mailer(method: &str, comment: &str, body: &str) -> String {
    format!(
        "//- /src/mailer.py\nclass Mailer:\n    def __init__(self, letters, failed, retries):\n        \"\"\"Keeps the letters, and how often failed letters are retried.\"\"\"\n        self.letters = list(letters)\n        self.failed = list(failed)\n        self.retries = int(retries)\n        self.failed_letters = dict(failed)\n        self.retried = set(retries)\n\n    def {method}(self, queue):\n        \"\"\"{comment}\"\"\"\n        {body}\n"
    )
}

#[test]
fn a_constructor_stands_behind_the_method_that_does_what_is_asked() {
    let asked = "how are failed letters retried?";
    let says = "Posts failed letters again until they are retried.";
    for (source, question, first) in [
        (mailer("resend", says, WORKS), asked, "resend"),
        (
            mailer("resend", says, WORKS),
            "where is it initialised how failed letters are retried?",
            "__init__",
        ),
        (
            mailer("resend", says, WORKS),
            "where would I change how failed letters are retried?",
            "__init__",
        ),
        // A word that only begins like one of making is none.
        (
            mailer("resend", says, WORKS),
            "how are failed letters with a password retried?",
            "resend",
        ),
        (mailer("resend", says, WORKS), "how are failed letters passed and retried?", "__init__"),
        (mailer("resend", says, "return self.failed"), asked, "__init__"),
        (mailer("close", "Ends it.", WORKS), asked, "__init__"),
    ] {
        let found = names(&source, question);
        assert_eq!(found[0], first, "{question}\n{source}{found:?}");
    }
}
