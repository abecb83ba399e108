//! C#'s names: namespaces from the inside out, `using`, types told apart by the number of their parameters, extension
//! methods.

use std::rc::Rc;

use crate::{
    facts::{DefFlags, DefKind, Expr, ExprId, ImportId, ImportSelection, Reference, TypeExpr},
    languages::csharp::project::CSharpProjects,
    resolve::{
        ordered_set::OrderedSet,
        program_facts::{DefRef, FileId, ModId, Name},
        type_inference::{NameReferent, TypeInference},
        types::{Ty, TypeEnv, no_env},
    },
};

/// Steps up an inheritance graph.
const MAX_SUPERS: usize = 64;

impl TypeInference<'_, '_> {
    /// A name that no scope binds: the namespaces around the place, then what `using` brings.
    pub(crate) fn csharp_outside(
        &mut self,
        file: FileId,
        module: ModId,
        name: Name,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let mut next = Some(module);
        while let Some(at) = next {
            let mut found = self.package_member(&NameReferent::Module(at), name);
            found.retain(|entity| match entity {
                NameReferent::Def(def, _) => {
                    def.file == file || !program.def(*def).flags.has(DefFlags::FILE_LOCAL)
                }
                _ => true,
            });
            if !found.is_empty() {
                return found;
            }
            next = program.module(at).parent;
        }
        let mut found = OrderedSet::new(NameReferent::definition);
        if !self.charge(program.facts(file).imports.len()) {
            return Vec::new();
        }
        for (id, import) in program.facts(file).imports.iter().enumerate() {
            if import.local.is_some_and(|local| program.name_of(file, local) == name) {
                return self.import(file, ImportId(crate::resolve::program_facts::number(id)));
            }
        }
        for holder in self.used(file, module) {
            let brought = match holder {
                // A namespace brings its types, not the namespaces in it.
                NameReferent::Module(at) if program.top_level_named(at, name).is_empty() => {
                    Vec::new()
                }
                holder => self.package_member(&holder, name),
            };
            brought.into_iter().for_each(|entity| found.push(entity));
        }
        let mut found = found.into_vec();
        if found.is_empty() {
            for (home, id) in program
                .project::<CSharpProjects>()
                .and_then(|projects| projects.global.get(&file))
                .into_iter()
                .flatten()
            {
                program.looks_into(*home, name);
                let import = program.facts(*home).import(*id);
                if import.local.is_some_and(|local| program.name_of(*home, local) == name) {
                    found.extend(self.import(*home, *id));
                }
            }
        }
        found
    }

    /// The namespaces and types that `using` opens in a file, its project's included.
    fn used(&mut self, file: FileId, module: ModId) -> Vec<NameReferent> {
        let program = self.program;
        let own = (0..program.facts(file).imports.len())
            .map(|id| (file, ImportId(crate::resolve::program_facts::number(id))));
        let project = program
            .project::<CSharpProjects>()
            .and_then(|projects| projects.global.get(&file))
            .into_iter()
            .flatten()
            .copied();
        let mut found = Vec::new();
        for (home, id) in own.chain(project) {
            let import = program.facts(home).import(id);
            if import.taken != ImportSelection::All {
                continue;
            }
            if !self.charge(1) {
                break;
            }
            let mut holders = self.package_path(home, &import.module);
            let mut next = Some(module);
            while let (true, Some(at)) = (holders.is_empty(), next) {
                // Inside a namespace its own parts may be named from there.
                let mut at_holders = vec![NameReferent::Module(at)];
                for part in &import.module {
                    let part = program.name_of(home, *part);
                    at_holders =
                        at_holders.iter().flat_map(|h| self.package_member(h, part)).collect();
                }
                holders = at_holders;
                next = program.module(at).parent;
            }
            found.extend(holders);
        }
        if let Some(projects) = program.project::<CSharpProjects>() {
            let modules = projects.named.get(&file).into_iter().flatten();
            found.extend(modules.map(|module| NameReferent::Module(*module)));
            let types = projects.named_types.get(&file).into_iter().flatten();
            found.extend(types.map(|named| NameReferent::Def(*named, no_env())));
        }
        found
    }

    /// The extension methods by a name that a place sees and that take a value of `ty`.
    pub(crate) fn csharp_extensions(
        &mut self,
        file: FileId,
        expr: ExprId,
        name: Name,
        ty: &Ty,
    ) -> Vec<NameReferent> {
        let program = self.program;
        program.looks_everywhere(name);
        let Some(all) =
            program.project::<CSharpProjects>().and_then(|projects| projects.extensions.get(&name))
        else {
            return Vec::new();
        };
        if !ty.is_known() || matches!(ty, Ty::Class(..) | Ty::Module(_) | Ty::ExtItem(_)) {
            return Vec::new();
        }
        let scope = self.scope_of(file, expr);
        let module =
            scope.map_or(program.module_of[file.index()], |at| program.module_at(file, at));
        let used = self.used(file, module);
        let mut found = Vec::new();
        for def in all {
            program.looks_into(def.file, name);
            if !self.charge_search(used.len()) {
                break;
            }
            let home = program.module_at(def.file, program.def(*def).outer);
            let mut around = Some(module);
            while around.is_some_and(|at| at != home) {
                around = around.and_then(|at| program.module(at).parent);
            }
            if around.is_none() && !used.contains(&NameReferent::Module(home)) {
                continue;
            }
            let Some(receiver) = program.def(*def).params.first() else { continue };
            let wanted = self.eval_type(def.file, receiver.ty);
            if ty.each().iter().any(|ty| self.accepts(&wanted, ty, 0)) {
                let mut given = vec![Ty::Unknown; program.def(*def).type_params.len()];
                self.match_types(&wanted, ty, *def, &mut given, 0);
                let env: TypeEnv =
                    if given.is_empty() { no_env() } else { Rc::from([(*def, Rc::from(given))]) };
                found.push(NameReferent::Def(*def, env));
            }
        }
        found
    }

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
            Ty::Param(def, at) => *def == of && *at == place,
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
            (Ty::Unknown | Ty::Param(..), _) | (_, Ty::Unknown) => 0,
            (wanted, given) if wanted == given => 2,
            (wanted, given) if self.accepts(wanted, given, 0) => 1,
            (Ty::Inst(..) | Ty::FuncType(..), _) | (_, Ty::Inst(..) | Ty::FuncType(..)) => -2,
            _ => 0,
        }
    }

    /// A scope that an expression's innermost name stands in.
    pub(crate) fn scope_of(&self, file: FileId, expr: ExprId) -> Option<crate::facts::ScopeId> {
        let facts = self.program.facts(file);
        let mut at = expr;
        for _ in 0..MAX_SUPERS {
            at = match facts.expr(at) {
                Expr::Name { scope, .. } | Expr::This(scope) | Expr::Super(scope) => {
                    return Some(*scope);
                }
                Expr::Member { object, .. } => *object,
                Expr::Call { callee, .. } | Expr::New { callee, .. } => *callee,
                Expr::Await(inner) | Expr::Index(inner) | Expr::Unwrap(inner) => *inner,
                _ => return None,
            };
        }
        None
    }

    /// Whether a parameter of type `wanted` surely takes a value of type `given`.
    fn accepts(&mut self, wanted: &Ty, given: &Ty, depth: u32) -> bool {
        if depth > 8 || !given.is_known() {
            return false;
        }
        match (wanted, given) {
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
            (Ty::Tuple(wanted), Ty::Tuple(given)) => wanted.len() == given.len(),
            (Ty::FuncType(..), Ty::FuncType(..) | Ty::Lambda(..) | Ty::Func(..)) => true,
            _ => false,
        }
    }
}
