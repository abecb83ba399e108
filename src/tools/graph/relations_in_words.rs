//! The relations of an answer as text, as far as its lines do not show them.

use std::collections::BTreeMap;

use retriever_graph::{EdgeKind, EdgeResolution, NodeKind};
use retriever_workspace::truncate;

use super::graph_answer::{Definition, GraphAnswer, MAX_SITES};

/// Note for a function that is named without being called.
const HANDED_ON: &str = "references: handed over as a value";
/// Note for a type that is named without another relation, and for a property that is read or assigned to.
const NAMED: &str = "references: names it";
/// Note for a file that implements something by itself.
const OUTSIDERS: &str = "implements: not by a definition, but for a type from elsewhere, for any type that fits, or by a literal";
/// Most answers of one kind that are named besides their lines.
const MAX_NAMED: usize = 12;

/// Returns the names of answers whose lines show everything except the kind of the relation, by kind: `inferred: a, b`.
/// An exact call needs no note.
pub(super) fn relations_by_kind(
    target: Option<&Definition>,
    answers: &[&GraphAnswer],
) -> Vec<String> {
    let is_shown =
        |answer: &&&GraphAnswer| answer.is_shown_by_lines() || answer.is_called_in(target);
    let is_value = target.is_some_and(|target| target.kind.keeps_callbacks());
    let mut kinds: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let name_of = |answer: &GraphAnswer| name_among(answer, answers);
    for answer in answers.iter().filter(is_shown) {
        let (Some(relation), Some(resolution)) = (&answer.relation, &answer.resolution) else {
            continue;
        };
        if !answer.handed_on.is_empty() {
            let names = kinds.entry(format!("also {HANDED_ON}")).or_default();
            names.push(name_of(answer));
        }
        if !answer.dispatched.is_empty() {
            let names = kinds.entry(also_dispatched(&answer.dispatched)).or_default();
            names.push(name_of(answer));
        }
        let kind = match (relation, resolution) {
            (EdgeKind::Calls, EdgeResolution::Exact) => continue,
            (EdgeKind::Calls, resolution) => {
                let through = answer.through.as_ref();
                let through = through.map(|name| format!(", through {}", truncate(name, 120)));
                in_words(*resolution).to_owned() + &through.unwrap_or_default()
            }
            (EdgeKind::References, EdgeResolution::Dynamic) => HANDED_ON.to_owned(),
            // Of a value, nothing else can be said.
            (EdgeKind::References, _) if is_value => continue,
            (EdgeKind::References, _) => NAMED.to_owned(),
            (relation, EdgeResolution::Exact) => verb_of(relation, answer).to_owned(),
            (relation, resolution) => {
                format!("{}, {}", verb_of(relation, answer), in_words(*resolution))
            }
        };
        kinds.entry(kind).or_default().push(name_of(answer));
    }
    let say = |(kind, mut names): (String, Vec<String>)| {
        names.dedup();
        let more = names.len().saturating_sub(MAX_NAMED);
        let more = if more > 0 { format!(" +{more}") } else { String::new() };
        let names: Vec<String> =
            names.iter().take(MAX_NAMED).map(|name| truncate(name, 60)).collect();
        format!("{kind}: {}{more}", names.join(", "))
    };
    kinds.into_iter().map(say).collect()
}

/// Returns the name of an answer, with that of its type where other answers have the same.
fn name_among(answer: &GraphAnswer, answers: &[&GraphAnswer]) -> String {
    let Definition { owner, .. } = &answer.definition;
    let name = answer.definition.own_name();
    let is_other = |other: &&GraphAnswer| {
        other.definition.own_name() == name && other.definition.owner != *owner
    };
    match owner {
        Some(owner) if answers.iter().any(is_other) => format!("{owner}.{name}"),
        _ => name.to_owned(),
    }
}

/// Returns the note for lines that call through an interface or base method.
fn also_dispatched(lines: &[u32]) -> String {
    format!("also at {}, {}", lines_in_words(lines), in_words(EdgeResolution::Dynamic))
}

/// Returns the word for a certainty; empty for exact.
const fn in_words(resolution: EdgeResolution) -> &'static str {
    match resolution {
        EdgeResolution::Exact => "exact",
        EdgeResolution::Inferred => "inferred from the types of values",
        EdgeResolution::Dynamic => "dynamic, chosen when the program runs",
    }
}

/// Names the callees of the target by line: `by line: 12 open, close; 14 send`.
pub(super) fn calls_by_line(
    target: Option<&Definition>,
    answers: &[&GraphAnswer],
) -> Option<String> {
    let mut by_line: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| answer.is_called_in(target)) {
        for line in &answer.lines {
            by_line.entry(*line).or_default().push(truncate(&name_among(answer, answers), 60));
        }
    }
    let lines: Vec<String> =
        by_line.iter().map(|(line, names)| format!("{line} {}", names.join(", "))).collect();
    (!lines.is_empty()).then(|| format!("by line: {}", lines.join("; ")))
}

/// Names the lines of the relation of one of `answers` that were not shown.
pub(super) fn further_lines(answer: &GraphAnswer, answers: &[&GraphAnswer]) -> Option<String> {
    let lines: Vec<u32> = [&answer.lines, &answer.handed_on, &answer.dispatched]
        .into_iter()
        .flat_map(|lines| lines.iter().skip(MAX_SITES).copied())
        .collect();
    (answer.is_shown_by_lines() && !lines.is_empty())
        .then(|| format!("{} also at {}", name_among(answer, answers), lines_in_words(&lines)))
}

fn verb_of<'a>(relation: &'a EdgeKind, answer: &GraphAnswer) -> &'a str {
    let kind = answer.definition.kind;
    match relation {
        EdgeKind::Implements if kind == NodeKind::File => OUTSIDERS,
        EdgeKind::References if answer.resolution == Some(EdgeResolution::Dynamic) => HANDED_ON,
        EdgeKind::References => NAMED,
        EdgeKind::Constructs => "constructs: makes one by a literal",
        EdgeKind::Triggers if !answer.literal_lines.is_empty() => {
            "triggers: a function literal inside runs as a callback that is kept"
        }
        EdgeKind::Triggers
            if answer.through.is_some() && matches!(kind, NodeKind::Field | NodeKind::Variable) =>
        {
            "triggers: is called by a callback that is kept"
        }
        EdgeKind::Triggers if answer.through.is_some() => {
            "triggers: runs as a callback that is kept"
        }
        EdgeKind::Triggers if matches!(kind, NodeKind::Field | NodeKind::Variable) => {
            "triggers: the callbacks that it keeps are called"
        }
        EdgeKind::Triggers => "triggers: made to run without being called by name",
        other => other.as_ref(),
    }
}

/// Returns the relation as text for the lines of an answer: `login calls at src/a.py:4,9`. An exact relation needs no
/// note.
pub(super) fn relation_in_words(answer: &GraphAnswer) -> Option<String> {
    let signature =
        answer.definition.signature.as_ref().map(|it| format!(": {}", truncate(it, 200)));
    let signature = signature.unwrap_or_default();
    let (Some(relation), Some(resolution)) = (&answer.relation, &answer.resolution) else {
        let definition = &answer.definition;
        return definition
            .repository
            .as_ref()
            .map(|_| format!("{}{signature}", definition.describe()));
    };
    if answer.is_shown_by_lines() || answer.is_shown_as_member() {
        return None;
    }
    let definition = &answer.definition;
    let verb = verb_of(relation, answer);
    let at = match &answer.site {
        Some(site) if !answer.lines.is_empty() => {
            format!(" at {site}:{}", lines_in_words(&answer.lines))
        }
        _ => String::new(),
    };
    let handed_on = match answer.handed_on.as_slice() {
        [] => String::new(),
        lines => format!("; also {HANDED_ON} at {}", lines_in_words(lines)),
    };
    let dispatched = match answer.dispatched.as_slice() {
        [] => String::new(),
        lines => format!("; {}", also_dispatched(lines)),
    };
    let through = answer
        .through
        .as_ref()
        .map(|name| format!(", through {}", truncate(name, 120)))
        .unwrap_or_default();
    let depth = answer
        .depth
        .filter(|depth| *depth > 1)
        .map(|depth| format!(", step {depth}"))
        .unwrap_or_default();
    let package = answer.package.as_ref().map(|it| {
        format!(
            ", by {} package {} {}",
            it.ecosystem,
            truncate(&it.name, 120),
            truncate(&it.requires, 60)
        )
    });
    let package = package.unwrap_or_default();
    let resolution = match resolution {
        EdgeResolution::Exact => String::new(),
        resolution => format!(", {}", in_words(*resolution)),
    };
    Some(format!(
        "{}: {verb}{at}{resolution}{through}{depth}{package}{signature}{handed_on}{dispatched}",
        definition.describe()
    ))
}

fn lines_in_words(lines: &[u32]) -> String {
    let shown: Vec<String> = lines.iter().take(MAX_SITES).map(ToString::to_string).collect();
    let more = lines.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more lines") } else { String::new() };
    shown.join(",") + &more
}
