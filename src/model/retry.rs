//! When a failed request is worth another try, and after how long. This is the only retry layer: the HTTP client below
//! sends once, and the loop above sees the last failure only.

use std::time::{Duration, Instant};

use super::attempt_error::RequestAttemptError;
use crate::config::ModelConfig;

/// How often and how patiently a request is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Requests beyond the first.
    pub retries: u32,
    /// Wait before the first retry; it doubles with each further one.
    pub base: Duration,
    /// Longest wait of our own choosing. A wait that the endpoint asks for is bounded by the deadline only.
    pub cap: Duration,
    /// How long one request may take.
    pub attempt: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self::from(&ModelConfig::default())
    }
}

impl From<&ModelConfig> for RetryPolicy {
    fn from(config: &ModelConfig) -> Self {
        Self {
            retries: config.retries,
            base: Duration::from_millis(500),
            cap: Duration::from_secs(20),
            attempt: Duration::from_secs(config.request_timeout_s.max(1)),
        }
    }
}

impl RetryPolicy {
    /// Returns how long to wait before the next try, or `None` when there must be none: the error is not retryable, the
    /// retries are used up, or the wait would end after `deadline`.
    pub(super) fn wait(
        &self,
        error: &RequestAttemptError,
        retries: u32,
        deadline: Instant,
    ) -> Option<Duration> {
        if retries >= self.retries || !error.is_retryable() {
            return None;
        }
        let backoff = self.base.saturating_mul(1 << retries.min(16)).min(self.cap);
        // Jitter keeps parallel runs from coming back in step: half of the wait is fixed, half is drawn. It goes on
        // top of a wait that was asked for, which is a minimum.
        let wait = match error.retry_after() {
            Some(asked) => asked.saturating_add(self.base.mul_f64(fastrand::f64())),
            None => backoff.mul_f64(0.5 + fastrand::f64() / 2.0),
        };
        (wait < deadline.saturating_duration_since(Instant::now())).then_some(wait)
    }
}
