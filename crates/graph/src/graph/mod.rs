//! The data of the code graph: nodes, edges and the words for their kinds. [`crate::store`] keeps and reads them,
//! [`crate::graph_queries`] answers questions about them.

mod language;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

pub use self::language::{Language, RegisteredLanguage};
pub(crate) use self::language::{LanguageFamily, registrations_hash};
use retriever_workspace::UnknownVariant;

/// What kind of thing a node is.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
#[derive(AsRefStr, Display, EnumString, VariantArray)]
#[strum(serialize_all = "snake_case", ascii_case_insensitive)]
#[strum(parse_err_ty = UnknownVariant, parse_err_fn = UnknownVariant::of::<NodeKind>)]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NodeKind {
    /// A source file.
    File,
    /// A module, package or namespace inside a file.
    Module,
    /// A function or method.
    Function,
    /// A class.
    Class,
    /// A struct.
    Struct,
    /// An interface or protocol.
    Interface,
    /// A trait.
    Trait,
    /// An enumeration.
    Enum,
    /// A member of an enumeration.
    Variant,
    /// Another name for a type.
    Alias,
    /// A field or property.
    Field,
    /// A variable or constant outside functions, or one that holds a function.
    Variable,
    /// A macro.
    Macro,
}

impl NodeKind {
    /// Whether a node of this kind runs nothing itself and can keep functions that run later.
    pub const fn keeps_callbacks(self) -> bool {
        matches!(self, Self::Field | Self::Variable)
    }
}

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
    /// A file imports a file or a definition.
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

/// The number of a node in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct NodeId(pub u32);

/// A definition, file or module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Node {
    /// What it is.
    pub kind: NodeKind,
    /// Its own name.
    pub name: String,
    /// Its full name by the convention of its language; not always unique.
    pub qname: String,
    /// The file, below the root.
    pub path: String,
    /// First line, from 1.
    pub start: u32,
    /// Last line, inclusive.
    pub end: u32,
    /// The line that names it.
    pub name_line: u32,
    /// Its heading on one line.
    pub signature: String,
    /// The first line of its comment.
    pub doc: String,
    /// The language of its file.
    pub language: Language,
    /// A function that belongs to a type.
    pub is_method: bool,
    /// A function that runs asynchronously.
    pub is_async: bool,
    /// Not visible outside its type or module.
    pub is_private: bool,
    /// Declared without a body.
    pub is_declaration: bool,
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

/// The parts of a [`Node`] that tell where it is and what it is called; cheaper to read than the whole node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeHeader<'a> {
    /// The file.
    pub path: &'a str,
    /// What it is.
    pub kind: NodeKind,
    /// Its name.
    pub name: &'a str,
    /// Its full name.
    pub qname: &'a str,
    /// First line.
    pub start: u32,
    /// Last line.
    pub end: u32,
    /// The line that names it.
    pub name_line: u32,
}
