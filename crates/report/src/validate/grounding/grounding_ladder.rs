//! How every prose of a report is grounded: (a) what it names is in its cited lines or joined to them; (b) it was
//! delivered elsewhere in the run, and that place is added; (c) the smallest clause that fails is cut; (d) the text goes.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use super::{
    arithmetic_claims::{computations, wrong_result},
    call_argument_claims::passed_argument,
    clause_subject::{
        is_acting, is_body_delivered, is_named_by_body, is_told_by_body, misattributed,
        other_first_subject, other_place_subject, other_subject, unshown_subject,
    },
    counted_list_claims::miscounted_list,
    evidence::{MentionEvidence, RunEvidence, words_of},
    extremum_claims::wrong_extremum,
    guard_claims::wrong_guard,
    imperative_clauses::{ImperativePolicy, asks_for_edit, instruction},
    number_claims::contradicted_number,
    order_claims::reversed_order,
    proposals::Proposals,
    relation_claims::contradiction,
    sole_caller_claims::other_caller,
    thrown_or_logged_claims::thrown_or_logged,
    value_list_claims::wrong_member,
    word_forms::stems,
};
use crate::{
    code_map::{ReportAuthor, Verdict},
    code_mentions_in_prose::{Mention, is_file_name, mentions},
    prose_normalization::{has_word, literal_regex, sentences, truncate},
    quantity::Quantity,
    sentence_clauses::{
        DescribedFlowStep, claims, clauses, cuts, denies_existence, is_gap, is_outside,
        is_question, join, refers_back, starts_with_verb, steps,
    },
    validate::citation::Citation,
    validation_reason_codes::UncitedEvidence,
};

/// What a text cites, and what else it may name.
pub(super) struct TextGrounding<'e, 'a> {
    pub(super) evidence: &'e RunEvidence<'a>,
    pub(super) refs: &'e [Citation],
    /// A text that may be named too: the question.
    pub(super) also: &'e str,
    /// References that may be added.
    pub(super) room: usize,
    /// How far it has to be about its lines.
    pub(super) subject: CitedSubjectRule,
}

/// How far a text has to be about the lines that it cites.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CitedSubjectRule {
    /// A fact: of the function that it names first.
    Cited,
    /// Summary and flow: each clause of a function that is cited, or that the cited lines name.
    Named,
    /// The reason of a place inside a function: of that function, or of one that its lines name or that calls it.
    Placed,
    /// A purpose may be about others.
    Any,
    /// What was not found: of nothing that was seen.
    Gap,
}

/// Something that a text may not say, or that its lines do not show.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroundingViolation {
    /// What is wrong, as a sentence fragment.
    pub(super) detail: String,
    /// Whether the whole clause is about something else than its lines; no cut mends that.
    is_about_other: bool,
    /// What it should cite besides.
    pub(super) remedy: Option<Box<UncitedEvidence>>,
}

impl GroundingViolation {
    fn new(detail: impl Into<String>) -> Self {
        Self { detail: detail.into(), is_about_other: false, remedy: None }
    }
}

/// A text after its grounding.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroundingOutcome {
    /// What is left; empty if the text goes.
    pub(super) text: String,
    pub(super) verdict: Verdict,
    /// References to add.
    pub(super) added: Vec<Citation>,
    /// What was wrong with what was cut.
    pub(super) faults: Vec<GroundingViolation>,
    /// What of the text its lines neither show nor contradict.
    pub(super) doubt: Option<GroundingViolation>,
}

impl GroundingOutcome {
    /// Returns what the planner is told of the text.
    pub(super) fn shown_verdict(&self) -> Verdict {
        if self.doubt.is_some() { Verdict::Unconfirmed } else { self.verdict }
    }
}

impl TextGrounding<'_, '_> {
    /// Returns what is left of `text`.
    pub(super) fn ground(&self, text: &str) -> GroundingOutcome {
        let mut faults = Vec::new();
        let mut left = String::new();
        let mut follows_cut = false;
        for (at, sentence) in sentences(text).into_iter().enumerate() {
            let refusal = if follows_cut && refers_back(sentence) {
                Some("refers to what was cut")
            } else if at > 0 && !self.is_tied(sentence) {
                Some("says nothing of the cited lines")
            } else {
                None
            };
            let kept = if let Some(refusal) = refusal {
                faults.push(GroundingViolation::new(refusal));
                String::new()
            } else {
                self.sentence(sentence, &mut faults)
            };
            follows_cut = kept.trim().is_empty();
            if !kept.is_empty() && !left.is_empty() && !left.ends_with(' ') {
                left.push(' ');
            }
            left.push_str(&kept);
        }
        let left = left.trim().to_owned();
        if faults.is_empty() {
            let added = self.places_to_add(text);
            let verdict = if added.is_empty() { Verdict::AsSubmitted } else { Verdict::Recited };
            let doubt = self.doubt_beside(&added, text);
            return GroundingOutcome { text: text.to_owned(), verdict, added, faults, doubt };
        }
        let text = if self.is_verified(&left) { left } else { String::new() };
        let added = self.places_to_add(&text);
        let doubt = self.doubt_beside(&added, &text);
        GroundingOutcome { text, verdict: Verdict::Cut, added, faults, doubt }
    }

    /// Whether a further sentence of a fact, a reason or a purpose is about the cited lines: it has a name or two words
    /// of them.
    fn is_tied(&self, sentence: &str) -> bool {
        let is_free = match self.subject {
            CitedSubjectRule::Named => true,
            // What was not seen is in no lines.
            CitedSubjectRule::Gap => is_gap(sentence),
            CitedSubjectRule::Cited | CitedSubjectRule::Placed | CitedSubjectRule::Any => false,
        };
        if is_free || self.evidence.context.author != ReportAuthor::Model {
            return true;
        }
        self.is_of_cited(sentence)
    }

    /// Whether a text has a name or two words of the cited lines.
    fn is_of_cited(&self, text: &str) -> bool {
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

    /// Returns the cited lines and those of the `added` ones that are of the same function as a cited one. That others name a
    /// thing does not show its part in these.
    fn joined_refs(&self, added: &[Citation]) -> Vec<Citation> {
        let is_same_function = |place: &&Citation| {
            self.evidence.overlapping(place).any(|declaration| {
                declaration.kind == "function"
                    && self
                        .refs
                        .iter()
                        .any(|own| own.path == place.path && own.range.overlaps(declaration.range))
            })
        };
        let joined = added.iter().filter(is_same_function);
        self.refs.iter().chain(joined).cloned().collect()
    }

    /// Returns what `text` claims that its lines neither show nor contradict, with the `added` ones.
    fn doubt_beside(&self, added: &[Citation], text: &str) -> Option<GroundingViolation> {
        TextGrounding { refs: &self.joined_refs(added), ..*self }.doubt(text)
    }

    /// Returns what a finding says of a function that its lines are not of, or of an order that they have the other way round.
    /// Of a flow or a summary, which tell of the whole run, either is a doubt only.
    fn misplaced(&self, text: &str) -> Option<GroundingViolation> {
        let is_finding = self.subject == CitedSubjectRule::Cited;
        if !is_finding || self.evidence.context.author != ReportAuthor::Model {
            return None;
        }
        let refs = self.joined_refs(&self.places_to_add(text));
        let joined = TextGrounding { refs: &refs, ..*self };
        let mut steps = steps(text).into_iter();
        let other = steps.find_map(|step| {
            // What stands in the lines of the function that is named may be told of it.
            let told = |name: &&str| {
                is_named_by_body(step.text, name, self.evidence) || self.is_project(name)
            };
            let other = || joined.subject_of_other(step.text).filter(|name| !told(name));
            joined.stray_subject(step.text).or_else(other)
        });
        let not_of = |name| self.about(name, format!("the cited lines are not of \"{name}\""));
        other.map(not_of).or_else(|| {
            let [earlier, later] = joined.other_order(text)?;
            let detail = format!("the cited lines have \"{later}\" before \"{earlier}\"");
            Some(GroundingViolation::new(detail))
        })
    }

    /// Returns an order that the lines have the other way round.
    fn other_order(&self, sentence: &str) -> Option<[String; 2]> {
        let order = reversed_order(sentence, self.refs, self.evidence)?;
        Some(order.map(|part| truncate(part.trim(), 60)))
    }

    /// Returns what `text` claims that its lines neither show nor contradict.
    fn doubt(&self, text: &str) -> Option<GroundingViolation> {
        if self.is_free() || self.evidence.context.author != ReportAuthor::Model {
            return None;
        }
        sentences(text).into_iter().find_map(|sentence| {
            if let Some([earlier, later]) = self.other_order(sentence) {
                let detail = format!("that \"{earlier}\" comes before \"{later}\"");
                return Some(GroundingViolation::new(detail));
            }
            steps(sentence).into_iter().find_map(|step| self.doubt_of_step(step.text))
        })
    }

    /// Returns the fault of a clause about `name` whose lines are not of it.
    fn about(&self, name: &str, detail: String) -> GroundingViolation {
        // Only a finding takes further references.
        let is_finding = self.subject == CitedSubjectRule::Cited;
        let remedy = if is_finding { self.evidence.remedy(name, self.refs) } else { None };
        GroundingViolation { detail, is_about_other: true, remedy }
    }

    fn doubt_of_step(&self, step: &str) -> Option<GroundingViolation> {
        self.stray_name(step)
            .map(|name| self.about(name, format!("the part of \"{name}\"")))
            .or_else(|| self.name_of_other_comment(step))
            .or_else(|| self.unsaid_unit(step))
            .or_else(|| {
                let name = self.subject_of_other(step)?;
                Some(self.about(name, format!("what \"{name}\" does")))
            })
    }

    /// Returns a function that a clause is about, though its lines are of another one.
    fn subject_of_other<'s>(&self, step: &'s str) -> Option<&'s str> {
        let other = misattributed(step, self.refs, self.evidence);
        // A flow has the words of several functions.
        let is_shown = |certain| certain || self.subject == CitedSubjectRule::Cited;
        let named = other.filter(|other| is_shown(other.is_certain)).map(|other| other.named);
        named.or_else(|| {
            let unshown = unshown_subject(step, self.refs, self.evidence)?;
            // A summary or a flow tells of the whole run, not only of what its findings cite.
            let is_known = self.subject == CitedSubjectRule::Named
                && (is_body_delivered(unshown, self.evidence)
                    || is_named_by_body(step, unshown, self.evidence));
            (!is_known).then_some(unshown)
        })
    }

    /// Returns the name that a clause begins with or says the doing of, if its lines are of another function, and where it was
    /// delivered it stands beside no other name of the clause.
    fn stray_subject<'s>(&self, step: &'s str) -> Option<&'s str> {
        self.stray_name(step).filter(|name| is_acting(name, step, self.refs, self.evidence))
    }

    /// Returns what is left of a sentence.
    fn sentence(&self, sentence: &str, faults: &mut Vec<GroundingViolation>) -> String {
        if self.fault(sentence).is_none() {
            return sentence.to_owned();
        }
        let mut kept: Vec<(DescribedFlowStep<'_>, Option<String>)> = Vec::new();
        // Whether the subject of the next step, if it has none of its own, was cut.
        let mut has_lost_subject = false;
        for step in steps(sentence) {
            let leans = has_lost_subject && leans_on_step_before(&step, kept.last());
            let left = match self.fault(step.text) {
                None if leans => None,
                None => Some(step.text.to_owned()),
                Some(fault) => {
                    let is_other = fault.is_about_other;
                    faults.push(fault);
                    let may_be_cut = !is_other && !leans;
                    // Without the words that show it to be wrong, it would be as wrong as before.
                    let wrong = contradicted_number(step.text, self.refs, self.evidence);
                    let keeps_wrong =
                        |cut: &str| wrong.iter().any(|wrong| cut.contains(&wrong.number));
                    cuts(step.text).into_iter().filter(|_| may_be_cut).find(|cut| {
                        cut.split_whitespace().count() >= 2
                            && !keeps_wrong(cut)
                            && self.fault(cut).is_none()
                            && self.is_verified(cut)
                    })
                }
            };
            has_lost_subject = match &left {
                // Its last clause may have had another subject than what is left of it.
                Some(left) => clauses(left).len() < clauses(step.text).len(),
                None => has_lost_subject || !starts_with_verb(step.text) || kept.is_empty(),
            };
            kept.push((step, left));
        }
        let mut left = join(&kept);
        // What holds only across steps, such as an order of calls: the last ones go.
        let mut across = self.fault(&left);
        if across.is_none() && faults.is_empty() {
            across = Some(GroundingViolation::new("its steps contradict the delivered lines"));
            left = String::new();
        }
        while !left.is_empty() && self.fault(&left).is_some() {
            if let Some((_, last)) = kept.iter_mut().rev().find(|(_, left)| left.is_some()) {
                *last = None;
            }
            left = join(&kept);
        }
        faults.extend(across);
        let ends_open = !left.is_empty() && !left.ends_with(['.', '!', '?', '…']);
        if ends_open && sentence.trim_end().ends_with('.') {
            left.push('.');
        }
        left
    }

    /// Returns the first thing that `text` may not say.
    fn fault(&self, text: &str) -> Option<GroundingViolation> {
        if let Some(unshown) = self.undelivered(text) {
            return Some(unshown);
        }
        let wants_change = self.evidence.context.scope.wants_change;
        let requests = match self.subject {
            CitedSubjectRule::Any | CitedSubjectRule::Gap if wants_change => {
                ImperativePolicy::LookAndChange
            }
            CitedSubjectRule::Any | CitedSubjectRule::Gap => ImperativePolicy::LookAndEdit,
            CitedSubjectRule::Named if wants_change && self.is_of_cited(text) => {
                ImperativePolicy::StepsOfChange
            }
            _ if wants_change && self.is_of_cited(text) => ImperativePolicy::Change,
            CitedSubjectRule::Placed => ImperativePolicy::Look,
            CitedSubjectRule::Named => ImperativePolicy::Steps,
            CitedSubjectRule::Cited => ImperativePolicy::None,
        };
        // "Whether `a` calls `b` was not read" claims nothing of the two.
        let asks = match self.subject {
            CitedSubjectRule::Any => is_question(text),
            CitedSubjectRule::Gap => is_question(text) || claims(text).into_iter().all(is_gap),
            CitedSubjectRule::Cited | CitedSubjectRule::Named | CitedSubjectRule::Placed => false,
        };
        if let Some(detail) = miscounted_list(text) {
            return Some(GroundingViolation {
                is_about_other: true,
                ..GroundingViolation::new(detail)
            });
        }
        let contradicted = instruction(text, requests, self.refs, self.evidence)
            .or_else(|| if asks { None } else { self.contradicted(text) });
        if let Some(detail) = contradicted {
            return Some(GroundingViolation::new(detail));
        }
        let other = match self.subject {
            CitedSubjectRule::Any | CitedSubjectRule::Gap => None,
            CitedSubjectRule::Placed => other_place_subject(text, self.refs, self.evidence),
            // They tell of the whole run, not only of what the findings cite.
            CitedSubjectRule::Named => other_subject(text, self.refs, self.evidence)
                .filter(|name| !is_told_by_body(text, name, self.evidence))
                .filter(|name| !is_named_by_body(text, name, self.evidence)),
            CitedSubjectRule::Cited => other_subject(text, self.refs, self.evidence)
                .or_else(|| other_first_subject(text, self.refs, self.evidence)),
        };
        // A summary or a flow has the words of several functions.
        let is_described = !self.is_free() && self.subject != CitedSubjectRule::Named;
        let other = other.or_else(|| {
            let found = misattributed(text, self.refs, self.evidence).filter(|_| is_described);
            found.filter(|found| found.is_certain).map(|found| found.named)
        });
        other
            .map(|name| self.about(name, format!("the cited lines are not of \"{name}\"")))
            .or_else(|| self.misplaced(text))
    }

    /// Returns the first thing that `text` names and that was not delivered.
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
                Mention::Quantity(wanted) => {
                    counts
                        && !is_gap
                        && !has_word(wishes, &wanted.text)
                        && !proposed.has_value(&wanted.text)
                }
                Mention::Identifier(name) | Mention::Word(name) if proposed.has_name(name) => false,
                Mention::Unit(_) => !is_gap,
                Mention::Word(_) if is_gap => false,
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
        let unshown = checked.find(|mention| {
            self.support(mention, &words) == MentionEvidence::Nowhere
                && !self.is_unsaid_unit(mention)
                && !self.is_computed(mention, text)
        })?;
        let shows = match unshown {
            Mention::Quantity(_) | Mention::Unit(_) | Mention::Command(_) => {
                "no line that it cites"
            }
            Mention::File(_) => "no path or line shown to you",
            _ => "no line shown to you",
        };
        Some(GroundingViolation::new(format!("{shows} has {}", named(&unshown))))
    }

    /// Returns what `text` proposes where a change is asked for: it is no claim about the lines.
    fn proposals<'s>(&self, text: &'s str) -> Proposals<'s> {
        let is_asked =
            self.evidence.context.scope.wants_change && self.subject != CitedSubjectRule::Gap;
        if is_asked { Proposals::of(text) } else { Proposals::default() }
    }

    /// Whether a mention is a number that the text computes from two others, both of which the lines have.
    fn is_computed(&self, mention: &Mention, text: &str) -> bool {
        let Mention::Quantity(quantity) = mention else { return false };
        let is_shown = |part: &Quantity| {
            self.support(&Mention::Quantity(part.clone()), &[]) != MentionEvidence::Nowhere
        };
        let mut given = computations(text).into_iter().filter(|found| found.gives(quantity));
        given.any(|found| found.parts.iter().all(is_shown))
    }

    /// Whether a mention is a unit of which the lines do not say whether it is that one.
    fn is_unsaid_unit(&self, mention: &Mention) -> bool {
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
        let is_text = term.contains("://") || term.split_whitespace().nth(3).is_some();
        let order = || instruction(term, ImperativePolicy::Look, &[], self.evidence);
        let unshown = self.undelivered(term).filter(|_| !self.is_asked_for(term));
        unshown.or_else(|| is_text.then(order).flatten().map(GroundingViolation::new))
    }

    /// Whether a text tells of the whole run: summary, flow, what was not found.
    fn tells_of_run(&self) -> bool {
        matches!(self.subject, CitedSubjectRule::Named | CitedSubjectRule::Gap)
    }

    /// Whether a text need not be about its lines.
    fn is_free(&self) -> bool {
        matches!(self.subject, CitedSubjectRule::Any | CitedSubjectRule::Gap)
    }

    /// Returns what `text` says to the contrary of the lines.
    fn contradicted(&self, text: &str) -> Option<String> {
        contradiction(text, self.evidence)
            .or_else(|| other_caller(text, self.evidence))
            .or_else(|| wrong_result(text))
            .or_else(|| Some(contradicted_number(text, self.refs, self.evidence)?.detail))
            .or_else(|| wrong_member(text, self.refs, self.evidence))
            .or_else(|| wrong_extremum(text, self.refs, self.evidence))
            .or_else(|| thrown_or_logged(text, self.refs, self.evidence))
            .or_else(|| wrong_guard(text, self.refs, self.evidence))
            .or_else(|| passed_argument(text, self.refs, self.evidence))
    }

    /// Returns a unit of a clause that the lines do not have, and no other of its kind either.
    fn unsaid_unit(&self, step: &str) -> Option<GroundingViolation> {
        let is_unsaid = |mention: &Mention| {
            self.is_unsaid_unit(mention) && self.support(mention, &[]) == MentionEvidence::Nowhere
        };
        let unit = mentions(step).into_iter().find(is_unsaid)?;
        Some(GroundingViolation::new(format!("the unit {}", named(&unit))))
    }

    /// Returns a name of a clause that its lines do not have, and that stands beside no other name of it where it was delivered.
    fn stray_name<'s>(&self, step: &'s str) -> Option<&'s str> {
        if self.subject != CitedSubjectRule::Cited {
            return None;
        }
        let mentions = mentions(step);
        let is_apart = |name: &str| {
            let around = self.evidence.lines_with(name);
            let names = mentions.iter().filter_map(Mention::name);
            let mut others = names.filter(|other| *other != name).peekable();
            others.peek().is_some()
                && !others.any(|other| has_word(&around, other))
                && !self.evidence.is_type_of_cited(name, self.refs)
        };
        mentions.iter().find_map(|mention| {
            let name = mention.name()?;
            let is_elsewhere = matches!(self.support(mention, &[]), MentionEvidence::Elsewhere(_));
            let at = step.find(name).filter(|_| is_elsewhere && is_apart(name))?;
            step.get(at..at + name.len())
        })
    }

    /// Returns a name that no code has, only a comment of a file that is not cited.
    fn name_of_other_comment(&self, step: &str) -> Option<GroundingViolation> {
        mentions(step).iter().filter(|_| self.subject == CitedSubjectRule::Cited).find_map(|it| {
            let name = it.name()?;
            let is_in_comment = self.evidence.find(it, self.refs, &[]) == MentionEvidence::Shown
                && !self.is_allowed(it)
                && !self.evidence.is_in_file_of(name, self.refs);
            is_in_comment.then(|| self.about(name, format!("the part of \"{name}\"")))
        })
    }

    fn support(&self, mention: &Mention, words: &[&str]) -> MentionEvidence {
        match self.evidence.find(mention, self.refs, words) {
            MentionEvidence::Nowhere if self.is_allowed(mention) => MentionEvidence::Shown,
            level => level,
        }
    }

    fn is_allowed(&self, mention: &Mention) -> bool {
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
            Mention::Hyphenated(words) => self.also.contains(words),
            Mention::Command(_) | Mention::Call(_) => false,
        }
    }

    /// Whether `name` is that of the project, by the folder that it is in; what tells of the whole run may also name a folder
    /// of files that were shown.
    fn is_project(&self, name: &str) -> bool {
        let root = self.evidence.context.root;
        let folder = root.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        folder.eq_ignore_ascii_case(name)
            || (self.tells_of_run() && self.evidence.is_shown_folder(name))
    }

    /// Whether calls of the run asked for all words of `name`.
    fn is_asked_for(&self, name: &str) -> bool {
        let asked = self.evidence.context.ledger.asked();
        words_of(name).all(|word| asked.contains(&word.to_lowercase()))
    }

    /// Whether `text` says something with a mention that was found.
    fn is_verified(&self, text: &str) -> bool {
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
    fn places_to_add(&self, text: &str) -> Vec<Citation> {
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

/// Whether `step` has no subject of its own and takes that of the step before it. Steps of a chain of arrows are names.
fn leans_on_step_before(
    step: &DescribedFlowStep<'_>,
    before: Option<&(DescribedFlowStep<'_>, Option<String>)>,
) -> bool {
    let is_chain = before.is_some_and(|(before, _)| before.separator.contains(['→', '>']));
    let is_object = !is_chain && step.text.split_whitespace().nth(1).is_none();
    is_object || refers_back(step.text) || starts_with_verb(step.text)
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

fn named(mention: &Mention) -> String {
    match mention {
        Mention::Identifier(name)
        | Mention::Word(name)
        | Mention::File(name)
        | Mention::Unit(name)
        | Mention::Call(name)
        | Mention::Hyphenated(name)
        | Mention::Command(name) => format!("\"{}\"", truncate(name, 60)),
        Mention::Quantity(quantity) => quantity.text.clone(),
    }
}
