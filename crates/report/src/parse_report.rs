//! Parses a submitted report into a [`ReportDraft`]. All violations of the report's JSON Schema are collected; every part that
//! has a usable reading is kept, so that one bad item never costs the others.

use std::{collections::BTreeSet, sync::LazyLock};

use boon::{Compiler, ErrorKind, SchemaIndex, Schemas, ValidationError};
use serde_json::{Map, Value};

use crate::{
    code_map::GapSearch,
    json::{extract, json_coercion},
    prose_normalization::{single_line, truncate},
    submitted_draft::{
        DraftFinding, DraftGap, DraftPrimary, DraftReadTarget, DraftSecondary, ReportDraft,
    },
    tool_schema,
    validation_reason_codes::{ReasonCode, ValidationReason},
    validation_reason_parts::{ReasonDetail, ReasonSubject},
};
use retriever_search::PlaceRole;

/// The report as what a reason is about.
const REPORT: ReasonSubject = ReasonSubject::Part("report");

/// Most items of one list that are read, and most schema violations that are reported.
const MAX_ITEMS_READ: usize = 40;

/// The result of parsing a submission.
#[derive(Clone, Debug)]
pub struct ParsedReport {
    /// The draft; `None` if nothing of the submission is usable.
    pub draft: Option<ReportDraft>,
    /// Everything that is wrong with the submission, for
    /// [`ValidationContext::problems`](crate::ValidationContext::problems).
    pub problems: Vec<ValidationReason>,
}

/// Parses the arguments of `submit_report`. Never fails: what is wrong is in the problems.
pub fn parse(arguments: &Value) -> ParsedReport {
    let Some(report) = unwrap_report(arguments, 0) else {
        let detail = "is no JSON object with the report's fields";
        let problems = vec![ValidationReason::new(ReasonCode::SchemaUnusable, REPORT, detail)];
        return ParsedReport { draft: None, problems };
    };
    let report = json_coercion::without_nulls(Value::Object(report));
    let mut problems = schema_violations(&report);
    let draft = DraftReader { problems: &mut problems, emptied: BTreeSet::new() }.draft(&report);
    ParsedReport { draft: Some(draft), problems }
}

/// Parses a report in the text of a message: bare JSON, fenced, surrounded by prose, or cut off. Returns `None` if the text
/// contains no object with a report's fields.
pub fn parse_text(text: &str) -> Option<ParsedReport> {
    let found = extract(text, |value| unwrap_report(value, 0).is_some())?;
    let mut parsed = parse(&found.value);
    if found.truncated {
        let detail = "the report broke off; submit a shorter one";
        let reason = ValidationReason::new(ReasonCode::SchemaTruncated, REPORT, detail);
        parsed.problems.insert(0, reason);
    }
    Some(parsed)
}

fn schema_violations(report: &Value) -> Vec<ValidationReason> {
    static SCHEMA: LazyLock<Option<(Schemas, SchemaIndex)>> = LazyLock::new(|| {
        const NAME: &str = "urn:report";
        let (mut schemas, mut compiler) = (Schemas::new(), Compiler::new());
        compiler.add_resource(NAME, tool_schema::parameters::<ReportDraft>()).ok()?;
        let index = compiler.compile(NAME, &mut schemas).ok()?;
        Some((schemas, index))
    });
    let Some((schemas, index)) = SCHEMA.as_ref() else { return Vec::new() };
    let Err(error) = schemas.validate(report, *index) else { return Vec::new() };
    let mut violations = Vec::new();
    collect_violations(&error, &mut violations);
    violations.truncate(MAX_ITEMS_READ);
    violations
}

/// Adds the violations that have no closer cause. Errors are nested only as deep as the schema.
fn collect_violations(error: &ValidationError<'_, '_>, violations: &mut Vec<ValidationReason>) {
    error.causes.iter().for_each(|cause| collect_violations(cause, violations));
    // Whoever cuts a long text says so, with its length and what was cut off.
    if !error.causes.is_empty() || matches!(error.kind, ErrorKind::MaxLength { .. }) {
        return;
    }
    let at = error.instance_location.to_string();
    let detail = match &error.kind {
        ErrorKind::MaxItems { want, .. } => format!("has more than {want} items"),
        kind => truncate(&single_line(&kind.to_string()), 120),
    };
    let code = violation_code(&error.kind, &at);
    violations.push(ValidationReason::new(code, subject_at(&at), detail));
}

/// Returns the place of a value in a report as its writer counts: "finding 6, fact" for `/findings/5/fact`.
fn subject_at(pointer: &str) -> ReasonSubject {
    let mut parts = pointer.trim_start_matches('/').split('/');
    let list = parts.next().unwrap_or_default();
    let Some(at) = parts.next().and_then(|at| at.parse::<usize>().ok()) else {
        return ReasonSubject::Value(pointer.trim_start_matches('/').to_owned());
    };
    let rest: String = parts.map(|part| format!(", {part}")).collect();
    match list {
        "findings" if rest.is_empty() => ReasonSubject::Finding(at + 1),
        "missing" if rest.is_empty() => ReasonSubject::Gap(at + 1),
        "findings" => ReasonSubject::Value(format!("finding {}{rest}", at + 1)),
        list => ReasonSubject::Value(format!("{list} {}{rest}", at + 1)),
    }
}

fn violation_code(kind: &ErrorKind<'_, '_>, at: &str) -> ReasonCode {
    match kind {
        ErrorKind::Required { .. } => ReasonCode::SchemaRequired,
        ErrorKind::MaxItems { .. } | ErrorKind::MinItems { .. } => ReasonCode::SchemaCount,
        ErrorKind::Type { .. } => ReasonCode::SchemaType,
        _ if at.ends_with("/role") || at.contains("requested_roles") => ReasonCode::SchemaRole,
        _ => ReasonCode::SchemaValue,
    }
}

/// Returns the report inside what a model may wrap it in: a string, a list of one, `{"report": …}`, a whole tool call.
fn unwrap_report(value: &Value, depth: usize) -> Option<Map<String, Value>> {
    const FIELDS: [&str; 11] = [
        "summary",
        "flow",
        "primary",
        "secondary",
        "findings",
        "read_targets",
        "missing",
        "gap_search",
        "requested_roles",
        "recommended_primary_action",
        "confidence",
    ];
    const WRAPPERS: [&str; 7] =
        ["report", "submit_report", "arguments", "parameters", "input", "function", "draft"];
    const MAX_DEPTH: usize = 4;
    if depth > MAX_DEPTH {
        return None;
    }
    match value {
        Value::Object(object) if FIELDS.iter().any(|field| object.contains_key(*field)) => {
            Some(object.clone())
        }
        Value::Object(object) => {
            WRAPPERS.iter().find_map(|key| unwrap_report(object.get(*key)?, depth + 1))
        }
        Value::Array(items) => items.first().and_then(|item| unwrap_report(item, depth + 1)),
        Value::String(text) => unwrap_report(&serde_json::from_str(text).ok()?, depth + 1),
        _ => None,
    }
}

/// Reads a draft from a JSON object that may violate the schema anywhere.
struct DraftReader<'a> {
    problems: &'a mut Vec<ValidationReason>,
    /// The lists that were submitted empty, or with nothing but withdrawals.
    emptied: BTreeSet<&'static str>,
}

impl DraftReader<'_> {
    fn draft(mut self, report: &Value) -> ReportDraft {
        ReportDraft {
            summary: prose(report.get("summary")),
            flow: prose(report.get("flow")),
            primary: self.items(report, "primary", primary),
            secondary: self.items(report, "secondary", secondary),
            findings: self.findings(report),
            read_targets: self.items(report, "read_targets", read_target),
            missing: self.items(report, "missing", missing),
            gap_search: gap_search(report.get("gap_search")),
            requested_roles: words(report.get("requested_roles"))
                .iter()
                .filter_map(|word| word.trim().parse().ok())
                .collect(),
            recommended_primary_action: json_coercion::word(
                report.get("recommended_primary_action"),
            ),
            confidence: json_coercion::word(report.get("confidence")),
            emptied: self.emptied,
        }
    }

    fn findings(&mut self, report: &Value) -> Vec<DraftFinding> {
        let read = self.positioned_items(report, "findings", finding).into_iter().enumerate();
        read.map(|(index, (at, item))| DraftFinding {
            position: (at != index).then_some(at + 1),
            ..item
        })
        .collect()
    }

    fn items<T>(
        &mut self,
        report: &Value,
        field: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Vec<T> {
        self.positioned_items(report, field, read).into_iter().map(|(_, item)| item).collect()
    }

    /// Reads the items of a list, each with its index there, or the one item in place of a list. Items that `read` returns
    /// `None` for are dropped.
    fn positioned_items<T>(
        &mut self,
        report: &Value,
        field: &'static str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Vec<(usize, T)> {
        let items: &[Value] = match report.get(field) {
            Some(Value::Array(items)) => items,
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        if items.len() > MAX_ITEMS_READ {
            let detail = format!("only the first {MAX_ITEMS_READ} items were looked at");
            let detail = ReasonDetail::said(detail);
            let list = ReasonSubject::Part(field);
            self.problems.push(ValidationReason::new(ReasonCode::SchemaItem, list, detail));
        }
        let mut kept = Vec::new();
        for (at, item) in items.iter().take(MAX_ITEMS_READ).enumerate() {
            match read(item) {
                Some(item) => kept.push((at, item)),
                None if field == "findings" && withdraws(item) => {}
                None => self.problems.push(ValidationReason::new(
                    ReasonCode::SchemaItem,
                    subject_at(&format!("{field}/{at}")),
                    "was dropped: it says nothing usable",
                )),
            }
        }
        let is_list = report.get(field).is_some_and(Value::is_array);
        if is_list && items.iter().all(|item| field == "findings" && withdraws(item)) {
            self.emptied.insert(field);
        }
        kept
    }
}

fn primary(item: &Value) -> Option<DraftPrimary> {
    Some(DraftPrimary {
        reference: reference(item)?,
        symbols: words(item.get("symbols")),
        role: role(item),
        why: prose(item.get("why")),
    })
}

fn secondary(item: &Value) -> Option<DraftSecondary> {
    let why = prose(item.get("why"));
    Some(DraftSecondary { reference: reference(item)?, role: role(item), why })
}

fn finding(item: &Value) -> Option<DraftFinding> {
    let fact = prose(item.get("fact"));
    let refs: Vec<String> = match item.get("refs") {
        Some(Value::Array(refs)) => refs.iter().filter_map(reference).collect(),
        Some(one) => reference(one).into_iter().collect(),
        None => reference(item).into_iter().collect(),
    };
    let number = item.get("number").and_then(json_coercion::text);
    let number = number.and_then(|number| number.trim().parse().ok());
    (!fact.trim().is_empty()).then_some(DraftFinding {
        fact,
        role: role(item),
        refs,
        number,
        position: None,
    })
}

/// Whether an item withdraws the finding of its number: its fact is an empty text.
fn withdraws(item: &Value) -> bool {
    let is_empty = |fact: &str| fact.trim().is_empty();
    item.get("number").is_some() && item.get("fact").and_then(Value::as_str).is_some_and(is_empty)
}

fn read_target(item: &Value) -> Option<DraftReadTarget> {
    let purpose = item.get("purpose").or_else(|| item.get("why"));
    Some(DraftReadTarget {
        reference: reference(item)?,
        purpose: prose(purpose),
        required: boolean(item.get("required")),
    })
}

fn missing(item: &Value) -> Option<DraftGap> {
    let what = if item.is_object() { prose(item.get("what")) } else { prose(Some(item)) };
    let critical = boolean(item.get("critical"));
    (!what.trim().is_empty()).then_some(DraftGap { what, role: role(item), critical })
}

fn gap_search(value: Option<&Value>) -> GapSearch {
    match value {
        Some(Value::Object(gap)) => {
            GapSearch { terms: words(gap.get("terms")), scopes: words(gap.get("scopes")) }
        }
        other => GapSearch { terms: words(other), scopes: Vec::new() },
    }
}

/// Reads a text; a list of texts is joined.
fn prose(value: Option<&Value>) -> String {
    match value {
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Some(other) => json_coercion::text(other).unwrap_or_default(),
        None => String::new(),
    }
}

/// Reads a list of words; a string is split at commas.
fn words(value: Option<&Value>) -> Vec<String> {
    let words: Vec<String> = match value {
        Some(Value::Array(items)) => {
            items.iter().take(MAX_ITEMS_READ).map(|item| prose(Some(item))).collect()
        }
        Some(Value::String(text)) => text.split(',').map(|part| part.trim().to_owned()).collect(),
        _ => Vec::new(),
    };
    words.into_iter().filter(|word| !word.is_empty()).collect()
}

fn boolean(value: Option<&Value>) -> bool {
    value.and_then(json_coercion::boolean).unwrap_or(false)
}

fn role(item: &Value) -> Option<PlaceRole> {
    json_coercion::word(item.get("role"))
}

/// Reads a reference: a string, an item with a `ref`, or `{path, start, end}` as in a code map.
fn reference(item: &Value) -> Option<String> {
    if let Value::String(text) = item {
        return (!text.trim().is_empty()).then(|| text.clone());
    }
    let named = ["ref", "reference", "id", "path", "file"].iter().find_map(|key| item.get(*key))?;
    let base = match named {
        Value::Array(refs) => refs.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => prose(Some(other)),
    };
    if base.trim().is_empty() {
        return None;
    }
    let line =
        |keys: [&str; 3]| keys.iter().map(|key| prose(item.get(*key))).find(|s| !s.is_empty());
    let start = line(["start", "start_line", "line"]);
    let end = line(["end", "end_line", "line"]);
    Some(match start.zip(end) {
        Some((start, end)) => format!("{base}:{start}-{end}"),
        None => base,
    })
}
