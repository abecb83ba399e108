//! The report as one self-contained HTML page: the tables, and plots as inline SVG.

use std::fmt::Write as _;

use maud::{PreEscaped, html as markup};
use plotters::{
    prelude::*,
    style::text_anchor::{HPos, Pos, VPos},
};

use retriever_page::page;

use crate::{
    eval_report::EvalReport,
    metric::Metric,
    suite_summary::SuiteSummary,
    text_table::{TableStyle, escaped},
};

/// Width of a plot, in pixels.
const WIDTH: u32 = 860;
/// Height of a bar with the space below it, in pixels.
const BAR: u32 = 26;
/// Height of a plot without its bars, in pixels.
const FRAME: u32 = 60;
/// Width of the names of bars, in pixels; longer names lose their start.
const NAMES: u32 = 300;
/// Width of the figure behind a bar, with its interval, in pixels.
const VALUES: u32 = 150;
/// Most characters of the name of a bar.
const NAME_CHARS: usize = 40;
/// Font and its size, in pixels.
const FONT: (&str, i32) = ("sans-serif", 13);
/// Colour of bars.
const INK: RGBColor = RGBColor(38, 92, 153);
/// Colour of grid lines.
const PALE: RGBColor = RGBColor(225, 228, 232);

/// Why a plot cannot be drawn.
#[derive(Debug, thiserror::Error)]
#[error("a plot can't be drawn: {0}")]
pub struct ChartError(String);

impl<E: std::error::Error + Send + Sync> From<DrawingAreaErrorKind<E>> for ChartError {
    fn from(error: DrawingAreaErrorKind<E>) -> Self {
        Self(error.to_string())
    }
}

/// A named bar.
pub(crate) struct ChartBar {
    pub(crate) name: String,
    pub(crate) value: f64,
    pub(crate) shown: String,
}

/// Writes the page.
///
/// # Errors
///
/// [`ChartError`] if the plotting library fails; no report is known to cause this.
pub fn html(report: &EvalReport) -> Result<String, ChartError> {
    let main: Vec<&SuiteSummary> =
        report.summaries.iter().filter(|summary| summary.system == report.main()).collect();
    let mut body = String::new();
    for (title, bars) in [
        (
            "Recall by repository (required roles; the map's files where there are none)",
            recall(&main),
        ),
        (
            "Calibration: share of what was asked for that the places hold, by confidence",
            calibration(&main),
        ),
    ] {
        if !bars.is_empty() {
            add_plot(&mut body, title, &bar_chart(&bars, 1.0)?);
        }
    }
    let points = tokens_and_recall(report);
    let title = "Observed tokens against what the places hold, an answer a point";
    if !points.is_empty() {
        add_plot(&mut body, title, &scatter(&points)?);
    }
    let bars = codes(&main);
    let most = bars.iter().map(|bar| bar.value).fold(1.0, f64::max);
    if !bars.is_empty() {
        add_plot(&mut body, "What was held against maps, in answers", &bar_chart(&bars, most)?);
    }
    body.push_str(&report.table(TableStyle::Html));
    Ok(page("retriever eval", &markup! { h1 { "retriever eval" } (PreEscaped(body)) }))
}

pub(crate) fn add_plot(body: &mut String, title: &str, svg: &str) {
    let title = escaped(title);
    let _ = writeln!(
        body,
        "<h2>{title}</h2>\n<figure class=\"plot\" role=\"img\" aria-label=\"{title}\">{svg}</figure>"
    );
}

fn recall(main: &[&SuiteSummary]) -> Vec<ChartBar> {
    let mut bars = Vec::new();
    for summary in main {
        for (repo, metrics) in &summary.repositories {
            let value = metrics.get(&Metric::RoleRecall).or(metrics.get(&Metric::FileRecall));
            let Some(value) = value.copied() else { continue };
            let name = format!("{} {repo}", summary.suite);
            bars.push(ChartBar { name, value, shown: format!("{value:.2}") });
        }
    }
    bars
}

fn calibration(main: &[&SuiteSummary]) -> Vec<ChartBar> {
    main.iter()
        .flat_map(|summary| summary.calibration.iter().map(|bucket| (&summary.suite, bucket)))
        .map(|(suite, bucket)| ChartBar {
            name: format!("{suite} {}", bucket.confidence),
            value: bucket.held,
            shown: format!("{:.2} of {}", bucket.held, bucket.answers),
        })
        .collect()
}

fn codes(main: &[&SuiteSummary]) -> Vec<ChartBar> {
    main.iter()
        .flat_map(|summary| {
            summary.codes.iter().map(|(code, count)| (&summary.suite, code, *count))
        })
        .map(|(suite, code, count)| ChartBar {
            name: format!("{suite} {code}"),
            value: count as f64,
            shown: count.to_string(),
        })
        .collect()
}

fn tokens_and_recall(report: &EvalReport) -> Vec<(f64, f64)> {
    let main = report.results.iter().filter(|result| result.system == report.main());
    main.filter_map(|result| Some((result.scores.get(Metric::ObservedTokens)?, result.scores.held)))
        .collect()
}

/// Draws horizontal bars, from top to bottom, on a scale from 0 to `most`.
pub(crate) fn bar_chart(bars: &[ChartBar], most: f64) -> Result<String, ChartError> {
    let rows = bars.len().max(1) as f64;
    let mut svg = String::new();
    {
        let height = u32::try_from(bars.len()).unwrap_or(u32::MAX).saturating_mul(BAR) + FRAME;
        let area = SVGBackend::with_string(&mut svg, (WIDTH, height)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .margin_right(VALUES)
            .x_label_area_size(30)
            .y_label_area_size(NAMES)
            .build_cartesian_2d(0.0..most, 0.0..rows)?;
        chart
            .configure_mesh()
            .disable_y_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(PALE)
            .x_label_formatter(&|value| {
                if most > 1.0 { format!("{value:.0}") } else { format!("{value:.1}") }
            })
            .y_labels(0)
            .label_style(FONT)
            .draw()?;
        for (at, bar) in bars.iter().enumerate() {
            // The axis grows upwards, but the first bar is at the top.
            let middle = rows - at as f64 - 0.5;
            let corners = [(0.0, middle - 0.35), (bar.value, middle + 0.35)];
            chart.draw_series([Rectangle::new(corners, INK.filled())])?;
            for (text, side, value, gap) in [
                (clip(&bar.name), HPos::Right, 0.0, -8),
                (bar.shown.clone(), HPos::Left, bar.value, 6),
            ] {
                let (x, y) = chart.backend_coord(&(value, middle));
                let style = TextStyle::from(FONT).pos(Pos::new(side, VPos::Center));
                area.draw(&Text::new(text, (x + gap, y), style))?;
            }
        }
        area.present()?;
    }
    Ok(svg)
}

fn scatter(points: &[(f64, f64)]) -> Result<String, ChartError> {
    let most = points.iter().map(|(tokens, _)| *tokens).fold(1.0, f64::max) * 1.05;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH, 360)).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .margin(10)
            .x_label_area_size(45)
            .y_label_area_size(60)
            .build_cartesian_2d(0.0..most, -0.05..1.05)?;
        chart
            .configure_mesh()
            .light_line_style(TRANSPARENT)
            .bold_line_style(PALE)
            .x_desc("observed tokens")
            .y_desc("held")
            .x_label_formatter(&|tokens| format!("{tokens:.0}"))
            .y_label_formatter(&|held| format!("{held:.1}"))
            .label_style(FONT)
            .draw()?;
        let dots = points.iter().map(|point| Circle::new(*point, 4, INK.mix(0.5).filled()));
        chart.draw_series(dots)?;
        area.present()?;
    }
    Ok(svg)
}

/// Returns the end of a long name, which says more than its start.
fn clip(name: &str) -> String {
    let length = name.chars().count();
    if length <= NAME_CHARS {
        return name.to_owned();
    }
    format!("…{}", name.chars().skip(length - NAME_CHARS + 1).collect::<String>())
}
