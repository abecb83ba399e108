//! The README against the program.

use std::{fs, path::Path};

#[test]
fn the_readme_documents_every_variable_and_exit_code() {
    let readme =
        fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md")).unwrap();
    let named = retriever::config::environment::VARIABLES.iter().map(|(variable, _)| *variable);
    for variable in named.chain(["RETRIEVER_CONFIG", "RETRIEVER_API_KEY", "OPENAI_API_KEY"]) {
        assert!(readme.contains(&format!("`{variable}`")), "{variable}");
    }
    for code in ["| 0 |", "| 2 |", "| 3 |", "| 4 |", "| 5 |", "| 130, 143 |"] {
        assert!(readme.contains(code), "{code}");
    }
}
