//! Asks the user at the terminal, and reads piped text.

use std::io::{self, BufRead, Read, Write};

use super::command_error::{CommandError, CommandErrorKind};

/// Maximum size of a text on stdin, in bytes; the limits of the library are lower.
const STDIN_BYTES: u64 = 1024 * 1024;

/// Asks on the terminal. Returns the answer without surrounding spaces; empty if the terminal is closed.
pub(super) fn asked(question: &str) -> Result<String, CommandError> {
    let failed = |error: io::Error| {
        CommandError::new(CommandErrorKind::Usage, format!("cannot read the answer: {error}"))
    };
    let mut out = io::stderr().lock();
    write!(out, "{question}").and_then(|()| out.flush()).map_err(failed)?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer).map_err(failed)? == 0 {
        // At the end of the input the cursor is still on the line of the question.
        writeln!(out).map_err(failed)?;
    }
    Ok(answer.trim().to_owned())
}

/// Returns the text of stdin, which is the `what` of a command.
pub(super) fn piped(what: &str) -> Result<String, CommandError> {
    let mut bytes = Vec::new();
    io::stdin().lock().take(STDIN_BYTES).read_to_end(&mut bytes).map_err(|error| {
        CommandError::new(
            CommandErrorKind::Usage,
            format!("cannot read the {what} from stdin: {error}"),
        )
    })?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
