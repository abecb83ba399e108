//! Resolves extension functions that are called by their bare names.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, ImportSelection, ScopeId, ScopeKind},
    resolve::{
        inference_results::{Ty, no_env},
        library_api_table::LibraryTypeShape,
        program_facts::{DefRef, FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

/// How a file sees an extension function.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ExtensionVisibility {
    /// Its own package, or a type, declares it.
    Near,
    /// It is imported by its name.
    Named,
    /// It comes with all of its package.
    Package,
    Hidden,
}

impl TypeInference<'_, '_> {
    /// Returns the extension functions that the classes around a place declare, for whatever type.
    pub(super) fn extensions_around(
        &mut self,
        file: FileId,
        scope: ScopeId,
        name: Name,
        ty: &Ty,
    ) -> Vec<NameReferent> {
        let facts = self.program.facts(file);
        let mut next = Some(scope);
        while let Some(id) = next {
            let scope = &facts.scopes[id.index()];
            next = scope.parent;
            let Some(def) = scope.owner.filter(|_| scope.kind == ScopeKind::Type) else { continue };
            let around = self.program.look_up_canonical(DefRef { file, def });
            let mut found = self.member(&Ty::Inst(around, Rc::from([])), name);
            found.retain(|referent| {
                matches!(referent, NameReferent::Def(def, _)
                    if self.program.def(*def).kind == DefKind::Function
                        && self.program.def(*def).receiver.is_known()
                        && self.program.parent(*def).is_some()
                        && self.may_extend(*def, ty))
            });
            if !found.is_empty() {
                return found;
            }
        }
        Vec::new()
    }

    /// The extension functions of this name that a file sees: imported ones, and those of its package when the value's
    /// type is known to have no such member.
    pub(super) fn extensions_in_scope(
        &mut self,
        file: FileId,
        name: Name,
        ty: &Ty,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let module = program.module_of[file.index()];
        let mut found: Vec<NameReferent> = Vec::new();
        for (_, import) in
            program.imports_named(module, name).iter().filter(|(from, _)| *from == file)
        {
            found.extend(self.import(file, *import));
        }
        if found.is_empty() && ty.is_known() {
            found = self.top_level_referents(module, name);
        }
        found.retain(|referent| match referent {
            NameReferent::Def(def, _) => {
                let def = program.def(*def);
                def.kind == DefKind::Function && def.receiver.is_known()
            }
            _ => false,
        });
        found.retain(|referent| match referent {
            NameReferent::Def(def, _) => self.may_extend(*def, ty),
            _ => false,
        });
        // One that is written for the very type, or for what it builds on, is nearer than one for what it may build on.
        let mut own = found.clone();
        own.retain(
            |referent| matches!(referent, NameReferent::Def(def, _) if self.surely_extends(*def, ty)),
        );
        if own.is_empty() { found } else { own }
    }

    /// Drops what is written for some type out of other files' sight.
    pub(super) fn drop_hidden(&mut self, file: FileId, found: &mut Vec<NameReferent>) {
        let program = self.program;
        if !program.capabilities(file).hides_private_extensions {
            return;
        }
        let is_private = |def: DefRef| program.def(def).flags.has(DefFlags::PRIVATE);
        found.retain(|it| {
            !it.definition().is_some_and(|def| def.file != file && is_private(def))
                || !self.is_extension(it)
        });
        let mut visibilities = Vec::new();
        for referent in found.iter() {
            let outer = referent.definition().filter(|_| self.is_extension(referent));
            visibilities
                .push(outer.map_or(ExtensionVisibility::Near, |def| self.visibility_of(file, def)));
        }
        let is_named = visibilities.contains(&ExtensionVisibility::Named);
        let mut visibilities = visibilities.into_iter();
        found.retain(|_| match visibilities.next() {
            Some(ExtensionVisibility::Package) => !is_named,
            visibility => visibility != Some(ExtensionVisibility::Hidden),
        });
    }

    /// The same for a bare name: a function for no type that is imported by its name is meant before what comes with a whole
    /// package.
    pub(super) fn drop_hidden_from_bare_name(
        &mut self,
        file: FileId,
        found: &mut Vec<NameReferent>,
    ) {
        self.drop_hidden(file, found);
        if !self.program.capabilities(file).hides_private_extensions {
            return;
        }
        found.retain(|referent| {
            let function = referent.definition().filter(|_| self.is_extension(referent));
            let Some(function) = function else { return true };
            self.visibility_of(file, function) != ExtensionVisibility::Package
                || self.imported_for(file, function).iter().all(|it| self.is_extension(it))
        });
    }

    fn is_extension(&self, referent: &NameReferent) -> bool {
        referent.definition().is_some_and(|def| self.program.def(def).receiver.is_known())
    }

    /// How a file sees an extension function.
    fn visibility_of(&mut self, file: FileId, function: DefRef) -> ExtensionVisibility {
        let program = self.program;
        let other = program.module_of[function.file.index()];
        if other == program.module_of[file.index()] || program.parent(function).is_some() {
            return ExtensionVisibility::Near;
        }
        if self.imported_for(file, function).iter().any(|it| it.definition() == Some(function)) {
            return ExtensionVisibility::Named;
        }
        let imports = program.facts(file).imports.iter();
        let mut all = imports.filter(|import| import.taken == ImportSelection::All);
        let is_brought = all.any(|import| {
            let holders = self.package_path(file, &import.module);
            holders.iter().any(|it| matches!(it, NameReferent::Module(at) if *at == other))
        });
        if is_brought { ExtensionVisibility::Package } else { ExtensionVisibility::Hidden }
    }

    /// What a file imports under the name of a function.
    fn imported_for(&mut self, file: FileId, function: DefRef) -> Vec<NameReferent> {
        let program = self.program;
        let name = program.name_of(function.file, program.def(function).name);
        let named = program.imports_named(program.module_of[file.index()], name).iter();
        let named = named.filter(|(from, _)| *from == file);
        named.flat_map(|(_, import)| self.import(file, *import)).collect()
    }

    /// The extension functions of a file's package for the outside type that a chain of calls starts with, used when the
    /// type at the end of the chain is unknown: `Type.a().b()` is likely a `Type`.
    pub(super) fn extensions_of_chain(
        &mut self,
        file: FileId,
        object: ExprId,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let facts = program.facts(file);
        let mut found = self.top_level_referents(program.module_of[file.index()], name);
        if found.is_empty() {
            return found;
        }
        let mut first = object;
        while let Expr::Call { callee: next, .. } | Expr::Member { object: next, .. } =
            facts.expr(first)
        {
            first = *next;
            if !self.charge(1) {
                return Vec::new();
            }
        }
        let begun = match facts.expr(first) {
            // A type's own name, by which nothing else goes.
            Expr::Name { name, .. } if facts.text(*name).starts_with(char::is_uppercase) => {
                match self.resolve_expr(file, first).0.as_slice() {
                    [] | [NameReferent::External] => program.name_of(file, *name),
                    _ => return Vec::new(),
                }
            }
            _ => match self.type_of(file, first).ty {
                Ty::Ext(name, _) | Ty::ExtItem(name) => name,
                _ => return Vec::new(),
            },
        };
        found.retain(|referent| match referent {
            NameReferent::Def(def, _) => {
                let written = program.def(*def);
                written.kind == DefKind::Function
                    && matches!(self.eval_type(def.file, written.receiver), Ty::Ext(of, _) if of == begun)
            }
            _ => false,
        });
        found
    }

    /// Whether a function extends exactly `ty`, or an outside type that `ty` declares as a supertype.
    fn surely_extends(&mut self, function: DefRef, ty: &Ty) -> bool {
        let written = self.eval_type(function.file, self.program.def(function).receiver);
        let (Ty::Ext(wanted, _), Ty::Inst(given, _)) = (&written, ty) else {
            return written == *ty;
        };
        let mut open = vec![*given];
        let mut at = 0;
        while at < open.len() && at < 64 {
            for up in self.supers(open[at]) {
                match up {
                    Ty::Ext(up, _) if up == *wanted => return true,
                    Ty::Inst(up, _) if !open.contains(&up) => open.push(up),
                    _ => {}
                }
            }
            at += 1;
        }
        false
    }

    /// Whether a function is written for `ty` or for what it surely builds on.
    pub(super) fn is_extension_of(&mut self, function: DefRef, ty: &Ty) -> bool {
        let written = self.eval_type(function.file, self.program.def(function).receiver);
        self.surely_extends(function, ty)
            || matches!((written, ty), (Ty::Inst(..), Ty::Inst(..)))
                && self.may_extend(function, ty)
    }

    /// Whether a function written for some type can take a value of `ty`: no if both are the repository's and unrelated.
    fn may_extend(&mut self, function: DefRef, ty: &Ty) -> bool {
        let written = self.eval_type(function.file, self.program.def(function).receiver);
        match (&written, ty) {
            (Ty::Inst(wanted, _), Ty::Inst(given, _)) => {
                let mut open = vec![*given];
                let mut at = 0;
                while at < open.len() && at < 64 {
                    if open[at] == *wanted {
                        return true;
                    }
                    for up in self.supers(open[at]) {
                        match up {
                            Ty::Inst(up, _) if !open.contains(&up) => open.push(up),
                            _ => {}
                        }
                    }
                    at += 1;
                }
                false
            }
            (Ty::Inst(..), Ty::Ext(..) | Ty::List(_)) => false,
            (Ty::Ext(wanted, _), Ty::Ext(given, _)) => {
                // What outside types build on isn't known; only plain ones surely have nothing above them.
                let library = self.program.library;
                let is_plain = |name: Name| {
                    let name = self.program.text(name);
                    library.plain_values.contains_key(name)
                        || library.is(name, LibraryTypeShape::Plain)
                };
                wanted == given || !is_plain(*given) && !is_plain(*wanted)
            }
            _ => true,
        }
    }

    /// Returns what extensions of the repository add to a type from elsewhere under a name.
    pub(crate) fn extended(&mut self, ty: &Ty, name: Name) -> Vec<NameReferent> {
        let attached = self.attached;
        let extends = |def: &&DefRef| self.program.capabilities(def.file).extends_outside_types;
        let names: Vec<Name> = match ty {
            Ty::Ext(outside, _) => vec![*outside],
            Ty::List(_) => {
                let rows = self.program.library.extended_by_rows.iter();
                rows.map(|row| self.program.name(row)).collect()
            }
            _ => return Vec::new(),
        };
        let mut found: Vec<NameReferent> = Vec::new();
        for outside in &names {
            let added = attached.external_members(*outside, name).iter().filter(extends);
            found.extend(added.map(|def| NameReferent::Def(*def, no_env())));
        }
        if found.is_empty() {
            for outside in names {
                for (file, up) in attached.external_supers(outside) {
                    if !self.program.capabilities(*file).extends_outside_types {
                        continue;
                    }
                    for up in self.eval_type(*file, *up).each() {
                        if matches!(up, Ty::Inst(..)) {
                            // A requirement of the protocol is implemented by the outside type itself.
                            let given = self.member(up, name);
                            found.extend(given.into_iter().filter(|referent| {
                                matches!(referent, NameReferent::Def(def, _) if !self.program.def(*def).flags.has(DefFlags::DECLARATION))
                            }));
                        }
                    }
                }
            }
        }
        found
    }
}
