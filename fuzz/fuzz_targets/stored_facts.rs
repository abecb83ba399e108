//! Bytes of any kind as the stored facts of a file: reading them never panics, and what was read is written in a form that reads
//! the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use retriever_graph::indexing::{FileFacts, Language, extract};

const SOURCE: &str = "import { a } from './a';\nexport class B { run(x: number) { return a(x).then(() => this.run(1)); } }\n";

fuzz_target!(|edits: Vec<(u16, u8)>| {
    let language = Language::of_path("b.ts").expect("a language of its own");
    let mut bytes = extract(language, SOURCE).to_bytes().expect("facts of a short text");
    for (at, byte) in edits {
        let at = usize::from(at) % bytes.len();
        bytes[at] = byte;
    }
    if let Ok(facts) = FileFacts::from_bytes(&bytes) {
        let written = facts.to_bytes().expect("what was read");
        let again = FileFacts::from_bytes(&written).expect("what was written");
        assert_eq!(written, again.to_bytes().expect("what was read twice"));
    }
});
