//! Processor time and memory that one adversarial file costs, each in a process of its own, for every language and
//! every shape of `tests/adversarial`. `cargo bench -p retriever-graph --bench adversarial -- [LANGUAGE…] [--bytes N…]
//! [--shapes N] [--all]` prints a row a language: cases, the longest in seconds, the largest in MB, cases over the limits,
//! and cases without an end. Every case over a limit follows, with `--all` every case. `--shapes` takes as many of a
//! language's shapes, evenly spread.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods
)]

#[path = "../tests/adversarial/mod.rs"]
mod adversarial;

use std::{
    process::{Command, Stdio},
    time::{Duration, Instant},
};

use adversarial::{Form, Shape, file_of, shapes};
use retriever_graph::indexing::{Language, SourceFile, extract, resolve};

/// What one file may take.
const SECONDS: f64 = 2.0;
const MEGABYTES: u64 = 300;
/// After so long a process is ended.
const PATIENCE: Duration = Duration::from_secs(20);

struct Cost {
    language: Language,
    rule: String,
    form: Form,
    bytes: usize,
    seconds: f64,
    megabytes: u64,
    failure: Option<String>,
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).filter(|arg| arg != "--bench").collect();
    if let [one, language, shape, form, bytes] = args.as_slice()
        && one == "--one"
    {
        run_one(language, shape.parse().unwrap(), form.parse().unwrap(), bytes.parse().unwrap());
        return;
    }
    let mut languages = Vec::new();
    let mut sizes = Vec::new();
    let mut all = false;
    let mut max_shapes = usize::MAX;
    let mut args = args.into_iter();
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--bytes" => sizes.push(args.next().unwrap().parse().unwrap()),
            "--shapes" => max_shapes = args.next().unwrap().parse().unwrap(),
            "--all" => all = true,
            name => languages.push(name.to_owned()),
        }
    }
    if sizes.is_empty() {
        sizes = vec![10_000, 200_000, 2_000_000];
    }
    let mut costs = Vec::new();
    for language in Language::ALL {
        if !languages.is_empty() && !languages.iter().any(|name| name == language.name()) {
            continue;
        }
        let first = costs.len();
        let known = shapes(*language);
        let step = known.len().div_ceil(max_shapes).max(1);
        for (at, shape) in known.iter().enumerate().step_by(step) {
            for (place, form) in Form::ALL.into_iter().enumerate() {
                for bytes in &sizes {
                    if shape.text(form, 16).is_some() {
                        costs.push(measure(*language, (at, shape), (place, form), *bytes));
                    }
                }
            }
        }
        summary(*language, &costs[first..]);
    }
    report(&mut costs, all);
}

fn run_one(language: &str, shape: usize, form: usize, bytes: usize) {
    let language =
        *Language::ALL.iter().find(|known| known.name() == language).expect("a language");
    let code = shapes(language)[shape].text(Form::ALL[form], bytes).expect("a text");
    let text = file_of(language, &code);
    let facts = extract(language, &text);
    let read = cpu_seconds();
    let path = format!("x.{}", language.name());
    let graph = resolve(vec![SourceFile { path, facts }], &[]).unwrap();
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    let peak: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap_or_default();
    println!("{} {} {read} {}", cpu_seconds(), peak / 1024, graph.nodes().count());
}

/// Seconds that this process has used a processor for: they hardly depend on what else the machine does.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The name of the program, which may hold spaces, ends with the last parenthesis; fields 14 and 15 count ticks.
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace().skip(11).take(2);
    fields.filter_map(|field| field.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn measure(
    language: Language,
    (at, shape): (usize, &Shape),
    (place, form): (usize, Form),
    bytes: usize,
) -> Cost {
    let started = Instant::now();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--one", language.name(), &at.to_string(), &place.to_string(), &bytes.to_string()])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut cost = Cost {
        language,
        rule: shape.rule.clone(),
        form,
        bytes,
        seconds: 0.0,
        megabytes: 0,
        failure: None,
    };
    while child.try_wait().unwrap().is_none() {
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            cost.failure = Some(format!("no end within {} s", PATIENCE.as_secs()));
        }
        std::thread::sleep(Duration::from_millis(2));
    }
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let mut numbers = text.split_whitespace();
    match (numbers.next(), numbers.next()) {
        (Some(seconds), Some(megabytes)) if output.status.success() => {
            cost.seconds = seconds.parse().unwrap();
            cost.megabytes = megabytes.parse().unwrap();
        }
        _ => {
            cost.seconds = started.elapsed().as_secs_f64();
            cost.failure.get_or_insert_with(|| format!("ended by {}", output.status));
        }
    }
    cost
}

fn summary(language: Language, costs: &[Cost]) {
    let slowest = costs.iter().map(|cost| cost.seconds).fold(0.0, f64::max);
    let largest = costs.iter().map(|cost| cost.megabytes).max().unwrap_or_default();
    let failed = costs.iter().filter(|cost| cost.failure.is_some()).count();
    let over = costs.iter().filter(|cost| is_over(cost)).count();
    println!(
        "| {} | {} | {slowest:.2} | {largest} | {over} | {failed} |",
        language.name(),
        costs.len()
    );
}

fn is_over(cost: &Cost) -> bool {
    cost.failure.is_some() || cost.seconds > SECONDS || cost.megabytes > MEGABYTES
}

fn report(costs: &mut [Cost], all: bool) {
    costs.sort_by(|a, b| b.seconds.total_cmp(&a.seconds));
    for cost in costs.iter().filter(|cost| all || is_over(cost)) {
        println!(
            "{} {} {:?} {} bytes: {:.2} s, {} MB{}",
            cost.language.name(),
            cost.rule,
            cost.form,
            cost.bytes,
            cost.seconds,
            cost.megabytes,
            cost.failure.as_deref().map(|failure| format!(", {failure}")).unwrap_or_default()
        );
    }
}
