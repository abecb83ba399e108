//! Text that the grammar would misread, rewritten at the same length.

use crate::{
    languages::same_length_rewriting::{blank, blanked, by_line, replaced},
    syntax::SyntaxNode,
};

/// Bytes before `constructor` in which its annotations and modifiers are looked for, or before those the head of the class.
const MAX_HEAD: usize = 2_000;
/// Modifiers of a constructor.
const MODIFIERS: &[&[u8]] =
    &[b"internal", b"private", b"protected", b"public", b"actual", b"expect"];
/// Words by which the body of a class begins.
const CLASS_WORDS: &[&str] = &["class", "object", "interface"];
/// Modifiers before the words of [`DECLARATION_WORDS`].
const DECLARATION_MODIFIERS: &[&str] = &[
    "public",
    "private",
    "internal",
    "protected",
    "open",
    "abstract",
    "final",
    "sealed",
    "data",
    "inner",
    "value",
    "inline",
    "expect",
    "actual",
    "external",
    "enum",
    "annotation",
    "const",
    "lateinit",
    "override",
    "suspend",
    "tailrec",
    "operator",
    "infix",
];
/// Words by which a declaration begins.
const DECLARATION_WORDS: &[&str] =
    &["class", "interface", "object", "fun", "val", "var", "typealias"];
/// What an annotation before `annotation class` would be read with.
const ANNOTATION_CLASS: &str = "annotation class ";

/// Whether a text without errors may hold what the grammar misreads.
pub(super) fn hides_classes(source: &str) -> bool {
    source.lines().any(|line| line.trim_start().starts_with(ANNOTATION_CLASS))
}

/// Blanks `annotation` where `annotation class` begins a line: behind other annotations it is taken for a name.
pub(super) fn with_annotation_classes(source: &str) -> String {
    by_line(source, |line| {
        let begins = line.trim_start().starts_with(ANNOTATION_CLASS);
        begins.then(|| line.replacen("annotation", "          ", 1))
    })
}

/// Blanks the annotations of declarations of a file that the grammar takes for expressions: in `@A @B open class C
/// protected constructor() { … }` it can read each word as a name. Returns `None` if there are none.
pub(super) fn without_annotations_of_misread(source: &str, file: SyntaxNode<'_>) -> Option<String> {
    let mut annotations = Vec::new();
    for mut node in file.named_children() {
        while matches!(node.kind(), "assignment" | "directly_assignable_expression") {
            node = node.named_child(0)?;
        }
        let known = annotations.len();
        while node.kind() == "annotated_expression" {
            let parts = node.named_children();
            annotations.extend(
                parts.filter(|part| part.kind() == "annotation").map(|part| part.byte_range()),
            );
            node = node.named_children().last()?;
        }
        let mut words = node.text().split_whitespace();
        let word = words.find(|word| !DECLARATION_MODIFIERS.contains(word));
        if !word.is_some_and(|word| DECLARATION_WORDS.contains(&word)) {
            annotations.truncate(known);
        }
    }
    if annotations.is_empty() {
        return None;
    }
    let mut plain = source.as_bytes().to_vec();
    for range in annotations {
        blank(&mut plain[range]);
    }
    String::from_utf8(plain).ok()
}

/// Rewrites all that makes errors.
pub(super) fn readable(source: &str) -> String {
    // The grammar doesn't know `fun interface`.
    let plain = source.replace("fun interface", "    interface");
    let plain = without_comments_of_annotations(&separated(&plain));
    let plain = without_names_of_backing_fields(&plain);
    let plain = with_plain_texts(&with_annotation_classes(&plain));
    with_names(&with_constructors(&ended(&plain)))
}

/// Puts semicolons in place of the blanks before closing braces on lines that open the body of a class: the grammar misses the
/// end of the last member before a brace on its line.
fn ended(source: &str) -> String {
    by_line(source, |line| {
        let is_head = |head: &str| head.split_whitespace().any(|word| CLASS_WORDS.contains(&word));
        let heads = line.rsplit_once('{').map_or("", |(heads, _)| heads);
        if !line.contains(" }") || !heads.split(['{', '}', ';']).any(is_head) {
            return None;
        }
        let (mut plain, mut last) = (String::with_capacity(line.len()), ' ');
        for (at, byte) in line.char_indices() {
            let is_end = byte == ' ' && line[at..].starts_with(" }");
            plain.push(if is_end && !"{;".contains(last) { ';' } else { byte });
            last = if byte == ' ' { last } else { byte };
        }
        Some(plain)
    })
}

/// Puts a semicolon in place of the blank before a first word such as `in2` or `in_`, which the grammar takes for `in`, and
/// blanks lines that declare context parameters.
fn separated(source: &str) -> String {
    by_line(source, |line| {
        let name = line.trim_start_matches([' ', '\t']);
        let blank = line.len() - name.len();
        let rest = name.strip_prefix("in");
        if name.starts_with("context(") && name.trim_end().ends_with(')') {
            return Some(blanked(line));
        }
        let takes_in =
            rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit() || c == '_'));
        (blank > 0 && takes_in).then(|| format!("{};{name}", &line[..blank - 1]))
    })
}

/// Blanks `field` where an explicit backing field stands below its property, so that its value is the property's: the grammar
/// loses the class around it.
fn without_names_of_backing_fields(source: &str) -> String {
    let mut is_below_property = false;
    by_line(source, |line| {
        let code = line.trim_start();
        let is_field = is_below_property && code.starts_with("field = ");
        let mut words = code.split_whitespace();
        let word = words.find(|word| !DECLARATION_MODIFIERS.contains(word));
        is_below_property = matches!(word, Some("val" | "var")) && !code.contains(['=', '{']);
        is_field.then(|| line.replacen("field", "     ", 1))
    })
}

/// Blanks line comments behind annotations: the accessor or declaration below would be read as no part of what is above.
fn without_comments_of_annotations(source: &str) -> String {
    let mut is_annotated = false;
    by_line(source, |line| {
        let code = line.trim_start();
        let begins = code.starts_with('@');
        is_annotated = begins || is_annotated && code.starts_with("//");
        let comment = match is_annotated {
            true if begins => line.rfind(" // "),
            true => Some(line.len() - code.len()),
            false => None,
        };
        let at = comment.filter(|at| line[..*at].matches('"').count() % 2 == 0)?;
        let end = line.trim_end_matches(['\r', '\n']).len();
        Some(replaced(line, at..end.max(at), ""))
    })
}

/// Replaces the dollars of texts such as `$$"…"`, where a single dollar has no meaning, by blanks and letters.
fn with_plain_texts(source: &str) -> String {
    if !source.contains("$$\"") {
        return source.to_owned();
    }
    let mut plain = source.as_bytes().to_vec();
    let mut at = 0;
    while let Some(found) = source[at..].find("$$\"").map(|found| at + found) {
        let start = found - source[..found].bytes().rev().take_while(|byte| *byte == b'$').count();
        let quote = found + 2;
        let quotes = if source[quote..].starts_with("\"\"\"") { 3 } else { 1 };
        let text = quote + quotes;
        at = text;
        // A text that ends with dollars opens none.
        let before = &source.as_bytes()[start.saturating_sub(MAX_HEAD)..start];
        let on_line = before.iter().rev().take_while(|byte| **byte != b'\n');
        if on_line.filter(|byte| **byte == b'"').count() % 2 == 1 {
            continue;
        }
        let needed = quote - start;
        plain[start..quote].fill(b' ');
        at = end_of_text(&mut plain, text, needed, quotes);
    }
    String::from_utf8(plain).unwrap_or_else(|_| source.to_owned())
}

/// Replaces the dollars of the text that starts at `at`, except the last of each run of at least `needed`. Returns where the
/// text ends, which `quotes` quotation marks are around, one or three.
fn end_of_text(plain: &mut [u8], mut at: usize, needed: usize, quotes: usize) -> usize {
    let is_raw = quotes == 3;
    while let Some(rest) = plain.get(at..).filter(|rest| !rest.is_empty()) {
        match rest {
            [b'"', b'"', b'"', ..] if is_raw => return at + 3,
            [b'"' | b'\n', ..] if !is_raw => return at + 1,
            [b'\\', _, ..] if !is_raw => at += 2,
            [b'$', ..] => {
                let dollars = rest.iter().take_while(|byte| **byte == b'$').count();
                let kept = usize::from(dollars >= needed);
                plain[at..at + dollars - kept].fill(b'_');
                at += dollars;
            }
            _ => at += 1,
        }
    }
    at
}

/// Gives each primary constructor below the head of its class one annotation and nothing else in front of it: the grammar takes
/// an annotation or `actual` at the start of a line for the start of a declaration, and a constructor inside of another class
/// for one of that class, unless `constructor` stands behind an annotation.
fn with_constructors(source: &str) -> String {
    let mut plain = source.as_bytes().to_vec();
    for (at, word) in source.match_indices("constructor") {
        if !source[at + word.len()..].trim_start().starts_with('(') {
            continue;
        }
        let Some(front) = ConstructorFront::of(source.as_bytes(), at) else { continue };
        if front.start == at {
            annotate(&mut plain[front.head..at]);
            continue;
        }
        let is_part = |c: char| c.is_alphanumeric() || "@_.:".contains(c);
        let word = front.start + source[front.start..at].find(|c| !is_part(c)).unwrap_or_default();
        let annotation = front.annotation.filter(|end| {
            let written = &source[front.start..*end];
            !written.contains(char::is_whitespace)
        });
        plain[front.start] = b'@';
        blank(&mut plain[annotation.unwrap_or(word)..at]);
    }
    String::from_utf8(plain).unwrap_or_else(|_| source.to_owned())
}

/// Puts an annotation in front of blanks and line ends, of which none is lost, if there is room.
fn annotate(gap: &mut [u8]) {
    const ANNOTATION: &[u8] = b"@_";
    let lines = gap.iter().filter(|byte| **byte == b'\n').count();
    if let Some((front, rest)) = gap.split_at_mut_checked(ANNOTATION.len())
        && rest.len() >= lines
    {
        front.copy_from_slice(ANNOTATION);
        rest.fill(b' ');
        rest[..lines].fill(b'\n');
    }
}

/// What stands between the head of a class and its primary constructor, on another line.
struct ConstructorFront {
    /// Where the head ends.
    head: usize,
    /// Where the annotations and modifiers start.
    start: usize,
    /// Where the first one ends, if it is an annotation.
    annotation: Option<usize>,
}

impl ConstructorFront {
    fn of(source: &[u8], constructor: usize) -> Option<Self> {
        let least = constructor.saturating_sub(MAX_HEAD);
        let (mut start, mut annotation) = (constructor, None);
        loop {
            let end = trimmed(source, start);
            let open = match source[..end].last() {
                Some(b')') => opening(source, end - 1, b'(', least)?,
                _ => end,
            };
            let word = word_before(source, open);
            if word > least && source[word - 1] == b'@' {
                (start, annotation) = (word - 1, Some(end));
            } else if open == end && MODIFIERS.contains(&&source[word..end]) {
                (start, annotation) = (word, None);
            } else {
                break;
            }
        }
        let head = trimmed(source, start);
        let end = match source[..head].last() {
            Some(b'>') => opening(source, head - 1, b'<', least)?,
            _ => head,
        };
        let name = word_before(source, trimmed(source, end));
        let before = trimmed(source, name);
        let is_class = &source[word_before(source, before)..before] == b"class";
        let is_below = source[head..start].contains(&b'\n');
        (is_class && is_below).then_some(Self { head, start, annotation })
    }
}

/// The end of what stands before blanks.
fn trimmed(source: &[u8], end: usize) -> usize {
    source[..end].trim_ascii_end().len()
}

/// Where the word starts that ends at `end`; names may have parts.
fn word_before(source: &[u8], end: usize) -> usize {
    let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_.:".contains(byte);
    end - source[..end].iter().rev().take_while(is_part).count()
}

/// Where the bracket stands that the one at `close` closes.
fn opening(source: &[u8], close: usize, open: u8, least: usize) -> Option<usize> {
    let closing = source[close];
    let mut depth = 0usize;
    for at in (least..=close).rev() {
        if source[at] == closing && source[..at].last() != Some(&b'-') {
            depth += 1;
        } else if source[at] == open {
            depth = depth.checked_sub(1)?;
        }
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// Replaces `suspend` where it is no modifier by a name that the grammar accepts, and blanks it before a function that is a
/// value.
fn with_names(source: &str) -> String {
    let mut plain = source.as_bytes().to_vec();
    for (at, word) in source.match_indices("suspend") {
        let (before, behind) = (&source[..at], &source[at + word.len()..]);
        let is_part = |c: char| c.is_alphanumeric() || "_`.@".contains(c);
        if before.ends_with(is_part)
            || behind.starts_with(|c: char| c.is_alphanumeric() || "_`".contains(c))
        {
            continue;
        }
        let next = behind.trim_start_matches(' ');
        let name = match next.as_bytes().first() {
            Some(b'{') if before.trim_end_matches(' ').ends_with(['=', '(', ',', ':']) => {
                b"       "
            }
            Some(b'{' | b'=' | b')' | b',' | b':' | b'.' | b'?' | b'!' | b';' | b'\n' | b'\r') => {
                b"suspen_"
            }
            Some(b'(') if behind.starts_with('(') && !is_function_type(next.as_bytes()) => {
                b"suspen_"
            }
            _ => continue,
        };
        plain[at..at + word.len()].copy_from_slice(name);
    }
    String::from_utf8(plain).unwrap_or_else(|_| source.to_owned())
}

/// Whether an arrow stands behind the parentheses that open at the start of a text.
fn is_function_type(text: &[u8]) -> bool {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate().take(MAX_HEAD) {
        match byte {
            b'(' => depth += 1,
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return text[at + 1..].trim_ascii_start().starts_with(b"->");
        }
    }
    false
}
