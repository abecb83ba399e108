//! Which of the two languages a header holds, and whether a file that is included under another extension holds either.

use std::borrow::Cow;

/// Words that lines begin with that aren't C's.
const CPP_ONLY: &[&str] =
    &["class", "namespace", "template", "using", "virtual", "explicit", "constexpr", "friend"];
/// Labels of C++ inside a class.
const CPP_LABELS: &[&str] = &["public:", "private:"];

/// Extensions of tables and parts of functions that are included, which other files have, too.
const SHARED_EXTENSIONS: &[&str] = &["def", "inc"];
/// What lines of the preprocessor begin with.
const DIRECTIVES: &[&str] = &["#include", "#define", "#undef", "#if", "#endif"];

/// Whether a file is by its extension a part of others, which include it.
pub(crate) fn is_part(path: &str) -> bool {
    let extension = path.rsplit_once('.').map_or("", |(_, extension)| extension);
    SHARED_EXTENSIONS.iter().any(|shared| extension.eq_ignore_ascii_case(shared))
}

/// Whether a file with an extension of C is code: `.inc` may also be of PHP or of an assembler, `.def` a list of exports.
pub(crate) fn may_be_code(path: &str, text: &str) -> bool {
    if !is_part(path) {
        return true;
    }
    let mut lines = text.lines().map(str::trim_start).filter(|line| !line.is_empty());
    let first = lines.clone().next().unwrap_or_default();
    // Lines may be calls of a macro alone.
    let name = first.trim_start_matches(|char: char| char.is_ascii_alphanumeric() || char == '_');
    let is_call = name.len() < first.len() && name.starts_with('(');
    let is_directive = |line: &str| DIRECTIVES.iter().any(|word| line.starts_with(word));
    !first.starts_with("<?")
        && (is_call
            || first.starts_with("/*")
            || first.starts_with("//")
            || lines.any(is_directive))
}

/// Whether a header holds C++. Comments say nothing of it, and C may have variables of these names.
pub(crate) fn looks_like_cpp(text: &str) -> bool {
    let mut in_comment = false;
    text.lines().any(|line| {
        let code = without_comments(line, &mut in_comment);
        let code = code.trim();
        CPP_LABELS.iter().any(|label| code.starts_with(label))
            || CPP_ONLY.iter().any(|word| begins_with_word(code, word))
            || code.contains("std::")
    })
}

/// Whether a line begins with a word that a name, or the list of a template, follows.
fn begins_with_word(line: &str, word: &str) -> bool {
    let Some(rest) = line.strip_prefix(word) else { return false };
    let next = rest.trim_start();
    let is_name =
        next.starts_with(|next: char| next.is_alphabetic() || matches!(next, '_' | ':' | '~'));
    let begins_block = word == "namespace" && (next.is_empty() || next.starts_with('{'));
    next.len() < rest.len() && is_name
        || begins_block
        || word == "template" && next.starts_with('<')
}

/// Returns what a line has outside of comments; `in_comment` tells whether one goes on from line to line.
fn without_comments<'t>(line: &'t str, in_comment: &mut bool) -> Cow<'t, str> {
    if !*in_comment && !line.contains("/*") {
        return line.split("//").next().unwrap_or(line).into();
    }
    let (mut code, mut rest) = (String::new(), line);
    while !rest.is_empty() {
        if *in_comment {
            let Some((_, after)) = rest.split_once("*/") else { break };
            (rest, *in_comment) = (after, false);
            continue;
        }
        let open = rest.find("/*").filter(|at| {
            let before = &rest[..*at];
            !rest[..=*at].contains("//") && before.matches('"').count() % 2 == 0
        });
        let Some(open) = open else {
            code.push_str(rest.split("//").next().unwrap_or(rest));
            break;
        };
        code.push_str(&rest[..open]);
        (rest, *in_comment) = (&rest[open + 2..], true);
    }
    code.into()
}
