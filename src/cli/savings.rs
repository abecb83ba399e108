//! `savings`: the receipts of answered questions, summed by root and week.

use std::{
    fmt::Write as _,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use retriever::cost_receipts::{CostReceiptLog, Savings, SavingsReport, savings};

use super::{
    args::SavingsArgs,
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
};

/// Range of the date in an HTTP date: `Mon, 23 Nov 2026 00:00:00 GMT`.
const DATE: std::ops::Range<usize> = 5..16;

pub(super) fn run(context: &CommandContext<'_>, args: &SavingsArgs) -> Result<Exit, CommandError> {
    let folder = context.environment.state_folder().ok_or_else(|| {
        CommandError::new(CommandErrorKind::Setup, "there is no folder of receipts")
            .hint("set HOME or XDG_STATE_HOME")
    })?;
    let receipts = CostReceiptLog::new(folder.clone()).read().map_err(|error| {
        let message = format!("cannot read the receipts in {}: {error}", folder.display());
        CommandError::new(CommandErrorKind::Setup, message)
            .hint("check the permissions of the folder")
    })?;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
    let since = args.since.map_or(0, |since| now.saturating_sub(u64::from(since)));
    let report = savings(&receipts, since);
    match context.output.format {
        OutputFormat::Json => context.output.print_json(&report)?,
        OutputFormat::Markdown | OutputFormat::Text => context.output.print(&text(&report))?,
    }
    Ok(Exit::Done)
}

fn text(report: &SavingsReport) -> String {
    if report.total.answers == 0 {
        return "no question was answered yet".to_owned();
    }
    let mut text = format!("in all\n{}", sums(&report.total));
    for week in &report.weeks {
        let date = httpdate::fmt_http_date(UNIX_EPOCH + Duration::from_secs(week.week));
        let date = date.get(DATE).unwrap_or_default();
        let root = week.root.replace('\n', ", ");
        let _ = write!(text, "\n{root}, week of {date}\n{}", sums(&week.sums));
    }
    text.push_str(
        "\nTokens saved: those of the cited files, read whole, minus those of the maps.\nA planner that would have read only \
         parts of the files saved less; one that would have read other files, too, saved more.",
    );
    text
}

fn sums(sums: &Savings) -> String {
    let saved = match (sums.saved_tokens, sums.saved_interval) {
        (Some(saved), Some((low, high))) => format!("{saved} (95 %: {low} to {high})"),
        (Some(saved), None) => format!("{saved} (too few questions for an interval)"),
        (None, _) => "unknown".to_owned(),
    };
    let unknown = match sums.unknown_savings {
        0 => String::new(),
        count => format!(", unknown for {count} of them"),
    };
    let cost = match (sums.cost, sums.unknown_costs) {
        (None, 0) => "none: no model was asked".to_owned(),
        (None, _) => "unknown; set model.prices".to_owned(),
        (Some(cost), 0) => format!("{cost:.4}"),
        (Some(cost), count) => format!("{cost:.4}, unknown for {count} answers"),
    };
    format!(
        "  answers {}, tokens read for them {}, tokens delivered {}\n  tokens saved {saved}{unknown}\n  cost {cost}\n",
        sums.answers, sums.observed_tokens, sums.delivered_tokens
    )
}
