//! From what a model writes as a reference to the place it means. Every spelling of a real place is read: IDs with or
//! without lines, paths in any form, `path#L10-L40`, dashes of all lengths. What is meant is one thing; whether it was
//! delivered is the validator's to say.

use std::sync::LazyLock;

use regex::Regex;

use super::{code::Code, prose::pattern};
use crate::ledger::{EvidenceId, Ledger};
use retriever_workspace::{LineRange, PathError, RepoPath};

/// What a reference means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claim {
    pub(super) path: RepoPath,
    /// `None`: the file, and with it whatever single run of lines was delivered of it.
    pub(super) range: Option<LineRange>,
}

/// Reads one reference.
pub(super) fn read(reference: &str, ledger: &Ledger, root: &str) -> Result<Claim, Code> {
    static LED: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"^\[?([cC]\d+)\]?\s+(\S.*)$"));
    static TRAILED: LazyLock<Option<Regex>> =
        LazyLock::new(|| pattern(r"^(.*\S)\s*[\[(]([cC]\d+)[\])]$"));
    static ANY: LazyLock<Option<Regex>> = LazyLock::new(|| pattern(r"\b[cC]\d+\b"));
    let spelled = undress(reference);
    let direct = read_plain(&spelled, ledger, root);
    if direct.as_ref().is_ok_and(|claim| is_known(&claim.path, ledger)) {
        return direct;
    }
    // "c7 src/a.rs:10-40" and "src/a.rs:10-40 [c7]": the lines count, the ID stands in for them.
    for (form, id, place) in [(&LED, 1, 2), (&TRAILED, 2, 1)] {
        let Some(parts) = form.as_ref().and_then(|form| form.captures(&spelled)) else { continue };
        // "c1 and c2" is two references, not an ID with something behind it.
        let single = ANY.as_ref().is_some_and(|any| any.find_iter(&spelled).count() == 1);
        for part in if single { vec![place, id] } else { vec![place] } {
            let claim = read_plain(parts.get(part).map_or("", |m| m.as_str()), ledger, root);
            if claim.as_ref().is_ok_and(|claim| is_known(&claim.path, ledger)) {
                return claim;
            }
        }
    }
    direct
}

/// Splits a string that holds several references; one that is a reference as a whole stays whole. A part that is only
/// lines belongs to the reference before it.
pub(super) fn split(text: &str, ledger: &Ledger, root: &str) -> Vec<String> {
    let whole = read(text, ledger, root);
    if whole.is_ok_and(|claim| is_known(&claim.path, ledger)) {
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
                base = Some(lines_behind(part).map_or(part, |(base, _)| base).to_owned());
                parts.push(part.to_owned());
            }
        }
    }
    if parts.is_empty() { vec![text.to_owned()] } else { parts }
}

fn is_known(path: &RepoPath, ledger: &Ledger) -> bool {
    ledger.file(path).is_some() || ledger.places().iter().any(|place| place.path == *path)
}

fn undress(reference: &str) -> String {
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

/// Tries the ways to read `text`, and takes the first that leads to a known file: the whole as a path, since names may
/// hold colons and digits; then what stands before the lines; then before a line and column.
fn read_plain(text: &str, ledger: &Ledger, root: &str) -> Result<Claim, Code> {
    if let Some(claim) = base(text, ledger, root)? {
        return Ok(claim);
    }
    let Some((before, range)) = lines_behind(text) else {
        return unknown(text, None, root);
    };
    if let Some(claim) = base(before, ledger, root)? {
        return Ok(Claim { path: claim.path, range: Some(range.ok_or(Code::RangeUnobserved)?) });
    }
    if let Some((shorter, line)) = lines_behind(before)
        && let Some(claim) = base(shorter, ledger, root)?
    {
        return Ok(Claim { path: claim.path, range: Some(line.ok_or(Code::RangeUnobserved)?) });
    }
    unknown(before, range, root)
}

/// What `text` without lines names, when it names something known. Never an error for a path that is only odd.
fn base(text: &str, ledger: &Ledger, root: &str) -> Result<Option<Claim>, Code> {
    if let Ok(id) = text.parse::<EvidenceId>() {
        let place = ledger.place(id).ok_or(Code::RefUnknown)?;
        return Ok(Some(Claim { path: place.path.clone(), range: place.range }));
    }
    let Ok(path) = RepoPath::parse(text, root) else { return Ok(None) };
    if path == RepoPath::root() {
        return Ok(None);
    }
    if is_known(&path, ledger) {
        return Ok(Some(Claim { path, range: None }));
    }
    // A path as seen from a folder inside the root, when only one known file can be meant.
    let tail = format!("/{path}");
    let mut fitting =
        ledger.files().map(|file| &file.stamp.path).filter(|p| p.as_str().ends_with(&tail));
    match (fitting.next(), fitting.next()) {
        (Some(only), None) => Ok(Some(Claim { path: only.clone(), range: None })),
        _ => Ok(None),
    }
}

fn unknown(text: &str, range: Option<LineRange>, root: &str) -> Result<Claim, Code> {
    match RepoPath::parse(text, root) {
        Ok(path) if path == RepoPath::root() => Err(Code::RefUnknown),
        // A word without lines, ending or folder was meant as an ID.
        Ok(path) if range.is_none() && !path.as_str().contains(['/', '.']) => Err(Code::RefUnknown),
        Ok(path) => Ok(Claim { path, range }),
        Err(PathError::Outside(_)) => Err(Code::PathOutside),
        Err(_) => Err(Code::RefUnknown),
    }
}

/// Splits `base:10-40` in any of its spellings. Lines that make no range (`40-10`, line 0) are `None`.
fn lines_behind(text: &str) -> Option<(&str, Option<LineRange>)> {
    static LINES: LazyLock<Option<Regex>> = LazyLock::new(|| {
        pattern(
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
