//! User programs that the command line starts: the pager for a long answer, and the editor of `--open`. They come from
//! the user's environment, never from a repository, and run without a shell. Nothing else starts a program.

use std::{
    io::Write as _,
    path::Path,
    process::{Command, Stdio},
};

use retriever::config::ProcessEnvironment;

use super::command_error::{CommandError, CommandErrorKind};

/// Options of `less`: quit if the answer fits, keep colours, leave the text on the screen, end at Ctrl-C.
const LESS_OPTIONS: &str = "FRXK";

/// A program and its first arguments, from a variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct UserProgram {
    program: String,
    arguments: Vec<String>,
}

impl UserProgram {
    /// Splits the text of a variable into words by a shell's quoting rules alone. `None` if it is empty, or a quote is
    /// not closed.
    fn parse(text: &str) -> Option<Self> {
        let mut words = shlex::split(text)?.into_iter();
        Some(Self { program: words.next()?, arguments: words.collect() })
    }

    #[expect(clippy::disallowed_methods, reason = "the user's own pager or editor")]
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments);
        command
    }
}

/// Returns the pager: `PAGER`, else `less`. `None` if `PAGER` is empty or `cat`, which turn paging off.
pub(crate) fn pager(environment: &ProcessEnvironment) -> Option<UserProgram> {
    match environment.variables().get("PAGER").map(String::as_str) {
        None => UserProgram::parse("less"),
        Some(text) => UserProgram::parse(text).filter(|pager| pager.program != "cat"),
    }
}

/// Shows a text in the pager and waits for its end. Returns whether the pager started and ended without an error.
pub(crate) fn page(pager: &UserProgram, text: &str, environment: &ProcessEnvironment) -> bool {
    let mut command = pager.command();
    if environment.get("LESS").is_none() {
        command.env("LESS", LESS_OPTIONS);
    }
    let Ok(mut child) = command.stdin(Stdio::piped()).spawn() else { return false };
    if let Some(mut input) = child.stdin.take() {
        // The user may quit before all of it is read.
        let _ = input.write_all(text.as_bytes());
    }
    // A pager that Ctrl-C ended has no exit code, or 2 for `less`.
    child.wait().is_ok_and(|ended| matches!(ended.code(), None | Some(0 | 2)))
}

/// Opens a file at a line in `VISUAL`, else in `EDITOR`, and waits for the editor's end.
pub(crate) fn edit(
    environment: &ProcessEnvironment,
    file: &Path,
    line: u32,
) -> Result<(), CommandError> {
    const HINT: &str =
        "set VISUAL or EDITOR to a program and its arguments, such as vim or \"code --wait\"";
    let failed = |message: String| CommandError::new(CommandErrorKind::Setup, message).hint(HINT);
    let named = ["VISUAL", "EDITOR"].iter().find_map(|name| Some((name, environment.get(name)?)));
    let (variable, text) = named.ok_or_else(|| failed("no editor is set".to_owned()))?;
    let editor = UserProgram::parse(text)
        .ok_or_else(|| failed(format!("{variable} can't be split into words")))?;
    let file = file.to_string_lossy();
    let mut command = editor.command();
    command.args(place_arguments(&editor.program, &file, line));
    let ended = command.status();
    let ended =
        ended.map_err(|error| failed(format!("{} can't be started: {error}", editor.program)))?;
    match ended.success() {
        true => Ok(()),
        false => Err(CommandError::new(
            CommandErrorKind::Setup,
            format!("{} ended with {ended}", editor.program),
        )),
    }
}

/// Returns the arguments that open a file at a line, from the editor's manual; for an unknown editor, the file alone.
fn place_arguments(program: &str, file: &str, line: u32) -> Vec<String> {
    let name = Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let file = file.to_owned();
    match name {
        "vi" | "vim" | "nvim" | "gvim" | "view" | "nano" | "pico" | "emacs" | "emacsclient"
        | "kak" | "micro" | "joe" | "mg" | "ne" | "gedit" => vec![format!("+{line}"), file],
        "code" | "code-insiders" | "codium" | "vscodium" | "cursor" | "windsurf" => {
            vec!["--goto".to_owned(), format!("{file}:{line}")]
        }
        "hx" | "helix" | "zed" | "zeditor" | "subl" | "sublime_text" => {
            vec![format!("{file}:{line}")]
        }
        "idea" | "clion" | "goland" | "phpstorm" | "pycharm" | "rider" | "rubymine"
        | "rustrover" | "webstorm" | "kate" | "mate" => {
            vec!["--line".to_owned(), line.to_string(), file]
        }
        _ => vec![file],
    }
}
