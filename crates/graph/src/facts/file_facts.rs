//! One file's facts as a whole: what is in them, what is looked up in them, and how they become bytes.

use std::{collections::BTreeMap, sync::OnceLock};

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{
    facts::{
        ArgumentLabels, Binding, DefFlags, DefId, DefKind, Expr, ExprId, FileOmission, Import,
        ImportId, ImportSelection, Lambda, LexicalScope, LoweredDefinition, MemberUse,
        ModuleExport, NamedEvent, NamedField, PATH_START, Reference, ScopeId, ScopeKind,
        StructFieldValue, StructFieldWrite, Sym, TypeExpr, TypeId, TypeRef,
    },
    languages::Language,
};

/// Most names of a path.
const MAX_PATH: usize = 16;

/// Everything known of one file from its text alone.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FileFacts {
    pub(crate) language: Language,
    pub(crate) lines: u32,
    pub(crate) names: Vec<Box<str>>,
    /// The package or namespace that the file declares.
    pub(crate) package: Vec<Sym>,
    pub(crate) defs: Vec<LoweredDefinition>,
    pub(crate) scopes: Vec<LexicalScope>,
    /// Sorted by scope, name and place.
    pub(crate) bindings: Vec<Binding>,
    pub(crate) imports: Vec<Import>,
    pub(crate) exports: Vec<ModuleExport>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) types: Vec<TypeExpr>,
    pub(crate) lambdas: Vec<Lambda>,
    pub(crate) refs: Vec<Reference>,
    pub(crate) type_refs: Vec<TypeRef>,
    pub(crate) member_uses: Vec<MemberUse>,
    pub(crate) field_values: Vec<StructFieldValue>,
    pub(crate) named_fields: Vec<NamedField>,
    pub(crate) field_writes: Vec<StructFieldWrite>,
    pub(crate) events: Vec<NamedEvent>,
    /// The argument labels of calls, by what is called, for languages that tell functions apart by them.
    pub(crate) labels: BTreeMap<ExprId, ArgumentLabels>,
    /// The interfaces by which members are named: `<Type as Trait>::member`.
    pub(crate) interfaces: BTreeMap<ExprId, TypeId>,
    /// What `this` is in the function literals that may have a receiver, by their scopes.
    pub(crate) receivers: BTreeMap<ScopeId, ExprId>,
    /// What is left out, since the file is larger or deeper than it may be.
    pub(crate) omission: Option<FileOmission>,
    /// Where the bindings of each scope start; computed when first needed.
    #[serde(skip)]
    starts: OnceLock<Box<[u32]>>,
    /// The fields of the types of the file, by type and name; computed when first needed.
    #[serde(skip)]
    pub(crate) fields: OnceLock<FxHashMap<(DefId, Sym), DefId>>,
}

/// Stands in facts for the name of the file, which its text does not say: see [`FileFacts::named_by`].
pub(crate) const FILE_NAME: &str = "\0";

impl FileFacts {
    /// Puts the name of the file at `path` where the facts leave it open. Facts that are kept by content have it open.
    pub(crate) fn named_by(mut self, path: &str) -> Self {
        if self.language.is_host() {
            let name = path.rsplit('/').next().unwrap_or(path);
            let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
            for open in self.names.iter_mut().filter(|name| ***name == *FILE_NAME) {
                *open = stem.into();
            }
        }
        self
    }

    /// Replaces all lines.
    pub(crate) fn map_lines(&mut self, line: impl Fn(u32) -> u32) {
        let replace = |at: &mut u32| *at = line(*at);
        for def in &mut self.defs {
            [&mut def.start, &mut def.end, &mut def.name_line].into_iter().for_each(replace);
        }
        for lambda in &mut self.lambdas {
            [&mut lambda.line, &mut lambda.end].into_iter().for_each(replace);
        }
        self.imports.iter_mut().for_each(|it| replace(&mut it.line));
        self.refs.iter_mut().for_each(|it| replace(&mut it.line));
        self.type_refs.iter_mut().for_each(|it| replace(&mut it.line));
        self.member_uses.iter_mut().for_each(|it| replace(&mut it.line));
        self.events.iter_mut().for_each(|it| replace(&mut it.line));
    }

    /// The word by which a call of `target` that is bound to nothing is known: what is called, or the type that is made.
    pub(crate) fn open_call_name(&self, target: ExprId) -> Option<&str> {
        let mut called = target;
        // Parts of an expression stand before it, so that this comes to an end.
        while let Expr::Unwrap(inner) = self.expr(called) {
            called = *inner;
        }
        if let Expr::Either(choices) = self.expr(called) {
            called = *choices.first()?;
        }
        let name = match self.expr(called) {
            Expr::Name { name, .. } | Expr::Member { name, .. } => Some(*name),
            Expr::Type(ty) | Expr::Typed(ty) => match self.ty(*ty) {
                TypeExpr::Named { path, .. } => path.last().copied(),
                TypeExpr::Member(_, name) => Some(*name),
                _ => None,
            },
            Expr::Module(import) => match self.import(*import).taken {
                ImportSelection::Name(name) => Some(name),
                _ => None,
            },
            _ => None,
        };
        name.map(|name| self.text(name))
    }

    pub(crate) fn empty(language: Language) -> Self {
        Self {
            language,
            lines: 0,
            names: Vec::new(),
            package: Vec::new(),
            defs: Vec::new(),
            scopes: vec![LexicalScope { parent: None, owner: None, kind: ScopeKind::File }],
            bindings: Vec::new(),
            imports: Vec::new(),
            exports: Vec::new(),
            exprs: vec![Expr::Unknown],
            types: vec![TypeExpr::Unknown],
            lambdas: Vec::new(),
            refs: Vec::new(),
            type_refs: Vec::new(),
            member_uses: Vec::new(),
            field_values: Vec::new(),
            named_fields: Vec::new(),
            field_writes: Vec::new(),
            events: Vec::new(),
            labels: BTreeMap::new(),
            interfaces: BTreeMap::new(),
            receivers: BTreeMap::new(),
            omission: None,
            starts: OnceLock::new(),
            fields: OnceLock::new(),
        }
    }

    /// The bytes that they take in memory, about.
    pub(crate) fn weight(&self) -> usize {
        let small = self.refs.len() + self.bindings.len() + self.scopes.len() + self.names.len();
        4096 + self.defs.len() * 400 + (self.exprs.len() + self.types.len()) * 64 + small * 48
    }

    /// The language it was read as.
    pub fn language(&self) -> Language {
        self.language
    }

    /// Returns what is left out, since the file is larger or deeper than it may be.
    pub fn omission(&self) -> Option<FileOmission> {
        self.omission
    }

    /// Returns the facts as bytes, for a cache.
    ///
    /// # Errors
    ///
    /// Only when memory can't be had.
    pub fn to_bytes(&self) -> Result<Vec<u8>, FactsError> {
        postcard::serialize_with_flavor(self, Bytes(Vec::new())).map_err(FactsError)
    }

    /// Reads back what [`FileFacts::to_bytes`] wrote.
    ///
    /// # Errors
    ///
    /// When `bytes` are not such facts, or those of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, FactsError> {
        postcard::from_bytes(bytes).map_err(FactsError)
    }

    pub(crate) fn text(&self, sym: Sym) -> &str {
        self.names.get(sym.index()).map_or("", |name| name)
    }

    /// Returns a definition; an empty one for a number of other facts.
    pub(crate) fn def(&self, id: DefId) -> &LoweredDefinition {
        self.defs.get(id.index()).unwrap_or_else(|| LoweredDefinition::empty())
    }

    /// Returns an import; an empty one for a number of other facts.
    pub(crate) fn import(&self, id: ImportId) -> &Import {
        self.imports.get(id.index()).unwrap_or_else(|| Import::empty())
    }

    /// Whether a definition stands in the graph by itself.
    pub(crate) fn is_named(&self, id: DefId) -> bool {
        let def = self.def(id);
        !matches!(def.kind, DefKind::Object | DefKind::Impl)
            && !self.text(def.name).is_empty()
            && !self.is_import(def)
    }

    /// Whether a variable is a name for what a call takes from a module: `const { a } = require("b")`.
    fn is_import(&self, def: &LoweredDefinition) -> bool {
        let mut value = def.value;
        if def.kind != DefKind::Variable || def.flags.has(DefFlags::EXPORTED) {
            return false;
        }
        for _ in 0..MAX_PATH {
            value = match self.expr(value) {
                Expr::Member { object, .. } => *object,
                found => return matches!(found, Expr::Module(_)),
            };
        }
        false
    }

    /// Whether code of the file takes names from modules, or offers those of others.
    pub(crate) fn imports_names(&self) -> bool {
        let is_named = |it: &Import| it.local.is_some() && !it.by_comment;
        self.imports.iter().any(|it| is_named(it) || it.public)
    }

    pub(crate) fn expr(&self, id: ExprId) -> &Expr {
        self.exprs.get(id.index()).unwrap_or(&Expr::Unknown)
    }

    /// Whether an expression is written like a type: its name has a capital letter.
    pub(crate) fn names_type(&self, id: ExprId) -> bool {
        matches!(self.expr(id), Expr::Name { name, .. } | Expr::Member { name, .. }
            if self.text(*name).starts_with(char::is_uppercase))
    }

    /// Whether an expression is one name behind another from a place where no variable can be meant: `a::b`.
    pub(crate) fn is_path(&self, id: ExprId) -> bool {
        let mut at = id;
        for _ in 0..MAX_PATH {
            at = match self.expr(at) {
                Expr::Name { pos, .. } => return *pos == PATH_START,
                Expr::Member { object, .. } => *object,
                _ => return false,
            };
        }
        false
    }

    pub(crate) fn ty(&self, id: TypeId) -> &TypeExpr {
        self.types.get(id.index()).unwrap_or(&TypeExpr::Unknown)
    }

    /// The bindings of `name` in `scope`, in the order of the text.
    pub(crate) fn bindings_of(&self, scope: ScopeId, name: Sym) -> &[Binding] {
        let starts = self.starts.get_or_init(|| self.starts());
        let place = |at: usize| starts.get(at).map_or(self.bindings.len(), |start| *start as usize);
        let inside = &self.bindings[place(scope.index())..place(scope.index() + 1)];
        let start = inside.partition_point(|b| b.name < name);
        // A name is bound once or a few times.
        let same = inside[start..].iter().take_while(|b| b.name == name).count();
        &inside[start..start + same]
    }

    fn starts(&self) -> Box<[u32]> {
        let mut at = 0;
        let start = |scope| {
            let here = self.bindings[at..].iter().take_while(|b| b.scope.index() < scope).count();
            at += here;
            // Files are far from having as many bindings.
            u32::try_from(at).unwrap_or(u32::MAX)
        };
        (0..self.scopes.len()).map(start).collect()
    }
}

/// Bytes that are put one by one: as many as a number has at most.
const SHORT: usize = 5;

/// Takes bytes as they come. Facts are millions of short numbers: to copy each of them as a slice takes longer than to
/// make them.
struct Bytes(Vec<u8>);

impl postcard::ser_flavors::Flavor for Bytes {
    type Output = Vec<u8>;

    #[inline]
    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.0.push(byte);
        Ok(())
    }

    #[inline]
    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        if bytes.len() <= SHORT {
            self.0.reserve(SHORT);
            bytes.iter().for_each(|byte| self.0.push(*byte));
        } else {
            self.0.extend_from_slice(bytes);
        }
        Ok(())
    }

    fn finalize(self) -> postcard::Result<Self::Output> {
        Ok(self.0)
    }
}

/// Why cached facts can't be read.
#[derive(Debug, thiserror::Error)]
#[error("cached facts of a file can't be read; they are extracted again")]
pub struct FactsError(#[source] postcard::Error);

impl FactsError {
    /// The error for facts that no text has.
    pub(super) fn unsound() -> Self {
        Self(postcard::Error::SerdeDeCustom)
    }
}
