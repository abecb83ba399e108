//! Memoises the answers to one kind of question. A final answer is kept. An answer that was cut short at a cycle is kept
//! until the evaluation at the head of the cycle ends: this avoids walking the cycle again, and a longer life would hide
//! the final answer of the head.

use std::hash::Hash;

use rustc_hash::FxHashMap;

/// The depth of an answer that nothing cut.
pub(super) const WHOLE: u32 = u32::MAX;

/// Answers by question.
pub(crate) struct CycleMemo<K, V> {
    /// With the depth of the outermost open evaluation that each was cut at.
    answers: FxHashMap<K, (V, u32)>,
    /// The questions that are being answered, and how deep.
    open: FxHashMap<K, u32>,
    /// By depth, the questions whose answers are dropped when the evaluation at that depth ends.
    passing: Vec<Vec<K>>,
}

impl<K, V> Default for CycleMemo<K, V> {
    fn default() -> Self {
        Self { answers: FxHashMap::default(), open: FxHashMap::default(), passing: Vec::new() }
    }
}

/// What is known of a question before it is answered.
pub(crate) enum MemoState<V> {
    /// Its answer, and the depth that it was cut at.
    Answer(V, u32),
    /// It is being answered at this depth.
    Open(u32),
    Nothing,
}

impl<K: Copy + Eq + Hash, V: Clone> CycleMemo<K, V> {
    pub(crate) fn get(&self, key: K) -> MemoState<V> {
        if let Some((answer, cut)) = self.answers.get(&key) {
            return MemoState::Answer(answer.clone(), *cut);
        }
        self.open.get(&key).map_or(MemoState::Nothing, |depth| MemoState::Open(*depth))
    }

    pub(crate) fn open(&mut self, key: K, depth: u32) {
        self.open.insert(key, depth);
    }

    /// Keeps the answer to an open question.
    pub(crate) fn close(&mut self, key: K, answer: V, cut: u32) {
        self.open.remove(&key);
        self.answers.insert(key, (answer, cut));
        if cut != WHOLE {
            let cut = cut as usize;
            if self.passing.len() <= cut {
                self.passing.resize_with(cut + 1, Vec::new);
            }
            self.passing[cut].push(key);
        }
    }

    /// Forgets what was cut at the evaluation at `depth`, which ends.
    pub(super) fn end(&mut self, depth: u32) {
        for key in self.passing.get_mut(depth as usize).map(std::mem::take).unwrap_or_default() {
            self.answers.remove(&key);
        }
    }
}
