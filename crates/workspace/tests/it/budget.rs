//! The budget of a piece of work: what is left, what ends it, and that an end is final.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use retriever_workspace::{BudgetLimits, Cancellation, WorkBudget, WorkBudgetExhausted};

const LIMITS: BudgetLimits = BudgetLimits { operations: 10, bytes: 100 };

fn budget() -> WorkBudget {
    WorkBudget::new(LIMITS, &Cancellation::new())
}

#[test]
fn operations_end_exactly_and_for_good() {
    let budget = budget();
    assert_eq!(budget.spend(10), Ok(()));
    assert_eq!(budget.spend(1), Err(WorkBudgetExhausted::Operations));
    assert_eq!(budget.spend(0), Err(WorkBudgetExhausted::Operations));
    assert_eq!(budget.allocate(1), Err(WorkBudgetExhausted::Operations));
    assert_eq!(budget.exhausted(), Some(WorkBudgetExhausted::Operations));
}

#[test]
fn bytes_end_exactly_and_for_good() {
    let budget = budget();
    assert_eq!(budget.allocate(100), Ok(()));
    assert_eq!(budget.allocate(1), Err(WorkBudgetExhausted::Bytes));
    assert_eq!(budget.spend(1), Err(WorkBudgetExhausted::Bytes));
}

#[test]
fn a_cancelled_budget_ends_at_the_next_look() {
    let cancellation = Cancellation::new();
    let limits = BudgetLimits { operations: u64::MAX, ..LIMITS };
    let budget = WorkBudget::new(limits, &cancellation);
    assert_eq!(budget.spend(1), Ok(()));
    cancellation.cancel();
    assert_eq!(budget.spend(1_000_000), Err(WorkBudgetExhausted::Cancelled));
    assert_eq!(budget.exhausted(), Some(WorkBudgetExhausted::Cancelled));
}

#[test]
fn the_earlier_deadline_holds_and_clones_share_a_request() {
    let now = Instant::now();
    let past = now.checked_sub(Duration::from_secs(1)).unwrap_or(now);
    let whole = Cancellation::new().with_deadline(now + Duration::from_secs(3_600));
    let part = whole.with_deadline(past);
    assert!(part.is_cancelled());
    assert!(!whole.is_cancelled());
    assert_eq!(part.with_deadline(now + Duration::from_secs(9)).deadline(), Some(past));
    assert_eq!((part.remaining(), Cancellation::new().remaining()), (Some(Duration::ZERO), None));
    assert!(whole.remaining().is_some_and(|left| left > Duration::from_secs(60)));
    part.cancel();
    assert_eq!(whole.check(), Err(WorkBudgetExhausted::Cancelled));
}

proptest! {
    #[test]
    fn nothing_is_spent_beyond_the_limit(parts in prop::collection::vec(0_u64..6, 0..20)) {
        let budget = budget();
        let spent: u64 = parts.iter().filter(|part| budget.spend(**part).is_ok()).sum();
        prop_assert!(spent <= LIMITS.operations);
        if budget.exhausted().is_none() {
            prop_assert_eq!(budget.spend(LIMITS.operations - spent), Ok(()));
            prop_assert_eq!(budget.spend(1), Err(WorkBudgetExhausted::Operations));
        }
    }
}
