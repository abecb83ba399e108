//! Grounds each text of a report, in four steps: (a) the names in it are in its cited lines or linked to them; (b) else
//! the place where they were delivered is added; (c) else the smallest clause that fails is cut; (d) else the text is
//! dropped.

use super::{
    addressed_reader::{AllowedEdits, AllowedRequests},
    arithmetic_claims::wrong_result,
    call_argument_claims::passed_argument,
    clause_subject::{
        is_named_by_body, is_told_by_body, other_first_subject, other_place_subject, other_subject,
    },
    counted_list_claims::miscounted_list,
    evidence::RunEvidence,
    extremum_claims::wrong_extremum,
    guard_claims::wrong_guard,
    imperative_clauses::instruction,
    misattributed_clauses::misattributed,
    number_claims::contradicted_number,
    relation_claims::contradiction,
    sole_caller_claims::other_caller,
    thrown_or_logged_claims::thrown_or_logged,
    value_list_claims::wrong_member,
};
use crate::{
    code_map::{ReportAuthor, Verdict},
    prose_normalization::{quoted_start, sentences},
    sentence_clauses::{
        DescribedFlowStep, claims, clauses, cuts, has_more_callees, is_gap, is_question, join,
        refers_back, starts_with_verb, steps,
    },
    validate::citation::Citation,
    validation_reason_codes::UncitedEvidence,
    validation_reason_parts::ReasonDetail,
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
    /// A fact must cite the function that it names first.
    Cited,
    /// Each clause of a summary or a flow must be about a cited function, or one that the cited lines name.
    Named,
    /// The reason of a place inside a function may be about that function, its callers, or one that its lines name.
    Placed,
    /// A purpose may be about any function.
    Any,
    /// A gap must not be about anything that was seen.
    Gap,
}

/// Something that a text may not say, or that its lines do not show.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct GroundingViolation {
    /// What is wrong.
    pub(super) detail: ReasonDetail,
    /// Whether the whole clause is about something else than its lines; no cut mends that.
    pub(super) is_about_other: bool,
    /// What it should cite besides.
    pub(super) remedy: Option<Box<UncitedEvidence>>,
}

impl GroundingViolation {
    pub(super) fn new(detail: impl Into<ReasonDetail>) -> Self {
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
    /// Returns `text` after all cuts.
    pub(super) fn ground(&self, text: &str) -> GroundingOutcome {
        let mut faults = Vec::new();
        let mut left = String::new();
        let mut follows_cut = false;
        for (at, sentence) in sentences(text).into_iter().enumerate() {
            let refusal = if follows_cut && refers_back(sentence) {
                Some(" refers to what was cut")
            } else if at > 0 && !self.is_tied(sentence) {
                Some(" says nothing of the cited lines")
            } else {
                None
            };
            let kept = if let Some(refusal) = refusal {
                let start = quoted_start(sentence);
                faults.push(GroundingViolation::new(ReasonDetail::quoted(&start).say(refusal)));
                String::new()
            } else {
                self.sentence(sentence, &mut faults)
            };
            follows_cut = kept.trim().is_empty();
            if !left.ends_with(' ') {
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

    /// Returns the fault of a clause about `name` whose lines are not of it.
    pub(super) fn about(&self, name: &str, detail: ReasonDetail) -> GroundingViolation {
        // A place has one reference. What summary and flow tell can be cited by a finding.
        let is_of_place = matches!(self.subject, CitedSubjectRule::Placed | CitedSubjectRule::Any);
        let remedy = if is_of_place { None } else { self.evidence.remedy(name, self.refs) };
        GroundingViolation { detail, is_about_other: true, remedy }
    }

    /// Returns a sentence after all cuts.
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
                            && !self.has_doubtful_callee(cut, step.text)
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

    /// Whether `cut` is `step` up to a wrong callee of a list, and the ones before it are not shown either.
    fn has_doubtful_callee(&self, cut: &str, step: &str) -> bool {
        let kept = cut.trim_end_matches('.');
        let is_list = step.strip_prefix(kept).is_some_and(|rest| has_more_callees(kept, rest));
        is_list && self.doubt(cut).is_some()
    }

    /// Returns the first thing that `text` may not say.
    fn fault(&self, text: &str) -> Option<GroundingViolation> {
        if let Some(unshown) = self.undelivered(text) {
            return Some(unshown);
        }
        let wants_change = self.evidence.context.scope.wants_change;
        let editing = match self.subject {
            CitedSubjectRule::Any | CitedSubjectRule::Gap => AllowedEdits::AnyCode,
            _ if wants_change && self.is_of_cited(text) => AllowedEdits::CitedCode,
            _ => AllowedEdits::None,
        };
        let requests = AllowedRequests {
            reading: editing != AllowedEdits::None || self.subject == CitedSubjectRule::Placed,
            editing,
            wants_change,
            procedure_steps: self.subject == CitedSubjectRule::Named,
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
        let of_other = || {
            let found = misattributed(text, self.refs, self.evidence).filter(|_| is_described);
            let found = found.filter(|found| found.is_certain)?;
            let described = found.described.map(|described| {
                let detail = ReasonDetail::said("the cited lines say it of ").quote(&described);
                detail.say(", not of ").quote(found.named)
            });
            Some(self.about(found.named, described.unwrap_or_else(|| not_of(found.named))))
        };
        other
            .map(|name| self.about(name, not_of(name)))
            .or_else(of_other)
            .or_else(|| self.misplaced(text))
    }

    /// Whether a text tells of the whole run: summary, flow, what was not found.
    pub(super) fn tells_of_run(&self) -> bool {
        matches!(self.subject, CitedSubjectRule::Named | CitedSubjectRule::Gap)
    }

    /// Whether a text need not be about its lines.
    pub(super) fn is_free(&self) -> bool {
        matches!(self.subject, CitedSubjectRule::Any | CitedSubjectRule::Gap)
    }

    /// Returns what `text` says to the contrary of the lines.
    fn contradicted(&self, text: &str) -> Option<ReasonDetail> {
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
}

/// Says that the lines are of another declaration than `name`.
pub(super) fn not_of(name: &str) -> ReasonDetail {
    ReasonDetail::said("the cited lines are not of ").quote(name)
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
