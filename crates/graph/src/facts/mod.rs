//! What one file says, in one form for every language: definitions, scopes, bindings, imports, and the calls and names
//! in it as small expression trees. Facts depend on nothing but the file's text, so they are cached by content; all
//! that needs another file is left to [`crate::resolve`].

mod definitions;
mod expression_trees;
mod file_facts;
mod foreign_facts;
pub(crate) mod language_capabilities;
pub(crate) mod library_method_effects;
mod name_hash;
mod references_and_writes;
pub(crate) mod scip_file_data;
mod scopes_and_imports;
pub(crate) mod top_level_summary;
pub(crate) mod value_flow;
pub(crate) use self::definitions::{
    DefFlags, DefKind, LoweredDefinition, Param, SupertypeKind, TypeParam,
};
pub(crate) use self::expression_trees::{
    Expr, FROM_END, Lambda, PATH_START, RECEIVER, TypeExpr, item, place_of,
};
pub(crate) use self::references_and_writes::{
    ArgumentLabels, EVENT_BY_DEFINITION, MemberUse, NamedEvent, NamedEventAction, NamedField,
    Reference, ReferenceKind, StructFieldSelector, StructFieldValue, StructFieldWrite, TRAILING,
    TypeRef, TypeUse, UNLABELLED,
};
pub(crate) use self::scopes_and_imports::{
    Binding, BindingTarget, Import, ImportSelection, LexicalScope, ModuleExport, ScopeKind,
};

use serde::{Deserialize, Deserializer, Serialize};

pub(crate) use self::file_facts::FILE_NAME;
pub use self::file_facts::{FactsError, FileFacts};
pub(crate) use self::name_hash::{hash_of, member_hash, name_hash};

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident),+) => {
        /// The tables that numbers are of.
        #[derive(Clone, Copy)]
        enum Table { $($name),+ }

        impl Table {
            const ALL: &[Self] = &[$(Self::$name),+];
        }
    $(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
        pub(crate) struct $name(pub(crate) u32);

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let id = u32::deserialize(deserializer)?;
                foreign_facts::note(Table::$name, id);
                Ok(Self(id))
            }
        }

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
pub enum FileOmission {
    /// The text past the size that is read.
    Tail,
    /// What is nested too deeply.
    Nesting,
    /// All but the declarations that single lines show: the text takes more work or memory than a file may.
    Bodies,
    /// All but the declarations that single lines show: the text is none of the language's, or its grammar can't read it.
    Syntax,
    /// Some of the edges: resolving them takes more work than a file may.
    Edges,
}
