//! The error of parsing a string enum, with the known strings. All string enums of the program (roles, intents, edge
//! kinds …) derive their names with `strum`, so that JSON, command line and messages use the same ones.

use strum::VariantArray;

/// A string that is not a variant of a string enum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{name}\" is not one of {}", known.join(", "))]
pub struct UnknownVariant {
    name: String,
    known: Vec<&'static str>,
}

impl UnknownVariant {
    /// Returns the error for `name`, which is not a variant of `E`. For `#[strum(parse_err_fn = …)]`.
    pub fn of<E: VariantArray + AsRef<str>>(name: &str) -> Self {
        let known = E::VARIANTS.iter().map(AsRef::as_ref).collect();
        Self { name: name.to_owned(), known }
    }
}
