//! Asks the user at the terminal.

use std::io::{self, BufRead, Write};

use super::command_error::{CommandError, CommandErrorKind};

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
