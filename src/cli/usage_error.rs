//! Usage errors: one message, and a hint that can be pasted. clap knows the arguments of this program; the tables here
//! map those of other programs.

use std::ffi::OsString;

use clap::{
    Command, CommandFactory,
    error::{ContextKind, ContextValue, ErrorKind},
};

use super::{
    args::Cli,
    command_error::{CommandError, CommandErrorKind},
};

/// Verbs of other programs, and the commands that do the same here.
const VERBS: &[(&str, &str)] = &[
    ("rg", "grep"),
    ("ag", "grep"),
    ("search", "grep"),
    ("find", "glob"),
    ("fd", "glob"),
    ("files", "glob"),
    ("ls", "glob"),
    ("cat", "read"),
    ("show", "read"),
    ("query", "ask"),
    ("question", "ask"),
    ("why", "ask why"),
    ("callers", "graph callers"),
    ("callees", "graph callees"),
    ("implementations", "graph implementations"),
    ("usages", "graph usages"),
    ("refs", "graph usages"),
    ("references", "graph usages"),
    ("symbols", "graph symbols"),
    ("def", "graph search"),
    ("trace", "graph trace"),
    ("status", "index --status"),
    ("build", "index"),
    ("watch", "index --watch"),
    ("check", "doctor"),
    ("setup", "init"),
    ("install", "init"),
    ("uninstall", "init --remove"),
    ("settings", "config"),
    ("stats", "savings"),
    ("clean", "cache prune"),
    ("prune", "cache prune"),
    ("update", "upgrade"),
    ("self-update", "upgrade"),
    ("version", "--version"),
];

/// Options of other programs: the verb or an empty text, the option, and the hint.
const OPTIONS: &[(&str, &str, &str)] = &[
    ("grep", "-e", "the pattern needs no -e; put -- before one that begins with a dash"),
    ("grep", "-w", "in a pattern, \\b matches the edge of a word: '\\bsave\\b'"),
    ("grep", "--word-regexp", "in a pattern, \\b matches the edge of a word: '\\bsave\\b'"),
    ("grep", "-t", "-g takes a glob: -g '*.py'"),
    ("grep", "--type", "-g takes a glob: -g '*.py'"),
    ("grep", "-l", "matches are grouped by file; --format json has the path of each match"),
    (
        "grep",
        "--files-with-matches",
        "matches are grouped by file; --format json has the path of each match",
    ),
    ("grep", "-c", "the first line of an answer counts the matches"),
    ("grep", "--count", "the first line of an answer counts the matches"),
    ("grep", "-S", "-i ignores case"),
    ("grep", "--smart-case", "-i ignores case"),
    ("grep", "-m", "--limit sets the maximum number of matches"),
    ("grep", "--max-count", "--limit sets the maximum number of matches"),
    ("grep", "-U", "a match lies within one line"),
    ("grep", "--multiline", "a match lies within one line"),
    ("", "--hidden", "workspace.hidden = true in the configuration includes hidden files"),
    ("", "--json", "--format json"),
    ("", "--output", "--format json, markdown or text sets the form of the answer"),
    ("", "-o", "--format json, markdown or text sets the form of the answer"),
    ("", "--no-color", "--color never"),
    ("", "-C", "--root names the repository"),
    ("", "--repo", "--root names the repository"),
    ("", "--cwd", "--root names the repository"),
    ("", "-m", "--model names the model"),
    ("", "-n", "--limit sets the maximum number of results"),
];

/// With this many operands an unknown verb is taken for the first word of a question.
const WORDS_OF_A_QUESTION: usize = 3;

/// Returns the error for `arguments`, the first of which is the program.
pub(super) fn usage_error(error: &clap::Error, arguments: &[OsString]) -> CommandError {
    let text = error.render().to_string();
    let mut paragraphs = text.split("\n\n").map(one_line);
    let message = paragraphs.next().unwrap_or_default();
    let message = message.strip_prefix("error: ").unwrap_or(&message);
    let paragraphs: Vec<String> = paragraphs.collect();
    let line = CommandLine::of(arguments);
    let hint = match error.kind() {
        ErrorKind::InvalidSubcommand => line.for_verb(&invalid(error)),
        ErrorKind::UnknownArgument => line.for_argument(&invalid(error)),
        ErrorKind::MissingRequiredArgument => {
            let usage = paragraphs.iter().find_map(|it| it.strip_prefix("Usage: "));
            usage.map(|usage| format!("{usage}; {}", line.help()))
        }
        _ => None,
    };
    let tip = || {
        let tips = paragraphs.iter().filter_map(|it| it.strip_prefix("tip: "));
        // A misspelt argument is rarely meant as a value.
        tips.filter(|tip| !tip.starts_with("to pass ")).map(str::to_owned).next()
    };
    let hint = hint.or_else(tip).unwrap_or_else(|| match error.kind() {
        ErrorKind::InvalidSubcommand if line.verb.is_none() => {
            "to ask a question: retriever ask \"how does X work\"".to_owned()
        }
        _ => line.help(),
    });
    CommandError::new(CommandErrorKind::Usage, message).hint(hint)
}

/// Whether `arguments` failed because they are a question, in quotes, without a verb.
pub(super) fn is_question(error: &clap::Error, arguments: &[OsString]) -> bool {
    let line = CommandLine::of(arguments);
    let has_words = |text: &str| text.trim().contains(char::is_whitespace);
    line.verb.is_none()
        && match error.kind() {
            ErrorKind::InvalidSubcommand => has_words(&invalid(error)),
            // An option of `ask` before the question.
            ErrorKind::UnknownArgument => line.words.iter().any(|word| has_words(word)),
            _ => false,
        }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the argument that an error is about.
fn invalid(error: &clap::Error) -> String {
    let of = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    of(ContextKind::InvalidSubcommand).or_else(|| of(ContextKind::InvalidArg)).unwrap_or_default()
}

/// The words of the command line, without the program.
struct CommandLine {
    words: Vec<String>,
    /// The verb, if there is a known one.
    verb: Option<Command>,
}

impl CommandLine {
    fn of(arguments: &[OsString]) -> Self {
        let words = arguments.iter().skip(1).map(|word| word.to_string_lossy().into_owned());
        let words: Vec<String> = words.collect();
        let program = Cli::command();
        let verb = words.iter().find_map(|word| program.find_subcommand(word)).cloned();
        Self { words, verb }
    }

    fn help(&self) -> String {
        match &self.verb {
            Some(verb) => {
                format!("retriever {} --help shows its arguments and examples", verb.get_name())
            }
            None => "retriever --help shows the verbs and options".to_owned(),
        }
    }

    /// Returns the command that an unknown verb probably means.
    fn for_verb(&self, typed: &str) -> Option<String> {
        if self.verb.is_some() {
            return None;
        }
        let at = self.words.iter().position(|word| word == typed)?;
        if let Some((_, verb)) = VERBS.iter().find(|(name, _)| *name == typed) {
            return self.with(at..at + 1, verb);
        }
        let program = Cli::command();
        let mut verbs = program.get_subcommands().filter(|verb| !verb.is_hide_set());
        if let Some(meant) = verbs.find(|verb| strsim::osa_distance(verb.get_name(), typed) == 1) {
            return self.with(at..at + 1, meant.get_name());
        }
        let is_near = |name: &str| name.len() > 5 && strsim::osa_distance(name, typed) == 1;
        if let Some((_, verb)) = VERBS.iter().find(|(name, _)| is_near(name)) {
            return self.with(at..at + 1, verb);
        }
        let operands = self.words.iter().skip(at).filter(|word| !word.starts_with('-'));
        if operands.count() >= WORDS_OF_A_QUESTION {
            return self.with(at..at, "ask");
        }
        None
    }

    /// Returns the hint for an unknown argument.
    fn for_argument(&self, typed: &str) -> Option<String> {
        let verb = self.verb.as_ref()?;
        let name = verb.get_name();
        let of_others = OPTIONS
            .iter()
            .find(|(of, option, _)| [name, ""].contains(of) && *option == typed)
            .map(|(_, _, hint)| (*hint).to_owned());
        if of_others.is_some() || typed.starts_with('-') {
            return of_others;
        }
        let is_option = verb.get_arguments().any(|argument| argument.get_long() == Some(typed));
        let at = self.words.iter().position(|word| word == typed)?;
        match name {
            _ if is_option => self.with(at..at + 1, &format!("--{typed}")),
            "glob" => Some("quote a glob, so that the shell leaves it alone: '*.py'".to_owned()),
            "grep" => Some("one folder or file is searched; -g takes a glob: -g '*.py'".to_owned()),
            _ => None,
        }
    }

    /// Returns the command with some words replaced. `None` when it cannot be quoted for a shell.
    fn with(&self, replaced: std::ops::Range<usize>, words: &str) -> Option<String> {
        let before = self.words.get(..replaced.start)?.iter().map(String::as_str);
        let after = self.words.get(replaced.end..)?.iter().map(String::as_str);
        let all = before.chain(words.split(' ')).chain(after);
        Some(format!("did you mean retriever {}", shlex::try_join(all).ok()?))
    }
}
