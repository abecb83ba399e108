//! What backs the claim that code plays a role.

use retriever_search::{PlaceRole, Question, RoleCues};
use retriever_test_support::Fixture;
use retriever_workspace::FileTraits;

use crate::searching::candidates;

#[test]
fn forms_back_a_role_and_those_that_any_code_has_do_not() {
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
        (PlaceRole::Persistence, "rows.updateAll(1)", true),
        (PlaceRole::Persistence, "rows.update_all taken: true", true),
        (PlaceRole::Persistence, "row.setAttributes({ taken })", true),
        (PlaceRole::Persistence, "row.destroy!", true),
        (PlaceRole::Persistence, "cell.setAttribute('href', to)", false),
        (PlaceRole::Persistence, "total = compute(input())", false),
        (PlaceRole::Persistence, "puts(total)", false),
        (PlaceRole::Persistence, "the update of a row", false),
        (PlaceRole::Api, "// the public face of it", false),
        (PlaceRole::Api, "public int total = 1;", false),
        (PlaceRole::Api, "public Row take(int at) {", true),
    ] {
        assert_eq!(cues.backs(role, code, &FileTraits::default()), backs, "{role}: {code}");
    }
}

#[test]
fn a_role_is_shown_by_code_and_not_by_a_folder_of_components_alone() {
    let fixture = Fixture::new("");
    fixture.write(
        "src/Component/Queue/postman.ts",
        "export function carry(parcels) {\n  for (const parcel of parcels) {\n    send(parcel);\n  }\n}\n",
    );
    fixture.write(
        "src/components/stamp.tsx",
        "export function stamp(parcel) {\n  return (<b className=\"ink\">{parcel.name}</b>);\n}\n",
    );
    fixture.write("src/names.ts", "export const handlerName = 'carry';\n");
    fixture.write(
        "src/parcels.ts",
        "export const submitParcel = asyncHandler(async (req, res) => {\n  const parcel = await unpack(req.body);\n  res.json(parcel);\n});\n",
    );
    for (question, name, expected) in [
        ("who submits a parcel", "submitParcel", Some(PlaceRole::Handler)),
        ("who carries the parcels", "carry", None),
        ("who stamps a parcel", "stamp", Some(PlaceRole::Ui)),
        ("handler name", "handlerName", None),
    ] {
        let found = candidates(&fixture, &[Question::new(question)]).remove(0).candidates;
        let place = found.iter().find(|place| place.symbols.iter().any(|it| it.name == name));
        let place = place.unwrap_or_else(|| panic!("{question}: {found:?}"));
        assert_eq!(place.leading_role, expected, "{question}");
    }
}
