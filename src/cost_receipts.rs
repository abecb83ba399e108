//! Receipts: a line for each answered question, in a file of the user that never leaves the machine, and their sums. A
//! receipt has no text of a question or of a repository.
#![expect(clippy::disallowed_methods, reason = "the log lies outside of any workspace")]

use std::{
    collections::BTreeMap,
    fs::{self, File},
    io::{self, Write},
    ops::Range,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use retriever_report::{CodeMap, ReportAuthor, TokenUsage};
use retriever_workspace::{
    Workspace,
    cache_file_io::{lock_file, replace_file, wait_for_lock},
    estimate_tokens,
};

/// Name of the log.
const FILE: &str = "receipts.jsonl";
/// Size limit of the log, in bytes; above it the older half is removed.
const MAX_BYTES: u64 = 4_000_000;
/// Longest wait for another process that writes.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);
/// Length of a question's hash, in hexadecimal digits.
const HASH_LETTERS: usize = 16;
const WEEK_SECONDS: u64 = 7 * 24 * 60 * 60;
/// Valid times of receipts: from the second week of 1970 to the year 9999.
const TIMES: Range<u64> = WEEK_SECONDS..253_402_300_800;
/// Seconds from Monday to Thursday, the first day of 1970.
const THURSDAY: u64 = 3 * 24 * 60 * 60;
/// Least number of different questions for an interval.
const MIN_INTERVAL_QUESTIONS: usize = 5;

/// What one answer took.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CostReceipt {
    /// When it was given, in seconds since 1970.
    pub time: u64,
    /// The first letters of the question's BLAKE3 hash.
    pub question: String,
    /// The roots, a line each.
    pub root: String,
    /// Who wrote the report.
    pub author: ReportAuthor,
    /// Name of the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Whether an earlier answer of the session was given again.
    pub repeated: bool,
    /// Estimated tokens that the explorer was shown.
    pub observed_tokens: u64,
    /// Estimated tokens that the planner was given.
    pub delivered_tokens: u64,
    /// Estimated tokens of the cited files, whole. None when one of them could not be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub whole_file_tokens: Option<u64>,
    /// Tokens as counted by the provider, if it reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// Cost in the currency of the configured prices.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<f64>,
    /// Wall-clock milliseconds.
    pub elapsed_ms: u64,
}

impl CostReceipt {
    /// Returns the receipt of an answer that was given now.
    pub(crate) fn of(question: &str, map: &CodeMap, workspace: &Workspace) -> Self {
        let meta = &map.meta;
        let hash = blake3::hash(question.as_bytes()).to_hex();
        let tokens = |path: &str| {
            let file = workspace.read(&workspace.normalize(path).ok()?).ok()?;
            Some(estimate_tokens(file.text()))
        };
        Self {
            time: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
            question: hash[..HASH_LETTERS].to_owned(),
            root: workspace.roots().map(|(_, path)| path).collect::<Vec<_>>().join("\n"),
            author: meta.author,
            model: meta.model.clone(),
            repeated: meta.session.is_some_and(|session| session.hit),
            observed_tokens: meta.observed_tokens,
            delivered_tokens: meta.report_tokens,
            whole_file_tokens: map.paths().into_iter().map(tokens).sum(),
            usage: meta.usage,
            cost: meta.cost,
            elapsed_ms: meta.elapsed_ms,
        }
    }
}

/// The log of receipts in a folder.
#[derive(Clone, Debug)]
pub struct CostReceiptLog {
    folder: PathBuf,
}

impl CostReceiptLog {
    /// Returns the log in `folder`, which need not exist.
    pub const fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Appends a receipt.
    ///
    /// # Errors
    ///
    /// Those of the file system.
    pub(crate) fn append(&self, receipt: &CostReceipt) -> io::Result<()> {
        let lock = lock_file(&self.folder)?;
        wait_for_lock(LOCK_TIMEOUT, || lock.try_lock())?;
        let path = self.folder.join(FILE);
        let mut options = File::options();
        options.append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&path)?;
        // An older file may be readable by others.
        #[cfg(unix)]
        file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
        file.write_all((serde_json::to_string(receipt)? + "\n").as_bytes())?;
        if file.metadata()?.len() <= MAX_BYTES {
            return Ok(());
        }
        let text = fs::read(&path)?;
        let later = &text[text.len() / 2..];
        let newer =
            later.iter().position(|byte| *byte == b'\n').map_or(&[][..], |at| &later[at + 1..]);
        replace_file(&path, newer)
    }

    /// Returns the receipts, oldest first. Damaged lines, lines of other versions and invalid times are left out.
    ///
    /// # Errors
    ///
    /// Errors of the file system; a missing log is not an error.
    pub fn read(&self) -> io::Result<Vec<CostReceipt>> {
        let text = match fs::read(self.folder.join(FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            text => text?,
        };
        let lines = text.split(|byte| *byte == b'\n');
        let receipts = lines.filter_map(|line| serde_json::from_slice::<CostReceipt>(line).ok());
        Ok(receipts.filter(|receipt| TIMES.contains(&receipt.time)).collect())
    }
}

/// What answers took, by root and week.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SavingsReport {
    /// Everything together.
    pub total: Savings,
    /// The sums, the latest week first.
    pub weeks: Vec<WeekSavings>,
}

/// What the answers of one week in one root took.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct WeekSavings {
    /// The roots, a line each.
    pub root: String,
    /// The beginning of the week, a Monday, in seconds since 1970.
    pub week: u64,
    /// The sums.
    pub sums: Savings,
}

/// Sums of receipts. Tokens are estimates.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
pub struct Savings {
    /// Answers.
    pub answers: u64,
    /// Tokens that the explorer was shown, and the planner was not.
    pub observed_tokens: u64,
    /// Tokens that the planner was given.
    pub delivered_tokens: u64,
    /// Tokens of the cited files read whole, less those delivered, over the answers for which both are known. An upper bound:
    /// a planner may read only parts of files; it may also read files that are not cited.
    pub saved_tokens: Option<i64>,
    /// The 95 % interval of `saved_tokens` by the spread between questions, when there are five different ones at least.
    pub saved_interval: Option<(i64, i64)>,
    /// Answers that are not in `saved_tokens`.
    pub unknown_savings: u64,
    /// Cost of the answers for which it is known.
    pub cost: Option<f64>,
    /// Answers of a model that are not in `cost`.
    pub unknown_costs: u64,
    /// Wall-clock milliseconds.
    pub elapsed_ms: u64,
}

/// Sums the receipts from `since` on, in seconds since 1970.
pub fn savings(receipts: &[CostReceipt], since: u64) -> SavingsReport {
    let counted: Vec<&CostReceipt> = receipts.iter().filter(|it| it.time >= since).collect();
    let mut weeks: BTreeMap<(u64, &str), Vec<&CostReceipt>> = BTreeMap::new();
    for receipt in &counted {
        let week = receipt.time - (receipt.time + THURSDAY) % WEEK_SECONDS;
        weeks.entry((week, receipt.root.as_str())).or_default().push(receipt);
    }
    let weeks = weeks.into_iter().rev().map(|((week, root), receipts)| WeekSavings {
        root: root.to_owned(),
        week,
        sums: sum(&receipts),
    });
    SavingsReport { total: sum(&counted), weeks: weeks.collect() }
}

fn sum(receipts: &[&CostReceipt]) -> Savings {
    let mut sums = Savings::default();
    // A repeated question adds nothing to the spread.
    let mut saved: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    for receipt in receipts {
        sums.answers += 1;
        sums.observed_tokens += receipt.observed_tokens;
        sums.delivered_tokens += receipt.delivered_tokens;
        sums.elapsed_ms += receipt.elapsed_ms;
        match receipt.whole_file_tokens {
            Some(whole) => {
                *saved.entry((&receipt.root, &receipt.question)).or_default() +=
                    whole as f64 - receipt.delivered_tokens as f64;
            }
            None => sums.unknown_savings += 1,
        }
        match receipt.cost {
            Some(cost) => sums.cost = Some(sums.cost.unwrap_or_default() + cost),
            None if receipt.author == ReportAuthor::Model && !receipt.repeated => {
                sums.unknown_costs += 1;
            }
            None => {}
        }
    }
    if !saved.is_empty() {
        let parts: Vec<f64> = saved.into_values().collect();
        let total: f64 = parts.iter().sum();
        sums.saved_tokens = Some(total.round() as i64);
        sums.saved_interval = interval(&parts, total);
    }
    sums
}

/// Returns the 95 % interval of the sum, from the spread of its parts.
fn interval(parts: &[f64], total: f64) -> Option<(i64, i64)> {
    if parts.len() < MIN_INTERVAL_QUESTIONS {
        return None;
    }
    let count = parts.len() as f64;
    let mean = total / count;
    let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
    // The quantile of Student's distribution, expanded around that of the normal one.
    let freedom = count - 1.0;
    let errors = 1.96 + 2.37 / freedom + 2.82 / freedom.powi(2);
    let half = errors * (squares / freedom * count).sqrt();
    Some(((total - half).round() as i64, (total + half).round() as i64))
}
