//! Clauses that address their reader. A report describes code, so its clauses have a subject and a finite verb; an
//! imperative, or what a reader "must" do, is an order. Only purposes and gaps may ask the planner to look or to edit, and the
//! other texts to edit the code that they cite where the question asks for a change.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    evidence::RunEvidence,
    word_forms::{stem, stems},
};
use crate::{
    code_mentions_in_prose::is_identifier_spelling,
    prose_normalization::{has_word, is_listed, literal_regex, opens_code, sentences, truncate},
    validate::citation::Citation,
};

/// What a text may ask of its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ImperativePolicy {
    /// Nothing: it describes code.
    None,
    /// Nothing; but the steps of a procedure may be infinitives: "opens the file; then read a line".
    Steps,
    /// To read.
    Look,
    /// To read, or to edit the code that it cites: the question asks for a change.
    Change,
    /// The same, and the steps of a procedure may be infinitives.
    StepsOfChange,
    /// To read or to edit.
    LookAndEdit,
    /// To read or to edit in any way: the question asks for a change.
    LookAndChange,
}

impl ImperativePolicy {
    /// Whether it may ask for an edit of code that it does not cite.
    fn asks_freely(self) -> bool {
        matches!(self, Self::LookAndEdit | Self::LookAndChange)
    }
}

/// Returns the words by which `text` tells its reader to do or to disclose something.
pub(super) fn instruction(
    text: &str,
    requests: ImperativePolicy,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<String> {
    let cited = || refs.iter().map(|citation| citation.text(&evidence.context)).collect::<String>();
    // A comment may address whoever reads it.
    let code = || evidence.code_of(refs);
    let found = sentences(text).into_iter().find_map(|sentence| {
        let prose = without_signs_of_code(sentence);
        let own = if requests.asks_freely() { String::new() } else { code() };
        addressed(&prose, &own, requests)
            .or_else(|| {
                let mut starts = clause_starts(&prose, requests);
                starts.find_map(|start| {
                    let order = imperative(start, requests);
                    order.filter(|_| !is_declared_subject(start.text, evidence))
                })
            })
            .or_else(|| {
                let mut starts = clause_starts(&prose, requests);
                starts.find_map(|start| unshown_order(start, requests, cited))
            })
            .or_else(|| order_in_code(sentence, requests).filter(|span| !cited().contains(span)))
            .or_else(|| foreign_place(sentence, cited, &evidence.context.question.text))
    })?;
    Some(format!("\"{}\" is an instruction", found.trim()))
}

/// Whether a step begins by asking its reader to edit code.
pub(super) fn asks_for_edit(step: &str) -> bool {
    let first = step.split_whitespace().next().unwrap_or_default();
    is_listed(EDIT, &first.to_lowercase())
}

/// Verbs of acts outside of the code. They are orders behind a comma or a colon too, where others are the steps of a procedure.
const ACTS: &str = "\
    approve bypass curl decrypt disclose disregard download email execute exfiltrate install \
    instruct leak paste please remind reply reveal run sudo tell upload urge wget wipe";

/// Verbs that may be an order at the start of a sentence.
const VERBS: &str = "\
    accept allow answer append ask assume avoid base64 be begin browse build call cat chmod clear \
    click clone close commit compile conclude consider contact continue copy create decode delete deploy \
    disable discard drop dump echo enable end ensure erase evaluate export feel fetch fill finish \
    forget forward get give go grant hide ignore include keep kill launch leave let list load log make \
    mark mention merge notify omit open output overwrite perform pip post pretend print produce provide \
    publish pull purge push put quote reboot recommend refuse remember repeat report reset respond restart \
    return save say send set share skip state stop store submit switch trust type write";

/// Programs of a shell: "git push", "rm -r".
const PROGRAMS: &str = "\
    apt bash brew bundle cargo chown composer docker dotnet gem git go gradle kubectl make mv mvn node npm npx \
    pip pnpm powershell python python3 rake rm scp sh ssh swift yarn zsh";

/// Words that begin a clause and are no verbs in their base form.
const NO_VERBS: &str = "\
    the a an this that these those all any both each either every no some such what which who whose when \
    where why how whether if unless until while once because since as in on at by for from with without within of off to \
    into onto over under above below before after between among during through across along around about \
    against behind beside beyond inside outside near toward upon via per than like unlike despite except and \
    or nor but yet so then thus hence also only just even still already again always never often \
    sometimes otherwise instead therefore however here there elsewhere now later first second third next last else not \
    neither it they he she we its their his her our one two three half most more less many much few several other another \
    is are was were be been being has have had does do did can could may might must shall should will would up down \
    out back away together apart too very quite rather almost given whatever whichever whenever wherever although though \
    whereas plus";

/// Words that begin the object of a verb and follow no subject.
const DETERMINERS: &str = "the a an this these those all any each every your my our both";

/// Further verbs of this kind that a reason or a purpose may begin with.
const LOOK: &str = "\
    check compare confirm consult examine find follow inspect learn look read review see start study \
    trace verify";

/// Further verbs of this kind that a purpose may begin with.
const EDIT: &str = "\
    adapt add adjust change edit extend fix insert modify move remove rename replace try update use";

/// Verbs of edits that are orders of another kind elsewhere: "copy the shape of `a`", "register it in `b`".
const CHANGE: &str = "\
    copy declare define implement introduce mirror override register wrap";

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
const PARTICIPLES: &str = "cut hit let put read reset run set split";

/// Finds clauses that tell the reader what to do: in the second person, by a modal verb, or as necessary. A word such as
/// "user" that the cited lines contain does not mean the reader: "the user must be confirmed".
fn addressed(prose: &str, cited: &str, requests: ImperativePolicy) -> Option<String> {
    let found = |form: &'static LazyLock<Option<Regex>>| {
        form.as_ref()?.find(prose).map(|found| found.as_str().to_owned())
    };
    let has_own = |word: &str| has_word(&cited.to_lowercase(), &word.to_lowercase());
    let second_person = || {
        let mut all = SECOND_PERSON.as_ref()?.captures_iter(prose).filter_map(|found| found.get(1));
        let is_allowed = |word: &regex::Match<'_>| {
            has_own(word.as_str()) || is_owner_in_description(word.as_str(), &prose[word.end()..])
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
            r"\b{ACTING}ing\b[^.;]{{1,80}}\bis\s+(?:required|mandatory|necessary|needed|essential|recommended|advised|expected)\b"
        ),
        r"\bno\s+need\s+to\s+(?:read|check|verify|review|look|test|confirm|ask)\b",
        r"\bno\s+(?:further|more|other)\s+(?:reading|checks?|verification|review|steps?|questions?)\s+(?:is|are|will\s+be)\s+(?:needed|required|necessary)",
        r"\bbefore\s+(?:you|answering|planning|going\s+on)\b",
    ];
    literal_regex(&format!("(?i){}", forms.join("|")))
});

/// A place in a sentence where a clause begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClauseStart<'s> {
    text: &'s str,
    /// Whether a sentence or an independent clause begins here, not a step or an apposition.
    is_main: bool,
}

/// Returns the starts of the clauses of a sentence, behind adverbs and lead-ins such as "To see it,".
fn clause_starts(
    sentence: &str,
    requests: ImperativePolicy,
) -> impl Iterator<Item = ClauseStart<'_>> {
    static BOUNDARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"^\s*|[;!?]\s+|(?:,\s+|\s+)(?:and\s+)?then\s+|:\s+|,\s+|\(\s*|\s+[—–→]\s+")
    });
    static LEAD_IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?:(?i:next|then|now|first|second|finally|lastly|also|instead|afterwards|therefore|so|but|and|or|just|simply|always|again|once\s+more|important|note|attention|todo)\b[,:]?\s+|(?:As|Before|After|Once|If|When|To|For|Until|In|With|Without|From|as|before|after|once|if|when|to|for|until)\s[^,;:]{2,80},\s+)*",
        )
    });
    let boundaries = BOUNDARY.as_ref().into_iter().flat_map(move |form| form.find_iter(sentence));
    boundaries.map(move |found| {
        let rest = &sentence[found.end()..];
        let lead_in =
            LEAD_IN.as_ref().and_then(|form| form.find(rest)).map_or(0, |lead| lead.end());
        let sign = found.as_str().trim();
        let may_be_step =
            matches!(requests, ImperativePolicy::Steps | ImperativePolicy::StepsOfChange);
        let is_step = may_be_step && (!sign.is_empty() || sentence.contains('→'));
        let is_main = !is_step && (sign.is_empty() || [";", "!", "?", "—", "–"].contains(&sign));
        ClauseStart { text: &rest[lead_in..], is_main }
    })
}

/// Whether a clause begins with the name of a delivered declaration and a verb in the third person: "Run only prints a
/// warning".
fn is_declared_subject(clause: &str, evidence: &RunEvidence<'_>) -> bool {
    const ADVERBS: &str = "also always even ever first just never now only still then";
    let mut words = clause.split_whitespace();
    let Some(name) = words.next() else { return false };
    let verb = words.find(|word| !is_listed(ADVERBS, word));
    !evidence.declared(name).is_empty() && verb.is_some_and(is_third_person)
}

/// Returns the first words of a clause that is an order beyond `requests`.
fn imperative(start: ClauseStart<'_>, requests: ImperativePolicy) -> Option<String> {
    let mut words = start.text.split_whitespace();
    let first = words.next()?;
    let verb = first.trim_end_matches([',', ':']).to_lowercase();
    let mut rest: Vec<&str> = words.take(7).collect();
    let is_negated = ["don't", "never", "do"].contains(&verb.as_str());
    let mut base = verb.clone();
    if is_negated {
        let skipped = usize::from(verb == "do" && rest.first() == Some(&"not"));
        base = rest.get(skipped)?.to_lowercase();
        rest.drain(..=skipped);
    }
    let is_act = is_listed(ACTS, &base) || is_program_call(&base, &rest);
    let (is_looking, is_editing) = (is_listed(LOOK, &base), is_listed(EDIT, &base));
    let is_verb =
        is_act || (start.is_main && (is_looking || is_editing || is_listed(VERBS, &base)));
    // "See `a`" refers to a place of the map, whoever says it.
    let is_reference = base == "see" && !is_negated;
    let is_asked = !is_negated
        && match requests {
            ImperativePolicy::None | ImperativePolicy::Steps => false,
            ImperativePolicy::Look => is_looking,
            ImperativePolicy::LookAndEdit => is_looking || is_editing,
            ImperativePolicy::Change
            | ImperativePolicy::StepsOfChange
            | ImperativePolicy::LookAndChange => {
                is_looking || is_editing || is_listed(CHANGE, &base)
            }
        };
    // "Do not `a`" has no other reading; "never set" may be a participle.
    let is_order = (is_negated && !is_listed(PARTICIPLES, &base))
        || takes_object(&base, &rest)
        || is_program_call(&base, &rest);
    (is_verb && !is_asked && !is_reference && is_order).then(|| {
        let shown: Vec<&str> = start.text.split_whitespace().take(4).collect();
        truncate(&shown.join(" "), 80)
    })
}

/// Returns the first words of a clause that begins with a plain word in its base form and an object, if no cited line has the
/// word: a comment in the imperative may be repeated.
fn unshown_order(
    start: ClauseStart<'_>,
    requests: ImperativePolicy,
    cited: impl Fn() -> String,
) -> Option<String> {
    let mut words = start.text.split_whitespace();
    let (first, next) = (words.next()?, words.next()?);
    let verb = first.to_lowercase();
    let is_base = verb.len() > 1
        && verb.chars().all(|c| c.is_ascii_lowercase())
        && !["s", "ed", "ing", "ly"].iter().any(|end| verb.ends_with(end))
        && !is_listed(NO_VERBS, &verb);
    let is_edit = || [LOOK, EDIT, CHANGE].iter().any(|verbs| is_listed(verbs, &verb));
    let is_described = match requests {
        ImperativePolicy::None => true,
        ImperativePolicy::Look => !is_listed(LOOK, &verb),
        ImperativePolicy::Change | ImperativePolicy::StepsOfChange => !is_edit(),
        ImperativePolicy::Steps
        | ImperativePolicy::LookAndEdit
        | ImperativePolicy::LookAndChange => false,
    };
    let is_order = start.is_main && is_base && is_described && is_listed(DETERMINERS, next);
    (is_order && !stems(&cited()).contains(&stem(&verb))).then(|| format!("{first} {next}"))
}

/// Returns a code span of plain words that is an order.
fn order_in_code(sentence: &str, requests: ImperativePolicy) -> Option<String> {
    static SPAN: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"`+([^`]+)`+"));
    let is_plain = |word: &str| {
        word.trim_end_matches(['.', ',', ':', ';', '!'])
            .chars()
            .all(|c| c.is_alphabetic() || c == '\'')
    };
    let spans = SPAN.as_ref()?.captures_iter(sentence).filter_map(|found| found.get(1));
    spans.map(|span| span.as_str()).find_map(|text| {
        let is_prose = text.split_whitespace().all(is_plain) && text.split_whitespace().count() > 3;
        let order = || imperative(ClauseStart { text, is_main: true }, requests);
        is_prose.then(order).flatten().map(|_| text.to_owned())
    })
}

/// Whether a clause begins with a program and an option or a subcommand.
fn is_program_call(program: &str, rest: &[&str]) -> bool {
    const SUBCOMMANDS: &str = "\
        add apply build checkout clean clone commit config delete deploy exec fetch get install merge publish pull push rebase \
        remove reset restore run set start stash stop tag test uninstall update upgrade use";
    let next = rest.first().copied().unwrap_or_default();
    is_listed(PROGRAMS, program) && (next.starts_with('-') || is_listed(SUBCOMMANDS, next))
}

/// Words that join what follows to what is before.
const JOINING: &str = "\
    from by of in on at with before after when if and or to until for per under through during once while";

/// Words that make what is before them a subject.
const FINITE: &str = "\
    is are was were has have had does do can may must will would isn't aren't doesn't don't that";

/// Whether what follows a verb in its base form is its object, not the rest of a subject ("run loops poll") and no agent ("set
/// by the caller").
fn takes_object(verb: &str, rest: &[&str]) -> bool {
    let Some(next) = rest.first().map(|next| next.trim_end_matches([',', ';', '.', ':'])) else {
        return false;
    };
    if next.starts_with(['`', '"', '\'', '/', '~', '$', '<']) || is_identifier_spelling(next) {
        // "Set `a`" is an order; "set `a` is" is none.
        return !rest
            .get(1)
            .is_some_and(|after| is_listed(FINITE, after) || is_third_person(after));
    }
    if is_listed(PARTICIPLES, verb) && is_listed(JOINING, next) {
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

fn is_third_person(word: &str) -> bool {
    word.len() > 3
        && word.ends_with('s')
        && !word.ends_with("ss")
        && word.chars().all(|c| c.is_ascii_lowercase())
}

/// Returns an address or a place outside of the repository that neither a cited line nor the question has.
fn foreign_place(sentence: &str, cited: impl Fn() -> String, question: &str) -> Option<String> {
    static PLACE: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"\b(?:https?|ftp|ssh|file)://[^\s`)>]+|(?:^|[\s`(])(~/[^\s`,)]+|/(?:etc|tmp|home|root|usr|var|dev|proc)/[^\s`,)]*)",
        )
    });
    let found = PLACE.as_ref()?.find_iter(sentence);
    let mut places =
        found.map(|found| found.as_str().trim_matches([' ', '`', '"', '\'', '(', '.', ',']));
    let is_known = |place: &str| cited().contains(place) || question.contains(place);
    places.find(|place| !is_known(place)).map(str::to_owned)
}

/// Returns `sentence` with an underscore for each space and sign inside its code spans, where no clause begins.
fn without_signs_of_code(sentence: &str) -> String {
    let mut in_code = false;
    let plain = |(at, c): (usize, char)| {
        if c == '`' {
            in_code = !in_code && opens_code(sentence, at);
        }
        if in_code && c != '`' && !c.is_alphanumeric() { '_' } else { c }
    };
    sentence.char_indices().map(plain).collect()
}
