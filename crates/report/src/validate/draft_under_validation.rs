//! The draft while it is validated. Every [`Citation`] in it has passed the reference checks; each rule removes or changes
//! parts and adds a [`ValidationReason`] for each change.

use std::collections::BTreeSet;

use super::{
    citation::Citation,
    citation_checks::resolve_reference,
    length_limits::{MAX_FLOW_CHARS, MAX_ITEM_CHARS, MAX_SUMMARY_CHARS, limited_text},
    validation_context::ValidationContext,
};
use crate::{
    code_map::{Confidence, GapSearch, RecommendedAction, ReportAuthor, Verdict},
    place_reference::split_references,
    prose_text::has_word,
    submitted_draft::{
        DraftFinding, DraftGap, DraftPrimary, DraftReadTarget, DraftSecondary, ReportDraft,
    },
    validation_reason_codes::{ReasonCode, ValidationReason},
};
use retriever_search::PlaceRole;
use retriever_workspace::RepoPath;

/// A primary place, secondary place or read target.
#[derive(Clone, Debug)]
pub(super) struct DraftPlace {
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

impl DraftPlace {
    fn new(reference: &str, (citation, verdict): (Citation, Verdict), text: String) -> Self {
        let (reference, symbols) = (reference.to_owned(), Vec::new());
        Self { reference, citation, symbols, role: None, text, required: false, verdict }
    }
}

/// A finding.
#[derive(Clone, Debug)]
pub(super) struct FindingUnderValidation {
    /// Its name in reasons: "finding 2".
    pub(super) label: String,
    pub(super) text: String,
    pub(super) role: Option<PlaceRole>,
    pub(super) refs: Vec<Citation>,
    pub(super) verdict: Verdict,
}

/// The state of a draft between two rules.
#[derive(Debug)]
pub(super) struct DraftUnderValidation {
    pub(super) summary: String,
    pub(super) flow: String,
    pub(super) summary_verdict: Verdict,
    pub(super) flow_verdict: Verdict,
    pub(super) primary: Vec<DraftPlace>,
    pub(super) secondary: Vec<DraftPlace>,
    pub(super) read_targets: Vec<DraftPlace>,
    pub(super) findings: Vec<FindingUnderValidation>,
    pub(super) missing: Vec<DraftGap>,
    pub(super) gap_search: GapSearch,
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
    /// Number of required read targets whose reference failed the checks.
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
            lost_required: 0,
        };
        state.add_prose(draft);
        for item in &draft.primary {
            state.add_primary(item, context);
        }
        for item in &draft.secondary {
            state.add_secondary(item, context);
        }
        for (at, finding) in draft.findings.iter().enumerate() {
            state.add_finding(finding, format!("finding {}", at + 1), context);
        }
        for item in &draft.read_targets {
            state.add_read_target(item, context);
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
        self.summary = limited_text(reasons, "summary", &draft.summary, MAX_SUMMARY_CHARS);
        self.flow = limited_text(reasons, "flow", &draft.flow, MAX_FLOW_CHARS);
        for gap in &draft.missing {
            let what = limited_text(reasons, "missing", &gap.what, MAX_ITEM_CHARS);
            if !what.is_empty() {
                self.missing.push(DraftGap { what, role: gap.role, critical: gap.critical });
            }
        }
    }

    fn add_primary(&mut self, item: &DraftPrimary, context: &ValidationContext<'_>) {
        let text = limited_text(&mut self.reasons, "why", &item.why, MAX_ITEM_CHARS);
        let hint = format!("{} {text}", item.symbols.join(" "));
        match self.first_citation(&item.reference, &hint, context) {
            Some(cited) => self.primary.push(DraftPlace {
                symbols: item.symbols.clone(),
                role: item.role,
                ..DraftPlace::new(&item.reference, cited, text)
            }),
            None => self.lost_primary += 1,
        }
    }

    fn add_secondary(&mut self, item: &DraftSecondary, context: &ValidationContext<'_>) {
        let text = limited_text(&mut self.reasons, "why", &item.why, MAX_ITEM_CHARS);
        if let Some(cited) = self.first_citation(&item.reference, &text, context) {
            let place = DraftPlace::new(&item.reference, cited, text);
            self.secondary.push(DraftPlace { role: item.role, ..place });
        }
    }

    fn add_read_target(&mut self, item: &DraftReadTarget, context: &ValidationContext<'_>) {
        let text = limited_text(&mut self.reasons, "purpose", &item.purpose, MAX_ITEM_CHARS);
        match self.first_citation(&item.reference, &text, context) {
            Some(cited) => {
                let place = DraftPlace::new(&item.reference, cited, text);
                self.read_targets.push(DraftPlace { required: item.required, ..place });
            }
            None => self.lost_required += usize::from(item.required),
        }
    }

    fn add_finding(
        &mut self,
        finding: &DraftFinding,
        label: String,
        context: &ValidationContext<'_>,
    ) {
        let text = limited_text(&mut self.reasons, &label, &finding.fact, MAX_ITEM_CHARS);
        if text.is_empty() {
            return;
        }
        let (mut refs, mut verdict) = (Vec::new(), Verdict::AsSubmitted);
        for cited in &finding.refs {
            for reference in split_references(cited, context.ledger, context.root) {
                if let Some((citation, change)) = self.citation(&reference, &text, context) {
                    refs.push(citation);
                    verdict = verdict.max(change);
                }
            }
        }
        if finding.refs.is_empty() {
            let detail = "the finding cites nothing";
            self.reasons.push(ValidationReason::new(ReasonCode::RefUnknown, &label, detail));
        }
        if !refs.is_empty() {
            self.findings.push(FindingUnderValidation {
                label,
                text,
                role: finding.role,
                refs,
                verdict,
            });
        }
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
    pub(super) fn place_items_mut(&mut self) -> impl Iterator<Item = &mut DraftPlace> {
        self.primary.iter_mut().chain(&mut self.secondary).chain(&mut self.read_targets)
    }
}
