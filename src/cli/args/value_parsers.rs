//! Parsers of the values of arguments.

#[cfg(feature = "serve")]
use std::net::SocketAddr;
use std::{ops::RangeInclusive, str::FromStr};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use retriever::{UnknownVariant, config::load_config};
use strum::{IntoEnumIterator, ParseError, VariantArray};

/// Maximum of `--jobs`.
const MAX_JOBS: usize = 256;

/// Returns a parser for a string enum: help, completions and errors list its variants.
pub(super) fn variants<E>() -> impl TypedValueParser<Value = E>
where
    E: VariantArray + AsRef<str> + FromStr<Err = UnknownVariant> + Clone + Send + Sync,
{
    PossibleValuesParser::new(E::VARIANTS.iter().map(AsRef::as_ref)).try_map(|name| name.parse())
}

/// Returns a parser for an enum of another crate: help and errors list its variants.
pub(super) fn names<E>() -> impl TypedValueParser<Value = E>
where
    E: IntoEnumIterator + Into<&'static str> + FromStr<Err = ParseError> + Clone + Send + Sync,
    E: 'static,
{
    PossibleValuesParser::new(E::iter().map(Into::<&'static str>::into))
        .try_map(|name| name.parse::<E>())
}

/// Returns a parser for whole numbers from `least` on.
pub(super) fn number_from(least: u32) -> impl TypedValueParser<Value = u32> {
    number_in(least..=u32::MAX)
}

/// Returns a parser for whole numbers within `limits`, which its errors name.
pub(super) fn number_in(limits: RangeInclusive<u32>) -> impl TypedValueParser<Value = u32> {
    move |text: &str| {
        let number = text.parse::<u32>().ok().filter(|number| limits.contains(number));
        number.ok_or_else(|| match (limits.start(), limits.end()) {
            (least, &u32::MAX) => format!("write a whole number, {least} or more"),
            (least, most) => format!("write a whole number from {least} to {most}"),
        })
    }
}

#[cfg(feature = "serve")]
pub(super) fn socket_address(text: &str) -> Result<SocketAddr, &'static str> {
    text.parse().map_err(|_| "write an IP address and a port, such as 127.0.0.1:7333")
}

pub(super) fn jobs(text: &str) -> Result<usize, String> {
    let jobs = text.parse().ok().filter(|jobs| (1..=MAX_JOBS).contains(jobs));
    jobs.ok_or_else(|| format!("write a number from 1 to {MAX_JOBS}"))
}

pub(super) fn duration(text: &str) -> Result<u32, String> {
    let seconds = load_config::seconds(text).and_then(|seconds| u32::try_from(seconds).ok());
    match seconds {
        Some(seconds) if seconds > 0 => Ok(seconds),
        _ => Err("write seconds, 1 or more, or a duration such as 90s, 2m or 1h 30m".to_owned()),
    }
}
