//! C#'s overloads: those that take a call's arguments best.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, Reference, TypeExpr},
    resolve::{
        inference_results::{Ty, TypeEnv},
        library_element_types::tuple_parts,
        program_facts::{DefRef, FileId},
        type_inference::TypeInference,
    },
};

impl TypeInference<'_, '_> {
    /// Keeps the overloads that fit a call's arguments best. Keeps none if no overload takes that many arguments.
    pub(crate) fn csharp_overloads(
        &mut self,
        file: FileId,
        mut found: Vec<DefRef>,
        reference: &Reference,
    ) -> Vec<DefRef> {
        let program = self.program;
        found.retain(|at| {
            let def = program.def(*at);
            if def.kind != DefKind::Function {
                return true;
            }
            let open = def.params.iter().any(|param| param.variadic);
            let least = def.params.iter().filter(|p| !p.default.is_known() && !p.variadic).count();
            // An extension method is called on its first argument, or with it.
            let least = least - usize::from(def.flags.has(DefFlags::SELF_PARAM)).min(least);
            let most = if open { usize::MAX } else { def.params.len() };
            (least..=most).contains(&usize::from(reference.args))
        });
        let facts = program.facts(file);
        // A call stands right behind what it calls.
        let call = facts.exprs.get(reference.target.index() + 1);
        let Some(Expr::Call { callee, args, type_args }) = call else { return found };
        if *callee != reference.target || found.len() < 2 {
            return found;
        }
        let mut scored: Vec<(i32, DefRef)> = Vec::new();
        for at in found {
            let def = program.def(at);
            let generic = if type_args.is_empty() {
                !self.infers_arguments(at)
            } else {
                def.type_params.len() != type_args.len()
            };
            let mut score = if generic { -8 } else { 0 };
            let on_first = def.flags.has(DefFlags::SELF_PARAM) && def.params.len() > args.len();
            for (param, value) in def.params.iter().skip(usize::from(on_first)).zip(args) {
                let wanted = self.eval_type(at.file, param.ty);
                score += self.fit(file, &wanted, *value);
            }
            scored.push((score, at));
        }
        let best = scored.iter().map(|(score, _)| *score).max().unwrap_or_default();
        scored.into_iter().filter(|(score, _)| *score == best).map(|(_, at)| at).collect()
    }

    /// Whether all type parameters of a method can be inferred from its arguments.
    fn infers_arguments(&mut self, at: DefRef) -> bool {
        let def = self.program.def(at);
        let wanted: Vec<Ty> =
            def.params.iter().map(|param| self.eval_type(at.file, param.ty)).collect();
        (0..def.type_params.len()).all(|place| {
            let place = u16::try_from(place).unwrap_or(u16::MAX);
            wanted.iter().any(|ty| self.mentions(ty, at, place))
        })
    }

    fn mentions(&self, ty: &Ty, of: DefRef, place: u16) -> bool {
        match ty {
            Ty::Param(def, at) | Ty::ParamClass(def, at) => *def == of && *at == place,
            Ty::List(inner) => self.mentions(inner, of, place),
            Ty::Inst(_, args) | Ty::Ext(_, args) | Ty::Tuple(args) | Ty::Union(args) => {
                args.iter().any(|arg| self.mentions(arg, of, place))
            }
            // What functions take and give isn't looked into.
            Ty::FuncType(..) | Ty::Unknown => true,
            _ => false,
        }
    }

    /// Returns how well a parameter takes a value: above zero if it does, below if it surely doesn't.
    fn fit(&mut self, file: FileId, wanted: &Ty, value: ExprId) -> i32 {
        let facts = self.program.facts(file);
        if let Expr::Lambda(id) = facts.expr(value) {
            let given = facts.lambdas[id.index()].params.len();
            return match wanted {
                Ty::FuncType(home, ty, _) => match self.program.facts(*home).ty(*ty) {
                    TypeExpr::Function { params, .. } if params.len() == given => 2,
                    _ => -8,
                },
                Ty::Inst(..) | Ty::List(_) => -8,
                _ => 0,
            };
        }
        let given = self.type_of(file, value).ty;
        match (wanted, &given) {
            (Ty::Unknown | Ty::Param(..) | Ty::ParamClass(..), _) | (_, Ty::Unknown) => 0,
            (wanted, given) if wanted == given => 2,
            (wanted, given) if self.accepts(wanted, given, 0) => 1,
            (Ty::Inst(..) | Ty::FuncType(..), _) | (_, Ty::Inst(..) | Ty::FuncType(..)) => -2,
            _ => 0,
        }
    }

    /// Whether a parameter of type `wanted` surely takes a value of type `given`.
    pub(super) fn accepts(&mut self, wanted: &Ty, given: &Ty, depth: u32) -> bool {
        if depth > 8 || !given.is_known() {
            return false;
        }
        match (wanted, given) {
            // Two types of one name, of two projects.
            (Ty::Union(wanted), _) => {
                wanted.iter().any(|wanted| self.accepts(wanted, given, depth + 1))
            }
            (Ty::Param(def, place), _) => {
                let bound = self.program.def(*def).type_params.get(usize::from(*place));
                match bound.filter(|param| param.bound.is_known()).map(|param| param.bound) {
                    None => true,
                    Some(bound) => {
                        let bound = self.eval_type(def.file, bound);
                        !bound.is_known()
                            || bound
                                .each()
                                .iter()
                                .all(|bound| self.accepts(bound, given, depth + 1))
                    }
                }
            }
            (_, Ty::Param(def, place)) => {
                let bound = self.program.def(*def).type_params.get(usize::from(*place));
                let bound =
                    bound.map_or(Ty::Unknown, |param| self.eval_type(def.file, param.bound));
                bound.each().iter().any(|bound| self.accepts(wanted, bound, depth + 1))
            }
            (Ty::Ext(wanted, _), _) if self.program.text(*wanted) == "object" => true,
            _ if let (Some(wanted), Some(given)) =
                (tuple_parts(self.program, wanted), tuple_parts(self.program, given)) =>
            {
                wanted.len() == given.len()
            }
            (Ty::Inst(wanted, _), Ty::Inst(given, _)) if wanted == given => true,
            (Ty::Inst(..) | Ty::Ext(..) | Ty::List(_), Ty::Inst(given, args)) => {
                let env: TypeEnv = Rc::from([(*given, args.clone())]);
                let supers = self.supers(*given);
                supers.iter().any(|up| {
                    let up = up.fill(&env);
                    up != Ty::Inst(*given, args.clone()) && self.accepts(wanted, &up, depth + 1)
                })
            }
            (Ty::Ext(wanted, _), Ty::Ext(given, _)) => {
                let (wanted, given) = (self.program.text(*wanted), self.program.text(*given));
                wanted.eq_ignore_ascii_case(given)
                    || wanted == "Exception" && given.ends_with(wanted)
                    || wanted.strip_prefix('I').is_some_and(|plain| plain == given)
            }
            (Ty::List(wanted), Ty::List(given)) => {
                !wanted.is_known() || !given.is_known() || self.accepts(wanted, given, depth + 1)
            }
            (Ty::FuncType(..), Ty::FuncType(..) | Ty::Lambda(..) | Ty::Func(..)) => true,
            _ => false,
        }
    }
}
