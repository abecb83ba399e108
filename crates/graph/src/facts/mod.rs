//! What one file says, in one form for every language: definitions, scopes, bindings, imports, and the calls and names
//! in it as small expression trees. Facts depend on nothing but the file's text, so they are cached by content; all
//! that needs another file is left to [`crate::resolve`].

mod file_facts;
pub(crate) mod file_summary;
pub(crate) mod language_capabilities;
mod name_hash;
pub(crate) mod scip_file_data;
pub(crate) mod value_flow;

use serde::{Deserialize, Serialize};

pub use self::file_facts::{FactsError, FileFacts};
pub(crate) use self::name_hash::name_hash;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) const fn index(self) -> usize {
                self.0 as usize
            }
        }
    )+};
}

ids! {
    /// A string of the file.
    Sym,
    /// A definition of the file.
    DefId,
    /// A lexical scope; 0 is the file's own.
    ScopeId,
    /// An expression; 0 is the unknown one.
    ExprId,
    /// A type expression; 0 is the unknown one.
    TypeId,
    /// An import.
    ImportId,
    /// A function without a name.
    LambdaId
}

impl ExprId {
    pub(crate) const UNKNOWN: Self = Self(0);

    pub(crate) const fn is_known(self) -> bool {
        self.0 != 0
    }
}

impl TypeId {
    pub(crate) const UNKNOWN: Self = Self(0);

    pub(crate) const fn is_known(self) -> bool {
        self.0 != 0
    }
}

/// What the graph omits of a file that exceeds its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Omission {
    /// The text past the size that is read.
    Tail,
    /// What is nested too deeply.
    Nesting,
    /// All but the declarations that single lines show: the text takes more work or memory than a file may.
    Bodies,
    /// Some of the edges: resolving them takes more work than a file may.
    Edges,
}

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
pub(crate) struct DefFlags(pub(crate) u16);

impl DefFlags {
    pub(crate) const ASYNC: Self = Self(1);
    pub(crate) const STATIC: Self = Self(2);
    pub(crate) const PRIVATE: Self = Self(4);
    pub(crate) const EXPORTED: Self = Self(8);
    /// Declared without a body.
    pub(crate) const DECLARATION: Self = Self(16);
    /// Read like a field although it is a function.
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
pub(crate) enum SuperKind {
    Inherits,
    Implements,
}

/// A definition. Lines are 1-based and inclusive.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Def {
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
    pub(crate) supers: Vec<(SuperKind, TypeId)>,
    /// The type that it is attached to from outside: receiver, extended type, `impl` target, `A::` of a C++ member.
    pub(crate) receiver: TypeId,
}

impl Def {
    /// Returns a definition without a name, outside all others.
    pub(crate) fn empty() -> &'static Self {
        static EMPTY: Def = Def {
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
        &EMPTY
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ScopeKind {
    File,
    Type,
    Function,
    Block,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct LexicalScope {
    pub(crate) parent: Option<ScopeId>,
    pub(crate) owner: Option<DefId>,
    pub(crate) kind: ScopeKind,
}

/// A name in a scope.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Binding {
    pub(crate) scope: ScopeId,
    pub(crate) name: Sym,
    /// The byte from which on it is visible; 0 for the whole scope.
    pub(crate) from: u32,
    pub(crate) what: BindingTarget,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum BindingTarget {
    Def(DefId),
    Import(ImportId),
    Param(DefId, u16),
    LambdaParam(LambdaId, u16),
    Local { ty: TypeId, value: ExprId },
    TypeParam(DefId, u16),
}

/// What an import takes from its module.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ImportSelection {
    /// The module itself.
    Module,
    /// One name of it.
    Name(Sym),
    /// Everything.
    All,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Import {
    /// The module's name in parts; one part where the language writes a string.
    pub(crate) module: Vec<Sym>,
    /// How many steps up a relative import starts; 0 for an absolute one.
    pub(crate) level: u8,
    pub(crate) taken: ImportSelection,
    /// The name it gets here.
    pub(crate) local: Option<Sym>,
    pub(crate) scope: ScopeId,
    pub(crate) line: u32,
    /// Others may import it from here.
    pub(crate) public: bool,
}

impl Import {
    /// Returns an import of nothing.
    pub(crate) fn empty() -> &'static Self {
        static EMPTY: Import = Import {
            module: Vec::new(),
            level: 0,
            taken: ImportSelection::Module,
            local: None,
            scope: ScopeId(0),
            line: 0,
            public: false,
        };
        &EMPTY
    }
}

/// An exported name, in languages that list exports.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum ModuleExport {
    Local { name: Sym, local: Sym },
    Value { name: Sym, value: ExprId },
    Import { name: Sym, import: ImportId },
    All(ImportId),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Expr {
    Unknown,
    Name {
        name: Sym,
        scope: ScopeId,
        pos: u32,
    },
    Member {
        object: ExprId,
        name: Sym,
    },
    Call {
        callee: ExprId,
        args: Vec<ExprId>,
        type_args: Vec<TypeId>,
    },
    New {
        callee: ExprId,
        args: Vec<ExprId>,
        type_args: Vec<TypeId>,
    },
    This(ScopeId),
    Super(ScopeId),
    Await(ExprId),
    /// The value inside an optional or a result.
    Unwrap(ExprId),
    /// One element of a container, as iteration gives it.
    Elem(ExprId),
    /// What a subscript gives.
    Index(ExprId),
    /// What a subscript takes: a map's key.
    Key(ExprId),
    /// The n-th part of a tuple or of a tuple-like value.
    Item(ExprId, u16),
    /// What entering a context manager gives.
    Enter(ExprId),
    /// A type named as a value, or the value of a cast: see [`Expr::Typed`].
    Type(TypeId),
    /// A value of this type.
    Typed(TypeId),
    Lambda(LambdaId),
    Either(Vec<ExprId>),
    Array(Vec<ExprId>),
    Tuple(Vec<ExprId>),
    /// A definition met as an expression: object literal, class or function expression.
    Def(DefId),
    /// A literal of a built-in type of that name.
    Literal(Sym),
    /// The module that an import brings: `import("x")`, `require("x")`.
    Module(ImportId),
    /// A type itself, without what makes it optional, where its place says which: what `.name` is a member of.
    Expected(TypeId),
    /// The same, where it is what a call takes as its n-th argument.
    ExpectedBy(ExprId, u16),
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum TypeExpr {
    Unknown,
    Named {
        path: Vec<Sym>,
        args: Vec<TypeId>,
        scope: ScopeId,
        pos: u32,
    },
    Array(TypeId),
    Tuple(Vec<TypeId>),
    Union(Vec<TypeId>),
    Function {
        params: Vec<TypeId>,
        result: TypeId,
    },
    Object(DefId),
    TypeOf(ExprId),
    /// The type of one member of a type: `T["k"]`, `T::Item`.
    Member(TypeId, Sym),
    This(ScopeId),
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Lambda {
    pub(crate) params: Vec<Param>,
    pub(crate) ty: TypeId,
    pub(crate) returns: Vec<ExprId>,
    /// The call it is an argument of, and which.
    pub(crate) context: Option<(ExprId, u16)>,
    /// The definition that it stands in.
    pub(crate) owner: Option<DefId>,
    /// Its first line, from 1.
    pub(crate) line: u32,
    /// Its last line.
    pub(crate) end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub(crate) enum ReferenceKind {
    Call,
    New,
    /// A component rendered by its tag.
    Element,
    Decorator,
    /// A name handed over as a value.
    Value,
    /// A member named without arguments, which calls it if it is a method without parameters.
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
    /// Number of arguments; for a value, its place among them.
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

/// Which field of its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum StructFieldSelector {
    Named(Sym),
    /// By its place among the fields, from 0.
    Nth(u16),
}

/// A value that is put somewhere by an assignment.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct StructFieldWrite {
    pub(crate) into: ExprId,
    pub(crate) value: ExprId,
}

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

/// A type named in an annotation.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct TypeRef {
    pub(crate) ty: TypeId,
    pub(crate) line: u32,
    pub(crate) from: Option<DefId>,
}
