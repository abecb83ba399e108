//! The types that a call expects of its arguments, and initialisers of outside types that it may run, in languages whose
//! calls have labels.

use std::rc::Rc;

use crate::{
    facts::{DefKind, Expr, ExprId},
    resolve::{
        library_types,
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference, class_of},
        types::{Ty, TypeEnv, no_env},
    },
};

impl TypeInference<'_, '_> {
    /// The initialisers that extensions add to a called outside type.
    pub(super) fn outside_constructors(
        &mut self,
        file: FileId,
        callee: ExprId,
    ) -> Vec<NameReferent> {
        let program = self.program;
        let facts = program.facts(file);
        let name = match facts.expr(callee) {
            Expr::Name { name, .. } => program.name_of(file, *name),
            Expr::Type(ty) => match self.eval_type(file, *ty) {
                Ty::Ext(name, _) => name,
                _ => return Vec::new(),
            },
            _ => return Vec::new(),
        };
        let init = program.name("init");
        let found = self.attached.external_members(name, init);
        found.iter().map(|def| NameReferent::Def(*def, no_env())).collect()
    }

    /// A value of the outside type that is called: by custom, types and only they begin with a capital letter.
    pub(crate) fn outside_made(&self, file: FileId, callee: ExprId) -> Ty {
        let facts = self.program.facts(file);
        match facts.expr(callee) {
            Expr::Name { name, .. }
                if self.program.capabilities(file).labels_arguments
                    && facts.text(*name).starts_with(char::is_uppercase) =>
            {
                Ty::Ext(self.program.name_of(file, *name), Rc::from([]))
            }
            _ => Ty::Unknown,
        }
    }

    /// The type whose own initialiser `Type.init(…)` means where none is written.
    pub(super) fn made_by_init(&mut self, file: FileId, callee: ExprId) -> Option<NameReferent> {
        let facts = self.program.facts(file);
        let Expr::Member { object, name } = facts.expr(callee) else { return None };
        if facts.text(*name) != "init" || matches!(facts.expr(*object), Expr::Super(_)) {
            return None;
        }
        match self.type_of(file, *object).ty {
            Ty::Class(def, _) | Ty::Inst(def, _) => Some(NameReferent::Def(def, no_env())),
            _ => None,
        }
    }

    /// The type that a call expects of its argument, as a type.
    pub(crate) fn expected_argument(&mut self, file: FileId, call: ExprId, argument: u16) -> Ty {
        let program = self.program;
        let Expr::Call { callee, .. } = program.facts(file).expr(call) else { return Ty::Unknown };
        let (entities, _) = self.resolve_expr(file, *callee);
        let mut types = Vec::new();
        for entity in entities {
            match &entity {
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
                    types.push(library_types::taken(program, receiver, *name, label));
                }
                NameReferent::External | NameReferent::Module(_) => {}
                other => {
                    let callee = self.type_of_entity(other).ty;
                    types.push(self.function_param(&callee, argument));
                }
            }
        }
        let ty = library_types::unwrapped_optional(program, &Ty::union(types));
        Ty::union(ty.each().iter().map(class_of))
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
                self.type_of_entity(&NameReferent::Def(*field, no_env())).ty
            }
            _ => Ty::Unknown,
        }
    }
}
