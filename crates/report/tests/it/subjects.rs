//! Whose doing a text describes, and which function calls or type extends which: what its lines are of, and what other
//! delivered lines say to the contrary.

use crate::cases::assert_verdicts;

/// Two types with a method of one name, a function that calls another method, and a function of which two lines were read.
const POOL: &str = "\
//- /src/pool.py read=1-22 syntax=Pool:1-10:class syntax=take:2-5 syntax=give:7-10 syntax=Farm:12-18:class syntax=take:13-18 syntax=drain:20-22 head=Pool:2-5 head=Pool:7-10 head=Farm:13-18
class Pool:
    def take(self, wait):
        slot = self.slots.pop()
        slot.mark(wait)
        return slot

    def give(self, slot):
        slot.clear()
        self.slots.append(slot)
        self.changed.notify()

class Farm(Pool):
    def take(self, wait):
        host = self.hosts.choose(wait)
        host.ping(self.port)
        slot = Pool.take(self, wait)
        slot.bind(host)
        return slot

def drain(pool):
    for slot in pool.slots:
        pool.give(slot)
//- /src/seen.py read=3-4 syntax=hidden:1-9 syntax=half:3-4
# a
# b
    slot.hide()
    other = 1
# c
# d
# e
# f
# g
";

/// (the lines of [`POOL`], where the text stands, the text, its verdict; "" where nothing of it stays)
const TEXTS: &[(&str, &str, &str, &str)] = &[
    ("2-5", "fact", "`take` marks the slot.", "as_submitted"),
    ("2-5", "fact", "`Pool.take` marks the slot.", "as_submitted"),
    ("2-5", "fact", "`Farm.take` marks the slot.", ""),
    ("13-18", "fact", "`Farm.take` pings the host.", "as_submitted"),
    ("13-18", "fact", "`take` pings the host.", "as_submitted"),
    ("2-5", "fact", "`give` clears the slot.", ""),
    ("2-5", "fact", "`give` marks the slot.", ""),
    ("7-10", "fact", "`take` marks the slot.", ""),
    ("7-10", "fact", "`take` notifies of the change.", ""),
    ("20-22", "fact", "`drain` gives each slot.", "as_submitted"),
    ("20-22", "fact", "`give` is called for each slot.", "as_submitted"),
    ("20-22", "fact", "`take` is called for each slot.", ""),
    ("20-22", "fact", "`take` is what empties the slots.", ""),
    ("20-22", "fact", "The slots are emptied by `take`.", "recited"),
    ("20-22", "fact", "`Pool` is drained.", ""),
    ("20-22", "fact", "`Farm` is drained.", ""),
    ("20-22", "fact", "`Farm` drains the slots.", ""),
    ("20-22", "fact", "Farm drains the slots.", ""),
    ("20-22", "fact", "`drain` has slots.", "as_submitted"),
    ("20-22", "fact", "In `take` the slots are given.", ""),
    ("20-22", "fact", "In `drain` the slots are given.", "as_submitted"),
    ("20-22", "fact", "Each slot is given in `take`.", ""),
    ("20-22", "fact", "Each slot is given in `drain`.", "as_submitted"),
    ("20-22", "fact", "If it waits, `take` gives slots.", ""),
    ("20-22", "fact", "The slots of a `Farm` are given.", "recited"),
    ("20-22", "why", "`take` gives each slot.", ""),
    ("20-22", "why", "`drain` gives each slot.", "as_submitted"),
    ("20-22", "why", "`give` gets each slot.", "unconfirmed"),
    ("12-12", "why", "`give` gets each slot.", "unconfirmed"),
    ("20-22", "purpose", "`take` gives each slot.", "as_submitted"),
    ("20-22", "summary", "`take` marks the slot.", "as_submitted"),
    ("20-22", "summary", "`hidden` hides the slot.", ""),
    ("20-22", "summary", "`take` gives each slot.", ""),
    ("20-22", "flow", "`drain` → `give` → `take`.", "as_submitted"),
    ("20-22", "flow", "`give` → `drain`.", ""),
    ("20-22", "flow", "`hidden` calls `hide`; `drain` gives each slot.", "as_submitted"),
    ("20-22", "fact", "`drain` calls `give`.", "as_submitted"),
    ("20-22", "fact", "`give` calls `drain`.", ""),
    ("20-22", "fact", "`drain` calls `take`.", ""),
    ("20-22", "fact", "`drain` in pool.py calls `give`.", "as_submitted"),
    ("20-22", "fact", "`give` is called by `drain`.", "as_submitted"),
    ("20-22", "fact", "`drain` is called by `give`.", ""),
    ("20-22", "fact", "`give` is asked by `drain`.", "as_submitted"),
    ("20-22", "fact", "`drain` is asked by `give`.", ""),
    ("7-10", "fact", "`give` is a call of `drain`.", ""),
    ("20-22", "fact", "`drain`, which `give` calls, takes the pool.", ""),
    ("20-22", "fact", "`give`, which `drain` calls, takes the slot.", "as_submitted"),
    ("12-18", "fact", "`Farm` extends `Pool`.", "as_submitted"),
    ("12-18", "fact", "`Pool` extends `Farm`.", ""),
    ("1-10", "fact", "`Pool` extends `Farm`.", ""),
    ("12-18", "fact", "`Farm` is a kind of `Pool`.", "as_submitted"),
    ("1-18", "fact", "`Pool` is a kind of `Farm`.", ""),
    ("12-18", "fact", "`Farm` is built on `Pool`.", "as_submitted"),
    ("seen.py:3-4", "fact", "`half` hides the slot.", "as_submitted"),
    ("seen.py:3-4", "fact", "`hidden` hides the slot.", "as_submitted"),
    ("20-22", "fact", "`hidden` gives each slot.", ""),
    ("20-22", "fact", "`hidden` is given each slot.", ""),
    ("20-22", "fact", "`pool.give` gets each slot.", ""),
    ("20-22", "fact", "It gives the slots which `take` marks.", ""),
    ("20-22", "fact", "`drain` gives the slots; `take` marks them.", "cut"),
    ("20-22", "fact", "`drain` gives the slots, while `take` marks them.", ""),
    ("20-22", "fact", "`nothing_here` gives each slot.", ""),
];

#[test]
fn a_text_is_about_the_function_that_its_lines_are_of() {
    assert_verdicts(POOL, "src/pool.py", TEXTS);
}

/// A table of functions and the function that hands it on.
const TABLE: &str = "\
//- /src/pass.js read=1-9 syntax=visitors:1-5:variable syntax=Rule:2-4 syntax=warn:7-9
const visitors = {
  Rule(node) {
    report(node, 'unused', node.selector)
  },
};

function warn(css) {
  walk(css, visitors);
}
";

#[test]
fn who_hands_a_table_on_does_what_its_members_do() {
    let texts = [("7-9 2-4", "fact", "`warn` reports each unused selector.", "as_submitted")];
    assert_verdicts(TABLE, "src/pass.js", &texts);
}

#[test]
fn a_gap_names_what_others_send() {
    let texts = [(
        "7-9",
        "missing",
        "Whether the proxy sends X-Real-IP; that is outside the repository.",
        "as_submitted",
    )];
    assert_verdicts(TABLE, "src/pass.js", &texts);
}

/// Two functions of which each looks into a table of its own, one that makes an error twice, and one with a callback.
const STATUS: &str = "\
//- /src/status.py read=1-21 syntax=status_of:1-2 syntax=key_of:4-5 syntax=copied:7-8 syntax=renewed:10-11 syntax=started:13-21
def status_of(key):
    return STATUS_BY_KEY.get(key) or 500

def key_of(status):
    return KEY_BY_STATUS.get(status) or INTERNAL_ERROR

def copied(error):
    return LateError(error.text, task)

def renewed(error):
    return LateError(error.text, task) if task else LateError(error.text, None)

def started(task):
    task.on_done = handler
    task.changed = now()
    task.mark(0)
    log.write(task)
    for callback in task.callbacks:
        queue = callback.queue
        if callback.failed:
            queue.completed(callback.error)
";

#[test]
fn each_of_two_subjects_is_judged_by_its_own_lines() {
    let texts = [
        (
            "1-2 4-5",
            "fact",
            "`status_of` falls back to 500 and `key_of` to INTERNAL_ERROR for a status that KEY_BY_STATUS lacks.",
            "as_submitted",
        ),
        (
            "1-5",
            "fact",
            "`status_of` falls back to 500, `key_of` to INTERNAL_ERROR for a status that KEY_BY_STATUS lacks.",
            "as_submitted",
        ),
        (
            "4-5",
            "fact",
            "`status_of` falls back to INTERNAL_ERROR for a status that KEY_BY_STATUS lacks.",
            "",
        ),
        (
            "7-8 13-21",
            "fact",
            "`started` marks the task and `copied` only the log and the queue of its callbacks.",
            "",
        ),
    ];
    assert_verdicts(STATUS, "src/status.py", &texts);
}

#[test]
fn what_the_function_of_the_cited_lines_names_is_no_doubt_once_it_is_cited_too() {
    let texts = [
        (
            "18-21",
            "fact",
            "The `on_done` block has queue.completed called with the error.",
            "recited",
        ),
        ("7-8", "fact", "The `on_done` block has LateError made of the error.", "unconfirmed"),
    ];
    assert_verdicts(STATUS, "src/status.py", &texts);
}

#[test]
fn a_call_without_what_it_is_given_is_refused() {
    let texts = [
        ("7-8", "fact", "`copied` makes its LateError without the task.", ""),
        ("7-8", "fact", "`copied` makes its LateError without the text.", "as_submitted"),
        (
            "7-8",
            "fact",
            "`copied` makes its LateError without the task being asked.",
            "as_submitted",
        ),
        ("10-11", "fact", "`renewed` makes a LateError without the task.", "as_submitted"),
    ];
    assert_verdicts(STATUS, "src/status.py", &texts);
}
