//! Tables that outlive a question, of a bounded size.

use std::{
    borrow::Borrow,
    hash::Hash,
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustc_hash::FxHashMap;

/// Bytes in one of the two generations of a memo table.
const MAX_BYTES: usize = 4 << 20;
/// Bytes of an entry beside its value.
const ENTRY_BYTES: usize = 64;

/// Values by what they are computed from. Its owner sees to it that the values follow from nothing but the keys as long as the
/// table lives.
#[derive(Debug)]
pub(crate) struct BoundedMemo<K, V>(Mutex<Generations<K, V>>);

/// Values by keys. What was not asked for while as many others came is forgotten.
#[derive(Debug)]
pub(crate) struct Generations<K, V> {
    young: FxHashMap<K, V>,
    /// Bytes of the young ones.
    bytes: usize,
    old: FxHashMap<K, V>,
    /// Bytes in one generation.
    max_bytes: usize,
}

/// A value that tells about how many bytes it takes.
pub(crate) trait KeptValue: Clone {
    fn bytes(&self) -> usize;
}

impl<K, V> Default for BoundedMemo<K, V> {
    fn default() -> Self {
        Self(Mutex::new(Generations::new(MAX_BYTES)))
    }
}

impl<K, V> Generations<K, V> {
    pub(crate) fn new(max_bytes: usize) -> Self {
        let (young, old) = (FxHashMap::default(), FxHashMap::default());
        Self { young, bytes: 0, old, max_bytes }
    }
}

impl<K: Eq + Hash, V: KeptValue> BoundedMemo<K, V> {
    /// Returns the value of `key`; `compute` gives it unless it is kept. Two threads may compute one value at the same time.
    pub(crate) fn get<Q>(&self, key: &Q, compute: impl FnOnce() -> V) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        self.get_unless(key, compute, || false)
    }

    /// Does the same, but keeps no new value if `is_cut_short` afterwards.
    pub(crate) fn get_unless<Q>(
        &self,
        key: &Q,
        compute: impl FnOnce() -> V,
        is_cut_short: impl FnOnce() -> bool,
    ) -> V
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ToOwned<Owned = K> + ?Sized,
    {
        if let Some(known) = self.lock().get(key) {
            return known;
        }
        let value = compute();
        if !is_cut_short() {
            self.lock().put(key.to_owned(), value.clone());
        }
        value
    }

    fn lock(&self) -> MutexGuard<'_, Generations<K, V>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<K: Eq + Hash, V: KeptValue> Generations<K, V> {
    pub(crate) fn get<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        if let Some(young) = self.young.get(key) {
            return Some(young.clone());
        }
        let (key, value) = self.old.remove_entry(key)?;
        self.put(key, value.clone());
        Some(value)
    }

    pub(crate) fn put(&mut self, key: K, value: V) {
        let bytes = value.bytes() + ENTRY_BYTES;
        if self.bytes + bytes > self.max_bytes {
            self.old = std::mem::take(&mut self.young);
            self.bytes = 0;
        }
        if bytes <= self.max_bytes {
            let replaced = self.young.insert(key, value);
            let replaced = replaced.map_or(0, |value| value.bytes() + ENTRY_BYTES);
            self.bytes = (self.bytes + bytes).saturating_sub(replaced);
        }
    }
}

impl KeptValue for bool {
    fn bytes(&self) -> usize {
        0
    }
}

impl KeptValue for u16 {
    fn bytes(&self) -> usize {
        0
    }
}

impl KeptValue for String {
    fn bytes(&self) -> usize {
        self.len()
    }
}

impl<T: Clone> KeptValue for std::sync::Arc<[T]> {
    fn bytes(&self) -> usize {
        size_of_val::<[T]>(self)
    }
}
