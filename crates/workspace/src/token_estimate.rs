//! The one estimate of what text costs a model. No tokenizer: budgets have to hold for every endpoint, so the estimate
//! errs upwards.

/// Estimated tokens of `text`: a token for every three bytes, which is on the high side for code and English.
pub fn estimate_tokens(text: &str) -> u64 {
    u64::try_from(text.len().div_ceil(3)).unwrap_or(u64::MAX)
}
