//! How much is printed: ceilings by the size of the repository, long declarations, and answers that stay small.

use pretty_assertions::assert_eq;
use retriever::{
    Retriever,
    explore::{AnswerSizeLimits, Exploration, ExploreError, ExploreOptions, LimitedForm},
    search::RepositorySizeTier,
};

use super::{explore, explore_with, forms, source};
use crate::support::fixture::Fixture;

#[test]
fn tiers_begin_where_they_say() {
    let rows = [
        (0, 18_000, 5, 3_800, 8),
        (499, 18_000, 5, 3_800, 8),
        (500, 28_000, 9, 5_000, 12),
        (4_999, 28_000, 9, 5_000, 12),
        (5_000, 35_000, 12, 7_000, 15),
        (14_999, 35_000, 12, 7_000, 15),
        (15_000, 38_000, 14, 7_000, 15),
    ];
    for (indexed, chars, files, per_file, gap) in rows {
        let sizing = AnswerSizeLimits::of(RepositorySizeTier::of(indexed), None);
        let found = (sizing.chars, sizing.files, sizing.chars_per_file, sizing.gap);
        assert_eq!(found, (chars, files, per_file, gap), "{indexed}");
    }
    assert_eq!(AnswerSizeLimits::of(RepositorySizeTier::Huge, Some(5_000)).chars, 5_000);
}

#[test]
fn of_a_long_function_the_lines_that_answer_are_printed() {
    let filler = |from: u32| -> String {
        (from..from + 80).map(|n| format!("    total += weigh(part_{n})\n")).collect()
    };
    let fixture = Fixture::new(&format!(
        "//- /pack/run.py
def run(parts):
    total = 0
{}    if total > LIMIT:
        reject_overweight_parcel(parts)
        notify_sender_of_overweight_parcel(parts)
{}    return total
",
        filler(0),
        filler(80)
    ));
    let found = explore(&fixture, "when is an overweight parcel rejected");
    let lines = source(&found, "pack/run.py");
    let [_, markdown, _] = forms(&found);
    assert!(lines.contains("def run") && lines.contains("reject_overweight_parcel"), "{lines}");
    assert!(!lines.contains("part_5)") && markdown.contains("; rank 1"), "{markdown}");
}

#[test]
fn what_is_ranked_and_not_printed_is_listed_in_a_small_repository_too() {
    let [_, markdown, _] = forms(&explore(&plenty(), "brew tea"));
    let listed = markdown.split_once("## Also ranked").map_or("", |(_, rest)| rest);
    assert!(listed.lines().filter(|line| line.starts_with("- `")).count() == 5, "{markdown}");
    assert!(listed.contains("more of lower rank"), "{markdown}");
}

/// Many files that all fit the query, with long lines and letters that JSON has to escape.
fn plenty() -> Fixture {
    let files: String = (0..40)
        .map(|n| {
            let body: String = (0..30)
                .map(|line| {
                    format!(
                        "    say(\"brew \\\\ \\\"tea\\\" {n} {line}\\t — {}\")\n",
                        "é".repeat(60)
                    )
                })
                .collect();
            format!("//- /pots/brew_{n}.py\ndef brew_tea_{n}(leaves):\n{body}\n")
        })
        .collect();
    Fixture::new(&files)
}

#[test]
fn no_form_of_an_answer_exceeds_its_ceiling() {
    let fixture = plenty();
    for budget in
        [None, Some(1_000), Some(1_001), Some(2_500), Some(6_000), Some(14_000), Some(60_000)]
    {
        for limit in [None, Some(1), Some(60)] {
            let options = ExploreOptions { budget, limit, ..ExploreOptions::default() };
            let found = explore_with(&fixture, "how is brew tea said from leaves", &options);
            let most = budget.unwrap_or(18_000);
            for form in forms(&found) {
                let chars = form.chars().count();
                assert!(chars <= most, "{budget:?} {limit:?}: {chars}");
            }
            let has_room = budget == Some(60_000);
            assert_eq!(found.truncated, !has_room, "{budget:?} {limit:?}");
            assert!(found.results.len() <= limit.unwrap_or(60));
        }
    }
}

#[test]
fn a_small_text_holds_source_and_uses_what_it_may() {
    let fixture = plenty();
    for budget in [1_000, 2_500, 4_000] {
        let small = |limited_form| {
            let options =
                ExploreOptions { budget: Some(budget), limited_form, ..ExploreOptions::default() };
            explore_with(&fixture, "how is brew tea said from leaves", &options)
        };
        let [_, markdown, _] = forms(&small(LimitedForm::Text));
        let chars = markdown.chars().count();
        assert!(chars <= budget && chars * 3 > budget, "{budget}: {chars}\n{markdown}");
        assert!(markdown.contains("def brew_tea_"), "{markdown}");
        let [json, ..] = forms(&small(LimitedForm::Json));
        assert!(json.chars().count() <= budget);
        let most = |found: Exploration| forms(&found).iter().map(|form| form.chars().count()).max();
        assert!(most(small(LimitedForm::Longest)) <= Some(budget));
    }
}

#[test]
fn a_small_answer_stays_small() {
    let fixture = Fixture::new(
        "//- /pack/oven.py\ndef bake_bread(dough):\n    return dough\n//- /tests/test_barn.py\ndef test_milk(cow):\n    return cow\n",
    );
    let found = explore(&fixture, "bake_bread");
    assert_eq!(found.files.len(), 1);
    assert!(!found.truncated);
    assert!(forms(&found)[1].len() < 700, "{}", forms(&found)[1]);
}

#[test]
fn a_long_declaration_shows_its_start_and_how_to_get_the_rest() {
    let body: String = (0..90).map(|n| format!("    jar = add_plum_{n}(jar)\n")).collect();
    let fixture =
        Fixture::new(&format!("//- /pack/jam.py\ndef cook_jam(jar):\n{body}    return jar\n"));
    let found = explore(&fixture, "how is jam cooked");
    let printed = source(&found, "pack/jam.py");
    assert!(printed.starts_with("def cook_jam(jar)"));
    assert_eq!(printed.lines().count(), 21);
    let place = &found.files[0].places[0];
    assert!(place.cut);
    let [_, markdown, _] = forms(&found);
    assert!(markdown.contains(&format!("all 92 lines: context {}", place.id)), "{markdown}");
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    let context =
        retriever.context(std::slice::from_ref(&place.id), &ExploreOptions::default()).unwrap();
    assert_eq!(context.places[0].sections[0].source.lines().count(), 92);
}

#[test]
fn depth_limits_related_items() {
    let callers: String =
        (0..9).map(|n| format!("def ask_{n}():\n    return lend()\n\n")).collect();
    let fixture = Fixture::new(&format!(
        "//- /desk.py\ndef lend():\n    return 1\n//- /people.py\nfrom desk import lend\n\n{callers}"
    ));
    for depth in [0, 2, 5] {
        let options = ExploreOptions { depth, ..ExploreOptions::default() };
        let found = explore_with(&fixture, "`lend`", &options);
        let lend = found.results.iter().find(|found| found.place.name == "lend").unwrap();
        assert_eq!(lend.place.relations.callers, 9);
        // What is printed anyway isn't listed again.
        let listed = lend.place.related.callers.len();
        assert!(listed <= depth as usize && (listed > 0 || depth == 0), "{depth}: {listed}");
        assert!(
            lend.place.related.callers.iter().all(|near| near.signature.starts_with("def ask_"))
        );
    }
}

#[test]
fn only_the_first_printed_place_lists_what_is_around_it() {
    let callers: String = (0..9)
        .map(|n| {
            format!(
                "def ask_{n}():\n    return lend()\n\ndef bring_{n}():\n    return take_back()\n\n"
            )
        })
        .collect();
    let fixture = Fixture::new(&format!(
        "//- /desk.py\ndef lend():\n    return 1\n\ndef take_back():\n    return 2\n//- /people.py\nfrom desk import lend, take_back\n\n{callers}"
    ));
    let found = explore(&fixture, "`lend` `take_back`");
    let hints = |name: &str| {
        let found = found.results.iter().find(|found| found.place.name == name);
        found.map(|found| found.place.relations.callers)
    };
    assert_eq!((hints("lend"), hints("take_back")), (Some(9), Some(9)));
    assert!(!found.results[0].place.related.is_empty());
    assert!(found.results.iter().skip(1).all(|found| found.place.related.is_empty()));
}

#[test]
fn relations_leave_out_what_everybody_calls_and_tests_beside_the_program() {
    let readers: String =
        (0..6).map(|n| format!("def read_{n}():\n    return lend()\n\n")).collect();
    let everybody: String = (0..20).map(|n| format!("def shut_{n}():\n    shout()\n\n")).collect();
    let fixture = Fixture::new(&format!(
        "\
//- /desk.py
from voice import shout
from drawer import find

def lend():
    shout()
    return find()
//- /drawer.py
def find():
    return 1
//- /voice.py
def shout():
    return 2

{everybody}//- /reader.py
from desk import lend

{readers}//- /tests/test_desk.py
from desk import lend

def test_lend():
    assert lend()
",
    ));
    let options = ExploreOptions { limit: Some(1), ..ExploreOptions::default() };
    let found = explore_with(&fixture, "`lend`", &options);
    let lend = &found.results[0].place;
    assert_eq!(
        (lend.name.as_str(), lend.relations.callers, lend.relations.callees),
        ("lend", 7, 2)
    );
    let printed: String =
        found.files.iter().flat_map(|file| &file.sections).map(|it| &*it.source).collect();
    let listed = |name: &str| {
        let lists = lend.related.callers.iter().chain(&lend.related.callees);
        lists.clone().any(|near| near.name == name)
    };
    assert!((0..6).any(|n| listed(&format!("read_{n}"))), "{:?}", lend.related);
    assert!(listed("find") || printed.contains("def find("));
    assert!(!listed("shout") && !listed("test_lend"), "{:?}", lend.related);
}

#[test]
fn an_answer_without_source_names_the_places_that_came_nearest() {
    let fixture = Fixture::new(
        "//- /pack/oven.py\ndef bake_bread(dough):\n    return dough\n//- /tests/test_barn.py\ndef test_milk(cow):\n    return cow\n",
    );
    let query = "where is the milk skimmed";
    let found = explore(&fixture, query);
    assert!(found.files.is_empty() && !found.results.is_empty(), "{found:?}");
    let [_, markdown, _] = forms(&found);
    assert!(
        markdown.contains("## Also ranked") && markdown.contains("tests/test_barn.py"),
        "{markdown}"
    );
}

#[test]
fn the_same_tree_and_query_give_the_same_answer() {
    let fixture = plenty();
    let first = forms(&explore(&fixture, "brew tea"));
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    for _ in 0..50 {
        let again = retriever.explore("brew tea", &ExploreOptions::default()).unwrap();
        assert_eq!(forms(&again), first);
    }
}

#[test]
fn a_budget_without_room_is_refused() {
    let fixture = Fixture::new("//- /a.py\n");
    let retriever = Retriever::builder(fixture.root()).build().unwrap();
    let options = ExploreOptions { budget: Some(999), ..ExploreOptions::default() };
    assert_eq!(retriever.explore("tea", &options), Err(ExploreError::SmallBudget(999)));
}
