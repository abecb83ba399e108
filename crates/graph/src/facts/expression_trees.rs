//! Values and types as they are written, as small trees.

use super::definitions::Param;
use super::{DefId, ExprId, ImportId, LambdaId, ScopeId, Sym, TypeId};
use serde::{Deserialize, Serialize};

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
    /// What a subscript that takes a range gives.
    Slice(ExprId),
    /// What a subscript takes: a map's key.
    Key(ExprId),
    /// The n-th part of a tuple or of a tuple-like value; from [`FROM_END`] on, counted from the end.
    Item(ExprId, u16),
    /// What entering a context manager gives.
    Enter(ExprId),
    /// A type named as a value, or the value of a cast: see [`Expr::Typed`].
    Type(TypeId),
    /// A value of this type.
    Typed(TypeId),
    Lambda(LambdaId),
    Either(Vec<ExprId>),
    /// A value that was the first, and is proved to be the second as well.
    Both(ExprId, ExprId),
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
    /// What a call puts into the variable that it is given as its n-th argument.
    SetBy(ExprId, u16),
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
        /// What `this` is in a function literal of the type, where the type says so.
        receiver: TypeId,
        params: Vec<TypeId>,
        result: TypeId,
    },
    Object(DefId),
    TypeOf(ExprId),
    /// The type of one member of a type: `T["k"]`, `T::Item`.
    Member(TypeId, Sym),
    This(ScopeId),
}

impl TypeExpr {
    /// Returns the types that stand inside of one as it is written.
    pub(crate) fn inner(&self) -> &[TypeId] {
        match self {
            Self::Array(inner) | Self::Member(inner, _) => std::slice::from_ref(inner),
            Self::Tuple(items) | Self::Union(items) => items,
            Self::Named { args, .. } => args,
            _ => &[],
        }
    }
}

/// The position of a name that begins a path such as `a::b`, in languages where no variable can begin one: bindings behind it
/// are ignored.
pub(crate) const PATH_START: u32 = 0;

/// The place of the last part of a tuple, of which it isn't said how many parts it has: the one before it is one less.
pub(crate) const LAST_ITEM: u16 = u16::MAX - 1;
/// Places from here on are counted from the end.
pub(crate) const FROM_END: u16 = u16::MAX / 2;

/// Returns what stands at the place of an [`Expr::Item`].
pub(crate) fn item<T>(items: &[T], place: u16) -> Option<&T> {
    match place {
        0..FROM_END => items.get(usize::from(place)),
        _ => items.iter().rev().nth(usize::from(LAST_ITEM.checked_sub(place)?)),
    }
}

/// Returns the place of the part `at` of a pattern with `count` parts: behind the one that takes the `rest`, from the end.
pub(crate) fn place_of(at: usize, rest: Option<usize>, count: usize) -> u16 {
    let from_end = rest.is_some_and(|rest| at > rest);
    let steps = if from_end { count.saturating_sub(at + 1) } else { at };
    let steps = u16::try_from(steps).unwrap_or(u16::MAX).min(FROM_END - 1);
    if from_end { LAST_ITEM - steps } else { steps }
}

/// The place of a function's receiver among its parameters.
pub(crate) const RECEIVER: u16 = u16::MAX;

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Lambda {
    pub(crate) params: Vec<Param>,
    pub(crate) ty: TypeId,
    pub(crate) returns: Vec<ExprId>,
    /// The call it is an argument of, and which.
    pub(crate) context: Option<(ExprId, u16)>,
    /// The type that is expected where it is put: into a variable that is declared, a field, a property, an event.
    pub(crate) declared: TypeId,
    /// The definition that it stands in.
    pub(crate) owner: Option<DefId>,
    /// Its first line, from 1.
    pub(crate) line: u32,
    /// Its last line.
    pub(crate) end: u32,
}
