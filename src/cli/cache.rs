//! `cache`: lists the cached data of each root, and removes what is not needed.

use std::{
    fmt::Write as _,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use indicatif::{DecimalBytes, HumanDuration};
use retriever::workspace::cache_folders::{
    self, CacheEntry, CacheReport, PruneOptions, PruneReport,
};

use super::{
    args::{CacheAction, CacheArgs, PruneArgs},
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    console_output::OutputFormat,
    exit_status::Exit,
};

pub(super) fn run(context: &CommandContext<'_>, args: &CacheArgs) -> Result<Exit, CommandError> {
    let loaded = context.load(&[])?;
    let folder = context.cache(&loaded).ok_or_else(|| {
        CommandError::new(CommandErrorKind::Setup, "there is no cache folder")
            .hint("set HOME or XDG_CACHE_HOME, or index.dir of the configuration")
    })?;
    let failed = |error: std::io::Error| {
        CommandError::new(
            CommandErrorKind::Setup,
            format!("the cache in {}: {error}", folder.display()),
        )
        .hint("check the permissions of the folder")
    };
    let max_bytes = loaded.config.index.max_cache_bytes();
    let is_json = context.output.format == OutputFormat::Json;
    match &args.action {
        None | Some(CacheAction::List) => {
            let report = cache_folders::list(&folder, max_bytes).map_err(failed)?;
            match is_json {
                true => context.output.print_json(&report)?,
                false => context.output.print(&listing(&report))?,
            }
        }
        Some(CacheAction::Prune(args)) => {
            let report = cache_folders::prune(&folder, options(args, max_bytes)).map_err(failed)?;
            match is_json {
                true => context.output.print_json(&report)?,
                false => context.output.print(&removal(&report))?,
            }
        }
    }
    Ok(Exit::Done)
}

fn options(args: &PruneArgs, max_bytes: u64) -> PruneOptions {
    let max_bytes =
        args.max_size.map_or(max_bytes, |megabytes| megabytes.saturating_mul(1_000_000));
    PruneOptions { max_bytes, remove_absent: true, dry_run: args.dry_run }
}

fn listing(report: &CacheReport) -> String {
    let bound = match report.max_bytes {
        0 => "not bounded".to_owned(),
        bytes => format!("bounded to {}", DecimalBytes(bytes)),
    };
    let size = DecimalBytes(report.bytes.saturating_add(report.shared_bytes));
    let roots = DecimalBytes(report.bytes);
    let mut text = format!("{}: {size}; {roots} of roots, {bound}\n", report.folder.display());
    for entry in &report.entries {
        let _ = writeln!(text, "{}", line(entry));
    }
    let shared = DecimalBytes(report.shared_bytes).to_string();
    let _ = writeln!(text, "{shared:>10}  shared by all roots: the facts of files");
    text
}

fn removal(report: &PruneReport) -> String {
    let verb = if report.dry_run { "would be removed" } else { "removed" };
    let mut text = format!("{} {verb}\n", DecimalBytes(report.bytes));
    for entry in &report.removed {
        let _ = writeln!(text, "{}", line(entry));
    }
    text
}

fn line(entry: &CacheEntry) -> String {
    let used = UNIX_EPOCH + Duration::from_secs(entry.last_used);
    let since = SystemTime::now().duration_since(used).unwrap_or_default();
    let roots: Vec<String> = entry.roots.iter().map(|root| root.display().to_string()).collect();
    let roots = match roots.is_empty() {
        true => format!("of an earlier version, in {}", entry.folder.display()),
        false => roots.join(", "),
    };
    let gone = if entry.present { "" } else { " (gone)" };
    let size = DecimalBytes(entry.bytes).to_string();
    format!("{size:>10}  {:>12} ago  {roots}{gone}", HumanDuration(since).to_string())
}
