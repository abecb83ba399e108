//! Secret values inside ordinary files: keys and passwords in source code. They are masked when a file is decoded,
//! character by character, so that lines and columns do not change. `secret_files` decides which files are secret as a
//! whole.

use std::{ops::Range, sync::LazyLock};

use regex::bytes::{Match, Regex};

/// Characters of an issuer's key that stay readable, enough to identify the issuer.
const KEPT: usize = 4;
/// Least length of the run of letters and digits in a random value.
const MIN_RUN: usize = 16;
/// Least number of digits in that run; sixteen random hexadecimal digits have ten on average.
const MIN_DIGITS: usize = 3;
/// Least share of neighbours of different kinds in a random run of letters of both cases and digits: .62 on average.
/// The words of identifiers have .4, two for each word.
const MIN_CHANGES: f64 = 0.45;
/// Characters per mark such as `/` or `_` that a random value in base 64 has at least; 32 on average.
const CHARS_PER_MARK: usize = 10;
/// Least entropy of a random run, in bits per byte. Sixteen random hexadecimal digits have 3.2 on average, repeated or
/// consecutive placeholders less.
const MIN_ENTROPY: f64 = 2.8;

/// Keys with a documented prefix or frame.
const MARKED: &[&str] = &[
    r"\b(?:AKIA|ASIA)[0-9A-Z]{16}\b",
    r"\bgh[pousr]_[0-9A-Za-z]{36,}",
    r"\bgithub_pat_[0-9A-Za-z_]{50,}",
    r"\bglpat-[0-9A-Za-z_-]{20,}",
    r"\bxox[abeoprs]-[0-9A-Za-z-]{20,}",
    r"\bsk-[0-9A-Za-z_-]*[0-9A-Za-z]{20}[0-9A-Za-z_-]*",
    r"\b[rs]k_live_[0-9A-Za-z]{20,}",
    r"\bAIza[0-9A-Za-z_-]{35}",
    r"\bya29\.[0-9A-Za-z_-]{20,}",
    r"\bnpm_[0-9A-Za-z]{36}\b",
    r"\bpypi-[0-9A-Za-z_-]{50,}",
    r"\bSG\.[0-9A-Za-z_-]{16,}\.[0-9A-Za-z_-]{16,}",
    r"\bhf_[0-9A-Za-z]{30,}",
    r"\bdop_v1_[0-9a-f]{64}\b",
    r"\beyJ[0-9A-Za-z_-]{10,}\.eyJ[0-9A-Za-z_-]{10,}\.[0-9A-Za-z_-]{10,}",
];

/// A private key between its marks; the closing mark may be missing. Its lines may be string literals, or in a comment.
const PRIVATE_KEY: &str = r#"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?<value>[0-9A-Za-z+/=\s\\:.,()"'`#*>-]{40,}?)(?:-----END|\z)"#;

/// A password in an address.
const ADDRESS: &str = r"\b[a-z][a-z0-9+.-]{1,15}://[^\s/:@'\x22]+:(?<value>[^\s/:@'\x22]{8,})@";

/// A value that is assigned to a name of a secret: quoted, escaped or bare.
const NAMED: &str = concat!(
    r"(?i:secret|token|passw(?:or)?d|api_?-?key|access_?-?key|private_?-?key|credential)[0-9A-Za-z_-]*",
    r#"\\{0,3}["']?\s*(?:=>|:=|=|:)\s*"#,
    r#"(?:\\{0,3}["'`](?<value>[0-9A-Za-z+/=_.~-]{20,})\\{0,3}["'`]|(?<bare>[0-9A-Za-z+/=_~-]{20,})(?:[\s;,&"'`)\]}<>#\\]|\z))"#,
);

static PATTERNS: LazyLock<Vec<(Regex, Judged)>> = LazyLock::new(|| {
    let issued = format!("(?<value>{})", MARKED.join("|"));
    let all = [
        (issued.as_str(), Judged::Issued),
        (PRIVATE_KEY, Judged::PrivateKey),
        (ADDRESS, Judged::Address),
        (NAMED, Judged::Named),
    ];
    // All patterns are ASCII. Without Unicode classes text in other scripts is searched as fast.
    let compiled = |pattern| Regex::new(&format!("(?-u:{pattern})")).ok();
    all.into_iter().filter_map(|(it, judged)| Some((compiled(it)?, judged))).collect()
});

/// Why a match is a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judged {
    /// It has the form of an issuer's keys.
    Issued,
    /// It is between the marks of a private key.
    PrivateKey,
    /// It is the password of an address, and neither a word nor a placeholder.
    Address,
    /// It is assigned to a name of a secret and looks random.
    Named,
}

impl Judged {
    /// Returns the bytes of the value to mask, or `None` if it is not a secret.
    fn secret_part(self, value: Match<'_>) -> Option<Range<usize>> {
        let (bytes, start) = (value.as_bytes(), value.start());
        match self {
            Self::Issued => Some(start + KEPT..value.end()),
            Self::PrivateKey => {
                // A list of marks has another mark in place of the key.
                let length = bytes.windows(5).position(|it| it == b"-----").unwrap_or(bytes.len());
                has_random_row(&bytes[..length]).then(|| start..start + length)
            }
            Self::Address => is_password(bytes).then(|| value.range()),
            Self::Named => is_random(bytes).then(|| value.range()),
        }
    }
}

/// Replaces the characters of secret values by `*`; of an issuer's key the first few stay. Returns the number of
/// values.
pub(super) fn mask(text: &mut String) -> u32 {
    let found = find(text.as_bytes());
    if found.is_empty() {
        return 0;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    replace(&mut bytes, &found);
    // ASCII was replaced by ASCII, so this is still UTF-8.
    *text = String::from_utf8(bytes).unwrap_or_default();
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

/// Returns `text` with its secret values masked as in a [`TextFile`](crate::TextFile); `None` if it holds none.
pub fn mask_secret_values(text: &[u8]) -> Option<Vec<u8>> {
    let found = find(text);
    if found.is_empty() {
        return None;
    }
    let mut masked = text.to_vec();
    replace(&mut masked, &found);
    Some(masked)
}

fn replace(text: &mut [u8], values: &[Range<usize>]) {
    for range in values {
        for byte in &mut text[range.clone()] {
            if byte.is_ascii_graphic() {
                *byte = b'*';
            }
        }
    }
}

/// Returns the byte ranges to mask, sorted and disjoint.
fn find(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (pattern, judged) in PATTERNS.iter() {
        let values = pattern.captures_iter(text).filter_map(|captures| {
            let value = captures.name("value").or_else(|| captures.name("bare"))?;
            judged.secret_part(value)
        });
        found.extend(values);
    }
    found.sort_by_key(|range| range.start);
    found.dedup_by(|later, earlier| {
        let overlaps = later.start < earlier.end;
        if overlaps {
            earlier.end = earlier.end.max(later.end);
        }
        overlaps
    });
    found
}

/// Returns whether the value may be a password: letters and digits, and no placeholder such as `${NAME}`.
fn is_password(value: &[u8]) -> bool {
    value.iter().any(u8::is_ascii_digit)
        && value.iter().any(u8::is_ascii_alphabetic)
        && !value.iter().any(|byte| b"$%<>{}[]()*\\".contains(byte))
}

/// Returns whether the value looks random: a long run of letters and digits, evenly spread. Paths and words have
/// shorter runs, or no digits. Single marks of base 64 do not end a run.
fn is_random(value: &[u8]) -> bool {
    if has_random_row(value) {
        return true;
    }
    let row: Vec<u8> = value.iter().copied().filter(u8::is_ascii_alphanumeric).collect();
    let marks = value.len() - row.len();
    let is_base64 = marks * CHARS_PER_MARK <= value.len() && !value.contains(&b'.');
    is_base64 && changes(&row) >= MIN_CHANGES && is_random_row(&row)
}

fn has_random_row(text: &[u8]) -> bool {
    text.split(|byte| !byte.is_ascii_alphanumeric()).any(is_random_row)
}

fn is_random_row(row: &[u8]) -> bool {
    let digits = row.iter().filter(|byte| byte.is_ascii_digit()).count();
    row.len() >= MIN_RUN
        && digits < row.len()
        && (digits >= MIN_DIGITS || digits > 0 && changes(row) >= MIN_CHANGES)
        && entropy(row) >= MIN_ENTROPY
}

/// Returns the share of neighbours of different kinds: lower-case letter, capital, digit.
fn changes(row: &[u8]) -> f64 {
    let kind = |byte: u8| (byte.is_ascii_digit(), byte.is_ascii_uppercase());
    let changes = row.windows(2).filter(|pair| kind(pair[0]) != kind(pair[1])).count();
    changes as f64 / row.len().saturating_sub(1).max(1) as f64
}

/// Returns Shannon's entropy of the run's bytes, in bits per byte.
fn entropy(run: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in run {
        counts[usize::from(*byte)] += 1;
    }
    let total = f64::from(u32::try_from(run.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total);
    shares.map(|share| -share * share.log2()).sum()
}
