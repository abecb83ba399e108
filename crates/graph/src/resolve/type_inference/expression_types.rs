//! The types of annotations and expressions.

use std::rc::Rc;

use super::TypeInference;
use crate::{
    facts::{DefKind, Expr, ExprId, TypeId, item},
    resolve::{
        inference_results::{
            InferenceCertainty, InferredType, NameReferent, Ty, class_of, no_args, no_env,
        },
        library_element_types,
        program_facts::{DefRef, FileId},
    },
};

impl<'w, 'p> TypeInference<'w, 'p> {
    /// The type that an annotation names.
    pub(crate) fn eval_type(&mut self, file: FileId, ty: TypeId) -> Ty {
        if !ty.is_known() {
            return Ty::Unknown;
        }
        let key = (file, ty);
        self.count(1);
        if let Some(known) = self.recall(self.types.get(key)) {
            return known.unwrap_or(Ty::Unknown);
        }
        let Some(outer) = self.begin() else { return Ty::Unknown };
        self.types.open(key, self.depth);
        let ty = self.eval_type_at(file, ty);
        let cut = self.end(outer);
        self.types.close(key, ty.clone(), cut);
        ty
    }

    /// The type of an expression.
    pub(crate) fn type_of(&mut self, file: FileId, expr: ExprId) -> InferredType {
        if !expr.is_known() {
            return InferredType::UNKNOWN;
        }
        let key = (file, expr);
        self.count(1);
        if let Some(known) = self.recall(self.values.get(key)) {
            return known.unwrap_or(InferredType::UNKNOWN);
        }
        let Some(outer) = self.begin() else { return InferredType::UNKNOWN };
        self.values.open(key, self.depth);
        let value = self.type_of_at(file, expr);
        let cut = self.end(outer);
        self.values.close(key, value.clone(), cut);
        value
    }

    /// The type of the objects of a class or function, where `name` is the member that stands for them.
    fn made_through(&mut self, file: FileId, object: ExprId, name: &str) -> Option<InferredType> {
        if self.program.capabilities(file).prototype != Some(name) {
            return None;
        }
        let value = self.type_of(file, object);
        let made = value.ty.instances();
        made.is_known().then(|| InferredType::new(made, value.certainty))
    }

    fn type_of_at(&mut self, file: FileId, expr: ExprId) -> InferredType {
        let facts = self.program.facts(file);
        match facts.expr(expr) {
            Expr::Unknown => InferredType::UNKNOWN,
            Expr::Member { object, name }
                if let Some(made) = self.made_through(file, *object, facts.text(*name)) =>
            {
                made
            }
            Expr::Name { .. } | Expr::Member { .. } | Expr::Module(_) | Expr::Super(_) => {
                let (mut referents, certainty) = self.resolve_expr(file, expr);
                self.keep_values(file, &mut referents);
                self.keep_fields(file, &mut referents);
                let mut worst = certainty;
                let mut types = Vec::new();
                for referent in &referents {
                    let value = self.type_of_referent(referent);
                    worst = worst.max(value.certainty);
                    types.push(value.ty);
                }
                InferredType::new(Ty::union(types), worst)
            }
            Expr::Call { callee, args, type_args } => {
                self.call_type(file, *callee, args, type_args)
            }
            Expr::New { callee, args, type_args } => {
                let mut value = self.call_type(file, *callee, args, type_args);
                if !value.ty.is_known() && self.program.capabilities(file).prototype.is_some() {
                    let callee = self.type_of(file, *callee);
                    let functions = callee.ty.each().iter().filter(|ty| matches!(ty, Ty::Func(..)));
                    let made = Ty::union(functions.cloned());
                    value = InferredType::new(made, callee.certainty);
                }
                if !value.ty.is_known() && !type_args.is_empty() {
                    value.ty = self.made_of_types(file, *callee, type_args);
                }
                InferredType::new(value.ty, value.certainty.max(InferenceCertainty::Inferred))
            }
            Expr::This(scope) => {
                InferredType::new(self.this_type(file, *scope), InferenceCertainty::Exact)
            }
            Expr::Await(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(
                    library_element_types::awaited(self.program, &value.ty),
                    value.certainty,
                )
            }
            Expr::Both(was, proved) => {
                let (was, proved) = (self.type_of(file, *was), self.type_of(file, *proved));
                let certainty = was.certainty.max(proved.certainty);
                InferredType::new(self.both_types(&was.ty, proved.ty), certainty)
            }
            Expr::Unwrap(inner) => {
                let value = self.type_of(file, *inner);
                let ty = if self.program.capabilities(file).labels_arguments {
                    library_element_types::unwrapped_optional(self.program, &value.ty)
                } else {
                    library_element_types::unwrapped(self.program, &value.ty)
                };
                InferredType::new(ty, value.certainty)
            }
            Expr::Elem(inner) => {
                let value = self.type_of(file, *inner);
                let item = self.element_of(&value.ty);
                // An item of what is expected is expected, too.
                let item = match facts.expr(*inner) {
                    Expr::Expected(_) | Expr::ExpectedBy(..) => {
                        Ty::union(item.each().iter().map(class_of))
                    }
                    _ => item,
                };
                InferredType::new(item, value.certainty.max(InferenceCertainty::Inferred))
            }
            Expr::Index(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(self.index_of(&value.ty), value.certainty)
            }
            Expr::Slice(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(self.slice_of(&value.ty), value.certainty)
            }
            Expr::Key(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(self.key_of(&value.ty), value.certainty)
            }
            Expr::Item(inner, place) => {
                let value = self.type_of(file, *inner);
                let each: Vec<Ty> = value
                    .ty
                    .each()
                    .iter()
                    .map(|ty| match ty {
                        Ty::Tuple(items) => item(items, *place).cloned().unwrap_or(Ty::Unknown),
                        Ty::Ext(..)
                            if let Some(parts) = library_element_types::parts(self.program, ty) =>
                        {
                            item(parts, *place).cloned().unwrap_or(Ty::Unknown)
                        }
                        Ty::Inst(def, _) if self.program.def(*def).kind == DefKind::Variant => {
                            let carried = item(&self.program.def(*def).params, *place);
                            carried.map_or(Ty::Unknown, |param| self.eval_type(def.file, param.ty))
                        }
                        other => self.element_of(other),
                    })
                    .collect();
                InferredType::new(Ty::union(each), value.certainty)
            }
            Expr::Enter(inner) => {
                let value = self.type_of(file, *inner);
                InferredType::new(
                    self.entered(&value.ty),
                    value.certainty.max(InferenceCertainty::Inferred),
                )
            }
            Expr::Typed(ty) => {
                InferredType::new(self.eval_type(file, *ty), InferenceCertainty::Exact)
            }
            Expr::Type(ty) => {
                let each: Vec<Ty> = self.eval_type(file, *ty).each().iter().map(class_of).collect();
                InferredType::new(Ty::union(each), InferenceCertainty::Exact)
            }
            Expr::Expected(ty) => {
                let ty = self.eval_type(file, *ty);
                let ty = library_element_types::unwrapped_optional(self.program, &ty);
                InferredType::new(
                    Ty::union(ty.each().iter().map(class_of)),
                    InferenceCertainty::Exact,
                )
            }
            Expr::ExpectedBy(call, argument) => InferredType::new(
                self.expected_argument(file, *call, *argument),
                InferenceCertainty::Exact,
            ),
            Expr::SetBy(call, argument) => InferredType::new(
                self.set_argument(file, *call, *argument),
                InferenceCertainty::Inferred,
            ),
            Expr::Lambda(id) => InferredType::new(Ty::Lambda(file, *id), InferenceCertainty::Exact),
            Expr::Either(values) => {
                let mut worst = InferenceCertainty::Exact;
                let mut types = Vec::new();
                for value in values {
                    let value = self.type_of(file, *value);
                    worst = worst.max(value.certainty);
                    types.push(value.ty);
                }
                InferredType::new(Ty::union(types), worst)
            }
            Expr::Array(values) => {
                let types: Vec<Ty> =
                    values.iter().take(4).map(|value| self.type_of(file, *value).ty).collect();
                InferredType::new(Ty::List(Rc::new(Ty::union(types))), InferenceCertainty::Inferred)
            }
            Expr::Tuple(values) => {
                let types: Vec<Ty> =
                    values.iter().map(|value| self.type_of(file, *value).ty).collect();
                InferredType::new(Ty::Tuple(types.into()), InferenceCertainty::Inferred)
            }
            Expr::Def(def) => {
                self.type_of_referent(&NameReferent::Def(DefRef { file, def: *def }, no_env()))
            }
            Expr::Literal(name) => InferredType::new(
                Ty::Ext(self.program.name_of(file, *name), no_args()),
                InferenceCertainty::Exact,
            ),
        }
    }
}
