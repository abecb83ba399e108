//! What backs the claim that code plays a role.

use retriever_search::{PlaceRole, RoleCues};
use retriever_workspace::FileTraits;

#[test]
fn forms_that_any_code_has_back_no_role() {
    let cues = RoleCues::default();
    for (role, code, backs) in [
        (PlaceRole::State, "if (Array.isArray(rows)) {", false),
        (PlaceRole::State, "rows.flatMap(row => row)", false),
        (PlaceRole::State, "widget.onSet(1)", false),
        (PlaceRole::State, "  var total = 1;", false),
        (PlaceRole::State, "  var run = function () {", false),
        (PlaceRole::State, "var total = 1", true),
        (PlaceRole::State, "  var total = 1", true),
        (PlaceRole::State, "  private var total = 1", true),
        (PlaceRole::State, "  var total: Int = 1", true),
        (PlaceRole::State, "rows = new ArrayList();", true),
        (PlaceRole::State, "rows: HashMap<String, Row>,", true),
        (PlaceRole::Api, "// the public face of it", false),
        (PlaceRole::Api, "public int total = 1;", false),
        (PlaceRole::Api, "public Row take(int at) {", true),
    ] {
        assert_eq!(cues.backs(role, code, &FileTraits::default()), backs, "{role}: {code}");
    }
}
