//! The types that the resolver infers.

use std::rc::Rc;

use crate::{
    facts::{LambdaId, TypeId},
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

    /// Substitutes type parameters.
    pub(crate) fn fill(&self, env: &TypeEnv) -> Self {
        if env.is_empty() {
            return self.clone();
        }
        let all =
            |types: &Rc<[Self]>| -> Rc<[Self]> { types.iter().map(|ty| ty.fill(env)).collect() };
        match self {
            Self::Param(def, place) => env
                .iter()
                .rev()
                .find(|(owner, _)| owner == def)
                .and_then(|(_, args)| args.get(usize::from(*place)))
                .filter(|ty| ty.is_known())
                .cloned()
                .unwrap_or_else(|| self.clone()),
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
