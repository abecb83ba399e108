//! What the resolution of one file looks at, so that it is done again when that has changed, and only then. Kept beside
//! the thread: a file is resolved on one thread from beginning to end, and whatever reads another file's facts or a
//! table of all files comes through [`crate::resolve::program::Program`], which tells it here.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeSet,
};

use crate::resolve::program::{FileId, number};

/// What was looked at.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadSet {
    /// One bit a file.
    files: Vec<u64>,
    /// Hashes of names that come from no file's text: made up from others, or written in the resolver.
    pub(crate) asked: BTreeSet<u32>,
}

thread_local! {
    static LAST: Cell<u32> = const { Cell::new(u32::MAX) };
    static LOOKS: RefCell<ReadSet> = const {
        RefCell::new(ReadSet { files: Vec::new(), asked: BTreeSet::new() })
    };
}

/// Does a job that stays on this thread, and says what it looked at.
pub(crate) fn watch<T>(job: impl FnOnce() -> T) -> (T, ReadSet) {
    LAST.set(u32::MAX);
    LOOKS.take();
    let result = job();
    (result, LOOKS.take())
}

/// Notes a look at the facts of `file`.
pub(super) fn file(file: FileId) {
    // Most looks are at the file of the look before.
    if LAST.replace(file.0) != file.0 {
        LOOKS.with_borrow_mut(|looks| looks.add(file));
    }
}

/// Notes a question for a name.
pub(super) fn name(text: &str) {
    LOOKS.with_borrow_mut(|looks| looks.asked.insert(hash(text)));
}

/// The hash of a name, the same in every process.
pub(crate) fn hash(text: &str) -> u32 {
    use std::hash::Hasher;
    let mut hasher = rustc_hash::FxHasher::default();
    hasher.write(text.as_bytes());
    let hash = hasher.finish();
    (hash ^ hash >> 32) as u32
}

impl ReadSet {
    pub(crate) fn add(&mut self, file: FileId) {
        let at = file.index() / 64;
        if self.files.len() <= at {
            self.files.resize(at + 1, 0);
        }
        self.files[at] |= 1 << (file.0 % 64);
    }

    /// The files, sorted.
    pub(crate) fn files(&self) -> impl Iterator<Item = FileId> + '_ {
        let has = |at: &usize| self.files[at / 64] >> (at % 64) & 1 == 1;
        (0..self.files.len() * 64).filter(has).map(|at| FileId(number(at)))
    }
}
