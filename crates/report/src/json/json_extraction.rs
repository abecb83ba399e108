//! Finds a JSON object or list in a text, and completes one that was cut off.

use serde_json::Value;

/// A JSON value found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct ExtractedJson {
    /// The value.
    pub value: Value,
    /// Whether the text ends inside the value; everything complete before that point is kept.
    pub truncated: bool,
}

/// Maximum number of opening brackets that are tried. Prose and code hold a few; hostile input holds thousands.
const MAX_ATTEMPTS: usize = 64;
/// Maximum number of cut-off values that are completed. The outermost one comes first; later ones are its parts.
const MAX_COMPLETIONS: usize = 4;
/// Deepest nesting of a value that is cut off. `serde_json` reads no deeper one.
const MAX_DEPTH: usize = 128;
/// Bytes of a text that are looked at, counted from its end. A report has some thousands.
const MAX_TEXT_BYTES: usize = 1024 * 1024;

/// Returns the last complete object or list in `text` that `accept` accepts. Otherwise returns the first that is cut off
/// and that `accept` accepts after its open brackets are closed. Surrounding prose and fences are ignored.
pub fn extract(text: &str, accept: impl Fn(&Value) -> bool) -> Option<ExtractedJson> {
    let Found { mut complete, truncated } = find(text, accept);
    let complete = complete.pop().map(|value| ExtractedJson { value, truncated: false });
    complete.or_else(|| truncated.map(|value| ExtractedJson { value, truncated: true }))
}

/// Returns every complete object or list in `text` that `accept` accepts, in order. Parts of an accepted value are not
/// returned again.
pub fn extract_all(text: &str, accept: impl Fn(&Value) -> bool) -> Vec<Value> {
    find(text, accept).complete
}

/// The accepted values of a text.
struct Found {
    complete: Vec<Value>,
    /// The first that is cut off, completed.
    truncated: Option<Value>,
}

fn find(text: &str, accept: impl Fn(&Value) -> bool) -> Found {
    let text = &text[text.ceil_char_boundary(text.len().saturating_sub(MAX_TEXT_BYTES))..];
    let mut complete = Vec::new();
    let mut truncated = None;
    let mut completions = 0;
    let mut at = 0;
    for _ in 0..MAX_ATTEMPTS {
        let Some(next) = text[at..].find(['{', '[']) else { break };
        let start = at + next;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                at = start + stream.byte_offset().max(1);
                if accept(&value) {
                    complete.push(value);
                }
            }
            Some(Err(error))
                if error.is_eof() && truncated.is_none() && completions < MAX_COMPLETIONS =>
            {
                completions += 1;
                truncated = close_brackets(&text[start..]).filter(&accept);
                at = start + 1;
            }
            _ => at = start + 1,
        }
    }
    Found { complete, truncated }
}

/// Cuts `text` after the last complete value inside its open brackets, and closes those.
fn close_brackets(text: &str) -> Option<Value> {
    let mut open: Vec<char> = Vec::new();
    let mut cuts: Vec<(usize, Vec<char>)> = Vec::new();
    let mut in_string = false;
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        if in_string {
            match c {
                _ if escaped => escaped = false,
                '\\' => escaped = true,
                '"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match c {
            '"' => in_string = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            '}' | ']' => {
                open.pop()?;
                cuts.push((at + 1, open.clone()));
            }
            ',' => cuts.push((at, open.clone())),
            _ => {}
        }
        if open.len() > MAX_DEPTH {
            return None;
        }
        if cuts.len() > MAX_ATTEMPTS {
            cuts.remove(0);
        }
    }
    cuts.iter().rev().find_map(|(end, open)| {
        let mut closed = text[..*end].to_owned();
        closed.extend(open.iter().rev());
        serde_json::from_str(&closed).ok()
    })
}
