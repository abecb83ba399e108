//! Words of a text that are names of the code in another spelling, or names that are words of a text: each that holds beside
//! one that does not.

use retriever_report::repair_note;
use serde_json::json;

use crate::{
    cases::{assert_verdicts, check},
    evidence::Evidence,
};

const SOURCE: &str = "\
//- /src/radio.kt read=1-34 syntax=mayLoad:1-6 syntax=Post:8-12 syntax=sendNotice:14-16 syntax=scrape:18-20 syntax=onScrapeError:22-24 syntax=waitMinutes:26-28 syntax=pause:30-34
fun mayLoad(net: Net): Boolean {
    if (net.kind == TYPE_WIFI) {
        return !net.isMetered
    }
    return lakehouse.enabled
}

fun Post(target: Url) {
    sign(target)
    sendNotice(now, target.ownerMail,
        target.retries)
}

fun sendNotice(now: Time, mail: String, retries: Int) {
    mailer.push(mail)
}

fun scrape(tracker: Tracker) {
    tracker.read()
}

fun onScrapeError(tracker: Tracker) {
    tracker.failures += 1
}

fun waitMinutes(): Int {
    return 3
}

fun pause(tracker: Tracker) {
    tracker.wait_for_next_try(
        tracker.key(90),
        waitMinutes() * 60)
}
//- /src/texts.kt read=1-3
val texts = map()
// Blue-Tooth is slow. Please run it twice.
texts.add(\"Too many tries. Please wait for :n seconds.\")
//- /src/cards.kt read=1-3 syntax=save:1-3
fun save(card: VCard) {
    store(card)
}
";

/// (the cited lines of [`SOURCE`], where the text stands, the text, its verdict; "" where nothing of it stays)
const TEXTS: &[(&str, &str, &str, &str)] = &[
    // Hyphens and the case of a word are those of prose. A comment is no evidence.
    ("1-6", "fact", "`mayLoad` is true on Wi-Fi that is not metered.", "as_submitted"),
    ("1-6", "fact", "`mayLoad` is true on Wi-Max that is not metered.", ""),
    ("1-6", "fact", "`mayLoad` is true on Blue-Tooth that is not metered.", "as_submitted"),
    // A product has inner capitals in prose, and none in code.
    ("1-6", "fact", "`mayLoad` asks whether LakeHouse is enabled.", "as_submitted"),
    ("1-6", "fact", "`mayLoad` asks whether LakeTower is enabled.", ""),
    ("1-6", "fact", "`mayLoad` asks whether MayLoad is enabled.", ""),
    ("cards.kt:1-3", "fact", "`save` stores the vCard.", "as_submitted"),
    ("cards.kt:1-3", "fact", "`save` stores the xCard.", ""),
    // The name of what is cited, and a colon.
    ("8-12", "why", "Post: the delivery, and who is told of it.", "as_submitted"),
    ("14-16", "why", "Post: the delivery, and who is told of it.", ""),
    ("8-12", "why", "Post the delivery to `target`.", ""),
    // A message in quotation marks that code has.
    (
        "texts.kt:3-3",
        "fact",
        "`texts` has 'Too many tries. Please wait for :n seconds.' for it.",
        "as_submitted",
    ),
    ("texts.kt:3-3", "fact", "`texts` has 'Too many tries. Please run it twice.' for it.", ""),
    ("texts.kt:3-3", "fact", "`texts` has 'slow. Please run it twice.' for it.", ""),
    ("texts.kt:3-3", "fact", "`texts` has it. Please wait for :n seconds.", "cut"),
    // What a call of the cited lines gets.
    ("8-12", "fact", "After signing, sendNotice goes to ownerMail.", "as_submitted"),
    ("8-12", "fact", "After signing, sendNotice gets `retries` of the target.", "as_submitted"),
    ("8-12", "fact", "After signing, sendNotice goes to sign.", ""),
    ("8-12", "fact", "After signing, sendNotice pushes to ownerMail.", ""),
    // A thing of what the cited lines call, and when they call it.
    ("8-12", "fact", "`Post` hands on `now`, then sendNotice values.", "as_submitted"),
    ("8-12", "fact", "`Post` hands on `now`, then sendNotice pushes.", "cut"),
    ("8-12", "fact", "`Post` signs; sendNotice is used only if it has signed.", "as_submitted"),
    ("8-12", "fact", "`Post` signs; sendNotice is used to push a mail.", "cut"),
    ("8-12", "fact", "`Post` signs; onScrapeError is used only if it has signed.", "cut"),
    // A module does what its file does.
    ("8-12", "fact", "radio signs what is posted.", "as_submitted"),
    // A plain word that is the name of a function, too.
    ("22-24", "fact", "`onScrapeError` counts; scrape errors raise the failures.", "as_submitted"),
    ("22-24", "fact", "`onScrapeError` counts; scrape raises the failures.", "cut"),
    // An amount that a function with its unit returns.
    ("26-34", "fact", "`pause` has the tracker wait for the next try, 3 minutes.", "as_submitted"),
    ("26-34", "fact", "`pause` has the tracker wait for the next try, 4 minutes.", ""),
];

#[test]
fn words_that_are_names_are_found_and_others_are_not() {
    assert_verdicts(SOURCE, "src/radio.kt", TEXTS);
}

#[test]
fn a_note_has_all_names_of_a_sentence_that_no_line_shows_and_the_roles_that_went() {
    let submitted = json!({
        "primary": [{"ref": "src/radio.kt:1-6", "role": "test", "why": "decides"}],
        "findings": [{"fact": "`mayLoad` calls `ghost_a` and `ghost_b`.", "refs": ["src/radio.kt:1-6"]}],
    });
    let validation = check(&mut Evidence::new(SOURCE), &submitted);
    let note = repair_note(&validation.reasons);
    assert!(note.contains("has \"ghost_a\" or \"ghost_b\""), "{note}");
    assert!(note.contains("nothing has to be mended: src/radio.kt:1-6"), "{note}");
}
