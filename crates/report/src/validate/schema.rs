//! From arguments of any quality to a draft. JSON Schema names everything that is wrong; salvage then keeps every part that a
//! sense can be made of, so that one bad item never costs the good ones. Also the limits of texts and lists.

use std::sync::LazyLock;

use jsonschema::{Validator, error::ValidationErrorKind};
use serde_json::{Map, Value};

use super::Work;
use crate::{
    Draft, DraftFinding, DraftMissing, DraftPrimary, DraftReadTarget, DraftSecondary, GapSearch,
    code::{Code, Reason},
    found::find_json,
    prose::{clean, clip},
    schema,
};
use retriever_search::Role;

/// Most primary places.
pub(crate) const MAX_PRIMARY: usize = 5;
/// Most secondary places.
pub(crate) const MAX_SECONDARY: usize = 2;
const MAX_FINDINGS: usize = 8;
const MAX_REFS: usize = 4;
const MAX_TARGETS: usize = 5;
const MAX_MISSING: usize = 3;
/// Longest reason or purpose, in characters.
pub(super) const WHY: usize = 160;
/// Longest fact, in characters.
pub(super) const FACT: usize = 240;
const SUMMARY: usize = 600;
const FLOW: usize = 800;
/// Items of one list that are looked at; a list of thousands is an accident or an attack.
const LOOKED_AT: usize = 40;

/// What could be made of a submission.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The draft; `None` when there is nothing usable.
    pub draft: Option<Draft>,
    /// Everything that is wrong with the submission, for [`Judgement::problems`](super::Judgement::problems).
    pub problems: Vec<Reason>,
}

/// Reads the arguments of `submit_report`. Never fails: what is wrong is in the problems.
pub fn parse(arguments: &Value) -> Parsed {
    static VALIDATOR: LazyLock<Option<Validator>> =
        LazyLock::new(|| jsonschema::validator_for(&schema::parameters::<Draft>()).ok());
    let mut problems = Vec::new();
    let Some(mut object) = unwrap(arguments, 0) else {
        problems.push(Reason::new(
            Code::SchemaUnusable,
            "report",
            "is no JSON object with the report's fields",
        ));
        return Parsed { draft: None, problems };
    };
    object.retain(|_, value| !value.is_null());
    let submitted = without_nulls(Value::Object(object), 0);
    if let Some(validator) = VALIDATOR.as_ref() {
        for error in validator.iter_errors(&submitted).take(LOOKED_AT) {
            let at = error.instance_path().to_string();
            let code = code_of(error.kind(), &at);
            let detail = match error.kind() {
                // These repeat the value, which may be long.
                ValidationErrorKind::MaxLength { limit } => {
                    format!("is longer than {limit} characters")
                }
                ValidationErrorKind::MaxItems { limit } => format!("has more than {limit} items"),
                _ => clip(&clean(&error.to_string()), 120),
            };
            problems.push(Reason::new(code, at.trim_start_matches('/'), detail));
        }
    }
    let draft = Salvage { problems: &mut problems }.draft(&submitted);
    Parsed { draft: Some(draft), problems }
}

/// Reads a report from the text of a message: bare JSON, fenced, with prose around it, or broken off.
/// `None` when there is no object with a report's fields in it.
pub fn parse_text(text: &str) -> Option<Parsed> {
    let found = find_json(text, |value| unwrap(value, 0).is_some())?;
    let mut parsed = parse(&found.value);
    if found.truncated {
        let detail = "the report broke off; submit a shorter one";
        parsed.problems.insert(0, Reason::new(Code::SchemaTruncated, "report", detail));
    }
    Some(parsed)
}

fn code_of(kind: &ValidationErrorKind, at: &str) -> Code {
    match kind {
        ValidationErrorKind::Required { .. } => Code::SchemaRequired,
        ValidationErrorKind::MaxLength { .. } => Code::SchemaLength,
        ValidationErrorKind::MaxItems { .. } | ValidationErrorKind::MinItems { .. } => {
            Code::SchemaCount
        }
        ValidationErrorKind::Type { .. } => Code::SchemaType,
        _ if at.ends_with("/role") || at.contains("requested_roles") => Code::SchemaRole,
        _ => Code::SchemaValue,
    }
}

/// The report inside whatever a model wrapped it in: a string, a list of one, `{"report": …}`, a whole tool call.
fn unwrap(value: &Value, depth: usize) -> Option<Map<String, Value>> {
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
    const WRAPS: [&str; 7] =
        ["report", "submit_report", "arguments", "parameters", "input", "function", "draft"];
    if depth > 4 {
        return None;
    }
    match value {
        Value::Object(object) if FIELDS.iter().any(|field| object.contains_key(*field)) => {
            Some(object.clone())
        }
        Value::Object(object) => WRAPS.iter().find_map(|key| unwrap(object.get(*key)?, depth + 1)),
        Value::Array(items) => items.first().and_then(|item| unwrap(item, depth + 1)),
        Value::String(text) => unwrap(&serde_json::from_str(text).ok()?, depth + 1),
        _ => None,
    }
}

fn without_nulls(value: Value, depth: usize) -> Value {
    match value {
        Value::Object(object) if depth < 8 => Value::Object(
            object
                .into_iter()
                .filter(|(_, value)| !value.is_null())
                .map(|(key, value)| (key, without_nulls(value, depth + 1)))
                .collect(),
        ),
        Value::Array(items) if depth < 8 => Value::Array(
            items
                .into_iter()
                .filter(|item| !item.is_null())
                .map(|item| without_nulls(item, depth + 1))
                .collect(),
        ),
        other => other,
    }
}

/// Builds a draft from a JSON object that may break its schema anywhere.
struct Salvage<'a> {
    problems: &'a mut Vec<Reason>,
}

impl Salvage<'_> {
    fn draft(&mut self, from: &Value) -> Draft {
        let gap = from.get("gap_search");
        Draft {
            summary: string(from.get("summary")),
            flow: string(from.get("flow")),
            primary: self.items(from, "primary", |item| {
                Some(DraftPrimary {
                    reference: reference(item)?,
                    symbols: strings(item.get("symbols")),
                    role: role(item),
                    why: string(item.get("why")),
                })
            }),
            secondary: self.items(from, "secondary", |item| {
                let why = string(item.get("why"));
                Some(DraftSecondary { reference: reference(item)?, role: role(item), why })
            }),
            findings: self.items(from, "findings", |item| {
                let fact = string(item.get("fact"));
                let refs: Vec<String> = match item.get("refs") {
                    Some(Value::Array(refs)) => refs.iter().filter_map(reference).collect(),
                    Some(one) => reference(one).into_iter().collect(),
                    None => reference(item).into_iter().collect(),
                };
                (!fact.trim().is_empty()).then_some(DraftFinding { fact, role: role(item), refs })
            }),
            read_targets: self.items(from, "read_targets", |item| {
                let purpose = [item.get("purpose"), item.get("why")].into_iter().flatten().next();
                Some(DraftReadTarget {
                    reference: reference(item)?,
                    purpose: string(purpose),
                    required: truth(item.get("required")),
                })
            }),
            missing: self.items(from, "missing", |item| {
                let what =
                    if item.is_object() { string(item.get("what")) } else { string(Some(item)) };
                let critical = truth(item.get("critical"));
                (!what.trim().is_empty()).then_some(DraftMissing {
                    what,
                    role: role(item),
                    critical,
                })
            }),
            gap_search: match gap {
                Some(Value::Object(gap)) => GapSearch {
                    terms: strings(gap.get("terms")),
                    scopes: strings(gap.get("scopes")),
                },
                other => GapSearch { terms: strings(other), scopes: Vec::new() },
            },
            requested_roles: strings(from.get("requested_roles"))
                .iter()
                .filter_map(|word| word.parse().ok())
                .collect(),
            recommended_primary_action: word(from.get("recommended_primary_action")),
            confidence: word(from.get("confidence")),
        }
    }

    /// The items of a list, or the one item that stands in its place; an item that `read` refuses is dropped.
    fn items<T>(
        &mut self,
        from: &Value,
        field: &str,
        read: impl Fn(&Value) -> Option<T>,
    ) -> Vec<T> {
        let items: &[Value] = match from.get(field) {
            Some(Value::Array(items)) => items,
            Some(one) => std::slice::from_ref(one),
            None => &[],
        };
        if items.len() > LOOKED_AT {
            let detail = format!("only the first {LOOKED_AT} items were looked at");
            self.problems.push(Reason::new(Code::SchemaItem, field, detail));
        }
        let mut kept = Vec::new();
        for (at, item) in items.iter().take(LOOKED_AT).enumerate() {
            match read(item) {
                Some(item) => kept.push(item),
                None => self.problems.push(Reason::new(
                    Code::SchemaItem,
                    format!("{field}/{at}"),
                    "was dropped: it says nothing usable",
                )),
            }
        }
        kept
    }
}

/// A text; numbers and truth values become text, a list of texts one text.
fn string(value: Option<&Value>) -> String {
    match value {
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(parts)) => {
            parts.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
        }
        Some(other @ (Value::Number(_) | Value::Bool(_))) => other.to_string(),
        _ => String::new(),
    }
}

fn strings(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::Array(items)) => items
            .iter()
            .take(LOOKED_AT)
            .map(|item| string(Some(item)))
            .filter(|s| !s.is_empty())
            .collect(),
        Some(Value::String(text)) => {
            text.split(',').map(|part| part.trim().to_owned()).filter(|s| !s.is_empty()).collect()
        }
        _ => Vec::new(),
    }
}

fn truth(value: Option<&Value>) -> bool {
    match value {
        Some(Value::Bool(truth)) => *truth,
        Some(Value::String(text)) => {
            matches!(text.trim().to_lowercase().as_str(), "true" | "yes" | "1")
        }
        Some(Value::Number(number)) => number.as_f64().is_some_and(|number| number != 0.0),
        _ => false,
    }
}

fn word<T: std::str::FromStr>(value: Option<&Value>) -> Option<T> {
    value?.as_str()?.parse().ok()
}

fn role(item: &Value) -> Option<Role> {
    word(item.get("role"))
}

/// A reference, also in the shape of a map's own places: `{path, start, end}`.
fn reference(item: &Value) -> Option<String> {
    if let Value::String(text) = item {
        return (!text.trim().is_empty()).then(|| text.clone());
    }
    let named = ["ref", "reference", "id", "path", "file"].iter().find_map(|key| item.get(*key))?;
    let base = match named {
        Value::Array(refs) => refs.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        other => string(Some(other)),
    };
    if base.trim().is_empty() {
        return None;
    }
    let line =
        |keys: [&str; 3]| keys.iter().map(|key| string(item.get(*key))).find(|s| !s.is_empty());
    let start = line(["start", "start_line", "line"]);
    let end = line(["end", "end_line", "line"]);
    Some(match start.zip(end) {
        Some((start, end)) => format!("{base}:{start}-{end}"),
        None => base,
    })
}

/// Cleans `text` and cuts it to `limit` characters.
pub(super) fn text(reasons: &mut Vec<Reason>, field: &str, text: &str, limit: usize) -> String {
    let fenced = text.contains("```");
    // A fence is recognised by its own rule, which needs the whole of it.
    let clean = clean(text);
    if clean.chars().count() <= limit || (fenced && clean.chars().count() <= 4 * limit) {
        return clean;
    }
    reasons.push(Reason::new(Code::SchemaLength, field, format!("was cut to {limit} characters")));
    clip(&clean, limit)
}

/// Takes over the texts that stand alone.
pub(super) fn texts(work: &mut Work, draft: &Draft) {
    work.summary = text(&mut work.reasons, "summary", &draft.summary, SUMMARY);
    work.flow = text(&mut work.reasons, "flow", &draft.flow, FLOW);
    for gap in &draft.missing {
        let what = text(&mut work.reasons, "missing", &gap.what, WHY);
        if !what.is_empty() {
            work.missing.push(DraftMissing { what, role: gap.role, critical: gap.critical });
        }
    }
}

/// Cuts every list to its limit. Late, so that an item that had to go makes room for one behind it.
pub(super) fn cap_counts(work: &mut Work) {
    work.summary = clip(&work.summary, SUMMARY);
    work.flow = clip(&work.flow, FLOW);
    // What can't be done without goes first.
    work.missing.sort_by_key(|gap| !gap.critical);
    work.read_targets.sort_by_key(|target| !target.required);
    let Work { primary, secondary, read_targets, findings, missing, reasons, .. } = work;
    for fact in findings.iter_mut() {
        cap(&mut fact.refs, MAX_REFS, &fact.label, reasons);
    }
    cap(primary, MAX_PRIMARY, "primary", reasons);
    cap(secondary, MAX_SECONDARY, "secondary", reasons);
    cap(findings, MAX_FINDINGS, "findings", reasons);
    cap(read_targets, MAX_TARGETS, "read_targets", reasons);
    cap(missing, MAX_MISSING, "missing", reasons);
}

fn cap<T>(items: &mut Vec<T>, most: usize, field: &str, reasons: &mut Vec<Reason>) {
    if items.len() > most {
        let detail = format!("{} more than the {most} that fit", items.len() - most);
        reasons.push(Reason::new(Code::SchemaCount, field, detail));
        items.truncate(most);
    }
}
