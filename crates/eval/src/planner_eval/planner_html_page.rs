//! The report of a planner eval as one HTML page: plots of the main figures, the tables, and every answer.

use maud::{Markup, PreEscaped, html as markup};
use retriever_page::page;

use super::{PlannerMetric, PlannerReport, PlannerResult, PlannerSummary};
use crate::{
    html_report::{ChartBar, ChartError, add_plot, bar_chart},
    text_table::TableStyle,
};

/// Figures with a plot, each on its own scale.
const DRAWN: [PlannerMetric; 4] = [
    PlannerMetric::Passed,
    PlannerMetric::TotalTokens,
    PlannerMetric::ResidentTokens,
    PlannerMetric::Calls,
];
const TITLE: &str = "retriever eval planner";

/// Writes the page.
///
/// # Errors
///
/// [`ChartError`] if the plotting library fails; no report is known to cause this.
pub fn html(report: &PlannerReport) -> Result<String, ChartError> {
    let mut body = String::new();
    for metric in DRAWN {
        let bars: Vec<ChartBar> =
            report.summaries.iter().flat_map(|summary| bars(summary, metric)).collect();
        let most = bars.iter().map(|bar| bar.value).fold(1.0, f64::max);
        if !bars.is_empty() {
            add_plot(&mut body, metric.label(), &bar_chart(&bars, most)?);
        }
    }
    body.push_str(&report.table(TableStyle::Html));
    let lead = "The same agent answers labelled questions alone, with the map of an ask, and with explore. It passes when its \
                answer cites every required row.";
    Ok(page(
        TITLE,
        &markup! { h1 { (TITLE) } p { (lead) } (PreEscaped(body)) (answers(&report.results)) },
    ))
}

fn bars(summary: &PlannerSummary, metric: PlannerMetric) -> Vec<ChartBar> {
    let figures = summary.metrics.get(&metric).into_iter().flat_map(|figures| &figures.arms);
    figures
        .map(|(arm, estimate)| ChartBar {
            name: format!("{} {}", summary.suite, arm.label()),
            value: estimate.value,
            shown: format!(
                "{} [{}, {}]",
                metric.show(estimate.value),
                metric.show(estimate.low),
                metric.show(estimate.high)
            ),
        })
        .collect()
}

fn answers(results: &[PlannerResult]) -> Markup {
    let shown = |result: &PlannerResult, metric: PlannerMetric| {
        result.values.get(&metric).map(|value| metric.show(*value)).unwrap_or_default()
    };
    let figures = [PlannerMetric::Passed, PlannerMetric::Calls, PlannerMetric::TotalTokens];
    markup! {
        h2 { "Answers" }
        div.wide tabindex="0" role="region" aria-label="Answers" { table {
            thead { tr {
                th scope="col" { "Case" } th scope="col" { "Arm" }
                @for metric in figures { th.number scope="col" { (metric.label()) } }
                th scope="col" { "Answer" }
            } }
            tbody { @for result in results { tr {
                td { (result.suite) " " (result.case) } td { (result.arm.label()) }
                @for metric in figures { td.number { (shown(result, metric)) } }
                td { (result.answer.as_deref().or(result.model_error.as_deref()).unwrap_or("no answer")) }
            } } }
        } }
    }
}
