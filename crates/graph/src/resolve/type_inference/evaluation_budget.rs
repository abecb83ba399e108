//! How far an evaluation may go: nesting, evaluations of one question, operations of one file, and what a
//! cycle cuts short.

use super::{FILE_LIMITS, FUEL, TypeInference};
use crate::resolve::cycle_memo::{MemoState, WHOLE};
use retriever_workspace::{WorkBudget, WorkBudgetExhausted};

/// Evaluations inside one another.
const MAX_DEPTH: u32 = 48;

/// Items of a list that are looked at for one operation.
const SEARCHED: usize = 16;

impl<'w, 'p> TypeInference<'w, 'p> {
    /// Starts a new question.
    pub(crate) fn begin_question(&mut self) {
        self.fuel = FUEL;
        self.cut = WHOLE;
        self.forget(0);
    }

    /// Opens an evaluation; `None` at the limit.
    pub(crate) fn begin(&mut self) -> Option<u32> {
        if self.depth >= MAX_DEPTH || self.fuel == 0 || self.budget.spend(1).is_err() {
            self.cut = 0;
            return None;
        }
        self.depth += 1;
        self.fuel -= 1;
        Some(std::mem::replace(&mut self.cut, WHOLE))
    }

    /// Starts a new budget, for work that does not depend on what was done so far.
    pub(crate) fn renew_budget(&mut self) {
        self.ran_out = self.ran_out();
        self.budget = WorkBudget::new(FILE_LIMITS, &self.program.cancellation);
    }

    /// Whether the budget is used up, or the work was cancelled.
    pub(crate) fn is_exhausted(&self) -> bool {
        self.budget.exhausted().is_some()
    }

    /// Whether this budget or one before it ran out of operations, so that something is left unresolved.
    pub(crate) fn ran_out(&self) -> bool {
        self.ran_out || self.budget.exhausted() == Some(WorkBudgetExhausted::Operations)
    }

    /// Spends one operation for each of `candidates`, which are about to be compared. Returns whether the budget lasted;
    /// if not, every later evaluation ends at once.
    #[must_use]
    pub(crate) fn charge(&self, candidates: usize) -> bool {
        self.budget.spend(candidates as u64).is_ok()
    }

    /// Takes operations for a search through a list of `items`. To look at one costs far less than an evaluation.
    #[must_use]
    pub(crate) fn charge_search(&self, items: usize) -> bool {
        self.charge(1 + items / SEARCHED)
    }

    /// Spends operations for work that is done whether the budget lasts or not: one walk through a list that is already made.
    pub(crate) fn count(&self, candidates: usize) {
        let _ = self.charge(candidates);
    }

    /// Spends operations for a search that is done whether the budget lasts or not.
    pub(crate) fn count_search(&self, items: usize) {
        let _ = self.charge_search(items);
    }

    /// Closes an evaluation. Returns the depth that its result was cut at, if that is outside of this evaluation.
    pub(crate) fn end(&mut self, outer: u32) -> u32 {
        let own = if self.cut >= self.depth { WHOLE } else { self.cut };
        self.forget(self.depth);
        self.cut = outer.min(own);
        self.depth -= 1;
        own
    }

    /// Runs `work` and returns the number of evaluations that it took, or `None` if a cycle or a limit cut it short. A
    /// result without new evaluations rests on final answers only, so it can be memoised.
    pub(crate) fn spent<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> (T, Option<u32>) {
        let (fuel, outer) = (self.fuel, std::mem::replace(&mut self.cut, WHOLE));
        let is_open = !self.open_glob_imports.is_empty();
        let done = work(self);
        let is_whole = self.cut == WHOLE && !is_open;
        self.cut = self.cut.min(outer);
        (done, is_whole.then_some(fuel - self.fuel))
    }

    /// Notes that an import led back to one that is being followed, so that its result is not final.
    pub(crate) fn meet_open_import(&mut self) {
        self.met_open_import = true;
        self.cut = 0;
    }

    /// Charges the evaluations of a memoised result; `false` when the limits would not have allowed them.
    pub(crate) fn spend(&mut self, evaluations: u32) -> bool {
        let can = self.depth < MAX_DEPTH && self.fuel >= evaluations;
        if can {
            self.fuel -= evaluations;
        }
        can
    }

    /// Returns what is memoised of a question: `None` when it has to be answered, `Some(None)` while it is being
    /// answered.
    pub(crate) fn recall<V>(&mut self, known: MemoState<V>) -> Option<Option<V>> {
        let (answer, cut) = match known {
            MemoState::Answer(answer, cut) => (Some(answer), cut),
            MemoState::Open(depth) => (None, depth),
            MemoState::Nothing => return None,
        };
        self.cut = self.cut.min(cut);
        Some(answer)
    }

    /// Forgets results that hold only within the evaluation at `depth`.
    fn forget(&mut self, depth: u32) {
        self.types.end(depth);
        self.values.end(depth);
        self.ancestry.end(depth);
    }
}
