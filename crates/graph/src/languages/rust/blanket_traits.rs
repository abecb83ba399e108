//! Methods of traits that are implemented for all types, for all that meet a bound (`impl<T: Bound> Trait for T`), or for a type
//! from outside the repository.

use std::rc::Rc;

use rustc_hash::FxHashSet;

use crate::{
    facts::{DefId, DefKind, Expr, ExprId, ImportId, ImportSelection, TypeExpr, TypeId},
    languages::rust::{name_lookup::only, resolution_rules::DERIVED},
    resolve::{
        inference_results::{Ty, no_args, no_env},
        language_resolution_rules::MemberUse,
        library_api_table::LibraryTypeShape,
        out_of_line_members::ANY_TYPE,
        program_facts::{DefRef, FileId, Name, ProgramFacts},
        type_inference::{NameReferent, TypeInference},
    },
};

/// Types that are named without being imported.
const PRIMITIVES: &[&str] = &[
    "bool", "char", "f32", "f64", "i128", "i16", "i32", "i64", "i8", "isize", "str", "u128", "u16",
    "u32", "u64", "u8", "usize",
];
/// Calls of a chain.
const MAX_CHAIN: usize = 64;

/// Whether a method is named as one that gives what a wrapper holds.
fn gives_inner(name: &str) -> bool {
    matches!(
        name.trim_end_matches("_mut"),
        "get" | "get_ref" | "inner" | "into_inner" | "as_ref" | "deref"
    )
}

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
            let Some((block, method)) = self.given_method(at, file, given) else { continue };
            if receivers.iter().any(|ty| self.meets_bound(ty, block)) && !found.contains(&method) {
                found.push(method);
            }
        }
        self.told_apart(&found)
    }

    /// Returns the only function, or several of which no two take as many arguments: the call says which is meant.
    fn told_apart(&self, found: &[DefRef]) -> Vec<NameReferent> {
        let mut counts: Vec<usize> =
            found.iter().map(|def| self.program.def(*def).params.len()).collect();
        counts.sort_unstable();
        counts.dedup();
        if counts.len() < found.len() {
            return Vec::new();
        }
        found.iter().map(|def| NameReferent::Def(*def, no_env())).collect()
    }

    /// Returns the method that a trait gives to an outside type that a value has, if only one trait that the file sees does. A
    /// chain of calls without a known type is taken for the outside type that it begins with: builders give themselves back.
    pub(super) fn outside_trait_method(&mut self, at: MemberUse<'_>) -> Vec<NameReferent> {
        let outside = match at.receiver {
            Ty::Ext(outside, _) | Ty::ExtItem(outside) => Some(*outside),
            Ty::Unknown => self.start_of_chain(at.file, at.expr),
            _ => None,
        };
        let Some(outside) = outside else { return Vec::new() };
        if self.has_in_library(&Ty::Ext(outside, no_args()), at.name) {
            return Vec::new();
        }
        let mut found: Vec<DefRef> = Vec::new();
        let attached = self.attached;
        for (file, given) in attached.external_supers(outside).iter().copied() {
            if let Some((_, method)) = self.given_method(at, file, given)
                && !found.contains(&method)
            {
                found.push(method);
            }
        }
        only(&found)
    }

    /// Keeps what the trait that is named gives (`<Type as Trait>::member`), else, where several traits give functions, those of
    /// the traits that the file sees.
    pub(super) fn of_visible_traits(
        &mut self,
        at: MemberUse<'_>,
        found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        if let Some(named) = self.program.facts(at.file).interfaces.get(&at.expr) {
            let Ty::Inst(wanted, _) = self.eval_type(at.file, *named) else { return found };
            let given =
                self.function_given(at, wanted).or_else(|| self.function_of(wanted, at.name));
            return match given {
                Some(function) => vec![NameReferent::Def(function, no_env())],
                None => found,
            };
        }
        if found.len() < 2 {
            return found;
        }
        let traits: Vec<Vec<DefRef>> =
            found.iter().map(|referent| self.traits_of(referent)).collect();
        let is_seen: Vec<bool> = traits
            .iter()
            .map(|homes| homes.iter().any(|home| self.sees_trait(at.file, *home)))
            .collect();
        if !is_seen.contains(&true) {
            return found;
        }
        let kept = found.into_iter().zip(traits.iter().zip(is_seen));
        let kept = kept.filter(|(_, (traits, is_seen))| traits.is_empty() || *is_seen);
        kept.map(|(referent, _)| referent).collect()
    }

    /// Returns the function that the implementation of a trait for the type of `at` has.
    fn function_given(&mut self, at: MemberUse<'_>, wanted: DefRef) -> Option<DefRef> {
        let attached = self.attached;
        for ty in at.receiver.each() {
            let given = match ty {
                Ty::Inst(def, _) | Ty::Class(def, _) => {
                    attached.supers(*def, self.program.def_name(*def))
                }
                Ty::Ext(outside, _) | Ty::ExtItem(outside) => attached.external_supers(*outside),
                _ => continue,
            };
            for (file, given) in given {
                if !self.charge(1) {
                    return None;
                }
                let block = match self.eval_type(*file, *given) {
                    Ty::Inst(home, _) if home == wanted => self.block_that_gives(*file, *given),
                    _ => None,
                };
                if let Some(function) = block.and_then(|block| self.function_of(block, at.name)) {
                    return Some(function);
                }
            }
        }
        None
    }

    /// Returns the traits of the repository whose implementation, or whose declaration, has a function.
    fn traits_of(&mut self, referent: &NameReferent) -> Vec<DefRef> {
        let block = referent.definition().and_then(|def| self.program.parent(def));
        let Some(block) = block else { return Vec::new() };
        let def = self.program.def(block);
        match def.kind {
            DefKind::Trait => vec![block],
            DefKind::Impl => {
                let given = def.supers.iter().map(|(_, given)| *given);
                let given: Vec<TypeId> = given.collect();
                let traits = given.into_iter().map(|given| self.eval_type(block.file, given));
                let traits = traits.filter_map(|ty| match ty {
                    Ty::Inst(home, _) => Some(home),
                    _ => None,
                });
                traits.collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the block that implements the trait `given` and the method that it, or else the trait, has, if the file sees the
    /// trait.
    fn given_method(
        &mut self,
        at: MemberUse<'_>,
        file: FileId,
        given: TypeId,
    ) -> Option<(DefRef, DefRef)> {
        if !self.charge(1) {
            return None;
        }
        let Ty::Inst(home, _) = self.eval_type(file, given) else { return None };
        let declared = self.function_of(home, at.name)?;
        if !self.sees_trait(at.file, home) {
            return None;
        }
        let block = self.block_that_gives(file, given)?;
        Some((block, self.function_of(block, at.name).unwrap_or(declared)))
    }

    /// Returns the outside type that a chain of calls, of which `member` is the last, begins with, or the built-in type that it is
    /// a member of.
    fn start_of_chain(&mut self, file: FileId, member: ExprId) -> Option<Name> {
        let facts = self.program.facts(file);
        let Expr::Member { object, name } = *facts.expr(member) else { return None };
        if facts.is_path(object) {
            return match facts.expr(object) {
                Expr::Name { name, .. } if PRIMITIVES.contains(&facts.text(*name)) => {
                    Some(self.program.name_of(file, *name))
                }
                _ if facts.names_type(object) => self.outside_type_named(file, object),
                _ => None,
            };
        }
        // What is derived may be of any type.
        if DERIVED.contains(&self.program.text(self.program.name_of(file, name))) {
            return None;
        }
        let mut at = object;
        // A value that is named or made is no chain.
        for _ in 0..MAX_CHAIN {
            if !self.charge(1) {
                return None;
            }
            at = match *facts.expr(at) {
                Expr::Call { callee, .. } => match *facts.expr(callee) {
                    Expr::Member { object, name } if !gives_inner(facts.text(name)) => object,
                    _ => return None,
                },
                _ if at == object => return None,
                Expr::Name { .. } | Expr::Member { .. } if facts.names_type(at) => {
                    return self.outside_type_named(file, at);
                }
                _ => {
                    return match self.type_of(file, at).ty {
                        Ty::Ext(outside, _) => Some(outside),
                        _ => None,
                    };
                }
            };
        }
        None
    }

    fn outside_type_named(&mut self, file: FileId, at: ExprId) -> Option<Name> {
        let found = self.resolve_expr(file, at).0;
        let is_outside = found.iter().all(|referent| *referent == NameReferent::External);
        match self.program.facts(file).expr(at) {
            Expr::Name { name, .. } | Expr::Member { name, .. } if is_outside => {
                Some(self.program.name_of(file, *name))
            }
            _ => None,
        }
    }

    /// Returns the traits for all types that a file may see, by the names in it alone.
    fn blanket_traits_by_name(&mut self, file: FileId) -> Rc<[(FileId, TypeId)]> {
        if let Some(known) = self.blanket_traits.get(&file) {
            return Rc::clone(known);
        }
        let (program, attached) = (self.program, self.attached);
        let facts = program.facts(file);
        self.count_search(facts.defs.len() + facts.imports.len());
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
        if !self.charge_search(defs.len()) {
            return None;
        }
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
        if !self.charge_search(facts.imports.len()) {
            return false;
        }
        let name = program.def_name(wanted);
        let is_wanted = |referent: &NameReferent| referent.definition() == Some(wanted);
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
                self.charge(1)
                    && matches!(self.eval_type(*file, *given), Ty::Inst(given, _) if given == wanted)
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
