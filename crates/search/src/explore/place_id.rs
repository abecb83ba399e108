//! IDs of places that outlive a process: eight letters and digits derived from the path and the declaration's full
//! name. An ID stays the same as long as the declaration keeps both, and nothing is stored. Three of the letters follow
//! from the path alone, so that only a few files have to be searched for an ID or a prefix of it.

use std::{collections::BTreeMap, io::Write};

use rustc_hash::{FxHashMap, FxHashSet};

/// Letters of an ID: those that can't be taken for one another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Which letters follow from the path.
const FROM_PATH: [bool; 8] = [true, false, true, false, false, true, false, false];
/// Letters of the shortest prefix that is accepted.
pub(super) const MIN_PREFIX: usize = 4;

/// The ID of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct PlaceId([u8; FROM_PATH.len()]);

impl PlaceId {
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Makes the IDs of the declarations in one file.
pub(super) struct PlaceIdGenerator {
    path_hash: blake3::Hash,
    /// What is hashed: the path, and the declaration behind it.
    text: Vec<u8>,
    path_length: usize,
    taken: FxHashSet<PlaceId>,
    /// For each declaration the first salt that was not tried: a file can declare the same a thousand times.
    salts: FxHashMap<Box<[u8]>, u32>,
}

impl PlaceIdGenerator {
    pub(super) fn new(path: &str) -> Self {
        let text = [path.as_bytes(), b"\0"].concat();
        Self {
            path_hash: blake3::hash(path.as_bytes()),
            path_length: text.len(),
            text,
            taken: FxHashSet::default(),
            salts: FxHashMap::default(),
        }
    }

    /// Returns the ID of a declaration, given in parts; it differs from all before.
    pub(super) fn next_id(&mut self, declaration: &[&str]) -> PlaceId {
        self.set_declaration(declaration);
        let length = self.text.len();
        let mut salt = self.salts.get(&self.text[self.path_length..]).copied().unwrap_or_default();
        loop {
            let id = self.salted_id(salt);
            salt += 1;
            self.text.truncate(length);
            if self.taken.insert(id) {
                self.salts.insert(self.text[self.path_length..].into(), salt);
                return id;
            }
        }
    }

    /// Returns the ID that a declaration has when no other one has it.
    pub(super) fn unsalted_id(&mut self, declaration: &[&str]) -> PlaceId {
        self.set_declaration(declaration);
        self.salted_id(0)
    }

    fn set_declaration(&mut self, declaration: &[&str]) {
        self.text.truncate(self.path_length);
        declaration.iter().for_each(|part| self.text.extend_from_slice(part.as_bytes()));
    }

    fn salted_id(&mut self, salt: u32) -> PlaceId {
        // Writing to memory does not fail.
        write!(self.text, "\0{salt}").ok();
        let hash = blake3::hash(&self.text);
        PlaceId(std::array::from_fn(|at| {
            letter(if FROM_PATH[at] { &self.path_hash } else { &hash }, at)
        }))
    }
}

impl Extend<PlaceId> for PlaceIdGenerator {
    /// Takes IDs that others have.
    fn extend<T: IntoIterator<Item = PlaceId>>(&mut self, ids: T) {
        self.taken.extend(ids);
    }
}

fn letter(hash: &blake3::Hash, at: usize) -> u8 {
    LETTERS[usize::from(hash.as_bytes()[at]) % LETTERS.len()]
}

/// Paths, each with the letters of the IDs of its places that follow from it.
pub(super) struct PathsById<'a>(BTreeMap<&'a str, [u8; FROM_PATH.len()]>);

impl<'a> PathsById<'a> {
    pub(super) fn of(paths: impl Iterator<Item = &'a str>) -> Self {
        let letters = |path: &'a str| {
            let hash = blake3::hash(path.as_bytes());
            (path, std::array::from_fn(|at| letter(&hash, at)))
        };
        Self(paths.map(letters).collect())
    }

    pub(super) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    /// Returns the files in which a place may have an ID that starts with `prefix`, by path.
    pub(super) fn that_may_have(&self, prefix: &str) -> impl Iterator<Item = &'a str> {
        let may_have = move |letters: &[u8; FROM_PATH.len()]| {
            let mut known = prefix.bytes().zip(letters).zip(FROM_PATH);
            known.all(|((given, own), is_from_path)| !is_from_path || given == *own)
        };
        self.0.iter().filter(move |(_, letters)| may_have(letters)).map(|(path, _)| *path)
    }
}

/// Returns the form in which IDs are compared; `None` for what can't be an ID.
pub(super) fn normalized(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['`', '[', ']', '"', '\'']).to_ascii_lowercase();
    let fits = text.len() <= FROM_PATH.len() && text.bytes().all(|byte| LETTERS.contains(&byte));
    (fits && !text.is_empty()).then_some(text)
}
