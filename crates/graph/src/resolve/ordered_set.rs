//! Values that are found one after the other, each kept once, in the order in which they were found. A name can have
//! thousands of overloads, so they are not compared with one another.

use std::hash::Hash;

use rustc_hash::FxHashSet;

/// Values up to which comparing them is faster than hashing.
const MAX_COMPARED: usize = 16;

/// Values, each once.
pub(crate) struct OrderedSet<T, K> {
    found: Vec<T>,
    /// Values with different keys differ; those with the same key, or none, are compared.
    key: fn(&T) -> Option<K>,
    /// The keys of the values, once there are many.
    keys: FxHashSet<K>,
}

impl<T: PartialEq, K: Eq + Hash> OrderedSet<T, K> {
    pub(crate) fn new(key: fn(&T) -> Option<K>) -> Self {
        Self { found: Vec::new(), key, keys: FxHashSet::default() }
    }

    pub(crate) fn push(&mut self, value: T) {
        if self.found.len() >= MAX_COMPARED && self.keys.is_empty() {
            self.keys.extend(self.found.iter().filter_map(self.key));
        }
        let has_new_key = self.found.len() >= MAX_COMPARED
            && (self.key)(&value).is_some_and(|key| self.keys.insert(key));
        if has_new_key || !self.found.contains(&value) {
            self.found.push(value);
        }
    }

    pub(crate) fn into_vec(self) -> Vec<T> {
        self.found
    }
}
