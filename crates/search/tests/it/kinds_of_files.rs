//! What the kind of a file costs it: text for readers more than scripts and build files.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the points of a file of this name whose text answers the question.
fn points(name: &str) -> f64 {
    let fixture = Fixture::new("//- /src/other.py\ndef other():\n    pass\n");
    fixture.write(
        &format!("tools/{name}"),
        "sign: archive\n\tsign the release archive with the key\n",
    );
    let found = candidates(&fixture, &[Question::new("how is the release archive signed?")]);
    let path = format!("tools/{name}");
    let place = found[0].candidates.iter().find(|place| place.file.path.as_str() == path).unwrap();
    place.score.iter().map(|(_, points)| points).sum()
}

#[test]
fn files_that_something_runs_are_no_text_for_readers() {
    let prose = points("README");
    for name in ["NEWS", "notes.txt"] {
        assert!((points(name) - prose).abs() < prose * 0.2, "{name}");
    }
    for name in ["Makefile", "publish", "CMakeLists.txt"] {
        assert!(points(name) > prose * 1.3, "{name}: {} and {prose}", points(name));
    }
}

#[test]
fn a_script_without_an_extension_is_code_with_declarations() {
    let script = "#!/usr/bin/env bash\n\nsign_archive() {\n  sign \"$1\" release key\n}\n\nsign_archive \"$@\"\n";
    let fixture = Fixture::new("//- /src/other.py\ndef other():\n    pass\n");
    for name in ["sign", "notes"] {
        let text = if name == "sign" { script.to_owned() } else { script.replace("#!", "# ") };
        fixture.write(&format!("bin/{name}"), &text);
    }
    let found = candidates(&fixture, &[Question::new("how is the release archive signed?")]);
    let first = &found[0].candidates[0];
    assert_eq!(first.file.path.as_str(), "bin/sign");
    assert!(first.symbols.iter().any(|symbol| symbol.name == "sign_archive"), "{first:?}");
}
