//! Definitions: functions, types, fields, variables, and what is declared of each.

use super::{DefId, ExprId, ScopeId, Sym, TypeId};
use serde::{Deserialize, Serialize};

/// What kind of thing a definition is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum DefKind {
    Function,
    Class,
    Struct,
    Interface,
    Trait,
    Enum,
    Variant,
    Alias,
    Field,
    Variable,
    Namespace,
    /// Members added to a type from outside its declaration: `impl`, `extension`.
    Impl,
    /// An object literal or an inline object type: a type without a name.
    Object,
    Macro,
}

impl DefKind {
    /// Whether it has members that belong to a type.
    pub(crate) const fn is_type(self) -> bool {
        matches!(
            self,
            Self::Class
                | Self::Struct
                | Self::Interface
                | Self::Trait
                | Self::Enum
                | Self::Object
                | Self::Impl
        )
    }
}

/// A set of marks on a definition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct DefFlags(pub(crate) u32);

impl DefFlags {
    pub(crate) const ASYNC: Self = Self(1);
    pub(crate) const STATIC: Self = Self(2);
    pub(crate) const PRIVATE: Self = Self(4);
    pub(crate) const EXPORTED: Self = Self(8);
    /// Declared without a body.
    pub(crate) const DECLARATION: Self = Self(16);
    /// Read, or assigned to, like a field although it is a function; or a field that is called like a function without
    /// parameters.
    pub(crate) const PROPERTY: Self = Self(32);
    pub(crate) const CONSTRUCTOR: Self = Self(64);
    /// A variable or field whose value is a function wrapped in a call: `memo(() => …)`.
    pub(crate) const WRAPPED: Self = Self(128);
    /// Bound from inside a function by assignment: `self.x = …`.
    pub(crate) const ASSIGNED: Self = Self(256);
    /// Linked within its file only.
    pub(crate) const FILE_LOCAL: Self = Self(512);
    pub(crate) const GENERATOR: Self = Self(1024);
    /// The first parameter is the receiver.
    pub(crate) const SELF_PARAM: Self = Self(2048);
    pub(crate) const ABSTRACT: Self = Self(4096);
    /// Another name that is a type of its own, with its own members.
    pub(crate) const OPAQUE: Self = Self(8192);
    /// A field or another name for a type that is a pointer or a reference, where the type alone doesn't say so.
    pub(crate) const INDIRECT: Self = Self(16384);
    /// The body, on one platform, of what another file declares.
    pub(crate) const PLATFORM_BODY: Self = Self(32768);
    /// A comment tells the type: what it holds or gives back is looked at, too, since it may say more.
    pub(crate) const TYPED_BY_COMMENT: Self = Self(65536);
    /// Named by what a macro is given, by which no code means it.
    pub(crate) const TITLED: Self = Self(131_072);

    pub(crate) const fn has(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    pub(crate) const fn with(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TypeParam {
    pub(crate) name: Sym,
    pub(crate) bound: TypeId,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Param {
    pub(crate) name: Sym,
    pub(crate) ty: TypeId,
    pub(crate) default: ExprId,
    pub(crate) variadic: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum SupertypeKind {
    Inherits,
    Implements,
    /// What builds on the type has to build on this one, too: its members are seen inside of the type.
    Required,
    /// Only the object builds on it that the name of the type stands for as a value.
    Companion,
}

/// A definition. Lines are 1-based and inclusive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LoweredDefinition {
    pub(crate) kind: DefKind,
    pub(crate) name: Sym,
    pub(crate) parent: Option<DefId>,
    /// The scope inside it.
    pub(crate) scope: ScopeId,
    /// The scope it stands in.
    pub(crate) outer: ScopeId,
    pub(crate) start: u32,
    pub(crate) end: u32,
    pub(crate) name_line: u32,
    pub(crate) flags: DefFlags,
    pub(crate) signature: String,
    pub(crate) doc: String,
    pub(crate) type_params: Vec<TypeParam>,
    pub(crate) params: Vec<Param>,
    /// What the parameters are called by callers, one each, where a call has to say so.
    pub(crate) labels: Vec<Sym>,
    /// The declared type: a function's result, a field's or variable's type, an alias's target.
    pub(crate) ty: TypeId,
    /// A variable's or field's initial value.
    pub(crate) value: ExprId,
    /// What a function gives back.
    pub(crate) returns: Vec<ExprId>,
    pub(crate) supers: Vec<(SupertypeKind, TypeId)>,
    /// The type that it is attached to from outside: receiver, extended type, `impl` target, `A::` of a C++ member.
    pub(crate) receiver: TypeId,
}

impl LoweredDefinition {
    /// A definition without a name, outside all others.
    pub(crate) const EMPTY: Self = Self {
        kind: DefKind::Object,
        name: Sym(0),
        parent: None,
        scope: ScopeId(0),
        outer: ScopeId(0),
        start: 0,
        end: 0,
        name_line: 0,
        flags: DefFlags(0),
        signature: String::new(),
        doc: String::new(),
        type_params: Vec::new(),
        params: Vec::new(),
        labels: Vec::new(),
        ty: TypeId::UNKNOWN,
        value: ExprId::UNKNOWN,
        returns: Vec::new(),
        supers: Vec::new(),
        receiver: TypeId::UNKNOWN,
    };

    pub(crate) fn empty() -> &'static Self {
        static EMPTY: LoweredDefinition = LoweredDefinition::EMPTY;
        &EMPTY
    }
}
