//! The types that a call expects of its arguments, the parameters of callbacks included.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, RECEIVER, Reference, ReferenceKind},
    resolve::{
        inference_results::{CallArguments, Ty, TypeEnv, no_env},
        library_callback_types::{self, CallbackPlace},
        library_element_types,
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference, class_of},
    },
};

impl TypeInference<'_, '_> {
    /// The type that a call expects of its argument, as a type.
    pub(crate) fn expected_argument(&mut self, file: FileId, call: ExprId, argument: u16) -> Ty {
        let program = self.program;
        let Expr::Call { callee, .. } = program.facts(file).expr(call) else { return Ty::Unknown };
        let (referents, _) = self.resolve_expr(file, *callee);
        let mut types = Vec::new();
        for referent in referents {
            match &referent {
                NameReferent::Def(def, env)
                    if matches!(program.def(*def).kind, DefKind::Function | DefKind::Variant) =>
                {
                    types.push(self.taken_by(file, *callee, *def, env, argument));
                }
                NameReferent::Def(def, env) if program.def(*def).kind.is_type() => {
                    for function in self.constructors(*def) {
                        types.push(self.taken_by(file, *callee, function, env, argument));
                    }
                    types.push(self.memberwise(file, *callee, *def, argument));
                }
                NameReferent::Method(receiver, name) => {
                    let label = program.facts(file).labels.get(callee);
                    let label = label.and_then(|given| given.names.get(usize::from(argument)));
                    let label =
                        label.map_or("", |label| program.text(program.name_of(file, *label)));
                    types.push(library_element_types::taken(program, receiver, *name, label));
                }
                NameReferent::External | NameReferent::Module(_) => {}
                other => {
                    let callee = self.type_of_referent(other).ty;
                    types.push(self.function_param(&callee, argument));
                }
            }
        }
        let ty = library_element_types::unwrapped_optional(program, &Ty::union(types));
        Ty::union(ty.each().iter().map(class_of))
    }

    /// The method that a function given as an argument implements: the only method of the interface that each possible callee
    /// takes there.
    pub(crate) fn functional_method(
        &mut self,
        file: FileId,
        call: ExprId,
        argument: u16,
    ) -> Option<DefRef> {
        let program = self.program;
        let (Expr::Call { callee, args, type_args } | Expr::New { callee, args, type_args }) =
            program.facts(file).expr(call)
        else {
            return None;
        };
        let arguments = CallArguments { file, values: args, types: type_args, callee: *callee };
        let mut found = None;
        for referent in self.resolve_expr(file, *callee).0 {
            let functions = match referent.definition() {
                Some(def) if program.def(def).kind == DefKind::Function => vec![def],
                Some(def) if program.def(def).kind.is_type() => {
                    let named = program.members_named(def, program.def_name(def)).iter().copied();
                    named.chain(self.constructors(def)).collect()
                }
                _ => continue,
            };
            for function in functions {
                let params = &program.def(function).params;
                let takes = params.len() == args.len() || params.iter().any(|it| it.variadic);
                let at = self.taken_at(arguments, function, argument).filter(|_| takes);
                let Some(param) = at.and_then(|at| params.get(at)) else { continue };
                for ty in self.eval_type(function.file, param.ty).each() {
                    let Ty::Inst(interface, _) = ty else { continue };
                    let Some(method) = self.only_method(*interface) else { continue };
                    if found.replace(method).is_some_and(|other| other != method) {
                        return None;
                    }
                }
            }
        }
        found
    }

    /// The type of what a call puts into the variable that it is given as an argument.
    pub(crate) fn set_argument(&mut self, file: FileId, call: ExprId, argument: u16) -> Ty {
        let program = self.program;
        let (Expr::Call { callee, args, type_args } | Expr::New { callee, args, type_args }) =
            program.facts(file).expr(call)
        else {
            return Ty::Unknown;
        };
        let arguments = CallArguments { file, values: args, types: type_args, callee: *callee };
        let (referents, _) = self.resolve_expr(file, *callee);
        let functions = referents.iter().filter_map(|referent| match referent {
            NameReferent::Def(def, _) => Some(*def),
            _ => None,
        });
        let reference = Reference {
            kind: ReferenceKind::Call,
            target: *callee,
            args: u16::try_from(args.len()).unwrap_or(u16::MAX),
            line: 0,
            from: None,
        };
        let rules = self.rules(file);
        let fitting = rules.called_overloads(self, file, functions.collect(), &reference);
        let mut types = Vec::new();
        for referent in &referents {
            match referent {
                NameReferent::Def(def, env) if fitting.contains(def) => {
                    let set = if program.def(*def).kind.is_type() {
                        self.constructors(*def)
                    } else {
                        vec![*def]
                    };
                    for function in set {
                        types.push(self.set_by(function, env, arguments, argument));
                    }
                }
                NameReferent::Method(receiver, name) => {
                    types.push(library_element_types::set_by(program, receiver, *name));
                }
                _ => {}
            }
        }
        Ty::union(types)
    }

    /// The type of what `function` puts into the variable that is its n-th argument.
    fn set_by(
        &mut self,
        function: DefRef,
        env: &TypeEnv,
        arguments: CallArguments<'_>,
        argument: u16,
    ) -> Ty {
        let def = self.program.def(function);
        let on_first =
            def.flags.has(DefFlags::SELF_PARAM) && def.params.len() > arguments.values.len();
        let Some(param) = def.params.get(usize::from(argument) + usize::from(on_first)) else {
            return Ty::Unknown;
        };
        let ty = self.eval_type(function.file, param.ty).fill(env);
        self.with_type_arguments(function, ty, Some(arguments))
    }

    fn taken_by(
        &mut self,
        file: FileId,
        callee: ExprId,
        function: DefRef,
        env: &TypeEnv,
        argument: u16,
    ) -> Ty {
        let Some(places) = self.places(file, callee, function) else { return Ty::Unknown };
        let place = places.get(usize::from(argument));
        let param = place.and_then(|place| self.program.def(function).params.get(*place));
        param.map_or(Ty::Unknown, |param| self.eval_type(function.file, param.ty).fill(env))
    }

    /// Returns what the initialiser that a struct has without writing it takes under an argument's label.
    fn memberwise(&mut self, file: FileId, callee: ExprId, class: DefRef, argument: u16) -> Ty {
        let program = self.program;
        let Some(given) = program.facts(file).labels.get(&callee) else { return Ty::Unknown };
        let Some(label) = given.names.get(usize::from(argument)) else { return Ty::Unknown };
        let label = program.name_of(file, *label);
        match program.members_named(class, label) {
            [field] if program.def(*field).kind == DefKind::Field => {
                self.type_of_referent(&NameReferent::Def(*field, no_env())).ty
            }
            _ => Ty::Unknown,
        }
    }

    /// The type of parameter `place` of a function that is passed as argument `argument` of a call.
    pub(crate) fn expected_param(
        &mut self,
        file: FileId,
        call: ExprId,
        argument: u16,
        place: u16,
    ) -> Ty {
        let (Expr::Call { callee, args, type_args } | Expr::New { callee, args, type_args }) =
            self.program.facts(file).expr(call)
        else {
            return Ty::Unknown;
        };
        let arguments = CallArguments { file, values: args, types: type_args, callee: *callee };
        let (referents, _) = self.resolve_expr(file, *callee);
        let mut types = Vec::new();
        for referent in &referents {
            match referent {
                NameReferent::Method(..) if place == RECEIVER => {}
                NameReferent::Method(receiver, name) => {
                    let facts = self.program.facts(file);
                    let is_only = match args.get(usize::from(argument)).map(|it| facts.expr(*it)) {
                        Some(Expr::Lambda(id)) => facts.lambdas[id.index()].params.len() == 1,
                        _ => false,
                    };
                    let other = args.iter().enumerate().take(2);
                    let mut other = other.filter(|(at, _)| *at != usize::from(argument));
                    let other = other.next().map(|(_, other)| *other);
                    let at = CallbackPlace { file, argument, place, is_only, other };
                    let parameter =
                        library_callback_types::callback_parameter(self, receiver, *name, at);
                    types.push(parameter);
                }
                NameReferent::Def(def, env) => {
                    types.push(self.expected_by(*def, env, arguments, argument, place));
                }
                NameReferent::External => {}
                other => {
                    let callee = self.type_of_referent(other).ty;
                    let expected = self.function_param(&callee, argument);
                    types.push(self.function_param(&expected, place));
                }
            }
        }
        let rules = self.rules(file);
        if let Some(forwarded) = rules.forwarded_argument(self, file, *callee, place) {
            let argument = args.get(usize::from(forwarded));
            return argument.map_or(Ty::Unknown, |value| self.type_of(file, *value).ty);
        }
        if types.iter().all(|ty| !ty.is_known())
            && let Some(ty) = rules.library_lambda_param(self, arguments, place)
        {
            return ty;
        }
        Ty::union(types)
    }

    /// Returns the parameter of `function` that takes the argument at `place` of a call of it, which is a function.
    pub(super) fn taken_at(
        &mut self,
        arguments: CallArguments<'_>,
        function: DefRef,
        place: u16,
    ) -> Option<usize> {
        let CallArguments { file, callee, values, .. } = arguments;
        if self.program.facts(file).labels.contains_key(&callee) {
            let places = self.places(file, callee, function)?;
            return places.get(usize::from(place)).copied();
        }
        let is_last = usize::from(place) + 1 == values.len();
        let skip = usize::from(self.program.def(function).flags.has(DefFlags::SELF_PARAM));
        let place = usize::from(place) + skip;
        Some(if is_last { self.place_of_last(function, place) } else { place })
    }

    /// Returns the parameter that takes a function given as the last argument, at `place`. A closure behind a call goes to the
    /// last parameter, whatever is left out before it.
    fn place_of_last(&mut self, function: DefRef, place: usize) -> usize {
        let program = self.program;
        let params = &program.def(function).params;
        let (Some(param), Some(last), true) = (
            params.get(place),
            params.last(),
            program.capabilities(function.file).literals_behind_calls,
        ) else {
            return place;
        };
        let takes_functions = self
            .eval_type(function.file, param.ty)
            .each()
            .iter()
            .any(|ty| !matches!(ty, Ty::Ext(..) | Ty::List(_) | Ty::Tuple(_) | Ty::Inst(..)));
        let is_behind =
            !takes_functions && matches!(self.eval_type(function.file, last.ty), Ty::FuncType(..));
        if is_behind { params.len() - 1 } else { place }
    }

    fn expected_by(
        &mut self,
        def: DefRef,
        env: &TypeEnv,
        arguments: CallArguments<'_>,
        argument: u16,
        place: u16,
    ) -> Ty {
        let function = match self.program.def(def).kind {
            DefKind::Function => def,
            // `Listener { … }` makes an object of an interface with one method.
            DefKind::Interface => {
                return self.function_param(&Ty::Class(def, Rc::from([])), place);
            }
            DefKind::Class | DefKind::Struct => match self.constructor_of(def, arguments) {
                Some(constructor) => constructor,
                None => return Ty::Unknown,
            },
            _ => {
                let callee = self.type_of_referent(&NameReferent::Def(def, env.clone())).ty;
                let expected = self.function_param(&callee, argument);
                return self.function_param(&expected, place);
            }
        };
        let found = self.program.def(function);
        let capabilities = self.program.capabilities(function.file);
        let taken_at = self.taken_at(arguments, function, argument);
        let Some(param) = taken_at.and_then(|place| found.params.get(place)) else {
            return Ty::Unknown;
        };
        let expected = self.eval_type(function.file, param.ty).fill(env);
        let ty = self.function_param(&expected, place).fill(env);
        let count = found.type_params.len();
        if count == 0
            || !matches!(
                ty,
                Ty::Param(..)
                    | Ty::ParamClass(..)
                    | Ty::Union(_)
                    | Ty::List(_)
                    | Ty::Inst(..)
                    | Ty::Ext(..)
            )
        {
            return ty;
        }
        // Only arguments that aren't functions themselves may say what the parameters stand for.
        let facts = self.program.facts(arguments.file);
        let plain: Vec<ExprId> = arguments
            .values
            .iter()
            .map(|value| {
                if matches!(facts.expr(*value), Expr::Lambda(_)) { ExprId::UNKNOWN } else { *value }
            })
            .collect();
        let mut types = vec![Ty::Unknown; count];
        if arguments.types.is_empty() {
            self.match_arguments(
                function,
                function,
                CallArguments { values: &plain, ..arguments },
                &mut types,
            );
        } else {
            types = arguments.types.iter().map(|ty| self.eval_type(arguments.file, *ty)).collect();
        }
        if capabilities.binds_extensions
            && found.receiver.is_known()
            && let Expr::Member { object, .. } = facts.expr(arguments.callee)
        {
            let written = self.eval_type(function.file, found.receiver);
            let given = self.type_of(arguments.file, *object).ty;
            self.match_types(&written, &given, function, &mut types, 0);
        }
        let own: TypeEnv = Rc::from([(function, Rc::from(types))]);
        ty.fill(&own).fill(&no_env())
    }
}
