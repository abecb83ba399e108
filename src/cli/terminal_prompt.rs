//! Questions to the person at the terminal.

use std::io::{self, BufRead, Write};

use super::command_error::{CommandError, CommandErrorKind};

/// Asks a person on the terminal. Returns the answer without the spaces around it; that of a closed terminal is empty.
pub(super) fn asked(question: &str) -> Result<String, CommandError> {
    let failed = |error: io::Error| {
        CommandError::new(CommandErrorKind::Usage, format!("cannot read the answer: {error}"))
    };
    let mut out = io::stderr().lock();
    write!(out, "{question}").and_then(|()| out.flush()).map_err(failed)?;
    let mut answer = String::new();
    if io::stdin().lock().read_line(&mut answer).map_err(failed)? == 0 {
        // Nobody has ended the line.
        writeln!(out).map_err(failed)?;
    }
    Ok(answer.trim().to_owned())
}
