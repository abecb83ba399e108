//! Which of the two languages a header holds.

/// What lines begin with that aren't C's.
const CPP_ONLY: &[&str] = &[
    "class ",
    "namespace ",
    "template ",
    "template<",
    "public:",
    "private:",
    "using ",
    "virtual ",
    "explicit ",
    "constexpr ",
    "friend ",
];

/// Whether a header holds C++.
pub(crate) fn looks_like_cpp(text: &str) -> bool {
    text.lines().map(str::trim_start).any(|line| {
        (CPP_ONLY.iter().any(|word| line.starts_with(word)) || line.contains("std::"))
            && !line.ends_with("*/")
            && !line.starts_with("//")
    })
}
