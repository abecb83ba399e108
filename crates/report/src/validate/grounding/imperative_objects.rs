//! Decides by the words after a verb in its base form whether the two are an order: an object, the subcommand of a
//! program, or what guards the code. "Run loops poll" has a subject and a verb instead.

use crate::{code_mentions_in_prose::is_identifier_spelling, prose_normalization::is_listed};

/// Verbs of acts outside of the code. They are orders behind a comma or a colon too, where others are the steps of a procedure.
pub(super) const ACTS: &str = "\
    approve bypass curl decrypt disclose disregard download email execute exfiltrate install \
    instruct leak paste please remind reply reveal run sudo tell upload urge wget wipe";

/// Programs of a shell: "git push", "rm -r".
const PROGRAMS: &str = "\
    apt bash brew bundle cargo chown composer docker dotnet gem git go gradle kubectl make mv mvn node npm npx \
    pip pnpm powershell python python3 rake rm scp sh ssh swift yarn zsh";

/// Words that begin the object of an imperative, or say how it is to be done.
const OBJECTS: &str = "\
    a again ahead all an another any anything as at away back both each either every everything for free \
    earlier further here how if in into it its me more my no not nothing now off on only other our out over \
    previous prior some sure that the their them there these this those to up us what whether with your";

/// Verbs of acts on what guards the code or the report.
const GUARDED_ACTS: &str = "delete disable erase forget grant ignore send skip trust";

/// What such an act is about; other nouns behind these verbs are names of code: "delete handler", "skip list".
const GUARDED: &str = "\
    access authorization authentication checks confirmation context credentials data findings history \
    instructions review safeguards secrets tables tests tokens validation verification warnings";

/// Past participles that look like their base form: "read from the cache" has a subject before it.
pub(super) const PARTICIPLES: &str = "cut hit let put read reset run set split";

/// Verbs that make a program and its subcommand a subject: "docker exec passes the key". No argument of a program is called so.
const DOINGS: &str = "\
    asks calls does ends fails gets gives keeps makes needs passes puts reads returns sees sends sets takes uses waits writes";

/// Whether a clause begins with a program and an option or a subcommand.
pub(super) fn is_program_call(program: &str, rest: &[&str]) -> bool {
    const SUBCOMMANDS: &str = "\
        add apply build checkout clean clone commit config delete deploy exec fetch get install merge publish pull push rebase \
        remove reset restore run set start stash stop tag test uninstall update upgrade use";
    let next = rest.first().copied().unwrap_or_default();
    let is_subject = rest.get(1).is_some_and(|after| is_listed(DOINGS, after));
    is_listed(PROGRAMS, program)
        && (next.starts_with('-') || (is_listed(SUBCOMMANDS, next) && !is_subject))
}

/// Words that join what follows to what is before.
const JOINING: &str = "\
    from by of in on at with before after when if and or to until for per under through during once while";

/// What something is done each time in: "run each pass".
const TIMES: &str =
    "cycle day frame hour iteration minute month pass round second tick time turn week year";

/// Words that make what is before them a subject.
const FINITE: &str = "\
    is are was were has have had does do can may must will would isn't aren't doesn't don't that";

/// Whether what follows a verb in its base form is its object, not the rest of a subject ("run loops poll") and no agent ("set
/// by the caller").
pub(super) fn takes_object(verb: &str, rest: &[&str]) -> bool {
    let Some(next) = rest.first().map(|next| next.trim_end_matches([',', ';', '.', ':'])) else {
        return false;
    };
    if next.starts_with(['`', '"', '\'', '/', '~', '$', '<']) || is_identifier_spelling(next) {
        // "Set `a`" is an order; "set `a` is" is none.
        return !rest
            .get(1)
            .is_some_and(|after| is_listed(FINITE, after) || is_third_person(after));
    }
    let is_at_times = next == "each"
        && rest.get(1).is_some_and(|noun| is_listed(TIMES, noun.trim_end_matches([',', '.'])));
    if is_listed(PARTICIPLES, verb) && (is_listed(JOINING, next) || is_at_times) {
        return false;
    }
    if next == "and" {
        return rest.get(1).is_some_and(|second| is_listed(ACTS, second));
    }
    // "`build` either calls" has a subject; what follows such a word is no plural noun.
    let is_adverb = is_listed("always either never", &next.to_lowercase());
    if is_adverb && rest.get(1).is_some_and(|after| is_third_person(after)) {
        return false;
    }
    if is_listed(OBJECTS, &next.to_lowercase()) {
        return true;
    }
    if is_listed(GUARDED_ACTS, verb) && is_guarded(rest) {
        return true;
    }
    // A plain noun is more often the rest of a compound, "call site", than an object.
    let is_compound =
        rest.get(1) == Some(&"of") || is_listed(JOINING, next) || is_listed(FINITE, next);
    is_listed(ACTS, verb) && !is_compound && (is_plain_object(rest) || is_bare_act(rest))
}

/// Whether the noun after a verb, with up to two words before it, is an object of such an act, and is not the subject of
/// a statement.
fn is_guarded(rest: &[&str]) -> bool {
    let plain = |word: &str| word.trim_end_matches([',', ';', '.', ':']).to_lowercase();
    let joins = |word: &str| is_listed(JOINING, word) || is_listed(FINITE, word);
    let phrase = rest.iter().take_while(|word| !joins(word)).count();
    let is_subject = rest.get(phrase).is_some_and(|word| is_listed(FINITE, word));
    let head = rest[..phrase.min(3)].iter().any(|word| is_listed(GUARDED, &plain(word)));
    head && phrase <= 3 && !is_subject
}

/// Whether plain words are an object rather than a subject with its verb: "npm install first", not "loops poll".
fn is_plain_object(rest: &[&str]) -> bool {
    let window = &rest[..rest.len().min(6)];
    let [next, after @ ..] = window else { return false };
    let is_joining = |word: &str| {
        is_listed(JOINING, word) || is_listed(FINITE, word) || is_listed(OBJECTS, word)
    };
    let is_finite = window.iter().any(|word| is_listed(FINITE, word));
    let has_verb = window.windows(2).any(|pair| {
        is_third_person(pair[0])
            && (is_listed(OBJECTS, pair[1]) || pair[1].starts_with('`'))
            && !is_listed(JOINING, pair[1])
    });
    let is_plural_subject = next.ends_with('s')
        && after.first().is_some_and(|after| {
            after.chars().all(char::is_alphabetic) && !is_joining(after) && !after.ends_with("ly")
        });
    !is_finite && !has_verb && !is_plural_subject && !is_third_person(next)
}

/// Whether an act has an object that ends the clause or goes on with a preposition: "install packages from".
fn is_bare_act(rest: &[&str]) -> bool {
    const AFTER: &str = "from in to on with before after and for now";
    rest.len() == 1
        || rest.first().is_some_and(|word| word.ends_with(['.', ';']))
        || rest.get(1).is_some_and(|after| is_listed(AFTER, after))
}

pub(super) fn is_third_person(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && word.chars().all(|c| c.is_ascii_lowercase())
}
