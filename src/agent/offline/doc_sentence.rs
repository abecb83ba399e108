//! The first sentence of the documentation of a declaration, as far as it was delivered.

use retriever_report::evidence_ledger::FileEvidence;
use retriever_search::is_comment_line;
use retriever_workspace::LineRange;

/// Most lines above a declaration that are searched for its comment.
pub(super) const MAX_LINES_ABOVE: u32 = 24;
/// Lines of a declaration within which its documentation string begins.
const MAX_LINES_OF_HEAD: u32 = 12;
/// Longest sentence, in bytes: the validator takes a longer quotation for source code.
const MAX_BYTES: usize = 104;
/// Least number of words.
const MIN_WORDS: usize = 3;
/// Characters that begin, continue and end comments.
const MARKERS: &[char] = &['/', '*', '#', '-', '!', ';', '%', '<', '{', '"', '\'', '|', ' ', '\t'];
/// Delimiters of documentation strings.
const QUOTES: [&str; 2] = ["\"\"\"", "'''"];
/// First words of comments that do not describe the code, in any case.
const NOTES: [&str; 7] = ["todo", "fixme", "xxx", "hack", "note", "nolint", "noqa"];
/// First words of sentences that make a statement; a verb in the third person also does: `Returns the …`.
const STATING: &[&str] = &["a", "an", "how", "the", "what", "when", "where", "whether", "which"];
/// Words of sentences that address the reader. A planner would take those for instructions.
const ADDRESSING: &[&str] = &[
    "agent",
    "always",
    "assistant",
    "do",
    "don",
    "ignore",
    "instruction",
    "instructions",
    "model",
    "must",
    "never",
    "please",
    "prompt",
    "should",
    "you",
    "your",
    "yours",
];

/// Returns the first sentence of the documentation of the declaration on these lines of `file`: the comment directly
/// above it, else the string below its head. Returns `None` unless the documentation was delivered from its start, and
/// states what `name` is or does.
pub(super) fn doc_sentence(file: &FileEvidence, declared: LineRange, name: &str) -> Option<String> {
    let extension = file.version.path.extension();
    comment_above(file, declared.start(), extension)
        .or_else(|| string_below(file, declared))
        .and_then(|text| sentence(&text))
        .filter(|sentence| is_statement(sentence, name))
        .map(|sentence| shortened(&sentence))
}

fn comment_above(file: &FileEvidence, line: u32, extension: &str) -> Option<String> {
    let above = LineRange::new(line.saturating_sub(MAX_LINES_ABOVE).max(1), line.checked_sub(1)?)?;
    let lines: Vec<(u32, &str)> = file.lines_in(above).collect();
    let mut comment: Vec<&str> = Vec::new();
    let mut next = line;
    for (number, text) in lines.iter().rev() {
        let start = text.trim_start();
        let is_attribute = start.starts_with("#[") || start.starts_with('@');
        if number + 1 != next || !(is_attribute || is_comment_line(extension, text)) {
            next = 0;
            break;
        }
        next = *number;
        if !is_attribute {
            comment.push(start);
        }
    }
    // A comment that starts above the delivered lines lacks its start.
    let is_whole = next == 0 || next == 1;
    comment.reverse();
    (is_whole && !comment.is_empty()).then(|| joined(comment.into_iter()))
}

fn string_below(file: &FileEvidence, declared: LineRange) -> Option<String> {
    let last = declared.end().min(declared.start().saturating_add(MAX_LINES_OF_HEAD));
    let head = LineRange::new(declared.start().checked_add(1)?, last)?;
    let mut lines = file.lines_in(head).map(|(_, text)| text.trim());
    let first = lines.find(|text| {
        let text = text.trim_start_matches(['r', 'b', 'u', 'R']);
        QUOTES.iter().any(|quotes| text.starts_with(quotes))
    })?;
    let quotes = QUOTES.iter().find(|quotes| first.contains(*quotes))?;
    let (_, opened) = first.split_once(quotes)?;
    let mut text = opened.to_owned();
    for line in lines {
        if text.contains(quotes) {
            break;
        }
        text.push('\n');
        text.push_str(line);
    }
    Some(joined(text.split(quotes).next()?.lines()))
}

/// Joins the lines of the first paragraph, without comment markers.
fn joined<'a>(lines: impl Iterator<Item = &'a str>) -> String {
    let words = |line: &'a str| {
        line.trim().trim_start_matches(MARKERS).trim_end_matches(['*', '/', '"']).trim()
    };
    let lines = lines.map(words).skip_while(|line| line.is_empty());
    lines.take_while(|line| !line.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Returns the first sentence of a documentation without its markup, if it is prose.
fn sentence(text: &str) -> Option<String> {
    let is_markup = |c: char| "`\"[]{}<>\u{201c}\u{201d}".contains(c);
    let plain: String = text.chars().filter(|c| !is_markup(*c) && !c.is_control()).collect();
    let plain = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    let end = plain.find(". ").unwrap_or(plain.len());
    let first = plain[..end].trim_end_matches(['.', ':', ';', ',']).replace(';', ",");
    let first_word = first.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    let is_note = NOTES.iter().any(|note| first_word.eq_ignore_ascii_case(note));
    let is_code = first.contains(['=', '(']) && first.split_whitespace().count() < 2 * MIN_WORDS;
    let is_prose = first.split_whitespace().filter(|word| word.len() > 1).count() >= MIN_WORDS
        && first.starts_with(char::is_alphabetic);
    // A list of markup without the marks has gaps.
    let has_markup = ["@", " :", "(,", ", ,"].iter().any(|mark| first.contains(mark));
    let is_plain = is_prose && !is_note && !is_code && !has_markup;
    is_plain.then_some(first)
}

/// Whether a sentence describes the code, and is not an instruction.
fn is_statement(sentence: &str, name: &str) -> bool {
    let words: Vec<String> =
        sentence.split(|c: char| !c.is_alphanumeric() && c != '_').map(str::to_lowercase).collect();
    let states = |word: &str| STATING.contains(&word) || (word.len() > 3 && word.ends_with('s'));
    let first = words.first().is_some_and(|word| states(word) || *word == name.to_lowercase());
    first && !words.iter().any(|word| ADDRESSING.contains(&word.as_str()))
}

/// Truncates a long sentence after a word.
fn shortened(sentence: &str) -> String {
    if sentence.len() <= MAX_BYTES {
        return sentence.to_owned();
    }
    let ends = sentence.match_indices(' ').map(|(end, _)| end);
    let end = ends.take_while(|end| *end <= MAX_BYTES).last().unwrap_or(0);
    format!("{} …", &sentence[..end])
}
