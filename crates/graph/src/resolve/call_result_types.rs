//! The result types of calls, declared and inferred.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, TypeExpr, TypeId},
    resolve::{
        inference_results::{CallArguments, Ty, TypeEnv},
        library_call_types,
        program_facts::{DefRef, FileId},
        type_inference::{InferenceCertainty, InferredType, NameReferent, TypeInference},
    },
};

/// Values that a function gives back whose types are looked at.
const MAX_RETURNS: usize = 8;

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
        if let Expr::Type(ty) = *self.program.facts(file).expr(callee) {
            let made = library_call_types::constructed(self, ty, arguments);
            if made.is_known() {
                return InferredType { ty: made, certainty: InferenceCertainty::Inferred };
            }
        }
        let (referents, mut worst) = self.resolve_expr(file, callee);
        let referents = self.overloads(file, callee, referents);
        let referents = self.functions_behind(file, callee, referents);
        let referents = self.called_objects(referents);
        let mut results = Vec::new();
        for referent in &referents {
            let value = match referent {
                NameReferent::Def(def, env) => match rules.call_of(self, file, callee, *def) {
                    Some(ty) => InferredType { ty, certainty: InferenceCertainty::Inferred },
                    None => self.call_def(*def, env, arguments),
                },
                NameReferent::Method(receiver, name) => InferredType {
                    ty: library_call_types::method_result(self, receiver, *name, arguments),
                    certainty: InferenceCertainty::Inferred,
                },
                NameReferent::External => InferredType {
                    ty: library_call_types::function_result(self, arguments),
                    certainty: InferenceCertainty::Inferred,
                },
                other => {
                    let value = self.type_of_referent(other);
                    InferredType {
                        ty: self.call_value(&value.ty, arguments),
                        certainty: value.certainty.max(InferenceCertainty::Inferred),
                    }
                }
            };
            worst = worst.max(value.certainty);
            results.push(value.ty);
        }
        if referents.is_empty()
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
        } else if referents.is_empty() {
            let held = rules.unknown_call(self, file, callee);
            results.push(match held.unwrap_or_else(|| self.outside_made(file, callee)) {
                Ty::Unknown => library_call_types::function_result(self, arguments),
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
            DefKind::Field if self.program.def(def).flags.has(DefFlags::PROPERTY) => {
                self.type_of_referent(&NameReferent::Def(def, env.clone()))
            }
            _ => {
                let value = self.type_of_referent(&NameReferent::Def(def, env.clone()));
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
                Ty::Inst(def, _) if self.is_opaque(*def) => {
                    let under = self.underlying_type(*def);
                    self.call_value(&under, arguments)
                }
                Ty::Inst(def, _) => self
                    .program
                    .capabilities(def.file)
                    .call_methods
                    .iter()
                    .map(|name| self.method_result(ty, name))
                    .find(Ty::is_known)
                    .unwrap_or(Ty::Unknown),
                Ty::List(_) | Ty::Ext(..) if self.is_indexed_by_calls(ty, arguments) => {
                    self.index_of(ty)
                }
                Ty::ExtItem(name) => Ty::Ext(*name, Rc::from([])),
                Ty::ParamClass(def, place) => Ty::Param(*def, *place),
                Ty::Param(def, place) => match self.bound_of(*def, *place) {
                    bound @ Ty::FuncType(..) => self.call_value(&bound, arguments),
                    _ => Ty::Unknown,
                },
                _ => Ty::Unknown,
            })
            .collect();
        Ty::union(each)
    }

    /// Whether a call of a value of an outside type reads an element: `list(0)`, `map(key)`. Others, as a function that takes
    /// its arguments in several lists, give something else.
    fn is_indexed_by_calls(&self, ty: &Ty, arguments: CallArguments<'_>) -> bool {
        let CallArguments { file, callee, .. } = arguments;
        if matches!(self.program.facts(file).expr(callee), Expr::Call { .. }) {
            return false;
        }
        let holds_elements = match ty {
            Ty::Ext(outside, args) => {
                args.len() == 2 && self.program.text(*outside).contains("Map")
            }
            _ => true,
        };
        holds_elements && self.program.capabilities(file).object_call_method.is_some()
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
            if def.flags.has(DefFlags::TYPED_BY_COMMENT) && !def.returns.is_empty() {
                let given = self.returned(at);
                let ty = Ty::union([declared, given.ty.fill(env)]);
                let ty = self.with_type_arguments(at, ty, arguments);
                return InferredType { ty, certainty: given.certainty };
            }
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
        let capabilities = self.program.capabilities(at.file);
        let deduces = capabilities.deduces_results && !def.ty.is_known();
        if !capabilities.infers_results && !deduces {
            return InferredType::UNKNOWN;
        }
        let given = self.returned(at);
        let ty = given.ty.fill(env);
        InferredType { ty: self.with_type_arguments(at, ty, arguments), ..given }
    }

    /// The type of what the body of a function gives back.
    fn returned(&mut self, at: DefRef) -> InferredType {
        let mut worst = InferenceCertainty::Inferred;
        let mut types = Vec::new();
        for value in self.program.def(at).returns.iter().take(MAX_RETURNS) {
            let value = self.type_of(at.file, *value);
            worst = worst.max(value.certainty);
            types.push(value.ty);
        }
        InferredType { ty: Ty::union(types), certainty: worst }
    }
}
