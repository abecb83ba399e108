//! Statements of many kinds over small sources: the verdict of each, what is left of it, and why. They stand in `statements/`. A
//! file there has parts; of a part, sources come first, as [`Evidence`](crate::evidence::Evidence) has them, then a line per
//! statement: its verdict, the lines that it cites, the field that it stands in, and the text. What is left of the text, if that is
//! not all of it, follows behind `=`, each reason behind `#`.

use pretty_assertions::assert_eq;

use crate::cases::{JudgedText, judge};

/// Between the parts of a file.
const PART: &str = "####\n";
/// Between the sources of a part and its statements.
const STATEMENTS: &str = "====\n";

#[test]
fn a_statement_about_calls_is_judged_by_its_lines() {
    assert_statements(include_str!("statements/calls.txt"));
}

#[test]
fn a_statement_about_conditions_is_judged_by_its_lines() {
    assert_statements(include_str!("statements/conditions.txt"));
}

#[test]
fn a_statement_with_a_number_or_an_order_is_judged_by_its_lines() {
    assert_statements(include_str!("statements/numbers_and_orders.txt"));
}

#[test]
fn a_statement_about_a_function_is_judged_by_its_lines() {
    assert_statements(include_str!("statements/subjects.txt"));
}

fn assert_statements(file: &str) {
    for part in file.split(PART) {
        let (source, statements) = part.split_once(STATEMENTS).expect("sources, then statements");
        let rows = statements.lines().filter(|line| !line.starts_with("  "));
        let judged: String = rows.map(|row| judged_row(source, row)).collect();
        assert_eq!(judged, statements);
    }
}

/// Returns a statement as a file has it.
fn judged_row(source: &str, row: &str) -> String {
    let [_, lines, field, text] = row.splitn(4, " | ").collect::<Vec<_>>()[..] else {
        unreachable!("no statement: {row}");
    };
    let JudgedText { verdict, text: left, reasons } = judge(source, "", (lines, field, text));
    let verdict = if verdict.is_empty() { "gone" } else { &verdict };
    let mut lines = vec![format!("{verdict} | {lines} | {field} | {text}")];
    lines.extend((!left.is_empty() && left != text).then(|| format!("  = {left}")));
    // Reasons about the rest of the report are none of the statement.
    let reasons = reasons.iter().map(|reason| format!("  # {}: {}", reason.code, reason.detail));
    lines.extend(reasons.filter(|reason| reason.starts_with("  # fact_")));
    lines.join("\n") + "\n"
}
