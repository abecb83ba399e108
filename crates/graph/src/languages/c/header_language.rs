//! Which of the two languages a header holds, and whether a file that is included under another extension holds either.

/// What lines begin with that aren't C's.
const CPP_ONLY: &[&str] = &[
    "class ",
    "namespace ",
    "template ",
    "template<",
    "public:",
    "private:",
    "using ",
    "virtual ",
    "explicit ",
    "constexpr ",
    "friend ",
];

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

/// Whether a header holds C++.
pub(crate) fn looks_like_cpp(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        (CPP_ONLY.iter().any(|word| line.starts_with(word)) || line.contains("std::"))
            && !line.ends_with("*/")
            && !line.starts_with("//")
    })
}
