//! The types of what names stand for: definitions, bindings, parameters.

use std::{iter::successors, rc::Rc};

use super::TypeInference;
use crate::{
    facts::{
        BindingTarget, DefFlags, DefId, DefKind, Expr, ExprId, LambdaId, Param, RECEIVER, TypeExpr,
    },
    resolve::{
        inference_results::{
            CallArguments, InferenceCertainty, InferredType, NameReferent, Ty, TypeEnv, class_of,
            no_args, no_env,
        },
        library_element_types,
        program_facts::{DefRef, FileId, ProgramFacts},
    },
};

/// Results of a function among which a lambda is looked for.
const MAX_RETURNS: usize = 64;

impl<'w, 'p> TypeInference<'w, 'p> {
    /// The type of a name's referent.
    pub(crate) fn type_of_referent(&mut self, referent: &NameReferent) -> InferredType {
        match referent {
            NameReferent::Module(module) => {
                InferredType::new(Ty::Module(*module), InferenceCertainty::Exact)
            }
            NameReferent::Value(file, value) => self.type_of(*file, *value),
            NameReferent::TypeParam(def, place) => {
                InferredType::new(Ty::Param(*def, *place), InferenceCertainty::Exact)
            }
            NameReferent::Method(receiver, name) => InferredType::new(
                library_element_types::property(self.program, receiver, *name),
                InferenceCertainty::Inferred,
            ),
            NameReferent::External => InferredType::UNKNOWN,
            NameReferent::Local(file, bound) => self.bound_type(*file, *bound),
            NameReferent::Def(def, env) => self.def_type(*def, env),
        }
    }

    fn def_type(&mut self, at: DefRef, env: &TypeEnv) -> InferredType {
        let def = self.program.def(at);
        match def.kind {
            DefKind::Function
                if def.flags.has(DefFlags::PROPERTY)
                    || self.program.capabilities(at.file).names_call_methods =>
            {
                self.result(at, env, None)
            }
            DefKind::Function | DefKind::Macro => {
                InferredType::new(Ty::Func(at, env.clone()), InferenceCertainty::Exact)
            }
            DefKind::Class
            | DefKind::Struct
            | DefKind::Interface
            | DefKind::Trait
            | DefKind::Enum
            | DefKind::Namespace => {
                InferredType::new(Ty::Class(at, no_args()), InferenceCertainty::Exact)
            }
            DefKind::Alias if def.flags.has(DefFlags::OPAQUE) => {
                InferredType::new(Ty::Class(at, no_args()), InferenceCertainty::Exact)
            }
            DefKind::Alias => {
                let each: Vec<Ty> =
                    self.eval_type(at.file, def.ty).each().iter().map(class_of).collect();
                InferredType::new(Ty::union(each), InferenceCertainty::Exact)
            }
            DefKind::Object | DefKind::Impl => {
                InferredType::new(Ty::Inst(at, no_args()), InferenceCertainty::Exact)
            }
            DefKind::Variant => {
                let parent = self.program.parent(at);
                InferredType::new(
                    parent.map_or(Ty::Unknown, |parent| Ty::Inst(parent, no_args())),
                    InferenceCertainty::Exact,
                )
            }
            DefKind::Field | DefKind::Variable => {
                if def.ty.is_known() {
                    let declared = self.eval_type(at.file, def.ty).fill(env);
                    if def.flags.has(DefFlags::TYPED_BY_COMMENT) && def.value.is_known() {
                        let held = self.type_of(at.file, def.value).ty.fill(env);
                        let ty = Ty::union([declared, held]);
                        return InferredType::new(ty, InferenceCertainty::Inferred);
                    }
                    if declared.is_known() {
                        let ty = self.completed(at.file, declared, def.value);
                        return InferredType::new(ty, InferenceCertainty::Exact);
                    }
                }
                let value = self.type_of(at.file, def.value);
                InferredType::new(
                    value.ty.fill(env),
                    value.certainty.max(InferenceCertainty::Inferred),
                )
            }
        }
    }

    /// A declared type, with the arguments that it leaves to the value of its variable.
    fn completed(&mut self, file: FileId, declared: Ty, value: ExprId) -> Ty {
        if !value.is_known() {
            return declared;
        }
        self.rules(file).deduced_type(self, file, &declared, value).unwrap_or(declared)
    }

    fn bound_type(&mut self, file: FileId, bound: BindingTarget) -> InferredType {
        let facts = self.program.facts(file);
        match bound {
            BindingTarget::Def(def) => {
                self.type_of_referent(&NameReferent::Def(DefRef { file, def }, no_env()))
            }
            BindingTarget::Import(import) => {
                let referents = self.import(file, import);
                let types: Vec<Ty> =
                    referents.iter().map(|referent| self.type_of_referent(referent).ty).collect();
                InferredType::new(Ty::union(types), InferenceCertainty::Exact)
            }
            BindingTarget::TypeParam(def, place) => {
                InferredType::new(Ty::Param(DefRef { file, def }, place), InferenceCertainty::Exact)
            }
            BindingTarget::Local { ty, value } => {
                if ty.is_known() {
                    let declared = self.eval_type(file, ty);
                    if declared.is_known() {
                        let ty = self.completed(file, declared, value);
                        return InferredType::new(ty, InferenceCertainty::Exact);
                    }
                }
                let value = self.type_of(file, value);
                InferredType::new(value.ty, value.certainty.max(InferenceCertainty::Inferred))
            }
            BindingTarget::Param(def, place) => self.param_type(DefRef { file, def }, place),
            BindingTarget::LambdaParam(id, place) => {
                let lambda = &facts.lambdas[id.index()];
                let param = lambda.params.get(usize::from(place));
                if param.is_none() && place != RECEIVER {
                    return InferredType::UNKNOWN;
                }
                if let Some(param) = param.filter(|param| param.ty.is_known()) {
                    let ty = self.eval_type(file, param.ty);
                    return InferredType::new(
                        spread(ty, param, file, self.program),
                        InferenceCertainty::Exact,
                    );
                }
                let expected = match lambda.context {
                    Some((call, argument)) => self.expected_param(file, call, argument, place),
                    None if lambda.declared.is_known() => {
                        let declared = self.eval_type(file, lambda.declared);
                        self.function_param(&declared, place)
                    }
                    None => {
                        let returned = self.returned_as(file, id);
                        self.function_param(&returned, place)
                    }
                };
                InferredType::new(expected, InferenceCertainty::Inferred)
            }
        }
    }

    /// What the function that gives a lambda back is declared to give back.
    fn returned_as(&mut self, file: FileId, id: LambdaId) -> Ty {
        let facts = self.program.facts(file);
        let gives_back = |def: &DefId| {
            let results = facts.def(*def).returns.iter().take(MAX_RETURNS);
            results
                .map(|value| facts.expr(*value))
                .any(|it| matches!(it, Expr::Lambda(it) if *it == id))
        };
        // One with a name of its own is its own owner.
        let around = successors(facts.lambdas[id.index()].owner, |def| facts.def(*def).parent);
        let Some(function) = around.take(2).find(gives_back).map(|def| facts.def(def)) else {
            return Ty::Unknown;
        };
        if function.ty.is_known() {
            return self.eval_type(file, function.ty);
        }
        // A variable annotated as a function whose value is this one.
        let annotated = self.eval_type(file, function.receiver);
        if !matches!(annotated, Ty::FuncType(..)) {
            return Ty::Unknown;
        }
        let callee = ExprId::UNKNOWN;
        self.call_value(&annotated, CallArguments { file, values: &[], types: &[], callee })
    }

    fn param_type(&mut self, at: DefRef, place: u16) -> InferredType {
        let def = self.program.def(at);
        let Some(param) = def.params.get(usize::from(place)) else { return InferredType::UNKNOWN };
        if param.ty.is_known() {
            let ty = self.eval_type(at.file, param.ty);
            return InferredType::new(
                spread(ty, param, at.file, self.program),
                InferenceCertainty::Exact,
            );
        }
        if place == 0 && def.flags.has(DefFlags::SELF_PARAM) {
            let ty = self.this_type(at.file, def.scope);
            let name = self.program.text(self.program.name_of(at.file, param.name));
            let is_type = self.program.capabilities(at.file).own_type_parameters.contains(&name);
            return InferredType::new(
                if is_type { class_of(&ty) } else { ty },
                InferenceCertainty::Exact,
            );
        }
        if def.receiver.is_known()
            && let Some(outer) = self.begin()
        {
            // A variable annotated as a function whose value is this one; the annotation may name it again.
            let annotated = self.eval_type(at.file, def.receiver);
            let ty = self.function_param(&annotated, place);
            self.end(outer);
            if ty.is_known() {
                return InferredType::new(ty, InferenceCertainty::Exact);
            }
        }
        if let Some(documented) = self.documented_member(at)
            && let Some(outer) = self.begin()
        {
            let ty = self.function_param(&documented, place);
            self.end(outer);
            if ty.is_known() {
                return InferredType::new(ty, InferenceCertainty::Inferred);
            }
        }
        if def.flags.has(DefFlags::SELF_PARAM) {
            // An override without annotations takes what the method above it says.
            return InferredType::UNKNOWN;
        }
        let value = self.type_of(at.file, param.default);
        InferredType::new(value.ty, value.certainty.max(InferenceCertainty::Inferred))
    }

    /// The type of a function of an object literal by what the literal is declared to be.
    fn documented_member(&mut self, function: DefRef) -> Option<Ty> {
        let program = self.program;
        let object = program.parent(function)?;
        let found = program.def(object);
        if found.kind != DefKind::Object || !found.ty.is_known() {
            return None;
        }
        let outer = self.begin()?;
        let documented = self.eval_type(object.file, found.ty);
        let members = self.member(&documented, program.def_name(function));
        let members: Vec<Ty> =
            members.iter().map(|member| self.type_of_referent(member).ty).collect();
        self.end(outer);
        Some(Ty::union(members))
    }

    /// The type of parameter `place` of values of a function type.
    pub(crate) fn function_param(&mut self, ty: &Ty, place: u16) -> Ty {
        let each: Vec<Ty> = library_element_types::unwrapped_optional(self.program, ty)
            .each()
            .iter()
            .map(|ty| match ty {
                Ty::FuncType(file, id, env) => {
                    let TypeExpr::Function { receiver, params, .. } =
                        self.program.facts(*file).ty(*id)
                    else {
                        return Ty::Unknown;
                    };
                    let param = match place {
                        RECEIVER => Some(receiver),
                        place => params.get(usize::from(place)),
                    };
                    param.map_or(Ty::Unknown, |param| self.eval_type(*file, *param).fill(env))
                }
                Ty::Func(def, env) => self.param_type(*def, place).ty.fill(env),
                Ty::Inst(def, args) | Ty::Class(def, args) => match self.only_method(*def) {
                    Some(method) => {
                        let env = Rc::from([(*def, args.clone())]);
                        self.param_type(method, place).ty.fill(&env)
                    }
                    None => Ty::Unknown,
                },
                Ty::Param(def, at) => self.bound_param(*def, *at, place),
                Ty::Ext(name, args) => {
                    let library = self.program.library;
                    library.taken(self.program.text(*name), args, place).unwrap_or(Ty::Unknown)
                }
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }

    /// The parameter of the function that a type parameter is bound to be: `F: Fn(&Item)`.
    fn bound_param(&mut self, def: DefRef, at: u16, place: u16) -> Ty {
        let Some(outer) = self.begin() else { return Ty::Unknown };
        let bound = self.bound_of(def, at);
        let ty = self.function_param(&bound, place);
        self.end(outer);
        ty
    }
}

impl TypeInference<'_, '_> {
    /// The type that a type parameter is bound to be. One that a receiver names is bound as the receiver's type says.
    pub(crate) fn bound_of(&mut self, def: DefRef, place: u16) -> Ty {
        let declared = self.program.def(def);
        let Some(param) = declared.type_params.get(usize::from(place)) else { return Ty::Unknown };
        if param.bound.is_known() || declared.kind != DefKind::Function {
            return self.eval_type(def.file, param.bound);
        }
        let Ty::Inst(host, args) = self.eval_type(def.file, declared.receiver) else {
            return Ty::Unknown;
        };
        let at = args.iter().position(|arg| *arg == Ty::Param(def, place));
        let at = at.and_then(|at| self.program.def(host).type_params.get(at));
        let bound = at.map_or(Ty::Unknown, |param| self.eval_type(host.file, param.bound));
        bound.fill(&Rc::from([(host, args)]))
    }
}

/// A rest parameter holds a list; an annotation that names the list itself is kept.
fn spread(ty: Ty, param: &Param, file: FileId, program: &ProgramFacts<'_>) -> Ty {
    if param.variadic && !program.capabilities(file).rest_is_annotated_whole {
        Ty::List(Rc::new(ty))
    } else {
        ty
    }
}
