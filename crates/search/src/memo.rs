//! What is worked out once for each key and then known to every thread of a question.

use std::{
    borrow::Borrow,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustc_hash::FxHashMap;

/// Values by what they follow from. Two threads may work one out at once; it is the same, and the first is kept.
pub(crate) struct Memo<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for Memo<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> Memo<K, V> {
    /// Returns the value of `key`; `make` works it out, and may ask for others.
    pub(crate) fn get<Q>(&self, key: &Q, make: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(known) = self.known().get(key) {
            return known.clone();
        }
        let made = make();
        self.known().entry(key.to_owned()).or_insert(made).clone()
    }

    fn known(&self) -> MutexGuard<'_, FxHashMap<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
