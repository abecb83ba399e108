//! What a text says in plain words to the contrary of its lines: an error, a level, the number of a noun, a caller.

use serde_json::json;

use crate::{cases::check, evidence::Evidence};

/// A spool whose functions were read in full.
const SPOOL: &str = "\
//- /src/spool.py read=1-26 syntax=take:1-6 syntax=label:8-12 syntax=drain:14-17 syntax=sealed:19-20 syntax=version:22-26
def take(spool):
    if spool.closed:
        raise SpoolClosed(spool)
    item = spool.head.take()
    log.debug(item)
    return item

def label(item):
    name = item.name.lower()
    if item.code == 7:
        return name
    return name + SEPARATOR

def drain(spool):
    while spool:
        label(take(spool))
    forget(spool)

def sealed(item):
    return Envelope(item)

def version(spool):
    layout_version = 3
    if spool.old:
        return legacy(spool)
    return layout_version
";

/// (the lines that are cited, what is said about them, whether it stays)
const TEXTS: &[(&str, &str, bool)] = &[
    ("1-6", "`take` raises `SpoolClosed`.", true),
    ("1-6", "`take` raises an `Envelope` for a closed spool.", false),
    ("1-6", "`take` gives the head of the spool.", true),
    ("1-6", "`take` logs the item at debug level.", true),
    ("1-6", "`take` logs the item at warning level.", false),
    ("8-12", "`label` puts the name of the item in lower case.", true),
    ("8-12", "`label` adds no `SEPARATOR` where the code is 7.", true),
    ("22-26", "`version` says layout version 3.", true),
    ("8-12", "`label` adds no `SEPARATOR` where the code is 3.", false),
    ("8-17", "`label` gets what `drain`, its caller, takes.", true),
    ("8-17", "`drain` gets what `label`, its caller, takes.", false),
    ("14-17", "`drain` takes each item and itself calls `forget`.", true),
    ("14-17", "`forget` takes each item and itself calls `drain`.", false),
];

#[test]
fn a_word_that_the_lines_contradict_is_cut() {
    for (lines, fact, stays) in TEXTS {
        let reference = format!("src/spool.py:{lines}");
        let submitted = json!({"summary": "", "primary": [], "findings": [{"fact": fact, "refs": [reference]}]});
        let validation = check(&mut Evidence::new(SPOOL), &submitted);
        let kept = validation.map.findings.first().is_some_and(|finding| finding.fact == *fact);
        assert_eq!(kept, *stays, "{fact}: {:?}", validation.reasons);
    }
}
