//! A memo table that the threads of one search share.

use std::{
    borrow::Borrow,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustc_hash::FxHashMap;

/// Values by what they are computed from. Two threads may compute one value at the same time; both get the same, and the
/// first is kept.
pub(crate) struct SharedMemo<K, V>(Mutex<FxHashMap<K, V>>);

impl<K, V> Default for SharedMemo<K, V> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<K: Eq + Hash, V: Clone> SharedMemo<K, V> {
    /// Returns the value of `key`, which `compute` gives the first time. `compute` may ask for other keys.
    pub(crate) fn get<Q>(&self, key: &Q, compute: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(known) = self.lock().get(key) {
            return known.clone();
        }
        let value = compute();
        self.lock().entry(key.to_owned()).or_insert(value).clone()
    }

    fn lock(&self) -> MutexGuard<'_, FxHashMap<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
