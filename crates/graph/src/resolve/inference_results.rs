//! The types that the resolver infers, and the results of evaluating an expression: the referents of a name, the type of a
//! value, and the certainty of both.

use std::rc::Rc;

use crate::{
    facts::{BindingTarget, ExprId, LambdaId, ScopeId, TypeId},
    resolve::file_and_definition_ids::{DefRef, FileId, ModId, Name},
};

/// The type of a value. Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ty {
    Unknown,
    /// A value of a type of the repository, with its type arguments.
    Inst(DefRef, Rc<[Ty]>),
    /// The type itself.
    Class(DefRef, Rc<[Ty]>),
    Func(DefRef, TypeEnv),
    Lambda(FileId, LambdaId),
    /// A function type: its expression, and what its parameters stand for.
    FuncType(FileId, TypeId, TypeEnv),
    Module(ModId),
    /// A value of a type from elsewhere.
    Ext(Name, Rc<[Ty]>),
    /// A type or function from elsewhere itself.
    ExtItem(Name),
    /// Anything that holds elements of one type in a row.
    List(Rc<Ty>),
    Tuple(Rc<[Ty]>),
    Union(Rc<[Ty]>),
    /// A type parameter of a definition.
    Param(DefRef, u16),
    /// The type itself that a type parameter stands for.
    ParamClass(DefRef, u16),
}

/// The values of type parameters, by definition; innermost last.
pub(crate) type TypeEnv = Rc<[(DefRef, Rc<[Ty]>)]>;

pub(crate) fn no_args() -> Rc<[Ty]> {
    Rc::from([])
}

pub(crate) fn no_env() -> TypeEnv {
    Rc::from([])
}

/// Alternatives that a union keeps: the first ones.
const MAX_ALTERNATIVES: usize = 12;

impl Ty {
    pub(crate) fn is_known(&self) -> bool {
        !matches!(self, Self::Unknown)
    }

    /// The union of several types, flat, without repeats or unknown ones.
    pub(crate) fn union(types: impl IntoIterator<Item = Self>) -> Self {
        let mut all: Vec<Self> = Vec::new();
        for ty in types {
            match ty {
                Self::Unknown => {}
                Self::Union(inner) => {
                    for ty in inner.iter() {
                        if all.len() < MAX_ALTERNATIVES && !all.contains(ty) {
                            all.push(ty.clone());
                        }
                    }
                }
                ty => {
                    if all.len() < MAX_ALTERNATIVES && !all.contains(&ty) {
                        all.push(ty);
                    }
                }
            }
        }
        match all.len() {
            0 => Self::Unknown,
            1 => all.swap_remove(0),
            _ => Self::Union(all.into()),
        }
    }

    /// The alternatives of a union, or the type itself.
    pub(crate) fn each(&self) -> &[Self] {
        match self {
            Self::Union(all) => all,
            Self::Unknown => &[],
            other => std::slice::from_ref(other),
        }
    }

    /// The type of what classes and functions make.
    pub(crate) fn instances(&self) -> Self {
        Self::union(self.each().iter().map(|ty| match ty {
            Self::Class(def, args) => Self::Inst(*def, args.clone()),
            Self::Func(..) => ty.clone(),
            _ => Self::Unknown,
        }))
    }

    /// The type of values of the type that this is itself; unknown when it is the type of a value.
    pub(crate) fn named_by_class(&self) -> Self {
        Self::union(self.each().iter().map(|ty| match ty {
            Self::Class(def, args) => Self::Inst(*def, args.clone()),
            Self::ExtItem(name) => Self::Ext(*name, no_args()),
            Self::ParamClass(def, place) => Self::Param(*def, *place),
            Self::Param(..) | Self::List(_) | Self::Tuple(_) => ty.clone(),
            _ => Self::Unknown,
        }))
    }

    /// Substitutes type parameters.
    pub(crate) fn fill(&self, env: &TypeEnv) -> Self {
        if env.is_empty() {
            return self.clone();
        }
        let all =
            |types: &Rc<[Self]>| -> Rc<[Self]> { types.iter().map(|ty| ty.fill(env)).collect() };
        let argument = |def: &DefRef, place: u16| {
            let given = env.iter().rev().find(|(owner, _)| owner == def);
            given.and_then(|(_, args)| args.get(usize::from(place))).filter(|ty| ty.is_known())
        };
        match self {
            Self::Param(def, place) => {
                argument(def, *place).cloned().unwrap_or_else(|| self.clone())
            }
            Self::ParamClass(def, place) => match argument(def, *place) {
                Some(ty) => Self::union(ty.each().iter().map(class_of)),
                None => self.clone(),
            },
            Self::Inst(def, args) => Self::Inst(*def, all(args)),
            Self::Class(def, args) => Self::Class(*def, all(args)),
            Self::Ext(name, args) => Self::Ext(*name, all(args)),
            Self::List(inner) => Self::List(Rc::new(inner.fill(env))),
            Self::Tuple(types) => Self::Tuple(all(types)),
            Self::Union(types) => Self::union(types.iter().map(|ty| ty.fill(env))),
            Self::FuncType(file, ty, inner) => {
                let joined: Vec<_> = inner
                    .iter()
                    .map(|(def, args)| (*def, args.iter().map(|ty| ty.fill(env)).collect()))
                    .chain(env.iter().cloned())
                    .collect();
                Self::FuncType(*file, *ty, joined.into())
            }
            _ => self.clone(),
        }
    }
}

/// How sure a finding is. Ordered from sure to structural.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum InferenceCertainty {
    #[default]
    Exact,
    Inferred,
    Dynamic,
}

/// The referent of a name.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum NameReferent {
    Def(DefRef, TypeEnv),
    Module(ModId),
    Local(FileId, BindingTarget),
    Value(FileId, ExprId),
    TypeParam(DefRef, u16),
    /// A method that values of a known outside type have.
    Method(Rc<Ty>, Name),
    /// Known to come from outside the repository.
    External,
}

impl NameReferent {
    pub(crate) const fn definition(&self) -> Option<DefRef> {
        match self {
            Self::Def(def, _) => Some(*def),
            _ => None,
        }
    }
}

/// A type and how it was found.
#[derive(Clone, Debug)]
pub(crate) struct InferredType {
    pub(crate) ty: Ty,
    pub(crate) certainty: InferenceCertainty,
}

impl InferredType {
    pub(crate) const UNKNOWN: Self = Self { ty: Ty::Unknown, certainty: InferenceCertainty::Exact };

    pub(super) fn new(ty: Ty, certainty: InferenceCertainty) -> Self {
        Self { ty, certainty }
    }
}

/// What is looked for, where a name can be several things.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolNamespace {
    Value,
    /// Functions alone.
    Function,
    Type,
}

/// A call's arguments.
#[derive(Clone, Copy)]
pub(crate) struct CallArguments<'a> {
    pub(crate) file: FileId,
    pub(crate) values: &'a [ExprId],
    pub(crate) types: &'a [TypeId],
    /// The expression that is called.
    pub(crate) callee: ExprId,
}

/// The types in which methods are looked for, in order.
pub(crate) type MethodResolutionOrder = Rc<[(DefRef, InstanceOrClass)]>;

/// Which methods of a type count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum InstanceOrClass {
    /// Methods of its values.
    Instance,
    /// Methods of the type itself.
    Class,
}

/// The type itself of a value's type.
pub(crate) fn class_of(ty: &Ty) -> Ty {
    match ty {
        Ty::Inst(def, args) => Ty::Class(*def, args.clone()),
        Ty::Ext(name, _) => Ty::ExtItem(*name),
        Ty::Param(def, place) => Ty::ParamClass(*def, *place),
        other => other.clone(),
    }
}

/// Which modules ask for the imports of a module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum ImportVisibility {
    /// The module itself or one inside of it.
    OwnModule,
    /// Others, which see only its re-exports.
    OtherModules,
}

/// The start of a chain of members and calls.
#[derive(Clone, Copy)]
pub(crate) struct ChainStart {
    pub(crate) file: FileId,
    pub(crate) expr: ExprId,
    /// Steps back to the innermost expression.
    pub(crate) steps: usize,
    /// The scope of the name that the chain starts with.
    pub(crate) scope: Option<ScopeId>,
}
