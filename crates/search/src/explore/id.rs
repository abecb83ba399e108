//! The names of places that outlive a process: eight letters and digits that follow from the path and the declaration's full
//! name, so that they stay while the declaration stays, whatever happens around it. Some letters follow from the path
//! alone: whoever has an ID, or a prefix of it, has to look into few files to find what it names, and nothing is kept.

use std::io::Write;

use rustc_hash::{FxHashMap, FxHashSet};

/// Letters of an ID: those that can't be taken for one another.
const LETTERS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// Which letters follow from the path.
const OF_PATH: [bool; 8] = [true, false, true, false, false, true, false, false];
/// Letters that a prefix needs at least.
pub(super) const SHORTEST: usize = 4;

/// The name of a place.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub(super) struct Id([u8; OF_PATH.len()]);

impl Id {
    pub(super) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

/// Makes the IDs of what one path declares.
pub(super) struct Ids {
    of_path: blake3::Hash,
    /// What is hashed: the path and what comes behind it.
    text: Vec<u8>,
    path: usize,
    taken: FxHashSet<Id>,
    /// For what was declared before, the first salt that it may have next: a file can say the same a thousand times.
    salts: FxHashMap<Box<[u8]>, u32>,
}

impl Ids {
    pub(super) fn new(path: &str) -> Self {
        let text = [path.as_bytes(), b"\0"].concat();
        Self {
            of_path: blake3::hash(path.as_bytes()),
            path: text.len(),
            text,
            taken: FxHashSet::default(),
            salts: FxHashMap::default(),
        }
    }

    /// The ID of what is `declared`, in parts, and that is different from all before.
    pub(super) fn next(&mut self, declared: &[&str]) -> Id {
        self.declare(declared);
        let known = self.text.len();
        let mut salt = self.salts.get(&self.text[self.path..]).copied().unwrap_or_default();
        loop {
            let id = self.salted(salt);
            salt += 1;
            self.text.truncate(known);
            if self.taken.insert(id) {
                self.salts.insert(self.text[self.path..].into(), salt);
                return id;
            }
        }
    }

    /// The ID of what is `declared` when nothing else had it before.
    pub(super) fn first(&mut self, declared: &[&str]) -> Id {
        self.declare(declared);
        self.salted(0)
    }

    fn declare(&mut self, declared: &[&str]) {
        self.text.truncate(self.path);
        declared.iter().for_each(|part| self.text.extend_from_slice(part.as_bytes()));
    }

    /// The ID of what the text says; `salt` tells apart what would have the same.
    fn salted(&mut self, salt: u32) -> Id {
        // Nothing is out of order in memory.
        write!(self.text, "\0{salt}").ok();
        let of_declared = blake3::hash(&self.text);
        Id(std::array::from_fn(|at| {
            letter(if OF_PATH[at] { &self.of_path } else { &of_declared }, at)
        }))
    }
}

impl Extend<Id> for Ids {
    /// Takes IDs that others have.
    fn extend<T: IntoIterator<Item = Id>>(&mut self, ids: T) {
        self.taken.extend(ids);
    }
}

fn letter(hash: &blake3::Hash, at: usize) -> u8 {
    LETTERS[usize::from(hash.as_bytes()[at]) % LETTERS.len()]
}

/// Whether an ID that starts with `prefix` may name something in `path`.
pub(super) fn may_be_in(path: &str, prefix: &str) -> bool {
    let hash = blake3::hash(path.as_bytes());
    let mut given = prefix.bytes().enumerate().take(OF_PATH.len());
    given.all(|(at, known)| !OF_PATH[at] || letter(&hash, at) == known)
}

/// The form in which IDs are compared; `None` for what can't be an ID.
pub(super) fn normalized(text: &str) -> Option<String> {
    let text = text.trim().trim_matches(['`', '[', ']', '"', '\'']).to_ascii_lowercase();
    let fits = text.len() <= OF_PATH.len() && text.bytes().all(|byte| LETTERS.contains(&byte));
    (fits && !text.is_empty()).then_some(text)
}
