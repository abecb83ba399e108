//! Macros in the place of specifiers and template parameters, which the grammar takes for types: they are blanked, so that
//! the declaration behind them is read.

use std::collections::HashSet;

use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

use super::preprocessor_blanking::{
    MAX_ARGUMENTS, blank, closing, comment_end, directive_end, is_macro_byte, qualified_end, spend,
    token_end,
};

/// What may stand before such a macro.
const SPECIFIERS: [&[u8]; 7] =
    [b"constexpr", b"explicit", b"extern", b"friend", b"inline", b"static", b"virtual"];
/// Words that convert what stands in parentheses behind them.
const SIZES: [&[u8]; 4] = [b"long", b"short", b"signed", b"unsigned"];
/// What stands behind one, or behind one with arguments, and never behind the name of a type.
const HEADS: [&[u8]; 23] = [
    b"auto",
    b"bool",
    b"char",
    b"class",
    b"constexpr",
    b"double",
    b"enum",
    b"explicit",
    b"extern",
    b"float",
    b"friend",
    b"inline",
    b"int",
    b"long",
    b"namespace",
    b"short",
    b"static",
    b"struct",
    b"template",
    b"typedef",
    b"using",
    b"virtual",
    b"void",
];

/// Stands between a name and its value, too.
const ATTRIBUTE: &[u8] = b"__attribute__";
/// What declares types with members.
const TYPES: [&[u8]; 3] = [b"class", b"struct", b"union"];
/// What the members of a class begin with.
const ACCESS: [&[u8]; 3] = [b"private", b"protected", b"public"];
/// Types of numbers that are words of the language.
const NUMBERS: [&[u8]; 9] =
    [b"bool", b"char", b"double", b"float", b"int", b"long", b"short", b"signed", b"unsigned"];
/// What the other types of numbers that the grammar knows begin with; they end with `_t`.
const SIZED: [&[u8]; 6] = [b"char", b"int", b"ptrdiff", b"size", b"ssize", b"uint"];
/// Words that are no name of something declared and no whole type.
const NO_NAMES: [&[u8]; 31] = [
    b"case",
    b"class",
    b"const",
    b"constexpr",
    b"delete",
    b"else",
    b"enum",
    b"explicit",
    b"extern",
    b"friend",
    b"goto",
    b"inline",
    b"mutable",
    b"namespace",
    b"new",
    b"operator",
    b"register",
    b"return",
    b"signed",
    b"sizeof",
    b"static",
    b"struct",
    b"thread_local",
    b"throw",
    b"typedef",
    b"typename",
    b"union",
    b"unsigned",
    b"using",
    b"virtual",
    b"volatile",
];
/// What the operators consist of that a macro is given.
const OPERATORS: &[u8] = b"!%&*+-/<=>^|~";
/// Other words that are no name and no attribute.
const NO_ATTRIBUTES: [&[u8]; 9] =
    [b"and", b"co_await", b"not", b"or", b"override", b"final", b"noexcept", b"this", b"xor"];
/// Macros one behind the other that are looked through.
pub(super) const MAX_CHAIN: usize = 8;

/// Blanks macros in capitals: `NAME` and `NAME(…)` at the beginning of declarations and behind the names of parameters, and
/// `NAME(…)` behind the names of members and variables. `NAME(…)` among the parameters of a template becomes `int`.
///
/// # Errors
///
/// [`WorkBudgetExhausted`] when the budget ends.
pub(super) fn specifiers(bytes: &mut [u8], budget: &WorkBudget) -> Result<(), WorkBudgetExhausted> {
    let classes = class_names(bytes);
    // Of each brace around: whether it stands in a function's body or holds values.
    let (mut at, mut braces) = (0, Vec::new());
    let mut line_start = true;
    let mut place = Place { before: b';', begins: true, ..Place::default() };
    while at < bytes.len() {
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            line_start |= byte == b'\n';
            at += 1;
            continue;
        }
        let directive = if line_start { directive(bytes, at) } else { None };
        if let Some(end) = directive.or_else(|| comment_end(bytes, at)) {
            spend(budget, end - at)?;
            at = end;
            continue;
        }
        line_start = false;
        let end = if is_word(byte) { word_end(bytes, at) } else { token_end(bytes, at) };
        let is_call = is_capital(&bytes[at..end]) && bytes.get(end) == Some(&b'(');
        let word = &bytes[at..end];
        let looks_ahead = is_call || word == ATTRIBUTE || place.is_type && is_macro(word);
        spend(budget, end - at + if looks_ahead { MAX_ARGUMENTS } else { 0 })?;
        if is_call && let Some(close) = wrapped_declaration(bytes, at, end, place) {
            blank(bytes, at, end + 1);
            blank(bytes, close, close + 1);
            at = end + 1;
            continue;
        }
        overwrite_pointer_type_with_int(bytes, at, end);
        if is_template_parameter(bytes, at, end, place) {
            overwrite_with_int(bytes, at, macro_end(bytes, end));
        } else if let Some(to) = unread_end(bytes, at, end, place, &classes) {
            blank(bytes, at, to);
            at = to;
            continue;
        }
        if is_call && place.begins {
            name_types(bytes, end);
            put_semicolon_before(bytes, at, end);
        }
        overwrite_called_number_with_int(bytes, at, end);
        blank_throw_arguments_and_packs(bytes, at, end, place);
        blank_member_pointer_class(bytes, at, end, place);
        if byte == b'{' {
            budget.allocate(1)?;
            let holds_values = matches!(place.before, b')' | b'=' | b',' | b'(');
            braces.push(holds_values || in_body(&braces));
        } else if byte == b'}' {
            braces.pop();
        }
        place = Place { in_body: in_body(&braces), ..place.behind(bytes, at, end) };
        at = end;
    }
    Ok(())
}

/// Where a word stands.
#[derive(Clone, Copy, Default)]
struct Place {
    /// The last byte before it that is no space.
    before: u8,
    /// Whether a declaration may begin with it.
    begins: bool,
    in_body: bool,
    in_template: bool,
    /// Whether it stands between one of [`TYPES`] and the type's body.
    is_head: bool,
    /// Whether it is the first in a type's body.
    opens_type: bool,
    /// Whether it stands behind one of [`ACCESS`].
    is_access: bool,
    /// Whether it may stand behind the name of a parameter or variable with its type.
    is_declared: bool,
    /// Whether it stands in the brackets of such a name: `sizes_[COUNT]`.
    in_brackets: bool,
    /// Whether it may stand behind a type.
    is_type: bool,
}

impl Place {
    /// The place behind a word or a sign that stands here, in the same body.
    fn behind(self, bytes: &[u8], at: usize, end: usize) -> Self {
        let (byte, word) = (bytes[at], &bytes[at..end]);
        let ends = matches!(byte, b';' | b'{' | b'}');
        let is_enum = || bytes[..at].trim_ascii_end().ends_with(b"enum");
        Self {
            before: byte,
            begins: ends
                || matches!(byte, b':' | b'>')
                || SPECIFIERS.contains(&word)
                // Behind `[[attribute]]`.
                || byte == b']' && self.before == b']',
            in_body: self.in_body,
            in_template: word == b"template" || self.in_template && !ends,
            is_head: TYPES.contains(&word) && !is_enum()
                || self.is_head && !ends && !matches!(byte, b'(' | b'='),
            opens_type: byte == b'{' && self.is_head,
            is_access: ACCESS.contains(&word),
            is_declared: self.is_type && is_name(word) && !NUMBERS.contains(&word)
                || self.in_brackets && byte == b']',
            in_brackets: self.is_declared && byte == b'[' || self.in_brackets && byte != b']',
            is_type: matches!(byte, b'*' | b'&' | b'>')
                || is_name(word) && !is_macro(word)
                || self.is_type && word == b"const",
        }
    }
}

/// Blanks `throw` where it is an argument, and the dots of a template's parameter without a name.
fn blank_throw_arguments_and_packs(bytes: &mut [u8], at: usize, end: usize, place: Place) {
    let is_argument = &bytes[at..end] == b"throw" && matches!(place.before, b'(' | b',');
    let is_pack = place.in_template
        && bytes[end..].starts_with(b"...")
        && is_name(&bytes[at..end])
        && !matches!(&bytes[at..end], b"class" | b"typename")
        && matches!(bytes.get(spaces(bytes, end + 3)), Some(b',' | b'>'));
    if is_argument {
        blank(bytes, at, end);
    } else if is_pack {
        blank(bytes, end, end + 3);
    }
}

/// Blanks `Class::` of a pointer to a member that has no name, as in `int(Class::*)`: the grammar reads `int(*)` alone.
fn blank_member_pointer_class(bytes: &mut [u8], at: usize, end: usize, place: Place) {
    if place.before != b'(' || !is_word(bytes[at]) {
        return;
    }
    let mut last = end;
    while bytes[last..].starts_with(b"::") && last - at < MAX_ARGUMENTS {
        if bytes[last + 2..].starts_with(b"*)") {
            return blank(bytes, at, last + 2);
        }
        last = word_end(bytes, last + 2);
    }
}

/// Capitalises keywords and numeric types that are whole arguments of the list that opens at `open`, joins the words of one, and
/// writes letters over operators: the grammar takes neither as arguments.
fn name_types(bytes: &mut [u8], open: usize) {
    for at in open..closing(bytes, open) {
        if !matches!(bytes[at], b'(' | b',') {
            continue;
        }
        let from = spaces(bytes, at + 1);
        let operator = from + bytes[from..].iter().take_while(|b| OPERATORS.contains(b)).count();
        if operator > from && matches!(bytes.get(operator), Some(b',' | b')')) {
            bytes[from..operator].fill(b'o');
        }
        let end = keywords_end(bytes, from);
        if end > from && matches!(bytes.get(end), Some(b',' | b')')) {
            bytes[from].make_ascii_uppercase();
            for gap in bytes[from..end].iter_mut().filter(|byte| **byte == b' ') {
                *gap = b'_';
            }
        }
    }
}

/// The end of a keyword, of a number's type, or of several words of one; `from` if there is none.
fn keywords_end(bytes: &[u8], from: usize) -> usize {
    let mut end = word_end(bytes, from);
    let word = &bytes[from..end];
    if HEADS.contains(&word) || NO_NAMES.contains(&word) || is_sized(word) {
        // `unsigned long`
        while NUMBERS.contains(&&bytes[from..end]) || bytes[from..end].contains(&b' ') {
            let next = if bytes.get(end) == Some(&b' ') { end + 1 } else { end };
            let last = word_end(bytes, next);
            if !NUMBERS.contains(&&bytes[next..last]) {
                break;
            }
            end = last;
        }
        return end;
    }
    from
}

/// Whether a word is the name of a number's type that ends with `_t`.
fn is_sized(word: &[u8]) -> bool {
    word.ends_with(b"_t") && SIZED.iter().any(|name| word.starts_with(name))
}

/// Writes `int` over the type of pointers that are made, as in `new Type*[n]`, which the grammar takes for a product. Nothing of the
/// type is made there.
fn overwrite_pointer_type_with_int(bytes: &mut [u8], at: usize, end: usize) {
    if &bytes[at..end] != b"new" {
        return;
    }
    let from = spaces(bytes, end);
    let last = qualified_end(bytes, from);
    let stars = bytes[last..].iter().take_while(|b| **b == b'*' || b.is_ascii_whitespace());
    let to = last + stars.count();
    let is_pointer = last > from && bytes[last..to].contains(&b'*');
    if is_pointer && to - from > 2 && matches!(bytes.get(to), Some(b'[' | b'{' | b'(')) {
        overwrite_with_int(bytes, from, to);
    }
}

/// Whether a macro is a parameter of a template.
fn is_template_parameter(bytes: &[u8], at: usize, end: usize, place: Place) -> bool {
    place.in_template
        && matches!(place.before, b',' | b'<')
        && is_macro(&bytes[at..end])
        && bytes[spaces(bytes, macro_end(bytes, end))..].starts_with(b">")
}

/// Returns the end of a macro, section or attribute that the grammar cannot read and that begins with the word from `at` to
/// `end`.
fn unread_end(
    bytes: &[u8],
    at: usize,
    end: usize,
    place: Place,
    classes: &HashSet<Vec<u8>>,
) -> Option<usize> {
    if let Some(end) = section_end(bytes, at, end, place) {
        return Some(end);
    }
    if is_pointer_attribute(bytes, at, end, place) || is_calling_convention(bytes, at, end, place) {
        return Some(end);
    }
    if &bytes[at..end] == ATTRIBUTE {
        // The grammar knows it elsewhere.
        let to = macro_end(bytes, end);
        return (bytes.get(spaces(bytes, to)) == Some(&b'=')).then_some(to);
    }
    if !is_macro(&bytes[at..end]) {
        return None;
    }
    let to = macro_end(bytes, end);
    // In a body `NAME(…)` is a call, which may lack its semicolon.
    let may_have_arguments = to == end || !place.in_body;
    let is_unread = is_block(bytes, end, to)
        || may_have_arguments
            && (is_specifier(bytes, end, to, classes) || ends_class(bytes, end, to, place));
    let follows = place.is_declared && !place.in_body;
    let is_attribute = follows
        && match bytes.get(code(bytes, to)) {
            Some(b')' | b',') => true,
            Some(b';' | b'=') => to > end && are_values(&bytes[end + 1..to - 1]),
            _ => false,
        };
    let is_called = place.is_type && !place.in_body && to == end && names_function(bytes, end);
    (place.begins && is_unread || is_attribute || is_called).then_some(to)
}

/// Whether arguments are values and no parameters: `mutex_, &other` and not `int n`.
fn are_values(arguments: &[u8]) -> bool {
    let (mut at, mut is_behind_word) = (0, false);
    while at < arguments.len() {
        if arguments[at].is_ascii_whitespace() {
            at += 1;
            continue;
        }
        let end = word_end(arguments, at).max(at + 1);
        let word = &arguments[at..end];
        let is_word = is_word(word[0]);
        if is_word && (is_behind_word || HEADS.contains(&word) || NO_NAMES.contains(&word)) {
            return false;
        }
        (at, is_behind_word) = (end, is_word);
    }
    !arguments.trim_ascii().is_empty()
}

/// Whether the name of a function and its parameters stand behind `end`, as in `void NAME Type::f(`.
fn names_function(bytes: &[u8], end: usize) -> bool {
    let name = spaces(bytes, end);
    let last = qualified_end(bytes, name);
    name > end
        && last > name
        && is_name(&bytes[name..last])
        && bytes.get(spaces(bytes, last)) == Some(&b'(')
}

/// The end of what a code generator reads in a class and the compiler does not: `signals:`, and `slots` of `public slots:`.
fn section_end(bytes: &[u8], at: usize, end: usize, place: Place) -> Option<usize> {
    let is_signals = matches!(&bytes[at..end], b"signals" | b"Q_SIGNALS");
    let is_slots = matches!(&bytes[at..end], b"slots" | b"Q_SLOTS") && place.is_access;
    if !(is_slots || is_signals && place.begins && !place.in_body) {
        return None;
    }
    let colon = spaces(bytes, end);
    let is_label = bytes.get(colon) == Some(&b':') && bytes.get(colon + 1) != Some(&b':');
    is_label.then_some(if is_slots { end } else { colon + 1 })
}

/// Whether a word stands between `*` or `&` and the name of what is declared, where only a qualifier may: `T* nonnull name`.
fn is_pointer_attribute(bytes: &[u8], at: usize, end: usize, place: Place) -> bool {
    let next = spaces(bytes, end);
    let last = word_end(bytes, next);
    if !matches!(place.before, b'*' | b'&') || next == end || last == next {
        return false;
    }
    let (word, name) = (&bytes[at..end], &bytes[next..last]);
    let is_told = |word: &[u8]| is_name(word) && !NO_ATTRIBUTES.contains(&word);
    let is_macro = name.len() > 1 && name.iter().all(|byte| is_macro_byte(*byte));
    is_told(word)
        && is_told(name)
        && !is_macro
        && !name.starts_with(b"__")
        && matches!(bytes.get(spaces(bytes, last)), Some(b',' | b')' | b';' | b'=' | b'(' | b'['))
}

/// Whether a macro stands before the `*` of a pointer to a function: `int (WINAPI * open)(int)`. A product is not called.
fn is_calling_convention(bytes: &[u8], at: usize, end: usize, place: Place) -> bool {
    let star = spaces(bytes, end);
    if place.before != b'(' || !is_capital(&bytes[at..end]) || bytes.get(star) != Some(&b'*') {
        return false;
    }
    let name = spaces(bytes, star + 1);
    let close = spaces(bytes, word_end(bytes, name));
    close > name
        && bytes.get(close) == Some(&b')')
        && bytes.get(spaces(bytes, close + 1)) == Some(&b'(')
}

/// The end of a directive that starts here.
pub(super) fn directive(bytes: &[u8], at: usize) -> Option<usize> {
    (bytes.get(at) == Some(&b'#')).then(|| directive_end(bytes, at))
}

fn in_body(braces: &[bool]) -> bool {
    braces.last().is_some_and(|is_body| *is_body)
}

/// Writes `int` over a longer name of a number that is called: the grammar reads calls of `int` alone as conversions.
fn overwrite_called_number_with_int(bytes: &mut [u8], from: usize, to: usize) {
    if SIZES.contains(&&bytes[from..to]) && bytes.get(to) == Some(&b'(') {
        overwrite_with_int(bytes, from, to);
    }
}

/// Writes `int` over a longer text.
fn overwrite_with_int(bytes: &mut [u8], from: usize, to: usize) {
    blank(bytes, from, to);
    bytes[from..from + 3].copy_from_slice(b"int");
}

/// Whether a macro stands before a block as `try` and `catch (...)` do.
fn is_block(bytes: &[u8], end: usize, to: usize) -> bool {
    let is_handler = to == end || &bytes[end..to] == b"(...)";
    is_handler && bytes.get(spaces(bytes, to)) == Some(&b'{')
}

/// Whether a macro on its way from `end` to `to`, with its arguments, is followed by a declaration without which it is no type.
fn is_specifier(bytes: &[u8], end: usize, to: usize, classes: &HashSet<Vec<u8>>) -> bool {
    let next = code(bytes, to);
    let Some(first) = bytes.get(next).filter(|_| next > to) else { return false };
    if *first == b'~' {
        return true;
    }
    let behind = behind_macros(bytes, next);
    let word = &bytes[behind..word_end(bytes, behind)];
    if ACCESS.contains(&word) || HEADS.contains(&word) {
        return true;
    }
    if !is_word(*first) {
        return false;
    }
    let mut last = word_end(bytes, next);
    let word = &bytes[next..last];
    while bytes[last..].starts_with(b"::") {
        last = word_end(bytes, last + 2);
    }
    match bytes.get(last) {
        Some(b'(') => classes.contains(word),
        // A type and a name.
        Some(byte) if to == end && (byte.is_ascii_whitespace() || matches!(byte, b'*' | b'&')) => {
            let rest = &bytes[last..];
            let gap = rest.iter().take_while(|b| b.is_ascii_whitespace() || b"*&".contains(b));
            let name = rest.get(gap.count());
            name.is_some_and(|byte| is_word(*byte) && !byte.is_ascii_digit() || *byte == b'~')
        }
        _ => false,
    }
}

/// Whether a macro, perhaps with others behind it, is the last member of a type and lacks its semicolon.
fn ends_class(bytes: &[u8], end: usize, to: usize, place: Place) -> bool {
    if to > end {
        let brace = code(bytes, to);
        return bytes.get(brace) == Some(&b'}')
            && bytes.get(spaces(bytes, brace + 1)) == Some(&b';');
    }
    // A word behind another brace is a value or the name of one.
    let is_member = place.before != b'{' || place.opens_type;
    is_member && bytes.get(behind_macros(bytes, code(bytes, to))) == Some(&b'}')
}

/// Where the parenthesis closes of a macro that is given a whole head, as in `NAME(static int f(int n)) {`.
fn wrapped_declaration(bytes: &[u8], at: usize, end: usize, place: Place) -> Option<usize> {
    let close = closing(bytes, end).checked_sub(1).filter(|close| *close > end)?;
    let open = end + 1 + bytes[end + 1..close].iter().position(|byte| *byte == b'(')?;
    let head = bytes[end + 1..open].trim_ascii();
    let name = head.len() - head.iter().rev().take_while(|byte| is_word(**byte)).count();
    let is_head =
        head.iter().all(|byte| is_word(*byte) || byte.is_ascii_whitespace() || *byte == b'*');
    let is_typed = name < head.len() && !head[..name].trim_ascii().is_empty();
    let follows = bytes.get(code(bytes, close + 1));
    (place.begins
        && !place.in_body
        && is_macro(&bytes[at..end])
        && is_head
        && is_typed
        && closing(bytes, open) == close
        && matches!(follows, Some(b'{' | b';')))
    .then_some(close)
}

/// Writes a semicolon before a macro that is the only content of a function's body.
fn put_semicolon_before(bytes: &mut [u8], at: usize, end: usize) {
    if is_sole_statement(bytes, at, macro_end(bytes, end)) && bytes[at - 1] == b' ' {
        bytes[at - 1] = b';';
    }
}

/// Whether a macro with arguments is all that a function's body holds and lacks its semicolon: the grammar then takes the body for
/// the values of a variable.
fn is_sole_statement(bytes: &[u8], at: usize, to: usize) -> bool {
    let brace = code(bytes, to);
    if bytes.get(brace) != Some(&b'}') {
        return false;
    }
    let Some(head) = bytes[..at].trim_ascii_end().strip_suffix(b"{") else { return false };
    let head = head.trim_ascii_end();
    let opens_body = [&b")"[..], b"const", b"final", b"noexcept", b"override"];
    let next = code(bytes, brace + 1);
    opens_body.iter().any(|word| head.ends_with(word))
        && bytes.get(next).is_none_or(|byte| is_word(*byte) || matches!(byte, b'}' | b'~'))
}

/// The offset of the code at `at`, or of that behind further macros.
fn behind_macros(bytes: &[u8], mut at: usize) -> usize {
    for _ in 0..MAX_CHAIN {
        let end = word_end(bytes, at);
        if !is_macro(&bytes[at..end]) {
            break;
        }
        at = code(bytes, macro_end(bytes, end));
    }
    at
}

/// Returns the offset of the next byte that is in no space, directive or comment.
pub(super) fn code(bytes: &[u8], from: usize) -> usize {
    let mut at = spaces(bytes, from);
    while let Some(end) = directive(bytes, at).or_else(|| comment_end(bytes, at)) {
        at = spaces(bytes, end);
    }
    at
}

/// The names behind `class` and `struct`.
fn class_names(bytes: &[u8]) -> HashSet<Vec<u8>> {
    let mut names = HashSet::new();
    let (mut at, mut is_head) = (0, false);
    while at < bytes.len() {
        if !is_word(bytes[at]) {
            is_head &= bytes[at].is_ascii_whitespace();
            at += 1;
            continue;
        }
        let end = word_end(bytes, at);
        let word = &bytes[at..end];
        if is_head && !is_macro(word) {
            names.insert(word.to_vec());
        }
        is_head = matches!(word, b"class" | b"struct") || is_head && is_macro(word);
        at = end;
    }
    names
}

/// Whether a word may name something declared, or a type.
pub(super) fn is_name(word: &[u8]) -> bool {
    is_word(word[0]) && !word[0].is_ascii_digit() && !NO_NAMES.contains(&word)
}

pub(super) const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

pub(super) fn word_end(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| is_word(**byte)).count()
}

pub(super) fn spaces(bytes: &[u8], at: usize) -> usize {
    at + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count()
}

/// Whether a word is in capitals.
pub(super) fn is_capital(word: &[u8]) -> bool {
    word.len() > 2 && word[0].is_ascii_uppercase() && word.iter().all(|byte| is_macro_byte(*byte))
}

/// Whether a word is in capitals and has several parts: types seldom have.
pub(super) fn is_macro(word: &[u8]) -> bool {
    word.len() > 3 && word.contains(&b'_') && is_capital(word)
}

/// The end of a macro whose name ends at `end`, with its arguments.
pub(super) fn macro_end(bytes: &[u8], end: usize) -> usize {
    if bytes.get(end) == Some(&b'(') { closing(bytes, end) } else { end }
}
