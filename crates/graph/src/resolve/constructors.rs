//! The constructors that a call runs, and the type of the object that it makes.

use std::rc::Rc;

use crate::{
    facts::{Expr, ExprId, TypeId},
    resolve::{
        inference_results::{CallArguments, Ty, no_env},
        program_facts::{DefRef, FileId},
        type_inference::{NameReferent, TypeInference},
    },
};

impl TypeInference<'_, '_> {
    pub(super) fn constructed(
        &mut self,
        def: DefRef,
        args: &Rc<[Ty]>,
        arguments: CallArguments<'_>,
    ) -> Ty {
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
        let name = self.program.capabilities(def.file).constructor_name;
        let found = name.map(|name| self.program.members_named(def, self.program.name(name)));
        found.unwrap_or_default().to_vec()
    }

    /// The constructor that a call runs.
    pub(super) fn constructor_of(
        &mut self,
        class: DefRef,
        arguments: CallArguments<'_>,
    ) -> Option<DefRef> {
        let all = self.constructors(class);
        if !self.program.capabilities(class.file).labels_arguments {
            return all.first().copied();
        }
        all.into_iter().find(|def| self.places(arguments.file, arguments.callee, *def).is_some())
    }

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
        let constructor = program.capabilities(file).constructor_name;
        let Some(constructor) = constructor.map(|it| program.name(it)) else { return Vec::new() };
        let found = self.attached.external_members(name, constructor);
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

    /// A value of the outside type that is made with type arguments: `new Map<string, A>()`.
    pub(super) fn made_of_types(&mut self, file: FileId, callee: ExprId, given: &[TypeId]) -> Ty {
        let found = self.resolve_expr(file, callee).0;
        let is_outside = found.iter().all(|referent| *referent == NameReferent::External);
        match self.program.facts(file).expr(callee) {
            Expr::Name { name, .. } if is_outside => {
                let given = given.iter().map(|ty| self.eval_type(file, *ty)).collect();
                self.applied(file, found, &[*name], given)
            }
            _ => Ty::Unknown,
        }
    }

    /// The type that naming its constructor makes, `Type.init(…)`, where none is written.
    pub(super) fn made_by_constructor(
        &mut self,
        file: FileId,
        callee: ExprId,
    ) -> Option<NameReferent> {
        let facts = self.program.facts(file);
        let Expr::Member { object, name } = facts.expr(callee) else { return None };
        let constructor = facts.language.capabilities().constructor_name;
        if constructor != Some(facts.text(*name)) || matches!(facts.expr(*object), Expr::Super(_)) {
            return None;
        }
        match self.type_of(file, *object).ty {
            Ty::Class(def, _) | Ty::Inst(def, _) => Some(NameReferent::Def(def, no_env())),
            _ => None,
        }
    }
}
