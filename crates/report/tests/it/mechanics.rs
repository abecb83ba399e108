//! What a text says of the order of steps, of numbers, of arguments and of calls, where its lines show the contrary; and
//! what it says to be missing.

use serde_json::json;

use crate::{
    cases::{assert_verdicts, check},
    evidence::Evidence,
};

/// A type whose methods have steps, numbers and calls of their own.
const ORDERS: &str = "\
//- /src/orders.ts read=1-24 syntax=Shop:1-24:class syntax=submit:2-9 syntax=refund:10-15 syntax=notify:16-18 syntax=audit:19-23 head=Shop:2-9 head=Shop:10-15 called=Cart:2-9 calls=charge:5
class Shop extends Store {
  submit(order: Order) {
    // validates, charges, persists and announces
    validateOrder(order);
    this.charge(order.total, 30);
    persist(order);
    const limit = 3;
    announce(order, limit);
  }
  refund(order: Order) {
    const retries = 5;
    persist(order);
    for (let attempt = 0; attempt < retries; attempt++) reverse(order);
    announce(order, 8);
  }
  notify() {
    send(wrap(letter), stamp);
  }
  audit() {
    const depth = 4;
    this.submit(order);
    this.refund(order, depth);
  }
}
";

/// (the lines of [`ORDERS`], where the text stands, the text, its verdict; "" where nothing of it stays)
const TEXTS: &[(&str, &str, &str, &str)] = &[
    ("2-9", "fact", "`submit` validates the order before it persists it.", "as_submitted"),
    ("2-9", "fact", "`submit` persists the order before it validates it.", "cut"),
    ("2-9", "fact", "`submit` announces the order after it persists it.", "as_submitted"),
    ("2-9", "fact", "`submit` persists the order after it announces it.", "cut"),
    ("2-9", "fact", "After it announces the order, `submit` persists it.", ""),
    ("2-9", "fact", "After it persists the order, `submit` announces it.", "as_submitted"),
    ("2-9", "fact", "`submit` persists the order first and announces it.", "as_submitted"),
    ("2-9", "fact", "`submit` announces the order and validates it afterwards.", ""),
    ("2-9", "fact", "`submit` validates the order and announces it afterwards.", "as_submitted"),
    (
        "2-9",
        "fact",
        "`submit` announces the order if it fails before it validates it.",
        "as_submitted",
    ),
    ("2-9", "fact", "`submit` announces the order again before it validates it.", "as_submitted"),
    ("2-9", "fact", "`submit` validates the order, then announces it.", "as_submitted"),
    ("2-9", "flow", "`submit` validates the order → announces it.", "as_submitted"),
    ("10-15", "fact", "`refund` persists the order before it reverses it.", "as_submitted"),
    ("10-15", "fact", "`refund` reverses the order before it persists it.", "cut"),
    ("2-15", "fact", "`refund` reverses the order before it persists it.", "cut"),
    ("2-15", "fact", "The order is announced before it is persisted.", ""),
    ("2-15", "fact", "The order is persisted before it is announced.", "as_submitted"),
    ("2-9", "fact", "`submit` announces with a limit of 3.", "as_submitted"),
    ("2-9", "fact", "`submit` charges the total with 30.", "as_submitted"),
    ("2-9", "fact", "`submit` charges the total with 3.", ""),
    ("10-15", "fact", "`refund` makes 5 retries.", "as_submitted"),
    ("10-15", "fact", "`refund` makes 8 retries.", ""),
    ("10-15", "fact", "`refund` makes five retries.", "as_submitted"),
    ("10-15", "fact", "`refund` makes eight retries.", ""),
    ("10-15", "fact", "`retries` is 5.", "as_submitted"),
    ("10-15", "fact", "`retries` is 8.", ""),
    ("10-15", "fact", "The retries (`retries`) are 5.", "as_submitted"),
    ("2-9", "fact", "`limit` is 3.", "as_submitted"),
    ("2-9", "fact", "`limit` is 30.", ""),
    ("19-23", "fact", "`audit` has a depth of 4.", "as_submitted"),
    ("19-23", "fact", "`audit` has a depth of four.", "as_submitted"),
    ("16-18", "fact", "`notify` wraps the letter.", "as_submitted"),
    ("16-18", "fact", "`notify` passes `letter` to `wrap`.", "as_submitted"),
    ("16-18", "fact", "`notify` passes `wrap` to `letter`.", ""),
    ("16-18", "fact", "`notify` puts `wrap` into `send`.", "as_submitted"),
    ("16-18", "fact", "`notify` puts `send` into `wrap`.", ""),
    ("16-18", "fact", "`notify` gives `stamp` to `send`.", "as_submitted"),
    ("1-24", "fact", "`Shop` extends `Store`.", "as_submitted"),
    ("1-24", "fact", "`Store` extends `Shop`.", ""),
    ("19-23", "fact", "`audit` calls `submit` and `refund`.", "as_submitted"),
    ("19-23", "fact", "`submit` calls `audit`.", ""),
    ("19-23", "flow", "`submit` → `refund`.", "as_submitted"),
    ("19-23", "flow", "`refund` → `submit`.", "as_submitted"),
    ("19-23", "flow", "`submit` → `audit`.", ""),
    ("19-23", "flow", "`audit` → `submit`.", "as_submitted"),
    ("2-9", "fact", "`submit` is called by `Cart`.", "as_submitted"),
    ("2-9", "fact", "`submit` calls `charge`.", "as_submitted"),
    ("2-9", "fact", "`charge` calls `submit`.", ""),
    ("2-9", "fact", "`submit` uses `announce`.", "as_submitted"),
    ("2-9", "fact", "`announce` uses `submit`.", ""),
    ("2-9", "fact", "`submit` validates the order and calls `announce`.", "as_submitted"),
    ("2-9", "fact", "`submit` validates the order and calls `reverse`.", ""),
    ("2-9", "fact", "The order is validated by `submit`.", "as_submitted"),
    (
        "2-9 10-15",
        "fact",
        "`refund` validates and charges the total of the order with a limit.",
        "",
    ),
    (
        "2-9 10-15",
        "fact",
        "`submit` validates and charges the total of the order with a limit.",
        "as_submitted",
    ),
    (
        "2-9",
        "fact",
        "`submit` takes the three steps: validate, charge and announce.",
        "as_submitted",
    ),
    ("2-9", "fact", "`submit` takes two steps: validate, charge and announce.", ""),
    ("2-9", "fact", "`submit` takes two steps such as: validate, charge and announce.", ""),
    ("2-9", "missing", "No retry of `submit` was found.", "as_submitted"),
    ("2-9", "missing", "No `retry_queue` of `submit` was found.", ""),
    ("2-9", "missing", "Whether `submit` calls `refund` is open.", "as_submitted"),
    ("2-9", "missing", "`submit` calls `refund`.", ""),
    ("2-9", "missing", "The 7 retries of `submit` were not found.", "as_submitted"),
    ("2-9", "missing", "`submit` makes 7 retries.", ""),
    ("2-9", "purpose", "Whether `submit` calls `refund`.", "as_submitted"),
    ("2-9", "purpose", "`submit` calls `refund`.", ""),
];

#[test]
fn steps_numbers_and_calls_are_those_of_the_lines() {
    assert_verdicts(ORDERS, "src/orders.ts", TEXTS);
}

#[test]
fn a_fact_of_another_function_is_told_where_that_one_stands() {
    for (ids, reference) in [
        ("id=2-9 id=10-15", "c2"),
        ("id=2-9 id=9-15", "c2:10-15"),
        ("id=2-9", "src/orders.ts:10-15"),
    ] {
        let source = ORDERS.replacen("read=1-24", &format!("read=1-24 {ids}"), 1);
        let fact = "`refund` validates the order.";
        let submitted = json!({"findings": [{"fact": fact, "refs": ["src/orders.ts:2-9"]}]});
        let reasons = check(&mut Evidence::new(&source), &submitted).reasons;
        let remedies = reasons.iter().filter_map(|reason| reason.remedy.as_ref());
        let remedies: Vec<&str> = remedies.map(|remedy| remedy.reference.as_str()).collect();
        assert_eq!(remedies, [reference], "{ids}: {reasons:#?}");
    }
}

#[test]
fn a_doubt_of_an_order_names_its_steps() {
    let text = "`submit` persists the order before it validates it.";
    let primary = [json!({"ref": "src/orders.ts:2-9", "why": text})];
    let reasons = check(&mut Evidence::new(ORDERS), &json!({"primary": primary})).reasons;
    let wanted = "that \"`submit` persists the order\" comes before \"it validates it.\" is not confirmed by the lines";
    assert!(reasons.iter().any(|reason| reason.detail.as_str() == wanted), "{reasons:#?}");
}
