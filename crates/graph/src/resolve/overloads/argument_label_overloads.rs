//! Which functions a call can mean by the labels of its arguments, in languages whose calls have labels.

use crate::{
    facts::{
        ArgumentLabels, DefFlags, DefKind, Expr, ExprId, TRAILING, UNLABELLED,
        language_capabilities::FieldCalls,
    },
    resolve::{
        inference_results::{Ty, TypeEnv},
        library_api_table::LibraryTypeShape,
        library_element_types,
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference},
    },
};
use std::rc::Rc;

/// How a function takes the arguments of a call.
struct Fit {
    referent: NameReferent,
    def: DefRef,
    /// Arguments whose types are known to be what the function takes.
    sure: usize,
    /// Parameters that the call leaves out.
    left_out: usize,
}

impl TypeInference<'_, '_> {
    /// Keeps the candidates that a call of `callee` can mean: in languages without argument labels all of them that can be
    /// called by name.
    pub(crate) fn overloads(
        &mut self,
        file: FileId,
        callee: ExprId,
        mut found: Vec<NameReferent>,
    ) -> Vec<NameReferent> {
        let program = self.program;
        if program.capabilities(file).field_calls == FieldCalls::InParentheses
            && !program.may_call_field(file, callee)
        {
            found.retain(|referent| {
                !matches!(referent, NameReferent::Def(def, _) if program.def(*def).kind == DefKind::Field)
            });
        }
        let Some(given) = program.facts(file).labels.get(&callee) else { return found };
        if found.is_empty() || found == [NameReferent::External] {
            found.extend(self.outside_constructors(file, callee));
        }
        self.count(found.len());
        let (mut fits, mut rest) = (Vec::new(), Vec::new());
        for referent in found {
            match &referent {
                NameReferent::Def(def, env) if self.is_function(*def) => {
                    fits.extend(self.fitting_call(file, *def, &env.clone(), given));
                }
                _ => rest.push(referent),
            }
        }
        let Some(first) = fits.first() else {
            if rest.is_empty() {
                rest.extend(self.made_by_constructor(file, callee));
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
        if !self.charge_search(fits.len().saturating_mul(required.len())) {
            return Vec::new();
        }
        // A protocol's own declaration stands for the default that an extension gives.
        fits.retain(|fit| {
            required.contains(&fit.def)
                || !required.iter().any(|other| self.same_labels(*other, fit.def))
        });
        let sure = fits.iter().map(|fit| fit.sure).max().unwrap_or_default();
        fits.retain(|fit| fit.sure == sure);
        let left_out = fits.iter().map(|fit| fit.left_out).min().unwrap_or_default();
        fits.retain(|fit| fit.left_out == left_out);
        fits.into_iter().map(|fit| fit.referent).collect()
    }

    /// Returns the initialisers that a call of a type runs; none if no initialiser of its own fits.
    pub(crate) fn initialisers(
        &mut self,
        file: FileId,
        callee: ExprId,
        class: DefRef,
    ) -> Vec<DefRef> {
        let constructor = self.program.capabilities(class.file).constructor_name;
        let Some(constructor) = constructor else { return Vec::new() };
        let constructor = self.program.name(constructor);
        let found = self.member(&Ty::Class(class, Rc::from([])), constructor);
        if !self.program.facts(file).labels.contains_key(&callee) {
            return Vec::new();
        }
        let chosen = self.overloads(file, callee, found);
        let constructors = chosen.into_iter().filter_map(|referent| match referent {
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

    pub(crate) fn is_function(&self, def: DefRef) -> bool {
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
        Some(Fit { referent: NameReferent::Def(def, env.clone()), def, sure, left_out })
    }

    /// Whether a file sees a function. Private functions of other files, and functions of modules that it does not
    /// import, are not seen.
    fn is_seen(&self, file: FileId, def: DefRef) -> bool {
        let program = self.program;
        if def.file == file {
            return true;
        }
        let module = program.module_of[def.file.index()];
        self.count_search(program.facts(file).imports.len());
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
        for (at, label) in given.names.iter().enumerate() {
            let is_last = at + 1 == given.names.len();
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
                        && !(is_last && self.is_left_out_before(function, next))
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

    /// Whether the last closure of a call is for a parameter behind the one at `place`, which has a default: one that the
    /// call has to give, or one that surely takes a function where this one is of a type from outside.
    fn is_left_out_before(&mut self, function: DefRef, place: usize) -> bool {
        let params = &self.program.def(function).params;
        if !params.get(place).is_some_and(|param| param.default.is_known()) {
            return false;
        }
        let behind = params.get(place + 1..).unwrap_or_default();
        behind.iter().any(|param| !param.default.is_known() && !param.variadic)
            || matches!(self.taken_type(function, place), Ty::Ext(..) | Ty::Unknown)
                && (place + 1..params.len())
                    .any(|at| matches!(self.taken_type(function, at), Ty::FuncType(..)))
    }

    /// What a parameter takes, whether or not that may be missing.
    fn taken_type(&mut self, function: DefRef, place: usize) -> Ty {
        let ty = self.program.def(function).params.get(place).map(|param| param.ty);
        let ty = ty.map_or(Ty::Unknown, |ty| self.eval_type(function.file, ty));
        library_element_types::unwrapped_optional(self.program, &ty)
    }

    fn may_be_function(&mut self, function: DefRef, place: usize) -> bool {
        match self.taken_type(function, place) {
            // Functions conform to no protocol.
            Ty::Param(def, place) => {
                let param = self.program.def(def).type_params.get(usize::from(place));
                param.is_none_or(|param| !param.bound.is_known())
            }
            Ty::Ext(name, _) => {
                !self.program.library.is(self.program.text(name), LibraryTypeShape::Plain)
            }
            Ty::Inst(..) | Ty::List(_) | Ty::Tuple(_) | Ty::ParamClass(..) => false,
            _ => true,
        }
    }
}
