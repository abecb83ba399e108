//! Quantities: a number with or without a unit, in prose and in code. Two quantities are compared as amounts, and only
//! units of one kind are converted into each other.

mod numbers_in_code;
mod numbers_in_prose;
mod quantity_comparison;
mod quantity_with_unit;

use self::numbers_in_code::NumericComparison;
use self::quantity_with_unit::parse_number;
pub(crate) use self::quantity_with_unit::{
    Quantity, QuantityBound, QuantityUnit, is_same, is_zero_or_one, unit_named,
};
pub(crate) use self::{
    numbers_in_code::{NumberInCode, code_numbers, code_units},
    numbers_in_prose::{listed_behind, quantities, small_numbers, spelled_value},
};
