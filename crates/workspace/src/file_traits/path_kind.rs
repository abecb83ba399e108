//! The kind of part that a file's path suggests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

use crate::UnknownVariant;

/// The kind of part that a file's path suggests by general convention.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<PathKind>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PathKind {
    /// A route, page or screen.
    Route,
    /// A user-interface component.
    Component,
    /// A hook.
    Hook,
    /// A service.
    Service,
    /// An API boundary.
    Api,
    /// A store, reducer or model of state.
    Store,
    /// An action or command.
    Action,
    /// Types only.
    Type,
    /// Configuration.
    Config,
}
