//! The answer: the question, the confidence of the map, and each statement with its verdict and its evidence.

use maud::{Markup, html};
use retriever::{
    CodeMap, Retriever,
    report::{Confidence, Place, ReadTarget, ReportAuthor, Verdict, meaning_of_reason},
    search::PlaceRole,
};

use super::{
    cited_code::CitedFiles,
    places_diagram::picture,
    value_formatting::{count, seconds, spaced},
};

/// Returns the question and the figures of the map.
pub(super) fn head(map: &CodeMap) -> Markup {
    let meta = &map.meta;
    let confidence = match map.confidence {
        Confidence::High => "good",
        Confidence::Medium => "fair",
        Confidence::Low => "bad",
    };
    let model = meta.model.as_deref().unwrap_or("a model");
    let author = match meta.author {
        ReportAuthor::Model => model.to_owned(),
        ReportAuthor::Offline => "the offline driver".to_owned(),
        ReportAuthor::Fallback => format!("the offline driver, since {model} gave no report"),
    };
    html! {
        h1 { (title(map)) }
        ul.chips aria-label="Verdict" {
            li.chip { "confidence " strong class=(confidence) { (map.confidence) } }
            li.chip { "next: " (spaced(map.recommended_primary_action.as_ref())) }
            li.chip { (map.status) ", by " (author) }
            li.chip { "asked to " (map.intent) }
            li.chip { (count(meta.report_tokens)) " tokens, for " (count(meta.observed_tokens)) " seen" }
            li.chip { (meta.steps) " steps, " (meta.tool_calls) " calls, " (seconds(meta.elapsed_ms)) }
            @if let Some(cost) = meta.cost { li.chip { "cost " (format!("{cost:.4}")) } }
        }
    }
}

/// Returns the question; a map may leave it out.
pub(super) fn title(map: &CodeMap) -> &str {
    if map.question.is_empty() { "Code map" } else { &map.question }
}

/// Returns the statements of the map.
pub(super) fn answer(map: &CodeMap, places: &CitedFiles<'_>, retriever: &Retriever) -> Markup {
    html! {
        @if !map.summary.is_empty() { p.lead { (prose(&map.summary)) " " (verdict(map.summary_verdict)) } }
        @if !map.flow.is_empty() { h2 { "Flow" } p { (prose(&map.flow)) " " (verdict(map.flow_verdict)) } }
        (picture(map, places, retriever))
        @if !map.findings.is_empty() {
            h2 { "Findings" }
            ul.plain { @for finding in &map.findings {
                li { (prose(&finding.fact)) (role(finding.role)) " " (verdict(finding.verdict))
                    div.refs { @for place in &finding.refs { (places.reference(place)) } } }
            } }
        }
        @if map.primary.len() + map.secondary.len() + map.read_targets.len() + map.known.len() > 0 {
            h2 { "Places" }
            div.wide.stack tabindex="0" role="region" aria-label="Places" { table {
                thead { tr { th scope="col" { "Place" } th scope="col" { "Part" } th scope="col" { "Why" } } }
                tbody { (place_rows(map, places)) }
            } }
        }
        (gaps(map))
        (not_listed(map))
        (reasons(map))
    }
}

/// Returns a sentence with its code spans marked up.
fn prose(text: &str) -> Markup {
    if !text.matches('`').count().is_multiple_of(2) {
        return html! { (text) };
    }
    html! {
        @for (at, part) in text.split('`').enumerate() {
            @if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

/// Returns one row per place and list; a primary place that is also a read target has one row.
fn place_rows(map: &CodeMap, places: &CitedFiles<'_>) -> Markup {
    let row = |place: &Place, part: Markup, why: &str, judged: Verdict| {
        html! { tr { td.full { (places.reference(place)) } td { (part) } td.full { (prose(why)) " " (verdict(judged)) } } }
    };
    let read = |target: &ReadTarget| if target.required { "read, required" } else { "read" };
    let is_primary = |place: &Place| map.primary.iter().any(|item| item.place == *place);
    html! {
        @for item in &map.primary {
            @let target = map.read_targets.iter().find(|target| target.place == item.place);
            (row(&item.place, html! { "primary" (role(item.role)) @for name in &item.symbols { " " code { (name) } }
                @if let Some(target) = target { " " span.chip { (read(target)) } } }, &item.why, item.verdict))
        }
        @for item in &map.secondary {
            (row(&item.place, html! { "secondary" (role(item.role)) }, &item.why, item.verdict))
        }
        @for item in map.read_targets.iter().filter(|target| !is_primary(&target.place)) {
            (row(&item.place, html! { (read(item)) }, &item.purpose, item.verdict))
        }
        @for item in &map.known {
            (row(&item.place, html! { "known, " (spaced(item.list.as_ref())) (role(item.role)) }, &item.why, Verdict::AsSubmitted))
        }
    }
}

fn gaps(map: &CodeMap) -> Markup {
    html! {
        @if !map.missing.is_empty() {
            h2 { "Not found" }
            ul { @for gap in &map.missing { li { (prose(&gap.what)) (role(gap.role)) @if gap.critical { " " span.chip.bad { "critical" } } } } }
        }
        @if !map.gap_search.is_empty() {
            h2 { "Suggested search" }
            p { @for term in &map.gap_search.terms { code { (term) } " " } @if !map.gap_search.scopes.is_empty() { "in " } @for scope in &map.gap_search.scopes { code { (scope) } " " } }
        }
    }
}

/// Returns what the map leaves out: places that did not fit, and files that were read without use.
fn not_listed(map: &CodeMap) -> Markup {
    let list = |heading: &str, places: &[String]| {
        html! {
            @if !places.is_empty() {
                h2 { (heading) }
                ul.plain { @for place in places { li.mono { (place) } } }
            }
        }
    };
    html! { (list("Left out for room", &map.left_out)) (list("Also read", &map.also_read)) }
}

fn reasons(map: &CodeMap) -> Markup {
    html! {
        @if !map.meta.reasons.is_empty() {
            h2 { "The validator's objections" }
            ul.plain { @for reason in &map.meta.reasons { li { code { (reason) } @if let Some(meaning) = meaning_of_reason(reason) { " " span.soft { (meaning) } } } }
                @for cut in &map.meta.cuts { li { "cut: " (cut) } } }
        }
    }
}

fn verdict(verdict: Verdict) -> Markup {
    let (class, text) = match verdict {
        Verdict::AsSubmitted => return html! {},
        Verdict::Tightened => ("chip fair", "lines reduced"),
        Verdict::Recited => ("chip fair", "evidence added"),
        Verdict::Cut => ("chip bad", "partly removed"),
        Verdict::Unconfirmed => ("chip fair", "not confirmed"),
    };
    html! { span class=(class) { (text) } }
}

fn role(role: Option<PlaceRole>) -> Markup {
    html! { @if let Some(role) = role { " " span.chip { (role) } } }
}
