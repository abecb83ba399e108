//! Reason codes: one word for each thing that the validator drops, changes or counts against a report. They are part of
//! the contract (`meta.reasons`, the repair note, eval scores): a released word never changes its meaning.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumMessage, EnumString, VariantArray};

use crate::{
    code_map::Place,
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};
use retriever_workspace::UnknownVariant;

/// Why something was dropped, changed or counted against a report.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumMessage, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<ReasonCode>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// The submission has no usable part.
    SchemaUnusable,
    /// The submission was cut off; its complete items are kept.
    SchemaTruncated,
    /// A value has the wrong type; it was converted if its meaning is clear, else dropped.
    SchemaType,
    /// A required value is missing.
    SchemaRequired,
    /// A text was too long and was cut at a sentence or word.
    SchemaLength,
    /// A list has too many or too few items; surplus items were cut from its end.
    SchemaCount,
    /// An unknown role; it was removed from its item.
    SchemaRole,
    /// Another unknown value; it was ignored.
    SchemaValue,
    /// An item has no usable content and was dropped.
    SchemaItem,
    /// A reference names nothing that was delivered.
    RefUnknown,
    /// The cited file does not exist.
    PathMissing,
    /// The cited path is outside the root.
    PathOutside,
    /// The file changed after its lines were delivered.
    Stale,
    /// The cited file was only listed; none of its lines were delivered.
    ListingOnly,
    /// Most of the cited lines were never delivered.
    RangeUnobserved,
    /// The range was reduced to delivered lines, or to a declaration that its item names.
    RangeTightened,
    /// The range is wider than the limit and is not a declaration.
    RangeWide,
    /// The range is several times wider than the limit; it was kept because it is exactly a declaration.
    RangeBroad,
    /// The range repeats or overlaps another one; it was merged with it or dropped.
    RangeDuplicate,
    /// A text names what is not in its cited lines; the lines of the run that show it were added to its references.
    FactRecited,
    /// A text names what was not delivered, or says the contrary of what was; the clause that does was cut.
    FactTrimmed,
    /// A text names an identifier, file, command or quantity that is not in its evidence, or says the contrary of it.
    FactUnsupported,
    /// A text claims an order, a number or an action that its lines neither show nor contradict.
    FactUnconfirmed,
    /// Two texts of the report contradict each other; neither is confirmed.
    FactContradicted,
    /// A fact shares no word with its cited lines.
    FactUnverified,
    /// Nothing in the evidence supports the claimed role; it was removed.
    RoleUnbacked,
    /// A test, support, generated, vendored or documentation file was cited as primary without being asked for.
    SupportOnly,
    /// A text contains source code.
    RawSource,
    /// A suggested search term is not concrete.
    ActionTerms,
    /// A suggested search scope does not exist or is unbounded.
    ActionScope,
    /// A read target has no purpose.
    ActionPurpose,
    /// The recommended action contradicts the rest of the report.
    ActionInconsistent,
    /// An edit or debug task cannot be done from the report alone.
    ActionIntent,
    /// The report has no read targets; its primary places were used.
    ActionTargetsDerived,
    /// The map exceeded its token limit; its least important parts were removed.
    OverBudget,
    /// A role that the caller requires is not covered.
    RoleMissingCritical,
    /// The report names a critical gap.
    GapCritical,
    /// Cited lines were delivered by searches only, never read.
    Unread,
    /// Everything cited is a test, support, generated, vendored or documentation file.
    TestOnly,
    /// No citation is left.
    NoEvidence,
    /// No finding is left.
    NoFindings,
    /// The run ended early.
    Partial,
    /// The report was not written by a language model.
    NotModel,
    /// The model claimed a lower confidence than was computed.
    ClaimedLower,
}

impl ReasonCode {
    /// Returns what happened, in a sentence.
    pub fn meaning(self) -> &'static str {
        self.get_documentation().unwrap_or_default()
    }

    /// Returns what the writer of a report can do about it, where the reason does not say so itself.
    pub(crate) const fn advice(self) -> Option<&'static str> {
        match self {
            Self::GapCritical => {
                Some("look for it, or leave out `critical` if the answer holds without it")
            }
            Self::SupportOnly => Some("cite the code that it tests or documents"),
            Self::FactUnconfirmed => Some("cite the lines that show it too, or leave it out"),
            Self::FactContradicted => Some("correct the one that its lines do not show"),
            Self::FactUnverified => Some("cite the lines that it is about"),
            Self::RangeUnobserved | Self::ListingOnly | Self::Stale => {
                Some("cite lines that were shown, or read these")
            }
            Self::Unread => Some("cite lines of them that were read, where there are any"),
            Self::RangeWide => Some("cite one declaration, or fewer lines"),
            Self::OverBudget => {
                Some("shorten some of it: what was left out comes back if it fits then")
            }
            Self::RoleMissingCritical => Some("cite a place of that role, or name it as missing"),
            Self::ActionInconsistent => Some("ask to read what is missing"),
            _ => None,
        }
    }

    /// Whether it says what became of a text of the report.
    pub const fn is_about_prose(self) -> bool {
        matches!(
            self,
            Self::FactRecited
                | Self::FactTrimmed
                | Self::FactUnsupported
                | Self::FactUnconfirmed
                | Self::FactContradicted
                | Self::FactUnverified
        )
    }

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
                | Self::FactTrimmed
                | Self::FactUnsupported
                | Self::RoleUnbacked
                | Self::RawSource
        )
    }
}

/// One thing that was dropped, changed or counted against a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValidationReason {
    /// What happened.
    pub code: ReasonCode,
    /// What it happened to.
    pub subject: ReasonSubject,
    /// What is wrong.
    pub detail: ReasonDetail,
    /// What would mend it, if the run was shown that.
    pub remedy: Option<Box<UncitedEvidence>>,
}

/// Delivered lines that would support an item and that it does not cite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UncitedEvidence {
    /// The function or type that the item is about.
    pub name: String,
    /// The delivered lines of its declaration.
    pub place: Place,
    /// The reference that cites them: `c61:115-130`.
    pub reference: String,
}

impl fmt::Display for UncitedEvidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, place: Place { path, start, end, .. }, reference } = self;
        let lines = if start == end { start.to_string() } else { format!("{start}-{end}") };
        write!(f, "`{name}` stands at {path}:{lines}; cite {reference} too")
    }
}

impl fmt::Display for ValidationReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}: {}", self.code, self.subject, self.detail)
    }
}

impl ValidationReason {
    /// Returns a reason.
    pub fn new(code: ReasonCode, subject: ReasonSubject, detail: impl Into<ReasonDetail>) -> Self {
        Self { code, subject, detail: detail.into(), remedy: None }
    }
}
