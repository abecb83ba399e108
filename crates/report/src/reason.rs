//! Reason codes: one word for each thing that the validator drops, changes or counts against a report. They are part of
//! the contract (`meta.reasons`, the repair note, eval scores): a released word never changes its meaning.

use std::fmt;

use serde::Serialize;

use retriever_workspace::vocabulary;

vocabulary! {
    /// Why something was dropped, changed or counted against a report.
    ReasonCode {
        /// The submission has no usable part.
        SchemaUnusable = "schema_unusable",
        /// The submission was cut off; its complete items are kept.
        SchemaTruncated = "schema_truncated",
        /// A value has the wrong type; it was converted if its meaning is clear, else dropped.
        SchemaType = "schema_type",
        /// A required value is missing.
        SchemaRequired = "schema_required",
        /// A text was too long and was cut at a sentence or word.
        SchemaLength = "schema_length",
        /// A list has too many or too few items; surplus items were cut from its end.
        SchemaCount = "schema_count",
        /// An unknown role; it was removed from its item.
        SchemaRole = "schema_role",
        /// Another unknown value; it was ignored.
        SchemaValue = "schema_value",
        /// An item has no usable content and was dropped.
        SchemaItem = "schema_item",
        /// A reference names nothing that was delivered.
        RefUnknown = "ref_unknown",
        /// The cited file does not exist.
        PathMissing = "path_missing",
        /// The cited path is outside the root.
        PathOutside = "path_outside",
        /// The file changed after its lines were delivered.
        Stale = "stale",
        /// The cited file was only listed; none of its lines were delivered.
        ListingOnly = "listing_only",
        /// Most of the cited lines were never delivered.
        RangeUnobserved = "range_unobserved",
        /// The range was reduced to delivered lines, or to a declaration that its item names.
        RangeTightened = "range_tightened",
        /// The range is wider than the limit and is not a declaration.
        RangeWide = "range_wide",
        /// The range is wider than the limit; it was kept because it is exactly a declaration.
        RangeBroad = "range_broad",
        /// The range repeats or overlaps another one; it was merged with it or dropped.
        RangeDuplicate = "range_duplicate",
        /// A text names an identifier, file or quantity that is not in its evidence.
        FactUnsupported = "fact_unsupported",
        /// A fact shares no word with its cited lines.
        FactUnverified = "fact_unverified",
        /// Nothing in the evidence supports the claimed role; it was removed.
        RoleUnbacked = "role_unbacked",
        /// A test, support, generated, vendored or documentation file was cited as primary without being asked for.
        SupportOnly = "support_only",
        /// A text contains source code.
        RawSource = "raw_source",
        /// A suggested search term is not concrete.
        ActionTerms = "action_terms",
        /// A suggested search scope does not exist or is unbounded.
        ActionScope = "action_scope",
        /// A read target has no purpose.
        ActionPurpose = "action_purpose",
        /// The recommended action contradicts the rest of the report.
        ActionInconsistent = "action_inconsistent",
        /// An edit or debug task cannot be done from the report alone.
        ActionIntent = "action_intent",
        /// The report has no read targets; its primary places were used.
        ActionTargetsDerived = "action_targets_derived",
        /// The map exceeded its token limit; its least important parts were removed.
        OverBudget = "over_budget",
        /// A requested role is not covered.
        RoleMissing = "role_missing",
        /// A role that the caller requires is not covered.
        RoleMissingCritical = "role_missing_critical",
        /// The report names a gap.
        GapOpen = "gap_open",
        /// The report names a critical gap.
        GapCritical = "gap_critical",
        /// Cited lines were delivered by searches only, never read.
        Unread = "unread",
        /// Everything cited is a test, support, generated, vendored or documentation file.
        TestOnly = "test_only",
        /// No citation is left.
        NoEvidence = "no_evidence",
        /// No finding is left.
        NoFindings = "no_findings",
        /// The run ended early.
        Partial = "partial",
        /// The report was not written by a language model.
        NotModel = "not_model",
        /// The model claimed a lower confidence than was computed.
        ClaimedLower = "claimed_lower",
    }
}

impl ReasonCode {
    /// Whether content of the report was rejected as wrong. Untidy content that was only normalised is not rejected.
    pub const fn is_rejection(self) -> bool {
        matches!(
            self,
            Self::SchemaItem
                | Self::SchemaTruncated
                | Self::RefUnknown
                | Self::PathMissing
                | Self::PathOutside
                | Self::Stale
                | Self::ListingOnly
                | Self::RangeUnobserved
                | Self::RangeTightened
                | Self::RangeWide
                | Self::FactUnsupported
                | Self::RoleUnbacked
                | Self::RawSource
        )
    }
}

/// One thing that was dropped, changed or counted against a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What happened.
    pub code: ReasonCode,
    /// What it happened to: a reference as the model wrote it, or the name of a field.
    pub reference: String,
    /// What is wrong, as a sentence fragment.
    pub detail: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.reference, self.detail)
    }
}

impl Reason {
    /// Returns a reason.
    pub fn new(code: ReasonCode, reference: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code, reference: reference.into(), detail: detail.into() }
    }
}
