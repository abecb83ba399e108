//! Whether a parameter takes a value, by their types.

use crate::{
    facts::{DefKind, Expr, ExprId},
    resolve::{
        inference_results::Ty,
        library_api_table::LibraryTypeShape,
        library_element_types,
        program_facts::{DefRef, FileId, Name},
        type_inference::TypeInference,
    },
};

impl TypeInference<'_, '_> {
    /// Whether a parameter takes a value; `None` when that isn't known.
    pub(super) fn takes_value(&mut self, wanted: &Ty, file: FileId, value: ExprId) -> Option<bool> {
        let facts = self.program.facts(file);
        let named = match facts.expr(value) {
            Expr::Call { callee, .. } => *callee,
            _ => value,
        };
        if let Expr::Member { object, name } = facts.expr(named)
            && matches!(facts.expr(*object), Expr::ExpectedBy(..))
        {
            // `.name` is a member of what is wanted, if that is the repository's.
            let wanted = library_element_types::unwrapped_optional(self.program, wanted);
            let Ty::Inst(def, args) = wanted else { return None };
            let name = self.program.name_of(file, *name);
            let known = !self.member(&Ty::Class(def, args), name).is_empty();
            let constructor = facts.language.capabilities().constructor_name;
            let is_constructor = constructor == Some(self.program.text(name));
            return (known || !is_constructor).then_some(known);
        }
        if matches!(facts.expr(value), Expr::Array(_) | Expr::Literal(_))
            && let Ty::Inst(def, _) =
                library_element_types::unwrapped_optional(self.program, wanted)
            && self.supers(def).iter().any(|up| matches!(up, Ty::Ext(..)))
        {
            // What a type from elsewhere is built on may make it of a literal.
            return None;
        }
        let given = match facts.expr(value) {
            Expr::Lambda(id) => Ty::Lambda(file, *id),
            _ => self.type_of(file, value).ty,
        };
        self.takes(wanted, &given, 0)
    }

    fn takes(&mut self, wanted: &Ty, given: &Ty, depth: u32) -> Option<bool> {
        let program = self.program;
        if depth > 4 {
            return None;
        }
        let is_plain = |name: &str| program.library.is(name, LibraryTypeShape::Plain);
        let optional = |ty: &Ty| match ty {
            Ty::Ext(name, args) if program.text(*name) == "Optional" => args.first().cloned(),
            _ => None,
        };
        if let Some(inner) = optional(wanted) {
            let given = optional(given).unwrap_or_else(|| given.clone());
            return self.takes(&inner, &given, depth + 1);
        }
        if let Some(inner) = optional(given) {
            return self.takes(wanted, &inner, depth + 1);
        }
        match (wanted, given) {
            // An associated type depends on the conforming type.
            (Ty::Inst(up, _), _) if program.def(*up).kind == DefKind::Alias => None,
            (Ty::Inst(up, wanted), Ty::Inst(down, given)) if up == down => {
                let mut all = Some(true);
                for (wanted, given) in wanted.iter().zip(given.iter()) {
                    match self.takes(wanted, given, depth + 1) {
                        Some(true) => {}
                        Some(false) => return Some(false),
                        None => all = None,
                    }
                }
                all
            }
            (Ty::Inst(up, _), Ty::Inst(down, _)) => Some(self.builds_on(*down, *up)),
            (Ty::Inst(up, _), Ty::Ext(name, _)) => {
                if self.adopts(*name, *up) {
                    Some(true)
                } else if program.def(*up).kind == DefKind::Interface
                    && !is_plain(program.text(*name))
                {
                    None
                } else {
                    Some(false)
                }
            }
            (Ty::Inst(..), Ty::List(_) | Ty::Tuple(_) | Ty::Lambda(..) | Ty::Class(..)) => {
                Some(false)
            }
            (Ty::Ext(wanted, _), Ty::Ext(given, _)) => {
                let (wanted, given) = (program.text(*wanted), program.text(*given));
                if wanted == given {
                    Some(true)
                } else if is_plain(wanted) && is_plain(given) {
                    Some(false)
                } else {
                    None
                }
            }
            (Ty::Ext(wanted, _), Ty::Inst(..) | Ty::Lambda(..) | Ty::List(_)) => {
                is_plain(program.text(*wanted)).then_some(false)
            }
            (Ty::List(wanted), Ty::List(given)) => self.takes(wanted, given, depth + 1),
            (Ty::List(_), Ty::Inst(..) | Ty::Lambda(..)) => Some(false),
            (Ty::List(_), Ty::Ext(name, _)) => is_plain(program.text(*name)).then_some(false),
            (Ty::FuncType(..), Ty::Lambda(..) | Ty::FuncType(..) | Ty::Func(..)) => Some(true),
            (Ty::FuncType(..), Ty::Inst(..) | Ty::List(_)) => Some(false),
            // Functions conform to no protocol of the repository.
            (Ty::Param(of, place), Ty::Lambda(..) | Ty::FuncType(..) | Ty::Func(..)) => {
                let bound = self.bound_of(*of, *place);
                matches!(bound, Ty::Inst(..)).then_some(false)
            }
            (Ty::FuncType(..), Ty::Ext(name, _)) => is_plain(program.text(*name)).then_some(false),
            _ => None,
        }
    }

    /// Whether a type is another one, or has it among its supertypes.
    pub(crate) fn builds_on(&mut self, down: DefRef, up: DefRef) -> bool {
        let mut open = vec![down];
        let mut at = 0;
        while at < open.len() && at < 64 {
            if !self.charge(open.len()) {
                return false;
            }
            if open[at] == up {
                return true;
            }
            for ty in self.supers(open[at]) {
                for ty in ty.each() {
                    match ty {
                        Ty::Inst(next, _) if !open.contains(next) => open.push(*next),
                        Ty::Ext(name, _) if self.adopts(*name, up) => return true,
                        _ => {}
                    }
                }
            }
            at += 1;
        }
        false
    }

    /// Whether an extension says that an outside type conforms to a protocol of the repository.
    pub(crate) fn adopts(&mut self, outside: Name, up: DefRef) -> bool {
        let attached = self.attached;
        for (file, ty) in attached.external_supers(outside) {
            for ty in self.eval_type(*file, *ty).each() {
                if let Ty::Inst(protocol, _) = ty
                    && (*protocol == up || self.builds_on_named(*protocol, up))
                {
                    return true;
                }
            }
        }
        false
    }

    fn builds_on_named(&mut self, down: DefRef, up: DefRef) -> bool {
        self.supers(down)
            .iter()
            .flat_map(Ty::each)
            .any(|ty| matches!(ty, Ty::Inst(next, _) if *next == up))
    }
}
