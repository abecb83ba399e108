//! The result types of calls: declared and inferred results, type arguments inferred from arguments, and the parameter
//! types of callbacks.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, TypeExpr, TypeId},
    resolve::{
        inference_results::CallArguments,
        library_call_types, library_types,
        program_facts::{DefRef, FileId},
        type_inference::{InferenceCertainty, InferredType, NameReferent, TypeInference},
        types::{Ty, TypeEnv, no_env},
    },
};

impl TypeInference<'_, '_> {
    pub(crate) fn call_type(
        &mut self,
        file: FileId,
        callee: ExprId,
        args: &[ExprId],
        types: &[TypeId],
    ) -> InferredType {
        let arguments = CallArguments { file, values: args, types, callee };
        if matches!(self.program.facts(file).expr(callee), Expr::Type(_)) {
            let made = self.type_of(file, callee).ty;
            if let [Ty::Class(def, given)] = made.each()
                && !given.is_empty()
            {
                return InferredType {
                    ty: Ty::Inst(*def, given.clone()),
                    certainty: InferenceCertainty::Inferred,
                };
            }
        }
        let rules = self.rules(file);
        if let Some(value) = rules.call(self, file, callee) {
            return value;
        }
        let (entities, mut worst) = self.resolve_expr(file, callee);
        let entities = self.overloads(file, callee, entities);
        let entities = self.called_objects(entities);
        let mut results = Vec::new();
        for entity in &entities {
            let value = match entity {
                NameReferent::Def(def, env) => match rules.call_of(self, (file, callee), *def) {
                    Some(ty) => InferredType { ty, certainty: InferenceCertainty::Inferred },
                    None => self.call_def(*def, env, arguments),
                },
                NameReferent::Method(receiver, name) => InferredType {
                    ty: library_call_types::method_result(self, receiver, *name, arguments),
                    certainty: InferenceCertainty::Inferred,
                },
                NameReferent::External => InferredType {
                    ty: library_call_types::function_result(self, file, callee, arguments),
                    certainty: InferenceCertainty::Inferred,
                },
                other => {
                    let value = self.type_of_entity(other);
                    InferredType {
                        ty: self.call_value(&value.ty, arguments),
                        certainty: value.certainty.max(InferenceCertainty::Inferred),
                    }
                }
            };
            worst = worst.max(value.certainty);
            results.push(value.ty);
        }
        if entities.is_empty()
            && !matches!(
                self.program.facts(file).expr(callee),
                Expr::Name { .. } | Expr::Member { .. }
            )
        {
            let value = self.type_of(file, callee);
            worst = worst.max(value.certainty);
            let given = self.call_value(&value.ty, arguments);
            // `f(a)(b)` is one call of a function with two lists.
            let curried = rules.capabilities().curries
                && matches!(self.program.facts(file).expr(callee), Expr::Call { .. });
            results.push(if curried && !given.is_known() { value.ty } else { given });
        } else if entities.is_empty() {
            let held = rules.unknown_call(self, file, callee);
            results.push(match held.unwrap_or_else(|| self.outside_made(file, callee)) {
                Ty::Unknown => library_call_types::function_result(self, file, callee, arguments),
                made => made,
            });
        }
        InferredType { ty: Ty::union(results), certainty: worst.max(InferenceCertainty::Inferred) }
    }

    fn call_def(
        &mut self,
        def: DefRef,
        env: &TypeEnv,
        arguments: CallArguments<'_>,
    ) -> InferredType {
        match self.program.def(def).kind {
            DefKind::Function if !self.program.def(def).flags.has(DefFlags::PROPERTY) => {
                self.result(def, env, Some(arguments))
            }
            _ => {
                let value = self.type_of_entity(&NameReferent::Def(def, env.clone()));
                InferredType {
                    ty: self.call_value(&value.ty, arguments),
                    certainty: value.certainty,
                }
            }
        }
    }

    /// Returns the result of calling a value.
    pub(crate) fn call_value(&mut self, ty: &Ty, arguments: CallArguments<'_>) -> Ty {
        let each: Vec<Ty> = ty
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::Func(def, env) => self.result(*def, env, Some(arguments)).ty,
                Ty::Class(def, args) => self.constructed(*def, args, arguments),
                Ty::Lambda(file, id) => {
                    let lambda = &self.program.facts(*file).lambdas[id.index()];
                    if lambda.ty.is_known() {
                        return self.eval_type(*file, lambda.ty);
                    }
                    let types: Vec<Ty> =
                        lambda.returns.iter().map(|value| self.type_of(*file, *value).ty).collect();
                    Ty::union(types)
                }
                Ty::FuncType(file, id, env) => match self.program.facts(*file).ty(*id) {
                    TypeExpr::Function { result, .. } => self.eval_type(*file, *result).fill(env),
                    _ => Ty::Unknown,
                },
                Ty::Inst(def, _) if self.program.def(*def).kind == DefKind::Enum => ty.clone(),
                Ty::Inst(def, _) if self.program.def(*def).flags.has(DefFlags::OPAQUE) => {
                    let under = self.eval_type(def.file, self.program.def(*def).ty);
                    self.call_value(&under, arguments)
                }
                Ty::Inst(..) => library_types::CALLABLE
                    .iter()
                    .map(|name| self.method_result(ty, name))
                    .find(Ty::is_known)
                    .unwrap_or(Ty::Unknown),
                Ty::ExtItem(name) => Ty::Ext(*name, Rc::from([])),
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }

    fn constructed(&mut self, def: DefRef, args: &Rc<[Ty]>, arguments: CallArguments<'_>) -> Ty {
        if !args.is_empty() {
            return Ty::Inst(def, args.clone());
        }
        if !arguments.types.is_empty() {
            let types =
                arguments.types.iter().map(|ty| self.eval_type(arguments.file, *ty)).collect();
            return Ty::Inst(def, types);
        }
        let count = self.program.def(def).type_params.len();
        if count == 0 {
            return Ty::Inst(def, args.clone());
        }
        // Type arguments follow from the constructor's.
        let mut found = vec![Ty::Unknown; count];
        for constructor in self.constructors(def) {
            self.match_arguments(constructor, def, arguments, &mut found);
        }
        if found.iter().any(Ty::is_known) {
            Ty::Inst(def, found.into())
        } else {
            Ty::Inst(def, args.clone())
        }
    }

    pub(crate) fn constructors(&self, def: DefRef) -> Vec<DefRef> {
        let labelled = self.program.capabilities(def.file).labels_arguments;
        let names: &[&str] = if labelled { &["init"] } else { library_types::CONSTRUCTORS };
        let found = names.iter().map(|name| self.program.name(name));
        found.flat_map(|name| self.program.members_named(def, name).iter().copied()).collect()
    }

    /// The constructor that a call runs.
    fn constructor_of(&mut self, class: DefRef, arguments: CallArguments<'_>) -> Option<DefRef> {
        let all = self.constructors(class);
        if !self.program.capabilities(class.file).labels_arguments {
            return all.first().copied();
        }
        all.into_iter().find(|def| self.places(arguments.file, arguments.callee, *def).is_some())
    }

    /// The declared or inferred result of a function.
    pub(crate) fn result(
        &mut self,
        at: DefRef,
        env: &TypeEnv,
        arguments: Option<CallArguments<'_>>,
    ) -> InferredType {
        let def = self.program.def(at);
        if def.ty.is_known() {
            let declared = self.eval_type(at.file, def.ty).fill(env);
            if declared.is_known() {
                let ty = self.with_type_arguments(at, declared, arguments);
                return InferredType { ty, certainty: InferenceCertainty::Exact };
            }
        }
        if def.receiver.is_known() && !self.program.capabilities(at.file).binds_extensions {
            let annotated = self.eval_type(at.file, def.receiver);
            if let Ty::FuncType(..) = annotated
                && let Some(arguments) = arguments
            {
                return InferredType {
                    ty: self.call_value(&annotated, arguments),
                    certainty: InferenceCertainty::Exact,
                };
            }
        }
        if !self.program.capabilities(at.file).infers_results || def.flags.has(DefFlags::GENERATOR)
        {
            return InferredType::UNKNOWN;
        }
        let mut worst = InferenceCertainty::Inferred;
        let mut types = Vec::new();
        for value in def.returns.iter().take(8) {
            let value = self.type_of(at.file, *value);
            worst = worst.max(value.certainty);
            types.push(value.ty);
        }
        let ty = Ty::union(types).fill(env);
        InferredType { ty: self.with_type_arguments(at, ty, arguments), certainty: worst }
    }

    fn with_type_arguments(
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
    fn match_arguments(
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
                if let Some(slot) = found.get_mut(usize::from(*place))
                    && !slot.is_known()
                {
                    *slot = given.clone();
                }
            }
            (Ty::List(wanted), given) => {
                let given = self.element_of(given);
                self.match_types(wanted, &given, owner, found, depth + 1);
            }
            (Ty::Inst(a, wanted), Ty::Inst(b, given)) if a == b => {
                self.match_all(wanted, given, owner, found, depth);
            }
            (Ty::Ext(a, wanted), Ty::Ext(b, given)) if a == b => {
                self.match_all(wanted, given, owner, found, depth);
            }
            (Ty::Class(a, wanted), Ty::Class(b, given)) if a == b => {
                self.match_all(wanted, given, owner, found, depth);
            }
            (Ty::Tuple(wanted), Ty::Tuple(given)) => {
                self.match_all(wanted, given, owner, found, depth);
            }
            (Ty::Union(wanted), given) => {
                for wanted in wanted.iter() {
                    self.match_types(wanted, given, owner, found, depth + 1);
                }
            }
            (Ty::FuncType(file, id, env), Ty::Lambda(..) | Ty::Func(..)) => {
                if let TypeExpr::Function { result, .. } = self.program.facts(*file).ty(*id) {
                    let wanted = self.eval_type(*file, *result).fill(env);
                    let callee = ExprId::UNKNOWN;
                    let nothing = CallArguments { file: *file, values: &[], types: &[], callee };
                    let given = self.call_value(given, nothing);
                    self.match_types(&wanted, &given, owner, found, depth + 1);
                }
            }
            _ => {}
        }
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
        let (entities, _) = self.resolve_expr(file, *callee);
        let mut types = Vec::new();
        for entity in &entities {
            match entity {
                NameReferent::Method(receiver, name) => {
                    types.push(library_call_types::lambda_param(
                        self, receiver, *name, argument, place,
                    ));
                }
                NameReferent::Def(def, env) => {
                    types.push(self.expected_by(*def, env, arguments, argument, place));
                }
                NameReferent::External => {}
                other => {
                    let callee = self.type_of_entity(other).ty;
                    let expected = self.function_param(&callee, argument);
                    types.push(self.function_param(&expected, place));
                }
            }
        }
        let rules = self.rules(file);
        if let Some(forwarded) = rules.forwarded_argument(self, (file, *callee), place) {
            let argument = args.get(usize::from(forwarded));
            return argument.map_or(Ty::Unknown, |value| self.type_of(file, *value).ty);
        }
        if types.iter().all(|ty| !ty.is_known())
            && place == 0
            && let Some(ty) = rules.library_lambda_param(self, file, *callee)
        {
            return ty;
        }
        Ty::union(types)
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
                let callee = self.type_of_entity(&NameReferent::Def(def, env.clone())).ty;
                let expected = self.function_param(&callee, argument);
                return self.function_param(&expected, place);
            }
        };
        let found = self.program.def(function);
        let skip = usize::from(found.flags.has(DefFlags::SELF_PARAM));
        let taken_at = if self.program.facts(arguments.file).labels.contains_key(&arguments.callee)
        {
            let places = self.places(arguments.file, arguments.callee, function);
            places.and_then(|places| places.get(usize::from(argument)).copied())
        } else {
            Some(usize::from(argument) + skip)
        };
        let Some(param) = taken_at.and_then(|place| found.params.get(place)) else {
            return Ty::Unknown;
        };
        let expected = self.eval_type(function.file, param.ty).fill(env);
        let ty = self.function_param(&expected, place);
        let count = found.type_params.len();
        if count == 0
            || !matches!(
                ty,
                Ty::Param(..) | Ty::Union(_) | Ty::List(_) | Ty::Inst(..) | Ty::Ext(..)
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
        let own: TypeEnv = Rc::from([(function, Rc::from(types))]);
        ty.fill(&own).fill(&no_env())
    }
}
