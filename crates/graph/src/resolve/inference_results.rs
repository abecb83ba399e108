//! The results of evaluating an expression: the referents of a name, the type of a value, and the certainty of both.

use std::rc::Rc;

use crate::{
    facts::{BindingTarget, ExprId, ScopeId, TypeId},
    resolve::{
        file_and_definition_ids::{DefRef, FileId, ModId, Name},
        inferred_types::{Ty, TypeEnv},
    },
};

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

/// Whether a value or a type is looked for, where a name can be both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SymbolNamespace {
    Value,
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
        other => other.clone(),
    }
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
