//! Decides whether a failed request is repeated, and after which wait. This is the only retry layer: the HTTP client
//! below sends once, and the loop above sees the last failure only.

use std::time::{Duration, Instant};

use super::attempt_error::RequestAttemptError;
use crate::config::ModelConfig;

/// How often and after which waits a request is repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RetryPolicy {
    /// Requests beyond the first.
    pub retries: u32,
    /// Wait before the first retry; it doubles with each retry.
    pub first_wait: Duration,
    /// Longest wait, unless the endpoint asks for a longer one, which only the deadline limits.
    pub max_wait: Duration,
    /// Time limit of one request.
    pub request_timeout: Duration,
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
            first_wait: Duration::from_millis(500),
            max_wait: Duration::from_secs(20),
            request_timeout: Duration::from_secs(config.request_timeout_s.max(1)),
        }
    }
}

impl RetryPolicy {
    /// Returns the wait before the next attempt. Returns `None` when there is none: the error is not retryable, the
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
        let backoff = self.first_wait.saturating_mul(1 << retries.min(16)).min(self.max_wait);
        // Jitter spreads the retries of parallel runs: half of the wait is fixed, half is random. It is added to a wait
        // that the endpoint asks for, which is a minimum.
        let wait = match error.retry_after() {
            Some(asked) => asked.saturating_add(self.first_wait.mul_f64(fastrand::f64())),
            None => backoff.mul_f64(0.5 + fastrand::f64() / 2.0),
        };
        (wait < deadline.saturating_duration_since(Instant::now())).then_some(wait)
    }
}
