//! When a call is made and what a function returns, as conditions and literals of its lines can contradict it.

use serde_json::json;

use crate::{cases::check, evidence::Evidence};

/// Functions that call others behind conditions, and return literals.
const GATE: &str = "\
//- /src/gate.js read=1-34 syntax=open:1-13:function syntax=close:14-21:function syntax=count:22-28:function syntax=find:29-34:function
function open(door) {
  prepare(door)
  if (!locked && door) {
    swing(door)
  }
  if (alarmed) {
    ring(door)
  } else {
    greet(door)
  }
  if (guard == null || late) { wake(door) }
  log(door)
}
function close(door) {
  if (broken === null) {
    slam(door)
  }
  if (!quiet) return
  // swing(door) is not needed
  creak(door)
}
function count(doors) {
  if (!doors) {
    return -1
  }
  note(doors)
  return doors.length
}
function find(doors, name) {
  if (doors.empty) {
    return fallback
  }
  return doors.get(name)
}
";

/// (the cited lines, the fact, whether it stays)
const FACTS: &[(&str, &str, bool)] = &[
    ("1-13", "`open` calls `swing` if `locked` is set.", false),
    ("1-13", "`open` calls `swing` also when `locked` is set.", false),
    ("1-13", "`open` calls `swing` even if `locked` is true.", false),
    ("1-13", "`open` calls `swing` if `locked` is not set.", true),
    ("1-13", "`open` calls `swing` unless `locked` is set.", true),
    ("1-13", "`open` calls `swing` unless `locked` is false.", false),
    ("1-13", "`open` calls `swing` without `locked`.", true),
    ("1-13", "`open` does not call `swing` if `locked` is set.", true),
    ("1-13", "`open` calls `swing`, never `ring`, if `locked` is set.", true),
    ("1-13", "`open` calls `swing` or `ring` if `locked` is set.", true),
    ("1-13", "`open` calls `ring` if `alarmed` is set.", true),
    ("1-13", "`open` calls `ring` unless `alarmed` is set.", false),
    ("1-13", "`open` calls `ring` if `alarmed` is off.", false),
    ("1-13", "`open` calls `greet` if `alarmed` is set.", true),
    ("1-13", "`open` calls `greet` unless `alarmed` is set.", true),
    ("1-13", "`open` calls `wake` if `guard` is set.", true),
    ("1-13", "`open` calls `log` if `alarmed` is set.", true),
    ("14-21", "`close` calls `slam` if `broken` is null.", true),
    ("14-21", "`close` calls `slam` if `broken` is set.", false),
    ("14-21", "`close` calls `slam` unless `broken` is null.", false),
    ("1-13", "`open` always calls `prepare`.", true),
    ("1-13", "`open` always calls `log`.", true),
    ("1-13", "`open` always calls `swing`.", false),
    ("1-13", "`swing` is always called by `open`.", false),
    ("1-13", "`open` always calls `swing` for a `door`.", true),
    ("1-13", "If a `door` is given, `open` always calls `swing`.", true),
    ("14-21", "`close` always calls `slam`.", false),
    ("22-28", "`count` returns -1 if there are no `doors`.", true),
    ("22-28", "`count` returns 0 if there are no `doors`.", false),
    ("22-28", "`count` answers zero for no `doors`.", false),
    ("22-28", "`count` notes the `doors` and returns `null` without any.", false),
    ("22-28", "`count` takes a callback that returns null.", true),
    ("22-28", "`count` returns 0 doors.", false),
    ("29-34", "`find` returns null if it has no such `name`.", true),
    ("29-34", "`find` returns -1 if it has no such `name`.", false),
];

#[test]
fn a_call_is_made_and_a_literal_returned_as_the_lines_do_it() {
    let mut wrong = Vec::new();
    for (lines, fact, wanted) in FACTS {
        let refs = [format!("src/gate.js:{lines}")];
        let submitted = json!({"findings": [{"fact": fact, "refs": refs}]});
        let validation = check(&mut Evidence::new(GATE), &submitted);
        let left = validation.map.findings.first().map(|finding| finding.fact.as_str());
        if (left == Some(*fact)) != *wanted {
            wrong.push((fact, left.map(str::to_owned), validation.reasons));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
