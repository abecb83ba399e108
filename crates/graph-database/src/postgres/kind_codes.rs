//! Kinds as small numbers: their index in the list of variants. A new kind is added at the end of its list, or the
//! schema is renamed.

use std::error::Error;

use strum::VariantArray;
use tokio_postgres::{
    Row,
    row::RowIndex,
    types::{FromSql, Type},
};

/// Returns the number of a kind.
pub(super) fn of<T: VariantArray + Copy + PartialEq>(kind: T) -> i16 {
    let place = T::VARIANTS.iter().position(|known| *known == kind);
    place.and_then(|place| i16::try_from(place).ok()).unwrap_or_default()
}

/// Returns the kind in a column.
///
/// # Errors
///
/// [`UnknownKindCode`] as the cause, for a number of a newer program.
pub(super) fn kind_at<T: VariantArray + Copy>(
    row: &Row,
    column: impl RowIndex + std::fmt::Display,
) -> Result<T, tokio_postgres::Error> {
    row.try_get::<_, Code<T>>(column).map(|code| code.0)
}

/// A number without a kind in this program.
#[derive(Debug, thiserror::Error)]
#[error("it holds a graph of a newer version of this program (kind {0}): update this one")]
pub(super) struct UnknownKindCode(i16);

struct Code<T>(T);

impl<'r, T: VariantArray + Copy> FromSql<'r> for Code<T> {
    fn from_sql(ty: &Type, raw: &'r [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        let code = i16::from_sql(ty, raw)?;
        let kind = usize::try_from(code).ok().and_then(|place| T::VARIANTS.get(place));
        Ok(Self(*kind.ok_or(UnknownKindCode(code))?))
    }

    fn accepts(ty: &Type) -> bool {
        *ty == Type::INT2
    }
}
