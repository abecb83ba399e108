//! Element types of containers, and the types of subscript expressions and of entered contexts.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind},
    resolve::{
        inference_results::Ty,
        library_element_types,
        program_facts::DefRef,
        type_inference::{NameReferent, TypeInference},
    },
};

/// Opaque types, each declared as the next one, that are followed.
const MAX_OPAQUE: usize = 8;

impl TypeInference<'_, '_> {
    /// One element of a container.
    pub(crate) fn element_of(&mut self, ty: &Ty) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::List(inner) => (**inner).clone(),
                Ty::Tuple(items) => Ty::union(items.iter().cloned()),
                Ty::Ext(_, args) => library_element_types::element(self.program, ty, args),
                Ty::Inst(def, _) if self.is_opaque(*def) => {
                    let under = self.underlying_type(*def);
                    self.element_of(&under)
                }
                Ty::Inst(def, _)
                    if let Some(item) = self.rules(def.file).element(self, ty) =>
                {
                    item
                }
                Ty::Inst(def, _) => {
                    for name in self.program.capabilities(def.file).iterator_methods {
                        let found = self.method_result(ty, name);
                        if found.is_known() && &found != ty {
                            // What an iterator gives is not iterated again: classes may give one another.
                            let each = found.each().iter().map(|found| match found {
                                Ty::Inst(def, _) => self.next_element_of(found, *def),
                                found => self.element_of(found),
                            });
                            return Ty::union(each.collect::<Vec<_>>());
                        }
                    }
                    let enumerated = matches!(ty, Ty::Inst(def, _) if self.program.def(*def).kind == DefKind::Enum);
                    if enumerated { ty.clone() } else { Ty::Unknown }
                }
                Ty::Class(def, args) if self.program.def(*def).kind != DefKind::Namespace => {
                    // Iterating an enumeration's class gives its members.
                    Ty::Inst(*def, args.clone())
                }
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }

    /// Whether a type is declared as another one under a new name, with members of its own.
    pub(super) fn is_opaque(&self, def: DefRef) -> bool {
        self.program.def(def).flags.has(DefFlags::OPAQUE)
    }

    /// Returns the type that an opaque one is declared as, which is opaque no more. It is unknown where there are many on the way, as
    /// in a circle.
    pub(super) fn underlying_type(&mut self, mut def: DefRef) -> Ty {
        for _ in 0..MAX_OPAQUE {
            let under = self.eval_type(def.file, self.program.def(def).ty);
            match &under {
                Ty::Inst(next, _) if self.is_opaque(*next) => def = *next,
                Ty::Union(types) => {
                    let is_plain =
                        |ty: &&Ty| !matches!(ty, Ty::Inst(def, _) if self.is_opaque(*def));
                    return Ty::union(types.iter().filter(is_plain).cloned());
                }
                _ => return under,
            }
        }
        Ty::Unknown
    }

    fn next_element_of(&mut self, iterator: &Ty, def: DefRef) -> Ty {
        for name in self.program.capabilities(def.file).next_methods {
            let found = self.method_result(iterator, name);
            if found.is_known() {
                return library_element_types::unwrapped(self.program, &found);
            }
        }
        Ty::Unknown
    }

    /// Returns the type of a subscript of a value.
    pub(crate) fn index_of(&mut self, ty: &Ty) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::Ext(_, args) if args.len() == 2 => args[1].clone(),
                Ty::Inst(def, _) if self.is_opaque(*def) => {
                    let under = self.underlying_type(*def);
                    self.index_of(&under)
                }
                Ty::Inst(def, _) if let Some(item) = self.rules(def.file).indexed(self, ty) => item,
                // A method that only has such a name in another language is none.
                Ty::Inst(def, _) => self
                    .program
                    .capabilities(def.file)
                    .subscript_methods
                    .iter()
                    .map(|name| self.method_result(ty, name))
                    .find(Ty::is_known)
                    .unwrap_or(Ty::Unknown),
                Ty::Class(def, _) if self.program.capabilities(def.file).prototype.is_some() => {
                    Ty::Unknown
                }
                Ty::Class(..) => ty.clone(),
                other => self.element_of(other),
            })
            .collect();
        Ty::union(each)
    }

    /// Returns what a subscript that takes a range gives: of what isn't a type of the repository, a list.
    pub(crate) fn slice_of(&mut self, ty: &Ty) -> Ty {
        let part = |of: &Ty| match of {
            Ty::Inst(..) => self.index_of(of),
            _ => Ty::List(Rc::new(self.element_of(of))),
        };
        let each: Vec<Ty> = ty.each().iter().map(part).collect();
        Ty::union(each)
    }

    /// Returns what a subscript of a value takes; of a list, which takes numbers, what it holds: a channel's values.
    pub(crate) fn key_of(&mut self, ty: &Ty) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::Ext(_, args) if args.len() == 2 => args[0].clone(),
                Ty::List(inner) => (**inner).clone(),
                Ty::Inst(def, _) if self.is_opaque(*def) => {
                    let under = self.underlying_type(*def);
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
                let methods = match ty {
                    Ty::Inst(def, _) => self.program.capabilities(def.file).enter_methods,
                    _ => &[],
                };
                let given =
                    methods.iter().map(|name| self.method_result(ty, name)).find(Ty::is_known);
                match (given, ty) {
                    (Some(given), _) => library_element_types::awaited(self.program, &given),
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
        let name = self.program.name(name);
        let referents = self.member(ty, name);
        let types: Vec<Ty> = referents
            .iter()
            .map(|referent| match referent {
                NameReferent::Def(def, env) if self.program.def(*def).kind == DefKind::Function => {
                    self.result(*def, env, None).ty
                }
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(types)
    }
}
