//! A question where a change has to be made is answered by one place of each file that it concerns before more of one.

use retriever_search::Question;
use retriever_test_support::Fixture;

use crate::searching::candidates;

/// Returns the first three places of an answer, by file and first line.
fn first(question: &str) -> Vec<String> {
    let fixture = Fixture::new("");
    let write = |name: &str| {
        format!(
            "pub fn {name}(report: &Report) {{\n    let format = chosen(report);\n    \
             check(format);\n    if format.is_wide() {{\n        print(report, format);\n    }}\n}}\n\n"
        )
    };
    let writers = ["write_report_format", "print_report_format", "send_report_format"];
    fixture.write("src/writer.rs", writers.map(write).concat());
    fixture.write("src/format.rs", "pub enum ReportFormat {\n    Wide,\n    Narrow,\n}\n");
    fixture.write("src/desk.rs", "pub fn serve() {}\n");
    let found = candidates(&fixture, &[Question::new(question)]).remove(0);
    let place = |candidate: &retriever_search::Candidate| {
        let line = candidate.range.map_or(0, |range| range.start());
        format!("{}:{line}", candidate.file.path.as_str())
    };
    found.candidates.iter().take(3).map(place).collect()
}

#[test]
fn a_change_is_answered_by_one_place_of_each_file_first() {
    let asked = first("how does the report format reach the printed report?");
    assert!(asked.iter().all(|place| place.starts_with("src/writer.rs")), "{asked:?}");
    let change = first("Where would I add a report format, and which places must change?");
    assert!(change[..2].contains(&"src/format.rs:1".to_owned()), "{change:?}");
}
