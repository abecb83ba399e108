//! No-answer detection: whether the repository has what a query asks for at all. Some place always ranks first, even if
//! the evidence for all of them is thin.

use std::fmt;

use super::{
    candidate_pool::ScoredPool,
    file_kind_penalty::is_prose,
    file_ranking::{FileRanking, RankedFile},
    ranking_features::RankingFeature,
    term_weights::TermWeights,
};
use crate::{
    candidate::Candidate,
    query::{ExpandedQuery, TermForm},
    score_parts::ScorePart,
    words::{self, WordSpecificity},
};

/// Evidence that the best candidate needs, in words that occur in one file: less can be chance.
const MIN_EVIDENCE: f64 = 2.7;
/// Share of the query's words, by weight, after which nothing is named, for it to be about something that isn't there.
const MAX_UNKNOWN: f64 = 0.5;
/// Evidence that is enough, whatever nothing is named after: the share of the query's words that the best file has, and the
/// best place in units of so many words that occur in one file each. Chosen on labelled questions, see `evals/absence/`.
const ENOUGH: f64 = 0.9;
const PLACE_UNIT: f64 = 16.0;
/// Share of the query's words in the comments of one place that is enough, too: code is named in its own words, and explained in those
/// of its users. The first places are looked at.
const EXPLAINED: f64 = 0.4;
const FIRST_PLACES: usize = 60;
/// Words that are told.
const MAX_WORDS: usize = 5;
/// Words of a question beyond which the names in it are told in passing, as in an issue.
const MAX_WORDS_OF_QUESTION: usize = 40;
/// Shortest proper name.
const MIN_NAME_CHARS: usize = 3;
/// Words behind which a name says when or as what something happens, not what is asked for.
const PASSING_WORDS: &[&str] = &[
    "when", "if", "while", "after", "before", "because", "since", "unless", "although", "though",
    "like", "as", "than", "once", "until",
];

/// Why what is asked for may not be there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoAnswerReason {
    /// Words of the question after which nothing is named here, and after nothing that means the same; rarest first.
    pub words: Vec<String>,
}

impl fmt::Display for NoAnswerReason {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.words.is_empty() {
            return out.write_str(
                "no place holds more than a few of the question's words; it may not be there",
            );
        }
        let words: Vec<String> = self.words.iter().map(|word| format!("\"{word}\"")).collect();
        write!(out, "nothing here is named after {}; it may not be there", words.join(", "))
    }
}

/// What speaks for and against a repository having what a query asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AnswerEvidence {
    /// Share of the query's words that the best file has.
    pub best_file: f64,
    /// Points of the best place, in words that occur in one file.
    pub best_place: f64,
    /// Share of the query's words that the comments of one place have.
    pub best_comment: f64,
    /// Whether nothing is named after most of what is asked for, or no place holds more than a few of its words.
    pub is_doubtful: bool,
}

impl AnswerEvidence {
    fn is_thin(&self) -> bool {
        self.is_doubtful
            && self.best_file + self.best_place / PLACE_UNIT < ENOUGH
            && self.best_comment < EXPLAINED
    }
}

/// Returns the greatest share of the query's words that the comments of one of the first places have.
pub(crate) fn best_comment(pool: &ScoredPool) -> f64 {
    let first = pool.iter().take(FIRST_PLACES);
    first.map(|scored| f64::from(scored.features.get(RankingFeature::Comment))).fold(0.0, f64::max)
}

/// Weighs what was found for `question`, and says why what it asks for may not be there. A question that points at a file, or
/// has a name that is declared here, is about that, whatever else it says; and one of which only verbs and other words in
/// passing are unknown is about what is known of it. A proper name that no file has is doubt enough: it is no paraphrase of
/// another word.
pub(crate) fn no_answer(
    question: &str,
    query: &ExpandedQuery,
    ranking: &FileRanking,
    candidates: &[Candidate],
    best_comment: f64,
) -> (AnswerEvidence, Option<NoAnswerReason>) {
    let weights = &ranking.term_weights;
    let own: Vec<u8> = weights.terms().filter(|term| query.is_own_word(*term)).collect();
    let mut unknown: Vec<u8> =
        own.iter().copied().filter(|word| !is_known(*word, query, weights)).collect();
    let weight = |words: &[u8]| words.iter().map(|word| weights.get(*word)).sum::<f64>();
    let unknown_share = weight(&unknown) / weight(&own).max(f64::MIN_POSITIVE);
    let places = candidates.iter().filter(|candidate| !candidate.is_secondary());
    let best_place =
        places.map(|place| place.score.sum_of(ScorePart::is_evidence)).fold(0.0, f64::max);
    let names_thing = |word: &u8| words::may_name_thing(query.text(*word), question);
    let is_in_passing = !unknown.is_empty() && !unknown.iter().any(names_thing);
    let is_unnamed = best_place < MIN_EVIDENCE * weights.unique || unknown_share > MAX_UNKNOWN;
    let is_about_place = names_place(query, weights, candidates);
    let evidence = AnswerEvidence {
        best_file: share_of_best_file(&own, query, ranking),
        best_place: best_place / weights.unique.max(f64::MIN_POSITIVE),
        best_comment,
        is_doubtful: is_unnamed && !is_in_passing && !is_about_place,
    };
    let is_thin = evidence.is_thin();
    let names = if is_about_place { Vec::new() } else { absent_names(question, query, ranking) };
    if !is_thin && names.is_empty() {
        return (evidence, None);
    }
    // How the question is put is not what is missing.
    unknown.retain(|word| {
        let word = query.text(*word);
        is_thin
            && words::word_class(word) == WordSpecificity::Content
            && !words::is_only_verb(word, question)
    });
    unknown.sort_by(|a, b| weights.get(*b).total_cmp(&weights.get(*a)).then(a.cmp(b)));
    let unknown = unknown.into_iter().map(|word| as_written(query.text(word), question));
    let mut words: Vec<String> = Vec::new();
    for word in unknown.chain(names) {
        if words.len() < MAX_WORDS && !words.iter().any(|it| it.eq_ignore_ascii_case(&word)) {
            words.push(word);
        }
    }
    (evidence, Some(NoAnswerReason { words }))
}

/// Returns the proper names of a short question that no file but prose has, as they are written: prose tells of other programs, too.
fn absent_names(question: &str, query: &ExpandedQuery, ranking: &FileRanking) -> Vec<String> {
    if question.split_whitespace().count() > MAX_WORDS_OF_QUESTION {
        return Vec::new();
    }
    let weights = &ranking.term_weights;
    let is_found = |term: u8| {
        let has_it = |file: &RankedFile| file.counts.iter().any(|(known, _)| known == term);
        weights.is_found(term)
            && ranking.best_first().any(|file| has_it(file) && !is_prose(&file.path))
    };
    let is_met =
        |term: u8| weights.terms().any(|other| query.concept(other) == term && is_found(other));
    let own = |form: TermForm, text: &str| {
        let is_it = |term: &u8| {
            query.is_own(*term) && query.form(*term) == Some(form) && query.text(*term) == text
        };
        weights.terms().find(is_it)
    };
    let is_any_met = |form: TermForm, text: &str| own(form, text).is_some_and(is_met);
    let is_absent = |name: &&str| match words::subwords(name).as_slice() {
        [word] => own(TermForm::Word, word).is_some_and(|term| !is_met(term)),
        parts => {
            let joined = words::stem(&parts.concat());
            let is_joined = |term: &u8| query.stem(*term) == joined && is_found(*term);
            own(TermForm::Whole, name).is_some()
                && !is_any_met(TermForm::Whole, name)
                && !parts.windows(2).any(|pair| is_any_met(TermForm::Pair, &pair.join(" ")))
                && !weights.terms().any(|term| is_joined(&term))
        }
    };
    let sentences = question.split(['.', '?', '!', ';', ':']);
    sentences.flat_map(proper_names).filter(is_absent).map(str::to_owned).collect()
}

/// Returns the words of a sentence that are written as names and say what it is about: with a capital inside the sentence, or
/// with several.
fn proper_names(sentence: &str) -> impl Iterator<Item = &str> {
    let words = sentence.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let about = words.enumerate().take_while(|(at, word)| {
        *at == 0 || !PASSING_WORDS.contains(&word.to_lowercase().as_str())
    });
    about
        .filter(|(at, word)| {
            let capitals = word.chars().filter(|c| c.is_uppercase()).count();
            let begins = word.chars().next().is_some_and(char::is_uppercase);
            word.chars().count() >= MIN_NAME_CHARS && (capitals > 1 || begins && *at > 0)
        })
        .map(|(_, word)| word)
}

/// Returns the word of `question` that `part` is a part of: "ql" stands in "GraphQL".
fn as_written(part: &str, question: &str) -> String {
    let mut written = question.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    let is_of_it = |word: &&str| {
        let parts = words::words_in(word);
        parts.len() > 1 && parts.iter().any(|own| own == part)
    };
    written.find(is_of_it).unwrap_or(part).to_owned()
}

/// Whether a query has a name that is declared, or points at a place.
fn names_place(query: &ExpandedQuery, weights: &TermWeights, candidates: &[Candidate]) -> bool {
    weights.terms().any(|term| {
        query.form(term) == Some(TermForm::Whole) && query.is_own(term) && weights.is_declared(term)
    }) || candidates.iter().any(|candidate| candidate.score.is_pointed_at())
}

/// Returns the share of the content words among `own` that the best file has.
fn share_of_best_file(own: &[u8], query: &ExpandedQuery, ranking: &FileRanking) -> f64 {
    let is_content = |term: &&u8| words::word_class(query.text(**term)) == WordSpecificity::Content;
    let content: Vec<u8> = own.iter().filter(is_content).copied().collect();
    let best = ranking.best_first().next();
    let is_held =
        |term: &&u8| best.is_some_and(|file| file.counts.iter().any(|(known, _)| known == **term));
    content.iter().filter(is_held).count() as f64 / content.len().max(1) as f64
}

/// Whether something is named with a word or with a related one.
fn is_known(word: u8, query: &ExpandedQuery, weights: &TermWeights) -> bool {
    let is_related = |term: &u8| query.concept(*term) == word;
    weights.is_declared(word)
        || weights.terms().filter(is_related).any(|term| weights.is_declared(term))
}
