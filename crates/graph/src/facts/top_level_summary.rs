//! The summary of one file's facts from which tables over all files are built: its top-level definitions, its imports and
//! its namespaces. It is small and kept beside the facts, so that the facts are read only for files that resolution
//! reaches.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::{
    facts::{
        DefFlags, DefId, DefKind, FileFacts, ImportId, ImportSelection, LoweredDefinition,
        NamedEventAction, ScopeId, ScopeKind, Sym, TypeExpr,
        language_capabilities::LanguageCapabilities,
    },
    graph_model::Language,
};

/// The summary of one file's facts.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct FileSummary {
    pub(crate) language: Language,
    /// The strings that are named here.
    names: Vec<Box<str>>,
    /// The package or namespace that the file declares.
    pub(crate) package: Vec<Sym>,
    /// Sorted by number; what a definition stands in is here, too.
    pub(crate) defs: Vec<SummarizedDef>,
    pub(crate) imports: Vec<SummaryImport>,
    /// Calls that listen for an event: its name, and the place in the list of events.
    pub(crate) listens: Vec<(Sym, u32)>,
    /// The types of this file by the names of what they build on, in languages that ask for them.
    pub(crate) heirs: Vec<(Sym, DefId)>,
    /// It attaches something to types from outside.
    pub(crate) attaches: bool,
    /// It puts something into fields.
    pub(crate) fills: bool,
}

/// A definition that some table has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SummarizedDef {
    pub(crate) id: DefId,
    pub(crate) kind: DefKind,
    pub(crate) name: Sym,
    pub(crate) parent: Option<DefId>,
    pub(crate) flags: DefFlags,
    /// It is attached to a type from outside.
    pub(crate) has_receiver: bool,
    /// The path of that type, where it is written as one.
    pub(crate) receiver: Vec<Sym>,
    pub(crate) type_params: u32,
    /// Where it stands.
    pub(crate) home: ImportScope,
}

/// The scope of a module that something stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum ImportScope {
    File,
    /// The scope of a definition of this file, if that is a module.
    Inside(DefId),
    /// No module: the scope of a function or a type.
    Nowhere,
}

/// An import that some table has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SummaryImport {
    pub(crate) id: ImportId,
    /// Whose own scope it stands in.
    pub(crate) home: ImportScope,
    pub(crate) is_all: bool,
    pub(crate) local: Option<Sym>,
    pub(crate) public: bool,
    /// The file that is included, as it is written.
    pub(crate) includes: Option<Sym>,
}

/// Collects strings.
#[derive(Default)]
struct Strings<'f> {
    names: Vec<Box<str>>,
    numbers: FxHashMap<&'f str, Sym>,
}

impl<'f> Strings<'f> {
    fn sym(&mut self, text: &'f str) -> Sym {
        *self.numbers.entry(text).or_insert_with(|| {
            self.names.push(text.into());
            Sym(u32::try_from(self.names.len() - 1).unwrap_or(u32::MAX))
        })
    }
}

impl FileSummary {
    pub(crate) fn of(facts: &FileFacts, language: &LanguageCapabilities) -> Self {
        let mut strings = Strings::default();
        let package = facts.package.iter().map(|part| strings.sym(facts.text(*part))).collect();
        let defs = defs(facts, language, &mut strings);
        let imports = (0..).zip(&facts.imports);
        let imports = imports
            .filter_map(|(id, _)| brought(facts, language, ImportId(id), &mut strings))
            .collect();
        let listens = (0..)
            .zip(&facts.events)
            .filter(|(_, event)| event.action == NamedEventAction::Listens)
            .map(|(place, event)| (strings.sym(facts.text(event.key)), place))
            .collect();
        let heirs = match language.asks_heirs {
            true => heirs(facts).map(|(up, def)| (strings.sym(facts.text(up)), def)).collect(),
            false => Vec::new(),
        };
        Self {
            language: facts.language,
            names: strings.names,
            package,
            defs,
            imports,
            listens,
            heirs,
            attaches: facts.defs.iter().any(|def| def.receiver.is_known()),
            fills: !facts.field_values.is_empty(),
        }
    }

    pub(crate) fn text(&self, sym: Sym) -> &str {
        self.names.get(sym.index()).map_or("", |name| name)
    }

    pub(crate) fn noted(&self, id: DefId) -> Option<&SummarizedDef> {
        self.defs.binary_search_by_key(&id, |def| def.id).ok().map(|at| &self.defs[at])
    }

    /// Whether a definition stands in the graph by itself.
    pub(crate) fn is_named(&self, def: &SummarizedDef) -> bool {
        !matches!(def.kind, DefKind::Object | DefKind::Impl) && !self.text(def.name).is_empty()
    }

    /// The definitions from the outermost to `def`, without those that have no name.
    pub(crate) fn chain<'o>(&'o self, def: &'o SummarizedDef) -> Vec<&'o SummarizedDef> {
        let mut chain = Vec::new();
        let mut next = Some(def);
        while let Some(def) = next {
            if self.is_named(def) {
                chain.push(def);
            }
            next = def.parent.and_then(|parent| self.noted(parent));
        }
        chain.reverse();
        chain
    }
}

/// Returns the types of a file with the names of what they build on.
pub(crate) fn heirs(facts: &FileFacts) -> impl Iterator<Item = (Sym, DefId)> {
    let supers = |(id, def): (u32, &LoweredDefinition)| {
        let supers = def.supers.iter().flat_map(|(_, ty)| match facts.ty(*ty) {
            TypeExpr::Tuple(items) => items.as_slice(),
            _ => std::slice::from_ref(ty),
        });
        let names = supers.filter_map(|ty| match facts.ty(*ty) {
            TypeExpr::Named { path, .. } => path.last().copied(),
            _ => None,
        });
        names.map(move |name| (name, DefId(id))).collect::<Vec<_>>()
    };
    (0..).zip(&facts.defs).flat_map(supers)
}

fn defs<'f>(
    facts: &'f FileFacts,
    language: &LanguageCapabilities,
    strings: &mut Strings<'f>,
) -> Vec<SummarizedDef> {
    let noted = noted(facts, language);
    let defs = (0..).zip(&facts.defs).filter(|(id, _)| noted[*id as usize]);
    defs.map(|(id, def)| {
        let receiver = match facts.ty(def.receiver) {
            TypeExpr::Named { path, .. } if language.reopens_types => &path[..],
            _ => &[],
        };
        SummarizedDef {
            id: DefId(id),
            kind: def.kind,
            name: strings.sym(facts.text(def.name)),
            parent: def.parent,
            flags: def.flags,
            has_receiver: def.receiver.is_known(),
            receiver: receiver.iter().map(|part| strings.sym(facts.text(*part))).collect(),
            type_params: u32::try_from(def.type_params.len()).unwrap_or(u32::MAX),
            home: home_around(facts, def.outer),
        }
    })
    .collect()
}

/// Returns, for each definition, whether it is part of the summary.
fn noted(facts: &FileFacts, language: &LanguageCapabilities) -> Vec<bool> {
    // Types that may be declared in parts are known wherever they are.
    let parted = language.types_in_parts;
    let is_namespace = |def: DefId| facts.def(def).kind == DefKind::Namespace;
    let mut noted: Vec<bool> = facts
        .defs
        .iter()
        .map(|def| {
            def.parent.is_none_or(is_namespace)
                || matches!(def.kind, DefKind::Macro | DefKind::Namespace)
                || parted && (def.kind.is_type() || def.flags.has(DefFlags::SELF_PARAM))
        })
        .collect();
    for id in 0..facts.defs.len() {
        let mut above = facts.defs[id].parent.filter(|_| noted[id]);
        while let Some(parent) = above.filter(|parent| !noted[parent.index()]) {
            noted[parent.index()] = true;
            above = facts.def(parent).parent;
        }
    }
    noted
}

fn brought<'f>(
    facts: &'f FileFacts,
    language: &LanguageCapabilities,
    id: ImportId,
    strings: &mut Strings<'f>,
) -> Option<SummaryImport> {
    let import = facts.import(id);
    let home = own_home(facts, import.scope);
    let is_all = import.taken == ImportSelection::All;
    let is_tabled = home != ImportScope::Nowhere && (is_all || import.local.is_some());
    let includes = import.module.first().filter(|_| language.includes_files && import.level == 0);
    let is_public = import.public && language.project_imports;
    (is_tabled || includes.is_some() || is_public).then(|| SummaryImport {
        id,
        home,
        is_all,
        local: import.local.map(|local| strings.sym(facts.text(local))),
        public: import.public,
        includes: includes.map(|path| strings.sym(facts.text(*path))),
    })
}

/// The module whose own scope `scope` is.
fn own_home(facts: &FileFacts, scope: ScopeId) -> ImportScope {
    let at = &facts.scopes[scope.index()];
    match (at.kind, at.owner) {
        (ScopeKind::File, _) => ImportScope::File,
        (ScopeKind::Block, Some(def)) if facts.def(def).scope == scope => ImportScope::Inside(def),
        _ => ImportScope::Nowhere,
    }
}

/// The innermost namespace, or the file, around `scope`.
fn home_around(facts: &FileFacts, scope: ScopeId) -> ImportScope {
    let mut next = Some(scope);
    while let Some(at) = next {
        match own_home(facts, at) {
            ImportScope::Inside(def) if facts.def(def).kind != DefKind::Namespace => {}
            ImportScope::Nowhere => {}
            home => return home,
        }
        next = facts.scopes[at.index()].parent;
    }
    ImportScope::File
}
