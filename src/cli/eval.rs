//! `eval`: suites in, a table or JSON out. Reads and writes the files that the user names; what is measured and how is the
//! library's.

use std::{
    collections::BTreeSet,
    fs::{File, OpenOptions},
    io::{self, Write},
    path::{Path, PathBuf},
    sync::Arc,
};

use indicatif::{ProgressBar, ProgressStyle};
use strum::VariantArray;

use super::{
    Session,
    args::{AnswersArgs, CasesArgs, EvalArgs, FeaturesArgs, OtherEval, PlannerArgs},
    engine,
    error::{CommandError, Kind},
    exit::Exit,
    output::{Shape, Talk},
};
use retriever::{
    config::{Loaded, Setting, Sources, load},
    eval::{
        self, CaseResult, CommitPolicy, Plan, Progress, Report, Setup, Suite, System, TableStyle,
        Tapes,
        planner::{MainAgent, PlannerPlan, PlannerReport},
    },
    model::{ChatModel, OpenAiModel},
};

/// Ending of the file that holds what an unfinished run has done.
const PARTIAL: &str = "partial";

pub(super) fn run(session: &Session<'_>, args: &EvalArgs) -> Result<Exit, CommandError> {
    match &args.other {
        Some(OtherEval::Planner(args)) => planner(session, args),
        Some(OtherEval::Features(args)) => features(session, args),
        None => answers(session, &args.answers),
    }
}

fn answers(session: &Session<'_>, args: &AnswersArgs) -> Result<Exit, CommandError> {
    let suites = suites(&args.cases)?;
    let baseline = args.baseline.as_deref().map(earlier).transpose()?;
    let loaded = settings(session, &args.cases, None)?;
    let asks = !args.cases.offline && args.replay.is_none();
    let model = if asks { connect(&loaded)? } else { None };
    let plan = Plan {
        systems: match args.system.as_slice() {
            [] => System::VARIANTS.iter().copied().collect(),
            some => some.iter().copied().collect(),
        },
        tapes: match (&args.record, &args.replay) {
            (Some(folder), _) => Tapes::Record(folder.clone()),
            (_, Some(folder)) => Tapes::Replay(folder.clone()),
            _ => Tapes::Off,
        },
        ..plan(&args.cases, &suites, &loaded, model)?
    };
    if args.record.is_some() && plan.setup.model.is_none() {
        return Err(CommandError::new(Kind::Usage, "--record needs a model")
            .hint("name one with --model or RETRIEVER_MODEL"));
    }
    let model = match &plan.tapes {
        Tapes::Replay(_) => "replayed",
        _ => plan.setup.model.as_ref().map_or("offline", |model| model.name()),
    };
    let model = model.to_owned();
    let mut journal = args.out.as_deref().map(Journal::open).transpose()?;
    let finished = journal.as_mut().map(|journal| std::mem::take(&mut journal.finished));
    let line = progress(session.output.talk);
    let told = |event: Progress<'_>| match event {
        Progress::Scored(result) => {
            if let Some(journal) = &mut journal {
                journal.keep(result);
            }
            line.set_message(format!("{} {} {}", result.suite, result.case, result.system));
        }
        Progress::Done { done, of } => {
            line.set_length(of as u64);
            line.set_position(done as u64);
        }
    };
    let outcome = engine::runtime()?.block_on(eval::run(&plan, finished.unwrap_or_default(), told));
    line.finish_and_clear();
    for problem in &outcome.problems {
        session.output.warn(&problem.to_string());
    }
    let report = Report::new(&model, &suites, outcome, baseline.as_deref());
    if let Some(out) = &args.out {
        write(out, &json(&report)?)?;
    }
    #[cfg(feature = "eval-html")]
    if let Some(path) = &args.html {
        let page = eval::html(&report)
            .map_err(|error| CommandError::new(Kind::Internal, error.to_string()))?;
        write(path, &page)?;
    }
    if let Some(journal) = journal {
        journal.close(session);
    }
    match session.output.shape {
        Shape::Json => session.output.print_json(&report)?,
        Shape::Markdown => session.output.print(&report.table(TableStyle::Markdown))?,
        Shape::Text => session.output.print(&report.table(TableStyle::Plain))?,
    }
    Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Usage })
}

#[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
fn features(session: &Session<'_>, args: &FeaturesArgs) -> Result<Exit, CommandError> {
    let suites = suites(&args.cases)?;
    let loaded = settings(session, &args.cases, None)?;
    let plan = plan(&args.cases, &suites, &loaded, None)?;
    let path = args.out.as_deref().unwrap_or(Path::new(""));
    let failed = |error: io::Error| {
        CommandError::new(Kind::Setup, format!("{} can't be written: {error}", path.display()))
    };
    let mut out = io::BufWriter::new(File::create(path).map_err(failed)?);
    let line = progress(session.output.talk);
    line.set_length(suites.iter().map(|suite| suite.cases.len() as u64).sum());
    let mut written = Ok(());
    let told = |case: eval::CaseFeatures| {
        line.inc(1);
        if written.is_ok() {
            written = serde_json::to_writer(&mut out, &case)
                .map_err(io::Error::from)
                .and_then(|()| out.write_all(b"\n"));
        }
    };
    let problems = eval::features(&plan, told)
        .map_err(|error| CommandError::new(Kind::Internal, error.to_string()))?;
    line.finish_and_clear();
    written.and_then(|()| out.flush()).map_err(failed)?;
    for problem in &problems {
        session.output.warn(&problem.to_string());
    }
    Ok(if problems.is_empty() { Exit::Done } else { Exit::Usage })
}

fn planner(session: &Session<'_>, args: &PlannerArgs) -> Result<Exit, CommandError> {
    let suites = suites(&args.cases)?;
    let loaded = settings(session, &args.cases, None)?;
    let model = if args.cases.offline { None } else { connect(&loaded)? };
    let asks = plan(&args.cases, &suites, &loaded, model)?;
    let agent = if args.scripted {
        MainAgent::Scripted
    } else {
        let file = args.planner_config.as_deref();
        let mut loaded = settings(session, &args.cases, file)?;
        if let Some(name) = &args.planner_model {
            loaded.config.model.name.clone_from(name);
        }
        let model = connect(&loaded)?.ok_or_else(|| {
            CommandError::new(Kind::Usage, "the main agent has no model")
                .hint("name one with --planner-model or in --planner-config, or pass --scripted")
        })?;
        MainAgent::Model(model, loaded.config.model.prices)
    };
    let retriever = asks.setup.model.as_ref().map_or("offline", |model| model.name()).to_owned();
    let plan = PlannerPlan { asks, agent };
    let line = progress(session.output.talk);
    let told = |done, of| {
        line.set_length(of as u64);
        line.set_position(done as u64);
    };
    let found = engine::runtime()?.block_on(eval::planner::run(&plan, told));
    line.finish_and_clear();
    for problem in &found.1 {
        session.output.warn(&problem.to_string());
    }
    let report = PlannerReport::new(plan.agent.name(), &retriever, &suites, found);
    if let Some(out) = &args.out {
        write(out, &json(&report)?)?;
    }
    match session.output.shape {
        Shape::Json => session.output.print_json(&report)?,
        Shape::Markdown => session.output.print(&report.table(TableStyle::Markdown))?,
        Shape::Text => session.output.print(&report.table(TableStyle::Plain))?,
    }
    Ok(if report.problems.is_empty() { Exit::Done } else { Exit::Usage })
}

/// What all evals have in common.
fn plan<'a>(
    args: &'a CasesArgs,
    suites: &'a [Suite],
    loaded: &Loaded,
    model: Option<Arc<dyn ChatModel>>,
) -> Result<Plan<'a>, CommandError> {
    Ok(Plan {
        suites,
        corpora: corpora(args),
        commits: if args.any_commit { CommitPolicy::Any } else { CommitPolicy::Exact },
        systems: BTreeSet::new(),
        repeats: args.repeats,
        jobs: usize::try_from(args.jobs).unwrap_or(1),
        setup: Setup { config: loaded.config.clone(), prompts: engine::prompts(loaded)?, model },
        tapes: Tapes::Off,
        fingerprint: build(),
    })
}

/// The parser sees to it that there is one.
fn corpora(args: &CasesArgs) -> &Path {
    args.corpora.as_deref().unwrap_or(Path::new(""))
}

fn suites(args: &CasesArgs) -> Result<Vec<Suite>, CommandError> {
    let mut suites = args.suites.iter().map(|path| suite(path)).collect::<Result<Vec<_>, _>>()?;
    let names: BTreeSet<&str> = suites.iter().map(|suite| suite.name.as_str()).collect();
    if names.len() < suites.len() {
        return Err(CommandError::new(Kind::Usage, "two suites have the same file name")
            .hint("results tell suites apart by name: rename one file"));
    }
    if !corpora(args).is_dir() {
        let message = format!("there is no folder {}", corpora(args).display());
        return Err(CommandError::new(Kind::Usage, message)
            .hint("--corpora takes the folder that holds the checkouts"));
    }
    keep(&mut suites, &args.case)?;
    Ok(suites)
}

fn suite(path: &Path) -> Result<Suite, CommandError> {
    let name = path.file_stem().unwrap_or(path.as_os_str()).to_string_lossy();
    let text = read(path, "SUITE takes a file of cases, a JSON object a line")?;
    Ok(Suite::parse(&name, &path.display().to_string(), &text))
}

/// Leaves the cases that were named, or all of them.
fn keep(suites: &mut [Suite], named: &[String]) -> Result<(), CommandError> {
    if named.is_empty() {
        return Ok(());
    }
    let known = |id: &String| suites.iter().any(|suite| suite.cases.iter().any(|c| c.id == *id));
    if let Some(id) = named.iter().find(|id| !known(id)) {
        return Err(CommandError::new(Kind::Usage, format!("no suite has a case {id}"))
            .hint("--case takes the \"id\" of a case"));
    }
    suites.iter_mut().for_each(|suite| suite.cases.retain(|case| named.contains(&case.id)));
    Ok(())
}

fn earlier(path: &Path) -> Result<Vec<CaseResult>, CommandError> {
    let hint = "--baseline takes a file that --out has written";
    let report: Report = serde_json::from_str(&read(path, hint)?).map_err(|error| {
        let message = format!("{} is no result of an eval: {error}", path.display());
        CommandError::new(Kind::Usage, message).hint(hint)
    })?;
    Ok(report.results)
}

/// The configuration without any workspace's: the folder of checkouts is one's own, and results must not depend on it.
/// `file` stands in for the session's.
fn settings(
    session: &Session<'_>,
    args: &CasesArgs,
    file: Option<&Path>,
) -> Result<Loaded, CommandError> {
    let text = |flag, key, value: &Option<String>| {
        value.as_ref().map(|value| Setting::flag(flag, key, value.as_str()))
    };
    let flags: Vec<Setting> = [
        text("--model", "model.name", &args.model),
        text("--base-url", "model.base_url", &args.base_url),
        args.effort.map(|effort| Setting::flag("--effort", "budget.effort", effort.as_ref())),
    ]
    .into_iter()
    .flatten()
    .collect();
    let loaded = load(&Sources {
        environment: session.environment,
        file: file.or(session.file.as_deref()),
        root: corpora(args),
        flags: &flags,
    })?;
    for warning in &loaded.warnings {
        session.output.warn(warning);
    }
    Ok(loaded)
}

fn connect(loaded: &Loaded) -> Result<Option<Arc<dyn ChatModel>>, CommandError> {
    if loaded.config.model.name.trim().is_empty() {
        return Ok(None);
    }
    loaded.require_key()?;
    let key = loaded.key.as_ref().map(|key| key.secret.clone());
    Ok(Some(Arc::new(OpenAiModel::new(&loaded.config.model, key)?)))
}

/// A hash of the running program: what another build has done is not taken over. Without one nothing is told apart.
#[expect(clippy::disallowed_methods, reason = "the program reads itself, not a workspace")]
fn build() -> String {
    let bytes = std::env::current_exe().and_then(std::fs::read);
    bytes.map(|bytes| blake3::hash(&bytes).to_hex().to_string()).unwrap_or_default()
}

fn progress(talk: Talk) -> ProgressBar {
    // Hidden by itself where stderr is no terminal.
    let line = if talk == Talk::Quiet { ProgressBar::hidden() } else { ProgressBar::new(0) };
    if let Ok(style) = ProgressStyle::with_template("{pos}/{len} {wide_msg} {eta}") {
        line.set_style(style);
    }
    line
}

/// What is done so far, a result a line beside `--out`, until the run is complete.
struct Journal {
    path: PathBuf,
    file: File,
    finished: Vec<CaseResult>,
    failure: Option<io::Error>,
}

impl Journal {
    #[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
    fn open(out: &Path) -> Result<Self, CommandError> {
        let mut name = out.as_os_str().to_owned();
        name.push(".");
        name.push(PARTIAL);
        let path = PathBuf::from(name);
        // The last line of an interrupted run may be cut; what is no result is not finished.
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let finished = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let mut options = OpenOptions::new();
        let mut file =
            options.create(true).append(true).open(&path).map_err(|e| refused(&path, &e))?;
        if !text.is_empty() && !text.ends_with('\n') {
            file.write_all(b"\n").map_err(|error| refused(&path, &error))?;
        }
        Ok(Self { path, file, finished, failure: None })
    }

    fn keep(&mut self, result: &CaseResult) {
        let written = serde_json::to_string(result)
            .map_err(io::Error::from)
            .and_then(|line| self.file.write_all(format!("{line}\n").as_bytes()));
        if let Err(error) = written {
            self.failure.get_or_insert(error);
        }
    }

    fn close(self, session: &Session<'_>) {
        if let Some(error) = self.failure {
            let path = self.path.display();
            session.output.warn(&format!("{path} could not be written while running: {error}"));
        }
        let _ = std::fs::remove_file(&self.path);
    }
}

#[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
fn read(path: &Path, hint: &str) -> Result<String, CommandError> {
    std::fs::read_to_string(path).map_err(|error| {
        CommandError::new(Kind::Usage, format!("cannot read {}: {error}", path.display()))
            .hint(hint)
    })
}

fn json(report: &impl serde::Serialize) -> Result<String, CommandError> {
    let text = serde_json::to_string_pretty(report);
    text.map(|text| text + "\n")
        .map_err(|error| CommandError::new(Kind::Internal, error.to_string()))
}

/// Writes the text beside its name first: a result is whole or not there.
fn write(path: &Path, text: &str) -> Result<(), CommandError> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(".new");
    let beside = PathBuf::from(beside);
    #[expect(clippy::disallowed_methods, reason = "the user names the file on the command line")]
    let written = std::fs::write(&beside, text);
    written.and_then(|()| std::fs::rename(&beside, path)).map_err(|error| refused(path, &error))
}

fn refused(path: &Path, error: &io::Error) -> CommandError {
    CommandError::new(Kind::Usage, format!("cannot write {}: {error}", path.display()))
        .hint("--out and --html take the path of a file that can be written")
}
