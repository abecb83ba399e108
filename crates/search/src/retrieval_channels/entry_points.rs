//! Entry-point patterns: the lines by which programs of any framework publish a name. If such a line has words of the
//! query, it leads to the code that it names, even if no declaration has these words.

use crate::lazy_byte_pattern::LazyBytePattern;

/// Longest name that is repeated, in characters.
const MAX_NAME_CHARS: usize = 40;

/// Kinds of entry point and the lines that are one.
static PATTERNS: [(&str, LazyBytePattern); 5] = [
    (
        "route",
        LazyBytePattern::new(
            r#"(?i)\b(?:get|post|put|patch|delete|head|options|any|all|use|group|mount|route|match|handle|handlefunc|map(?:get|post|put|delete)|re_path|path|resources|add_url_rule|add_route)\s*\(?\s*[rf]?["'`]\^?/|[@\[](?:\w+\.)*(?:http)?(?:get|post|put|patch|delete|request|route|path)(?:mapping)?\s*\("#,
        ),
    ),
    (
        "command",
        LazyBytePattern::new(
            r#"\b(?:Command::new|add_parser|subcommand|add_command|addCommand|add_argument|Arg::new|ArgumentParser|StringVarP?|BoolVarP?|IntVarP?|DurationVarP?)\s*\(|\.(?:command|option|argument)\s*\(\s*["'`]|\bcobra\.Command\s*\{|#\[(?:arg|command|clap)\s*\(|@(?:\w+\.)*(?:command|option|argument|Command|Option|Parameters)\s*\("#,
        ),
    ),
    (
        "event",
        LazyBytePattern::new(
            r#"\b(?:addEventListener|removeEventListener|on|once|off|emit|dispatch|subscribe|publish|addListener|trigger|receiver)\s*\(\s*["'`:]|@(?:\w*Listener|Subscribe|HostListener|EventHandler)\b"#,
        ),
    ),
    (
        "registration",
        LazyBytePattern::new(
            r#"(?i)(?:register|registry|provider|addsingleton|addscoped|addtransient|bind_to|factory|plugin|add_handler|set_handler)\w*\s*[.(<\[]"#,
        ),
    ),
    (
        "setting",
        LazyBytePattern::new(
            r#"(?i)\b(?:getenv|environ|env|config\w*|settings?|options?|preferences|viper|defaults)\b[\w.]*\s*[.(\[]+\s*["'`:]|@(?:value|configurationproperties)\s*\("#,
        ),
    ),
];

/// A line that publishes a name.
pub(crate) struct EntryPoint<'a> {
    /// What it is: `route`, `command`.
    pub(crate) kind: &'static str,
    /// The name, if it stands on the line.
    pub(crate) name: Option<&'a str>,
}

/// Returns the entry point on `line`.
pub(crate) fn entry_point(line: &str) -> Option<EntryPoint<'_>> {
    // Without a quote or an annotation there is no name.
    if !line.contains(['"', '\'', '`', '@', '#']) {
        return None;
    }
    let (kind, _) = PATTERNS.iter().find(|(_, pattern)| pattern.is_match(line))?;
    Some(EntryPoint { kind, name: first_quoted(line) })
}

/// Returns the first short text between quotes.
fn first_quoted(line: &str) -> Option<&str> {
    let open = line.find(['"', '\'', '`'])?;
    let quote = line[open..].chars().next()?;
    let inside = &line[open + 1..];
    let name = &inside[..inside.find(quote)?];
    (!name.trim().is_empty() && name.chars().count() <= MAX_NAME_CHARS).then_some(name)
}
