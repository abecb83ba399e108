//! Secret values inside ordinary files: keys and passwords that somebody wrote into source. They are masked where a file
//! becomes text, character by character, so that every line and column stays where it was. Which files hold nothing but
//! secrets is `secret_files`' business.

use std::{ops::Range, sync::LazyLock};

use regex::bytes::Regex;

/// Characters of an issuer's key that stay readable: enough to see whose key it is.
const KEPT: usize = 4;
/// A random value has so many letters and digits in a row.
const MIN_RUN: usize = 16;
/// A random value has so many digits in that row; sixteen random hexadecimal digits have ten on average.
const MIN_DIGITS: usize = 3;
/// Bits a byte that a random row has at least. Sixteen random hexadecimal digits have 3.2 on average, repeated or counted-up
/// placeholders have fewer.
const MIN_ENTROPY: f64 = 2.8;

/// Values that their first characters or their frame give away, as their issuers document them.
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

/// A private key between its marks; the last one may be missing.
const PRIVATE_KEY: &str = r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?<value>[0-9A-Za-z+/=\s\\:.,()-]{40,}?)(?:-----END|\z)";

/// A password in an address, and a value given to a name that says that it is secret.
const NAMED: &[&str] = &[
    r"\b[a-z][a-z0-9+.-]{1,15}://[^\s/:@'\x22]+:(?<value>[^\s/:@'\x22]{8,})@",
    r#"(?i:secret|token|passw(?:or)?d|api_?-?key|access_?-?key|private_?-?key|credential)[0-9A-Za-z_-]*["']?\s*(?:=>|:=|=|:)\s*["'`](?<value>[0-9A-Za-z+/=_.~-]{20,})["'`]"#,
];

static PATTERNS: LazyLock<Vec<(Regex, Judged)>> = LazyLock::new(|| {
    let issued = format!("(?<value>{})", MARKED.join("|"));
    let named = NAMED.iter().map(|pattern| (*pattern, Judged::Named));
    let all = [(issued.as_str(), Judged::Issued), (PRIVATE_KEY, Judged::PrivateKey)];
    // All that is looked for is ASCII. Without Unicode's classes text in other scripts is searched as fast as any.
    let compiled = |pattern| Regex::new(&format!("(?-u:{pattern})")).ok();
    all.into_iter().chain(named).filter_map(|(it, judged)| Some((compiled(it)?, judged))).collect()
});

/// What makes a match a secret.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Judged {
    /// The form that an issuer gives its keys.
    Issued,
    /// The marks around it.
    PrivateKey,
    /// The name that it is given to, when it looks random.
    Named,
}

/// Replaces the characters of secret values by `*`; of an issuer's key the first few stay. Returns how many values there were.
pub(super) fn mask(text: &mut String) -> u32 {
    let found = find(text.as_bytes());
    if found.is_empty() {
        return 0;
    }
    let mut bytes = std::mem::take(text).into_bytes();
    for range in &found {
        for byte in &mut bytes[range.clone()] {
            if byte.is_ascii_graphic() {
                *byte = b'*';
            }
        }
    }
    // ASCII took the place of ASCII, so this is UTF-8 still.
    *text = String::from_utf8(bytes).unwrap_or_default();
    u32::try_from(found.len()).unwrap_or(u32::MAX)
}

/// Returns the byte ranges to mask, in order and apart from each other.
fn find(text: &[u8]) -> Vec<Range<usize>> {
    let mut found: Vec<Range<usize>> = Vec::new();
    for (pattern, judged) in PATTERNS.iter() {
        let values = pattern.captures_iter(text).filter_map(|captures| captures.name("value"));
        let secret = values.filter(|it| *judged != Judged::Named || is_random(it.as_bytes()));
        let kept = if *judged == Judged::Issued { KEPT } else { 0 };
        found.extend(secret.map(|value| value.start() + kept..value.end()));
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

/// Returns whether a part of the value looks random: a long row of letters and digits, evenly spread. Paths and words have
/// shorter rows, or no digits.
fn is_random(value: &[u8]) -> bool {
    value.split(|byte| !byte.is_ascii_alphanumeric()).any(|run| {
        let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
        run.len() >= MIN_RUN
            && (MIN_DIGITS..run.len()).contains(&digits)
            && entropy(run) >= MIN_ENTROPY
    })
}

/// Returns Shannon's entropy of the row's bytes, in bits a byte.
fn entropy(run: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in run {
        counts[usize::from(*byte)] += 1;
    }
    let total = f64::from(u32::try_from(run.len()).unwrap_or(u32::MAX));
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total);
    shares.map(|share| -share * share.log2()).sum()
}
