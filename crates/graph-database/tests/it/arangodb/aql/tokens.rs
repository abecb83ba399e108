//! Statements as tokens.

/// The signs, long ones before short ones.
const SIGNS: &[&str] = &[
    "[*]", "==", "!=", "<=", ">=", "..", "<", ">", "=", ",", ":", ".", "(", ")", "{", "}", "[",
    "]", "+", "-", "!", "?",
];

/// Names that a statement can't give to anything.
const RESERVED: &[&str] = &[
    "AGGREGATE",
    "ALL",
    "ALL_SHORTEST_PATHS",
    "AND",
    "ANY",
    "ASC",
    "COLLECT",
    "DESC",
    "DISTINCT",
    "FALSE",
    "FILTER",
    "FOR",
    "GRAPH",
    "IN",
    "INBOUND",
    "INSERT",
    "INTO",
    "K_PATHS",
    "K_SHORTEST_PATHS",
    "LET",
    "LIKE",
    "LIMIT",
    "NONE",
    "NOT",
    "NULL",
    "OR",
    "OUTBOUND",
    "REMOVE",
    "REPLACE",
    "RETURN",
    "SHORTEST_PATH",
    "SORT",
    "TRUE",
    "UPDATE",
    "UPSERT",
    "WINDOW",
    "WITH",
];

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Token {
    /// A reserved word, in upper case.
    Word(&'static str),
    Name(String),
    Text(String),
    Number(i64),
    /// A value, or with a second `@` a collection, that is bound.
    Bound(String),
    Sign(&'static str),
}

pub(super) fn tokens(text: &str) -> Result<Vec<Token>, String> {
    let mut rest = text.trim_start();
    let mut tokens = Vec::new();
    while let Some(first) = rest.chars().next() {
        let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let word = |from: usize| {
            let rest = &rest[from..];
            &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())]
        };
        let (token, length) = if first.is_ascii_digit() {
            let number = &rest[..rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len())];
            (Token::Number(number.parse().map_err(|_| number)?), number.len())
        } else if is_part(first) {
            let name = word(0);
            let reserved = RESERVED.iter().find(|word| word.eq_ignore_ascii_case(name));
            (
                reserved.map_or_else(|| Token::Name(name.to_owned()), |word| Token::Word(word)),
                name.len(),
            )
        } else if first == '@' {
            let signs = if rest.starts_with("@@") { 2 } else { 1 };
            let length = signs + word(signs).len();
            (Token::Bound(rest[1..length].to_owned()), length)
        } else if first == '\'' || first == '"' {
            let end = rest[1..].find(first).ok_or("an open quote")?;
            (Token::Text(rest[1..=end].to_owned()), end + 2)
        } else {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            let sign = sign.ok_or_else(|| format!("syntax error at {rest}"))?;
            (Token::Sign(sign), sign.len())
        };
        tokens.push(token);
        rest = rest[length..].trim_start();
    }
    Ok(tokens)
}
