//! Lists what a file uses of its imports: calls, supertypes, and the types of parameters, results and fields. Imports are
//! not resolved, so uses of outside packages are included.

use std::collections::BTreeMap;

use rustc_hash::FxHashMap;

use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, FileFacts, Import, ImportId,
        ImportSelection, LoweredDefinition, ModuleExport, Reference, ReferenceKind, ScopeId,
        ScopeKind, SupertypeKind, Sym, TRAILING, TypeExpr, TypeId, UNLABELLED,
        language_capabilities::KnownInterface,
    },
    graph_model::EdgeKind,
    resolve::{Resolver, loaded_facts::node_order},
};

/// Definitions that a name is looked for in, one around the other.
const MAX_NESTING: usize = 64;
/// Imports of everything that an unbound name of a file may come from.
const MAX_WHOLE_IMPORTS: usize = 24;

/// A use of something that an import brings.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ImportedNameUse {
    /// The place, among the nodes of the file, of the definition that it stands in; 0 is the file itself.
    pub from: u32,
    /// The relation that the use is.
    pub kind: EdgeKind,
    /// The line, from 1.
    pub line: u32,
    /// The module as the import writes it; empty where a name stands for itself that nothing in the file binds.
    pub module: Vec<String>,
    /// The names behind it: what the import takes, and members of it.
    pub names: Vec<String>,
    /// The word by which the code uses it, which an import may choose; empty where that is unknown.
    pub word: String,
    /// Whether the last name is a member of a value. The names before it then name the value's type.
    pub is_of_value: bool,
    /// Whether the import takes everything of the module, so that the name may come from elsewhere.
    pub is_of_all: bool,
    /// The labels of a call's arguments: [`Self::UNLABELLED`] where they have none, [`Self::TRAILING`] for a closure behind the
    /// parentheses; `None` for uses that are no calls.
    pub arguments: Option<Vec<String>>,
}

impl ImportedNameUse {
    /// The label of an argument that has none.
    pub const UNLABELLED: &'static str = UNLABELLED;
    /// The label of the first closure behind a call's parentheses: it goes to whatever parameter takes a function.
    pub const TRAILING: &'static str = TRAILING;
}

/// Another name for something, which an import or an export gives.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RenamedName {
    /// The other name.
    pub name: String,
    /// The name that its module gives it.
    pub own: String,
    /// The module as the import writes it; empty for a name of the file itself.
    pub module: Vec<String>,
    /// Whether the module is named from the place of the file.
    pub is_relative: bool,
}

/// Where a file uses something, for what, and by which word.
struct UseSite<'f> {
    from: u32,
    kind: EdgeKind,
    line: u32,
    word: &'f str,
    arguments: Option<Vec<String>>,
}

/// A path that begins with an import.
#[derive(Clone)]
struct ImportedPath {
    import: Option<ImportId>,
    names: Vec<Sym>,
    is_of_value: bool,
}

/// The modules of which a project opens everything to a file that does not import them, by path.
pub(crate) type OpenedModules = BTreeMap<String, Vec<Vec<String>>>;

impl Resolver<'_> {
    /// Returns the modules that projects open to their files.
    pub(crate) fn opened_modules(&self) -> OpenedModules {
        let mut opened = OpenedModules::new();
        for model in self.program.layout.models.all() {
            for (file, module) in model.opened_modules(&self.program) {
                opened.entry(self.program.path(file).to_owned()).or_default().push(module);
            }
        }
        opened
    }
}

impl FileFacts {
    /// Returns what the file uses of its imports, sorted.
    pub fn uses_of_imported_names(&self) -> Vec<ImportedNameUse> {
        self.uses_beside(&[])
    }

    /// Returns the same for a file that a project opens further modules to.
    pub(crate) fn uses_beside(&self, opened: &[Vec<String>]) -> Vec<ImportedNameUse> {
        let places: FxHashMap<DefId, u32> = node_order(self).into_iter().zip(1..).collect();
        let place = |def: Option<DefId>| {
            let around = std::iter::successors(def, |def| self.def(*def).parent).take(MAX_NESTING);
            around.filter_map(|def| places.get(&def).copied()).next().unwrap_or_default()
        };
        let mut uses = Vec::new();
        let mut note = |site: UseSite<'_>, path: &ImportedPath| {
            uses.extend(self.possible_uses(&site, path, opened));
        };
        for reference in &self.refs {
            let kind = match reference.kind {
                ReferenceKind::Call | ReferenceKind::New | ReferenceKind::Element => {
                    EdgeKind::Calls
                }
                ReferenceKind::Decorator => EdgeKind::DecoratedBy,
                ReferenceKind::Value | ReferenceKind::Read | ReferenceKind::Made => continue,
            };
            if let Some(path) = self.path_of(reference.target, 0) {
                let word = self.open_call_name(reference.target).unwrap_or_default();
                let from = place(reference.from);
                let arguments = self.arguments_of(reference);
                note(UseSite { from, kind, line: reference.line, word, arguments }, &path);
            }
        }
        for (number, def) in (0..).map(DefId).zip(&self.defs) {
            let mut add = |ty: TypeId, kind: EdgeKind| {
                if let Some(path) = self.path_of_type(ty, 0) {
                    let word = self.type_word(ty);
                    let from = place(Some(number));
                    let line = def.name_line;
                    note(UseSite { from, kind, line, word, arguments: None }, &path);
                }
            };
            for (kind, ty) in &def.supers {
                let kind = match kind {
                    SupertypeKind::Inherits => EdgeKind::Inherits,
                    SupertypeKind::Implements => EdgeKind::Implements,
                    SupertypeKind::Required | SupertypeKind::Companion => continue,
                };
                add(*ty, kind);
            }
            def.params.iter().for_each(|parameter| add(parameter.ty, EdgeKind::ParamOf));
            let is_function = def.kind == DefKind::Function;
            add(def.ty, if is_function { EdgeKind::Returns } else { EdgeKind::FieldType });
        }
        for (at, known) in self.implemented_interfaces() {
            uses.push(self.implementing_use(at, place(Some(at)), known));
        }
        uses.sort_unstable();
        uses.dedup();
        uses
    }

    /// Returns a use of a path; of a name that nothing in the file binds, also as one that each import of everything brings,
    /// and each of the modules that are `opened` to the file.
    fn possible_uses(
        &self,
        site: &UseSite<'_>,
        path: &ImportedPath,
        opened: &[Vec<String>],
    ) -> Vec<ImportedNameUse> {
        let own = self.imported_use(site, path);
        let mut uses = vec![own.clone()];
        if path.import.is_none() {
            uses.extend(self.imports_of_everything().map(|import| {
                let path = ImportedPath { import: Some(import), ..path.clone() };
                self.imported_use(site, &path)
            }));
            uses.extend(opened.iter().map(|module| ImportedNameUse {
                module: module.clone(),
                is_of_all: true,
                ..own.clone()
            }));
        }
        uses
    }

    /// The use that a method makes of an interface which its type implements by it.
    fn implementing_use(&self, at: DefId, from: u32, known: &KnownInterface) -> ImportedNameUse {
        ImportedNameUse {
            from,
            kind: EdgeKind::Implements,
            line: self.def(at).name_line,
            module: vec![known.module.to_owned()],
            names: vec![known.name.to_owned()],
            word: String::new(),
            is_of_value: false,
            is_of_all: false,
            arguments: None,
        }
    }

    /// Returns the other names that the imports and exports of the file give, sorted.
    pub fn renamed_names(&self) -> Vec<RenamedName> {
        let of_import = |import: &Import, name: Sym| match import.taken {
            ImportSelection::Name(own) if own != name => Some(RenamedName {
                name: self.text(name).to_owned(),
                own: self.text(own).to_owned(),
                module: import.module.iter().map(|part| self.text(*part).to_owned()).collect(),
                is_relative: import.level > 0,
            }),
            _ => None,
        };
        let imported = self.imports.iter().filter_map(|import| of_import(import, import.local?));
        let exported = self.exports.iter().filter_map(|export| match export {
            ModuleExport::Import { name, import } => of_import(self.import(*import), *name),
            ModuleExport::Local { name, local } if name != local => Some(RenamedName {
                name: self.text(*name).to_owned(),
                own: self.text(*local).to_owned(),
                module: Vec::new(),
                is_relative: true,
            }),
            _ => None,
        });
        let mut renamed: Vec<RenamedName> = imported.chain(exported).collect();
        renamed.sort_unstable();
        renamed.dedup();
        renamed
    }

    /// The labels of the arguments of a call.
    fn arguments_of(&self, reference: &Reference) -> Option<Vec<String>> {
        if !matches!(reference.kind, ReferenceKind::Call | ReferenceKind::New) {
            return None;
        }
        let Some(given) = self.labels.get(&reference.target) else {
            return Some(vec![UNLABELLED.to_owned(); usize::from(reference.args)]);
        };
        Some(given.names.iter().map(|label| self.text(*label).to_owned()).collect())
    }

    /// The imports, absolute ones, that bring all names of a module of elsewhere.
    fn imports_of_everything(&self) -> impl Iterator<Item = ImportId> {
        let brings_all =
            |import: &&Import| import.taken == ImportSelection::All && import.level == 0;
        let is_own = |import: &&Import| {
            let first = import.module.first().map_or("", |part| self.text(*part));
            let own = self.language.capabilities().own_package_words;
            own.contains(&first.trim_end_matches("::"))
        };
        let numbered = (0..).map(ImportId).zip(&self.imports);
        let whole = numbered.filter(move |(_, import)| brings_all(import) && !is_own(import));
        whole.map(|(number, _)| number).take(MAX_WHOLE_IMPORTS)
    }

    fn imported_use(&self, site: &UseSite<'_>, path: &ImportedPath) -> ImportedNameUse {
        let text = |sym: &Sym| self.text(*sym).to_owned();
        let import = path.import.map(|import| self.import(import));
        let taken = import.and_then(|import| match import.taken {
            ImportSelection::Name(name) => Some(text(&name)),
            ImportSelection::Module | ImportSelection::All => None,
        });
        ImportedNameUse {
            from: site.from,
            kind: site.kind,
            line: site.line,
            word: site.word.to_owned(),
            module: import
                .map(|import| import.module.iter().map(text).collect())
                .unwrap_or_default(),
            names: taken.into_iter().chain(path.names.iter().map(text)).collect(),
            is_of_value: path.is_of_value,
            is_of_all: import.is_some_and(|import| import.taken == ImportSelection::All),
            arguments: site.arguments.clone(),
        }
    }

    /// The path that an expression is.
    fn path_of(&self, expr: ExprId, depth: usize) -> Option<ImportedPath> {
        if depth > MAX_NESTING {
            return None;
        }
        match self.expr(expr) {
            Expr::Name { name, scope, .. } => self.path_of_name(*name, *scope, depth + 1),
            Expr::Module(import) => self.path_of_import(*import),
            Expr::Member { object, name } => {
                let held = self.path_of(*object, depth + 1).or_else(|| {
                    let path = self.type_of(*object, depth + 1)?;
                    Some(ImportedPath { is_of_value: true, ..path })
                })?;
                Some(ImportedPath { names: [held.names.as_slice(), &[*name]].concat(), ..held })
            }
            Expr::Type(ty) => self.path_of_type(*ty, depth + 1),
            _ => None,
        }
    }

    /// The path of the type that a value surely has: it is made here, or declared so.
    fn type_of(&self, expr: ExprId, depth: usize) -> Option<ImportedPath> {
        if depth > MAX_NESTING {
            return None;
        }
        match self.expr(expr) {
            // A call may make the type that it names; when it is one of a function, no member fits.
            Expr::New { callee, .. } | Expr::Call { callee, .. } => {
                self.path_of(*callee, depth + 1).or_else(|| self.result_of(*callee, depth + 1))
            }
            Expr::Typed(ty) => self.path_of_type(*ty, depth + 1),
            Expr::Member { object, name } => match *self.expr(*object) {
                Expr::This(scope) => {
                    let home = self.types_around(scope).next()?;
                    self.path_of_type(self.field(home, *name)?.ty, depth + 1)
                }
                _ => None,
            },
            Expr::Name { name, scope, .. } => match self.binding(*name, *scope) {
                None => self.path_of_type(self.bare_field(*name, *scope)?.ty, depth + 1),
                Some(bound) => self.type_of_bound(bound, depth + 1),
            },
            _ => None,
        }
    }

    /// The same of what a name is bound to.
    fn type_of_bound(&self, bound: BindingTarget, depth: usize) -> Option<ImportedPath> {
        match bound {
            BindingTarget::Param(def, place) => {
                self.path_of_type(self.def(def).params.get(usize::from(place))?.ty, depth + 1)
            }
            BindingTarget::LambdaParam(lambda, place) => {
                let lambda = self.lambdas.get(lambda.index())?;
                self.path_of_type(lambda.params.get(usize::from(place))?.ty, depth + 1)
            }
            BindingTarget::Local { ty, value } => {
                self.path_of_type(ty, depth + 1).or_else(|| self.type_of(value, depth + 1))
            }
            BindingTarget::Def(def) if self.is_field(def) => {
                self.path_of_type(self.def(def).ty, depth + 1)
            }
            _ => None,
        }
    }

    fn is_field(&self, def: DefId) -> bool {
        let def = self.def(def);
        def.kind == DefKind::Field || def.flags.has(DefFlags::PROPERTY)
    }

    /// The field that a bare name means, in languages where it may mean one.
    fn bare_field(&self, name: Sym, scope: ScopeId) -> Option<&LoweredDefinition> {
        let mut homes =
            self.types_around(scope).filter(|_| self.language.capabilities().members_in_scope);
        homes.find_map(|home| self.field(home, name))
    }

    fn field(&self, home: DefId, name: Sym) -> Option<&LoweredDefinition> {
        let fields = self.fields.get_or_init(|| self.fields());
        fields.get(&(home, name)).map(|field| self.def(*field))
    }

    /// The types of this file that a scope stands in, from the innermost.
    fn types_around(&self, scope: ScopeId) -> impl Iterator<Item = DefId> {
        let scope_of = |id: ScopeId| self.scopes.get(id.index());
        let around = std::iter::successors(scope_of(scope), move |scope| scope_of(scope.parent?));
        let types = around.take(MAX_NESTING).filter(|scope| scope.kind == ScopeKind::Type);
        let owners = types.filter_map(|scope| scope.owner);
        owners.map(|owner| self.extended_type(owner).unwrap_or(owner))
    }

    /// The type of this file that a block of members is written for.
    fn extended_type(&self, block: DefId) -> Option<DefId> {
        let TypeExpr::Named { path, scope, .. } = self.ty(self.def(block).receiver) else {
            return None;
        };
        let [name] = path.as_slice() else { return None };
        match self.binding(*name, *scope)? {
            BindingTarget::Def(def) => Some(def),
            _ => None,
        }
    }

    /// The fields of the types of this file.
    fn fields(&self) -> FxHashMap<(DefId, Sym), DefId> {
        let numbered = (0..).map(DefId).zip(&self.defs).filter(|(id, _)| self.is_field(*id));
        numbered.filter_map(|(id, def)| Some(((def.parent?, def.name), id))).collect()
    }

    /// The path of the type that a function of this file says it returns.
    fn result_of(&self, callee: ExprId, depth: usize) -> Option<ImportedPath> {
        let Expr::Name { name, scope, .. } = self.expr(callee) else { return None };
        match self.binding(*name, *scope)? {
            BindingTarget::Def(def) if self.def(def).kind == DefKind::Function => {
                self.path_of_type(self.def(def).ty, depth + 1)
            }
            _ => None,
        }
    }

    /// The path that a type is. A name may be bound to a value whose type has that name.
    fn path_of_type(&self, ty: TypeId, depth: usize) -> Option<ImportedPath> {
        if depth > MAX_NESTING {
            return None;
        }
        let TypeExpr::Named { path, scope, .. } = self.ty(ty) else { return None };
        let (first, rest) = path.split_first()?;
        let found = self.path_of_name(*first, *scope, depth + 1)?;
        Some(ImportedPath { names: [found.names.as_slice(), rest].concat(), ..found })
    }

    /// The last name of a type as it is written.
    fn type_word(&self, ty: TypeId) -> &str {
        match self.ty(ty) {
            TypeExpr::Named { path, .. } => path.last().map_or("", |name| self.text(*name)),
            _ => "",
        }
    }

    /// The import that a name is bound to, also through a variable that holds what is imported, or the name itself when
    /// nothing in the file binds it.
    fn path_of_name(&self, name: Sym, scope: ScopeId, depth: usize) -> Option<ImportedPath> {
        let value = match self.binding(name, scope) {
            Some(BindingTarget::Import(import)) => return self.path_of_import(import),
            Some(BindingTarget::Def(def)) if self.def(def).kind == DefKind::Variable => {
                self.def(def).value
            }
            Some(BindingTarget::Local { value, .. }) => value,
            Some(_) => return None,
            None if self.bare_field(name, scope).is_some() => return None,
            None => {
                return Some(ImportedPath { import: None, names: vec![name], is_of_value: false });
            }
        };
        let is_path =
            matches!(self.expr(value), Expr::Module(_) | Expr::Member { .. } | Expr::Name { .. });
        let path = if is_path { self.path_of(value, depth)? } else { return None };
        (path.import.is_some() && !path.is_of_value).then_some(path)
    }

    fn path_of_import(&self, import: ImportId) -> Option<ImportedPath> {
        let is_relative = self.import(import).level > 0;
        let path = ImportedPath { import: Some(import), names: Vec::new(), is_of_value: false };
        (!is_relative).then_some(path)
    }

    /// Returns what the innermost scope around that knows a name binds it to.
    fn binding(&self, name: Sym, scope: ScopeId) -> Option<BindingTarget> {
        let mut at = Some(scope);
        for _ in 0..MAX_NESTING {
            let here = at?;
            if let Some(binding) = self.bindings_of(here, name).last() {
                return Some(binding.what);
            }
            at = self.scopes.get(here.index())?.parent;
        }
        None
    }
}
