//! Finds clauses that tell their reader what to do. A report describes code, so its clauses have a subject and a finite
//! verb; an imperative is an order. Only purposes and gaps may ask the planner to look or to edit. If the question asks
//! for a change, other texts may ask to edit the code that they cite. [`super::addressed_reader`] finds what a reader
//! "must" do.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    addressed_reader::{AllowedEdits, AllowedRequests, addressed},
    code_names::{declared_as, has_body, own_name},
    evidence::RunEvidence,
    imperative_objects::{ACTS, PARTICIPLES, is_program_call, is_third_person, takes_object},
    word_forms::{stem, stems},
};
use crate::{
    prose_normalization::{
        has_word, is_listed, literal_regex, opens_code, quotations, quoted_sentences, sentences,
        truncate,
    },
    sentence_clauses::steps,
    validate::citation::Citation,
    validation_reason_parts::ReasonDetail,
};
use retriever_workspace::RepoPath;

/// Returns the words by which `text` tells its reader to do or to disclose something.
pub(super) fn instruction(
    text: &str,
    requests: AllowedRequests,
    refs: &[Citation],
    evidence: &RunEvidence<'_>,
) -> Option<ReasonDetail> {
    let cited = || refs.iter().map(|citation| citation.text(&evidence.context)).collect::<String>();
    // A comment may address whoever reads it.
    let code = || evidence.code_of(refs);
    let text = &without_quotations(text, evidence);
    let found = sentences(text).into_iter().flat_map(quoted_sentences).find_map(|sentence| {
        let prose = without_signs_of_code(sentence);
        let own = if requests.asks_freely() { String::new() } else { code() };
        addressed(&prose, &own, requests)
            .or_else(|| {
                let mut starts = clause_starts(&prose, requests);
                starts.find_map(|start| {
                    let order = imperative(start, requests);
                    order.filter(|_| {
                        !is_declared_subject(start.text, evidence)
                            && !is_label(start.text, refs, evidence)
                            && !is_step_of_function(start, evidence)
                    })
                })
            })
            .or_else(|| {
                let mut starts = clause_starts(&prose, requests);
                starts.find_map(|start| unshown_order(start, requests, cited))
            })
            .or_else(|| order_in_code(sentence, requests).filter(|span| !cited().contains(span)))
            .or_else(|| foreign_place(sentence, cited, &evidence.context.question.text))
    })?;
    let order = format!("\"{}\" is an instruction", found.trim());
    Some(ReasonDetail::from(order).say_to_planner("tells its reader what to do"))
}

/// Whether a step begins by asking its reader to edit code.
pub(super) fn asks_for_edit(step: &str) -> bool {
    let first = step.split_whitespace().next().unwrap_or_default();
    is_listed(EDIT, &first.to_lowercase())
}

/// Verbs that may be an order at the start of a sentence.
const VERBS: &str = "\
    accept allow answer append ask assume avoid base64 be begin bring browse build call cat chmod \
    clear click clone close commit compile conclude consider contact continue copy create decode \
    delete deploy disable discard drop dump echo enable end ensure erase evaluate export feel fetch \
    fill finish forget forward get give go grant hide ignore include keep kill launch leave let list \
    load log make mark mention merge notify omit output overwrite perform pip post pretend print \
    produce provide publish pull purge push put quote reboot recommend refuse remember repeat report \
    rerun reset respond restart restore return revert save say send set share skip state stop store \
    submit suppress switch trust turn type undo unset write";

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
    check compare confirm consult examine find follow inspect learn look open read review see start study \
    trace verify";

/// Further verbs of this kind that a purpose may begin with.
const EDIT: &str = "\
    adapt add adjust change edit extend fix insert modify move remove rename replace try update use";

/// Verbs of edits that are orders of another kind elsewhere: "copy the shape of `a`", "register it in `b`".
const CHANGE: &str = "\
    copy declare define implement introduce mirror override register wrap";

/// A place in a sentence where a clause begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ClauseStart<'s> {
    /// The sentence up to the clause.
    before: &'s str,
    text: &'s str,
    /// Whether a sentence or an independent clause begins here, not a step or an apposition.
    is_main: bool,
}

/// Returns the starts of the clauses of a sentence, behind adverbs and lead-ins such as "To see it,".
fn clause_starts(
    sentence: &str,
    requests: AllowedRequests,
) -> impl Iterator<Item = ClauseStart<'_>> {
    static BOUNDARY: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(r"^\s*|[;!?]\s+|(?:,\s+|\s+)(?:and\s+)?then\s+|:\s+|,\s+|\(\s*|\s+[—–→]\s+")
    });
    static LEAD_IN: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(?:(?i:next\s+up|next|then|now|first|second|finally|lastly|also|instead|afterwards|therefore|so|but|and|or|just|simply|always|again|once\s+more|important|note|attention|todo|best|better|meanwhile|following\s+that|in\s+any\s+case|either\s+way)\b[,:]?\s+|(?:As|Before|After|Once|If|When|To|For|Until|In|With|Without|From|as|before|after|once|if|when|to|for|until)\s[^,;:]{2,80},\s+)*",
        )
    });
    let boundaries = BOUNDARY.as_ref().into_iter().flat_map(move |form| form.find_iter(sentence));
    boundaries.map(move |found| {
        let rest = &sentence[found.end()..];
        let lead_in = LEAD_IN.as_ref().and_then(|form| form.find(rest));
        let lead_in =
            lead_in.filter(|lead| !has_own_verb(lead.as_str())).map_or(0, |lead| lead.end());
        let sign = found.as_str().trim();
        let is_step = requests.procedure_steps && (!sign.is_empty() || sentence.contains('→'));
        let is_main = !is_step && (sign.is_empty() || [";", "!", "?", "—", "–"].contains(&sign));
        ClauseStart { before: &sentence[..found.end()], text: &rest[lead_in..], is_main }
    })
}

/// Whether what looks like a lead-in says something itself: "for the others it does refresh", not "if it fails" or "for what
/// it does".
fn has_own_verb(lead_in: &str) -> bool {
    const PREPOSITIONS: &str = "for in with without from to";
    const RELATIVES: &str = "what that which who how where when as if";
    let words: Vec<String> = lead_in.split_whitespace().map(str::to_lowercase).collect();
    let is_phrase = words.first().is_some_and(|first| is_listed(PREPOSITIONS, first));
    is_phrase
        && words.windows(3).any(|three| {
            !is_listed(RELATIVES, &three[0])
                && ["it", "he", "she"].contains(&three[1].as_str())
                && (is_third_person(&three[2]) || is_listed("is has does", &three[2]))
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

/// Whether a clause begins with a colon behind the name of a cited declaration, "Post: the delivery and its signature", or behind a
/// heading over a function and what it does: "Rename: `moveFile` calls". An act outside of the code is no heading.
fn is_label(clause: &str, refs: &[Citation], evidence: &RunEvidence<'_>) -> bool {
    let mut words = clause.split_whitespace();
    let first = words.next().unwrap_or_default();
    first.strip_suffix(':').is_some_and(|name| {
        let is_cited = |own| evidence.overlapping(own).any(|declared| declared.name == name);
        let next = words.next().unwrap_or_default().trim_matches(['`', ',', '(', ')']);
        let is_heading = !is_listed(ACTS, &name.to_lowercase()) && words.any(is_third_person);
        refs.iter().any(is_cited) || (is_heading && has_body(own_name(next), evidence))
    })
}

/// Whether a clause that runs something is one of the steps behind the name of a function whose lines have that: "`handle`: take the
/// lock, run handlers".
fn is_step_of_function(start: ClauseStart<'_>, evidence: &RunEvidence<'_>) -> bool {
    const RUNS: &str = "run execute";
    let (before, behind) = (steps(start.before), steps(start.text));
    let clause = behind.first().and_then(|step| step.text.split(',').next()).unwrap_or_default();
    let words: Vec<&str> = clause.trim_end_matches('.').split_whitespace().collect();
    let label = before.last().and_then(|step| step.text.split_once(':'));
    let (Some((label, _)), [verb, object]) = (label, words.as_slice()) else { return false };
    let name = label.split_whitespace().next_back().unwrap_or_default();
    is_listed(RUNS, &verb.to_lowercase())
        && declared_as(name.trim_matches('`'), evidence).into_iter().any(|(path, declaration)| {
            let lines = Citation { path: path.clone(), range: declaration.range };
            has_word(&evidence.code_of(&[lines]), object)
        })
}

/// Returns `text` with an underscore for each sign of a quotation whose words stand in a delivered line of code, such as a
/// message: what it says, the code says.
fn without_quotations(text: &str, evidence: &RunEvidence<'_>) -> String {
    let mut left = text.to_owned();
    for span in quotations(text).into_iter().rev() {
        let said = &text[span.clone()];
        let has_it = |(path, number, line): (&RepoPath, u32, &str)| {
            line.contains(said) && !evidence.is_written_text(path, number)
        };
        if said.contains(' ') && evidence.current_lines().any(has_it) {
            left.replace_range(span, &"_".repeat(said.chars().count()));
        }
    }
    left
}

/// Returns the first words of a clause that is an order beyond `requests`.
fn imperative(start: ClauseStart<'_>, requests: AllowedRequests) -> Option<String> {
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
    let is_edit = is_editing || (requests.wants_change && is_listed(CHANGE, &base));
    let is_asked = !is_negated
        && ((requests.reading && is_looking)
            || (requests.editing != AllowedEdits::None && is_edit));
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
    requests: AllowedRequests,
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
    let is_described = match requests.editing {
        AllowedEdits::AnyCode => false,
        AllowedEdits::CitedCode => !is_edit(),
        AllowedEdits::None if requests.procedure_steps => false,
        AllowedEdits::None => !(requests.reading && is_listed(LOOK, &verb)),
    };
    let is_order = start.is_main && is_base && is_described && is_listed(DETERMINERS, next);
    (is_order && !stems(&cited()).contains(&stem(&verb))).then(|| format!("{first} {next}"))
}

/// Returns a code span of plain words that is an order.
fn order_in_code(sentence: &str, requests: AllowedRequests) -> Option<String> {
    static SPAN: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"`+([^`]+)`+"));
    let is_plain = |word: &str| {
        word.trim_end_matches(['.', ',', ':', ';', '!'])
            .chars()
            .all(|c| c.is_alphabetic() || c == '\'')
    };
    let spans = SPAN.as_ref()?.captures_iter(sentence).filter_map(|found| found.get(1));
    spans.map(|span| span.as_str()).find_map(|text| {
        let is_prose = text.split_whitespace().all(is_plain) && text.split_whitespace().count() > 3;
        let order = || imperative(ClauseStart { before: "", text, is_main: true }, requests);
        is_prose.then(order).flatten().map(|_| text.to_owned())
    })
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
