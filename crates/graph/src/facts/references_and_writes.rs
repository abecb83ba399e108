//! Places where a file uses definitions: calls, reads, types; values that are put into fields; events named by a string.

use super::{DefId, ExprId, Sym, TypeId};
use serde::{Deserialize, Serialize};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum ReferenceKind {
    Call,
    New,
    /// A component rendered by its tag.
    Element,
    Decorator,
    /// A name handed over as a value.
    Value,
    /// A name or member without arguments, which calls what it names if that is a method without parameters or an accessor.
    Read,
    /// A variable, a member or a base that is made where its type or its name stands: it calls a constructor, if one is
    /// written.
    Made,
}

/// The label of an argument that has none.
pub(crate) const UNLABELLED: &str = "_";

/// The label of the first closure behind a call's parentheses: it goes to whatever parameter takes a function.
pub(crate) const TRAILING: &str = "{";

/// The labels that a call's arguments have.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct ArgumentLabels {
    pub(crate) call: ExprId,
    /// One an argument.
    pub(crate) names: Vec<Sym>,
}

/// A place where another definition is used.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Reference {
    pub(crate) kind: ReferenceKind,
    /// What is called, rendered or named.
    pub(crate) target: ExprId,
    /// Number of arguments, which is one for a member that is assigned to; for a value, its place among them.
    pub(crate) args: u16,
    pub(crate) line: u32,
    pub(crate) from: Option<DefId>,
}

/// A value that is put into a field.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct StructFieldValue {
    /// The type that has the field.
    pub(crate) ty: TypeId,
    pub(crate) field: StructFieldSelector,
    pub(crate) value: ExprId,
}

/// A field that a literal or a pattern names.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct NamedField {
    /// The type that has the field.
    pub(crate) ty: TypeId,
    pub(crate) name: Sym,
    /// Where the name stands.
    pub(crate) pos: u32,
}

/// Which field of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StructFieldSelector {
    Named(Sym),
    /// By its place among the fields, from 0.
    Nth(u16),
}

/// A value that an assignment stores.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct StructFieldWrite {
    pub(crate) into: ExprId,
    pub(crate) value: ExprId,
}

/// The first part of the key of an event that a type or a constant names; that name follows. The key of an event that is raised
/// by a value is empty, since the type of the value says which event it is.
pub(crate) const EVENT_BY_DEFINITION: char = '\0';

/// What a call does with an event that it names by a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum NamedEventAction {
    Listens,
    Raises,
}

/// A call that listens for an event, or raises one, by its name as a string.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct NamedEvent {
    pub(crate) action: NamedEventAction,
    pub(crate) key: Sym,
    /// The call.
    pub(crate) call: ExprId,
    pub(crate) line: u32,
    pub(crate) from: Option<DefId>,
}

/// A member that is reached by a name that may be a type's: `Mode.FAST`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct MemberUse {
    pub(crate) member: ExprId,
    pub(crate) line: u32,
    pub(crate) from: Option<DefId>,
}

/// What a type is named for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum TypeUse {
    Annotation,
    /// A value of it is made without a call: `T { … }`.
    Construction,
}

/// A type that is named, or that a value is made of.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TypeRef {
    pub(crate) ty: TypeId,
    pub(crate) usage: TypeUse,
    pub(crate) line: u32,
    pub(crate) from: Option<DefId>,
}
