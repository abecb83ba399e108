//! The draft while it is validated. Every [`Citation`] in it has passed the reference checks; each rule removes or changes
//! parts and adds a [`ValidationReason`] for each change.

use std::collections::BTreeSet;

use super::{
    citation::{Citation, place_cited, text_of_place},
    length_limits::{FLOW, ITEM, LimitedText, SUMMARY, limited_text},
    resolve_citation::resolve_reference,
    room_cuts::RoomCuts,
    validation_input::ValidationContext,
};
use crate::{
    code_map::{Confidence, GapSearch, RecommendedAction, ReportAuthor, Verdict},
    place_reference::{runs_shown_under_id, split_references},
    prose_normalization::has_word,
    submitted_draft::{DraftFinding, DraftPrimary, DraftReadTarget, DraftSecondary, ReportDraft},
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};
use retriever_search::PlaceRole;
use retriever_workspace::RepoPath;

/// A primary place, secondary place or read target.
#[derive(Clone, Debug)]
pub(super) struct PlaceUnderValidation {
    /// Its index in the list of the draft, and those of the items that were merged into it.
    pub(super) indices: Vec<usize>,
    /// Whether it was moved from the primary places.
    pub(super) is_demoted: bool,
    /// The reference as the model wrote it.
    pub(super) reference: String,
    pub(super) citation: Citation,
    pub(super) symbols: Vec<String>,
    pub(super) role: Option<PlaceRole>,
    /// `why` or `purpose`.
    pub(super) text: String,
    pub(super) required: bool,
    pub(super) verdict: Verdict,
}

impl PlaceUnderValidation {
    fn new(
        index: usize,
        reference: &str,
        (citation, change): (Citation, Verdict),
        LimitedText { text, verdict }: LimitedText,
    ) -> Self {
        Self {
            indices: Vec::from([index]),
            is_demoted: false,
            reference: reference.to_owned(),
            citation,
            symbols: Vec::new(),
            role: None,
            text,
            required: false,
            verdict: verdict.max(change),
        }
    }
}

/// A finding.
#[derive(Clone, Debug)]
pub(super) struct FindingUnderValidation {
    /// Its index in the draft.
    pub(super) index: usize,
    /// Its number in the report.
    pub(super) number: usize,
    pub(super) text: String,
    pub(super) role: Option<PlaceRole>,
    pub(super) refs: Vec<Citation>,
    pub(super) verdict: Verdict,
}

impl FindingUnderValidation {
    /// Returns it as what a reason is about.
    pub(super) const fn subject(&self) -> ReasonSubject {
        ReasonSubject::Finding(self.number)
    }
}

/// Stands for a critical gap whose text was refused: that something critical is missing holds without it.
pub(super) const UNDESCRIBED_GAP: &str =
    "something that the report calls critical; what it said of it did not hold";

/// Something that was not found.
#[derive(Clone, Debug)]
pub(super) struct GapUnderValidation {
    /// Its index in the draft.
    pub(super) index: usize,
    pub(super) what: String,
    pub(super) role: Option<PlaceRole>,
    pub(super) critical: bool,
    pub(super) verdict: Verdict,
}

/// The state of a draft between two rules.
#[derive(Debug)]
pub(super) struct DraftUnderValidation {
    pub(super) summary: String,
    pub(super) flow: String,
    pub(super) summary_verdict: Verdict,
    pub(super) flow_verdict: Verdict,
    pub(super) primary: Vec<PlaceUnderValidation>,
    pub(super) secondary: Vec<PlaceUnderValidation>,
    pub(super) read_targets: Vec<PlaceUnderValidation>,
    pub(super) findings: Vec<FindingUnderValidation>,
    pub(super) missing: Vec<GapUnderValidation>,
    pub(super) gap_search: GapSearch,
    /// What the token limit has cut.
    pub(super) room_cuts: RoomCuts,
    /// Places that the token limit left no room for.
    pub(super) left_out: Vec<Citation>,
    /// Files that were read and are not cited.
    pub(super) also_read: Vec<RepoPath>,
    /// Whether the draft says that the repository does not have what is asked for: it names what is missing, and no place
    /// that matters.
    pub(super) claims_absence: bool,
    /// The roles that the caller requires.
    pub(super) requested_roles: BTreeSet<PlaceRole>,
    pub(super) claimed_action: Option<RecommendedAction>,
    pub(super) claimed_confidence: Option<Confidence>,
    pub(super) reasons: Vec<ValidationReason>,
    /// Number of primary places whose reference failed the checks.
    pub(super) lost_primary: usize,
    /// Number of read targets whose reference failed the checks.
    pub(super) lost_targets: usize,
    /// How many of them are required.
    pub(super) lost_required: usize,
}

impl DraftUnderValidation {
    /// Resolves every reference of `draft`; items without a valid reference are dropped.
    pub(super) fn new(draft: &ReportDraft, context: &ValidationContext<'_>) -> Self {
        let mut state = Self {
            summary: String::new(),
            flow: String::new(),
            summary_verdict: Verdict::AsSubmitted,
            flow_verdict: Verdict::AsSubmitted,
            primary: Vec::new(),
            secondary: Vec::new(),
            read_targets: Vec::new(),
            findings: Vec::new(),
            missing: Vec::new(),
            gap_search: draft.gap_search.clone(),
            room_cuts: RoomCuts::default(),
            left_out: Vec::new(),
            also_read: Vec::new(),
            claims_absence: draft.primary.is_empty()
                && draft.read_targets.is_empty()
                && !draft.missing.is_empty(),
            requested_roles: context.question.roles.iter().copied().collect(),
            claimed_action: draft.recommended_primary_action,
            claimed_confidence: draft.confidence,
            reasons: context.problems.to_vec(),
            lost_primary: 0,
            lost_targets: 0,
            lost_required: 0,
        };
        state.add_prose(draft);
        for (at, item) in draft.primary.iter().enumerate() {
            state.add_primary(at, item, context);
        }
        for (at, item) in draft.secondary.iter().enumerate() {
            state.add_secondary(at, item, context);
        }
        for (at, finding) in draft.findings.iter().enumerate() {
            state.add_finding(at, finding, context);
        }
        for (at, item) in draft.read_targets.iter().enumerate() {
            state.add_read_target(at, item, context);
        }
        state
    }

    /// Whether the draft says that what is asked for is not there, no name of the repository speaks for it, and a search of
    /// all files for a word of the question found nothing.
    pub(super) fn is_absence_shown(&self, context: &ValidationContext<'_>) -> bool {
        let question = context.question.text.to_lowercase();
        self.claims_absence
            && context.author == ReportAuthor::Model
            && context.no_answer.is_some()
            && context.ledger.unmatched().iter().any(|word| has_word(&question, word))
    }

    /// Adds the texts of `draft` that belong to no place: summary, flow, missing.
    fn add_prose(&mut self, draft: &ReportDraft) {
        let reasons = &mut self.reasons;
        let summary = limited_text(reasons, ReasonSubject::Summary, &draft.summary, SUMMARY);
        let flow = limited_text(reasons, ReasonSubject::Flow, &draft.flow, FLOW);
        (self.summary, self.summary_verdict) = (summary.text, summary.verdict);
        (self.flow, self.flow_verdict) = (flow.text, flow.verdict);
        for (index, gap) in draft.missing.iter().enumerate() {
            let subject = ReasonSubject::Gap(index + 1);
            let LimitedText { text, verdict } = limited_text(reasons, subject, &gap.what, ITEM);
            if !text.is_empty() {
                let (role, critical) = (gap.role, gap.critical);
                self.missing.push(GapUnderValidation {
                    index,
                    what: text,
                    role,
                    critical,
                    verdict,
                });
            }
        }
    }

    fn add_primary(&mut self, at: usize, item: &DraftPrimary, context: &ValidationContext<'_>) {
        let text = self.item_text("why", &item.reference, &item.why);
        let hint = format!("{} {}", item.symbols.join(" "), text.text);
        match self.first_citation(&item.reference, &hint, context) {
            Some(cited) => self.primary.push(PlaceUnderValidation {
                symbols: item.symbols.clone(),
                role: item.role,
                ..PlaceUnderValidation::new(at, &item.reference, cited, text)
            }),
            None => self.lost_primary += 1,
        }
    }

    fn add_secondary(&mut self, at: usize, item: &DraftSecondary, context: &ValidationContext<'_>) {
        let text = self.item_text("why", &item.reference, &item.why);
        if let Some(cited) = self.first_citation(&item.reference, &text.text, context) {
            let place = PlaceUnderValidation::new(at, &item.reference, cited, text);
            self.secondary.push(PlaceUnderValidation { role: item.role, ..place });
        }
    }

    fn add_read_target(
        &mut self,
        at: usize,
        item: &DraftReadTarget,
        context: &ValidationContext<'_>,
    ) {
        let text = self.item_text("purpose", &item.reference, &item.purpose);
        match self.first_citation(&item.reference, &text.text, context) {
            Some(cited) => {
                let place = PlaceUnderValidation::new(at, &item.reference, cited, text);
                self.read_targets.push(PlaceUnderValidation { required: item.required, ..place });
            }
            None => {
                self.lost_targets += 1;
                self.lost_required += usize::from(item.required);
            }
        }
    }

    /// Returns the reason or purpose of a place, cut to its limit.
    fn item_text(&mut self, field: &'static str, reference: &str, text: &str) -> LimitedText {
        limited_text(&mut self.reasons, text_of_place(field, reference), text, ITEM)
    }

    fn add_finding(&mut self, at: usize, finding: &DraftFinding, context: &ValidationContext<'_>) {
        let number = finding.number_in_report(at);
        let subject = ReasonSubject::Finding(number);
        let LimitedText { text, mut verdict } =
            limited_text(&mut self.reasons, subject.clone(), &finding.fact, ITEM);
        if text.is_empty() {
            return;
        }
        let mut refs = Vec::new();
        for cited in &finding.refs {
            for reference in split_references(cited, context.ledger, context.root) {
                let runs = self.runs_of(reference, context);
                for reference in runs {
                    if let Some((citation, change)) = self.citation(&reference, &text, context) {
                        refs.push(citation);
                        verdict = verdict.max(change);
                    }
                }
            }
        }
        if finding.refs.is_empty() {
            let detail = "the finding cites nothing";
            self.reasons.push(ValidationReason::new(ReasonCode::RefUnknown, subject, detail));
        }
        if !refs.is_empty() {
            self.findings.push(FindingUnderValidation {
                index: at,
                number,
                text,
                role: finding.role,
                refs,
                verdict,
            });
        }
    }

    /// Returns the reference, or those of the lines that were shown under an ID, and says so.
    fn runs_of(&mut self, reference: String, context: &ValidationContext<'_>) -> Vec<String> {
        let Some(runs) = runs_shown_under_id(&reference, context.ledger) else {
            return Vec::from([reference]);
        };
        let detail = format!("only {} of it were shown", runs.join(", "));
        let code = ReasonCode::RangeTightened;
        let detail = ReasonDetail::said(detail);
        self.reasons.push(ValidationReason::new(code, place_cited(&reference), detail));
        runs
    }

    /// Resolves a text that should be one reference. If it is several, takes the first valid one.
    fn first_citation(
        &mut self,
        text: &str,
        hint: &str,
        context: &ValidationContext<'_>,
    ) -> Option<(Citation, Verdict)> {
        split_references(text, context.ledger, context.root)
            .iter()
            .find_map(|reference| self.citation(reference, hint, context))
    }

    /// Resolves one reference, and says whether its lines were reduced. `hint` is the item's text, which may name a
    /// declaration inside a range that is too wide.
    fn citation(
        &mut self,
        reference: &str,
        hint: &str,
        context: &ValidationContext<'_>,
    ) -> Option<(Citation, Verdict)> {
        match resolve_reference(reference, hint, context) {
            Ok((citation, changes)) => {
                let is_tightened =
                    changes.iter().any(|change| change.code == ReasonCode::RangeTightened);
                self.reasons.extend(changes);
                let verdict = if is_tightened { Verdict::Tightened } else { Verdict::AsSubmitted };
                Some((citation, verdict))
            }
            Err(reason) => {
                self.reasons.push(reason);
                None
            }
        }
    }

    /// Returns every citation of places and findings.
    pub(super) fn citations(&self) -> impl Iterator<Item = &Citation> {
        let items = self.primary.iter().chain(&self.secondary).chain(&self.read_targets);
        items.map(|item| &item.citation).chain(self.findings.iter().flat_map(|item| &item.refs))
    }

    /// Returns every place item: primary, secondary, read targets.
    pub(super) fn place_items_mut(&mut self) -> impl Iterator<Item = &mut PlaceUnderValidation> {
        self.primary.iter_mut().chain(&mut self.secondary).chain(&mut self.read_targets)
    }
}
