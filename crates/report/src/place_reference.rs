//! Parses references as models write them: IDs with or without lines, paths in any spelling, `path#L10-L40`, any dash. A
//! parsed reference names a place; whether its lines were delivered is checked by the validator.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use crate::{
    evidence_ledger::{EvidenceId, EvidenceLedger},
    prose_normalization::literal_regex,
    submitted_draft::ReportDraft,
    validation_reason_codes::ReasonCode,
};
use retriever_workspace::{LineRange, PathError, RepoPath};

/// The place that a reference names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ReferencedPlace {
    pub(crate) path: RepoPath,
    /// `None` if the reference has no lines: it then means the only run of delivered lines of the file.
    pub(crate) range: Option<LineRange>,
}

/// Returns the paths that `draft` cites and those of which lines were delivered, which validation may cite in addition. The
/// caller looks up the state of each for [`ValidationContext::file_states`](crate::ValidationContext::file_states).
pub fn cited_paths(draft: &ReportDraft, ledger: &EvidenceLedger, root: &str) -> Vec<RepoPath> {
    let paths: BTreeSet<RepoPath> = place_references(draft)
        .chain(draft.findings.iter().flat_map(|finding| &finding.refs))
        .flat_map(|text| split_references(text, ledger, root))
        .filter_map(|text| parse_reference(&text, ledger, root).ok())
        .map(|place| place.path)
        .chain(ledger.files().map(|file| file.version.path.clone()))
        .collect();
    paths.into_iter().collect()
}

/// Returns the files and folders that the suggested search of `draft` names, of a glob the folder before its first sign.
pub fn scope_paths(draft: &ReportDraft, root: &str) -> BTreeSet<RepoPath> {
    let scopes = draft.gap_search.scopes.iter();
    scopes.filter_map(|scope| RepoPath::parse(fixed_part(scope), root).ok()).collect()
}

/// The signs of a pattern in a glob.
pub(crate) const GLOB_CHARS: [char; 4] = ['*', '?', '[', '{'];

/// Returns a glob up to the last folder that has no sign of a pattern.
pub(crate) fn fixed_part(glob: &str) -> &str {
    let Some(at) = glob.find(GLOB_CHARS) else { return glob };
    glob[..at].rsplit_once('/').map_or("", |(folder, _)| folder)
}

/// Returns the places of `draft` before validation: primary, then secondary, then read targets, each as path and lines. A
/// reference that cannot be parsed is returned as written.
pub fn claimed_places(
    draft: &ReportDraft,
    ledger: &EvidenceLedger,
    root: &str,
) -> Vec<(String, Option<LineRange>)> {
    place_references(draft)
        .flat_map(|text| split_references(text, ledger, root))
        .map(|text| match parse_reference(&text, ledger, root) {
            Ok(place) => (place.path.to_string(), place.range),
            Err(_) => (text, None),
        })
        .collect()
}

fn place_references(draft: &ReportDraft) -> impl Iterator<Item = &String> {
    let primary = draft.primary.iter().map(|item| &item.reference);
    let secondary = draft.secondary.iter().map(|item| &item.reference);
    let targets = draft.read_targets.iter().map(|item| &item.reference);
    primary.chain(secondary).chain(targets)
}

/// Parses one reference.
pub(crate) fn parse_reference(
    reference: &str,
    ledger: &EvidenceLedger,
    root: &str,
) -> Result<ReferencedPlace, ReasonCode> {
    static ID_FIRST: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^\[?([cC]\d+)\]?\s+(\S.*)$"));
    static ID_LAST: LazyLock<Option<Regex>> =
        LazyLock::new(|| literal_regex(r"^(.*\S)\s*[\[(]([cC]\d+)[\])]$"));
    static ID: LazyLock<Option<Regex>> = LazyLock::new(|| literal_regex(r"\b[cC]\d+\b"));
    let spelled = strip_decoration(reference);
    let direct = parse_undecorated(&spelled, ledger, root);
    if direct.as_ref().is_ok_and(|place| is_known(&place.path, ledger)) {
        return direct;
    }
    // "c7 src/a.rs:10-40" and "src/a.rs:10-40 [c7]": the lines are preferred to the ID.
    for (form, id, place) in [(&ID_FIRST, 1, 2), (&ID_LAST, 2, 1)] {
        let Some(parts) = form.as_ref().and_then(|form| form.captures(&spelled)) else { continue };
        // "c1 and c2" is two references, not an ID followed by a place.
        let has_one_id = ID.as_ref().is_some_and(|id| id.find_iter(&spelled).count() == 1);
        for part in if has_one_id { vec![place, id] } else { vec![place] } {
            let place = parse_undecorated(parts.get(part).map_or("", |m| m.as_str()), ledger, root);
            if place.as_ref().is_ok_and(|place| is_known(&place.path, ledger)) {
                return place;
            }
        }
    }
    direct
}

/// Splits a string that contains several references. A string that is one known reference is not split. A part that
/// consists of lines only belongs to the reference before it.
pub(crate) fn split_references(text: &str, ledger: &EvidenceLedger, root: &str) -> Vec<String> {
    let whole = parse_reference(text, ledger, root);
    if whole.is_ok_and(|place| is_known(&place.path, ledger)) {
        return vec![text.to_owned()];
    }
    let mut parts: Vec<String> = Vec::new();
    let mut base: Option<String> = None;
    let inner = text.trim().trim_start_matches('[').trim_end_matches(']');
    for part in inner.split([',', ';', '\n', '&']).flat_map(|part| part.split(" and ")) {
        let part = part.trim();
        let lines_only = !part.is_empty()
            && part.chars().all(|c| c.is_ascii_digit() || "-–— L".contains(c))
            && part.starts_with(|c: char| c.is_ascii_digit() || c == 'L');
        match &base {
            Some(base) if lines_only => parts.push(format!("{base}:{part}")),
            _ if part.is_empty() => {}
            _ => {
                base = Some(split_lines(part).map_or(part, |(base, _)| base).to_owned());
                parts.push(part.to_owned());
            }
        }
    }
    if parts.is_empty() { vec![text.to_owned()] } else { parts }
}

/// Returns the runs of lines that were shown under an ID, if these are several and none is half of its place: of a caller, a
/// tool shows the first line and the lines with its calls. The lines of any other reference were chosen by who wrote it.
pub(crate) fn runs_shown_under_id(reference: &str, ledger: &EvidenceLedger) -> Option<Vec<String>> {
    let place = ledger.place(strip_decoration(reference).parse().ok()?)?;
    let (range, lines) = (place.range?, &ledger.file(&place.path)?.delivered);
    let longest = lines.longest_within(range)?;
    let runs: Vec<String> =
        lines.within(range).map(|run| format!("{}:{run}", place.path)).collect();
    (longest.width() < range.width().div_ceil(2) && runs.len() > 1).then_some(runs)
}

fn is_known(path: &RepoPath, ledger: &EvidenceLedger) -> bool {
    ledger.file(path).is_some() || ledger.places().iter().any(|place| place.path == *path)
}

/// Removes backticks, quotes, and one pair of brackets or parentheses around the whole reference.
fn strip_decoration(reference: &str) -> String {
    let mut text = reference.trim();
    loop {
        let inner = text.trim_matches(|c: char| "`\"' ".contains(c));
        let inner = match (inner.strip_prefix('['), inner.strip_suffix(']')) {
            (Some(_), Some(_)) if inner.matches('[').count() == 1 => &inner[1..inner.len() - 1],
            _ => inner,
        };
        let inner = match (inner.strip_prefix('('), inner.strip_suffix(')')) {
            (Some(_), Some(_)) if inner.matches('(').count() == 1 => &inner[1..inner.len() - 1],
            _ => inner,
        };
        if inner == text {
            return text.trim_end_matches([',', ';', '.']).to_owned();
        }
        text = inner;
    }
}

/// Tries the readings of `text` in order and takes the first that leads to a known file: all of it as a path, since names
/// may contain colons and digits; then the part before the lines; then the part before a line and a column.
fn parse_undecorated(
    text: &str,
    ledger: &EvidenceLedger,
    root: &str,
) -> Result<ReferencedPlace, ReasonCode> {
    if let Some(place) = known_place(text, ledger, root)? {
        return Ok(place);
    }
    let Some((before, range)) = split_lines(text) else {
        return unknown_place(text, None, root);
    };
    if let Some(place) = known_place(before, ledger, root)? {
        return Ok(ReferencedPlace {
            range: Some(range.ok_or(ReasonCode::RangeUnobserved)?),
            ..place
        });
    }
    if let Some((shorter, line)) = split_lines(before)
        && let Some(place) = known_place(shorter, ledger, root)?
    {
        return Ok(ReferencedPlace {
            range: Some(line.ok_or(ReasonCode::RangeUnobserved)?),
            ..place
        });
    }
    unknown_place(before, range, root)
}

/// Returns the known place that `text`, an ID or a path without lines, names. A path in an odd spelling is not an error.
fn known_place(
    text: &str,
    ledger: &EvidenceLedger,
    root: &str,
) -> Result<Option<ReferencedPlace>, ReasonCode> {
    if let Ok(id) = text.parse::<EvidenceId>() {
        let place = ledger.place(id).ok_or(ReasonCode::RefUnknown)?;
        let range = ledger.cited_lines(place);
        return Ok(Some(ReferencedPlace { path: place.path.clone(), range }));
    }
    let Ok(path) = RepoPath::parse(text, root) else { return Ok(None) };
    if path == RepoPath::root() {
        return Ok(None);
    }
    if is_known(&path, ledger) {
        return Ok(Some(ReferencedPlace { path, range: None }));
    }
    // A path relative to a folder inside the root, if exactly one known file matches.
    let tail = format!("/{path}");
    let mut matching =
        ledger.files().map(|file| &file.version.path).filter(|p| p.as_str().ends_with(&tail));
    match (matching.next(), matching.next()) {
        (Some(only), None) => Ok(Some(ReferencedPlace { path: only.clone(), range: None })),
        _ => Ok(None),
    }
}

fn unknown_place(
    text: &str,
    range: Option<LineRange>,
    root: &str,
) -> Result<ReferencedPlace, ReasonCode> {
    match RepoPath::parse(text, root) {
        Ok(path) if path == RepoPath::root() => Err(ReasonCode::RefUnknown),
        // A word without lines, extension or folder is an unknown ID.
        Ok(path) if range.is_none() && !path.as_str().contains(['/', '.']) => {
            Err(ReasonCode::RefUnknown)
        }
        Ok(path) => Ok(ReferencedPlace { path, range }),
        Err(PathError::Outside(_)) => Err(ReasonCode::PathOutside),
        Err(_) => Err(ReasonCode::RefUnknown),
    }
}

/// Splits `base:10-40`, in any of its spellings, into base and lines. Invalid lines (`40-10`, line 0) are `None`.
fn split_lines(text: &str) -> Option<(&str, Option<LineRange>)> {
    static LINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        literal_regex(
            r"^(.*?[^\s:#,@(])\s*(?:[:#@]|,\s*(?:lines?|L)\s*|\s\(?\s*(?:lines?|L)\s*|\s*\(|\s+)\s*(?:lines?\s*)?L?(\d+)(?:C\d+)?(?:\s*(?:-|–|—|−|‐|‑|\.\.=?|\s+to\s+)\s*L?(\d+)(?:C\d+)?)?\s*\)?$",
        )
    });
    let parts = LINES.as_ref()?.captures(text)?;
    let base = parts.get(1)?.as_str();
    let start = parts.get(2)?.as_str().parse::<u32>().ok();
    let end = match parts.get(3) {
        Some(end) => end.as_str().parse::<u32>().ok(),
        None => start,
    };
    Some((base, start.zip(end).and_then(|(start, end)| LineRange::new(start, end))))
}
