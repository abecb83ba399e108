//! Finds prose that addresses its reader: in the second person, by naming the reader and a duty, or by saying what is
//! necessary. [`super::imperative_clauses`] finds imperatives.

use std::sync::LazyLock;

use regex::Regex;

use super::imperative_objects::is_third_person;
use crate::prose_normalization::{has_word, is_listed, literal_regex};

/// What a text may ask of its reader; by default nothing, since it describes code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AllowedRequests {
    /// To read code.
    pub(super) reading: bool,
    /// To edit code.
    pub(super) editing: AllowedEdits,
    /// Whether edits may also be asked for by verbs that say otherwise what a program does: "register it". The question asks for
    /// a change.
    pub(super) wants_change: bool,
    /// Whether steps of a procedure may be infinitives: "opens the file; then read a line".
    pub(super) procedure_steps: bool,
}

/// What code a text may ask to edit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum AllowedEdits {
    #[default]
    None,
    /// That which it cites.
    CitedCode,
    AnyCode,
}

impl AllowedRequests {
    /// Whether it may ask for an edit of code that it does not cite.
    pub(super) fn asks_freely(self) -> bool {
        self.editing == AllowedEdits::AnyCode
    }
}

/// Finds clauses that tell the reader what to do: in the second person, by a modal verb, or as necessary. A word such as
/// "user" that the cited lines contain does not mean the reader: "the user must be confirmed".
pub(super) fn addressed(prose: &str, cited: &str, requests: AllowedRequests) -> Option<String> {
    let found = |form: &'static LazyLock<Option<Regex>>| {
        form.as_ref()?.find(prose).map(|found| found.as_str().to_owned())
    };
    let has_own = |word: &str| has_word(&cited.to_lowercase(), &word.to_lowercase());
    let second_person = || {
        let mut all = SECOND_PERSON.as_ref()?.captures_iter(prose).filter_map(|found| found.get(1));
        let is_allowed = |word: &regex::Match<'_>| {
            let (before, after) = (&prose[..word.start()], &prose[word.end()..]);
            has_own(word.as_str())
                || is_owner_in_description(word.as_str(), after)
                || (word.as_str() == "you" && is_doing_of_user(before, after))
        };
        all.find(|word| !is_allowed(word)).map(|word| word.as_str().to_owned())
    };
    let may_ask = requests.asks_freely();
    let necessary = || {
        let mut all = NECESSARY.as_ref()?.find_iter(prose).map(|found| found.as_str());
        all.find(|found| !is_told_of_subject(found)).map(str::to_owned)
    };
    necessary().or_else(|| if may_ask { found(&ASKED) } else { second_person() }).or_else(|| {
        READER.as_ref()?.captures_iter(prose).find_map(|found| {
            let is_codes_own = found.get(2).is_some_and(|reader| has_own(reader.as_str()));
            let whole = found.get(0)?;
            // "If the planner must change it" asks for nothing.
            let is_condition = may_ask && ends_in_condition(&prose[..whole.start()]);
            (!is_codes_own && !is_condition).then(|| whole.as_str().to_owned())
        })
    })
}

/// Whether "it is … to run" says what becomes of the subject: "it is left to run down".
fn is_told_of_subject(found: &str) -> bool {
    const STATES: &str = "able about allowed free going left made ready unable used";
    let found = found.to_lowercase();
    let state = found.split_once(" to ").and_then(|(before, _)| before.split_whitespace().last());
    found.starts_with("it") && state.is_some_and(|state| is_listed(STATES, state))
}

/// Whether "your" is the owner of a thing of which something is said: "your drawing is kept". Of the reader's task, and of what
/// is needed or has to be, nothing can be described.
fn is_owner_in_description(word: &str, after: &str) -> bool {
    const READERS_OWN: &str = "\
        account action agent agreement answer approval assistant authorization confirmation consent credentials duty goal \
        goals instruction instructions job key keys model next only operator password permission planner priority reader \
        report review role session step steps system task tasks team token tokens turn user";
    const NOT_DESCRIBED: &str = "\
        to expected required needed necessary asked told instructed obliged supposed meant essential mandatory approved \
        authorized granted waived";
    /// What those who extend code have to do: "your class must override `a`".
    const EXTENDING: &str = "call define derive extend implement inherit override provide return";
    let clause = after.split([',', ';', ':', '.', '(', '—']).next().unwrap_or_default();
    let words: Vec<&str> = clause.split_whitespace().collect();
    let is_reader = |word: &&str| is_listed(READERS_OWN, &word.to_lowercase());
    if let [_, "must" | "should" | "can" | "may" | "could", verb, ..] = words.as_slice()
        && word.eq_ignore_ascii_case("your")
        && is_listed(EXTENDING, verb)
    {
        return !words.iter().any(is_reader);
    }
    let Some(verb) = words.iter().take(5).skip(1).position(|word| is_finite_verb(word)) else {
        return false;
    };
    let (owned, said) = words.split_at(verb + 1);
    word.eq_ignore_ascii_case("your")
        && !owned.iter().any(is_reader)
        && !said.iter().take(4).any(|word| is_listed(NOT_DESCRIBED, &word.to_lowercase()))
}

/// Whether "you" between `before` and `after` is whoever uses the program, in a clause that says which thing or which occasion is
/// meant: "the computer you erase on", "what you typed", "when you save". What has to be done, or is for the planner to do, is
/// no description.
fn is_doing_of_user(before: &str, after: &str) -> bool {
    const OCCASIONS: &str =
        "what whatever which whichever who whom when whenever if while where wherever as until how";
    const DETERMINERS: &str =
        "the a an each every any all both no its their his her this these those";
    const DUTIES: &str = "\
        must should shall can could may might will would need needs ought have has had want wants wish better are be do \
        not please to now then first next also just only always never ll d re ve";
    const TASKS: &str = "\
        read plan answer report review check verify test debug implement fix patch refactor edit change modify adapt extend \
        rewrite code build install run rerun execute deploy commit push merge publish release finish continue proceed begin \
        start stop go work see look find note ignore skip obey follow trust submit";
    const AFTER_VERB: &str = "\
        on in at by for from with to into onto of under over through as is are was were has have had gets goes before after \
        while when and or";
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| c.is_whitespace() || "'’`".contains(c));
        words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
    };
    let ends_clause = |c: char| ",;:.()—→!?".contains(c);
    let said = words(after.split(ends_clause).next().unwrap_or_default());
    let Some(verb) = said.first() else { return false };
    let is_asked = said.iter().any(|word| is_listed(DUTIES, word));
    if is_asked || is_listed(TASKS, verb) || !verb.chars().all(char::is_alphabetic) {
        return false;
    }
    let head = words(before.rsplit(ends_clause).next().unwrap_or_default());
    let mut last = head.iter().rev().skip_while(|word| *word == "that").peekable();
    if last.peek().is_some_and(|word| is_listed(OCCASIONS, word)) {
        return true;
    }
    // A verb that takes no object here has that of the noun before it.
    let has_no_object = said.get(1).is_none_or(|next| is_listed(AFTER_VERB, next));
    has_no_object && last.skip(1).take(3).any(|word| is_listed(DETERMINERS, word))
}

/// Whether a word is the verb of a statement: "is", "stays".
fn is_finite_verb(word: &str) -> bool {
    const FORMS: &str = "is are was were has have had gets";
    is_listed(FORMS, word) || is_third_person(word)
}

/// Whether the clause that goes on behind `before` is a condition.
fn ends_in_condition(before: &str) -> bool {
    const CONDITIONS: &str = "if when whenever whether unless where";
    let last = before.split_whitespace().next_back().unwrap_or_default();
    is_listed(CONDITIONS, &last.to_lowercase())
}

/// What makes a verb a duty.
const DUTY: &str = r"(?:must|should|shall|ought\s+to|needs?\s+to|ha(?:s|ve)\s+to|(?:is|are)\s+(?:(?:required|expected|asked|told|instructed|obliged|supposed|meant)\s+)?to|(?:may|can)\s+(?:now|safely)|has\s+only\s+to)";

/// Beginnings of verbs of acts outside of the code.
const ACTING: &str = r"(?:runn?|execut|install|deploy|publish|delet|disabl|push|upload|send|approv|disclos|download|ignor|skipp?|remov|committ?|past)";

/// Whoever reads a report, by name, and a duty.
static READER: LazyLock<Option<Regex>> = LazyLock::new(|| {
    literal_regex(&format!(
        r"(?i)\b((?:the\s+|this\s+|any\s+|every\s+)?(planner|assistant|agent|reader|human|operator|developer|user|team|model|orchestrator|reviewer|maintainer|llm|ai|bot)s?|(?:whoever|anyone|everyone)\s[^,.;]{{0,40}}?)\s+(?:\w+ly\s+|also\s+|then\s+|now\s+|first\s+)?{DUTY}\b"
    ))
});

/// Code is described in the third person; "lets you" is a manner of speaking.
static SECOND_PERSON: LazyLock<Option<Regex>> = LazyLock::new(|| {
    literal_regex(
        r"(?i)\b(?:(?:lets?|allows?|helps?|gives?|tells?|shows?)\s+you|(you(?:r|rs|rself)?))\b",
    )
});

/// Who asks the planner to look may address it, but not tell it to act.
static ASKED: LazyLock<Option<Regex>> = LazyLock::new(|| {
    literal_regex(&format!(
        r"(?i)\byou\s+(?:\w+ly\s+|also\s+|then\s+|now\s+|first\s+)?(?:{DUTY}|run|execute|install|download|paste|approve|confirm)\b|\b(?:could|would|can|will)\s+you\b|\b(?:expect|need|want|ask|tell|urge|order|require)s?\s+you\s+to\b|\byour\s+(?:(?:next|first|only|own)\s+)?(?:task|job|step|action|turn|answer|session)\b"
    ))
});

/// What is said to be necessary, without naming anybody.
static NECESSARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
    let forms = [
        r"\b(?:please|kindly|let['’]s|let\s+us)\b",
        r"\baction\s+required\b",
        r"\bnote\s+to\s+(?:the\s+|any\s+)?(?:planner|assistant|agent|reader|model|reviewer)",
        r"(?:^|[.;,]\s*)(?:system|assistant|instructions?)\s*:",
        r"\bit(?:'s|\s+is|\s+would\s+be)\s+(?:mandatory|essential|imperative|recommended|best|advisable|advised|wise|vital|crucial)\s+(?:to|that)\b",
        &format!(r"\bit(?:'s|\s+is|\s+would\s+be)\s+\w+\s+to\s+(?:\w+ly\s+|first\s+)?{ACTING}e?\b"),
        &format!(
            r"\b{ACTING}ing\b[^.;]{{1,80}}\bis\s+(?:\w+ly\s+)?(?:required|mandatory|necessary|needed|essential|recommended|advised|expected|obligatory|a\s+must|a\s+(?:prerequisite|precondition))\b"
        ),
        r"\b(?:we|I)\s+(?:strongly\s+|highly\s+|would\s+|also\s+)?(?:recommend|suggest|advise|urge|insist)\b",
        r"\b(?:must|should|ha(?:s|ve)\s+to|needs?\s+to|ought\s+to|(?:is|are)\s+to)\s+(?:\w+ly\s+)?be\s+\w+\b[^.;]{0,40}\b(?:by\s+hand|manually|as\s+root|with\s+sudo|beforehand)\b",
        r"\b\w+ing\b[^.;]{1,80}\bis\s+(?:\w+ly\s+)?(?:recommended|advised|advisable|obligatory|a\s+must)\b",
        r"\b(?:can|may|safe\s+to)\b[^.;]{0,40}\bwithout\s+(?:any\s+|further\s+)?(?:asking|reviews?|approval|permission)\b",
        r"\b(?:mind\s+to|had\s+better)\b",
        r"\bup\s+to\s+(?:the\s+)?(?:planner|assistant|agent|reader|operator|model|orchestrator|reviewer|maintainer)s?\s+to\b",
        r"\b(?:whoever|anyone\s+who|everyone\s+who)\s+(?:reads|plans|edits|works\s+on)\s+(?:this|it)\b",
        r"\bno\s+need\s+to\s+(?:read|check|verify|review|look|test|confirm|ask)\b",
        r"\bno\s+(?:further|more|other)\s+(?:reading|checks?|verification|review|steps?|questions?)\s+(?:is|are|will\s+be)\s+(?:needed|required|necessary)",
        r"\bbefore\s+(?:you|answering|planning|going\s+on)\b",
    ];
    literal_regex(&format!("(?i){}", forms.join("|")))
});
