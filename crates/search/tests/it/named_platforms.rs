//! Code for another platform than the one that a question names comes after other code.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the file that comes first.
fn first(question: &str) -> String {
    let fixture = Fixture::new("");
    let waits = "    // waits for the console signal\n    wait(signal);\n";
    let wait = |times: usize| format!("pub fn deliver(signal: u8) {{\n{}}}\n", waits.repeat(times));
    fixture.write("src/windows/signal.rs", wait(6));
    fixture.write("src/common/signal.rs", wait(2));
    fixture.write("src/desk.rs", "pub fn serve() {}\n");
    let found = candidates(&fixture, &[Question::new(question)]).remove(0);
    found.files()[0].as_str().to_owned()
}

#[test]
fn code_for_another_platform_comes_after_other_code() {
    for (question, expected) in [
        ("who waits for the console signal?", "src/windows/signal.rs"),
        ("who waits for the console signal on Windows?", "src/windows/signal.rs"),
        ("who waits for the console signal on Linux?", "src/common/signal.rs"),
        ("who waits for the console signal on linux?", "src/common/signal.rs"),
        ("who waits for the console signal on Linux and Windows?", "src/windows/signal.rs"),
        ("who waits for the console signal on linux or windows?", "src/windows/signal.rs"),
        ("who waits for the console signal, not on Linux?", "src/windows/signal.rs"),
        ("who waits for the console signal but not for Linux?", "src/windows/signal.rs"),
        ("who waits for the console signal of wasm memory?", "src/windows/signal.rs"),
        ("who waits for the console signal when bsd sockets close?", "src/windows/signal.rs"),
    ] {
        assert_eq!(first(question), expected, "{question}");
    }
}
