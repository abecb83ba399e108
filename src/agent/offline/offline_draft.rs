//! Reports that are written without a model, from candidates and delivered lines.

use super::{
    call_flow_sentences::{first_places, flow, is_read},
    candidate_groups::CandidateGroup,
    next_places_to_read::{NextPlaceToRead, first_lines, next_places},
    place_reason::{MAX_REASON_CHARS, kind, reason},
    read_candidates::{code_span, name_among, read_candidates},
    report_from_ledger::ledger_report,
    search_advice::{self, distinct},
};
use crate::agent::offline_driver_trait::OfflineState;
use retriever_report::{
    DraftGap, DraftPrimary, DraftReadTarget, DraftSecondary, MAX_PRIMARY, MAX_READ_TARGETS,
    MAX_SECONDARY, RecommendedAction, ReportDraft, evidence_ledger::FileEvidence,
};
use retriever_search::{Intent, NoAnswerReason, ParsedQuery, PlaceRole};
use retriever_workspace::LineRange;

/// Names that are told of one place.
const MAX_SYMBOLS: usize = 3;

/// The places of a report by their part in it.
struct ReportPlaces<'a> {
    primary: Vec<CandidateGroup<'a>>,
    secondary: Vec<CandidateGroup<'a>>,
    further: Vec<CandidateGroup<'a>>,
    next: Vec<NextPlaceToRead<'a>>,
}

impl<'a> ReportPlaces<'a> {
    /// The first of `places` are primary; tests and the like are secondary unless they are asked for. A role that the caller
    /// requires has a primary place if one was read.
    fn of(state: &OfflineState<'_>, places: &[CandidateGroup<'a>]) -> Self {
        let scope = ParsedQuery::of(state.question).scope;
        let (supporting, mut main): (Vec<_>, Vec<_>) =
            places.iter().partition(|place| place.candidate.is_excluded(&scope));
        if scope.wants_tests && !scope.wants_code_first {
            main.sort_by_key(|place| !place.candidate.is_test());
        }
        main.sort_by_key(|place| place.is_module_line());
        put_required_first(&mut main, &roles_to_show(state));
        let primary = main[..main.len().min(MAX_PRIMARY)].to_vec();
        let secondary: Vec<_> =
            main.iter().skip(MAX_PRIMARY).chain(&supporting).take(MAX_SECONDARY).copied().collect();
        let cited: Vec<_> = primary.iter().chain(&secondary).copied().collect();
        let mut next = next_places(state.question, &primary, &cited);
        let mut further: Vec<_> = main.iter().skip(MAX_PRIMARY + MAX_SECONDARY).copied().collect();
        next.iter_mut().for_each(|place| place.join_further(&further));
        let is_next = |place: &CandidateGroup<'_>| {
            next.iter().any(|it| it.path() == place.path() && it.range().overlaps(place.range()))
        };
        further.retain(|place| !is_next(place));
        let owned = |places: Vec<&CandidateGroup<'a>>| places.into_iter().cloned().collect();
        Self { primary: owned(primary), secondary: owned(secondary), further: owned(further), next }
    }

    /// Returns the places that are cited.
    fn cited(&self) -> Vec<&CandidateGroup<'a>> {
        self.primary.iter().chain(&self.secondary).collect()
    }

    /// Joins each next place to a cited place beside it, which leaves room for another.
    fn join_next(&mut self, state: &OfflineState<'_>) {
        let Self { primary, secondary, next, .. } = self;
        next.retain(|place| {
            for cited in primary.iter_mut().chain(&mut *secondary) {
                let was_read = |range: &LineRange| {
                    let file = state.ledger.file(&cited.candidate.file.path);
                    file.is_some_and(|file| file.read.contains(*range))
                };
                if let Some(range) = place.lines_with(cited).filter(was_read) {
                    place.join(cited, range);
                    return false;
                }
            }
            true
        });
    }
}

/// Returns the roles of which a place is cited if there is one: those that the caller requires, and a test that the question asks
/// for beside code.
pub(super) fn roles_to_show(state: &OfflineState<'_>) -> Vec<PlaceRole> {
    let scope = ParsedQuery::of(state.question).scope;
    let mut roles = state.question.roles.clone();
    if scope.wants_tests && scope.wants_code_first && !roles.contains(&PlaceRole::Test) {
        roles.push(PlaceRole::Test);
    }
    roles
}

/// Moves the best place of each of `roles` that no primary place has to the end of the primary ones.
fn put_required_first(main: &mut Vec<&CandidateGroup<'_>>, roles: &[PlaceRole]) {
    let mut further = main.split_off(main.len().min(MAX_PRIMARY));
    let mut required = Vec::new();
    for role in roles {
        let shows = |place: &&CandidateGroup<'_>| place.has_role(*role);
        if required.len() < MAX_PRIMARY
            && !main.iter().chain(&required).any(shows)
            && let Some(at) = further.iter().position(shows)
        {
            required.push(further.remove(at));
        }
    }
    let less = main.split_off(main.len().saturating_sub(required.len()));
    main.extend(required.into_iter().chain(less).chain(further));
}

/// Returns what to read beside `places`, the candidates that were read: what they are joined to, and the rest of the flow.
pub(super) fn next_reads<'a>(
    state: &OfflineState<'a>,
    places: &[CandidateGroup<'a>],
) -> Vec<(&'a str, LineRange)> {
    let places = ReportPlaces::of(state, places);
    let cited = places.cited();
    // With the lines between it and a place that it will be a part of.
    let lines = |place: &NextPlaceToRead<'a>| {
        let beside = cited.iter().find_map(|cited| place.lines_with(cited));
        (place.path(), beside.unwrap_or_else(|| place.range()))
    };
    let mut reads: Vec<_> = places.next.iter().map(lines).collect();
    for place in first_places(state) {
        let is_next = |(path, range): &(&str, LineRange)| {
            *path == place.path.as_str() && range.contains(place.name_line)
        };
        if !is_read(state, place) && !reads.iter().any(is_next) {
            let range = first_lines(place.range.start(), place.range.end());
            reads.extend(range.map(|range| (place.path.as_str(), range)));
        }
    }
    reads
}

/// Returns the report on `places`.
pub(super) fn candidate_report<'a>(
    state: &OfflineState<'a>,
    places: &[CandidateGroup<'a>],
) -> ReportDraft {
    let mut places = ReportPlaces::of(state, places);
    places.join_next(state);
    let cited = places.cited();
    let ReportPlaces { primary, secondary, further, next } = &places;
    let found_nothing = primary.is_empty() && secondary.is_empty();
    let missing = match state.candidates {
        _ if !found_nothing => state.no_answer.map(NoAnswerReason::to_string),
        [] => Some("nothing in the repository matches the question's words".to_owned()),
        [..] => Some("places match, but what the run may show has no room for one".to_owned()),
    };
    let gap_search = search_advice::near_candidates(state);
    let action = match &missing {
        None => RecommendedAction::ReadTargets,
        Some(_) if found_nothing && gap_search.scopes.is_empty() => RecommendedAction::Skip,
        Some(_) => RecommendedAction::TargetedGapSearch,
    };
    let why = |place: &CandidateGroup<'_>| reason(state, place, &cited);
    ReportDraft {
        summary: summary(primary, state.no_answer),
        flow: flow(state, &cited),
        primary: primary.iter().map(|place| place.primary(why(place))).collect(),
        secondary: secondary.iter().map(|place| place.secondary(why(place))).collect(),
        findings: Vec::new(),
        read_targets: read_targets(state, primary, further, next),
        missing: missing
            .map(|what| DraftGap { what, role: None, critical: true })
            .into_iter()
            .chain(roles_without_place(state, &cited))
            .collect(),
        gap_search,
        recommended_primary_action: Some(action),
        ..ReportDraft::default()
    }
}

/// Returns the roles to show that none of the cited places has, as gaps; critical are those that the caller requires.
fn roles_without_place(state: &OfflineState<'_>, cited: &[&CandidateGroup<'_>]) -> Vec<DraftGap> {
    let has_place = |role: &PlaceRole| cited.iter().any(|place| place.has_role(*role));
    let open = roles_to_show(state).into_iter().filter(|role| !has_place(role));
    let gap = |role: PlaceRole| {
        let critical = state.question.roles.contains(&role);
        let of = if critical { "the required role" } else { "the role" };
        let what = format!("no place that was found has {of} {role}");
        DraftGap { what, role: Some(role), critical }
    };
    open.map(gap).collect()
}

/// Returns what is joined to the first places and was read, then further places. Without any, the first place stands in, and has
/// to be read.
fn read_targets(
    state: &OfflineState<'_>,
    primary: &[CandidateGroup<'_>],
    further: &[CandidateGroup<'_>],
    next: &[NextPlaceToRead<'_>],
) -> Vec<DraftReadTarget> {
    let intent = state.question.intent;
    let next = next.iter().filter_map(|place| place.read_target(state));
    let further = further.iter().map(|place| place.read_target(intent));
    let mut targets: Vec<DraftReadTarget> = next.chain(further).take(MAX_READ_TARGETS).collect();
    if targets.is_empty() {
        let required = state.no_answer.is_none();
        let first = primary.first().map(|place| place.read_target(intent));
        targets.extend(first.map(|target| DraftReadTarget { required, ..target }));
    }
    targets
}

impl CandidateGroup<'_> {
    /// Whether the place is one line that only names a module, whose code is elsewhere.
    fn is_module_line(&self) -> bool {
        let symbols = &self.candidate.symbols;
        self.range().width() == 1 && symbols.first().is_some_and(|it| kind(&it.kind) == "module")
    }

    fn primary(&self, why: String) -> DraftPrimary {
        let role = self.candidate.leading_role;
        DraftPrimary { reference: self.reference(), symbols: self.symbols(), role, why }
    }

    /// Such a place has no list of symbols: its reason begins with its name, unless that stands in it.
    fn secondary(&self, why: String) -> DraftSecondary {
        let name = self.candidate.symbols.first().and_then(|symbol| code_span(&symbol.name));
        let why = match name {
            Some(name) if !why.contains(&name) && name.len() + why.len() < MAX_REASON_CHARS => {
                format!("{name}: {why}")
            }
            _ => why,
        };
        DraftSecondary { reference: self.reference(), role: self.candidate.leading_role, why }
    }

    fn read_target(&self, intent: Intent) -> DraftReadTarget {
        let names = self.candidates().filter_map(|it| code_span(&it.symbols.first()?.name));
        let names: Vec<String> = names.take(MAX_SYMBOLS).collect();
        let file_name = self.candidate.file.path.file_name();
        let what = if names.is_empty() { file_name.to_owned() } else { names.join(", ") };
        let purpose = match (intent, names.len()) {
            (Intent::Answer, 0) => format!("see what {what} says here"),
            (Intent::Answer, 1) => format!("see what {what} does"),
            (Intent::Answer, _) => format!("see what {what} do"),
            (Intent::Edit, _) => format!("check whether this has to change: {what}"),
            (Intent::Debug, _) => format!("check whether the fault is in {what}"),
        };
        DraftReadTarget { reference: self.reference(), purpose, required: false }
    }

    /// Returns the symbols that the delivered lines declare. Part of a wide declaration may be without its name.
    fn symbols(&self) -> Vec<String> {
        let symbols = self.candidates().flat_map(|it| &it.symbols);
        let declared = symbols.filter(|symbol| self.range().contains(symbol.line));
        let declared = declared.map(|symbol| symbol.name.as_str());
        let names = declared.chain(self.names_of_neighbours_inside());
        names.take(MAX_SYMBOLS).map(str::to_owned).collect()
    }
}

fn summary(primary: &[CandidateGroup<'_>], doubt: Option<&NoAnswerReason>) -> String {
    let primary: Vec<&CandidateGroup<'_>> = primary.iter().collect();
    let names = primary.iter().filter_map(|place| name_among(place, &primary));
    let names = distinct(names, primary.len());
    if names.is_empty() {
        return String::new();
    }
    let doubt = doubt.map_or("", |_| ", and what is asked for may not be there");
    format!("Closest by name and words, not judged by a model{doubt}: {}.", names.join(", "))
}

/// Returns the report after an exploration without a usable one: on the candidates that were read, else on whatever was
/// delivered. Files that are not `is_current` are left out.
pub(super) fn fallback_report(
    state: &OfflineState<'_>,
    is_current: &dyn Fn(&FileEvidence) -> bool,
) -> ReportDraft {
    let mut places = read_candidates(state);
    places.retain(|place| state.ledger.file(&place.candidate.file.path).is_some_and(is_current));
    if places.is_empty() {
        ledger_report(state, is_current)
    } else {
        candidate_report(state, &places)
    }
}
