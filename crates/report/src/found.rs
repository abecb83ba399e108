//! Finding a JSON object in what a model wrote around it, and closing one that broke off.

use serde_json::Value;

/// A JSON value found in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The value.
    pub value: Value,
    /// Whether the text broke off inside it; everything that was complete is kept.
    pub truncated: bool,
}

/// Opening braces that are tried; prose and code in an answer hold a few, an attack holds thousands.
const TRIES: usize = 64;

/// Finds the last whole object or list in `text` that `wanted` accepts, else the first that broke off and is accepted once its
/// open brackets are closed. Fences and prose around it don't matter.
pub fn find_json(text: &str, wanted: impl Fn(&Value) -> bool) -> Option<Found> {
    let mut last = None;
    let mut broken = None;
    let mut at = 0;
    for _ in 0..TRIES {
        let Some(next) = text[at..].find(['{', '[']) else { break };
        let start = at + next;
        let mut stream = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        match stream.next() {
            Some(Ok(value)) => {
                at = start + stream.byte_offset().max(1);
                if wanted(&value) {
                    last = Some(Found { value, truncated: false });
                }
            }
            Some(Err(error)) if error.is_eof() && broken.is_none() => {
                broken = close(&text[start..]).filter(&wanted);
                at = start + 1;
            }
            _ => at = start + 1,
        }
    }
    last.or_else(|| broken.map(|value| Found { value, truncated: true }))
}

/// Cuts `text` behind the last value that is complete inside its brackets, and closes those.
fn close(text: &str) -> Option<Value> {
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
        if cuts.len() > TRIES {
            cuts.remove(0);
        }
    }
    cuts.iter().rev().find_map(|(end, open)| {
        let mut whole = text[..*end].to_owned();
        whole.extend(open.iter().rev());
        serde_json::from_str(&whole).ok()
    })
}
