//! Checks the names, files, commands and quantities of a text. Each must be in the cited lines, linked to them, or
//! delivered elsewhere in the run, unless the text only asks for it, denies it or proposes it.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{
    addressed_reader::AllowedRequests,
    arithmetic_claims::computations,
    evidence::{MentionEvidence, words_of},
    grounding_steps::{CitedSubjectRule, GroundingViolation, TextGrounding},
    imperative_clauses::{asks_for_edit, instruction},
    proposals::Proposals,
    word_forms::stems,
};
use crate::{
    code_map::ReportAuthor,
    code_mentions_in_prose::{Mention, is_file_name, mentions},
    prose_normalization::{has_word, literal_regex, sentences, truncate},
    quantity::Quantity,
    sentence_clauses::{claims, clauses, denies_existence, is_gap, is_outside, is_question, steps},
    validate::citation::Citation,
    validation_reason_parts::ReasonDetail,
};

/// Most names that are told to be shown nowhere at once.
const MAX_UNSHOWN: usize = 4;

impl TextGrounding<'_, '_> {
    /// Whether a text has a name or two words of the cited lines.
    pub(super) fn is_of_cited(&self, text: &str) -> bool {
        let is_found = |mention: &Mention| {
            !matches!(mention, Mention::Command(_) | Mention::Quantity(_) | Mention::Unit(_))
                && matches!(
                    self.support(mention, &[]),
                    MentionEvidence::Cited | MentionEvidence::Elsewhere(_)
                )
        };
        let context = &self.evidence.context;
        let cited: String = self.refs.iter().map(|citation| citation.text(context)).collect();
        mentions(text).iter().any(is_found)
            || stems(text).intersection(&stems(&cited)).nth(1).is_some()
    }

    /// Returns what `text` names and was not delivered: the first such thing, with further ones of its kind.
    pub(super) fn undelivered(&self, text: &str) -> Option<GroundingViolation> {
        let words: Vec<&str> = words_of(text).collect();
        // What the program writes itself may say which part of a declaration it shows.
        let counts = self.evidence.context.author == ReportAuthor::Model;
        let is_gap_text = self.subject == CitedSubjectRule::Gap;
        let tells_of_run = self.tells_of_run();
        let parts =
            if tells_of_run && !is_question(text) { claims(text) } else { Vec::from([text]) };
        let unmatched = self.evidence.context.ledger.unmatched();
        let wishes =
            if self.subject == CitedSubjectRule::Any { wishes(text) } else { String::new() };
        let wishes = wishes.as_str();
        let proposed = self.proposals(text);
        let proposed = &proposed;
        let mut checked = parts.into_iter().flat_map(|part| {
            // "No `retry` was found, nor 3 attempts" says no more than that.
            let denies = tells_of_run && is_gap(part);
            let is_gap = is_gap_text && denies;
            let is_absence = is_gap && denies_existence(part);
            // No line here can show what is elsewhere.
            let is_elsewhere = is_gap_text && is_outside(part);
            mentions(part).into_iter().filter(move |mention| match mention {
                Mention::Quantity(Quantity { text: wanted, .. }) | Mention::Literal(wanted)
                    if has_word(wishes, wanted) || proposed.has_value(wanted) =>
                {
                    false
                }
                Mention::Quantity(_) => counts && !is_gap,
                Mention::Identifier(name) | Mention::Word(name) if proposed.has_name(name) => false,
                Mention::Unit(_) => !is_gap,
                Mention::Word(_) | Mention::Literal(_) if is_gap => false,
                Mention::Identifier(_) | Mention::Word(_) | Mention::Hyphenated(_)
                    if is_elsewhere =>
                {
                    false
                }
                _ if denies && is_unmatched(mention, unmatched) => false,
                // That it was asked for and is not there is what a gap says.
                Mention::Identifier(name) => !(is_absence && self.is_asked_for(name)),
                _ => true,
            })
        });
        let is_unshown = |mention: &Mention| {
            self.support(mention, &words) == MentionEvidence::Nowhere
                && !self.is_unsaid_unit(mention)
                && !self.is_computed(mention, text)
        };
        let first = checked.find(&is_unshown)?;
        let shows = shown_by(&first);
        let mut names = vec![named(&first)];
        for more in checked.filter(|more| shown_by(more) == shows && is_unshown(more)) {
            let name = named(&more);
            if names.len() < MAX_UNSHOWN && !names.contains(&name) {
                names.push(name);
            }
        }
        let (lines, to_whom) = shows;
        Some(GroundingViolation::new(has_none_of(lines, to_whom, &names)))
    }

    /// Returns what `text` proposes where a change is asked for: it is no claim about the lines.
    pub(super) fn proposals<'s>(&self, text: &'s str) -> Proposals<'s> {
        let is_asked =
            self.evidence.context.scope.wants_change && self.subject != CitedSubjectRule::Gap;
        if is_asked { Proposals::of(text) } else { Proposals::default() }
    }

    /// Whether a mention is a number that the text computes from two others, both of which the lines have.
    pub(super) fn is_computed(&self, mention: &Mention, text: &str) -> bool {
        let Mention::Quantity(quantity) = mention else { return false };
        let is_shown = |part: &Quantity| {
            self.support(&Mention::Quantity(part.clone()), &[]) != MentionEvidence::Nowhere
        };
        let mut given = computations(text).into_iter().filter(|found| found.gives(quantity));
        given.any(|found| found.parts.iter().all(is_shown))
    }

    /// Whether a mention is a unit that the lines neither name nor contradict by another unit.
    pub(super) fn is_unsaid_unit(&self, mention: &Mention) -> bool {
        matches!(mention, Mention::Unit(unit)
            if !self.is_free() && !self.evidence.names_other_unit(unit, self.refs))
    }

    /// Returns why a term must not be searched for. A short one, such as "install script", is no order. A single name need not
    /// have been seen, unless it is a file's.
    pub(super) fn term_fault(&self, term: &str) -> Option<GroundingViolation> {
        let is_name = |word: &str| {
            word.chars().all(|c| c.is_ascii_alphanumeric() || "_-.:$#@,()".contains(c))
                && !is_file_name(word)
        };
        if is_name(term) {
            return None;
        }
        // A command line is searched for only where one was shown.
        let has_option = term.split_whitespace().skip(1).any(|word| {
            word.trim_start_matches('-').starts_with(char::is_alphabetic) && word.starts_with('-')
        });
        let command = Mention::Command(term.to_owned());
        if has_option && self.support(&command, &[]) == MentionEvidence::Nowhere {
            let (lines, to_whom) = shown_by(&command);
            return Some(GroundingViolation::new(has_none_of(lines, to_whom, &[named(&command)])));
        }
        let is_text = term.contains("://") || term.split_whitespace().nth(3).is_some();
        let requests = AllowedRequests { reading: true, ..AllowedRequests::default() };
        let order = || instruction(term, requests, &[], self.evidence);
        let unshown = self.undelivered(term).filter(|_| !self.is_asked_for(term));
        unshown.or_else(|| is_text.then(order).flatten().map(GroundingViolation::new))
    }

    pub(super) fn support(&self, mention: &Mention, words: &[&str]) -> MentionEvidence {
        match self.evidence.find(mention, self.refs, words) {
            MentionEvidence::Nowhere if self.is_allowed(mention) => MentionEvidence::Shown,
            level => level,
        }
    }

    pub(super) fn is_allowed(&self, mention: &Mention) -> bool {
        let has = |name: &str| has_word(self.also, name);
        match mention {
            Mention::Identifier(name) | Mention::Word(name) => {
                has(name)
                    || self.is_project(name)
                    || (self.subject == CitedSubjectRule::Gap && self.evidence.is_in_path(name))
            }
            Mention::File(name) => has(name),
            Mention::Quantity(quantity) => has(&quantity.text),
            Mention::Unit(unit) => has(unit),
            Mention::Literal(literal) => has(literal),
            Mention::Hyphenated(words) => self.also.contains(words),
            Mention::Command(_) | Mention::Call(_) => false,
        }
    }

    /// Whether `name` is that of the project, by the folder that it is in; what tells of the whole run may also name a folder
    /// of files that were shown.
    pub(super) fn is_project(&self, name: &str) -> bool {
        let root = self.evidence.context.root;
        let folder = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        folder.eq_ignore_ascii_case(name)
            || (self.tells_of_run() && self.evidence.is_shown_folder(name))
    }

    /// Whether calls of the run asked for all words of `name`.
    pub(super) fn is_asked_for(&self, name: &str) -> bool {
        let asked = self.evidence.context.ledger.asked();
        words_of(name).all(|word| asked.contains(&word.to_lowercase()))
    }

    /// Whether `text` says something with a mention that was found.
    pub(super) fn is_verified(&self, text: &str) -> bool {
        let words: Vec<&str> = words_of(text).collect();
        // What was not found need not be named as code.
        words.len() >= 2
            && (self.subject == CitedSubjectRule::Gap
                || mentions(text).iter().any(|mention| {
                    matches!(
                        self.support(mention, &words),
                        MentionEvidence::Cited | MentionEvidence::Elsewhere(_)
                    )
                }))
    }

    /// Returns the places that show what the cited lines do not, each once.
    pub(super) fn places_to_add(&self, text: &str) -> Vec<Citation> {
        let words: Vec<&str> = words_of(text).collect();
        let mut added: Vec<Citation> = Vec::new();
        for mention in mentions(text) {
            if added.len() < self.room
                && let MentionEvidence::Elsewhere(place) = self.support(&mention, &words)
                && self.evidence.find(&mention, &added, &words) != MentionEvidence::Cited
            {
                added.push(place);
            }
        }
        added
    }
}

/// Returns the clauses of a purpose that say what is to be: "Change it if it must be another, for example 422". Only a step that
/// asks for an edit, or that has a condition, says so.
fn wishes(purpose: &str) -> String {
    static WISH: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"(?i)\b(?:for example|for instance|e\.g\.|such as|instead|(?:must|should|would|could) (?:now )?be)\s",
        )
    });
    let of_step = |step: &str| {
        let found = WISH.as_ref()?.find(step)?;
        let has_duty = || has_word(step, "must") || has_word(step, "should");
        let is_wish = asks_for_edit(step) || (has_word(step, "if") && has_duty());
        let wish = clauses(&step[found.start()..]).into_iter().next()?;
        is_wish.then(|| wish.to_owned())
    };
    let all = sentences(purpose).into_iter().flat_map(steps);
    all.filter_map(|step| of_step(step.text)).collect::<Vec<_>>().join("; ")
}

/// Whether all words of a name are among those that a search did not find.
fn is_unmatched(mention: &Mention, unmatched: &BTreeSet<String>) -> bool {
    let (Mention::Identifier(name) | Mention::Word(name) | Mention::File(name)) = mention else {
        return false;
    };
    words_of(name).next().is_some()
        && words_of(name).all(|word| unmatched.contains(&word.to_lowercase()))
}

pub(super) fn named(mention: &Mention) -> ReasonDetail {
    match mention {
        Mention::Identifier(name)
        | Mention::Word(name)
        | Mention::File(name)
        | Mention::Unit(name)
        | Mention::Call(name)
        | Mention::Literal(name)
        | Mention::Hyphenated(name)
        | Mention::Command(name) => ReasonDetail::quoted(&truncate(name, 60)),
        Mention::Quantity(quantity) => ReasonDetail::said(quantity.text.as_str()),
    }
}

/// Says that the lines have none of `names`.
fn has_none_of(lines: &'static str, to_whom: &'static str, names: &[ReasonDetail]) -> ReasonDetail {
    let mut detail = ReasonDetail::said(lines).say_to_model(to_whom);
    for (at, name) in names.iter().enumerate() {
        detail = detail.say(if at == 0 { " has " } else { " or " }).followed_by(name);
    }
    detail
}

/// What would have to show a mention, and to whom, which only the model is told.
fn shown_by(mention: &Mention) -> (&'static str, &'static str) {
    match mention {
        Mention::Quantity(_) | Mention::Unit(_) | Mention::Command(_) => {
            ("no line that it cites", "")
        }
        Mention::File(_) => ("no path or line shown", " to you"),
        _ => ("no line shown", " to you"),
    }
}
