//! What a text says must be in its evidence. Every prose of a report goes through [`grounding_ladder`]; what it names
//! ([`undelivered_names`]) is looked up by [`evidence`]. What it says beyond names is compared with the lines: [`relation_claims`]
//! of two names, [`sole_caller_claims`], [`order_claims`], [`extremum_claims`], [`thrown_or_logged_claims`], [`number_claims`],
//! [`arithmetic_claims`], [`counted_list_claims`], [`value_list_claims`], [`guard_claims`], [`call_argument_claims`], and whose doing
//! it is ([`clause_subject`], [`misattributed_clauses`]). What they neither show nor contradict is marked
//! ([`unconfirmed_claims`]). Statements are held against each other by [`contradicting_statements`]. What it tells its reader to do
//! is cut by [`imperative_clauses`]; what it proposes for a change ([`proposals`]) is no claim.

mod addressed_reader;
mod arithmetic_claims;
mod call_argument_claims;
mod clause_subject;
mod code_names;
mod contradicting_statements;
mod counted_list_claims;
mod evidence;
mod extremum_claims;
mod grounding_ladder;
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
    grounding_ladder::{CitedSubjectRule, GroundingOutcome, GroundingViolation, TextGrounding},
    word_forms::stems,
};
use super::{
    citation::{Citation, quoted},
    draft_under_validation::{DraftPlace, DraftUnderValidation, FindingUnderValidation},
    length_limits::removed_part,
    validation_input::ValidationContext,
};
use crate::{
    code_map::{ReportAuthor, Verdict},
    code_mentions_in_prose::Mention,
    prose_normalization::{has_word, single_line, truncate},
    report_limits::MAX_REFS,
    validation_reason_codes::{ReasonCode, ValidationReason},
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
    state.summary = record("summary", &state.summary, summary, &mut state.reasons);
    let flow = prose.ground(&state.flow);
    state.flow_verdict = state.flow_verdict.max(flow.shown_verdict());
    state.flow = record("flow", &state.flow, flow, &mut state.reasons);
    let reasons = &mut state.reasons;
    state.missing.retain_mut(|gap| {
        let grounded = gaps.ground(&gap.what);
        gap.verdict = gap.verdict.max(grounded.shown_verdict());
        let field = format!("missing {}", gap.index + 1);
        gap.what = record(&field, &gap.what, grounded, reasons);
        !gap.what.is_empty()
    });
    state.gap_search.terms.retain_mut(|term| {
        // What is checked is what the planner sees.
        *term = truncate(&single_line(term), 80);
        let unshown = gaps.term_fault(term);
        if let Some(GroundingViolation { detail, .. }) = &unshown {
            reasons.push(ValidationReason::new(ReasonCode::FactUnsupported, "gap_search", detail));
        }
        unshown.is_none()
    });
}

/// Marks the statements of a report that contradict each other.
fn mark_contradictions(state: &mut DraftUnderValidation) {
    const CLAUSE_CHARS: usize = 100;
    let places = state.primary.iter_mut().chain(&mut state.secondary);
    let places = places.map(|item| {
        (format!("why of {}", quoted(&item.reference)), item.text.as_str(), &mut item.verdict)
    });
    let findings = state.findings.iter_mut();
    let findings = findings.map(|item| (item.label.clone(), item.text.as_str(), &mut item.verdict));
    let prose = [
        ("summary".to_owned(), state.summary.as_str(), &mut state.summary_verdict),
        ("flow".to_owned(), state.flow.as_str(), &mut state.flow_verdict),
    ];
    let mut all: Vec<_> = prose.into_iter().chain(findings).chain(places).collect();
    let texts: Vec<&str> = all.iter().map(|(_, text, _)| *text).collect();
    for [(first, said), (second, contrary)] in contradictions(&texts) {
        let other = &all[first].0;
        let [said, contrary] = [said, contrary].map(|clause| truncate(clause.trim(), CLAUSE_CHARS));
        let detail = format!("\"{contrary}\" contradicts \"{said}\" in {other}");
        let code = ReasonCode::FactContradicted;
        state.reasons.push(ValidationReason::new(code, all[second].0.clone(), detail));
        for at in [first, second] {
            *all[at].2 = Verdict::Unconfirmed;
        }
    }
}

/// Adds the reasons for what became of the text `before`, and returns what is left of it.
fn record(
    reference: &str,
    before: &str,
    grounded: GroundingOutcome,
    reasons: &mut Vec<ValidationReason>,
) -> String {
    if let Some(doubt) = &grounded.doubt {
        let detail = format!("{} is not confirmed by the lines", doubt.detail);
        let reason = ValidationReason::new(ReasonCode::FactUnconfirmed, reference, detail);
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
        reasons.push(ValidationReason::new(ReasonCode::FactRecited, reference, detail));
    }
    let mut removed = removed_part(before, &grounded.text).filter(|_| !grounded.text.is_empty());
    for fault in &grounded.faults {
        let remedy = fault.remedy.clone();
        let detail = match removed.take() {
            Some(cut) => format!("{}; cut: \"{cut}\"", fault.detail),
            None => fault.detail.clone(),
        };
        reasons.push(ValidationReason { remedy, ..ValidationReason::new(code, reference, detail) });
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
    finding.text = record(&finding.label, &finding.text, grounded, reasons);
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
        reasons.push(ValidationReason::new(ReasonCode::FactUnverified, &finding.label, detail));
    }
    true
}

/// Grounds the reason or purpose of a place.
fn ground_place(
    item: &mut DraftPlace,
    field: &str,
    subject: CitedSubjectRule,
    evidence: &RunEvidence<'_>,
    reasons: &mut Vec<ValidationReason>,
) {
    let refs = std::slice::from_ref(&item.citation);
    let also = &evidence.context.question.text;
    let grounded = TextGrounding { evidence, refs, also, room: 0, subject }.ground(&item.text);
    item.verdict = item.verdict.max(grounded.shown_verdict());
    let field = format!("{field} of {}", quoted(&item.reference));
    item.text = record(&field, &item.text, grounded, reasons);
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
    item: &DraftPlace,
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
            let detail = format!("symbol \"{symbol}\" is not in the cited lines");
            let reference = quoted(&item.reference);
            reasons.push(ValidationReason::new(ReasonCode::FactUnsupported, reference, detail));
        } else if !kept.contains(&symbol) && kept.len() < MAX_SYMBOLS {
            kept.push(symbol);
        }
    }
    kept
}
