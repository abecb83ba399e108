//! The IDs of commits.

/// Whether a text is the hash of a commit, SHA-1 or SHA-256.
pub(crate) fn is_commit_id(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}
