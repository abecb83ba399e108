//! The names of places that outlive a process: eight letters and digits that follow from the path and the declaration's full
//! name, so that they stay while the declaration stays, whatever happens around it. Some letters follow from the path
//! alone: whoever has an ID, or a prefix of it, has to look into few files to find what it names, and nothing is kept.

/// Letters of an ID: those that can't be taken for one another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Which letters follow from the path.
const OF_PATH: [bool; 8] = [true, false, true, false, false, true, false, false];
/// Letters that a prefix needs at least.
pub(super) const SHORTEST: usize = 4;

/// The ID of what is `declared` in `path`; `salt` tells apart what would have the same.
pub(super) fn id(path: &str, declared: &str, salt: u32) -> String {
    let of_path = blake3::hash(path.as_bytes());
    let of_declared = blake3::hash(format!("{path}\0{declared}\0{salt}").as_bytes());
    let letters = (0..OF_PATH.len()).map(|at| {
        let hash = if OF_PATH[at] { &of_path } else { &of_declared };
        LETTERS[usize::from(hash.as_bytes()[at]) % LETTERS.len()]
    });
    letters.map(char::from).collect()
}

/// Whether an ID that starts with `prefix` may name something in `path`.
pub(super) fn may_be_in(path: &str, prefix: &str) -> bool {
    let hash = blake3::hash(path.as_bytes());
    prefix.bytes().enumerate().take(OF_PATH.len()).all(|(at, letter)| {
        !OF_PATH[at] || LETTERS[usize::from(hash.as_bytes()[at]) % LETTERS.len()] == letter
    })
}

/// The form in which IDs are compared; `None` for what can't be an ID.
pub(super) fn normalized(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['`', '[', ']', '"', '\'']).to_ascii_lowercase();
    let fits = text.len() <= OF_PATH.len() && text.bytes().all(|byte| LETTERS.contains(&byte));
    (fits && !text.is_empty()).then_some(text)
}
