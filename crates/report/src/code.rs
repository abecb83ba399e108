//! Reason codes: one word for everything the validator drops, changes or holds against a report. They travel in
//! `meta.reasons`, in the repair note and in eval scores, so a word once given out is never given another meaning.

use std::fmt;

use serde::Serialize;

use retriever_workspace::vocabulary;

vocabulary! {
    /// Why something was dropped, changed or held against a report.
    Code {
        /// The submission has no usable part.
        SchemaUnusable = "schema_unusable",
        /// The submission broke off; the items that were complete are kept.
        SchemaTruncated = "schema_truncated",
        /// A value has the wrong type; it was converted where its meaning is clear, else left out.
        SchemaType = "schema_type",
        /// A required value is missing.
        SchemaRequired = "schema_required",
        /// A text was too long and was cut at a sentence or word.
        SchemaLength = "schema_length",
        /// A list has too many or too few items; the surplus was cut from its end.
        SchemaCount = "schema_count",
        /// A role is not one of the known ones; its item has no role now.
        SchemaRole = "schema_role",
        /// Another value is not one of the known ones and was ignored.
        SchemaValue = "schema_value",
        /// An item that no sense could be made of was dropped.
        SchemaItem = "schema_item",
        /// A reference names nothing that was shown.
        RefUnknown = "ref_unknown",
        /// The cited file does not exist.
        PathMissing = "path_missing",
        /// The cited path leads out of the root.
        PathOutside = "path_outside",
        /// The file changed after its lines were shown.
        Stale = "stale",
        /// The cited file was only listed; none of its lines were shown.
        ListingOnly = "listing_only",
        /// Most of the cited lines were never shown.
        RangeUnobserved = "range_unobserved",
        /// The range was cut down to lines that were shown, or to a declaration that it names.
        RangeTightened = "range_tightened",
        /// The range is wider than the limit and is no declaration.
        RangeWide = "range_wide",
        /// The range is wider than the limit and is kept, since it is exactly a declaration.
        RangeBroad = "range_broad",
        /// The range repeats or overlaps another and was merged with it or dropped.
        RangeDuplicate = "range_duplicate",
        /// A text names an identifier, file or quantity that its cited lines don't hold.
        FactUnsupported = "fact_unsupported",
        /// A fact shares no word with its cited lines.
        FactUnverified = "fact_unverified",
        /// Nothing backs the claimed role; it was removed.
        RoleUnbacked = "role_unbacked",
        /// A test, support, generated, vendored or documentation file can't be primary here.
        SupportOnly = "support_only",
        /// A text repeats source code.
        RawSource = "raw_source",
        /// A suggested search has nothing concrete to search for.
        ActionTerms = "action_terms",
        /// A suggested scope does not exist or has no bound.
        ActionScope = "action_scope",
        /// A read target has no purpose.
        ActionPurpose = "action_purpose",
        /// The recommended action doesn't fit the rest of the report.
        ActionInconsistent = "action_inconsistent",
        /// An edit or debug task can't be done from the report alone.
        ActionIntent = "action_intent",
        /// The report named nothing to read, so its primary places became the read targets.
        ActionTargetsDerived = "action_targets_derived",
        /// The map was over its token limit and lost its least important parts.
        OverBudget = "over_budget",
        /// A requested role is not covered.
        RoleMissing = "role_missing",
        /// A role that must be covered is not.
        RoleMissingCritical = "role_missing_critical",
        /// The report says that something is missing.
        GapOpen = "gap_open",
        /// The report says that something it can't do without is missing.
        GapCritical = "gap_critical",
        /// Cited lines were seen in search results only and never read.
        Unread = "unread",
        /// Everything cited is a test, support, generated, vendored or documentation file.
        TestOnly = "test_only",
        /// Nothing that was cited is left.
        NoEvidence = "no_evidence",
        /// Places, but not one fact about them.
        NoFindings = "no_findings",
        /// The run was cut short.
        Partial = "partial",
        /// No language model wrote the report.
        NotModel = "not_model",
        /// The model is less sure than the evidence allows.
        ClaimedLower = "claimed_lower",
    }
}

impl Code {
    /// Whether something that the model wrote was lost for being wrong, as opposed to untidy.
    pub const fn is_drop(self) -> bool {
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

/// One thing that was dropped, changed or held against a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// What happened.
    pub code: Code,
    /// What it happened to: a reference as the model wrote it, or the name of a field.
    pub reference: String,
    /// A fragment of a sentence for the model and for people.
    pub detail: String,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.reference, self.detail)
    }
}

impl Reason {
    /// Returns a reason.
    pub fn new(code: Code, reference: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { code, reference: reference.into(), detail: detail.into() }
    }
}
