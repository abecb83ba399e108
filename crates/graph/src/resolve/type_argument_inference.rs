//! Infers type arguments by matching declared types with the types of arguments.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, ExprId, TypeExpr},
    resolve::{
        inference_results::{CallArguments, Ty, TypeEnv},
        library_element_types::tuple_parts,
        program_facts::{DefRef, FileId},
        type_inference::TypeInference,
    },
};

impl TypeInference<'_, '_> {
    pub(super) fn with_type_arguments(
        &mut self,
        at: DefRef,
        ty: Ty,
        arguments: Option<CallArguments<'_>>,
    ) -> Ty {
        let count = self.program.def(at).type_params.len();
        let (Some(arguments), true) = (arguments, count > 0) else { return ty };
        let found: Vec<Ty> = if arguments.types.is_empty() {
            let mut found = vec![Ty::Unknown; count];
            self.match_arguments(at, at, arguments, &mut found);
            found
        } else {
            arguments.types.iter().map(|ty| self.eval_type(arguments.file, *ty)).collect()
        };
        let env: TypeEnv = Rc::from([(at, Rc::from(found))]);
        ty.fill(&env)
    }

    /// Infers the type parameters of `owner` from the arguments of a call of `function`.
    pub(crate) fn match_arguments(
        &mut self,
        function: DefRef,
        owner: DefRef,
        arguments: CallArguments<'_>,
        found: &mut [Ty],
    ) {
        let def = self.program.def(function);
        let skip = usize::from(def.flags.has(DefFlags::SELF_PARAM));
        let places = self.places(arguments.file, arguments.callee, function);
        if places.is_none()
            && self.program.facts(arguments.file).labels.contains_key(&arguments.callee)
        {
            return;
        }
        for (at, value) in arguments.values.iter().enumerate() {
            let place = places.as_ref().map_or(Some(at + skip), |places| places.get(at).copied());
            let Some(param) = place.and_then(|place| def.params.get(place)) else { break };
            if !param.ty.is_known() {
                continue;
            }
            let wanted = self.eval_type(function.file, param.ty);
            let given = self.type_of(arguments.file, *value).ty;
            self.match_types(&wanted, &given, owner, found, 0);
        }
    }

    pub(crate) fn match_types(
        &mut self,
        wanted: &Ty,
        given: &Ty,
        owner: DefRef,
        found: &mut [Ty],
        depth: u32,
    ) {
        if depth > 6 || !given.is_known() {
            return;
        }
        match (wanted, given) {
            (Ty::Param(def, place), given) if *def == owner => {
                put(found, *place, || given.clone());
            }
            (Ty::ParamClass(def, place), given) if *def == owner => {
                put(found, *place, || given.named_by_class());
            }
            (Ty::List(wanted), given) => {
                let given = self.element_of(given);
                self.match_types(wanted, &given, owner, found, depth + 1);
            }
            (Ty::Inst(a, wanted), Ty::Inst(b, given)) if a == b => {
                self.match_all(wanted, given, owner, found, depth);
            }
            (Ty::Inst(..), Ty::Inst(..) | Ty::Class(..)) => {
                self.match_supertype(wanted, given, owner, found, depth);
            }
            (Ty::Class(a, wanted), Ty::Class(b, given)) if a == b => {
                self.match_all(wanted, given, owner, found, depth);
            }
            (Ty::Ext(a, wanted), Ty::Ext(b, given)) if a == b => {
                self.match_all(wanted, given, owner, found, depth);
            }
            (Ty::Union(wanted), given) => {
                for wanted in wanted.iter() {
                    self.match_types(wanted, given, owner, found, depth + 1);
                }
            }
            (Ty::FuncType(file, id, env), Ty::Lambda(..) | Ty::Func(..) | Ty::Class(..)) => {
                if let TypeExpr::Function { result, .. } = self.program.facts(*file).ty(*id) {
                    let wanted = self.eval_type(*file, *result).fill(env);
                    let given = self.called(*file, given);
                    self.match_types(&wanted, &given, owner, found, depth + 1);
                }
            }
            _ => {
                let program = self.program;
                if let (Some(wanted), Some(given)) =
                    (tuple_parts(program, wanted), tuple_parts(program, given))
                {
                    self.match_all(wanted, given, owner, found, depth);
                }
            }
        }
    }

    /// Matches a type of the repository with another one that builds on it, or with a type that is named as a value.
    fn match_supertype(
        &mut self,
        wanted: &Ty,
        given: &Ty,
        owner: DefRef,
        found: &mut [Ty],
        depth: u32,
    ) {
        let Ty::Inst(up, args) = wanted else { return };
        match given {
            Ty::Inst(def, own) if !args.is_empty() => {
                if let Some(given) = self.as_supertype(*def, own.clone(), *up) {
                    self.match_all(args, &given, owner, found, depth);
                }
            }
            Ty::Class(class, own) => {
                for wanted in self.made_by_classes(*up, args) {
                    self.match_types(&wanted, &given.instances(), owner, found, depth + 1);
                }
                for object in self.named_object(*class, own) {
                    self.match_types(wanted, &object, owner, found, depth + 1);
                }
            }
            _ => {}
        }
    }

    /// Returns what a value gives where it is called without arguments.
    fn called(&mut self, file: FileId, value: &Ty) -> Ty {
        let callee = ExprId::UNKNOWN;
        self.call_value(value, CallArguments { file, values: &[], types: &[], callee })
    }

    /// Returns what an interface says that the classes make that it stands for.
    fn made_by_classes(&mut self, interface: DefRef, args: &Rc<[Ty]>) -> Vec<Ty> {
        let program = self.program;
        let Some(makes) = program.capabilities(interface.file).construct_signature else {
            return Vec::new();
        };
        let env: TypeEnv = Rc::from([(interface, args.clone())]);
        let signatures = program.members_named(interface, program.name(makes)).iter();
        let result = |at: &DefRef| self.eval_type(at.file, program.def(*at).ty).fill(&env);
        signatures.map(result).collect()
    }

    fn match_all(
        &mut self,
        wanted: &[Ty],
        given: &[Ty],
        owner: DefRef,
        found: &mut [Ty],
        depth: u32,
    ) {
        for (wanted, given) in wanted.iter().zip(given) {
            self.match_types(wanted, given, owner, found, depth + 1);
        }
    }
}

/// Notes what a type parameter stands for, where nothing is known of it.
fn put(found: &mut [Ty], place: u16, given: impl FnOnce() -> Ty) {
    if let Some(slot) = found.get_mut(usize::from(place))
        && !slot.is_known()
    {
        *slot = given();
    }
}
