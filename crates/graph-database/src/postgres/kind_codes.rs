//! Kinds as small numbers: their places in the list of variants. A new kind is added at the end of its list, or the name of
//! the schema gets another number.

use strum::VariantArray;

/// Returns the number of a kind.
pub(super) fn of<T: VariantArray + Copy + PartialEq>(kind: T) -> i16 {
    let place = T::VARIANTS.iter().position(|known| *known == kind);
    place.and_then(|place| i16::try_from(place).ok()).unwrap_or_default()
}

/// Returns the kind of a number; the last one for numbers of a newer program.
pub(super) fn kind_of<T: VariantArray + Copy>(code: i16) -> T {
    let place = usize::try_from(code).unwrap_or_default().min(T::VARIANTS.len() - 1);
    T::VARIANTS[place]
}
