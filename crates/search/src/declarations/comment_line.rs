//! Decides by its first characters whether a line is a comment: by the rules of its language, or by common ones if the
//! language is unknown. A middle line of a block comment counts if it begins with `*`.

use super::line_patterns::{DeclarationEndRule, DeclarationLinePatterns};

/// What comments begin with in files of unknown languages.
const COMMON_MARKERS: &[&str] = &["#", "//", "/*", "* ", "*/", "--", "{-", "\"\"\""];

/// Whether a line of a file with this extension is a comment.
pub fn is_comment_line(extension: &str, line: &str) -> bool {
    begins_comment(DeclarationLinePatterns::of(extension), line)
}

/// Whether a line is surely a comment of code: by the rules of a programming language that the extension is one of.
pub fn is_code_comment(extension: &str, line: &str) -> bool {
    let rules = DeclarationLinePatterns::of(extension);
    let of_code = rules.filter(|rules| rules.extent != DeclarationEndRule::Section);
    of_code.is_some() && begins_comment(of_code, line)
}

/// Returns the lines of a text that are no comments, in a file with this extension.
pub fn code_lines(extension: &str, text: &str) -> String {
    let rules = DeclarationLinePatterns::of(extension);
    let mut code = String::with_capacity(text.len());
    for line in text.split_inclusive('\n').filter(|line| !begins_comment(rules, line)) {
        code.push_str(line);
    }
    code
}

/// Whether a line directly above a declaration, in a file with this extension, is a comment or an attribute. There a line
/// that begins with `*` is one of a comment, also without a space behind it.
pub(crate) fn is_comment_or_attribute(extension: &str, line: &str) -> bool {
    let (start, rules) = (line.trim_start(), DeclarationLinePatterns::of(extension));
    let is_starred =
        rules.is_some_and(DeclarationLinePatterns::has_starred_lines) && start.starts_with('*');
    start.starts_with('@') || start.starts_with("#[") || is_starred || begins_comment(rules, start)
}

/// Whether a line is a comment by these rules. A heading of a document is none of code.
pub(super) fn begins_comment(rules: Option<&DeclarationLinePatterns>, line: &str) -> bool {
    let start = line.trim_start();
    let begins = |marker: &str| start.starts_with(marker);
    if start.is_empty() || is_attribute(rules, start) {
        return false;
    }
    let Some(rules) = rules else {
        return begins("<!--") || COMMON_MARKERS.iter().any(|marker| begins(marker));
    };
    begins("<!--")
        || rules.line_comments.iter().any(|marker| begins(marker))
        || rules.opens_block_comment(start.as_bytes())
        || rules.block_comment.is_some_and(|(_, close)| begins(close))
        || rules.has_starred_lines() && (begins("* ") || start.trim_end() == "*")
        || rules.triple_quotes && begins("\"\"\"")
        || rules.extent == DeclarationEndRule::Section && begins("#")
}

/// Whether a line is an attribute where `#` can begin a comment, too.
fn is_attribute(rules: Option<&DeclarationLinePatterns>, start: &str) -> bool {
    start.starts_with("#[") && rules.is_none_or(DeclarationLinePatterns::has_starred_lines)
        || start.starts_with("#define") && rules.is_none()
}
