//! Words of a question that stand side by side in a file say more than the same words apart, whatever stands between as marks.

use retriever_search::{CandidateSet, Question};
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the points of a file for how often it has the words.
fn file_points(found: &CandidateSet, path: &str) -> f64 {
    let candidate = found.candidates.iter().find(|it| it.file.path.as_str() == path);
    let parts = candidate.into_iter().flat_map(|candidate| candidate.score.iter());
    parts.filter(|(part, _)| part.as_ref() == "file").map(|(_, points)| points).sum()
}

#[test]
fn words_side_by_side_count_more_than_the_same_words_apart() {
    // The same words in the same fields: side by side, and apart.
    let cases = [
        (
            "in a comment",
            "# settle invoice today\ndef one():\n    pass\n",
            "# settle today invoice\ndef one():\n    pass\n",
        ),
        (
            "in code",
            "def one():\n    settle(invoice, today)\n",
            "def one():\n    settle(today, invoice)\n",
        ),
        (
            "in front of a name",
            "class One:\n    settle = 1\n    def today(invoice): settle_invoice\n",
            "class One:\n    settle = 1\n    def today(invoice): invoice_settle\n",
        ),
    ];
    for (what, near, apart) in cases {
        let fixture = Fixture::new("");
        fixture.write("near.py", near);
        fixture.write("apart.py", apart);
        let found = candidates(&fixture, &[Question::new("settle invoice")]).remove(0);
        let (near, apart) = (file_points(&found, "near.py"), file_points(&found, "apart.py"));
        assert!(near > apart && apart > 0.0, "{what}: {near} is not above {apart}");
    }
}
