//! `ask --batch`: a question object a line in, a map a line out, in the order of the lines. Lines are read as they are needed
//! and every answer is printed as soon as it is its turn, so that memory doesn't grow with the batch.

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
use retriever::{Question, Retriever, RunOptions, report::CodeMap};
use serde::Serialize;
use tokio::sync::{Semaphore, mpsc};

use super::{
    Session,
    error::{CommandError, Kind},
    exit::Exit,
    signals::{Signals, leave},
};

/// Longest line, in bytes; the library's limit of a question is lower.
const LINE_BYTES: u64 = 1024 * 1024;
/// Answers that may wait for a slow one before them, for each question that runs.
const WAITING: usize = 4;

/// What a line without a map says instead.
#[derive(Serialize)]
struct Failure {
    /// Number of the input line, from 1.
    line: usize,
    /// What went wrong.
    error: String,
    /// The exit code that the question would have had alone.
    exit_code: u8,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Answered {
    Map(Box<CodeMap>),
    Failure(Failure),
}

/// A line's number and its text, or what is wrong with it.
type Line = (usize, Result<String, CommandError>);

/// Answers the questions of `file`, `-` being stdin, `jobs` at a time.
pub(super) fn run(
    session: &Session<'_>,
    retriever: &Retriever,
    options: RunOptions,
    file: &Path,
    jobs: usize,
) -> Result<Exit, CommandError> {
    let input = open(file)?;
    let runtime = super::engine::runtime()?;
    let done = runtime.block_on(answer(session, retriever, options, input, jobs));
    runtime.shutdown_background();
    done
}

async fn answer(
    session: &Session<'_>,
    retriever: &Retriever,
    options: RunOptions,
    input: Box<dyn Read + Send>,
    jobs: usize,
) -> Result<Exit, CommandError> {
    let cancel = options.cancel.clone();
    let mut signals = Signals::new()?;
    let running = Arc::new(Semaphore::new(jobs));
    let ask = |(number, text): Line| {
        let (retriever, options) = (retriever.clone(), options.clone());
        let mut turn = Box::pin(Arc::clone(&running).acquire_owned());
        // A place in the queue is taken when it is first asked for, and tasks start in no order.
        let turn = match turn.as_mut().now_or_never() {
            Some(now) => Either::Left(future::ready(now)),
            None => Either::Right(turn),
        };
        let asked = tokio::spawn(async move {
            let _running = turn.await;
            one(&retriever, options, text?).await
        });
        async move {
            let answer = asked.await.unwrap_or_else(|error| {
                Err(CommandError::new(Kind::Internal, format!("the question failed: {error}")))
            });
            answer.map(Answered::Map).unwrap_or_else(|error| {
                let exit_code = error.kind.exit().code();
                Answered::Failure(Failure { line: number, error: error.message, exit_code })
            })
        }
    };
    let mut lines = lines(input);
    let answers = futures::stream::poll_fn(|context| lines.poll_recv(context))
        .take_until(cancel.cancelled())
        .map(ask)
        .buffered(jobs.saturating_mul(WAITING));
    tokio::pin!(answers);
    let mut interrupted = None;
    loop {
        tokio::select! {
            answer = answers.next() => match answer {
                Some(answer) => session.output.print_line(&answer)?,
                None => return Ok(interrupted.unwrap_or(Exit::Done)),
            },
            exit = signals.next() => {
                if interrupted.is_some() {
                    leave(exit);
                }
                interrupted = Some(exit);
                cancel.cancel();
            }
        }
    }
}

async fn one(
    retriever: &Retriever,
    options: RunOptions,
    text: String,
) -> Result<Box<CodeMap>, CommandError> {
    let question: Question = serde_json::from_str(&text).map_err(|error| {
        CommandError::new(Kind::Usage, format!("the line is not a question object: {error}"))
    })?;
    Ok(Box::new(retriever.ask(question, options).await?.map))
}

#[expect(clippy::disallowed_methods, reason = "the user names it on the command line")]
fn open(file: &Path) -> Result<Box<dyn Read + Send>, CommandError> {
    if file == Path::new("-") {
        return Ok(Box::new(io::stdin()));
    }
    let opened = File::open(file).map_err(|error| {
        CommandError::new(Kind::Usage, format!("cannot read {}: {error}", file.display()))
            .hint("--batch takes a file with a question object a line, or - for stdin")
    })?;
    Ok(Box::new(opened))
}

/// Reads lines on a thread of their own, since reading stdin can't be called off. Empty ones are skipped.
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
                    let _ = sender
                        .blocking_send((number, Err(CommandError::new(Kind::Usage, message))));
                    break;
                }
            };
            // Nobody receives once the batch is over or interrupted.
            if sender.blocking_send((number, line)).is_err() {
                break;
            }
        }
    });
    lines
}

/// Returns the next line, cut one byte behind the limit when it is longer.
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
    let usage = |message: String| CommandError::new(Kind::Usage, message);
    if line.len() as u64 > LINE_BYTES {
        return Err(usage(format!("the line has more than {LINE_BYTES} bytes")));
    }
    String::from_utf8(line).map_err(|_| usage("the line is not UTF-8".to_owned()))
}
