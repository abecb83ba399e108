//! When a call is made, as the conditions of its lines can contradict it.

use serde_json::json;

use crate::{cases::check, evidence::Evidence};

/// Functions that call others behind conditions.
const GATE: &str = "\
//- /src/gate.js read=1-21 syntax=open:1-13:function syntax=close:14-21:function
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
";

/// Conditions of other languages, and those that are more than a flag.
const CONDITIONS: &str = "\
//- /src/gate.go read=1-16 syntax=store:1-16:function
func store(x Item) error {
	if err := validate(x); err != nil {
		return err
	}
	if !allow(x) { return nil }
	if v, ok := seen[x]; !ok {
		enter(v)
	}
	flush() // if any
	if is_open && !open {
		shut(x)
	}
	if reach(x) && open { leave(x) }
	if (
		ready(x)) { wait(x) }
	return nil
}
//- /src/gate.py read=1-17 syntax=load:1-17:function
def load(name, path, fast, found):
    if name not in registry:
        register(name)
    if not os.path.exists(path):
        create(path)
    if not (fast and found):
        search(name)
    if found is not None:
        keep(found)
    if not found and fast:
        hurry(name)
    guard.hold(
        lock(name))
    if (fast) is None:
        idle(name)
    if not fast:
        rest(name)
//- /src/gate.php read=1-14 syntax=show:1-14:function
function show($x, $y, $z) {
    if (!isset($x)) {
        init($x);
    }
    if (null === $y) {
        fill($y);
    }
    if (empty($y)) {
        warn($y);
    }
    if (same(!$x && $y)) {
        join($y);
    }
    if (!$z) stop($x);
}
//- /src/gate.swift read=1-9 syntax=enter:1-9:function
func enter(key: Key) {
    guard ready else {
        fail(key)
    }
    guard valid, known else {
        refuse(key)
    }
    turn(key)
}
//- /src/gate.c read=1-12 syntax=draw:1-12:function
void draw(struct line *all) {
    for (each) {
        text = expand(each);
        if (!force &&
            same(text, each->text)) {
            release(text);
            continue;
        }
        if (hidden(each)) return;
        paint(each, text);
    }
}
//- /src/gate.rb read=1-6 syntax=ring:1-6:function
def ring(door)
  chime(door) unless @quiet
  knock(door) # unless loud
  greet(door) unless late && dark
  door.each { |one| bolt(one) if late }
end
";

/// (the cited lines of [`CONDITIONS`], the fact, whether it stays)
const OTHER_FACTS: &[(&str, &str, bool)] = &[
    // The call is in the condition, or a comment has the word.
    ("gate.go:1-16", "`store` always calls `validate`.", true),
    ("gate.go:1-16", "`store` always calls `allow`.", true),
    ("gate.go:1-16", "`store` always calls `flush`.", true),
    ("gate.go:1-16", "`store` always calls `ready`.", true),
    ("gate.go:1-16", "`store` always calls `enter`.", false),
    ("gate.go:1-16", "`store` calls `reach` unless `open` is set.", true),
    ("gate.py:1-17", "`load` always calls `lock`.", true),
    ("gate.py:1-17", "`load` always calls `rest`.", false),
    ("gate.py:1-17", "`load` always avoids `rest`.", true),
    ("gate.rb:1-6", "`ring` always calls `knock`.", true),
    // What is more than a flag.
    ("gate.go:1-16", "`store` calls `enter` if `ok` is false.", true),
    ("gate.go:1-16", "`store` calls `enter` unless `v` is set.", true),
    ("gate.go:1-16", "`store` calls `shut` if `open` is not set.", true),
    ("gate.go:1-16", "`store` calls `shut` if `open` is set.", false),
    ("gate.py:1-17", "`load` calls `register` if `name` is not in the registry.", true),
    ("gate.py:1-17", "`load` calls `create` if `path` is missing.", true),
    ("gate.py:1-17", "`load` calls `search` if `found` is not set.", true),
    ("gate.py:1-17", "`load` calls `search` if `fast` is set.", true),
    ("gate.py:1-17", "`load` calls `keep` if `found` is not None.", true),
    ("gate.py:1-17", "`load` calls `keep` if `found` is None.", false),
    ("gate.py:1-17", "`load` calls `hurry` if `fast` is not set.", false),
    ("gate.py:1-17", "`load` calls `idle` unless `fast` is set.", true),
    ("gate.php:1-14", "`show` calls `init` if `x` is not set.", true),
    ("gate.php:1-14", "`show` calls `fill` if `y` is null.", true),
    ("gate.php:1-14", "`show` calls `warn` if `y` is empty.", true),
    ("gate.php:1-14", "`show` calls `join` unless `y` is set.", true),
    ("gate.php:1-14", "`show` calls `stop` if `$z` is not set.", true),
    ("gate.php:1-14", "`show` calls `stop` if `$z` is set.", false),
    ("gate.swift:1-9", "`enter` calls `fail` if `ready` is set.", false),
    ("gate.swift:1-9", "`enter` calls `refuse` if `known` is set.", true),
    ("gate.rb:1-6", "`ring` calls `chime` if `quiet` is set.", false),
    ("gate.rb:1-6", "`ring` calls `knock` if `loud` is set.", true),
    ("gate.rb:1-6", "`ring` calls `greet` if `late` is set.", true),
    ("gate.rb:1-6", "`ring` calls `bolt` unless `late` is set.", true),
    // The block is left before the call.
    (
        "gate.c:1-12",
        "`draw` always calls `paint` for every line, even if the text is the same.",
        false,
    ),
    ("gate.c:1-12", "`draw` always calls `paint`, even for hidden lines.", false),
    ("gate.c:1-12", "`draw` always calls `paint`, even for late doors.", true),
    ("gate.c:1-12", "`draw` always calls `expand`, even if the text is the same.", true),
    // What is said of a flag, or of a call, may be something else.
    ("gate.py:1-17", "`load` calls `rest` if `fast` cannot be had.", true),
    ("gate.py:1-17", "`load` skips `rest` if `fast` is set.", true),
    ("gate.py:1-17", "`load` ends with `rest` if `fast` is set.", false),
];

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
];

#[test]
fn a_call_is_made_as_the_conditions_of_its_lines_allow() {
    let mut wrong = Vec::new();
    let facts =
        FACTS.iter().map(|(lines, fact, wanted)| (format!("gate.js:{lines}"), fact, wanted));
    let others =
        OTHER_FACTS.iter().map(|(lines, fact, wanted)| ((*lines).to_owned(), fact, wanted));
    let source = format!("{GATE}{CONDITIONS}");
    for (lines, fact, wanted) in facts.chain(others) {
        let submitted = json!({"findings": [{"fact": fact, "refs": [format!("src/{lines}")]}]});
        let validation = check(&mut Evidence::new(&source), &submitted);
        let left = validation.map.findings.first().map(|finding| finding.fact.as_str());
        if (left == Some(*fact)) != *wanted {
            wrong.push((fact, left.map(str::to_owned), validation.reasons));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}
