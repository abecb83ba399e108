//! C#'s extension methods: those that a place sees and that take the receiver.

use std::rc::Rc;

use crate::{
    facts::{Expr, ExprId, ScopeId},
    languages::csharp::project::CSharpProjects,
    resolve::{
        inference_results::{Ty, TypeEnv, no_env},
        program_facts::{FileId, Name},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
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
        let named = match ty {
            Ty::Class(..) | Ty::Module(_) => return Vec::new(),
            Ty::Unknown | Ty::ExtItem(_) => match self.type_named_property(file, expr) {
                Some(named) => Some(named),
                None => return Vec::new(),
            },
            _ => None,
        };
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
            if let Some(named) = named {
                if matches!(&wanted, Ty::Ext(outside, args) if *outside == named && args.is_empty())
                {
                    found.push(NameReferent::Def(*def, no_env()));
                }
            } else if ty.each().iter().any(|ty| self.accepts(&wanted, ty, 0)) {
                let mut given = vec![Ty::Unknown; program.def(*def).type_params.len()];
                self.match_types(&wanted, ty, *def, &mut given, 0);
                let env: TypeEnv =
                    if given.is_empty() { no_env() } else { Rc::from([(*def, Rc::from(given))]) };
                found.push(NameReferent::Def(*def, env));
            }
        }
        found
    }

    /// Returns the name of the type that the receiver of a member may be. The receiver may be a property that has the name of
    /// its type, as inherited properties from outside often have. A bare name is the type itself if nothing is inherited from
    /// outside.
    fn type_named_property(&mut self, file: FileId, expr: ExprId) -> Option<Name> {
        let facts = self.program.facts(file);
        let Expr::Member { object, .. } = facts.expr(expr) else { return None };
        let name = match facts.expr(*object) {
            Expr::Member { name, .. } => *name,
            Expr::Name { name, scope, .. } if self.has_outside_base(file, *scope) => *name,
            _ => return None,
        };
        Some(self.program.name_of(file, name))
    }

    /// Whether the class around a place builds on a type from outside, which may have properties that nothing here declares.
    fn has_outside_base(&mut self, file: FileId, scope: ScopeId) -> bool {
        let Ty::Inst(class, _) = self.this_type(file, scope) else { return false };
        let mut classes = self.types_above(class);
        classes.push(class);
        classes.into_iter().any(|class| {
            self.supers(class).iter().any(|base| matches!(base, Ty::Ext(..) | Ty::Unknown))
        })
    }
}
