//! Strings numbered in the order in which they are first met, on any thread. A number stands for its string as long as the
//! interner exists. It differs from run to run, so nothing may depend on the order of numbers.

use std::{
    hash::{Hash, Hasher},
    sync::{OnceLock, PoisonError, RwLock},
};

use rustc_hash::{FxHashMap, FxHasher};

use crate::resolve::file_and_definition_ids::{Name, number};

/// Strings in the first chunk. Each chunk has twice as many as the one before.
const FIRST_CHUNK: usize = 1 << 10;
/// Chunks that hold all 32-bit numbers.
const CHUNKS: usize = 23;

type Chunk = Box<[OnceLock<Box<str>>]>;

/// All strings that were met.
pub(crate) struct Interner {
    /// By hash. A string whose hash is taken has the next free number behind it.
    numbers: RwLock<FxHashMap<u64, Name>>,
    /// Chunks are never moved, so that texts can be read without a lock.
    texts: [OnceLock<Chunk>; CHUNKS],
}

impl Default for Interner {
    fn default() -> Self {
        let interner = Self { numbers: RwLock::default(), texts: Default::default() };
        interner.intern("");
        interner
    }
}

impl Interner {
    /// Returns the number of a string.
    pub(crate) fn intern(&self, text: &str) -> Name {
        let known = self.find(&self.numbers.read().unwrap_or_else(PoisonError::into_inner), text);
        match known {
            Ok(name) => name,
            Err(_) => {
                let mut numbers = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
                self.add(&mut numbers, text)
            }
        }
    }

    /// Returns the numbers of strings, in their order. Takes the lock once.
    pub(crate) fn intern_all(&self, texts: &[Box<str>]) -> Box<[Name]> {
        let known: Vec<Option<Name>> = {
            let numbers = self.numbers.read().unwrap_or_else(PoisonError::into_inner);
            texts.iter().map(|text| self.find(&numbers, text).ok()).collect()
        };
        if known.iter().all(Option::is_some) {
            return known.into_iter().flatten().collect();
        }
        let mut numbers = self.numbers.write().unwrap_or_else(PoisonError::into_inner);
        let texts = texts.iter().map(|text| &**text);
        let number = |(known, text): (Option<Name>, &str)| {
            known.unwrap_or_else(|| self.add(&mut numbers, text))
        };
        known.into_iter().zip(texts).map(number).collect()
    }

    /// Returns the string of a number.
    pub(crate) fn text(&self, name: Name) -> &str {
        let (chunk, place) = place(name);
        let text = self.texts[chunk].get().and_then(|texts| texts[place].get());
        text.map_or("", |text| text)
    }

    /// Returns the number of a string, or the hash to insert it under.
    fn find(&self, numbers: &FxHashMap<u64, Name>, text: &str) -> Result<Name, u64> {
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        let mut hash = hasher.finish();
        while let Some(name) = numbers.get(&hash) {
            if self.text(*name) == text {
                return Ok(*name);
            }
            hash = hash.wrapping_add(1);
        }
        Err(hash)
    }

    fn add(&self, numbers: &mut FxHashMap<u64, Name>, text: &str) -> Name {
        match self.find(numbers, text) {
            Ok(name) => name,
            Err(free) => {
                let name = Name(number(numbers.len()));
                let (chunk, place) = place(name);
                let empty = || (0..FIRST_CHUNK << chunk).map(|_| OnceLock::new()).collect();
                self.texts[chunk].get_or_init(empty)[place].get_or_init(|| text.into());
                numbers.insert(free, name);
                name
            }
        }
    }
}

/// Returns the chunk that a number is in, and its place there.
fn place(name: Name) -> (usize, usize) {
    let slot = name.index() + FIRST_CHUNK;
    let top = slot.ilog2();
    ((top - FIRST_CHUNK.ilog2()) as usize, slot - (1 << top))
}
