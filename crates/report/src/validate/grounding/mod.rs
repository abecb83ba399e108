//! What a text says must be in its evidence, which [`evidence`] looks up. [`grounding_steps`] grounds every prose of a report by
//! these checks:
//!
//! - [`undelivered_names`]: names, files, commands and quantities; [`proposals`] for a change are no claims;
//! - [`imperative_clauses`], [`addressed_reader`]: what a text tells its reader to do;
//! - [`relation_claims`]: which of two names calls, extends or holds the other;
//! - [`sole_caller_claims`]: that nothing else calls a function;
//! - [`order_claims`]: the order of events;
//! - [`extremum_claims`]: the larger or the smaller of two;
//! - [`thrown_or_logged_claims`]: types of exceptions and levels of logs;
//! - [`number_claims`], [`arithmetic_claims`], [`counted_list_claims`]: numbers, sums, counts;
//! - [`value_list_claims`]: lists of values;
//! - [`guard_claims`]: conditions of a call;
//! - [`call_argument_claims`]: arguments of a call;
//! - [`clause_subject`], [`misattributed_clauses`]: whether the cited function is the one that a clause is about;
//! - [`unconfirmed_claims`]: what the lines neither show nor contradict, which is only marked;
//! - [`contradicting_statements`]: two statements of one report.

mod addressed_reader;
mod arithmetic_claims;
mod call_argument_claims;
mod clause_subject;
mod code_names;
mod contradicting_statements;
mod counted_list_claims;
mod evidence;
mod extremum_claims;
mod grounding_steps;
mod guard_claims;
mod imperative_clauses;
mod imperative_objects;
mod misattributed_clauses;
mod number_claims;
mod order_claims;
mod proposals;
mod relation_claims;
mod sole_caller_claims;
mod subject_of_clause;
mod thrown_or_logged_claims;
mod uncited_evidence;
mod unconfirmed_claims;
mod undelivered_names;
mod value_list_claims;
mod word_forms;

use std::collections::BTreeSet;

use self::{
    contradicting_statements::contradictions,
    evidence::{MentionEvidence, RunEvidence},
    grounding_steps::{CitedSubjectRule, GroundingOutcome, GroundingViolation, TextGrounding},
    word_forms::stems,
};
use super::{
    citation::{Citation, place_cited, text_of_place},
    draft_under_validation::{
        DraftUnderValidation, FindingUnderValidation, PlaceUnderValidation, UNDESCRIBED_GAP,
    },
    length_limits::removed_part,
    validation_input::ValidationContext,
};
use crate::{
    code_map::{ReportAuthor, Verdict},
    code_mentions_in_prose::Mention,
    prose_normalization::{has_word, single_line, truncate},
    report_limits::MAX_REFS,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};

/// Grounds what a report says, by the lines that were delivered in its run.
pub(super) struct Grounding<'a> {
    evidence: RunEvidence<'a>,
}

impl<'a> Grounding<'a> {
    pub(super) fn new(context: &ValidationContext<'a>) -> Self {
        Self { evidence: RunEvidence::new(context) }
    }

    /// Grounds the reasons and purposes of places, each by the lines of its own place. Of a reason without any truth nothing is
    /// left here; [`Grounding::ground_rest`] gives its place another one.
    pub(super) fn ground_places(&self, state: &mut DraftUnderValidation) {
        let DraftUnderValidation { primary, secondary, read_targets, reasons, .. } = state;
        for item in primary.iter_mut().chain(secondary) {
            ground_place(item, "why", CitedSubjectRule::Placed, &self.evidence, reasons);
            item.symbols = grounded_symbols(item, &self.evidence, reasons);
        }
        for item in read_targets {
            ground_place(item, "purpose", CitedSubjectRule::Any, &self.evidence, reasons);
        }
    }

    /// Grounds what is said beside the places.
    pub(super) fn ground_rest(&self, state: &mut DraftUnderValidation) {
        for item in state.place_items_mut() {
            if item.text.is_empty() && item.verdict == Verdict::Cut {
                item.text = default_reason(&item.citation, &self.evidence.context);
            }
        }
        let reasons = &mut state.reasons;
        state.findings.retain_mut(|finding| ground_finding(finding, &self.evidence, reasons));
        ground_prose(state, &self.evidence);
        if self.evidence.context.author == ReportAuthor::Model {
            mark_contradictions(state);
        }
    }
}

/// Grounds summary, flow, gaps and the suggested search, which may be about all that is cited.
fn ground_prose(state: &mut DraftUnderValidation, evidence: &RunEvidence<'_>) {
    let cited: Vec<Citation> = state.citations().cloned().collect();
    let also = &evidence.context.question.text;
    let prose =
        TextGrounding { evidence, refs: &cited, also, room: 0, subject: CitedSubjectRule::Named };
    let gaps = TextGrounding { subject: CitedSubjectRule::Gap, ..prose };
    let summary = prose.ground(&state.summary);
    state.summary_verdict = state.summary_verdict.max(summary.shown_verdict());
    state.summary = record(&ReasonSubject::Summary, &state.summary, summary, &mut state.reasons);
    let flow = prose.ground(&state.flow);
    state.flow_verdict = state.flow_verdict.max(flow.shown_verdict());
    state.flow = record(&ReasonSubject::Flow, &state.flow, flow, &mut state.reasons);
    let reasons = &mut state.reasons;
    state.missing.retain_mut(|gap| {
        let grounded = gaps.ground(&gap.what);
        gap.verdict = gap.verdict.max(grounded.shown_verdict());
        let subject = ReasonSubject::Gap(gap.index + 1);
        gap.what = record(&subject, &gap.what, grounded, reasons);
        if gap.what.is_empty() && gap.critical {
            gap.what = UNDESCRIBED_GAP.to_owned();
        }
        !gap.what.is_empty()
    });
    state.gap_search.terms.retain_mut(|term| {
        // What is checked is what the planner sees.
        *term = truncate(&single_line(term), 80);
        let unshown = gaps.term_fault(term);
        if let Some(GroundingViolation { detail, .. }) = &unshown {
            let subject = ReasonSubject::Part("gap_search");
            let code = ReasonCode::FactUnsupported;
            reasons.push(ValidationReason::new(code, subject, detail.clone()));
        }
        unshown.is_none()
    });
}

/// Marks the statements of a report that contradict each other.
fn mark_contradictions(state: &mut DraftUnderValidation) {
    const CLAUSE_CHARS: usize = 100;
    let places = state.primary.iter_mut().chain(&mut state.secondary);
    let places = places
        .map(|item| (text_of_place("why", &item.reference), item.text.as_str(), &mut item.verdict));
    let findings = state.findings.iter_mut();
    let findings = findings.map(|item| (item.subject(), item.text.as_str(), &mut item.verdict));
    let prose = [
        (ReasonSubject::Summary, state.summary.as_str(), &mut state.summary_verdict),
        (ReasonSubject::Flow, state.flow.as_str(), &mut state.flow_verdict),
    ];
    let mut all: Vec<_> = prose.into_iter().chain(findings).chain(places).collect();
    let texts: Vec<&str> = all.iter().map(|(_, text, _)| *text).collect();
    for [(first, said), (second, contrary)] in contradictions(&texts) {
        let other = &all[first].0;
        let [said, contrary] = [said, contrary].map(|clause| truncate(clause.trim(), CLAUSE_CHARS));
        let detail = ReasonDetail::quoted(&contrary).say(" contradicts ").quote(&said);
        let detail = detail.say(" in ").say_to_model(&other.to_string());
        let code = ReasonCode::FactContradicted;
        state.reasons.push(ValidationReason::new(code, all[second].0.clone(), detail));
        for at in [first, second] {
            *all[at].2 = Verdict::Unconfirmed;
        }
    }
}

/// Adds the reasons for the changes of the text `before`, and returns the changed text.
fn record(
    subject: &ReasonSubject,
    before: &str,
    grounded: GroundingOutcome,
    reasons: &mut Vec<ValidationReason>,
) -> String {
    if let Some(doubt) = &grounded.doubt {
        let detail = doubt.detail.clone().say(" is not confirmed by the lines");
        let reason = ValidationReason::new(ReasonCode::FactUnconfirmed, subject.clone(), detail);
        reasons.push(ValidationReason { remedy: doubt.remedy.clone(), ..reason });
    }
    let code = match grounded.verdict {
        _ if grounded.text.is_empty() && !grounded.faults.is_empty() => ReasonCode::FactUnsupported,
        Verdict::Recited => ReasonCode::FactRecited,
        Verdict::Cut => ReasonCode::FactTrimmed,
        Verdict::AsSubmitted | Verdict::Tightened | Verdict::Unconfirmed => return grounded.text,
    };
    for citation in &grounded.added {
        let detail = format!("{}:{} was added to its references", citation.path, citation.range);
        reasons.push(ValidationReason::new(ReasonCode::FactRecited, subject.clone(), detail));
    }
    let mut removed = removed_part(before, &grounded.text).filter(|_| !grounded.text.is_empty());
    for fault in &grounded.faults {
        let remedy = fault.remedy.clone();
        let mut detail = fault.detail.clone();
        if let Some(cut) = removed.take() {
            detail = detail.say_to_model(&format!("; cut: \"{cut}\""));
        }
        let reason = ValidationReason::new(code, subject.clone(), detail);
        reasons.push(ValidationReason { remedy, ..reason });
    }
    grounded.text
}

fn ground_finding(
    finding: &mut FindingUnderValidation,
    evidence: &RunEvidence<'_>,
    reasons: &mut Vec<ValidationReason>,
) -> bool {
    let room = MAX_REFS.saturating_sub(finding.refs.len());
    let grounding = TextGrounding {
        evidence,
        refs: &finding.refs,
        also: "",
        room,
        subject: CitedSubjectRule::Cited,
    };
    let grounded = grounding.ground(&finding.text);
    finding.verdict = finding.verdict.max(grounded.shown_verdict());
    let added = grounded.added.clone();
    finding.text = record(&finding.subject(), &finding.text, grounded, reasons);
    finding.refs.extend(added);
    if finding.text.is_empty() {
        return false;
    }
    let mut shown = String::new();
    for citation in &finding.refs {
        shown.push_str(&citation.text(&evidence.context));
        for declaration in evidence.overlapping(citation) {
            shown.push(' ');
            shown.push_str(&declaration.name);
        }
    }
    if stems(&finding.text).is_disjoint(&stems(&shown)) {
        let detail = "shares no word with the cited lines";
        let code = ReasonCode::FactUnverified;
        reasons.push(ValidationReason::new(code, finding.subject(), detail));
    }
    true
}

/// Grounds the reason or purpose of a place.
fn ground_place(
    item: &mut PlaceUnderValidation,
    field: &'static str,
    subject: CitedSubjectRule,
    evidence: &RunEvidence<'_>,
    reasons: &mut Vec<ValidationReason>,
) {
    let refs = std::slice::from_ref(&item.citation);
    let also = &evidence.context.question.text;
    let grounded = TextGrounding { evidence, refs, also, room: 0, subject }.ground(&item.text);
    item.verdict = item.verdict.max(grounded.shown_verdict());
    let subject = text_of_place(field, &item.reference);
    item.text = record(&subject, &item.text, grounded, reasons);
}

/// Returns the reason for a citation without a usable one: the names that it declares.
pub(super) fn default_reason(citation: &Citation, context: &ValidationContext<'_>) -> String {
    let text = citation.text(context);
    let names: BTreeSet<&str> =
        citation.declared_names(context).into_iter().filter(|name| has_word(&text, name)).collect();
    let first: Vec<String> = names.into_iter().take(2).map(|name| format!("`{name}`")).collect();
    if first.is_empty() { String::new() } else { format!("declares {}", first.join(", ")) }
}

/// Returns the symbols of `item` that are in its cited lines or name a declaration around them.
fn grounded_symbols(
    item: &PlaceUnderValidation,
    evidence: &RunEvidence<'_>,
    reasons: &mut Vec<ValidationReason>,
) -> Vec<String> {
    const MAX_SYMBOLS: usize = 6;
    let lower = item.citation.text(&evidence.context).to_lowercase();
    let refs = std::slice::from_ref(&item.citation);
    let mut kept: Vec<String> = Vec::new();
    for symbol in &item.symbols {
        let symbol = truncate(single_line(symbol).trim_matches('`').trim_end_matches("()"), 80);
        let own_name = symbol.rsplit(['.', ':', '#', '/']).next().unwrap_or_default();
        let own = Mention::Identifier(own_name.to_owned());
        let is_there = evidence.find(&own, refs, &[]) == MentionEvidence::Cited
            || has_word(&lower, &symbol.to_lowercase());
        if !is_there {
            let detail = ReasonDetail::said("symbol ").quote(&symbol);
            let detail = detail.say(" is not in the cited lines");
            let code = ReasonCode::FactUnsupported;
            reasons.push(ValidationReason::new(code, place_cited(&item.reference), detail));
        } else if !kept.contains(&symbol) && kept.len() < MAX_SYMBOLS {
            kept.push(symbol);
        }
    }
    kept
}
