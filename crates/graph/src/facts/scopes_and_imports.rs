//! Lexical scopes, the names bound in them, imports and exports.

use super::{DefId, ExprId, ImportId, LambdaId, ScopeId, Sym, TypeId};
use serde::{Deserialize, Serialize};

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
    /// A comment takes it for its types.
    pub(crate) by_comment: bool,
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
            by_comment: false,
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
