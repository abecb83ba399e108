//! The edges of the code graph: what they relate, how sure they are, and calls that are bound to nothing.

use super::NodeId;
use retriever_workspace::UnknownVariant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

/// How two nodes are related; the edge points from the first to the second.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<EdgeKind>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeKind {
    /// A function calls or constructs.
    Calls,
    /// A type, or a method of it, implements an interface's.
    Implements,
    /// A type builds on another, or a method overrides another.
    Inherits,
    /// A function gives back a type.
    Returns,
    /// A type is a parameter's of a function.
    ParamOf,
    /// A definition stands inside another.
    Parent,
    /// A file imports a file or a definition. In C a file with one of several bodies of a function imports the prototype in
    /// the header that they include.
    Imports,
    /// A definition is decorated.
    DecoratedBy,
    /// A definition is named without being called.
    References,
    /// A field holds a type.
    FieldType,
    /// A definition makes another run without naming it. A function that calls what a field or variable keeps triggers
    /// that, and the field triggers what is put into it anywhere; what raises an event triggers its handlers; what asks
    /// for a redraw triggers the drawing. Where a field triggers, the line is that of the registration, in the file of
    /// the function that is registered, or 0 where it is registered elsewhere.
    Triggers,
    /// A definition makes a value of a type without a call: a literal that lists the fields.
    Constructs,
}

impl EdgeKind {
    /// Whether the edge leads from a type to one that it builds on, or from a method to one that it overrides.
    pub const fn is_inheritance(self) -> bool {
        matches!(self, Self::Implements | Self::Inherits)
    }
}

/// How sure an edge is.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<EdgeResolution>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum EdgeResolution {
    /// Named by scope, import or declared type.
    Exact,
    /// Found through inferred types.
    Inferred,
    /// A structural pattern: what runs is chosen when the program runs.
    Dynamic,
}

/// Which bodies a call may run, where others override the one that it names.
#[derive(
    VariantArray,
    Clone,
    Copy,
    Debug,
    Default,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
)]
pub enum CallDispatch {
    /// Any that overrides it.
    #[default]
    Open,
    /// Those of objects that the type around the call is a type of: the receiver is the object that runs.
    OwnObject,
    /// That one alone: `super.run()`, `Type.run()`.
    Fixed,
}

/// A relation between two nodes, with the line that makes it in the file of `from`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edge {
    /// From here.
    pub from: NodeId,
    /// The kind.
    pub kind: EdgeKind,
    /// To there.
    pub to: NodeId,
    /// The line, from 1.
    pub line: u32,
    /// How sure it is.
    pub resolution: EdgeResolution,
    /// Which bodies a call may run.
    pub dispatch: CallDispatch,
}

/// Where calls without a target lead.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpenCallTarget {
    /// That is not known: a definition of the repository may be meant.
    Unknown,
    /// Out of the repository, as far as the types of values are known.
    Outside,
}

/// A call that isn't bound to a definition.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct UnresolvedCall {
    /// The caller.
    pub from: NodeId,
    /// The name that is called.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// Known to lead out of the repository.
    pub outside: bool,
}
