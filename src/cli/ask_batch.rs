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
use retriever::{Answer, Question, Retriever, RunOptions, report::CodeMap};
use serde::Serialize;
use tokio::sync::{Semaphore, mpsc};

use super::{
    CommandContext,
    error::{CommandError, CommandErrorKind},
    exit::Exit,
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
    /// What went wrong.
    error: String,
    /// The exit code of `ask` for this question.
    exit_code: u8,
}

/// The output line of a question that has a map.
#[derive(Serialize)]
struct Answered {
    /// Number of the input line, from 1.
    line: usize,
    #[serde(flatten)]
    map: CodeMap,
}

/// How a batch ended.
pub(super) struct BatchOutcome {
    pub(super) exit: Exit,
    /// Questions that were answered without the model because it failed.
    pub(super) model_failures: u32,
}

/// A line's number, and its text or why it can't be read.
type Line = (usize, Result<String, CommandError>);

/// Answers the questions in `file`, or in stdin for `-`, `jobs` at a time.
pub(super) fn run(
    context: &CommandContext<'_>,
    retriever: &Retriever,
    options: RunOptions,
    file: &Path,
    jobs: usize,
) -> Result<BatchOutcome, CommandError> {
    let input = open(file)?;
    let runtime = super::build_retriever::runtime()?;
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
) -> Result<BatchOutcome, CommandError> {
    let cancel = options.cancel.clone();
    let mut signals = InterruptSignals::new()?;
    let running = Arc::new(Semaphore::new(jobs));
    let ask = |(number, text): Line| {
        let (retriever, options) = (retriever.clone(), options.clone());
        let mut permit = Box::pin(Arc::clone(&running).acquire_owned());
        // The semaphore is fair from the first poll on, and spawned tasks are first polled in any order.
        let permit = match permit.as_mut().now_or_never() {
            Some(now) => Either::Left(future::ready(now)),
            None => Either::Right(permit),
        };
        let asked = tokio::spawn(async move {
            let _permit = permit.await;
            answer_line(&retriever, options, text?).await
        });
        async move {
            let answer = asked.await.unwrap_or_else(|error| {
                Err(CommandError::new(
                    CommandErrorKind::Internal,
                    format!("the question failed: {error}"),
                ))
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
    let (mut interrupted, mut model_failures) = (None, 0);
    loop {
        tokio::select! {
            answer = answers.next() => match answer {
                Some((line, answer)) => {
                    model_failures += u32::from(print(context, line, answer)?);
                }
                None => {
                    let exit = interrupted.unwrap_or(Exit::Done);
                    return Ok(BatchOutcome { exit, model_failures });
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

/// Prints the answer to a line. Returns whether the model failed; that is a warning, too.
fn print(
    context: &CommandContext<'_>,
    line: usize,
    answer: Result<Answer, CommandError>,
) -> Result<bool, CommandError> {
    match answer {
        Ok(Answer { map, model_error, .. }) => {
            if let Some(error) = &model_error {
                let warning = format!(
                    "line {line}: the model failed and the map was made without it: {error}"
                );
                context.output.warn(&warning);
            }
            context.output.print_line(&Answered { line, map })?;
            Ok(model_error.is_some())
        }
        Err(error) => {
            let exit_code = error.kind.exit().code();
            context.output.print_line(&Failure { line, error: error.message, exit_code })?;
            Ok(false)
        }
    }
}

async fn answer_line(
    retriever: &Retriever,
    options: RunOptions,
    text: String,
) -> Result<Answer, CommandError> {
    let question: Question = serde_json::from_str(&text).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Usage,
            format!("the line is not a question object: {error}"),
        )
    })?;
    Ok(retriever.ask(question, options).await?)
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
        .hint("--batch takes a file with a question object a line, or - for stdin")
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
                    let message = format!("the batch cannot be read from here on: {error}");
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
