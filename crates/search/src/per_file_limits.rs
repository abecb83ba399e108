//! How much work one file may cause. The limits are far above what hand-written files need. Work is counted, so the
//! same file always gives the same result.

use retriever_workspace::{BudgetLimits, Cancellation, WorkBudget};

/// Operations for each byte of a file, and for any file.
const OPERATIONS_PER_BYTE: u64 = 64;
const MIN_OPERATIONS: u64 = 1 << 20;
/// Bytes of memory for each byte of a file, and for any file.
const BYTES_PER_BYTE: u64 = 64;
const MIN_BYTES: u64 = 1 << 20;

/// Returns the budget for looking into a file of `bytes`.
pub(crate) fn file_budget(bytes: usize, cancellation: &Cancellation) -> WorkBudget {
    let bytes = u64::try_from(bytes).unwrap_or(u64::MAX);
    let limits = BudgetLimits {
        operations: bytes.saturating_mul(OPERATIONS_PER_BYTE).max(MIN_OPERATIONS),
        bytes: bytes.saturating_mul(BYTES_PER_BYTE).max(MIN_BYTES),
    };
    WorkBudget::new(limits, cancellation)
}
