//! C text made parsable without a preprocessor: what a grammar can't know is blanked, byte for byte, so that places stay
//! the same.

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

use super::{
    declarator_macros::functions,
    specifier_macros::{MAX_CHAIN, is_word, macro_end, spaces, specifiers, word_end},
};

/// Bytes that are looked at, or blanked, for one operation of the budget.
const BYTES: u64 = 16;
/// Bytes of a macro's arguments, or of what stands between a type's name and its body.
pub(super) const MAX_ARGUMENTS: usize = 2000;

/// Spends the operations for reading the given number of bytes.
pub(super) fn spend(budget: &WorkBudget, bytes: usize) -> Result<(), WorkBudgetExhausted> {
    budget.spend(1 + bytes as u64 / BYTES)
}

/// Blanks the branches of conditionals that would unbalance braces, and macros that stand around declarations.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(crate) fn plain(
    source: &str,
    budget: &WorkBudget,
) -> Result<Option<String>, WorkBudgetExhausted> {
    let mut bytes = source.as_bytes().to_vec();
    conditionals(source, &mut bytes, budget)?;
    embedded(&mut bytes, budget)?;
    specifiers(&mut bytes, budget)?;
    attributes(&mut bytes, budget)?;
    Ok(String::from_utf8(bytes).ok().filter(|text| text != source))
}

/// Blanks what parses, but as something else: macros between a type's keyword and its name, as in `class API Name {`, and words
/// before a call, as in `emit changed(value);`.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(crate) fn misread(
    source: &str,
    budget: &WorkBudget,
) -> Result<Option<String>, WorkBudgetExhausted> {
    let mut bytes = source.as_bytes().to_vec();
    let mut found = emissions(source, &mut bytes) | functions(&mut bytes, budget)?;
    for keyword in ["class", "struct", "union"] {
        for (at, _) in source.match_indices(keyword) {
            spend(budget, keyword.len())?;
            // No part of a longer word.
            if at.checked_sub(1).is_some_and(|before| is_word(source.as_bytes()[before])) {
                continue;
            }
            let Some((from, end)) = macro_name(source.as_bytes(), at + keyword.len()) else {
                continue;
            };
            spend(budget, MAX_ARGUMENTS)?;
            if let Some((from, to)) = head_macro(source.as_bytes(), from, end, keyword) {
                blank(&mut bytes, from, to);
                found = true;
            }
        }
    }
    Ok(found.then(|| String::from_utf8(bytes).ok()).flatten())
}

/// Returns where the word behind the keyword that ends at `behind` stands, if it may name a macro.
fn macro_name(bytes: &[u8], behind: usize) -> Option<(usize, usize)> {
    let from = spaces(bytes, behind);
    let end = word_end(bytes, from);
    let is_macro = from > behind
        && end - from > 2
        && bytes[from].is_ascii_uppercase()
        && bytes[from..end].iter().all(|byte| is_macro_byte(*byte));
    is_macro.then_some((from, end))
}

/// Returns where the macro of that name stands with its arguments and with macros behind it, if a declaration follows.
fn head_macro(bytes: &[u8], from: usize, end: usize, keyword: &str) -> Option<(usize, usize)> {
    let mut to = macro_end(bytes, end);
    for _ in 0..MAX_CHAIN {
        if declares_type(bytes, to, keyword) {
            return Some((from, to));
        }
        to = macro_end(bytes, macro_name(bytes, to)?.1);
    }
    None
}

/// Whether the name and the body or bases of a type stand behind `to`.
fn declares_type(bytes: &[u8], to: usize, keyword: &str) -> bool {
    let name = attributes_end(bytes, spaces(bytes, to));
    let last = qualified_end(bytes, name);
    if name == to || last == name || bytes[name].is_ascii_digit() {
        return false;
    }
    let mut next = spaces(bytes, angle_end(bytes, spaces(bytes, last)));
    let near = &bytes[..bytes.len().min(next + MAX_ARGUMENTS)];
    while matches!(near.get(next..), Some([b'/', b'/' | b'*', ..])) {
        next = spaces(bytes, token_end(near, next));
    }
    match &bytes[next..] {
        [b':', b':', ..] => false,
        [b'{' | b':', ..] => true,
        // `struct NAME name;` is a variable.
        [b';', ..] => keyword == "class",
        rest => rest.starts_with(b"final"),
    }
}

/// The place behind attributes that start at `from`: `[[nodiscard]] [[deprecated]]`.
fn attributes_end(bytes: &[u8], from: usize) -> usize {
    let mut at = from;
    while bytes[at..].starts_with(b"[[") {
        let near = &bytes[at..bytes.len().min(at + MAX_ARGUMENTS)];
        let Some(length) = near.windows(2).position(|pair| pair == b"]]") else { break };
        at = spaces(bytes, at + length + 2);
    }
    at
}

/// The end of a name with what qualifies it: `Outer<T>::Inner`.
pub(super) fn qualified_end(bytes: &[u8], name: usize) -> usize {
    let mut last = word_end(bytes, name);
    loop {
        let next = angle_end(bytes, last);
        if !bytes[next..].starts_with(b"::") {
            return last;
        }
        last = word_end(bytes, next + 2);
    }
}

/// The byte behind the arguments of a template that start at `open`, or `open` where none do.
fn angle_end(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0i32;
    for (at, byte) in bytes.iter().enumerate().skip(open).take(MAX_ARGUMENTS) {
        match byte {
            b'<' => depth += 1,
            b'>' => depth -= 1,
            b';' | b'{' | b'}' => return open,
            _ => {}
        }
        if depth == 0 {
            return if at == open { open } else { at + 1 };
        }
    }
    open
}

/// One `#if` with its branches.
struct Group {
    /// Line ranges of the branches, and how many braces each leaves open.
    branches: Vec<(usize, usize, i32)>,
    start: usize,
    open: i32,
    directives: Vec<(usize, usize)>,
    never: bool,
}

impl Group {
    fn new(condition: &str, start: usize, end: usize) -> Self {
        // Of two platforms the one that isn't named is the common one.
        let elsewhere = ["_WIN32", "WIN32", "_MSC_VER", "__MINGW32__", "_WINDOWS", "__CYGWIN__"];
        let negated = condition.contains('!') || condition.starts_with("ndef");
        let never =
            condition == "0" || !negated && elsewhere.iter().any(|name| condition.contains(name));
        let directives = vec![(start, end)];
        Self { branches: Vec::new(), start: end, open: 0, directives, never }
    }

    /// Ends a branch at the directive on these bytes, where the next one begins.
    fn end_branch(&mut self, start: usize, end: usize) {
        self.branches.push((self.start, start, self.open));
        self.directives.push((start, end));
        (self.start, self.open) = (end, 0);
    }

    /// Blanks all branches but one if they leave braces open; returns how many that one leaves open.
    fn blank_unbalanced(
        &self,
        bytes: &mut [u8],
        budget: &WorkBudget,
    ) -> Result<i32, WorkBudgetExhausted> {
        let kept = usize::from(self.never && self.branches.len() > 1);
        let left = self.branches.get(kept).map_or(0, |branch| branch.2);
        if self.branches.iter().all(|branch| branch.2 == 0) {
            return Ok(left);
        }
        if let (Some(first), Some(last)) = (self.branches.first(), self.branches.last()) {
            spend(budget, last.1 - first.0)?;
        }
        for (place, (from, to, _)) in self.branches.iter().enumerate() {
            if place != kept {
                blank(bytes, *from, *to);
            }
        }
        for (from, to) in &self.directives {
            blank(bytes, *from, *to);
        }
        Ok(left)
    }
}

fn conditionals(
    source: &str,
    bytes: &mut [u8],
    budget: &WorkBudget,
) -> Result<(), WorkBudgetExhausted> {
    let mut groups: Vec<Group> = Vec::new();
    let mut at = 0;
    let mut comment = false;
    for line in source.split_inclusive('\n') {
        spend(budget, line.len())?;
        let (start, end) = (at, at + line.len());
        at += line.len();
        let text = line.trim_start();
        let directive = if comment { None } else { text.strip_prefix('#').map(str::trim_start) };
        match directive {
            Some(word) if word.starts_with("if") => {
                let condition = word.strip_prefix("if").unwrap_or_default().trim();
                groups.push(Group::new(condition, start, end));
            }
            Some(word) if word.starts_with("el") => {
                if let Some(group) = groups.last_mut() {
                    group.end_branch(start, end);
                }
            }
            Some(word) if word.starts_with("endif") => {
                let Some(mut group) = groups.pop() else { continue };
                group.end_branch(start, end);
                let left = group.blank_unbalanced(bytes, budget)?;
                if let Some(outer) = groups.last_mut() {
                    outer.open += left;
                }
            }
            Some(_) => {}
            None => {
                let open = braces(line, &mut comment);
                if let Some(group) = groups.last_mut() {
                    group.open += open;
                }
            }
        }
    }
    Ok(())
}

/// Where a directive stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DirectivePlace {
    /// Among statements or declarations.
    Between,
    /// Inside an expression, an initializer or a head of a declaration.
    Inside,
}

/// A conditional that is open.
struct OpenConditional {
    /// The brackets that were open at its start.
    outer: Vec<u8>,
    /// Whether it began inside an expression, an initializer or a head of a declaration.
    is_inside: bool,
    /// Whether its branch is left out.
    is_left_out: bool,
}

/// The conditionals that are open.
#[derive(Default)]
struct OpenConditionals {
    groups: Vec<OpenConditional>,
    /// How many of them are in a branch that is left out.
    left_out: usize,
}

impl OpenConditionals {
    /// Takes a directive over; `open` are the brackets that are open. Returns whether the grammar can't read it there.
    fn directive(
        &mut self,
        word: &[u8],
        place: DirectivePlace,
        open: &mut Vec<u8>,
        budget: &WorkBudget,
    ) -> Result<bool, WorkBudgetExhausted> {
        let is_inside = place == DirectivePlace::Inside;
        match word {
            b"if" | b"ifdef" | b"ifndef" => {
                budget.allocate(open.len() as u64)?;
                let outer = open.clone();
                self.groups.push(OpenConditional { outer, is_inside, is_left_out: false });
            }
            b"else" | b"elif" => {
                if let Some(group) = self.groups.last_mut() {
                    spend(budget, group.outer.len())?;
                    open.clone_from(&group.outer);
                    let is_inside = is_inside || group.is_inside;
                    self.left_out += usize::from(is_inside);
                    self.left_out -=
                        usize::from(std::mem::replace(&mut group.is_left_out, is_inside));
                    return Ok(is_inside);
                }
            }
            b"endif" => {
                if let Some(group) = self.groups.pop() {
                    self.left_out -= usize::from(group.is_left_out);
                    return Ok(is_inside || group.is_inside);
                }
            }
            _ => {}
        }
        Ok(is_inside)
    }
}

/// Whether the innermost of the open brackets is a parenthesis or that of an initializer.
fn is_expression(open: &[u8]) -> bool {
    matches!(open.last(), Some(b'(' | b'='))
}

/// Blanks directives inside parentheses and all kinds of initializers, where the grammar has none, and all but the
/// first branch of their conditionals.
fn embedded(bytes: &mut [u8], budget: &WorkBudget) -> Result<(), WorkBudgetExhausted> {
    // What is open: an initializer's brace, or another bracket.
    let mut open: Vec<u8> = Vec::new();
    let mut conditionals = OpenConditionals::default();
    let (mut at, mut before, mut line_start) = (0, b' ', true);
    // Behind the last byte of code.
    let mut last = 0;
    // Between a constructor's parameters and its body.
    let mut initializes = false;
    while at < bytes.len() {
        let byte = bytes[at];
        if line_start && byte == b'#' {
            let end = directive_end(bytes, at);
            spend(budget, end - at)?;
            let is_inside = is_expression(&open) || initializes || is_open_ended(bytes, last, end);
            let place = if is_inside { DirectivePlace::Inside } else { DirectivePlace::Between };
            if bytes[at + 1..end].trim_ascii_start().starts_with(b"define") {
                blank_comments(&mut bytes[at..end]);
            }
            let word = bytes[at + 1..end].trim_ascii_start();
            let length = word.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
            if conditionals.directive(&word[..length], place, &mut open, budget)? {
                blank(bytes, at, end);
            }
            at = end;
            continue;
        }
        line_start = byte == b'\n' || line_start && byte.is_ascii_whitespace();
        let end = token_end(bytes, at);
        spend(budget, end - at)?;
        if conditionals.left_out > 0 {
            blank(bytes, at, end);
        } else {
            initializes = match byte {
                b':' => initializes || before == b')',
                b'{' => initializes && !matches!(before, b')' | b'}'),
                b';' => false,
                _ => initializes,
            };
            match byte {
                b'(' | b'[' => open.push(b'('),
                b'{' if before == b'=' || open.last() == Some(&b'=') => open.push(b'='),
                b'{' => open.push(b'{'),
                b')' | b']' | b'}' => {
                    open.pop();
                }
                _ => {}
            }
        }
        let is_code = !byte.is_ascii_whitespace() && comment_end(bytes, at).is_none();
        if is_code && conditionals.left_out == 0 {
            (before, last) = (byte, end);
        }
        at = end;
    }
    Ok(())
}

/// Blanks comments in all but the last line of a macro: the grammar ends the macro at a comment.
fn blank_comments(definition: &mut [u8]) {
    let last_line = definition.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
    let mut at = 0;
    while at < last_line {
        let end = token_end(definition, at);
        if definition[at..end].starts_with(b"/*") {
            for byte in definition[at..end].iter_mut().filter(|byte| !b"\\\r\n".contains(byte)) {
                *byte = b' ';
            }
        }
        at = end;
    }
}

/// Bytes at the end of code that tell whether it goes on: the longest word, and the byte in front of it.
const MAX_END: usize = "return".len() + 1;

/// Whether code that ends at `last` goes on behind a directive that ends at `end`: with the rest of an expression, the name of a
/// type, or what a constructor initialises.
fn is_open_ended(bytes: &[u8], last: usize, end: usize) -> bool {
    // A word may be as long as the file, and any number of directives may stand behind it.
    let code = &bytes[last.saturating_sub(MAX_END)..last];
    let word = &code[code.iter().rposition(|byte| !is_word(*byte)).map_or(0, |at| at + 1)..];
    matches!(word, b"return" | b"class" | b"struct")
        || [&b"&&"[..], b"||", b"="].iter().any(|operator| code.ends_with(operator))
        || code.ends_with(b")")
            && matches!(bytes[spaces(bytes, end)..], [b':', next, ..] if next != b':')
}

/// The end of the line that a directive starts on, or of the last one that it goes on to.
pub(super) fn directive_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while at < bytes.len() && bytes[at] != b'\n' {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    at.min(bytes.len())
}

/// The end of a comment, a string or a single byte.
pub(super) fn token_end(bytes: &[u8], start: usize) -> usize {
    let rest = &bytes[start..];
    let length = match rest {
        [b'/', b'/', ..] => rest.iter().position(|byte| *byte == b'\n'),
        [b'/', b'*', ..] => rest.windows(2).skip(2).position(|two| two == b"*/").map(|at| at + 4),
        [quote @ (b'"' | b'\''), ..] => {
            let mut at = 1;
            while at < rest.len() && rest[at] != *quote && rest[at] != b'\n' {
                at += if rest[at] == b'\\' { 2 } else { 1 };
            }
            Some(at + 1)
        }
        _ => Some(1),
    };
    length.map_or(bytes.len(), |length| (start + length).min(bytes.len()))
}

/// Braces that a line opens and doesn't close.
fn braces(line: &str, comment: &mut bool) -> i32 {
    let mut open = 0;
    let mut quote: Option<u8> = None;
    let bytes = line.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let (byte, next) = (bytes[at], bytes.get(at + 1).copied());
        at += 1;
        if *comment {
            if byte == b'*' && next == Some(b'/') {
                *comment = false;
                at += 1;
            }
            continue;
        }
        match (quote, byte) {
            (Some(_), b'\\') => at += 1,
            (Some(mark), byte) if mark == byte => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'/') if next == Some(b'/') => return open,
            (None, b'/') if next == Some(b'*') => *comment = true,
            (None, b'{') => open += 1,
            (None, b'}') => open -= 1,
            _ => {}
        }
    }
    open
}

pub(super) fn blank(bytes: &mut [u8], from: usize, to: usize) {
    for byte in &mut bytes[from..to] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

pub(super) fn is_macro_byte(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_'
}

/// Blanks words before a call that expand to nothing, such as `emit`; returns whether there were any.
fn emissions(source: &str, bytes: &mut [u8]) -> bool {
    let mut found = false;
    for word in ["emit ", "Q_EMIT "] {
        for (at, _) in source.match_indices(word) {
            let before = source[..at].trim_end().bytes().next_back();
            let starts = before.is_none_or(|byte| matches!(byte, b';' | b'{' | b'}' | b')' | b':'));
            let rest = source[at + word.len()..].trim_start();
            let name = rest
                .find(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '-' | '>' | '.' | ':'));
            if starts && name.is_some_and(|end| end > 0 && rest[end..].starts_with('(')) {
                blank(bytes, at, at + word.len());
                found = true;
            }
        }
    }
    found
}

/// Blanks `) NAME(…);`, `) NAME(…) :`, `) const NAME {` and `NAME type name(` at the start of a line, where NAME is in capitals.
fn attributes(bytes: &mut [u8], budget: &WorkBudget) -> Result<(), WorkBudgetExhausted> {
    let mut at = 0;
    let mut line_start = true;
    let (mut closed, mut close) = (false, 0);
    let mut indented = true;
    while at < bytes.len() {
        let byte = bytes[at];
        let directive = (indented && byte == b'#').then(|| directive_end(bytes, at));
        if let Some(end) = directive.or_else(|| comment_end(bytes, at)) {
            spend(budget, end - at)?;
            at = end;
            continue;
        }
        if indented && let Some(end) = told_macro(bytes, at) {
            blank(bytes, at, end);
        }
        indented = byte == b'\n' || indented && byte.is_ascii_whitespace();
        let word = is_macro_byte(byte) && !byte.is_ascii_digit();
        if (closed || line_start) && word {
            let mut end = at;
            while bytes.get(end).copied().is_some_and(is_macro_byte) {
                end += 1;
            }
            let whole = !bytes.get(end).is_some_and(|b| b.is_ascii_alphanumeric());
            let after = if bytes.get(end) == Some(&b'(') {
                spend(budget, MAX_ARGUMENTS)?;
                closing(bytes, end)
            } else {
                end
            };
            let mut next = after;
            while bytes.get(next).is_some_and(|b| b.is_ascii_whitespace()) {
                next += 1;
            }
            let follows = bytes.get(next).copied().unwrap_or(b' ');
            let typed =
                follows.is_ascii_lowercase() && end == after && bytes.get(end) == Some(&b' ');
            let may_end = closed && ends_head(&bytes[next..], &bytes[end..after]);
            let is_named = whole && end - at > 2;
            if is_named && (!closed && typed || may_end && !is_placement(bytes, close, budget)?) {
                blank(bytes, at, after);
            }
            (closed, line_start) = (false, false);
            at = after.max(end);
            continue;
        }
        if let Some(qualifier) = closed.then(|| qualifier(&bytes[at..])).flatten() {
            at += qualifier;
            continue;
        }
        line_start = byte == b'\n';
        if byte == b')' {
            (closed, close) = (true, at);
        } else if !byte.is_ascii_whitespace() {
            closed = false;
        }
        at += 1;
    }
    Ok(())
}

/// Whether what stands behind a macro with these arguments may stand behind a function's parameters.
fn ends_head(rest: &[u8], arguments: &[u8]) -> bool {
    match rest {
        [b';' | b'{', ..] => true,
        // What a constructor initialises.
        [b':', next, ..] => !arguments.is_empty() && *next != b':',
        _ => false,
    }
}

/// The end of a comment that starts here.
pub(super) fn comment_end(bytes: &[u8], at: usize) -> Option<usize> {
    matches!(&bytes[at..], [b'/', b'/' | b'*', ..]).then(|| token_end(bytes, at))
}

/// Whether the parenthesis that closes at `close` is that of `new (place)`.
fn is_placement(
    bytes: &[u8],
    close: usize,
    budget: &WorkBudget,
) -> Result<bool, WorkBudgetExhausted> {
    let mut depth = 0i32;
    let first = close.saturating_sub(MAX_ARGUMENTS);
    for at in (first..=close).rev() {
        match bytes[at] {
            b')' => depth += 1,
            b'(' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            spend(budget, close - at)?;
            return Ok(bytes[..at].trim_ascii_end().ends_with(b"new"));
        }
    }
    spend(budget, close - first)?;
    Ok(false)
}

/// The end of `NAME("text")` in front of a declaration.
fn told_macro(bytes: &[u8], at: usize) -> Option<usize> {
    let name = bytes[at..].iter().take_while(|byte| is_macro_byte(**byte)).count();
    let open = at + name;
    if name < 3 || bytes.get(open) != Some(&b'(') || bytes.get(open + 1) != Some(&b'"') {
        return None;
    }
    let end = token_end(bytes, open + 1);
    let next = bytes.get(end + 1..)?.iter().find(|byte| !byte.is_ascii_whitespace())?;
    (bytes.get(end) == Some(&b')') && (next.is_ascii_alphabetic() || *next == b'_'))
        .then_some(end + 1)
}

/// Returns how long the word is that a text begins with, if it may stand between a function's parameters and its body.
fn qualifier(text: &[u8]) -> Option<usize> {
    let word = [&b"const"[..], b"noexcept", b"override", b"final"]
        .into_iter()
        .find(|word| text.starts_with(word))?
        .len();
    let ends = !text.get(word).is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    ends.then_some(word)
}

/// The byte behind the parenthesis that closes the one at `open`, or `open` if it is too far away.
pub(super) fn closing(bytes: &[u8], open: usize) -> usize {
    let mut depth = 0i32;
    for (at, byte) in bytes.iter().enumerate().skip(open).take(MAX_ARGUMENTS) {
        match byte {
            b'(' => depth += 1,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
    }
    open
}
