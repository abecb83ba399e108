//! PHP's names: the own namespace, the global one for functions and constants, and variables that are a function's own.

use crate::{
    facts::{DefKind, Expr, ExprId, ImportSelection, ScopeId, ScopeKind, Sym, TypeExpr},
    graph_model::LanguageFamily,
    resolve::{
        inference_results::{SymbolNamespace, Ty, no_args, no_env},
        language_resolution_rules::{ProjectFiles, ProjectModel, TypeName},
        program_facts::{DefRef, FileId, ModId, Name, ProgramFacts},
        project_layout::namespaces,
        type_inference::{NameReferent, TypeInference},
    },
};

/// Gives every file the module of its namespace.
pub(super) fn lay_out(
    program: &mut ProgramFacts<'_>,
    project: ProjectFiles<'_>,
) -> Option<Box<dyn ProjectModel>> {
    for file in project.files {
        namespaces::join(program, *file, &project.summaries[file.index()]);
    }
    None
}

impl TypeInference<'_, '_> {
    /// A name that no scope binds. Functions and constants are also looked for in the global namespace, classes are not.
    pub(crate) fn php_outside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
        namespace: SymbolNamespace,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let Some(root) = program.layout.packages.root(program.family(file)) else {
            return Vec::new();
        };
        let text = program.text(name);
        if text.is_empty() {
            return vec![NameReferent::Module(root)];
        }
        if text.starts_with('$') {
            return Vec::new();
        }
        let mut found = self.package_member(&NameReferent::Module(module), name);
        if namespace == SymbolNamespace::Type {
            found.retain(|referent| {
                matches!(referent, NameReferent::Module(_)) || self.names_type(referent)
            });
        } else if found.iter().all(|referent| matches!(referent, NameReferent::Module(_))) {
            let global = program.top_level_named(root, name).iter().filter(|def| {
                matches!(program.def(**def).kind, DefKind::Function | DefKind::Variable)
            });
            let global: Vec<NameReferent> =
                global.map(|def| NameReferent::Def(*def, no_env())).collect();
            if !global.is_empty() {
                return global;
            }
        }
        found
    }

    /// Returns the classes that a name with several parts means. All but the last name namespaces, also where a class has the same
    /// name: `Node\Stmt` is a class beside the namespace of `Node\Stmt\Echo_`.
    pub(crate) fn php_class(&mut self, at: TypeName<'_>) -> Option<Ty> {
        let program = self.program;
        let (last, spaces) = at.path.split_last()?;
        let (first, rest) = spaces.split_first()?;
        let name = program.name_of(at.file, *last);
        let mut classes: Vec<DefRef> = Vec::new();
        for start in self.namespaces_named(at, *first) {
            let below =
                |space: ModId, part: &Sym| program.child(space, program.name_of(at.file, *part));
            let Some(space) = rest.iter().try_fold(start, below) else { continue };
            let found = program.top_level_named(space, name).iter();
            classes.extend(found.filter(|def| program.def(**def).kind.is_type()));
        }
        self.count(classes.len());
        let types = classes.into_iter().map(|def| Ty::Inst(def, no_args()));
        Some(Ty::union(types.collect::<Vec<_>>())).filter(Ty::is_known)
    }

    /// The namespaces that the first part of a longer name may mean: the root, imported ones, else one below that around.
    fn namespaces_named(&self, at: TypeName<'_>, first: Sym) -> Vec<ModId> {
        let program = self.program;
        let facts = program.facts(at.file);
        let Some(root) = program.layout.packages.root(program.family(at.file)) else {
            return Vec::new();
        };
        if facts.text(first).is_empty() {
            return vec![root];
        }
        let below = |space: ModId, part: Sym| program.child(space, program.name_of(at.file, part));
        let mut imports = facts.imports.iter().filter(|it| it.local == Some(first)).peekable();
        if imports.peek().is_none() {
            return below(program.module_at(at.file, at.scope), first).into_iter().collect();
        }
        let imported = imports.filter_map(|import| {
            let ImportSelection::Name(last) = import.taken else { return None };
            let path = import.module.iter().copied().chain([last]);
            path.filter(|part| !facts.text(*part).is_empty()).try_fold(root, below)
        });
        imported.collect()
    }

    /// Returns the result of a method that returns `static`, for the receiver of the call.
    pub(crate) fn late_static(&mut self, file: FileId, callee: ExprId, def: DefRef) -> Option<Ty> {
        let program = self.program;
        let facts = program.facts(def.file);
        let TypeExpr::Named { path, .. } = facts.ty(program.def(def).ty) else { return None };
        if program.family(file) != LanguageFamily::Php || facts.text(*path.first()?) != "static" {
            return None;
        }
        let Expr::Member { object, .. } = program.facts(file).expr(callee) else { return None };
        let object = match program.facts(file).expr(*object) {
            Expr::Super(scope) => self.this_type(file, *scope),
            _ => self.type_of(file, *object).ty,
        };
        let each = object.each().iter().map(|ty| match ty {
            Ty::Class(def, args) => Ty::Inst(*def, args.clone()),
            other => other.clone(),
        });
        Some(Ty::union(each))
    }

    /// Whether `scope` belongs to a named function, so that its variables are not seen outside.
    pub(crate) fn hides_variables(&self, file: FileId, scope: ScopeId, name: Name) -> bool {
        let facts = self.program.facts(file);
        let found = &facts.scopes[scope.index()];
        let text = self.program.text(name);
        text.starts_with('$')
            && text != "$this"
            && found.kind == ScopeKind::Function
            && found.owner.is_some_and(|def| facts.def(def).scope == scope)
    }
}
