//! The nodes of the code graph: definitions, files and modules.

use super::Language;
use retriever_workspace::UnknownVariant;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{AsRefStr, Display, EnumString, VariantArray};

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

    /// Whether it is a type, of which there may be values.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class | Self::Struct | Self::Interface | Self::Trait | Self::Enum | Self::Alias
        )
    }
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
