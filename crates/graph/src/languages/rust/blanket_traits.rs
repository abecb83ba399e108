//! Methods of traits that are implemented for all types, or for all that meet a bound: `impl<T: Bound> Trait for T`.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::{
    facts::{DefId, DefKind, ImportId, ImportSelection, TypeExpr, TypeId},
    resolve::{
        inference_results::{Ty, no_env},
        language_resolution_rules::MemberUse,
        library_api_table::LibraryTypeShape,
        out_of_line_members::ANY_TYPE,
        program_facts::{DefRef, FileId, Name, ProgramFacts},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    /// Returns the method that such a trait gives to a value, if only one trait that the file sees does.
    pub(super) fn blanket_method(&mut self, at: MemberUse<'_>) -> Vec<NameReferent> {
        let receivers = at.receiver.each().iter();
        let receivers: Vec<&Ty> = receivers.filter(|ty| is_value(ty)).collect();
        if receivers.is_empty() || receivers.iter().any(|ty| self.has_in_library(ty, at.name)) {
            return Vec::new();
        }
        let mut found: Vec<DefRef> = Vec::new();
        for (file, given) in self.blanket_traits_by_name(at.file).iter().copied() {
            self.charge(1);
            let Ty::Inst(home, _) = self.eval_type(file, given) else { continue };
            let Some(declared) = self.function_of(home, at.name) else { continue };
            if !self.sees_trait(at.file, home) {
                continue;
            }
            let Some(block) = self.block_that_gives(file, given) else { continue };
            if !receivers.iter().any(|ty| self.meets_bound(ty, block)) {
                continue;
            }
            let method = self.function_of(block, at.name).unwrap_or(declared);
            if !found.contains(&method) {
                found.push(method);
            }
        }
        match found.as_slice() {
            [only] => vec![NameReferent::Def(*only, no_env())],
            _ => Vec::new(),
        }
    }

    /// Returns the traits for all types that a file may see, by the names in it alone.
    fn blanket_traits_by_name(&mut self, file: FileId) -> Rc<[(FileId, TypeId)]> {
        if let Some(known) = self.blanket_traits.get(&file) {
            return Rc::clone(known);
        }
        let (program, attached) = (self.program, self.attached);
        let facts = program.facts(file);
        self.charge_search(facts.defs.len() + facts.imports.len());
        let types = facts.defs.iter().filter(|def| def.kind.is_type());
        let mut names: FxHashSet<Name> = types.map(|def| program.name_of(file, def.name)).collect();
        let mut takes_all = false;
        for import in &facts.imports {
            match import.taken {
                ImportSelection::Name(name) => drop(names.insert(program.name_of(file, name))),
                ImportSelection::All => takes_all = true,
                ImportSelection::Module => {}
            }
        }
        let all = attached.external_supers(program.name(ANY_TYPE)).iter();
        let may_see = |(home, given): &&(FileId, TypeId)| {
            let is_named = |name: Name| {
                program.looks_into(file, name);
                names.contains(&name)
            };
            takes_all || trait_name(program, *home, *given).is_none_or(is_named)
        };
        let seen: Rc<[_]> = all.filter(may_see).copied().collect();
        self.blanket_traits.insert(file, Rc::clone(&seen));
        seen
    }

    /// Whether the library is known to have a method of its own by the name.
    fn has_in_library(&self, ty: &Ty, name: Name) -> bool {
        let (library, name) = (self.program.library, self.program.text(name));
        match ty {
            Ty::List(_) => library.rows.contains_key(name),
            Ty::Ext(outside, _) => {
                let outside = self.program.text(*outside);
                library.is(outside, LibraryTypeShape::Wrapper)
                    && library.wrappers.contains_key(name)
                    || library.maps.contains_key(name) && outside.ends_with("Map")
            }
            _ => false,
        }
    }

    fn function_of(&self, home: DefRef, name: Name) -> Option<DefRef> {
        let named = self.program.members_named(home, name).iter().copied();
        named.into_iter().find(|def| self.program.def(*def).kind == DefKind::Function)
    }

    /// Returns the `impl` block of a file that names `given` as its trait.
    fn block_that_gives(&mut self, file: FileId, given: TypeId) -> Option<DefRef> {
        let defs = &self.program.facts(file).defs;
        self.charge_search(defs.len());
        let gives = |(_, up): &(_, TypeId)| *up == given;
        let at = defs
            .iter()
            .position(|def| def.kind == DefKind::Impl && def.supers.iter().any(gives))?;
        Some(DefRef { file, def: DefId(u32::try_from(at).ok()?) })
    }

    /// Whether a trait is declared in a file or imported by it.
    fn sees_trait(&mut self, file: FileId, wanted: DefRef) -> bool {
        if wanted.file == file {
            return true;
        }
        let program = self.program;
        let facts = program.facts(file);
        self.charge_search(facts.imports.len());
        let name = program.def_name(wanted);
        let is_wanted = |entity: &NameReferent| entity.definition() == Some(wanted);
        (0..).map(ImportId).zip(&facts.imports).any(|(id, import)| match import.taken {
            ImportSelection::Name(last) => {
                facts.text(last) == program.text(name)
                    && self.import(file, id).iter().any(is_wanted)
            }
            ImportSelection::All => {
                let homes = self.rust_path_of(file, id, 0);
                homes.iter().any(|home| self.under(home, name, 0).iter().any(is_wanted))
            }
            ImportSelection::Module => false,
        })
    }

    /// Whether a value of a type is one of those that a block is written for, as far as its bounds are known.
    fn meets_bound(&mut self, ty: &Ty, block: DefRef) -> bool {
        let written = self.eval_type(block.file, self.program.def(block).receiver);
        let Ty::Param(_, place) = written else { return false };
        let bound = self.bound_of(block, place);
        bound.each().iter().all(|bound| match bound {
            Ty::Inst(wanted, _) => self.implements(ty, *wanted),
            Ty::FuncType(..) => matches!(ty, Ty::Func(..) | Ty::Lambda(..) | Ty::FuncType(..)),
            Ty::List(_) => matches!(ty, Ty::List(_) | Ty::Inst(..) | Ty::Param(..)),
            _ => true,
        })
    }

    fn implements(&mut self, ty: &Ty, wanted: DefRef) -> bool {
        let is_told = match ty {
            Ty::Inst(def, _) => self.builds_on(*def, wanted),
            Ty::Ext(outside, _) => self.adopts(*outside, wanted),
            Ty::Param(def, place) => {
                let bound = self.bound_of(*def, *place);
                bound.each().iter().any(
                    |bound| matches!(bound, Ty::Inst(bound, _) if self.builds_on(*bound, wanted)),
                )
            }
            _ => false,
        };
        let attached = self.attached;
        is_told
            || attached.external_supers(self.program.name(ANY_TYPE)).iter().any(|(file, given)| {
                self.charge(1);
                matches!(self.eval_type(*file, *given), Ty::Inst(given, _) if given == wanted)
            })
    }
}

/// The name that a trait has where it is declared, as far as the file says it that names the trait.
fn trait_name(program: &ProgramFacts<'_>, file: FileId, given: TypeId) -> Option<Name> {
    let facts = program.facts(file);
    let TypeExpr::Named { path, .. } = facts.ty(given) else { return None };
    let written = *path.last()?;
    let import = facts.imports.iter().find(|it| path.len() == 1 && it.local == Some(written));
    let own = match import.map(|import| &import.taken) {
        Some(ImportSelection::Name(own)) => *own,
        _ => written,
    };
    Some(program.name_of(file, own))
}

const fn is_value(ty: &Ty) -> bool {
    matches!(
        ty,
        Ty::Inst(..)
            | Ty::Ext(..)
            | Ty::List(_)
            | Ty::Tuple(_)
            | Ty::Param(..)
            | Ty::Func(..)
            | Ty::Lambda(..)
            | Ty::FuncType(..)
    )
}
