//! The validator: from what the model submitted to a code map whose every place was delivered, line by line, from content
//! that still stands. Pure: it looks at a [`Judgement`] and nothing else. Rules only take away, each taking with a
//! [`Code`], in the order of design §6, one rule a file.

mod action;
mod density;
mod evidence;
mod facts;
mod naming;
mod observed;
mod overlap;
mod place;
mod raw_source;
mod repair;
mod roles;
mod schema;
mod staleness;
mod support;
mod width;

use std::collections::{BTreeMap, BTreeSet};

pub(super) use evidence::Spot;
pub(super) use facts::neutral;
pub use repair::repair_note;
pub(super) use roles::is_backed;
pub use schema::{Parsed, parse, parse_text};

use super::{
    Action, CODE_MAP_VERSION, CodeMap, Confidence, Draft, DraftMissing, Finding, GapSearch, Meta,
    Missing, Place, Primary, ReadTarget, Secondary, Status, StopReason,
    code::{Code, Reason},
    confidence, reference,
};
use crate::{Author, ledger::Ledger};
use retriever_search::{Candidate, Question, QuestionScope, Role, RoleCues};
use retriever_workspace::{LineRange, RepoPath, Standing};

/// Everything that validation may look at.
#[derive(Clone, Copy)]
pub struct Judgement<'a> {
    /// What was asked.
    pub question: &'a Question,
    /// Absolute path of the root, only to read spellings.
    pub root: &'a str,
    /// What was delivered.
    pub ledger: &'a Ledger,
    /// How every file of [`cited_paths`] stands now; a path that is not in it counts as missing.
    pub standing: &'a BTreeMap<RepoPath, Standing>,
    /// The candidates of the packet.
    pub candidates: &'a [Candidate],
    /// The deterministic reading of the question.
    pub asked: &'a QuestionScope,
    /// What shows that code plays a role.
    pub cues: &'a RoleCues,
    /// What [`parse`](super::parse) found wrong with the submission.
    pub problems: &'a [Reason],
    /// Who wrote the draft.
    pub author: Author,
    /// How the draft came to be.
    pub status: Status,
    /// Limits of the map.
    pub limits: Limits,
}

/// Limits of a map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Estimated tokens of the whole map. Below 600 nothing but the frame may be left.
    pub max_tokens: u64,
    /// Lines of a cited range that is not exactly a declaration.
    pub max_width: u32,
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_tokens: 1_600, max_width: 120 }
    }
}

/// What validation made of a draft.
#[derive(Clone, Debug)]
pub struct Validation {
    /// What is left. The caller sets `meta`'s counts, model, usage and stop reason, then calls [`measure`].
    pub map: CodeMap,
    /// Everything that was dropped, changed or held against the draft, in order.
    pub reasons: Vec<Reason>,
    /// Whether something critical is wrong that one more turn of the model could mend.
    pub repairable: bool,
}

/// The files that a draft cites, so that the caller can find out how they stand.
pub fn cited_paths(draft: &Draft, ledger: &Ledger, root: &str) -> Vec<RepoPath> {
    let paths: BTreeSet<RepoPath> = places(draft)
        .chain(draft.findings.iter().flat_map(|finding| &finding.refs))
        .flat_map(|text| reference::split(text, ledger, root))
        .filter_map(|text| reference::read(&text, ledger, root).ok())
        .map(|claim| claim.path)
        .collect();
    paths.into_iter().collect()
}

/// The places that a draft claims, unjudged: primary, then secondary, then read targets, each as path and lines. What
/// can't be read as a reference stands as it was written.
pub fn claimed_places(
    draft: &Draft,
    ledger: &Ledger,
    root: &str,
) -> Vec<(String, Option<LineRange>)> {
    places(draft)
        .flat_map(|text| reference::split(text, ledger, root))
        .map(|text| match reference::read(&text, ledger, root) {
            Ok(claim) => (claim.path.to_string(), claim.range),
            Err(_) => (text, None),
        })
        .collect()
}

fn places(draft: &Draft) -> impl Iterator<Item = &String> {
    let primary = draft.primary.iter().map(|item| &item.reference);
    let secondary = draft.secondary.iter().map(|item| &item.reference);
    let targets = draft.read_targets.iter().map(|item| &item.reference);
    primary.chain(secondary).chain(targets)
}

/// Judges a draft.
pub fn validate(draft: &Draft, judgement: &Judgement<'_>) -> Validation {
    let mut work = Work::new(draft, judgement);
    overlap::apply(&mut work, judgement);
    // Ahead of its place in the order: what stands between fences is no prose to check facts in.
    raw_source::fences(&mut work, judgement);
    facts::apply(&mut work, judgement);
    roles::apply(&mut work, judgement);
    support::apply(&mut work, judgement);
    raw_source::apply(&mut work, judgement);
    naming::apply(&mut work, judgement);
    schema::cap_counts(&mut work);
    action::clean_gap_search(&mut work, judgement);

    let repairable = repair::is_repairable(&work, draft, judgement);
    let (mut confidence, _) = confidence::judge(&work, judgement);
    let mut action = action::decide(&mut work, judgement, confidence);
    let mut map = rejudged(&work, judgement, &mut confidence, action, &mut Vec::new());
    let mut held = Vec::new();
    if density::apply(&mut work, &mut map, judgement) {
        // What was cut may have been all that covered a role.
        confidence = confidence.min(confidence::judge(&work, judgement).0);
        action = action::lower(&mut work, judgement, confidence, action);
    }
    map = rejudged(&work, judgement, &mut confidence, action, &mut held);
    density::apply(&mut work, &mut map, judgement);
    work.reasons.extend(held);
    Validation { map, reasons: work.reasons, repairable }
}

/// The map as it stands, under the confidence that everything found so far allows.
fn rejudged(
    work: &Work,
    judgement: &Judgement<'_>,
    confidence: &mut Confidence,
    action: Action,
    held: &mut Vec<Reason>,
) -> CodeMap {
    let (again, reasons) = confidence::judge(work, judgement);
    *confidence = again.min(*confidence);
    *held = reasons;
    work.map(judgement, *confidence, action, held)
}

/// A place under judgement.
#[derive(Clone, Debug)]
pub(super) struct Item {
    /// The reference as the model wrote it.
    pub(super) reference: String,
    pub(super) spot: Spot,
    pub(super) symbols: Vec<String>,
    pub(super) role: Option<Role>,
    /// `why` or `purpose`.
    pub(super) text: String,
    pub(super) required: bool,
}

/// A finding under judgement.
#[derive(Clone, Debug)]
pub(super) struct Fact {
    pub(super) label: String,
    pub(super) text: String,
    pub(super) role: Option<Role>,
    pub(super) refs: Vec<Spot>,
}

/// A draft on its way to a map. Every [`Spot`] in it has passed the place rules.
#[derive(Debug)]
pub(super) struct Work {
    pub(super) summary: String,
    pub(super) flow: String,
    pub(super) primary: Vec<Item>,
    pub(super) secondary: Vec<Item>,
    pub(super) read_targets: Vec<Item>,
    pub(super) findings: Vec<Fact>,
    pub(super) missing: Vec<DraftMissing>,
    pub(super) gap_search: GapSearch,
    pub(super) requested: BTreeSet<Role>,
    pub(super) claimed_action: Option<Action>,
    pub(super) claimed_confidence: Option<Confidence>,
    pub(super) reasons: Vec<Reason>,
    /// Primary places whose reference did not hold.
    pub(super) lost_primary: usize,
    /// Required read targets whose reference did not hold.
    pub(super) lost_required: usize,
}

impl Work {
    fn new(draft: &Draft, judgement: &Judgement<'_>) -> Self {
        let mut work = Self {
            summary: String::new(),
            flow: String::new(),
            primary: Vec::new(),
            secondary: Vec::new(),
            read_targets: Vec::new(),
            findings: Vec::new(),
            missing: Vec::new(),
            gap_search: draft.gap_search.clone(),
            requested: requested_roles(draft, judgement),
            claimed_action: draft.recommended_primary_action,
            claimed_confidence: draft.confidence,
            reasons: judgement.problems.to_vec(),
            lost_primary: 0,
            lost_required: 0,
        };
        schema::texts(&mut work, draft);
        for item in &draft.primary {
            let text = work.text("why", &item.why, schema::WHY);
            let hint = format!("{} {text}", item.symbols.join(" "));
            match work.first_spot(&item.reference, &hint, judgement) {
                Some(spot) => work.primary.push(Item {
                    reference: item.reference.clone(),
                    spot,
                    symbols: item.symbols.clone(),
                    role: item.role,
                    text,
                    required: false,
                }),
                None => work.lost_primary += 1,
            }
        }
        for item in &draft.secondary {
            let text = work.text("why", &item.why, schema::WHY);
            if let Some(spot) = work.first_spot(&item.reference, &text, judgement) {
                let (reference, role) = (item.reference.clone(), item.role);
                work.secondary.push(Item {
                    reference,
                    spot,
                    symbols: Vec::new(),
                    role,
                    text,
                    required: false,
                });
            }
        }
        for (at, finding) in draft.findings.iter().enumerate() {
            let label = format!("finding {}", at + 1);
            let text = work.text(&label, &finding.fact, schema::FACT);
            if text.is_empty() {
                continue;
            }
            let mut refs = Vec::new();
            for reference in finding
                .refs
                .iter()
                .flat_map(|text| reference::split(text, judgement.ledger, judgement.root))
            {
                refs.extend(work.spot(&reference, &text, judgement));
            }
            if finding.refs.is_empty() {
                work.reasons.push(Reason::new(
                    Code::RefUnknown,
                    &label,
                    "the finding cites nothing",
                ));
            }
            if !refs.is_empty() {
                work.findings.push(Fact { label, text, role: finding.role, refs });
            }
        }
        for item in &draft.read_targets {
            let text = work.text("purpose", &item.purpose, schema::WHY);
            match work.first_spot(&item.reference, &text, judgement) {
                Some(spot) => work.read_targets.push(Item {
                    reference: item.reference.clone(),
                    spot,
                    symbols: Vec::new(),
                    role: None,
                    text,
                    required: item.required,
                }),
                None => work.lost_required += usize::from(item.required),
            }
        }
        work
    }

    /// Cleans and cuts one text.
    fn text(&mut self, field: &str, text: &str, limit: usize) -> String {
        schema::text(&mut self.reasons, field, text, limit)
    }

    /// The place of a reference that should be one; of several the first that holds.
    fn first_spot(&mut self, text: &str, hint: &str, judgement: &Judgement<'_>) -> Option<Spot> {
        reference::split(text, judgement.ledger, judgement.root)
            .iter()
            .find_map(|reference| self.spot(reference, hint, judgement))
    }

    /// Runs one reference through the place rules.
    fn spot(&mut self, reference: &str, hint: &str, judgement: &Judgement<'_>) -> Option<Spot> {
        match settle(reference, hint, judgement) {
            Ok((spot, notes)) => {
                self.reasons.extend(notes);
                Some(spot)
            }
            Err(reason) => {
                self.reasons.push(reason);
                None
            }
        }
    }

    /// Every spot that is left.
    pub(super) fn spots(&self) -> impl Iterator<Item = &Spot> {
        let items = self.primary.iter().chain(&self.secondary).chain(&self.read_targets);
        items.map(|item| &item.spot).chain(self.findings.iter().flat_map(|fact| &fact.refs))
    }

    fn map(
        &self,
        judgement: &Judgement<'_>,
        confidence: Confidence,
        action: Action,
        held: &[Reason],
    ) -> CodeMap {
        let place = |spot: &Spot| Place {
            path: spot.path.as_str().to_owned(),
            start: spot.range.start(),
            end: spot.range.end(),
            id: None,
        };
        let mut reasons: Vec<String> = Vec::new();
        for reason in self.reasons.iter().chain(held) {
            let word = reason.code.word();
            if !reasons.iter().any(|known| known == word) {
                reasons.push(word.to_owned());
            }
        }
        CodeMap {
            version: CODE_MAP_VERSION,
            question: judgement.question.text.clone(),
            intent: judgement.question.intent,
            status: judgement.status,
            confidence,
            recommended_primary_action: action,
            summary: self.summary.clone(),
            flow: self.flow.clone(),
            primary: self
                .primary
                .iter()
                .map(|item| {
                    let Place { path, start, end, id } = place(&item.spot);
                    let (symbols, why) = (item.symbols.clone(), item.text.clone());
                    Primary { path, start, end, id, symbols, role: item.role, why }
                })
                .collect(),
            secondary: self
                .secondary
                .iter()
                .map(|item| {
                    let Place { path, start, end, id } = place(&item.spot);
                    Secondary { path, start, end, id, role: item.role, why: item.text.clone() }
                })
                .collect(),
            findings: self
                .findings
                .iter()
                .map(|fact| Finding {
                    fact: fact.text.clone(),
                    role: fact.role,
                    refs: fact.refs.iter().map(place).collect(),
                    known: Vec::new(),
                })
                .collect(),
            read_targets: self
                .read_targets
                .iter()
                .map(|item| {
                    let Place { path, start, end, id } = place(&item.spot);
                    let purpose = item.text.clone();
                    ReadTarget { path, start, end, id, purpose, required: item.required }
                })
                .collect(),
            known: Vec::new(),
            missing: self
                .missing
                .iter()
                .map(|gap| Missing {
                    what: gap.what.clone(),
                    role: gap.role,
                    critical: gap.critical,
                })
                .collect(),
            gap_search: self.gap_search.clone(),
            requested_roles: self.requested.iter().copied().collect(),
            meta: Meta {
                author: judgement.author,
                model: None,
                claimed_confidence: self.claimed_confidence,
                reasons,
                stop_reason: StopReason::Submitted,
                steps: 0,
                tool_calls: 0,
                observed_tokens: judgement.ledger.tokens(),
                report_tokens: 0,
                elapsed_ms: 0,
                usage: None,
                cost: None,
                session: None,
            },
        }
    }
}

/// The caller's roles, else the question's words joined with the model's reading.
fn requested_roles(draft: &Draft, judgement: &Judgement<'_>) -> BTreeSet<Role> {
    if !judgement.question.roles.is_empty() {
        return judgement.question.roles.iter().copied().collect();
    }
    judgement.asked.roles.iter().chain(&draft.requested_roles).copied().collect()
}

/// The place rules in order: place, staleness, observed, width.
fn settle(
    reference: &str,
    hint: &str,
    judgement: &Judgement<'_>,
) -> Result<(Spot, Vec<Reason>), Reason> {
    let claim = place::check(reference, judgement)?;
    let file = staleness::check(reference, &claim, judgement)?;
    let mut notes = Vec::new();
    let range = observed::check(reference, &claim, file, &mut notes)?;
    let range: LineRange = width::check(reference, range, file, hint, judgement, &mut notes)?;
    Ok((Spot { path: claim.path, range }, notes))
}
