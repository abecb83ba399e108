//! Macros that are given the type and the name of a function: `NAME(int, Type::f)(int n) { … }` and `NAME(int, f, int n);`. Both
//! are written as the functions that they declare.

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

use super::{
    preprocessor_blanking::{
        MAX_ARGUMENTS, blank, closing, comment_end, qualified_end, spend, token_end,
    },
    specifier_macros::{code, directive, is_macro, is_name, is_word, word_end},
};

/// Words between the parameters of a function and its body.
const QUALIFIERS: [&[u8]; 4] = [b"const", b"final", b"noexcept", b"override"];
/// Arguments of a macro that are read.
const MAX_PARTS: usize = 40;

/// What holds declarations in its braces.
const SCOPES: [&[u8]; 5] = [b"class", b"extern", b"namespace", b"struct", b"union"];

/// Writes all such macros that begin a declaration outside of functions. Returns whether there are any.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(super) fn functions(
    bytes: &mut [u8],
    budget: &WorkBudget,
) -> Result<bool, WorkBudgetExhausted> {
    spend(budget, bytes.len())?;
    if !bytes.split(|byte| *byte == b'\n').any(begins_with_macro) {
        return Ok(false);
    }
    // Of each brace around: whether it holds declarations.
    let (mut scopes, mut found) = (Vec::new(), false);
    // Where the current declaration starts, and whether nothing of it has been read.
    let (mut head, mut begins) = (0, true);
    let (mut at, mut line_start) = (0, true);
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            line_start |= byte == b'\n';
            at += 1;
            continue;
        }
        let skipped = if line_start { directive(bytes, at) } else { None };
        if let Some(end) = skipped.or_else(|| comment_end(bytes, at)) {
            spend(budget, end - at)?;
            head = if begins { end } else { head };
            at = end;
            continue;
        }
        line_start = false;
        let end = if is_word(byte) { word_end(bytes, at) } else { token_end(bytes, at) };
        spend(budget, end - at)?;
        let is_outside = scopes.last().is_none_or(|holds: &bool| *holds);
        let is_call = is_macro(&bytes[at..end]) && bytes.get(end) == Some(&b'(');
        if is_call && is_outside && begins {
            spend(budget, 2 * MAX_ARGUMENTS)?;
            if let Some(arguments) = write_function(bytes, at, end) {
                (at, begins, found) = (arguments, false, true);
                continue;
            }
        }
        match byte {
            b'{' => {
                budget.allocate(1)?;
                spend(budget, at - head)?;
                scopes.push(is_outside && holds_declarations(&bytes[head..at]));
            }
            b'}' => drop(scopes.pop()),
            _ => {}
        }
        let is_label =
            byte == b':' && bytes.get(end) != Some(&b':') && !bytes[..at].ends_with(b":");
        begins = matches!(byte, b'{' | b'}' | b';') || is_label;
        head = if matches!(byte, b'{' | b'}' | b';') { end } else { head };
        at = end;
    }
    Ok(found)
}

/// Whether a macro with arguments is the first in a line.
fn begins_with_macro(line: &[u8]) -> bool {
    let line = line.trim_ascii_start();
    let end = word_end(line, 0);
    is_macro(&line[..end]) && line.get(end) == Some(&b'(')
}

/// Whether what stands before a brace is the head of a type or a namespace.
fn holds_declarations(head: &[u8]) -> bool {
    let mut words = head.split(|byte| !is_word(*byte));
    let is_value = head.trim_ascii_end().last().is_some_and(|byte| b"=,".contains(byte));
    !is_value && !head.contains(&b'(') && words.any(|word| SCOPES.contains(&word))
}

/// Writes the macro from `at` to `end` as the function that it declares. Returns where its arguments begin.
fn write_function(bytes: &mut [u8], at: usize, end: usize) -> Option<usize> {
    let close = closing(bytes, end).checked_sub(1).filter(|close| *close > end)?;
    let mut list = bytes[end + 1..close].to_vec();
    blank_comments(&mut list);
    let commas = commas(&list);
    let (first, last) = (*commas.first()?, *commas.last()?);
    if !is_type(&list[..first]) {
        return None;
    }
    if first == last {
        if !is_member(&list[first + 1..]) || !is_definition(bytes, close) {
            return None;
        }
        blank(bytes, close, close + 1);
    } else {
        let ends = commas[2..].iter().copied().chain([list.len()]);
        let mut parts = commas[1..].iter().zip(ends).map(|(from, to)| &list[from + 1..to]);
        let is_declared = is_whole_word(list[first + 1..commas[1]].trim_ascii())
            && parts.all(is_parameter)
            && bytes.get(code(bytes, close + 1)) == Some(&b';');
        if !is_declared {
            return None;
        }
        bytes[end + 1 + commas[1]] = b'(';
    }
    blank(bytes, at, end + 1);
    blank(bytes, end + 1 + first, end + 2 + first);
    Some(end + 1)
}

/// Blanks the comments among arguments.
fn blank_comments(list: &mut [u8]) {
    let mut at = 0;
    while at < list.len() {
        let end = comment_end(list, at);
        if let Some(end) = end {
            blank(list, at, end.min(list.len()));
        }
        at = end.unwrap_or(at + 1);
    }
}

/// The commas between arguments, outside of brackets; none if there are too many.
fn commas(list: &[u8]) -> Vec<usize> {
    let (mut found, mut depth) = (Vec::new(), 0i32);
    for (at, byte) in list.iter().enumerate() {
        match byte {
            b'(' | b'[' | b'{' | b'<' => depth += 1,
            b')' | b']' | b'}' | b'>' => depth -= 1,
            b',' if depth == 0 => found.push(at),
            // Neither stands among parameters.
            b'"' | b';' => return Vec::new(),
            _ => {}
        }
    }
    if found.len() > MAX_PARTS { Vec::new() } else { found }
}

/// Whether a text is the name of a member of a type.
fn is_member(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let is_path = text.windows(2).any(|pair| pair == b"::");
    is_path && is_name(text) && qualified_end(text, 0) == text.len()
}

/// Whether the parameters and the body of a function stand behind the parenthesis at `close`.
fn is_definition(bytes: &[u8], close: usize) -> bool {
    let open = code(bytes, close + 1);
    if bytes.get(open) != Some(&b'(') {
        return false;
    }
    let end = closing(bytes, open);
    let mut next = code(bytes, end);
    for _ in 0..QUALIFIERS.len() {
        let last = word_end(bytes, next);
        if QUALIFIERS.contains(&&bytes[next..last]) {
            next = code(bytes, last);
        }
    }
    end > open && bytes.get(next) == Some(&b'{')
}

/// Whether a text can be a type.
fn is_type(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    !text.is_empty()
        && !text[0].is_ascii_digit()
        && is_word(text[0])
        && text
            .iter()
            .all(|byte| is_word(*byte) || byte.is_ascii_whitespace() || b":<>,*&".contains(byte))
}

fn is_whole_word(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(|byte| is_word(*byte)) && is_name(text) && !is_macro(text)
}

/// Whether a text is a parameter, with its type and its name or a reference or pointer without one, and no value.
fn is_parameter(text: &[u8]) -> bool {
    let declared = text.split(|byte| *byte == b'=').next().unwrap_or_default().trim_ascii();
    let behind = declared.iter().rev().take_while(|byte| is_word(**byte)).count();
    let (ty, name) = declared.split_at(declared.len() - behind);
    let is_apart = ty
        .last()
        .is_some_and(|byte| byte.is_ascii_whitespace() || matches!(byte, b'*' | b'&' | b'>'));
    is_type(ty) && is_apart && (name.is_empty() || is_name(name))
}
