//! How rare a word of a question is decides what it counts, by the files that have it.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the points of the file that declares the words of `question`, beside files that have `other` in every line.
fn points_beside(question: &str, name: &str, other: &str) -> f64 {
    let fixture = Fixture::new("");
    for at in 0..20 {
        fixture.write(&format!("part{at}.txt"), format!("{other} go\n{other} on\n"));
    }
    fixture.write("rare.py", format!("def {name}(text):\n    return text\n"));
    let found = candidates(&fixture, &[Question::new(question)]).remove(0);
    let rare = found.candidates.iter().find(|it| it.file.path.as_str() == "rare.py");
    rare.map_or(0.0, |rare| rare.score.total())
}

#[test]
fn a_word_is_as_rare_as_the_files_that_have_itself() {
    for (question, name, abbreviation) in
        [("the classifier", "classifier", "class"), ("which constraints", "constraints", "const")]
    {
        let beside = points_beside(question, name, abbreviation);
        let alone = points_beside(question, name, "other");
        assert!(beside > 0.9 * alone && alone > 0.0, "{question}: {beside} of {alone}");
    }
}
