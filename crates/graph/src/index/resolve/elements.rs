//! What values hold: the elements of containers, what a subscript gives, what entering a context gives.

use super::{
    known,
    session::{Entity, Session},
    types::Ty,
};
use crate::{
    facts::{DefKind, Flags},
    languages::Family,
};

impl Session<'_, '_> {
    /// One element of a container.
    pub(crate) fn elem_of(&mut self, ty: &Ty) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::List(inner) => (**inner).clone(),
                Ty::Tuple(items) => Ty::union(items.iter().cloned()),
                Ty::Ext(_, args) => known::element(self.world, ty, args),
                Ty::Inst(def, _) if self.world.def(*def).flags.has(Flags::OPAQUE) => {
                    let under = self.eval_type(def.file, self.world.def(*def).ty);
                    self.elem_of(&under)
                }
                Ty::Inst(def, _) if self.world.family(def.file) == Family::C => {
                    let begin = self.method_result(ty, "begin");
                    // An iterator is what it points to, unless the repository has it.
                    match self.method_result(&begin, "operator*") {
                        Ty::Unknown => begin,
                        item => item,
                    }
                }
                Ty::Inst(..) => {
                    for name in known::ITERATORS {
                        let found = self.method_result(ty, name);
                        if found.is_known() && &found != ty {
                            return match &found {
                                Ty::Inst(..) => self.elem_of_once(&found),
                                found => self.elem_of(found),
                            };
                        }
                    }
                    let enumerated = matches!(ty, Ty::Inst(def, _) if self.world.def(*def).kind == DefKind::Enum);
                    if enumerated { ty.clone() } else { Ty::Unknown }
                }
                Ty::Class(def, args) if self.world.def(*def).kind != DefKind::Namespace => {
                    // Iterating an enumeration's class gives its members.
                    Ty::Inst(*def, args.clone())
                }
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }

    fn elem_of_once(&mut self, iterator: &Ty) -> Ty {
        for name in known::NEXT {
            let found = self.method_result(iterator, name);
            if found.is_known() {
                return known::unwrapped(self.world, &found);
            }
        }
        Ty::Unknown
    }

    /// What a subscript of a value gives.
    pub(crate) fn index_of(&mut self, ty: &Ty) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::Ext(_, args) if args.len() == 2 => args[1].clone(),
                Ty::Inst(def, _) if self.world.def(*def).flags.has(Flags::OPAQUE) => {
                    let under = self.eval_type(def.file, self.world.def(*def).ty);
                    self.index_of(&under)
                }
                // What is no container is reached by a pointer to several.
                Ty::Inst(def, _) if self.world.family(def.file) == Family::C => {
                    match self.method_result(ty, "operator[]") {
                        Ty::Unknown => ty.clone(),
                        item => item,
                    }
                }
                Ty::Inst(..) => known::SUBSCRIPTS
                    .iter()
                    .map(|name| self.method_result(ty, name))
                    .find(Ty::is_known)
                    .unwrap_or(Ty::Unknown),
                Ty::Class(..) => ty.clone(),
                other => self.elem_of(other),
            })
            .collect();
        Ty::union(each)
    }

    /// What a subscript of a value takes; of a list, which takes numbers, what it holds: a channel's values.
    pub(crate) fn key_of(&mut self, ty: &Ty) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::Ext(_, args) if args.len() == 2 => args[0].clone(),
                Ty::List(inner) => (**inner).clone(),
                Ty::Inst(def, _) if self.world.def(*def).flags.has(Flags::OPAQUE) => {
                    let under = self.eval_type(def.file, self.world.def(*def).ty);
                    self.key_of(&under)
                }
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }

    pub(super) fn entered(&mut self, ty: &Ty) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| {
                let given =
                    known::ENTER.iter().map(|name| self.method_result(ty, name)).find(Ty::is_known);
                match (given, ty) {
                    (Some(given), _) => known::awaited(self.world, &given),
                    // `@contextmanager`: the function's result is what it yields.
                    (None, Ty::List(inner)) => (**inner).clone(),
                    (None, ty) => ty.clone(),
                }
            })
            .collect();
        Ty::union(each)
    }

    /// The result of calling the method `name` of a value without arguments.
    pub(crate) fn method_result(&mut self, ty: &Ty, name: &str) -> Ty {
        let name = self.world.name(name);
        let entities = self.member(ty, name);
        let types: Vec<Ty> = entities
            .iter()
            .map(|entity| match entity {
                Entity::Def(def, env) if self.world.def(*def).kind == DefKind::Function => {
                    self.result(*def, env, None).ty
                }
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(types)
    }
}
