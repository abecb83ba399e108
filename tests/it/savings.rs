//! Receipts of answers and their sums.

use pretty_assertions::assert_eq;
use serde_json::{Value, json};

use crate::support::machine::Machine;

const LOG: &str = "home/.local/state/retriever/receipts.jsonl";

fn machine() -> Machine {
    let source = "//- /home/x\n//- /repo/.git/HEAD\n//- /repo/shop.py\ndef charge_customer(amount):\n    return book_payment(amount)\n\n\ndef book_payment(amount):\n    return amount\n";
    Machine::new(source, "repo")
}

fn run(machine: &Machine, arguments: &[&str]) -> Value {
    let run = machine.run(arguments);
    assert_eq!(run.code, 0, "{run:?}");
    run.json()
}

fn ask(machine: &Machine) -> Value {
    run(machine, &["ask", "--offline", "where does charge_customer book a payment"])
}

fn log(machine: &Machine) -> String {
    std::fs::read_to_string(machine.files.root().join(LOG)).unwrap_or_default()
}

fn receipt(time: u64, question: &str, whole: Option<u64>, cost: Option<f64>) -> String {
    let mut receipt = json!({
        "time": time, "question": question, "root": "/a", "author": "model", "repeated": false, "observed_tokens": 500,
        "delivered_tokens": 100, "elapsed_ms": 9,
    });
    receipt["whole_file_tokens"] = whole.into();
    receipt["cost"] = cost.into();
    receipt.to_string()
}

#[test]
fn an_answer_leaves_a_receipt_without_text() {
    let machine = machine();
    machine.files.write(LOG, "");
    #[cfg(unix)]
    {
        let open = std::os::unix::fs::PermissionsExt::from_mode(0o644);
        std::fs::set_permissions(machine.files.root().join(LOG), open).unwrap();
    }
    let map = ask(&machine);
    let log = log(&machine);
    assert!(!log.contains("charge") && !log.contains("shop.py"), "{log}");
    let receipt: Value = serde_json::from_str(&log).unwrap();
    assert_eq!(receipt["delivered_tokens"], map["meta"]["report_tokens"]);
    assert_eq!(receipt["observed_tokens"], map["meta"]["observed_tokens"]);
    let file = std::fs::read(machine.files.root().join("repo/shop.py")).unwrap();
    assert_eq!(receipt["whole_file_tokens"], file.len().div_ceil(3));
    #[cfg(unix)]
    {
        let log = machine.files.root().join(LOG).metadata().unwrap();
        assert_eq!(std::os::unix::fs::PermissionsExt::mode(&log.permissions()) & 0o777, 0o600);
    }
    assert_eq!(run(&machine, &["savings"])["total"]["answers"], 1);
}

#[test]
fn receipts_are_not_kept_when_they_are_not_wanted() {
    let machine = machine();
    machine.files.write("home/.config/retriever/config.toml", "[report]\nreceipts = false\n");
    ask(&machine);
    assert_eq!(log(&machine), "");
    assert_eq!(run(&machine, &["savings"])["total"]["answers"], 0);
}

#[test]
fn sums_say_what_is_unknown_and_how_far_they_spread() {
    let machine = machine();
    // Two Mondays at noon, and a Sunday at the last second of the first week.
    let (first, sunday, second) = (1_763_985_600, 1_764_547_199, 1_764_590_400);
    let lines = [
        receipt(first, "a", Some(1_100), Some(0.5)),
        receipt(sunday, "b", Some(3_100), None),
        receipt(second, "c", None, None),
        "a line of another version".to_owned(),
    ];
    machine.files.write(LOG, lines.join("\n") + "\n");
    let report = run(&machine, &["savings"]);
    let total = &report["total"];
    assert_eq!((&total["answers"], &total["observed_tokens"]), (&json!(3), &json!(1_500)));
    assert_eq!((&total["saved_tokens"], &total["unknown_savings"]), (&json!(4_000), &json!(1)));
    // Two questions tell no spread.
    assert_eq!(total["saved_interval"], Value::Null);
    assert_eq!((&total["cost"], &total["unknown_costs"]), (&json!(0.5), &json!(2)));
    let weeks = report["weeks"].as_array().unwrap();
    let sums: Vec<_> =
        weeks.iter().map(|week| (week["week"].as_u64(), &week["sums"]["answers"])).collect();
    let monday = |noon: u64| Some(noon - 12 * 60 * 60);
    assert_eq!(sums, [(monday(second), &json!(1)), (monday(first), &json!(2))]);
    assert_eq!(weeks[0]["sums"]["saved_tokens"], Value::Null);
    assert_eq!(run(&machine, &["savings", "--since", "1s"])["total"]["answers"], 0);
}

#[test]
fn the_spread_is_that_of_different_questions() {
    let machine = machine();
    let log_of = |questions: &[(&str, u64)]| {
        let lines =
            questions.iter().map(|(name, whole)| receipt(1_763_985_600, name, Some(*whole), None));
        machine.files.write(LOG, lines.collect::<Vec<_>>().join("\n") + "\n");
        run(&machine, &["savings"])["total"].clone()
    };
    // The same question again, and again.
    let total = log_of(&[("a", 1_100), ("a", 1_100), ("a", 1_100), ("a", 1_100), ("a", 1_100)]);
    assert_eq!((&total["saved_tokens"], &total["saved_interval"]), (&json!(5_000), &Value::Null));
    // Parts of 1, 2, 3, 4 and 5 thousand: the deviation is 1581, the quantile of four degrees of freedom 2.73.
    let total = log_of(&[
        ("a", 1_100),
        ("b", 2_100),
        ("c", 3_100),
        ("d", 4_100),
        ("e", 2_600),
        ("e", 2_600),
    ]);
    assert_eq!(total["saved_tokens"], 15_000);
    assert_eq!(total["saved_interval"], json!([5_352, 24_648]));
}

#[test]
fn the_log_is_bounded() {
    let machine = machine();
    let line = receipt(1, "a", Some(1_000), None) + "\n";
    machine.files.write(LOG, line.repeat(4_000_000 / line.len() + 1));
    ask(&machine);
    let log = log(&machine);
    assert!(log.len() < 2_100_000, "{}", log.len());
    assert!(log.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
    assert!(log.lines().last().unwrap().contains("offline"));
}
