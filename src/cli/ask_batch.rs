//! `ask --batch`: reads one question object per line and prints one map per line, in the order of the input. Lines are read
//! on demand and answers are printed as soon as all earlier ones are, so memory does not grow with the batch.

use std::{
    fs::File,
    io::{self, BufRead, BufReader, Read},
    path::Path,
    sync::Arc,
};

use futures::{
    FutureExt, StreamExt,
    future::{self, Either},
};
use retriever::{
    AskAnswer, Question, Retriever, RunOptions,
    model::ModelError,
    report::{CodeMap, ReportAuthor},
};
use serde::Serialize;
use serde_json::{Map, Value};
use tokio::sync::{Semaphore, mpsc};

use super::{
    command_context::CommandContext,
    command_error::{CommandError, CommandErrorKind},
    exit_status::Exit,
    interrupts::{InterruptSignals, exit_now},
};

/// Maximum length of a line, in bytes; the limit of the library for a question is lower.
const LINE_BYTES: u64 = 1024 * 1024;
/// Answers that are buffered behind a slow one, per running question.
const BUFFERED_PER_JOB: usize = 4;

/// The output line of a question that has no map.
#[derive(Serialize)]
struct Failure {
    /// Number of the input line, from 1.
    line: usize,
    /// The `id` of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    /// The error.
    error: String,
    /// The exit code of `ask` for this question.
    exit_code: u8,
}

/// The output line of a question that has a map.
#[derive(Serialize)]
struct Answered {
    /// Number of the input line, from 1.
    line: usize,
    /// The `id` of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Value>,
    #[serde(flatten)]
    map: CodeMap,
}

/// The result of a line, and its `id`.
struct LineAnswer {
    id: Option<Value>,
    answer: Result<AskAnswer, CommandError>,
}

/// Counts over the answers so far.
#[derive(Default)]
struct BatchTally {
    /// The exit code of the first line without a map.
    first_failure: Option<Exit>,
    maps: u32,
    model_failures: u32,
}

impl BatchTally {
    /// Returns the exit code of a batch that is not interrupted. Without any map it is that of the first line.
    fn exit(&self) -> Exit {
        self.first_failure.filter(|_| self.maps == 0).unwrap_or(Exit::Done)
    }
}

/// How a batch ended.
pub(super) struct AskBatchOutcome {
    pub(super) exit: Exit,
    /// Questions whose map was made without the model because the model failed.
    pub(super) model_failures: u32,
}

/// The number of a line, and its text or the error of reading it.
type Line = (usize, Result<String, CommandError>);

/// Answers the questions in `file`, or in stdin for `-`, `jobs` at a time.
pub(super) fn run(
    context: &CommandContext<'_>,
    retriever: &Retriever,
    options: RunOptions,
    file: &Path,
    jobs: usize,
) -> Result<AskBatchOutcome, CommandError> {
    let input = open(file)?;
    let runtime = super::async_runtime::runtime()?;
    let done = runtime.block_on(answer(context, retriever, options, input, jobs));
    runtime.shutdown_background();
    done
}

async fn answer(
    context: &CommandContext<'_>,
    retriever: &Retriever,
    options: RunOptions,
    input: Box<dyn Read + Send>,
    jobs: usize,
) -> Result<AskBatchOutcome, CommandError> {
    let cancel = options.cancel.clone();
    let mut signals = InterruptSignals::new()?;
    let running = Arc::new(Semaphore::new(jobs));
    let ask = |(number, text): Line| {
        let (retriever, options) = (retriever.clone(), options.clone());
        let mut permit = Box::pin(Arc::clone(&running).acquire_owned());
        // The semaphore serves in the order of the first polls, and spawned tasks are first polled in any order.
        let permit = match permit.as_mut().now_or_never() {
            Some(now) => Either::Left(future::ready(now)),
            None => Either::Right(permit),
        };
        let asked = tokio::spawn(async move {
            let _permit = permit.await;
            answer_line(&retriever, options, text).await
        });
        async move {
            let answer = asked.await.unwrap_or_else(|error| {
                let message = format!("the question failed: {error}");
                let answer = Err(CommandError::new(CommandErrorKind::Internal, message));
                LineAnswer { id: None, answer }
            });
            (number, answer)
        }
    };
    let mut lines = lines(input);
    let answers = futures::stream::poll_fn(|task| lines.poll_recv(task))
        .take_until(cancel.cancelled())
        .map(ask)
        .buffered(jobs.saturating_mul(BUFFERED_PER_JOB));
    tokio::pin!(answers);
    let (mut interrupted, mut tally) = (None, BatchTally::default());
    loop {
        tokio::select! {
            answer = answers.next() => match answer {
                Some((line, answer)) => print(context, line, answer, &mut tally)?,
                None => {
                    let exit = interrupted.unwrap_or(tally.exit());
                    return Ok(AskBatchOutcome { exit, model_failures: tally.model_failures });
                }
            },
            exit = signals.next() => {
                if interrupted.is_some() {
                    exit_now(exit);
                }
                interrupted = Some(exit);
                cancel.cancel();
            }
        }
    }
}

/// Returns the warning of a model that failed.
pub(super) fn failed_model_warning(error: &ModelError, map: &CodeMap) -> String {
    let made = match map.meta.author {
        ReportAuthor::Model => "the map holds what its report had before",
        ReportAuthor::Offline | ReportAuthor::Fallback => "the map was made without it",
    };
    format!("the model failed and {made}: {error}")
}

/// Prints the answer to a line. A failed model and a hint that matches nothing are also warnings.
fn print(
    context: &CommandContext<'_>,
    line: usize,
    LineAnswer { id, answer }: LineAnswer,
    tally: &mut BatchTally,
) -> Result<(), CommandError> {
    match answer {
        Ok(AskAnswer { map, model_error, notes, .. }) => {
            for note in &notes {
                context.output.note(&format!("line {line}: {note}"));
            }
            if let Some(error) = &model_error {
                let warning = failed_model_warning(error, &map);
                context.output.warn(&format!("line {line}: {warning}"));
                tally.model_failures += 1;
            }
            tally.maps += 1;
            context.output.print_line(&Answered { line, id, map })
        }
        Err(error) => {
            let exit = error.kind.exit();
            tally.first_failure.get_or_insert(exit);
            let failure = Failure { line, id, error: error.message, exit_code: exit.code() };
            context.output.print_line(&failure)
        }
    }
}

async fn answer_line(
    retriever: &Retriever,
    options: RunOptions,
    text: Result<String, CommandError>,
) -> LineAnswer {
    let (id, question) = match text {
        Ok(text) => parse(&text),
        Err(error) => (None, Err(error)),
    };
    let answer = match question {
        Ok(question) => retriever.ask(question, options).await.map_err(CommandError::from),
        Err(error) => Err(error),
    };
    LineAnswer { id, answer }
}

/// Returns the `id` of a line, even if the rest of the line is invalid, and its question.
fn parse(text: &str) -> (Option<Value>, Result<Question, CommandError>) {
    let mut id = None;
    // The first line of a file may begin with a byte order mark.
    let text = text.trim_start_matches('\u{feff}');
    let question = serde_json::from_str(text).and_then(|mut fields: Map<String, Value>| {
        id = fields.remove("id");
        serde_json::from_value(Value::Object(fields))
    });
    let question = question.map_err(|error| {
        let why = error.to_string();
        // Which line it is stands beside the message; to the parser every line is the first.
        let place = format!(" at line {} column {}", error.line(), error.column());
        let message = match why.strip_suffix(&place) {
            Some(why) => {
                format!("the line is not a question object: {why} at column {}", error.column())
            }
            None => format!("the line is not a question object: {why}"),
        };
        CommandError::new(CommandErrorKind::Usage, message)
    });
    (id, question)
}

#[expect(clippy::disallowed_methods, reason = "the user names it on the command line")]
fn open(file: &Path) -> Result<Box<dyn Read + Send>, CommandError> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let opened = File::open(file).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot read {}: {error}", file.display()),
        )
        .hint("--batch takes a file with one question object per line, or - for stdin")
    })?;
    Ok(Box::new(opened))
}

/// Reads lines on a thread of its own, since a read of stdin cannot be cancelled. Skips empty lines.
fn lines(input: Box<dyn Read + Send>) -> mpsc::Receiver<Line> {
    let (sender, lines) = mpsc::channel(1);
    std::thread::spawn(move || {
        let mut input = BufReader::new(input);
        for number in 1.. {
            let line = match next_line(&mut input) {
                Ok(Some(line)) if line.trim_ascii().is_empty() => continue,
                Ok(Some(line)) => text(line),
                Ok(None) => break,
                Err(error) => {
                    let message = format!("the rest of the batch cannot be read: {error}");
                    let _ = sender.blocking_send((
                        number,
                        Err(CommandError::new(CommandErrorKind::Usage, message)),
                    ));
                    break;
                }
            };
            // The receiver is dropped when the batch ends or is interrupted.
            if sender.blocking_send((number, line)).is_err() {
                break;
            }
        }
    });
    lines
}

/// Returns the next line; of a line over the limit, one byte more than the limit.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    if input.by_ref().take(LINE_BYTES + 1).read_until(b'\n', &mut line)? == 0 {
        return Ok(None);
    }
    if line.len() as u64 > LINE_BYTES && line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    Ok(Some(line))
}

fn text(line: Vec<u8>) -> Result<String, CommandError> {
    let usage = |message: String| CommandError::new(CommandErrorKind::Usage, message);
    if line.len() as u64 > LINE_BYTES {
        return Err(usage(format!("the line has more than {LINE_BYTES} bytes")));
    }
    String::from_utf8(line).map_err(|_| usage("the line is not UTF-8".to_owned()))
}
