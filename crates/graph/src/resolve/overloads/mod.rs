//! Overload resolution: by the labels of a call's arguments, in languages that have them, and by the types of the
//! arguments.

mod by_argument_types;

use std::rc::Rc;

use crate::{
    facts::{
        ArgumentLabels, DefFlags, DefKind, Expr, ExprId, TRAILING, UNLABELLED,
        language_capabilities::Overriding,
    },
    resolve::{
        expression_evaluator::{ExpressionEvaluator, NameReferent},
        library_table::OutsideTypeShape,
        library_types,
        program_facts::{DefRef, FileId, Name},
        types::{Ty, TypeEnv},
    },
};

/// How a function takes the arguments of a call.
struct Fit {
    entity: NameReferent,
    def: DefRef,
    /// Arguments whose types are known to be what the function takes.
    sure: usize,
    /// Parameters that the call leaves out.
    left_out: usize,
}

impl ExpressionEvaluator<'_, '_> {
    /// Keeps the candidates that a call of `callee` can mean: all of them in languages without argument labels.
    pub(crate) fn overloads(
        &mut self,
        file: FileId,
        callee: ExprId,
        mut found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let Some(given) = program.facts(file).labels.get(&callee) else { return found };
        if found.is_empty() || found == [NameReferent::External] {
            found.extend(self.outside_constructors(file, callee));
        }
        self.charge(found.len());
        let (mut fits, mut rest) = (Vec::new(), Vec::new());
        for entity in found {
            match &entity {
                NameReferent::Def(def, env) if self.is_function(*def) => {
                    fits.extend(self.fitting_call(file, *def, &env.clone(), given));
                }
                _ => rest.push(entity),
            }
        }
        let Some(first) = fits.first() else {
            if rest.is_empty() {
                rest.extend(self.made_by_init(file, callee));
            }
            return rest;
        };
        // The nearest type that has one hides those above it.
        let owner = self.owner(first.def);
        fits.retain(|fit| self.owner(fit.def) == owner);
        let required: Vec<DefRef> = fits
            .iter()
            .map(|fit| fit.def)
            .filter(|def| program.def(*def).flags.has(DefFlags::DECLARATION))
            .collect();
        self.charge_search(fits.len().saturating_mul(required.len()));
        // A protocol's own declaration stands for the default that an extension gives.
        fits.retain(|fit| {
            required.contains(&fit.def)
                || !required.iter().any(|other| self.same_labels(*other, fit.def))
        });
        let sure = fits.iter().map(|fit| fit.sure).max().unwrap_or_default();
        fits.retain(|fit| fit.sure == sure);
        let left_out = fits.iter().map(|fit| fit.left_out).min().unwrap_or_default();
        fits.retain(|fit| fit.left_out == left_out);
        fits.into_iter().map(|fit| fit.entity).collect()
    }

    /// The initialisers that a call of a type runs; empty when none of its own fits.
    pub(crate) fn initialisers(
        &mut self,
        file: FileId,
        callee: ExprId,
        class: DefRef,
    ) -> Vec<DefRef> {
        let init = self.program.name("init");
        let found = self.member(&Ty::Class(class, Rc::from([])), init);
        if !self.program.facts(file).labels.contains_key(&callee) {
            return Vec::new();
        }
        let chosen = self.overloads(file, callee, found);
        let constructors = chosen.into_iter().filter_map(|entity| match entity {
            NameReferent::Def(def, _) if self.program.def(def).kind == DefKind::Function => {
                Some(def)
            }
            _ => None,
        });
        constructors.collect()
    }

    /// Returns, for each argument of a call, the index of the parameter that takes it. `None` when the function cannot be
    /// called so, or the call has no labels.
    pub(crate) fn places(
        &mut self,
        file: FileId,
        callee: ExprId,
        function: DefRef,
    ) -> Option<Vec<usize>> {
        let given = self.program.facts(file).labels.get(&callee)?;
        self.placed(file, function, given)
    }

    fn is_function(&self, def: DefRef) -> bool {
        let found = self.program.def(def);
        found.kind == DefKind::Function && !found.flags.has(DefFlags::PROPERTY)
    }

    fn fitting_call(
        &mut self,
        file: FileId,
        def: DefRef,
        env: &TypeEnv,
        given: &ArgumentLabels,
    ) -> Option<Fit> {
        let program = self.program;
        if !self.is_seen(file, def) {
            return None;
        }
        let places = self.placed(file, def, given)?;
        let Expr::Call { args, .. } = program.facts(file).expr(given.call) else { return None };
        let mut sure = 0;
        for (place, value) in places.iter().zip(args) {
            let wanted = program
                .def(def)
                .params
                .get(*place)
                .map_or(Ty::Unknown, |param| self.eval_type(def.file, param.ty));
            match self.takes_value(&wanted.fill(env), file, *value) {
                Some(true) => sure += 1,
                Some(false) => return None,
                None => {}
            }
        }
        // The outside type may have a function of its own by that name: labels or types have to tell.
        let named = given.names.iter().any(|label| {
            let label = program.text(program.name_of(file, *label));
            label != UNLABELLED && label != TRAILING
        });
        if self.is_outside(def) && !args.is_empty() && !named && sure < args.len() {
            return None;
        }
        let left_out = program.def(def).params.len().saturating_sub(args.len());
        Some(Fit { entity: NameReferent::Def(def, env.clone()), def, sure, left_out })
    }

    /// Whether a file sees a function. Private functions of other files, and functions of modules that it does not
    /// import, are not seen.
    fn is_seen(&self, file: FileId, def: DefRef) -> bool {
        let program = self.program;
        if def.file == file {
            return true;
        }
        let module = program.module_of[def.file.index()];
        self.charge_search(program.facts(file).imports.len());
        !program.def(def).flags.has(DefFlags::PRIVATE)
            && (program.module_of[file.index()] == module
                || program
                    .parent(def)
                    .is_some_and(|parent| program.def(parent).kind != DefKind::Impl)
                || program
                    .facts(file)
                    .imports
                    .iter()
                    .any(|import| program.modules_of_import(file, import).contains(&module)))
    }

    fn placed(
        &mut self,
        file: FileId,
        function: DefRef,
        given: &ArgumentLabels,
    ) -> Option<Vec<usize>> {
        let program = self.program;
        let def = program.def(function);
        let mut places = Vec::new();
        let (mut next, mut repeated) = (0, None);
        for label in &given.names {
            let label = program.text(program.name_of(file, *label));
            if label == UNLABELLED
                && let Some(place) = repeated
            {
                places.push(place);
                continue;
            }
            repeated = None;
            loop {
                let param = def.params.get(next)?;
                let own = def.labels.get(next)?;
                let fits = if label == TRAILING {
                    self.may_be_function(function, next)
                } else {
                    program.text(program.name_of(function.file, *own)) == label
                };
                if fits {
                    places.push(next);
                    if param.variadic {
                        repeated = Some(next);
                    }
                    next += 1;
                    break;
                }
                if !param.default.is_known() && !param.variadic {
                    return None;
                }
                next += 1;
            }
        }
        let rest = def.params.get(next..).unwrap_or_default();
        rest.iter().all(|param| param.default.is_known() || param.variadic).then_some(places)
    }

    fn may_be_function(&mut self, function: DefRef, place: usize) -> bool {
        let ty = self.program.def(function).params.get(place).map(|param| param.ty);
        let ty = ty.map_or(Ty::Unknown, |ty| self.eval_type(function.file, ty));
        let ty = library_types::unwrapped_optional(self.program, &ty);
        match ty {
            // Functions conform to no protocol.
            Ty::Param(def, place) => {
                let param = self.program.def(def).type_params.get(usize::from(place));
                param.is_none_or(|param| !param.bound.is_known())
            }
            Ty::Ext(name, _) => {
                !self.program.library.is(self.program.text(name), OutsideTypeShape::Plain)
            }
            Ty::Inst(..) | Ty::List(_) | Ty::Tuple(_) => false,
            _ => true,
        }
    }

    /// Whether a parameter takes a value; `None` when that isn't known.
    fn takes_value(&mut self, wanted: &Ty, file: FileId, value: ExprId) -> Option<bool> {
        let facts = self.program.facts(file);
        let named = match facts.expr(value) {
            Expr::Call { callee, .. } => *callee,
            _ => value,
        };
        if let Expr::Member { object, name } = facts.expr(named)
            && matches!(facts.expr(*object), Expr::ExpectedBy(..))
        {
            // `.name` is a member of what is wanted, if that is the repository's.
            let wanted = library_types::unwrapped_optional(self.program, wanted);
            let Ty::Inst(def, args) = wanted else { return None };
            let name = self.program.name_of(file, *name);
            let known = !self.member(&Ty::Class(def, args), name).is_empty();
            return (known || self.program.text(name) != "init").then_some(known);
        }
        if matches!(facts.expr(value), Expr::Array(_) | Expr::Literal(_))
            && let Ty::Inst(def, _) = library_types::unwrapped_optional(self.program, wanted)
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
        let is_plain = |name: &str| program.library.is(name, OutsideTypeShape::Plain);
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
            // What an associated type is follows from who conforms.
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
            (Ty::FuncType(..), Ty::Ext(name, _)) => is_plain(program.text(*name)).then_some(false),
            _ => None,
        }
    }

    /// Whether a type is another one, or has it among its supertypes.
    pub(super) fn builds_on(&mut self, down: DefRef, up: DefRef) -> bool {
        let mut open = vec![down];
        let mut at = 0;
        while at < open.len() && at < 64 {
            self.charge(open.len());
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
    fn adopts(&mut self, outside: Name, up: DefRef) -> bool {
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

    /// The type that a function belongs to, directly or through an extension.
    fn owner(&mut self, def: DefRef) -> Option<DefRef> {
        let parent = self.program.parent(def)?;
        if self.program.def(parent).kind != DefKind::Impl {
            return Some(parent);
        }
        match self.eval_type(parent.file, self.program.def(parent).receiver).each() {
            [Ty::Inst(host, _)] => Some(*host),
            _ => Some(parent),
        }
    }

    fn is_outside(&mut self, def: DefRef) -> bool {
        let Some(parent) = self.program.parent(def) else { return false };
        self.program.def(parent).kind == DefKind::Impl
            && !matches!(
                self.eval_type(parent.file, self.program.def(parent).receiver).each(),
                [Ty::Inst(..)]
            )
    }

    /// Adds the members of one type to those found in nearer types. Returns whether types further up have nothing to add.
    pub(super) fn add_overloads(
        &mut self,
        found: &mut Vec<NameReferent>,
        mut own: Vec<NameReferent>,
    ) -> bool {
        let program = self.program;
        let function = |entity: &NameReferent| match entity {
            NameReferent::Def(def, _) if program.capabilities(def.file).overloads => {
                let def_kind = program.def(*def).kind;
                (def_kind == DefKind::Function && !program.def(*def).flags.has(DefFlags::PROPERTY))
                    .then_some(*def)
            }
            _ => None,
        };
        if found.is_empty() {
            found.append(&mut own);
        } else {
            self.charge(own.len().saturating_mul(found.len()));
            for entity in own {
                let Some(far) = function(&entity) else { continue };
                let near: Vec<DefRef> = found.iter().filter_map(function).collect();
                if !near.into_iter().any(|near| self.hides(near, far)) {
                    found.push(entity);
                }
            }
        }
        found.iter().any(|entity| function(entity).is_none())
    }

    /// Removes functions from the referents of a name that is not called, in languages where a value hides a function of
    /// its name.
    pub(super) fn keep_values(&self, file: FileId, found: &mut Vec<NameReferent>) {
        let value = |entity: &NameReferent| !matches!(entity, NameReferent::Def(def, _) if self.is_function(*def));
        let prefers = self.program.capabilities(file).values_hide_functions;
        if found.len() > 1 && prefers && found.iter().any(value) {
            found.retain(value);
        }
    }

    /// Whether two functions belong to one type, or to a type and one of its supertypes.
    pub(super) fn are_related(&mut self, near: DefRef, far: DefRef) -> bool {
        match (self.program.parent(near), self.program.parent(far)) {
            (Some(near), Some(far)) => self.builds_on(near, far),
            _ => false,
        }
    }

    /// Whether a method can override one of the same name in a supertype, in languages with overloads.
    pub(crate) fn stands_in(&mut self, own: DefRef, up: DefRef) -> bool {
        let (a, b) = (self.program.def(own), self.program.def(up));
        if a.flags.has(DefFlags::PROPERTY) || b.flags.has(DefFlags::PROPERTY) {
            return true;
        }
        match self.program.capabilities(own.file).overriding {
            Overriding::Labels => self.same_labels(own, up),
            Overriding::Parameters => self.hides(own, up),
            Overriding::Name => true,
        }
    }

    /// Whether two functions have the same full name.
    pub(crate) fn same_labels(&self, one: DefRef, other: DefRef) -> bool {
        let program = self.program;
        let (a, b) = (program.def(one), program.def(other));
        a.labels.len() == b.labels.len()
            && a.labels
                .iter()
                .zip(&b.labels)
                .all(|(x, y)| program.name_of(one.file, *x) == program.name_of(other.file, *y))
    }
}
